/* check_rotate.c - the rotate door: rotation, its inverse, rotation from one
 * position to another, and the gradient */
#include "case.h"

#include <math.h>
#include <string.h>

struct rotation {
    struct oracle_case *c;
    int key, real; /* rotate keys, not queries; at real coordinates */
    int64_t width; /* channels of the output */
    locant_tensor pos, x, out, dout, dx; /* x [H,T,D], out [H,T,width] */
    cx *in;                              /* x, with complex steps */
    double largest;                      /* |channel| of x and out */
};

/* Element 'at' of the output, counted densely. */
static cx rotated(const struct rotation *t, int64_t at)
{
    const struct oracle_call *call = &t->c->call;
    int64_t h = at / (t->width * call->T), i = at / t->width % call->T;

    return t->c->o->rotated(call, t->key, 0, h, i,
                            t->in + (h * call->T + i) * call->D, at % t->width);
}

static struct oracle_sum rotation_sum(void *context)
{
    struct rotation *t = context;
    struct oracle_sum s = { 0 };

    for (int64_t at = 0; at < (int64_t)oracle_count(&t->out); at++)
        oracle_sum_add(&s, oracle_get(&t->dout, (size_t)at), rotated(t, at));
    return s;
}

/* [H, T, width], in memory so or, as projections write it, [T, H, width]. */
static locant_tensor random_heads(struct oracle_case *c, int64_t width)
{
    const struct oracle_call *call = &c->call;
    const int64_t shape[] = { call->H, call->T, width };
    locant_tensor t = oracle_case_tensor(c, c->run->row.dtype, 3, shape);

    if (oracle_run_range(c->run, 0, 1)) {
        t.stride[0] = width;
        t.stride[1] = call->H * width;
    }
    return t;
}

static void draw_positions(struct rotation *t, int64_t n)
{
    struct oracle_case *c = t->c;
    struct oracle_call *call = &c->call;

    t->real = c->o->real && !(c->traits & LOCANT_TRAIT_LENGTH) && n % 4 == 3;
    t->pos = t->real ? oracle_case_coordinates(c, call->T)
                     : oracle_case_positions(c, call->T);
    /* The oracle may read them as positions of queries or of keys. */
    call->q_pos = call->k_pos = t->pos.data;
    if (t->real)
        call->q_coords = call->k_coords = t->pos.data;
}

static void make(struct rotation *t, struct oracle_case *c, int64_t n)
{
    struct oracle_call *call = &c->call;
    locant_sizes known;

    memset(t, 0, sizeof *t);
    t->c = c;
    t->key = (int)oracle_run_range(c->run, 0, 1);
    call->B = 1;
    call->H = call->G = oracle_run_range(c->run, 1, 3);
    call->T = call->S = oracle_run_range(c->run, 0, 5);
    call->W = call->H * call->D;
    known = (locant_sizes){ call->W, call->H, call->G, call->D };
    oracle_case_params(c, &known);
    draw_positions(t, n);
    t->width =
        c->o->rotated_width != NULL ? c->o->rotated_width(call) : call->D;
    t->x = random_heads(c, call->D);
    t->dx = random_heads(c, call->D);
    t->out = random_heads(c, t->width);
    t->dout = random_heads(c, t->width);
    t->in = oracle_case_copy(c, &t->x);
    oracle_case_seal(c, &t->x);
    for (size_t at = 0; at < oracle_count(&t->x); at++)
        t->largest = fmax(t->largest, fabs(creal(t->in[at])));
    for (size_t at = 0; at < oracle_count(&t->out); at++)
        t->largest = fmax(t->largest, fabs(creal(rotated(t, (int64_t)at))));
}

static locant_status rotate(struct rotation *t, locant_tensor *out,
                            const locant_tensor *x, int flags)
{
    return locant_encoding_rotate(out, x, t->c->e, &t->pos,
                                  oracle_case_params_in(t->c),
                                  flags | (t->key ? LOCANT_ROTATE_KEY : 0));
}

/* Error of storing 'want': subnormal F16 are rounded by up to 2^-25. */
static double storage_error(locant_dtype dtype, double want)
{
    switch (dtype) {
    case LOCANT_F32: return 1.01 * ORACLE_HALF_F32 * fabs(want);
    case LOCANT_F16: return 1.01 * ORACLE_HALF_F16 * fabs(want) + 0x1p-25;
    case LOCANT_BF16: return 1.01 * ORACLE_HALF_BF16 * fabs(want);
    default: return 0;
    }
}

/*
 * Entries of a float32 table are off by 0.55 2^-24 times their magnitude (for
 * F64 tensors too); two products and a sum in float32 round once more each:
 * 2.56 2^-24 (|a| + |b|), |a|, |b| at most 'largest'.  Without a float32 table:
 * a chain in double.
 */
static double compute_error(const struct oracle_case *c, double largest)
{
    double table = c->run->row.dtype == LOCANT_F64 ? 0.56 : 2.56;

    return ORACLE_CHAIN * (1 + largest) +
           (c->o->float_table ? table * 0x1p-24 * 2 * largest : 0);
}

static double allowed(const struct rotation *t, double want)
{
    return storage_error(t->c->run->row.dtype, want) +
           compute_error(t->c, t->largest);
}

/* Every third case is in place, if the number of channels stays the same. */
static void forward(struct oracle_case *c, int64_t n, int what)
{
    struct rotation t;

    (void)what;
    make(&t, c, n);
    if (n % 3 == 2 && t.width == c->call.D) {
        memcpy(t.out.data, t.x.data,
               oracle_count(&t.x) * locant_dtype_size(t.x.dtype));
        memcpy(t.out.stride, t.x.stride, sizeof t.out.stride);
        oracle_case_ok(c, rotate(&t, &t.out, &t.out, 0));
    } else {
        oracle_case_ok(c, rotate(&t, &t.out, &t.x, 0));
    }
    for (size_t at = 0; at < oracle_count(&t.out); at++) {
        double want = creal(rotated(&t, (int64_t)at));

        oracle_case_near(c, t.key ? "rotated key" : "rotated query", at,
                         oracle_get(&t.out, at), want, allowed(&t, want));
    }
}

/*
 * The inverse restores x; an encoding that is not isometric may have none.  The
 * errors of the forward rotation add to its own.
 */
static void inverse(struct oracle_case *c, int64_t n, int what)
{
    locant_status got = LOCANT_ERR_UNSUPPORTED;
    struct rotation t;

    (void)what;
    make(&t, c, n);
    oracle_case_ok(c, rotate(&t, &t.out, &t.x, 0));
    if (t.width == c->call.D)
        got = rotate(&t, &t.dx, &t.out, LOCANT_ROTATE_INVERSE);
    if (got == LOCANT_ERR_UNSUPPORTED && !(c->traits & LOCANT_TRAIT_ISOMETRIC))
        return;
    oracle_case_ok(c, got);
    for (size_t at = 0; at < oracle_count(&t.dx); at++)
        oracle_case_near(c, "rotated back", at, oracle_get(&t.dx, at),
                         creal(t.in[at]), 4 * allowed(&t, t.largest));
}

/* Rotating and then rerotating equals rotating at the new position. */
static void rerotate(struct oracle_case *c, int64_t n, int what)
{
    struct rotation t;
    locant_tensor there;

    (void)what;
    make(&t, c, n - n % 4); /* integer positions */
    there = oracle_case_positions(c, c->call.T);
    oracle_case_ok(c, rotate(&t, &t.out, &t.x, 0));
    oracle_case_ok(c, locant_encoding_rerotate(&t.dout, &t.out, c->e, &t.pos,
                                               c->e, &there));
    oracle_case_ok(c,
                   locant_encoding_rotate(&t.dx, &t.x, c->e, &there, NULL, 0));
    for (size_t at = 0; at < oracle_count(&t.dx); at++)
        oracle_case_near(c, "moved key", at, oracle_get(&t.dout, at),
                         oracle_get(&t.dx, at), 8 * allowed(&t, t.largest));
}

/* The gradient of a rotation by a table needs no x. */
static void backward(struct oracle_case *c, int64_t n, int what)
{
    double error = 2 * compute_error(c, 1);
    struct rotation t;
    int without_x;

    (void)what;
    make(&t, c, n);
    without_x = c->o->float_table && c->params == 0 && n % 2;
    oracle_case_ok(c, locant_encoding_rotate_backward(
                          &t.dx, c->params > 0 ? c->grad : NULL, &t.dout,
                          without_x ? NULL : &t.x, c->e, &t.pos,
                          oracle_case_params_in(c),
                          t.key ? LOCANT_ROTATE_KEY : 0));
    for (int64_t k = 0, size = (int64_t)oracle_count(&t.dx);
         k < oracle_entries(c, size); k++) {
        int64_t at = oracle_entry(c, k, size);
        double gross, want = oracle_slope(&gross, &t.in[at], rotation_sum, &t);
        double terms = gross + fabs(want) + 0x1p-10;

        oracle_case_near(c, "dx of a rotation", (size_t)at,
                         oracle_get(&t.dx, (size_t)at), want,
                         error * terms + storage_error(t.dx.dtype, terms));
    }
    oracle_case_params_check(c, rotation_sum, &t, error, 1);
}

/* ------------------------------------------------------------ one operation */

static const struct operation {
    const char *name;
    oracle_body body;
    double bounds; /* allowed error, in bounds of one rotation */
} operations[] = {
    { "rotate", forward, 1 },
    { "rotate-inverse", inverse, 4 },
    { "rotate-move", rerotate, 8 },
    { "rotate-back", backward, 2 },
};

static int applies(const struct oracle_case *c, const struct operation *op,
                   locant_dtype dtype)
{
    int floats = dtype == LOCANT_F32 || dtype == LOCANT_F64;
    int fixed = !(c->traits & LOCANT_TRAIT_LEARNED);

    if (op->body == rerotate)
        return c->o->float_table && c->axes == 1 && fixed &&
               c->traits & LOCANT_TRAIT_ISOMETRIC;
    return op->body != backward || fixed || floats;
}

void oracle_check_rotate(struct oracle_run *r, const struct oracle *o, int i)
{
    static const locant_dtype dtypes[] = { LOCANT_F32, LOCANT_F64, LOCANT_F16,
                                           LOCANT_BF16 };
    struct oracle_case c;

    oracle_case_describe(&c, r, o, i);
    if (!(c.doors & LOCANT_DOOR_ROTATE) || o->rotated == NULL)
        return;
    for (int d = 0; d < 4; d++)
        for (size_t k = 0; k < sizeof operations / sizeof *operations; k++) {
            const struct operation *op = &operations[k];
            double bound;

            r->row.dtype = dtypes[d];
            bound = compute_error(&c, 1) + storage_error(dtypes[d], 1);
            if (!applies(&c, op, dtypes[d]) ||
                !oracle_run_open(r, op->name, o->name, c.spec, dtypes[d],
                                 op->bounds * bound))
                continue;
            oracle_case_each(r, o, i, 0, op->body, 0);
            oracle_run_close(r);
        }
}
