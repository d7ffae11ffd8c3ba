/* whole_case.c - see whole_case.h */
#include "whole_case.h"
#include "attend.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

int whole_case_open(struct whole_case *c, const struct whole_oracle *o, int i,
                    int layer)
{
    memset(c, 0, sizeof(*c));
    c->o = o;
    c->low = -100;
    c->high = 100;
    c->w.D = test_range(2, WHOLE_KEYS);
    c->w.W = test_range(1, 24);
    if (!o->choose(c->spec, sizeof(c->spec), i, &c->w.D, &c->w.W, &c->low,
                   &c->high))
        return 0;
    c->e = judge_create(c->spec);
    c->leaf = locant_encoding_layer(&c->first, c->e, layer);
    CHECK(c->leaf != NULL && c->first >= 0);
    c->doors = locant_encoding_doors(c->leaf);
    c->traits = locant_encoding_traits(c->leaf);
    c->axes = locant_encoding_axes(c->leaf);
    c->w.spec = c->spec;
    c->w.layer = layer;
    c->w.axes = c->axes;
    return 1;
}

void whole_case_close(struct whole_case *c)
{
    for (int k = 0; k < c->params; k++) {
        free(c->p[k].x);
        free(c->p[k].before);
        test_tensor_free(&c->value[k]);
        test_tensor_free(&c->grad[k]);
    }
    locant_encoding_free(c->e);
    c->params = 0;
}

static void put(locant_tensor *t, size_t i, double x)
{
    if (t->dtype == LOCANT_F64)
        ((double *)t->data)[i] = x;
    else
        ((float *)t->data)[i] = (float)x;
}

static void draw(struct whole_case *c, int k)
{
    struct whole_param *p = &c->p[k];
    double low = -1, high = 1;

    if (c->o->range != NULL)
        c->o->range(&low, &high, c->spec, k);
    for (size_t i = 0; i < p->size; i++) {
        double x = low + (high - low) * (test_uniform() + 1) / 2;

        if (c->o->integers >> k & 1)
            x = (double)test_range((int64_t)low, (int64_t)high);
        put(&c->value[k], i, x);
        p->x[i] = oracle_get(&c->value[k], i);
        p->before[i] = oracle_get(&c->grad[k], i);
    }
    test_guarded_readonly(c->value[k].data,
                          p->size * locant_dtype_size(c->value[k].dtype));
}

void whole_params_make(struct whole_case *c, const locant_sizes *sizes)
{
    locant_dtype dtype = test_rand() % 2 ? LOCANT_F64 : LOCANT_F32;
    locant_param_info info;

    while (locant_encoding_param(&info, c->e, c->params, sizes)) {
        int k = c->params++;

        CHECK(k < WHOLE_PARAMS);
        c->value[k] = test_tensor(dtype, info.rank, info.shape);
        c->grad[k] = test_tensor(dtype, info.rank, info.shape);
        c->p[k].rate = info.rate;
        c->p[k].size = attend_count(&c->value[k]);
        c->p[k].x = calloc(c->p[k].size + 1, sizeof(cx));
        c->p[k].before = calloc(c->p[k].size + 1, sizeof(double));
        assert_non_null(c->p[k].x);
        assert_non_null(c->p[k].before);
        c->w.param[k] = c->p[k].x;
        draw(c, k);
    }
}

const locant_tensor *whole_params_in(const struct whole_case *c)
{
    return c->params > c->first ? c->value + c->first : NULL;
}

cx *whole_copy(const locant_tensor *t)
{
    size_t n = attend_count(t);
    cx *out = calloc(n + 1, sizeof(*out));

    assert_non_null(out);
    for (size_t i = 0; i < n; i++)
        out[i] = attend_get(t, i);
    return out;
}

void whole_near(const struct whole_case *c, const char *what, size_t at,
                double got, double want, double bound)
{
    const struct whole *w = &c->w;

    if (!(fabs(got - want) <= bound || got == want))
        FAIL("%s: %s %zu: got %.17g, want %.17g, within %.3g [B %d, H %d/%d, "
             "T %d, S %d, D %d, W %d]%s%s layer %d", c->spec, what, at, got,
             want, bound, (int)w->B, (int)w->H, (int)w->G, (int)w->T,
             (int)w->S, (int)w->D, (int)w->W, w->causal ? " causal" : "",
             w->q_coords != NULL ? " coordinates" : "", w->layer);
}

double whole_slope(cx *x, cx (*fn)(void *context), void *context)
{
    cx keep = *x;
    double slope;

    *x = keep + WHOLE_STEP * I;
    slope = cimag(fn(context)) / WHOLE_STEP;
    *x = keep;
    return slope;
}

void whole_params_check(const struct whole_case *c, cx (*fn)(void *context),
                        void *context, double rtol, int additions)
{
    for (int k = 0; k < c->params; k++) {
        const struct whole_param *p = &c->p[k];
        double *want = calloc(p->size + 1, sizeof(*want)), largest = 1;
        double unit = c->grad[k].dtype == LOCANT_F32 ? 0x1p-23 : 0x1p-52;

        unit *= additions;
        assert_non_null(want);
        for (size_t i = 0; p->rate != 0 && i < p->size; i++) {
            want[i] = whole_slope(&p->x[i], fn, context);
            largest = fmax(largest, fabs(want[i]));
        }
        for (size_t i = 0; p->rate != 0 && i < p->size; i++)
            whole_near(c, "gradient of a parameter", i,
                       oracle_get(&c->grad[k], i), want[i] + p->before[i],
                       rtol * largest + unit * (largest +
                                                fabs(p->before[i])));
        free(want);
    }
}
