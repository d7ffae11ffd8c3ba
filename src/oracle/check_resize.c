/* check_resize.c - resized tables, and the gradient */
#include <math.h>
#include <string.h>

#include "case.h"
#include "resize.h"

enum { MOST = 9 };

/* One call.  The oracle gets a 1-D table as a grid of one column. */
struct stretch {
    struct oracle_case *c;
    int grid; /* 2-D */
    locant_resize how;
    struct oracle_resize oracle;
    int64_t D;
    locant_tensor from, to;
};

/* Weight of row 'from' of the old table in row 'to' of the new one. */
static double weight(const struct stretch *s, int64_t to, int64_t from)
{
    const locant_resize *h = &s->how;
    int64_t prefix = h->prefix;

    if (to < prefix || from < prefix)
        return to == from;
    to -= prefix;
    from -= prefix;
    if (h->from_rows == h->rows && h->from_columns == h->columns)
        return to == from;
    if (!s->grid)
        return oracle_resize_weight(&s->oracle, h->from_rows, h->rows, to,
                                    from);
    return oracle_resize_weight(&s->oracle, h->from_rows, h->rows,
                                to / h->columns, from / h->from_columns) *
           oracle_resize_weight(&s->oracle, h->from_columns, h->columns,
                                to % h->columns, from % h->from_columns);
}

static void make_call(struct stretch *s, struct oracle_case *c,
                      locant_resize_form form)
{
    struct oracle_run *r = c->run;
    int64_t shape[2];

    s->c = c;
    s->how = (locant_resize)LOCANT_RESIZE_INIT;
    oracle_case_ok(c, locant_resize_set_form(&s->how, form));
    s->oracle = (struct oracle_resize){ s->how.kind == LOCANT_RESIZE_CUBIC,
                                        s->how.align_corners, s->how.antialias,
                                        s->how.offset };
    s->how.prefix = oracle_run_range(r, 0, 2);
    s->how.from_rows = oracle_run_range(r, 1, MOST);
    s->how.rows = oracle_run_range(r, 1, MOST);
    s->how.from_columns = s->grid ? oracle_run_range(r, 1, MOST) : 1;
    s->how.columns = s->grid ? oracle_run_range(r, 1, MOST) : 1;
    s->D = oracle_run_range(r, 1, 5);
    shape[1] = s->D;
    shape[0] = s->how.prefix + s->how.from_rows * s->how.from_columns;
    s->from = oracle_case_tensor(c, r->row.dtype, 2, shape);
    shape[0] = s->how.prefix + s->how.rows * s->how.columns;
    s->to = oracle_case_tensor(c, r->row.dtype, 2, shape);
}

/* Compare 'to', or the gradient that was added to 'before' in 'from'. */
static void compare(const struct stretch *s, int gradient, const double *before)
{
    const locant_tensor *got = gradient ? &s->from : &s->to;
    const locant_tensor *in = gradient ? &s->to : &s->from;

    for (int64_t at = 0; at < got->shape[0] * s->D; at++) {
        double want = gradient ? before[at] : 0, terms = 1e-3 + fabs(want);

        for (int64_t row = 0; row < in->shape[0]; row++) {
            double x = oracle_get(in, (size_t)(row * s->D + at % s->D));
            double w = gradient ? weight(s, row, at / s->D)
                                : weight(s, at / s->D, row);

            want += w * x;
            terms += fabs(w * x);
        }
        oracle_run_near(s->c->run, gradient ? "gradient" : "number", (size_t)at,
                        oracle_get(got, (size_t)at), want,
                        s->c->run->row.bound * terms);
    }
}

static locant_status call_library(struct stretch *s, int gradient)
{
    if (gradient)
        return s->grid ? locant_resize_2d_backward(&s->from, &s->to, &s->how)
                       : locant_resize_1d_backward(&s->from, &s->to, &s->how);
    return s->grid ? locant_resize_2d(&s->to, &s->from, &s->how)
                   : locant_resize_1d(&s->to, &s->from, &s->how);
}

/* 'what' = 4 form + 2 gradient + grid */
static void check_stretch(struct oracle_case *c, int64_t n, int what)
{
    int gradient = what / 2 % 2;
    struct stretch s = { .grid = what % 2 };
    double *before;

    (void)n;
    make_call(&s, c, (locant_resize_form)(what / 4));
    before = oracle_case_alloc(c, oracle_count(&s.from), sizeof *before);
    for (size_t i = 0; i < oracle_count(&s.from); i++)
        before[i] = oracle_get(&s.from, i);
    oracle_case_ok(c, call_library(&s, gradient));
    compare(&s, gradient, before);
}

/*
 * A weight takes a few operations in double on numbers below 2^7, so it loses
 * 2^-46 of its term, twice in a grid; also a cubic one near integers, as slopes
 * of the kernel are below 2.  Sums are in double and are rounded once to the
 * type, gradients together with what they are added to.
 */
static double bound_of(locant_dtype dtype)
{
    return ORACLE_CHAIN + (dtype == LOCANT_F32 ? 1.01 * ORACLE_HALF_F32 : 0);
}

void oracle_check_resize(struct oracle_run *r)
{
    static const char *const ops[] = { "resize-1d", "resize-2d",
                                       "resize-1d-back", "resize-2d-back" };
    static const locant_dtype dtypes[] = { LOCANT_F32, LOCANT_F64 };
    const char *name;

    for (int form = 0;
         (name = locant_resize_form_name((locant_resize_form)form)) != NULL;
         form++)
        for (int k = 0; k < 8; k++) {
            if (!oracle_run_open(r, ops[k / 2], "resize", name, dtypes[k % 2],
                                 bound_of(dtypes[k % 2])))
                continue;
            oracle_case_each(r, NULL, 0, 0, check_stretch, 4 * form + k / 2);
            oracle_run_close(r);
        }
}
