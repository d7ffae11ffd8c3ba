/* model_input.c - the arguments of locant_model_logits(), checked */
#include "model_input.h"
#include "../core/text.h"
#include "../core/size.h"
#include "model_sight.h"
#include "net_patches.h"
#include <inttypes.h>
#include <stdio.h>

/* "[B, 3]": sizes, "any" where one is -1 */
static const char *sizes_text(char out[160], int rank, const int64_t *shape)
{
    snprintf(out, 160, "[");
    for (int i = 0; i < rank; i++) {
        lct_append(out, 160, "%s", i > 0 ? ", " : "");
        if (shape[i] < 0)
            lct_append(out, 160, "any");
        else
            lct_append(out, 160, "%" PRId64, shape[i]);
    }
    lct_append(out, 160, "]");
    return out;
}

static bool has_shape(const locant_tensor *t, int rank, const int64_t *shape)
{
    size_t bytes;
    bool fits = t->rank == rank;

    for (int i = 0; fits && i < rank; i++)
        fits = shape[i] < 0 ? t->shape[i] >= 0 : t->shape[i] == shape[i];
    return fits &&
           lct_array_bytes(&bytes, t->shape, rank, locant_dtype_size(t->dtype));
}

/* Is it empty, or an array without gaps that has an address? */
static bool is_dense(const locant_tensor *t)
{
    bool dense = t->data != NULL;
    int64_t stride = 1;

    for (int i = t->rank - 1; i >= 0; stride *= t->shape[i], i--) {
        if (t->shape[i] == 0)
            return true;
        dense = dense && (t->shape[i] == 1 || t->stride[i] == stride);
    }
    return dense;
}

locant_status lct_model_input_array(const char *fn, const char *name,
                                    const locant_tensor *t, locant_dtype dtype,
                                    int rank, const int64_t *shape)
{
    char found[160], wanted[160];

    if (t == NULL)
        return locant_fail(LOCANT_ERR_NULL, "%s: %s is NULL", fn, name);
    if (t->dtype != dtype)
        return locant_fail(LOCANT_ERR_DTYPE, "%s: %s has dtype %s, expected %s",
                           fn, name, locant_dtype_name(t->dtype),
                           locant_dtype_name(dtype));
    if (!has_shape(t, rank, shape)) {
        const int found_rank =
            t->rank >= 0 && t->rank <= LOCANT_MAX_RANK ? t->rank : 0;

        return locant_fail(LOCANT_ERR_SHAPE, "%s: %s has shape %s, expected %s",
                           fn, name, sizes_text(found, found_rank, t->shape),
                           sizes_text(wanted, rank, shape));
    }
    return is_dense(t)
               ? LOCANT_OK
               : locant_fail(LOCANT_ERR_LAYOUT,
                             "%s: %s has gaps or no data, expected a dense "
                             "array",
                             fn, name);
}

static locant_status check_ids(const char *fn, const char *name,
                               const struct lct_net *n,
                               const locant_tensor *ids)
{
    const int64_t any[2] = { -1, -1 };
    const int64_t *id;

    LCT_TRY(lct_model_input_array(fn, name, ids, LOCANT_I64, 2, any));
    id = ids->data;
    for (int64_t i = 0; i < ids->shape[0] * ids->shape[1]; i++)
        if (id[i] < 0 || id[i] >= n->vocab)
            return locant_fail(LOCANT_ERR_PARAM,
                               "%s: %s[%" PRId64 ", %" PRId64 "] is %" PRId64
                               ", the vocabulary has %" PRId64 " tokens",
                               fn, name, i / ids->shape[1], i % ids->shape[1],
                               id[i], n->vocab);
    return LOCANT_OK;
}

/* Masks and positions have the shape of ids. */
static locant_status check_beside(const char *fn, const char *name,
                                  const locant_tensor *t, int64_t B, int64_t T)
{
    return lct_model_input_array(fn, name, t, LOCANT_I64, 2,
                                 (int64_t[2]){ B, T });
}

static locant_status check_positions(struct lct_model_input *out,
                                     const char *fn, const struct lct_net *n,
                                     const locant_tensor *t)
{
    const int64_t shape[3] = { n->text.axes, out->B, out->T };

    if (t->rank == 3) {
        LCT_TRY(
            lct_model_input_array(fn, "positions", t, LOCANT_I64, 3, shape));
        out->axis = out->B * out->T;
    } else {
        LCT_TRY(check_beside(fn, "positions", t, out->B, out->T));
    }
    out->positions = t->data;
    return LOCANT_OK;
}

static locant_status check_types(struct lct_model_input *out, const char *fn,
                                 const struct lct_net *n,
                                 const locant_tensor *t)
{
    const int64_t *type = t->data;

    LCT_TRY(check_beside(fn, "types", t, out->B, out->T));
    for (int64_t i = 0; i < out->B * out->T; i++)
        if (type[i] < 0 || type[i] >= n->text.n_types)
            return locant_fail(LOCANT_ERR_PARAM,
                               "%s: types[%" PRId64 ", %" PRId64 "] is %" PRId64
                               ", the model has %" PRId64 " types",
                               fn, i / out->T, i % out->T, type[i],
                               n->text.n_types);
    out->types = type;
    return LOCANT_OK;
}

static locant_status refuse(const char *fn, const struct lct_net *n,
                            const locant_model_input *in)
{
    const bool sees = n->family->sight != NULL;
    const struct {
        const locant_tensor *given;
        const char *name;
    } others[] = { { n->text.types == NULL ? in->types : NULL, "token types" },
                   { lct_model_input_pair(n) ? NULL : in->decoder_ids,
                     "ids of a decoder" },
                   { sees ? NULL : in->pixels, "pixels" },
                   { sees ? NULL : in->grid, "a grid" } };

    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        if (others[i].given != NULL)
            return locant_fail(LOCANT_ERR_PARAM, "%s: %s takes no %s", fn,
                               n->config.model_type, others[i].name);
    return LOCANT_OK;
}

bool lct_model_input_pair(const struct lct_net *n)
{
    return n->encoder.plan != NULL;
}

/* Pixels alone, of a size that the model takes. */
static locant_status check_pixels(struct lct_model_input *out, const char *fn,
                                  const struct lct_net *n,
                                  const locant_model_input *in)
{
    const struct lct_net_patches *p = n->text.patches;
    const int64_t shape[4] = { -1, p->channels,
                               n->s.any_size ? -1 : p->image[0] * p->side[0],
                               n->s.any_size ? -1 : p->image[1] * p->side[1] };

    if (in->ids != NULL || in->mask != NULL || in->positions != NULL ||
        in->types != NULL || in->decoder_ids != NULL || in->grid != NULL)
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: %s takes pixels and nothing else", fn,
                           n->config.model_type);
    if (in->pixels == NULL)
        return locant_fail(LOCANT_ERR_NULL,
                           "%s: %s is a model of images, and there are no "
                           "pixels",
                           fn, n->config.model_type);
    LCT_TRY(
        lct_model_input_array(fn, "pixels", in->pixels, LOCANT_F32, 4, shape));
    *out = (struct lct_model_input){ .B = in->pixels->shape[0],
                                     .pixels = in->pixels->data,
                                     .height = in->pixels->shape[2],
                                     .width = in->pixels->shape[3] };
    if (!lct_net_patches_count(&out->T, n, out->height, out->width))
        return locant_fail(LOCANT_ERR_SHAPE,
                           "%s: an image is %" PRId64 " x %" PRId64
                           " pixels, expected whole patches of %" PRId64
                           " x %" PRId64,
                           fn, out->height, out->width, p->side[0], p->side[1]);
    return LOCANT_OK;
}

/* The tokens so far are those of the encoder; then those of the decoder. */
static locant_status check_decoder(struct lct_model_input *out, const char *fn,
                                   const struct lct_net *n,
                                   const locant_tensor *ids, bool writes)
{
    const struct lct_net_tokens source = lct_model_input_part(out, 0, out->T);

    if (ids == NULL && !writes)
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: %s is an encoder-decoder, and there are no ids "
                           "of its decoder",
                           fn, n->config.model_type);
    *out = (struct lct_model_input){ .B = out->B, .source = source };
    if (ids == NULL)
        return LOCANT_OK;
    LCT_TRY(check_ids(fn, "decoder_ids", n, ids));
    if (ids->shape[0] != out->B)
        return lct_model_input_array(fn, "decoder_ids", ids, LOCANT_I64, 2,
                                     (int64_t[2]){ out->B, -1 });
    out->T = ids->shape[1];
    out->ids = ids->data;
    return LOCANT_OK;
}

locant_status lct_model_input_check(struct lct_model_input *out, const char *fn,
                                    const struct lct_net *n,
                                    const locant_model_input *in, bool writes)
{
    LCT_NOT_NULL(fn, in);
    if (in->struct_size != sizeof(*in))
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: struct_size of the input is %zu, expected %zu",
                           fn, in->struct_size, sizeof(*in));
    if (n->text.patches != NULL)
        return check_pixels(out, fn, n, in);
    LCT_TRY(refuse(fn, n, in));
    if (in->ids == NULL && in->pixels != NULL)
        return locant_fail(LOCANT_ERR_NULL,
                           "%s: %s reads images within texts, and there are no "
                           "ids",
                           fn, n->config.model_type);
    LCT_TRY(check_ids(fn, "ids", n, in->ids));
    *out = (struct lct_model_input){ .B = in->ids->shape[0],
                                     .T = in->ids->shape[1],
                                     .ids = in->ids->data };
    if (in->mask != NULL) {
        LCT_TRY(check_beside(fn, "mask", in->mask, out->B, out->T));
        out->mask = in->mask->data;
    }
    if (in->types != NULL)
        LCT_TRY(check_types(out, fn, n, in->types));
    if (in->positions != NULL)
        LCT_TRY(check_positions(out, fn, n, in->positions));
    if (in->pixels != NULL || in->grid != NULL)
        LCT_TRY(lct_model_sight_check(out, fn, n, in));
    return lct_model_input_pair(n)
               ? check_decoder(out, fn, n, in->decoder_ids, writes)
               : LOCANT_OK;
}

struct lct_net_tokens lct_model_input_part(const struct lct_model_input *in,
                                           int64_t t, int64_t T)
{
    return (struct lct_net_tokens){
        .T = T,
        .ids = in->ids != NULL ? in->ids + t : NULL,
        .mask = in->mask != NULL ? in->mask + t : NULL,
        .positions = in->positions != NULL ? in->positions + t : NULL,
        .types = in->types != NULL ? in->types + t : NULL,
        .seen = in->seen != NULL ? in->seen + t : NULL,
        .pixels = in->pixels,
        .height = in->height,
        .width = in->width,
        .stride = in->T,
        .axis = in->axis
    };
}

/* Row b of an array that may be absent. */
static const int64_t *row_of(const int64_t *x, int64_t b, int64_t stride)
{
    return x != NULL ? x + b * stride : NULL;
}

struct lct_model_input lct_model_input_rows(const struct lct_model_input *in,
                                            const struct lct_net *n, int64_t b,
                                            int64_t B)
{
    struct lct_model_input rows = *in;

    rows.B = B;
    rows.ids = row_of(in->ids, b, in->T);
    rows.mask = row_of(in->mask, b, in->T);
    rows.positions = row_of(in->positions, b, in->T);
    rows.types = row_of(in->types, b, in->T);
    rows.source.ids = row_of(in->source.ids, b, in->source.stride);
    rows.source.mask = row_of(in->source.mask, b, in->source.stride);
    rows.source.positions = row_of(in->source.positions, b, in->source.stride);
    rows.source.types = row_of(in->source.types, b, in->source.stride);
    if (in->pixels != NULL)
        rows.pixels += b * n->text.patches->channels * in->height * in->width;
    return rows;
}
