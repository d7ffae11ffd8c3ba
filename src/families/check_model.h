/* check_model.h - open a model with all its files, and run the checks on it */
#ifndef LCT_CHECK_MODEL_H
#define LCT_CHECK_MODEL_H
#include "check_report.h"

/* A model as it lies on the disk. */
struct lct_check_model {
    struct lct_config config;
    struct lct_weights *weights; /* NULL if there are none */
    json_t *tokenizer;           /* tokenizer_config.json, or NULL */
    char gguf[4096]; /* the one GGUF file beside config.json, or "" */
    bool wrong_type; /* model_type is no text: nothing else is known */
};

/* Errors: as locant_model_check(). */
locant_status lct_check_model_open(struct lct_check_model *out,
                                   const char *path);
locant_status lct_check_model_parse(struct lct_check_model *out,
                                    const char *text, size_t n,
                                    const char *name);
void lct_check_model_close(struct lct_check_model *m);

/* Report all findings, and what was looked at in checked[512]. */
locant_status lct_check_model_run(struct lct_report *report, char *checked,
                                  const struct lct_check_model *m,
                                  const locant_check_options *options);
#endif
