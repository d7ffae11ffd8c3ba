/* formula_print.c - the canonical text of a formula */
#include "formula_print.h"
#include <math.h>
#include <string.h>

/* How tightly an operation binds, as the grammar nests them. */
enum { SUM = 1, PRODUCT, UNARY, POWER, ATOM };

static int level(enum lct_formula_op op)
{
    switch (op) {
    case LCT_FORMULA_LT:
    case LCT_FORMULA_LE:
    case LCT_FORMULA_GT:
    case LCT_FORMULA_GE:
    case LCT_FORMULA_EQ: return 0;
    case LCT_FORMULA_ADD:
    case LCT_FORMULA_SUB: return SUM;
    case LCT_FORMULA_MUL:
    case LCT_FORMULA_DIV: return PRODUCT;
    case LCT_FORMULA_NEG: return UNARY;
    case LCT_FORMULA_POW: return POWER;
    default: return ATOM;
    }
}

/* The least levels of both operands that need no parentheses. */
static void levels(int *left, int *right, enum lct_formula_op op)
{
    int own = level(op);

    *left = own == 0 ? SUM : own == POWER ? ATOM : own;
    *right = own == 0         ? SUM
             : own == SUM     ? PRODUCT
             : own == POWER   ? UNARY
             : own == PRODUCT ? UNARY
                              : own;
}

static void put_number(struct lct_writer *w, double value)
{
    char text[LCT_NUMBER_BYTES];

    lct_number_print(text, value);
    lct_spec_put(w, text);
}

static void put_node(struct lct_writer *w, const struct lct_formula *f, int at,
                     int least);

static void put_call(struct lct_writer *w, const struct lct_formula *f,
                     const struct lct_formula_node *x)
{
    lct_spec_put(w, lct_formula_graph_text(x->op));
    lct_spec_put(w, "(");
    if (x->name >= 0) {
        lct_spec_put(w, f->name[x->name].text);
        lct_spec_put(w, ",");
    }
    for (int k = 0; k < lct_formula_graph_arguments(x->op); k++) {
        lct_spec_put(w, k > 0 ? "," : "");
        put_node(w, f, x->arg[k], 0);
    }
    lct_spec_put(w, ")");
}

static void put_operator(struct lct_writer *w, const struct lct_formula *f,
                         const struct lct_formula_node *x)
{
    int left, right;

    levels(&left, &right, x->op);
    if (x->op != LCT_FORMULA_NEG)
        put_node(w, f, x->arg[0], left);
    lct_spec_put(w, lct_formula_graph_text(x->op));
    put_node(w, f, x->arg[x->op != LCT_FORMULA_NEG], right);
}

/* Node 'at', in parentheses if it binds less tightly than 'least'. */
static void put_node(struct lct_writer *w, const struct lct_formula *f, int at,
                     int least)
{
    const struct lct_formula_node *x = &f->node[at];
    bool open = level(x->op) < least;

    lct_spec_put(w, open ? "(" : "");
    if (x->op == LCT_FORMULA_NUMBER)
        put_number(w, x->number);
    else if (lct_formula_graph_arguments(x->op) == 0) {
        lct_spec_put(w, x->name >= 0 ? f->name[x->name].text : "");
        lct_spec_put(w, lct_formula_graph_text(x->op));
    } else if (level(x->op) == ATOM)
        put_call(w, f, x);
    else
        put_operator(w, f, x);
    lct_spec_put(w, open ? ")" : "");
}

/* ------------------------------------------------------------- declarations */

static void put_pair(struct lct_writer *w, const char *name, double a, double b,
                     bool both)
{
    lct_spec_put(w, name);
    lct_spec_put(w, "(");
    put_number(w, a);
    if (both) {
        lct_spec_put(w, ",");
        put_number(w, b);
    }
    lct_spec_put(w, ")");
}

static void put_init(struct lct_writer *w, const struct lct_formula_name *n)
{
    if (n->init == LCT_START_NUMBER && n->a == 1)
        return;
    lct_spec_put(w, ",init=");
    switch (n->init) {
    case LCT_START_NUMBER: put_number(w, n->a); break;
    case LCT_START_SLOPES: lct_spec_put(w, "slopes"); break;
    case LCT_START_UNIFORM: put_pair(w, "uniform", n->a, n->b, true); break;
    case LCT_START_NORMAL: put_pair(w, "normal", n->a, 0, false); break;
    }
}

static void put_bound(struct lct_writer *w, const char *key, double value)
{
    if (!isfinite(value))
        return;
    lct_spec_put(w, key);
    put_number(w, value);
}

static void put_law(struct lct_writer *w, enum lct_formula_law law)
{
    static const char *const texts[] = {
        [LCT_LAW_RAW] = "",
        [LCT_LAW_EXP] = ",law=exp",
        [LCT_LAW_SOFTPLUS] = ",law=softplus",
        [LCT_LAW_LOGSIGMOID] = ",law=logsigmoid",
    };

    lct_spec_put(w, texts[law]);
}

static void put_tokens(struct lct_writer *w, const struct lct_formula_name *n)
{
    lct_spec_put(w, n->kind == LCT_FORMULA_SCAN ? "=scan(" : "=token(");
    lct_spec_put(w, n->heads ? "heads" : "one");
    lct_spec_put(w, n->linear ? ",map=linear" : "");
    put_law(w, n->law);
    if (n->a != 0) {
        lct_spec_put(w, ",init=");
        put_number(w, n->a);
    }
    lct_spec_put(w, n->share ? ",share=yes" : "");
    lct_spec_put(w, ")");
}

static void put_name(struct lct_writer *w, const struct lct_formula_name *n)
{
    lct_spec_put(w, n->text);
    if (n->kind >= LCT_FORMULA_TOKEN) {
        put_tokens(w, n);
        return;
    }
    if (n->kind == LCT_FORMULA_CONST) {
        put_pair(w, "=const", n->a, 0, false);
        return;
    }
    lct_spec_put(w, "=param(");
    lct_spec_put(w, n->heads ? "heads" : n->entries > 0 ? "" : "one");
    if (n->entries > 0) {
        lct_spec_put(w, n->heads ? "," : "");
        lct_spec_put(w, n->entries_text);
    }
    put_init(w, n);
    put_bound(w, ",min=", n->min);
    put_bound(w, ",max=", n->max);
    put_law(w, n->law);
    lct_spec_put(w, n->share ? ",share=yes" : "");
    lct_spec_put(w, ")");
}

void lct_formula_print(struct lct_writer *w, const locant_encoding *e)
{
    const struct lct_formula *f = e->state;
    const char *lead = "(";
    double length = e->value[LCT_FORMULA_LENGTH];

    for (int k = 0; k < LCT_FORMULA_ROOTS; k++) {
        if (f->root[k] < 0)
            continue;
        lct_spec_put(w, lead);
        lct_spec_put(w, e->row->keys[k].name);
        lct_spec_put(w, "=");
        put_node(w, f, f->root[k], SUM);
        lead = ",";
    }
    for (int i = 0; i < f->names; i++) {
        lct_spec_put(w, lead);
        put_name(w, &f->name[i]);
        lead = ",";
    }
    if (lct_formula_graph_reads(f) & LCT_READS_T0 && !isnan(length)) {
        lct_spec_put(w, lead);
        lct_spec_put(w, "length=");
        put_number(w, length);
        lead = ",";
    }
    if (e->value[LCT_FORMULA_FUTURE] != LCT_FUTURE_SAME) {
        lct_spec_put(w, lead);
        lct_spec_put(w, "future=");
        lct_spec_put(w, e->row->keys[LCT_FORMULA_FUTURE]
                            .words[(int)e->value[LCT_FORMULA_FUTURE]]);
        lead = ",";
    }
    lct_spec_put(w, *lead == ',' ? ")" : "");
}
