/* formula_graph.c - nodes of a formula, equal ones made once */
#include "formula_graph.h"
#include "spec_read.h"
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

enum lct_formula_op lct_formula_graph_op(const char *text, size_t n,
                                         bool arguments)
{
    enum lct_formula_op op = LCT_FORMULA_NEG;

    for (; op < LCT_FORMULA_OPS; op++) {
        const char *name = lct_formula_graph_text(op);

        if (lct_is_letter(name[0]) && strlen(name) == n &&
            memcmp(name, text, n) == 0 &&
            arguments == (lct_formula_graph_arguments(op) > 0))
            break;
    }
    return op;
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
    static const unsigned leaves[LCT_FORMULA_OPS] = {
        [LCT_FORMULA_D] = LCT_READS_D,
        [LCT_FORMULA_N] = LCT_READS_D,
        [LCT_FORMULA_I] = LCT_READS_I,
        [LCT_FORMULA_J] = LCT_READS_J,
        [LCT_FORMULA_S] = LCT_READS_S,
        [LCT_FORMULA_CNT] = LCT_READS_CNT,
        [LCT_FORMULA_T0] = LCT_READS_T0,
        [LCT_FORMULA_H] = LCT_READS_HEAD,
        [LCT_FORMULA_HEADS] = LCT_READS_HEAD,
        [LCT_FORMULA_OF_QUERY] = LCT_READS_Q,
        [LCT_FORMULA_OF_KEY] = LCT_READS_K,
    };

    if (x->name >= 0 && f->name[x->name].kind == LCT_FORMULA_PARAM)
        return LCT_READS_PARAM;
    return leaves[x->op];
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
        reads |= lct_formula_graph_reads_of(f, k);
    return reads;
}

unsigned lct_formula_graph_reads_of(const struct lct_formula *f, int root)
{
    return f->root[root] < 0 ? 0 : f->node[f->root[root]].reads;
}

bool lct_formula_graph_reads_content(const struct lct_formula *f)
{
    return ((lct_formula_graph_reads_of(f, LCT_FORMULA_BIAS) |
             lct_formula_graph_reads_of(f, LCT_FORMULA_GAIN)) &
            (LCT_READS_S | LCT_READS_TOKENS)) != 0;
}

/* Number the arrays, scans last. */
static void number_tokens(struct lct_formula *f)
{
    f->tokens = f->scans = 0;
    for (enum lct_formula_kind kind = LCT_FORMULA_TOKEN;
         kind <= LCT_FORMULA_SCAN; kind++)
        for (int i = 0; i < f->names; i++) {
            if (f->name[i].kind != kind)
                continue;
            f->name[i].number = f->tokens++;
            f->scans += kind == LCT_FORMULA_SCAN;
        }
}

int lct_formula_graph_finish(struct lct_formula *f)
{
    int work = 0;

    number_tokens(f);
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
