/* formula_graph.c - nodes of a formula, equal ones made once */
#include "formula_graph.h"
#include <string.h>

static const struct {
    const char *text;
    int arguments;
} ops[] = {
#define LCT_OP(id, text, arguments) { text, arguments },
#include "formula_ops.def"
#undef LCT_OP
};

const char *lct_formula_graph_text(enum lct_formula_op op)
{
    return ops[op].text;
}

int lct_formula_graph_arguments(enum lct_formula_op op)
{
    return ops[op].arguments;
}

int lct_formula_graph_find(const struct lct_formula *f, const char *text,
                           size_t n)
{
    for (int i = 0; i < f->names; i++)
        if (strlen(f->name[i].text) == n &&
            memcmp(f->name[i].text, text, n) == 0)
            return i;
    return -1;
}

/* What a node reads itself. */
static unsigned own_reads(const struct lct_formula *f,
                          const struct lct_formula_node *x)
{
    switch (x->op) {
    case LCT_FORMULA_D:
    case LCT_FORMULA_N: return LCT_READS_D;
    case LCT_FORMULA_I: return LCT_READS_I;
    case LCT_FORMULA_J: return LCT_READS_J;
    case LCT_FORMULA_S: return LCT_READS_S;
    case LCT_FORMULA_CNT: return LCT_READS_CNT;
    case LCT_FORMULA_T0: return LCT_READS_T0;
    case LCT_FORMULA_H:
    case LCT_FORMULA_HEADS: return LCT_READS_HEAD;
    case LCT_FORMULA_SCALAR:
    case LCT_FORMULA_PICK:
    case LCT_FORMULA_LERP:
        return f->name[x->name].param >= 0 ? LCT_READS_PARAM : 0;
    default: return 0;
    }
}

static bool same(const struct lct_formula_node *a,
                 const struct lct_formula_node *b)
{
    return a->op == b->op && a->name == b->name && a->number == b->number &&
           memcmp(a->arg, b->arg, sizeof(a->arg)) == 0;
}

int lct_formula_graph_node(struct lct_formula *f, struct lct_formula_node x)
{
    for (int i = 0; i < f->nodes; i++)
        if (same(&f->node[i], &x))
            return i;
    if (f->nodes == LCT_FORMULA_NODES)
        return -1;
    x.reads = own_reads(f, &x);
    for (int k = 0; k < ops[x.op].arguments; k++)
        x.reads |= f->node[x.arg[k]].reads;
    f->node[f->nodes] = x;
    return f->nodes++;
}

unsigned lct_formula_graph_reads(const struct lct_formula *f)
{
    unsigned reads = 0;

    for (int k = 0; k < LCT_FORMULA_ROOTS; k++)
        reads |= f->root[k] >= 0 ? f->node[f->root[k]].reads : 0;
    return reads;
}

int lct_formula_graph_finish(struct lct_formula *f)
{
    int work = 0;

    for (int k = 0; k < LCT_FORMULA_ROOTS; k++)
        if (f->root[k] >= 0)
            f->node[f->root[k]].roots |= 1u << k;
    for (int i = f->nodes - 1; i >= 0; i--)
        for (int k = 0; k < ops[f->node[i].op].arguments; k++)
            f->node[f->node[i].arg[k]].roots |= f->node[i].roots;
    f->varying = 0;
    for (int i = 0; i < f->nodes; i++) {
        bool varies = f->node[i].reads & LCT_READS_PAIR && f->node[i].roots;

        f->node[i].slot = varies ? f->varying++ : -1;
        work += varies && ops[f->node[i].op].arguments > 0;
    }
    return work;
}
