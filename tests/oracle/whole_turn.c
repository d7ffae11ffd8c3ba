/* whole_turn.c - the rotate door of the public API against whole oracles. */
#include "whole_doors.h"
#include "judge.h"
#include "attend.h"
#include <math.h>
#include <stdlib.h>

struct turn {
    struct whole_case c;
    locant_dtype dtype;
    int key, real;
    int64_t wide;                   /* channels that come out */
    locant_tensor pos, x, out, dout; /* [H,T,D], out [H,T,wide] */
    cx *in;                         /* x, to be moved */
    double largest;                 /* |x|, |turned x| of any pair */
};

static const locant_dtype dtypes[] = { LOCANT_F32, LOCANT_F64, LOCANT_F16,
                                       LOCANT_BF16 };

/* Element 'at' of the dense output. */
static cx turned(const struct turn *t, int64_t at)
{
    const struct whole *w = &t->c.w;
    int64_t h = at / (t->wide * w->T), i = at / t->wide % w->T;

    return t->c.o->turned(w, t->key, 0, h, i, t->in + (h * w->T + i) * w->D,
                          at % t->wide);
}

static cx turn_sum(void *context)
{
    struct turn *t = context;
    cx sum = 0;

    for (int64_t at = 0; at < t->c.w.H * t->c.w.T * t->wide; at++)
        sum += attend_get(&t->dout, (size_t)at) * turned(t, at);
    return sum;
}

/* Both sides hold the same positions: the judge asks about either. */
static void place(struct turn *t)
{
    struct whole *w = &t->c.w;

    t->pos = t->real ? whole_reals(&t->c, w->T) : whole_ints(&t->c, w->T);
    w->q_pos = w->k_pos = t->pos.data;
    if (t->real)
        w->q_coords = w->k_coords = t->pos.data;
}

static void make(struct turn *t, int round)
{
    struct whole *w = &t->c.w;
    locant_sizes known;
    int64_t shape[3];

    t->key = (int)test_range(0, 1);
    t->real = t->c.o->real && !(t->c.traits & LOCANT_TRAIT_LENGTH) &&
              round % 4 == 3;
    t->dtype = dtypes[test_range(0, 3)];
    w->B = 1;
    w->H = w->G = test_range(1, 3);
    w->T = w->S = test_range(0, 4);
    w->W = w->H * w->D;
    known = (locant_sizes){ w->W, w->H, w->G, w->D };
    whole_params_make(&t->c, &known);
    place(t);
    t->wide = t->c.o->turned_width != NULL ? t->c.o->turned_width(w) : w->D;
    shape[0] = w->H;
    shape[1] = w->T;
    shape[2] = w->D;
    t->x = test_tensor(t->dtype, 3, shape);
    judge_fill(&t->x, attend_count(&t->x));
    t->in = whole_copy(&t->x);
    test_guarded_readonly(t->x.data, attend_count(&t->x) *
                                         locant_dtype_size(t->dtype));
    shape[2] = t->wide;
    t->out = test_tensor(t->dtype, 3, shape);
    t->dout = test_tensor(t->dtype, 3, shape);
    judge_fill(&t->dout, attend_count(&t->dout));
    t->largest = 0;
    for (int64_t at = 0; at < w->H * w->T * w->D; at++)
        t->largest = fmax(t->largest, fabs(creal(t->in[at])));
    for (int64_t at = 0; at < w->H * w->T * t->wide; at++)
        t->largest = fmax(t->largest, fabs(creal(turned(t, at))));
}

static void drop(struct turn *t)
{
    test_tensor_free(&t->pos);
    test_tensor_free(&t->x);
    test_tensor_free(&t->out);
    test_tensor_free(&t->dout);
    free(t->in);
    whole_case_close(&t->c);
}

/*
 * With a table of float32: its entries are within 0.55 units, 2^-24 of 1 or of
 * the magnitude that multiplies them; two products and a sum round to 2^-24
 * each in float32 (not in double): 2.55 (|a| + |b|) 2^-24 at most.  Storage
 * rounds once more.
 */
static double bound(const struct turn *t, const locant_tensor *out,
                    double want)
{
    double table = t->dtype == LOCANT_F64 ? 0.56 : 2.56;

    return whole_rounding(out, want, t->largest) +
           (t->c.o->float_table ? table * 0x1p-24 * 2 * t->largest : 0);
}

static void check_out(const struct turn *t)
{
    for (size_t at = 0; at < attend_count(&t->out); at++) {
        double want = creal(turned(t, (int64_t)at));

        whole_near(&t->c, t->key ? "turned key" : "turned query", at,
                   attend_get(&t->out, at), want, bound(t, &t->out, want));
    }
}

/*
 * Where there is an inverse it brings x back; an isometric encoding has one
 * and keeps the length.  Errors of the way there come back with it.
 */
static void check_inverse(const struct turn *t)
{
    locant_tensor back = test_tensor(t->dtype, 3, t->x.shape);
    int flags = LOCANT_ROTATE_INVERSE | (t->key ? LOCANT_ROTATE_KEY : 0);
    locant_status got = LOCANT_ERR_UNSUPPORTED;

    if (t->wide == t->c.w.D)
        got = locant_encoding_rotate(&back, &t->out, t->c.e, &t->pos,
                                     whole_params_in(&t->c), flags);
    if (got != LOCANT_ERR_UNSUPPORTED ||
        t->c.traits & LOCANT_TRAIT_ISOMETRIC)
        CHECK_OK(got);
    for (size_t at = 0; got == LOCANT_OK && at < attend_count(&back); at++) {
        double want = creal(t->in[at]);
        double once = bound(t, &back, t->largest);

        whole_near(&t->c, "turned back", at, attend_get(&back, at), want,
                   8 * once);
    }
    test_tensor_free(&back);
}

static void check_backward(struct turn *t)
{
    locant_tensor dx = test_tensor(t->dtype, 3, t->x.shape);
    int plain = t->c.o->float_table && t->c.params == 0;
    int flags = t->key ? LOCANT_ROTATE_KEY : 0;
    double reach = t->largest * (double)t->wide;

    CHECK_OK(locant_encoding_rotate_backward(
        &dx, t->c.params > 0 ? t->c.grad : NULL, &t->dout,
        plain && test_rand() % 2 ? NULL : &t->x, t->c.e, &t->pos,
        whole_params_in(&t->c), flags));
    for (size_t at = 0; at < attend_count(&dx); at++) {
        double want = whole_slope(&t->in[at], turn_sum, t);
        double error = whole_rounding(&dx, want, reach);

        if (t->c.o->float_table)
            error += 2.56 * 0x1p-24 * 4 * (1 + reach);
        whole_near(&t->c, "dx of a turn", at, attend_get(&dx, at), want,
                   error);
    }
    whole_params_check(&t->c, turn_sum, t, 1e-11, 1);
    test_tensor_free(&dx);
}

/* Turned and then moved is turned where it was moved to. */
static void check_rerotate(const struct turn *t)
{
    locant_tensor there = whole_ints(&t->c, t->c.w.T);
    locant_tensor moved = test_tensor(t->dtype, 3, t->out.shape);
    locant_tensor want = test_tensor(t->dtype, 3, t->out.shape);

    CHECK_OK(locant_encoding_rerotate(&moved, &t->out, t->c.e, &t->pos,
                                      t->c.e, &there));
    CHECK_OK(locant_encoding_rotate(&want, &t->x, t->c.e, &there, NULL, 0));
    for (size_t at = 0; at < attend_count(&moved); at++)
        whole_near(&t->c, "moved key", at, attend_get(&moved, at),
                   attend_get(&want, at), 8 * bound(t, &want, t->largest));
    test_tensor_free(&there);
    test_tensor_free(&moved);
    test_tensor_free(&want);
}

void whole_judge_turn(const struct whole_oracle *o, int i, int round)
{
    struct turn t;

    CHECK(whole_case_open(&t.c, o, i, 0));
    make(&t, round);
    CHECK_OK(locant_encoding_rotate(&t.out, &t.x, t.c.e, &t.pos,
                                    whole_params_in(&t.c),
                                    t.key ? LOCANT_ROTATE_KEY : 0));
    check_out(&t);
    check_inverse(&t);
    if (t.dtype == LOCANT_F32 || t.dtype == LOCANT_F64)
        check_backward(&t);
    if (o->float_table && t.c.axes == 1 && t.c.params == 0 && !t.real &&
        t.c.traits & LOCANT_TRAIT_ISOMETRIC)
        check_rerotate(&t);
    drop(&t);
}
