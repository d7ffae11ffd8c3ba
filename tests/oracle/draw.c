/* draw.c - see draw.h */
#include "draw.h"
#include <string.h>

int draw_spec(struct drawn *d, const struct oracle *o, int i, int64_t D,
              int64_t W)
{
    struct oracle_call w = { .D = D, .W = W };

    memset(d, 0, sizeof(*d));
    if (!oracle_choose(&w, &d->low, &d->high, o, i))
        return 0;
    d->o = o;
    d->spec = w.spec;
    d->D = w.D;
    d->W = w.W;
    d->e = test_create(d->spec);
    /* Encodings that differ from layer to layer have no door of their own. */
    d->doors = locant_encoding_layer(NULL, d->e, 0) == d->e
                   ? locant_encoding_doors(d->e)
                   : 0;
    d->traits = locant_encoding_traits(d->e);
    d->axes = locant_encoding_axes(d->e);
    return 1;
}

void draw_any(struct drawn *d, const struct oracle *o, int64_t D, int64_t W)
{
    int specs = 0;

    while (o->specs[specs].text != NULL)
        specs++;
    CHECK(draw_spec(d, o, (int)test_range(0, specs - 1), D, W));
}

void draw_params(struct drawn *d, locant_dtype dtype, const locant_sizes *sizes)
{
    locant_param_info info;

    for (; locant_encoding_param(&info, d->e, d->params, sizes); d->params++) {
        int k = d->params;
        double low = -1, high = 1;

        CHECK(k < ORACLE_PARAMS);
        d->param[k] = test_tensor(dtype, info.rank, info.shape);
        d->grad[k] = test_tensor(dtype, info.rank, info.shape);
        if (d->o->range != NULL)
            d->o->range(&low, &high, d->spec, k);
        for (size_t i = 0; i < oracle_count(&d->param[k]); i++) {
            double x = low + (high - low) * (test_uniform() + 1) / 2;

            if (d->o->integers >> k & 1)
                x = (double)test_range((int64_t)low, (int64_t)high);
            oracle_put(&d->param[k], i, x);
            oracle_put(&d->grad[k], i, 0);
        }
    }
}

const locant_tensor *draw_params_in(const struct drawn *d)
{
    return d->params > 0 ? d->param : NULL;
}

void draw_free(struct drawn *d)
{
    for (int k = 0; k < d->params; k++) {
        test_tensor_free(&d->param[k]);
        test_tensor_free(&d->grad[k]);
    }
    locant_encoding_free(d->e);
    d->params = 0;
}
