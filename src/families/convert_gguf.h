/* convert_gguf.h - the parts of a conversion to GGUF */
#ifndef LCT_CONVERT_GGUF_H
#define LCT_CONVERT_GGUF_H
#include "../files/gguf_write.h"
#include "convert.h"
#include "convert_gguf_names.h"
#include "net_families.h"
#include "plan_waves.h"

/* Numbers of a tensor that no weights have: divisors of frequencies. */
struct lct_convert_gguf_extra {
    const char *name;
    float *numbers; /* [n] */
    size_t n;
};

enum { LCT_CONVERT_GGUF_EXTRAS = 2 };

struct lct_convert_gguf_keys {
    struct lct_gguf_write *out;
    const struct lct_convert *c;
    const struct lct_convert_gguf_family *family;
    const struct lct_net_switches *net; /* of the model */
    struct lct_convert_gguf_extra extras[LCT_CONVERT_GGUF_EXTRAS];
    int n_extras;
    const char *large; /* the last key that 32 bits do not hold; NULL: none */
    int64_t found;     /* its value */
};

/* Rows of a learned table before that of position 0, that of padding last
   (RoBERTa): GGUF files leave them out. */
static inline int64_t lct_convert_gguf_first_row(const struct lct_convert *c)
{
    const struct lct_tower *t = &c->plan.towers[0];

    return t->ids == LCT_IDS_PAD ? t->pad + 1 : 0;
}

/* Put the keys of the model; its extra tensors are to be released.  Errors:
   FORMAT, UNSUPPORTED (positions that no key says), NOMEM. */
locant_status lct_convert_gguf_keys(struct lct_convert_gguf_keys *k,
                                    int64_t vocabulary);
/* The keys of rotation and the extra tensors. */
locant_status lct_convert_gguf_rope(struct lct_convert_gguf_keys *k);

/* Fail with UNSUPPORTED if the activation or the biases are not those of the
   class, which readers of GGUF files take. */
locant_status lct_convert_gguf_class(const struct lct_convert_gguf_keys *k);
/* Keys of latent attention with its experts, of BERT, and of T5. */
locant_status lct_convert_gguf_latent(struct lct_convert_gguf_keys *k);
locant_status lct_convert_gguf_bert(struct lct_convert_gguf_keys *k);
locant_status lct_convert_gguf_t5(struct lct_convert_gguf_keys *k);

/* Write the model as model.gguf. */
locant_status lct_convert_gguf(struct lct_convert *c);
#endif
