/* net_families.h - what the blocks of each family are made of */
#ifndef LCT_NET_FAMILIES_H
#define LCT_NET_FAMILIES_H
#include "net.h"
#include "net_names.h"

/* Linear maps: those that must have a bias, and those whose bias a key of the
   configuration denies, so that one in the file is left out, as transformers
   does; others have one if the file does. */
enum {
    LCT_BIAS_Q = 1,
    LCT_BIAS_K = 2,
    LCT_BIAS_V = 4,
    LCT_BIAS_QKV = 7,
    LCT_BIAS_O = 8,
    LCT_BIAS_MLP = 16,
    LCT_BIAS_LAYER = 31,    /* all of these */
    LCT_BIAS_HEAD = 32,     /* of the head, and of the layer before it */
    LCT_BIAS_LOGITS = 64,   /* a vector of its own that logits have */
    LCT_BIAS_EXPERTS = 128, /* their router, too */
    LCT_BIAS_PATCHES = 256
};

/* Change the switches by the configuration. */
typedef locant_status lct_net_family_read(struct lct_net_switches *s,
                                          const struct lct_config *c);

struct lct_net_family {
    const char *model_type;
    const struct lct_net_names *names[3];   /* of each variant */
    const struct lct_net_names *encoder[3]; /* NULL: it has none */
    const char *sight;             /* the row of its tower for images; NULL */
    const char *eps_key, *act_key; /* NULL: the default */
    struct {
        const char *key; /* NULL: no more */
        int maps;        /* whether these have a bias */
    } bias_keys[5];
    struct lct_net_switches switches;
    lct_net_family_read *read; /* or NULL */
};

/* Names in GGUF files, and in those beside a params.json. */
extern const struct lct_net_names lct_net_families_gguf,
    lct_net_families_params;

/* The row of a model_type, or NULL. */
const struct lct_net_family *lct_net_families_find(const char *model_type);

/* The switches of a model.  Errors: FORMAT (a key is wrong). */
locant_status lct_net_families_switches(struct lct_net_switches *out,
                                        const struct lct_net_family *f,
                                        const struct lct_config *c);

/* The activation of that name of transformers.  Errors: FORMAT (unknown). */
locant_status lct_net_families_act(enum lct_net_act *out, const char *name,
                                   const struct lct_config *c);
#endif
