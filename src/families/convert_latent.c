/* convert_latent.c - see convert_latent.h */
#include "convert_latent.h"
#include "../files/number.h"
#include <string.h>

enum { BLOCK_MAX = 256 };

struct lct_convert_latent
lct_convert_latent_of(const struct lct_layer_plan *layer, int64_t rotated,
                      int64_t rank)
{
    return (struct lct_convert_latent){ .heads = layer->heads,
                                        .nope = layer->qk_dim - rotated,
                                        .values = layer->v_dim,
                                        .rank = rank };
}

struct lct_convert_latent_row
lct_convert_latent_key(const struct lct_convert_latent *l, int64_t row)
{
    const int64_t head = row / l->rank * (l->nope + l->values);

    return (struct lct_convert_latent_row){
        .first = head * l->rank + row % l->rank, .step = l->rank, .n = l->nope
    };
}

struct lct_convert_latent_row
lct_convert_latent_value(const struct lct_convert_latent *l, int64_t row)
{
    const int64_t head = row / l->values * (l->nope + l->values);

    return (struct lct_convert_latent_row){
        .first = (head + l->nope + row % l->values) * l->rank,
        .step = 1,
        .n = l->rank
    };
}

struct lct_convert_latent_row
lct_convert_latent_joined(bool *values, const struct lct_convert_latent *l,
                          int64_t row)
{
    const int64_t head = row / (l->nope + l->values);
    const int64_t within = row % (l->nope + l->values);

    *values = within >= l->nope;
    if (*values)
        return (struct lct_convert_latent_row){
            .first = (head * l->values + within - l->nope) * l->rank,
            .step = 1,
            .n = l->rank
        };
    return (struct lct_convert_latent_row){ .first = head * l->rank * l->nope +
                                                     within,
                                            .step = l->nope,
                                            .n = l->rank };
}

void lct_convert_latent_read(float *out, const struct lct_weight *w,
                             struct lct_convert_latent_row r)
{
    const int64_t each = w->type->elements;
    float block[BLOCK_MAX];

    if (r.step == 1) {
        lct_weight_floats(out, w, r.first, r.n);
        return;
    }
    for (int64_t i = 0; i < r.n; i++) {
        const int64_t at = r.first + i * r.step;

        lct_weight_floats(block, w, at / each * each, each);
        out[i] = block[at % each];
    }
}

void lct_convert_latent_copy(unsigned char *out, const struct lct_weight *w,
                             struct lct_convert_latent_row r)
{
    const size_t each = w->type->bytes;

    for (int64_t i = 0; i < r.n; i++)
        memcpy(out + (size_t)i * each,
               w->data + (size_t)(r.first + i * r.step) * each, each);
}
