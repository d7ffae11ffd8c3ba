/* resize.c - tables stretched to another length or grid, and the gradient. */
#include <math.h>
#include <string.h>

#include "oracle/resize.h"
#include "selftest.h"

enum { MOST = 9 };

/* One call; the rows of a line are a grid of one column to the judge. */
struct stretch {
    struct st_case c; /* holds memory only */
    locant_dtype   dtype;
    int            grid;
    locant_resize  how;
    struct oracle_resize judge;
    int64_t        D;
    locant_tensor  from, to;
};

/* What row 'to' takes of row 'from', both counted after the prefix. */
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
        return oracle_resize_weight(&s->judge, h->from_rows, h->rows, to,
                                    from);
    return oracle_resize_weight(&s->judge, h->from_rows, h->rows,
                                to / h->columns, from / h->from_columns) *
           oracle_resize_weight(&s->judge, h->from_columns, h->columns,
                                to % h->columns, from % h->from_columns);
}

static int make(struct stretch *s, locant_resize_form form)
{
    struct selftest *t = s->c.t;
    int64_t          shape[2];

    s->how = (locant_resize)LOCANT_RESIZE_INIT;
    if (!st_took(t, locant_resize_set_form(&s->how, form)))
        return 0;
    s->judge = (struct oracle_resize){ s->how.kind == LOCANT_RESIZE_CUBIC,
                                       s->how.align_corners, s->how.antialias,
                                       s->how.offset };
    s->how.prefix       = st_range(t, 0, 2);
    s->how.from_rows    = st_range(t, 1, MOST);
    s->how.rows         = st_range(t, 1, MOST);
    s->how.from_columns = s->grid ? st_range(t, 1, MOST) : 1;
    s->how.columns      = s->grid ? st_range(t, 1, MOST) : 1;
    s->D     = st_range(t, 1, 5);
    shape[1] = s->D;
    shape[0] = s->how.prefix + s->how.from_rows * s->how.from_columns;
    s->from  = st_tensor(&s->c, s->dtype, 2, shape);
    shape[0] = s->how.prefix + s->how.rows * s->how.columns;
    s->to    = st_tensor(&s->c, s->dtype, 2, shape);
    return s->from.data != NULL && s->to.data != NULL;
}

/* One number of 'to' (or of the gradient of 'from') and its terms. */
static void judge(const struct stretch *s, int gradient, const double *before)
{
    const locant_tensor *got = gradient ? &s->from : &s->to;
    const locant_tensor *in  = gradient ? &s->to : &s->from;

    for (int64_t at = 0; at < got->shape[0] * s->D; at++) {
        double want = gradient ? before[at] : 0, terms = 1e-3 + fabs(want);

        for (int64_t row = 0; row < in->shape[0]; row++) {
            double x = st_get(in, (size_t)(row * s->D + at % s->D));
            double w = gradient ? weight(s, row, at / s->D)
                                : weight(s, at / s->D, row);

            want += w * x;
            terms += fabs(w * x);
        }
        st_error(s->c.t, st_get(got, (size_t)at), want, terms);
    }
}

static void one(struct stretch *s, int gradient)
{
    const locant_tensor *from = &s->from;
    double *before = st_memory(&s->c, cli_elements(from), sizeof *before);
    locant_status got;

    if (before == NULL)
        return;
    for (size_t i = 0; i < cli_elements(from); i++)
        before[i] = st_get(from, i);
    if (gradient)
        got = s->grid ? locant_resize_2d_backward(&s->from, &s->to, &s->how)
                      : locant_resize_1d_backward(&s->from, &s->to, &s->how);
    else
        got = s->grid ? locant_resize_2d(&s->to, from, &s->how)
                      : locant_resize_1d(&s->to, from, &s->how);
    if (st_took(s->c.t, got))
        judge(s, gradient, before);
}

/*
 * Weights are a few operations in double on numbers below 2^7: 2^-46 of the
 * terms each, twice in a grid; sums of double, rounded once to the type (added
 * gradients: the sum and what was there).  Cubic weights of coordinates that
 * are almost integers lose no more: the kernel is continuous with slopes below
 * 2.
 */
static double bound_of(locant_dtype dtype)
{
    return ST_CHAIN + (dtype == LOCANT_F32 ? 1.01 * ST_HALF_F32 : 0);
}

static void row(struct selftest *t, int gradient, int grid, int form,
                locant_dtype dtype)
{
    const char *name = locant_resize_form_name((locant_resize_form)form);
    const char *ops[] = { "resize-1d", "resize-2d", "resize-1d-back",
                          "resize-2d-back" };

    if (!st_open(t, ops[2 * gradient + grid], "resize", name, dtype,
                 bound_of(dtype)))
        return;
    for (int64_t n = 0; n < 4 * t->cases; n++, t->row.cases++) {
        struct stretch s = { .c.t = t, .dtype = dtype, .grid = grid };

        if (make(&s, (locant_resize_form)form))
            one(&s, gradient);
        st_case_close(&s.c);
    }
    st_close(t);
}

void st_resize(struct selftest *t)
{
    for (int form = 0;
         locant_resize_form_name((locant_resize_form)form) != NULL; form++)
        for (int k = 0; k < 8; k++)
            row(t, k / 4, k / 2 % 2, form, k % 2 ? LOCANT_F64 : LOCANT_F32);
}
