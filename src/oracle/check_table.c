/* check_table.c - the input door: rows of positions, and the gradient */
#include "case.h"

#include <math.h>
#include <string.h>

struct table {
    struct oracle_case *c;
    int64_t N;
    int real;
    locant_tensor pos, out, dout; /* [N, W], rows of 'out' a pitch apart */
    int64_t zero;
};

/* Channel d of row n. */
static cx entry(const struct table *t, int64_t n, int64_t d)
{
    const double *real = t->pos.data;
    const int64_t *ids = t->pos.data;
    struct oracle_call call = t->c->call;

    call.B = call.T = 1;
    call.q_pos = t->real ? &t->zero : ids + n;
    call.q_coords = t->real ? real + n * t->c->axes : NULL;
    return t->c->o->entry(&call, t->real ? *call.q_coords : (double)ids[n], d);
}

static struct oracle_sum table_sum(void *context)
{
    struct table *t = context;
    struct oracle_sum s = { 0 };

    for (int64_t i = 0; i < t->N * t->c->call.W; i++)
        oracle_sum_add(&s, oracle_get(&t->dout, (size_t)i),
                       entry(t, i / t->c->call.W, i % t->c->call.W));
    return s;
}

static void make(struct table *t, struct oracle_case *c, int64_t n)
{
    locant_sizes known = { .width = c->call.W };
    int64_t shape[2];

    memset(t, 0, sizeof *t);
    t->c = c;
    t->N = shape[0] = oracle_run_range(c->run, 0, 6);
    t->real = n % 4 == 3 || (c->traits & LOCANT_TRAIT_REAL && n % 2);
    oracle_case_params(c, &known);
    t->pos = t->real ? oracle_case_coordinates(c, t->N)
                     : oracle_case_positions(c, t->N);
    shape[1] = c->call.W + oracle_run_range(c->run, 0, 2);
    t->out = oracle_case_tensor(c, c->run->row.dtype, 2, shape);
    t->out.shape[1] = shape[1] = c->call.W;
    t->dout = oracle_case_tensor(c, c->run->row.dtype, 2, shape);
}

/* Real coordinates are refused unless the oracle accepts them. */
static void forward(struct oracle_case *c, int64_t n, int what)
{
    double once = c->run->row.bound - ORACLE_CHAIN;
    struct table t;
    locant_status got;

    (void)what;
    make(&t, c, n);
    got = locant_encoding_table(&t.out, c->e, &t.pos, oracle_case_params_in(c));
    if (t.real && !c->o->real) {
        if (got != LOCANT_ERR_DTYPE && got != LOCANT_ERR_UNSUPPORTED &&
            got != LOCANT_ERR_SHAPE)
            oracle_run_miss(c->run, "coordinates are not refused");
        return;
    }
    oracle_case_ok(c, got);
    for (int64_t i = 0; i < t.N * c->call.W; i++) {
        double want = creal(entry(&t, i / c->call.W, i % c->call.W));

        oracle_case_near(c, "channel", (size_t)i, oracle_get(&t.out, (size_t)i),
                         want,
                         once * fabs(want) + ORACLE_CHAIN * (1 + fabs(want)));
    }
}

/* The gradients of rows are added one after the other. */
static void backward(struct oracle_case *c, int64_t n, int what)
{
    struct table t;

    (void)what;
    make(&t, c, n);
    if (t.real && !c->o->real)
        return;
    oracle_case_ok(c, locant_encoding_table_backward(c->grad, &t.dout, c->e,
                                                     &t.pos, c->value));
    oracle_case_params_check(c, table_sum, &t, ORACLE_CHAIN, 6);
}

/* A chain in double, rounded once. */
static double bound_of(locant_dtype dtype)
{
    return ORACLE_CHAIN + (dtype == LOCANT_F32 ? 1.01 * ORACLE_HALF_F32 : 0);
}

void oracle_check_table(struct oracle_run *r, const struct oracle *o, int i)
{
    static const locant_dtype dtypes[] = { LOCANT_F32, LOCANT_F64 };
    struct oracle_case c;

    oracle_case_describe(&c, r, o, i);
    if (!(c.doors & LOCANT_DOOR_INPUT) || o->entry == NULL)
        return;
    for (int n = 0; n < 4; n++) {
        if ((n > 1 && !(c.traits & LOCANT_TRAIT_LEARNED)) ||
            !oracle_run_open(r, n > 1 ? "table-back" : "table", o->name, c.spec,
                             dtypes[n % 2], bound_of(dtypes[n % 2])))
            continue;
        oracle_case_each(r, o, i, 0, n > 1 ? backward : forward, 0);
        oracle_run_close(r);
    }
}
