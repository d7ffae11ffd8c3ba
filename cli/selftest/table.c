/* table.c - the input door: rows of positions, and the gradient. */
#include <math.h>
#include <string.h>

#include "selftest.h"

struct table {
    struct st_case c;
    int64_t  N;
    int      real;
    locant_tensor pos, out, dout;
    int64_t  zero;
};

/* Row n, channel d. */
static cx entry(const struct table *t, int64_t n, int64_t d)
{
    const double  *real = t->pos.data;
    const int64_t *ids  = t->pos.data;
    struct whole   w    = t->c.w;

    w.B = w.T = 1;
    w.q_pos = t->real ? &t->zero : ids + n;
    w.q_coords = t->real ? real + n * t->c.axes : NULL;
    return t->c.o->entry(&w, t->real ? *w.q_coords : (double)ids[n], d);
}

static struct st_sum table_sum(void *context)
{
    struct table *t = context;
    struct st_sum s = { 0 };

    for (int64_t i = 0; i < t->N * t->c.w.W; i++)
        st_add(&s, st_get(&t->dout, (size_t)i),
               entry(t, i / t->c.w.W, i % t->c.w.W));
    return s;
}

static int make(struct table *t, locant_dtype dtype, int64_t number)
{
    locant_sizes known = { .width = t->c.w.W };
    int64_t      shape[2];

    t->N = shape[0] = st_range(t->c.t, 1, 6);
    shape[1] = t->c.w.W;
    t->real = t->c.traits & LOCANT_TRAIT_REAL ||
              (t->c.o->real && number % 4 == 3);
    if (!st_params(&t->c, dtype, &known))
        return 0;
    t->pos  = t->real ? st_coordinates(&t->c, t->N) : st_positions(&t->c, t->N);
    t->out  = st_tensor(&t->c, dtype, 2, shape);
    t->dout = st_tensor(&t->c, dtype, 2, shape);
    return t->pos.data != NULL && t->out.data != NULL && t->dout.data != NULL;
}

static void forward(struct table *t)
{
    if (!st_took(t->c.t, locant_encoding_table(&t->out, t->c.e, &t->pos,
                                               st_params_in(&t->c))))
        return;
    for (int64_t i = 0; i < t->N * t->c.w.W; i++) {
        double want = creal(entry(t, i / t->c.w.W, i % t->c.w.W));

        st_error(t->c.t, st_get(&t->out, (size_t)i), want, 1 + fabs(want));
    }
}

static void backward(struct table *t)
{
    if (st_took(t->c.t, locant_encoding_table_backward(
                    t->c.grad, &t->dout, t->c.e, &t->pos, t->c.value)))
        st_check_params(&t->c, table_sum, t, 12);
}

/*
 * Values are a chain in double, rounded once; gradients are added row after
 * row, 6 times at most, each rounding in the type of the parameter.
 */
static double bound_of(locant_dtype dtype, int gradient)
{
    double once = dtype == LOCANT_F32 ? 1.01 * ST_HALF_F32 : 0x1p-53;

    return ST_CHAIN + (gradient ? 6 : 1) * once;
}

static void row(struct selftest *s, int gradient, const struct whole_oracle *o,
                int i, locant_dtype dtype)
{
    struct table t;
    struct st_case c;

    st_case_open(&c, s, o, i, 0);
    st_case_close(&c);
    if (!st_open(s, gradient ? "table-back" : "table", o->name, c.spec, dtype,
                 bound_of(dtype, gradient)))
        return;
    for (int64_t n = 0; n < s->cases; n++, s->row.cases++) {
        memset(&t, 0, sizeof t);
        st_case_open(&t.c, s, o, i, 0);
        if (t.c.e != NULL && make(&t, dtype, n))
            (gradient ? backward : forward)(&t);
        st_case_close(&t.c);
    }
    st_close(s);
}

void st_table(struct selftest *s, const struct whole_oracle *o, int i)
{
    struct st_case c;
    int learned;

    st_case_open(&c, s, o, i, 0);
    learned = c.e != NULL && (c.traits & LOCANT_TRAIT_LEARNED);
    st_case_close(&c);
    for (int gradient = 0; gradient <= learned; gradient++) {
        row(s, gradient, o, i, LOCANT_F32);
        row(s, gradient, o, i, LOCANT_F64);
    }
}
