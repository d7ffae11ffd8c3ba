/*
 * config.h - the configuration of a model: config.json, params.json, or the
 * keys of a GGUF file, read with typed accessors that never trust a key
 */
#ifndef LCT_CONFIG_H
#define LCT_CONFIG_H
#include "../core/error.h"
#include <jansson.h>
#include <stdbool.h>

enum lct_dialect {
    LCT_DIALECT_HF4,     /* rope_theta and rope_scaling, transformers 4 */
    LCT_DIALECT_HF5,     /* rope_parameters, transformers 5 */
    LCT_DIALECT_META,    /* params.json of Meta */
    LCT_DIALECT_MISTRAL, /* params.json of Mistral */
    LCT_DIALECT_GGUF
};

/*
 * A configuration as a JSON object.  That of GGUF has the keys of the file as
 * they are ("llama.rope.freq_base"); arrays of more than 65536 values
 * (vocabularies) are left out.
 */
struct lct_config {
    enum lct_dialect dialect;
    json_t *root;
    const json_t *text;     /* text_config and its like within 'root', or it */
    const char *model_type; /* of 'text'; general.architecture of GGUF */
    char file[256];         /* for messages */
};

/*
 * Read MODEL: a folder with config.json or params.json, one of these files
 * alone, or a .gguf.  Errors: IO, FORMAT (no JSON object; a key twice; no
 * model_type; truncated), UNSUPPORTED, NOMEM.
 */
locant_status lct_config_read(struct lct_config *out, const char *path);
/* The same from the text of a config.json or params.json. */
locant_status lct_config_parse(struct lct_config *out, const char *text,
                               size_t n, const char *name);
void lct_config_free(struct lct_config *c);

/*
 * A key of 'object', whose value is absent (or null), of the right type, or
 * wrong; *out is written if it is right.
 */
enum lct_found { LCT_ABSENT, LCT_RIGHT, LCT_WRONG };
enum lct_found lct_config_integer(int64_t *out, const json_t *object,
                                  const char *key);
enum lct_found lct_config_real(double *out, const json_t *object,
                               const char *key);
enum lct_found lct_config_bool(bool *out, const json_t *object,
                               const char *key);
enum lct_found lct_config_text(const char **out, const json_t *object,
                               const char *key);
#endif
