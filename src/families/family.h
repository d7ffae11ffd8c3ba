/*
 * family.h - the families of models that locant knows, a table of data
 *
 * A family is one model_type of transformers with the defaults of its class,
 * its rule for layers, and the names and shapes of its tensors.  families.def
 * lists them in alphabetical order; families/NAME.c is not needed for those
 * that rows of the table describe.
 */
#ifndef LCT_FAMILY_H
#define LCT_FAMILY_H
#include "config.h"

struct lct_position_plan;

struct lct_family {
    const char *model_type; /* of config.json: "llama" */
    const char *title;      /* "LLaMA 1 to 3" */
    const char *gguf;       /* general.architecture, or NULL */
    bool interleaved;       /* usual pairing of its Hugging Face files */
    /* Fill the towers of 'p' from a config of either dialect of
       transformers. */
    locant_status (*plan)(struct lct_position_plan *p,
                          const struct lct_config *c);
};

/* Family i; NULL past the end. */
const struct lct_family *lct_family_at(size_t i);
/* The family of a model_type; NULL if it is unknown. */
const struct lct_family *lct_family_find(const char *model_type);
#endif
