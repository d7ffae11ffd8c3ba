/* model_input.c - the arguments of locant_model_logits(), checked */
#include "model_input.h"
#include "../core/tensor.h"
#include <inttypes.h>

static locant_status check_ids(const char *fn, const struct lct_net *n,
                               const locant_tensor *ids)
{
    const int64_t *id = ids->data;

    for (size_t i = 0; i < lct_elements(ids); i++)
        if (id[i] < 0 || id[i] >= n->vocab)
            return locant_fail(LOCANT_ERR_PARAM,
                               "%s: ids[%" PRId64 ", %" PRId64 "] is %" PRId64
                               ", the vocabulary has %" PRId64 " tokens",
                               fn, (int64_t)i / ids->shape[1],
                               (int64_t)i % ids->shape[1], id[i], n->vocab);
    return LOCANT_OK;
}

/* Masks and positions have the shape of ids. */
static locant_status check_beside(const char *fn, const char *name,
                                  const locant_tensor *t, int64_t B, int64_t T)
{
    LCT_TRY(lct_check(fn, name, t, LCT_IN_I64, 2, (int64_t[2]){ B, T }));
    return lct_check_dense(fn, name, t);
}

static locant_status check_positions(struct lct_model_input *out,
                                     const char *fn, const struct lct_net *n,
                                     const locant_tensor *t)
{
    const int64_t shape[3] = { n->text.axes, out->B, out->T };

    if (t->rank == 3) {
        LCT_TRY(lct_check(fn, "positions", t, LCT_IN_I64, 3, shape));
        LCT_TRY(lct_check_dense(fn, "positions", t));
        out->axis = out->B * out->T;
    } else {
        LCT_TRY(check_beside(fn, "positions", t, out->B, out->T));
    }
    out->positions = t->data;
    return LOCANT_OK;
}

static locant_status refuse(const char *fn, const struct lct_net *n,
                            const locant_model_input *in)
{
    const struct {
        const locant_tensor *given;
        const char *name;
    } others[] = { { in->types, "token types" },
                   { in->decoder_ids, "ids of a decoder" },
                   { in->pixels, "pixels" },
                   { in->grid, "a grid" } };

    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        if (others[i].given != NULL)
            return locant_fail(LOCANT_ERR_PARAM, "%s: %s takes no %s", fn,
                               n->config.model_type, others[i].name);
    return LOCANT_OK;
}

locant_status lct_model_input_check(struct lct_model_input *out, const char *fn,
                                    const struct lct_net *n,
                                    const locant_model_input *in)
{
    const int64_t any[2] = { -1, -1 };

    LCT_NOT_NULL(fn, in);
    if (in->struct_size != sizeof(*in))
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: struct_size of the input is %zu, expected %zu",
                           fn, in->struct_size, sizeof(*in));
    LCT_TRY(lct_check(fn, "ids", in->ids, LCT_IN_I64, 2, any));
    LCT_TRY(lct_check_dense(fn, "ids", in->ids));
    LCT_TRY(check_ids(fn, n, in->ids));
    LCT_TRY(refuse(fn, n, in));
    *out = (struct lct_model_input){ .B = in->ids->shape[0],
                                     .T = in->ids->shape[1],
                                     .ids = in->ids->data };
    if (in->mask != NULL) {
        LCT_TRY(check_beside(fn, "mask", in->mask, out->B, out->T));
        out->mask = in->mask->data;
    }
    return in->positions != NULL ? check_positions(out, fn, n, in->positions)
                                 : LOCANT_OK;
}

struct lct_net_tokens lct_model_input_part(const struct lct_model_input *in,
                                           int64_t t, int64_t T)
{
    return (struct lct_net_tokens){
        .T = T,
        .ids = in->ids + t,
        .mask = in->mask != NULL ? in->mask + t : NULL,
        .positions = in->positions != NULL ? in->positions + t : NULL,
        .stride = in->T,
        .axis = in->axis
    };
}
