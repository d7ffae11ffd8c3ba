/* extend_settings.h - an extension in the words of transformers, vLLM,
 * llama.cpp and MLX-LM */
#ifndef LCT_EXTEND_SETTINGS_H
#define LCT_EXTEND_SETTINGS_H
#include "extend.h"

/*
 * Set the keys of a rope dictionary: "rope_type" and what belongs to it;
 * scaling keys that were there are removed, others stay.
 */
void lct_extend_settings_put(json_t *dictionary, const struct lct_extend *e,
                             enum lct_extend_method m);

/* Remove the type and the keys of scalings. */
void lct_extend_settings_strip(json_t *dictionary);

/* max_position_embeddings of the extended model: with 'dynamic' the length of
   training, which is where the base begins to grow. */
int64_t lct_extend_settings_length(const struct lct_extend *e,
                                   enum lct_extend_method m);

/* Members of the result: "transformers 4", "transformers 5", "vLLM",
   "llama.cpp", "MLX-LM", each a text to paste, or null. */
json_t *lct_extend_settings_json(const struct lct_extend *e,
                                 enum lct_extend_method m);

/* What to know about the settings: an array of sentences. */
json_t *lct_extend_settings_notes(const struct lct_extend *e,
                                  enum lct_extend_method m);
#endif
