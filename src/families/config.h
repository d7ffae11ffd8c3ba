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

/* Which channels of a head rotate together; no configuration says it. */
enum lct_recorded_pairing {
    LCT_PAIRING_UNSAID,
    LCT_PAIRING_HALF,
    LCT_PAIRING_INTERLEAVED
};

/*
 * A configuration as a JSON object.  That of GGUF has the keys of the file as
 * they are ("llama.rope.freq_base"); arrays of more than 65536 values
 * (vocabularies) are left out, numbers that JSON does not know (NaN) are null.
 */
struct lct_config {
    enum lct_dialect dialect;
    json_t *root;
    const json_t *text; /* text_config and its like within 'root', or it */
    /* Of 'text', or else of 'root'; general.architecture of GGUF; "llama" of
       Meta's files, "mistral" or "mixtral" of Mistral's. */
    const char *model_type;
    enum lct_recorded_pairing
        pairing;    /* that the metadata of its weights records */
    char file[256]; /* for messages */
};

/* Is it a params.json, of either dialect? */
static inline bool lct_config_is_params(const struct lct_config *c)
{
    return c->dialect == LCT_DIALECT_META || c->dialect == LCT_DIALECT_MISTRAL;
}

/*
 * Read MODEL: a folder with config.json, params.json or model.gguf (the first
 * that is there), one of these files alone, or a .gguf.  Errors: IO, FORMAT (no
 * JSON object; a key twice; no model_type; truncated; a pairing that is no word
 * for one), UNSUPPORTED, NOMEM.  *out may be freed after a failure.
 */
locant_status lct_config_read(struct lct_config *out, const char *path);
struct lct_weights;
/*
 * The same, with the weights that were opened for their metadata, to be closed;
 * *weights is NULL if 'path' is a configuration alone, or a folder without all
 * of its files or with files of other formats: lct_weights_open() says why.
 * Errors: FORMAT, too, of weights that are damaged.
 */
locant_status lct_config_read_both(struct lct_config *out,
                                   struct lct_weights **weights,
                                   const char *path);
/* The same from the text of a config.json or params.json, or the bytes of a
   GGUF file. */
locant_status lct_config_parse(struct lct_config *out, const char *text,
                               size_t n, const char *name);
void lct_config_free(struct lct_config *c);

/*
 * A key of 'object', whose value is absent (or null), of the right type, or
 * wrong; *out is written if it is right.  A real may be written as an integer;
 * a text has no zero byte.
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

/* A value as a message shows it: "the text 'yarn'", "-4", "an array of 3". */
enum { LCT_CONFIG_SHOWN = 112 };
const char *lct_config_show(char out[LCT_CONFIG_SHOWN], const json_t *value);
#endif
