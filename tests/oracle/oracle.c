/* oracle.c - the list of oracles, and parameters for them. */
#include "oracle.h"
#include <stdlib.h>
#include <string.h>

extern const struct oracle oracle_alibi, oracle_kerple, oracle_learned,
    oracle_none, oracle_rope, oracle_sinusoidal, oracle_t5;

const struct oracle *const test_oracles[] = {
    &oracle_alibi, &oracle_kerple, &oracle_learned,    &oracle_none,
    &oracle_rope,  &oracle_sinusoidal, &oracle_t5, NULL
};

const struct oracle *oracle_of(const char *name)
{
    for (int i = 0; test_oracles[i] != NULL; i++)
        if (strcmp(test_oracles[i]->name, name) == 0)
            return test_oracles[i];
    return NULL;
}

void oracle_positions(int64_t *low, int64_t *high, const struct oracle *o,
                      const struct oracle_choice *c)
{
    *low = o->traits & LOCANT_TRAIT_LIMIT ? 0 : INT32_MIN;
    *high = o->traits & LOCANT_TRAIT_LIMIT ? c->length - 1 : INT32_MAX;
}

double oracle_get(const locant_tensor *t, size_t i)
{
    return t->dtype == LOCANT_F64 ? ((const double *)t->data)[i]
                                  : (double)((const float *)t->data)[i];
}

/* Shape of parameter k: rows of heads or of D, or one entry for each head. */
static int shape_of(int64_t shape[2], int64_t entries, int64_t heads,
                    int64_t D, unsigned doors)
{
    int64_t width = doors & LOCANT_DOOR_INPUT ? D : heads;

    shape[0] = entries / width;
    shape[1] = width;
    if (entries == width && !(doors & LOCANT_DOOR_INPUT))
        shape[0] = width;
    return entries == width && !(doors & LOCANT_DOOR_INPUT) ? 1 : 2;
}

void oracle_params_make(struct oracle_params *p, const struct oracle *o,
                        const struct oracle_choice *c, locant_dtype dtype,
                        int64_t heads, int64_t D)
{
    memset(p, 0, sizeof(*p));
    p->n = o->params;
    for (int k = 0; k < p->n; k++) {
        int64_t entries = o->param_size(c, k, heads, D), shape[2];
        int rank = shape_of(shape, entries, heads, D, o->doors);
        double low, high;

        o->param_range(&low, &high, c, k);
        p->size[k] = (size_t)entries;
        p->value[k] = test_tensor(dtype, rank, shape);
        p->grad[k] = test_tensor(dtype, rank, shape);
        p->x[k] = calloc(p->size[k] + 1, sizeof(double));
        p->dx[k] = calloc(p->size[k] + 1, sizeof(double));
        assert_non_null(p->x[k]);
        assert_non_null(p->dx[k]);
        memset(p->grad[k].data, 0, p->size[k] * locant_dtype_size(dtype));
        for (size_t i = 0; i < p->size[k]; i++) {
            double u = (test_uniform() + 1) / 2;
            double x = low + (high - low) * u;

            if (dtype == LOCANT_F64)
                ((double *)p->value[k].data)[i] = x;
            else
                ((float *)p->value[k].data)[i] = (float)x;
            p->x[k][i] = oracle_get(&p->value[k], i);
        }
    }
}

void oracle_params_free(struct oracle_params *p)
{
    for (int k = 0; k < p->n; k++) {
        test_tensor_free(&p->value[k]);
        test_tensor_free(&p->grad[k]);
        free(p->x[k]);
        free(p->dx[k]);
    }
    p->n = 0;
}

const locant_tensor *oracle_params_in(const struct oracle_params *p)
{
    return p->n > 0 ? p->value : NULL;
}
