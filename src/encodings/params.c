/* params.c - the tensors of parameters: check, widen, add gradients */
#include "../kernel/row.h"
#include "params.h"
#include "../core/size.h"
#include <math.h>

static const char *const door_lacks[] = {
    [LOCANT_DOOR_INPUT] = "adds nothing to embeddings; it has no input door",
    [LOCANT_DOOR_ROTATE] = "does not rotate queries and keys; it has no "
                           "rotate door",
    [LOCANT_DOOR_SCORE] = "adds nothing to scores; it has no score door",
    [LOCANT_DOOR_CONTENT] = "reads no content; it has no content door",
};

static locant_status refuse_door(const char *fn, const locant_encoding *e,
                                 unsigned door)
{
    return locant_fail(LOCANT_ERR_UNSUPPORTED, "%s: %s %s", fn, lct_name(e),
                       door_lacks[door]);
}

locant_status lct_part_open(const struct lct_part **part, const char *fn,
                            const locant_encoding *e, unsigned door)
{
    *part = NULL;
    if (e == NULL)
        return locant_fail(LOCANT_ERR_NULL, "%s: e is NULL", fn);
    if (e->row->layers != NULL)
        return locant_fail(LOCANT_ERR_UNSUPPORTED,
                           "%s: %s differs from layer to layer, expected the "
                           "encoding of one layer (locant_encoding_layer)",
                           fn, e->row->info.name);
    *part = lct_part_of(e, door);
    return *part == NULL && e->doors != 0 ? refuse_door(fn, e, door)
                                          : LOCANT_OK;
}

locant_status lct_part_require(const struct lct_part **part, const char *fn,
                               const locant_encoding *e, unsigned door)
{
    LCT_TRY(lct_part_open(part, fn, e, door));
    return *part == NULL ? refuse_door(fn, e, door) : LOCANT_OK;
}

locant_status lct_params_check(size_t *total, const char *fn,
                               const locant_encoding *leaf,
                               const locant_tensor *params,
                               const locant_sizes *sizes)
{
    locant_param_info info;

    *total = 0;
    for (int i = 0; locant_encoding_param(&info, leaf, i, sizes); i++) {
        int64_t want[LOCANT_MAX_RANK];

        if (params == NULL)
            return locant_fail(
                LOCANT_ERR_NULL,
                "%s: %s has a learned parameter '%s' %s, none was given", fn,
                leaf->row->info.name, info.name, info.dims);
        for (int k = 0; k < info.rank; k++)
            want[k] = info.shape[k] > 0 ? info.shape[k] : -1;
        LCT_TRY(
            lct_check(fn, info.name, &params[i], LCT_IN_REAL, info.rank, want));
        LCT_TRY(lct_check_dense(fn, info.name, &params[i]));
        *total += lct_elements(&params[i]);
    }
    return LOCANT_OK;
}

locant_status lct_params_check_reals(const char *fn, const char *name,
                                     const locant_tensor *coords)
{
    const double *x = coords->data;

    for (size_t i = 0; i < lct_elements(coords); i++)
        if (!(fabs(x[i]) < 0x1p63))
            return locant_fail(LOCANT_ERR_PARAM,
                               "%s: coordinate %zu of %s is %g, expected a "
                               "finite number below 2^63",
                               fn, i, name, x[i]);
    return LOCANT_OK;
}

void lct_params_load(struct lct_call *c, double *memory,
                     const locant_encoding *leaf, const locant_tensor *params,
                     const locant_sizes *sizes)
{
    *c = (struct lct_call){ .e = leaf,
                            .heads = sizes->heads,
                            .kv_heads = sizes->kv_heads,
                            .head_dim = sizes->head_dim,
                            .width = sizes->width,
                            .scale = 1 };
    for (int i = 0; i < lct_param_count(leaf); i++) {
        lct_row_to_f64(memory, params[i].data, params[i].dtype,
                       lct_elements(&params[i]));
        c->param[i] = memory;
        memory += lct_elements(&params[i]);
    }
}

void lct_params_add(locant_tensor *dparams, const double *gradient,
                    const locant_encoding *leaf, const locant_tensor *params)
{
    for (int i = 0; i < lct_param_count(leaf); i++)
        for (size_t n = 0; n < lct_elements(&params[i]); n++)
            lct_add_to(&dparams[i], (int64_t)n, *gradient++);
}

locant_status lct_params_check_gradients(const char *fn,
                                         const locant_tensor *dparams,
                                         const locant_encoding *leaf,
                                         const locant_tensor *params)
{
    for (int i = 0; i < lct_param_count(leaf); i++) {
        LCT_TRY(lct_check(fn, "dparams", &dparams[i], LCT_IN_REAL,
                          params[i].rank, params[i].shape));
        LCT_TRY(lct_check_dense(fn, "dparams", &dparams[i]));
        for (int k = 0; k < lct_param_count(leaf); k++)
            LCT_TRY(lct_check_apart(fn, &dparams[i], &params[k]));
        for (int k = 0; k < i; k++)
            LCT_TRY(lct_check_apart(fn, &dparams[i], &dparams[k]));
    }
    return LOCANT_OK;
}
