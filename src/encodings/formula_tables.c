/* formula_tables.c - parameters of a formula: numbers and tables */
#include "formula_tables.h"
#include "formula_laws.h"

/* The stored entries of a parameter that this head reads. */
static const double *entries_of(const struct lct_formula_run *run,
                                const struct lct_formula_name *n)
{
    int64_t size = n->entries > 0 ? n->entries : 1;

    return run->c->param[n->param] + (n->heads ? run->head * size : 0);
}

static double *gradients_of(double *const *dparam,
                            const struct lct_formula_run *run,
                            const struct lct_formula_name *n)
{
    int64_t size = n->entries > 0 ? n->entries : 1;

    return dparam[n->param] + (n->heads ? run->head * size : 0);
}

/* Where a table is read: entry 'low', and the weight of the entry after it. */
struct place {
    int64_t low;
    double weight;
};

static struct place place_of(const struct lct_formula_name *n,
                             enum lct_formula_op op, double x)
{
    struct place p = { 0, 0 };
    double last = (double)(n->entries - 1);

    if (!(x > 0)) /* or NaN */
        return p;
    p.low = x >= last ? n->entries - 1 : (int64_t)x;
    if (op == LCT_FORMULA_LERP && x < last)
        p.weight = x - (double)p.low;
    return p;
}

double lct_formula_tables_read(const struct lct_formula_run *run,
                               const struct lct_formula_node *x, double at)
{
    const struct lct_formula_name *n = &run->f->name[x->name];
    const double *table = entries_of(run, n);
    struct place p = place_of(n, x->op, at);
    double low = lct_formula_laws_value(n->law, table[p.low]);

    if (p.weight == 0)
        return low;
    return (1 - p.weight) * low +
           p.weight * lct_formula_laws_value(n->law, table[p.low + 1]);
}

double lct_formula_tables_number(const struct lct_formula_run *run,
                                 const struct lct_formula_name *n)
{
    return lct_formula_laws_value(n->law, *entries_of(run, n));
}

void lct_formula_tables_add_number(double *const *dparam,
                                   const struct lct_formula_run *run,
                                   const struct lct_formula_name *n, double d)
{
    *gradients_of(dparam, run, n) +=
        d * lct_formula_laws_slope(n->law, *entries_of(run, n));
}

void lct_formula_tables_add(double *const *dparam,
                            const struct lct_formula_run *run,
                            const struct lct_formula_node *x, double at,
                            double d)
{
    const struct lct_formula_name *n = &run->f->name[x->name];
    const double *table = entries_of(run, n);
    double *dtable = gradients_of(dparam, run, n);
    struct place p = place_of(n, x->op, at);

    dtable[p.low] +=
        d * (1 - p.weight) * lct_formula_laws_slope(n->law, table[p.low]);
    if (p.weight != 0)
        dtable[p.low + 1] +=
            d * p.weight * lct_formula_laws_slope(n->law, table[p.low + 1]);
}

double lct_formula_tables_slope(const struct lct_formula_run *run,
                                const struct lct_formula_node *x, double at)
{
    const struct lct_formula_name *n = &run->f->name[x->name];
    const double *table = entries_of(run, n);
    struct place p = place_of(n, x->op, at);

    if (x->op == LCT_FORMULA_PICK || !(at >= 0) || p.low + 1 >= n->entries)
        return 0;
    return lct_formula_laws_value(n->law, table[p.low + 1]) -
           lct_formula_laws_value(n->law, table[p.low]);
}
