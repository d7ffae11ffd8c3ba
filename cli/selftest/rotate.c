/* rotate.c - the rotate door: turned, turned back, and the gradient. */
#include <math.h>
#include <string.h>

#include "selftest.h"

struct turn {
    struct st_case c;
    locant_dtype dtype;
    int key;
    int64_t wide;                       /* channels that come out */
    locant_tensor pos, x, out, dout, dx; /* x [H,T,D], out [H,T,wide] */
    cx *in;                             /* x, to be moved */
    double largest;                     /* |x|, |turned x| of any channel */
};

/* Element 'at' of the dense output. */
static cx turned(const struct turn *t, int64_t at)
{
    const struct whole *w = &t->c.w;
    int64_t h = at / (t->wide * w->T), i = at / t->wide % w->T;

    return t->c.o->turned(w, t->key, 0, h, i, t->in + (h * w->T + i) * w->D,
                          at % t->wide);
}

static struct st_sum turn_sum(void *context)
{
    struct turn  *t = context;
    struct st_sum s = { 0 };

    for (int64_t at = 0; at < (int64_t)cli_elements(&t->out); at++)
        st_add(&s, st_get(&t->dout, (size_t)at), turned(t, at));
    return s;
}

static int positions(struct turn *t, int64_t number)
{
    struct whole *w = &t->c.w;
    int real = t->c.o->real && !(t->c.traits & LOCANT_TRAIT_LENGTH) &&
               number % 4 == 3;

    t->pos = real ? st_coordinates(&t->c, w->T) : st_positions(&t->c, w->T);
    w->q_pos = w->k_pos = t->pos.data;
    if (real)
        w->q_coords = w->k_coords = t->pos.data;
    return t->pos.data != NULL;
}

static int make(struct turn *t, int64_t number)
{
    struct whole *w = &t->c.w;
    locant_sizes  known;
    int64_t       shape[3];

    t->key = (int)st_range(t->c.t, 0, 1);
    w->B = 1;
    w->H = w->G = st_range(t->c.t, 1, 3);
    w->T = w->S = st_range(t->c.t, 1, 5);
    w->W = w->H * w->D;
    known = (locant_sizes){ w->W, w->H, w->G, w->D };
    if (!st_params(&t->c, t->dtype == LOCANT_F64 ? LOCANT_F64 : LOCANT_F32,
                   &known) || !positions(t, number))
        return 0;
    t->wide  = t->c.o->turned_width != NULL ? t->c.o->turned_width(w) : w->D;
    shape[0] = w->H;
    shape[1] = w->T;
    shape[2] = w->D;
    t->x    = st_tensor(&t->c, t->dtype, 3, shape);
    t->dx   = st_tensor(&t->c, t->dtype, 3, shape);
    t->in   = st_copy(&t->c, &t->x);
    shape[2] = t->wide;
    t->out  = st_tensor(&t->c, t->dtype, 3, shape);
    t->dout = st_tensor(&t->c, t->dtype, 3, shape);
    if (t->x.data == NULL || t->dx.data == NULL || t->in == NULL ||
        t->out.data == NULL || t->dout.data == NULL)
        return 0;
    t->largest = 0.1;
    for (size_t at = 0; at < cli_elements(&t->x); at++)
        t->largest = fmax(t->largest, fabs(creal(t->in[at])));
    for (size_t at = 0; at < cli_elements(&t->out); at++)
        t->largest = fmax(t->largest, fabs(creal(turned(t, (int64_t)at))));
    return 1;
}

static int rotate(struct turn *t, locant_tensor *out, const locant_tensor *x,
                  int inverse)
{
    int flags = (t->key ? LOCANT_ROTATE_KEY : 0) |
                (inverse ? LOCANT_ROTATE_INVERSE : 0);

    return st_took(t->c.t, locant_encoding_rotate(out, x, t->c.e, &t->pos,
                                                  st_params_in(&t->c), flags));
}

static void forward(struct turn *t)
{
    if (!rotate(t, &t->out, &t->x, 0))
        return;
    for (size_t at = 0; at < cli_elements(&t->out); at++)
        st_error(t->c.t, st_get(&t->out, at), creal(turned(t, (int64_t)at)),
                 t->largest);
}

/* The way there and back: x again. */
static void inverse(struct turn *t)
{
    if (!rotate(t, &t->out, &t->x, 0) || !rotate(t, &t->dx, &t->out, 1))
        return;
    for (size_t at = 0; at < cli_elements(&t->dx); at++)
        st_error(t->c.t, st_get(&t->dx, at), creal(t->in[at]), t->largest);
}

static void backward(struct turn *t)
{
    int flags = t->key ? LOCANT_ROTATE_KEY : 0;

    if (!st_took(t->c.t, locant_encoding_rotate_backward(
                     &t->dx, t->c.params > 0 ? t->c.grad : NULL, &t->dout,
                     &t->x, t->c.e, &t->pos, st_params_in(&t->c), flags)))
        return;
    for (size_t at = 0; at < cli_elements(&t->dx); at++) {
        double gross, want = st_slope(&gross, &t->in[at], turn_sum, t);

        st_error(t->c.t, st_get(&t->dx, at), want,
                 gross + fabs(want) + 0x1p-10);
    }
    st_check_params(&t->c, turn_sum, t, 6);
}

/* ------------------------------------------------------------------- bounds */

static double storage(locant_dtype dtype)
{
    switch (dtype) {
    case LOCANT_F32:
        return ST_HALF_F32;
    case LOCANT_F16: /* of units above 2^-10; subnormals round to 2^-25 */
        return ST_HALF_F16 + 0x1p-15;
    case LOCANT_BF16:
        return ST_HALF_BF16;
    default:
        return 0;
    }
}

/*
 * With a table of float32 its entries are within 0.51 units of 2^-24 of the
 * magnitude that multiplies them (F64 tensors too); two products and a sum
 * round once more each in float32: 2.56 2^-24 (|a| + |b|), |a|, |b| at most
 * 'largest'.  Storage rounds once.  Without that table: a chain in double.
 */
static double bound_of(const struct whole_oracle *o, locant_dtype dtype)
{
    double table = dtype == LOCANT_F64 ? 0.56 : 2.56;

    return 1.01 * storage(dtype) + 4 * ST_CHAIN +
           (o->float_table ? table * 0x1p-24 * 2 : 0);
}

/* ------------------------------------------------------------ one operation */

typedef void (*action)(struct turn *t);

static void row(struct selftest *s, const char *op, action fn,
                const struct whole_oracle *o, int i, locant_dtype dtype)
{
    struct st_case c;
    struct turn    t;
    double bound = bound_of(o, dtype);
    int    most  = fn == forward ? 1 : fn == inverse ? 4 : 2;

    st_case_open(&c, s, o, i, 0);
    st_case_close(&c);
    /* There and back: each way once, and the magnitudes in between. */
    if (!st_open(s, op, o->name, c.spec, dtype, most * bound))
        return;
    for (int64_t n = 0; n < s->cases; n++, s->row.cases++) {
        memset(&t, 0, sizeof t);
        st_case_open(&t.c, s, o, i, 0);
        t.dtype = dtype;
        if (t.c.e != NULL && make(&t, n))
            fn(&t);
        st_case_close(&t.c);
    }
    st_close(s);
}

void st_rotate(struct selftest *s, const struct whole_oracle *o, int i)
{
    static const locant_dtype dtypes[] = { LOCANT_F32, LOCANT_F64, LOCANT_F16,
                                           LOCANT_BF16 };
    struct st_case c;
    int isometric, plain;

    st_case_open(&c, s, o, i, 0);
    isometric = (c.traits & LOCANT_TRAIT_ISOMETRIC) != 0;
    plain     = c.e != NULL && !(c.traits & LOCANT_TRAIT_LEARNED);
    st_case_close(&c);
    for (int d = 0; d < 4; d++) {
        row(s, "rotate", forward, o, i, dtypes[d]);
        if (isometric)
            row(s, "rotate-inverse", inverse, o, i, dtypes[d]);
        if (plain || d < 2)
            row(s, "rotate-back", backward, o, i, dtypes[d]);
    }
}
