/* formula_read.c - what stands between the parentheses of formula(..) */
#include "formula_read.h"
#include "../core/quote.h"
#include "formula_names.h"
#include "formula_parse.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Where the expressions stand in the text: they are parsed last, when all
 * declarations are known. */
struct spans {
    size_t at[LCT_FORMULA_ROOTS], end[LCT_FORMULA_ROOTS];
    bool given[LCT_FORMULA_FUTURE + 1];
};

/* --------------------------------------------------------------------- keys */

/* Skip the text of an expression: up to the ',' or ')' that closes it. */
static locant_status skip_expression(size_t *end, struct lct_formula *f,
                                     struct lct_reader *r)
{
    struct lct_reader whole = *r;
    size_t at = r->at;
    int depth = 0, node;

    for (; at < r->size; at++) {
        char c = r->text[at];

        if (depth == 0 && (c == ',' || c == ')'))
            break;
        depth += (c == '(') - (c == ')');
    }
    *end = at;
    r->at = at;
    if (at < r->size)
        return LOCANT_OK;
    /* Nothing closes it: the parser knows what is wrong. */
    LCT_TRY(lct_formula_parse(&node, f, &whole, true));
    return lct_formula_words_expected(&whole, "',' or ')'");
}

/* One of the row's keys, after "=". */
static locant_status read_key(locant_encoding *e, int k, struct spans *s,
                              struct lct_reader *r)
{
    char c = lct_read_peek(r);

    if (k >= LCT_FORMULA_ROOTS)
        return lct_spec_read_value(e, k, r);
    if (c == 0 || c == ',' || c == ')')
        return lct_read_error(r, "a value");
    s->at[k] = r->at;
    return skip_expression(&s->end[k], e->state, r);
}

/* key "=" value { "," key "=" value } ")", after "(" */
static locant_status read_entries_of(locant_encoding *e, struct spans *s,
                                     struct lct_reader *r)
{
    do {
        struct lct_token t = lct_formula_words_read(r);
        int k;

        if (t.n == 0)
            return lct_formula_words_expected(
                r, "the name of a key or of a declaration");
        k = lct_read_find(lct_key_name, e->row->keys, r, t);
        if (!lct_read_accept(r, '='))
            return k < 0 ? lct_formula_names_refuse(r, t, e)
                         : lct_formula_words_expected(r, "'='");
        if (k < 0) {
            LCT_TRY(lct_formula_names_read(e->state, e, r, t));
            continue;
        }
        if (s->given[k])
            return LCT_FORMULA_REFUSE(r, t.at, "%s is given a second time",
                                      e->row->keys[k].name);
        s->given[k] = true;
        LCT_TRY(read_key(e, k, s, r));
    } while (lct_read_accept(r, ','));
    return lct_read_accept(r, ')')
               ? LOCANT_OK
               : lct_formula_words_expected(r, "',' or ')'");
}

/* ------------------------------------------------------------------- whole */

/* Is this expression what its key stands for when it is left out? */
static bool is_default(const struct lct_formula *f, int k)
{
    const struct lct_formula_node *x = &f->node[f->root[k]];

    return x->op == LCT_FORMULA_NUMBER &&
           x->number == (k == LCT_FORMULA_BIAS ? 0 : 1);
}

static locant_status parse_roots(struct lct_formula *f, const struct spans *s,
                                 const struct lct_reader *r)
{
    for (int k = 0; k < LCT_FORMULA_ROOTS; k++) {
        struct lct_reader one = *r;

        if (!s->given[k])
            continue;
        one.at = s->at[k];
        one.size = s->end[k];
        LCT_TRY(lct_formula_parse(&f->root[k], f, &one, false));
        if (is_default(f, k))
            f->root[k] = -1;
    }
    return LOCANT_OK;
}

static locant_status finish(locant_encoding *e, const struct lct_reader *r,
                            size_t from)
{
    struct lct_formula *f = e->state;
    int work = lct_formula_graph_finish(f);

    for (int i = 0; i < f->names; i++)
        if (!f->name[i].used)
            return LCT_FORMULA_REFUSE(r, f->name[i].at,
                                      "'%s' is declared but not used",
                                      f->name[i].text);
    if (!(lct_formula_graph_reads(f) & LCT_READS_T0))
        e->value[LCT_FORMULA_LENGTH] = NAN; /* nothing depends on it */
    if (work > LCT_FORMULA_WORK)
        return LCT_FORMULA_REFUSE(r, from, "%d operations, expected at most %d",
                                  work, LCT_FORMULA_WORK);
    return LOCANT_OK;
}

/* Weight and offset of a linear map of the layer's input. */
static void list_linear(struct lct_param *p, const struct lct_formula_name *n)
{
    const char *rows = n->heads ? "heads" : "1";

    p[0] = (struct lct_param){
        .name = n->weight,
        .dims = { rows, "width" },
        LCT_NORMAL(0, 0.02),
        .scope = n->share ? LCT_SHARED : LCT_PER_LAYER,
        .doc = "weights of the layer's input in the formula's tokens",
    };
    p[1] = (struct lct_param){
        .name = n->offset,
        .dims = { rows },
        .scope = p->scope,
        .doc = "added to the weighted input of a token",
    };
}

/* The parameters as the registry lists them. */
static void list_params(struct lct_formula *f)
{
    for (int i = 0; i < f->names; i++) {
        const struct lct_formula_name *n = &f->name[i];
        struct lct_param *p;

        if (n->param < 0)
            continue;
        p = &f->param[n->param];
        if (n->linear) {
            list_linear(p, n);
            continue;
        }
        *p = (struct lct_param){
            .name = n->text,
            .rate = 10,
            .scope = n->share ? LCT_SHARED : LCT_PER_LAYER,
            .doc = "declared in the formula",
        };
        p->dims[0] = n->heads         ? "heads"
                     : n->entries > 0 ? n->entries_text
                                      : "1";
        p->dims[1] = n->heads && n->entries > 0 ? n->entries_text : NULL;
    }
}

/* A formula with room for n nodes; NULL: no memory. */
static struct lct_formula *formula_new(int n)
{
    struct lct_formula *f =
        locant_alloc(sizeof(*f) + (size_t)n * sizeof(f->node[0]));

    for (int k = 0; f != NULL && k < LCT_FORMULA_ROOTS; k++)
        f->root[k] = -1;
    return f;
}

/* Keep what is in use. */
static bool shrink(locant_encoding *e)
{
    struct lct_formula *f = e->state, *small = formula_new(f->nodes);

    if (small == NULL)
        return false;
    memcpy(small, f, sizeof(*f) + (size_t)f->nodes * sizeof(f->node[0]));
    locant_release(f);
    e->state = small;
    list_params(small);
    return true;
}

static locant_status read_all(locant_encoding *e, struct lct_reader *r)
{
    struct spans s = { 0 };
    size_t from = (lct_read_peek(r), r->at);

    if (!lct_read_accept(r, '(') || lct_read_accept(r, ')'))
        return LOCANT_OK;
    LCT_TRY(read_entries_of(e, &s, r));
    if (r->at - from > LCT_FORMULA_BYTES)
        return LCT_FORMULA_REFUSE(r, from, "%zu bytes, expected at most %d",
                                  r->at - from, LCT_FORMULA_BYTES);
    LCT_TRY(parse_roots(e->state, &s, r));
    return finish(e, r, from);
}

locant_status lct_formula_read(locant_encoding *e, struct lct_reader *r)
{
    e->state = formula_new(LCT_FORMULA_NODES);
    if (e->state != NULL)
        LCT_TRY(read_all(e, r));
    if (e->state != NULL && shrink(e))
        return LOCANT_OK;
    return locant_fail(LOCANT_ERR_NOMEM, "%s: no memory for the formula",
                       r->fn);
}
