/*
 * formula_parse.c - the text of an expression to nodes of a formula.
 *
 * Recursive descent, one function for each rule of the grammar; recursion ends
 * at LCT_FORMULA_DEPTH.
 */
#include "formula_parse.h"
#include "../core/quote.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

struct parser {
    struct lct_formula *f;
    struct lct_reader *r;
    bool any_name;
    int depth;
};

static locant_status parse_sum(int *out, struct parser *p);
static locant_status parse_unary(int *out, struct parser *p);

/* ------------------------------------------------------------------- words */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

bool lct_formula_parse_is_reserved(const char *text, size_t n)
{
    static const char *const words[] = { "bias",   "gain",  "after", "length",
                                         "future", "param", "const", "token",
                                         "scan",   "heads", "one" };

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (strlen(words[i]) == n && memcmp(words[i], text, n) == 0)
            return true;
    return lct_formula_graph_op(text, n, true) < LCT_FORMULA_OPS ||
           lct_formula_graph_op(text, n, false) < LCT_FORMULA_OPS;
}

/* Error: expected 'wanted' here. */
static locant_status expected(struct parser *p, const char *wanted)
{
    char c = lct_read_peek(p->r);
    char found[LCT_QUOTE_BYTES];

    if (c == 0)
        return LCT_FORMULA_REFUSE(p->r, p->r->at,
                                  "%s expected, the expression ends", wanted);
    return LCT_FORMULA_REFUSE(p->r, p->r->at, "%s expected, '%s' found", wanted,
                              lct_quote(found, &c, 1));
}

static locant_status make(int *out, struct parser *p, struct lct_formula_node x)
{
    *out = lct_formula_graph_node(p->f, x);
    if (*out >= 0)
        return LOCANT_OK;
    return LCT_FORMULA_REFUSE(p->r, p->r->at,
                              "more than %d numbers, names and operations",
                              LCT_FORMULA_NODES);
}

static locant_status make_two(int *out, struct parser *p,
                              enum lct_formula_op op, int a, int b)
{
    return make(
        out, p,
        (struct lct_formula_node){ .op = op, .arg = { a, b }, .name = -1 });
}

/* ------------------------------------------------------------------- atoms */

/* digits, fraction, exponent; 'e' without digits after it is a name. */
static locant_status parse_number(int *out, struct parser *p)
{
    struct lct_reader *r = p->r;
    size_t from = r->at, e;
    struct lct_formula_node x = { .op = LCT_FORMULA_NUMBER, .name = -1 };

    while (r->at < r->size &&
           (is_digit(r->text[r->at]) || (r->text[r->at] == '.')))
        r->at++;
    e = r->at;
    if (e < r->size && (r->text[e] == 'e' || r->text[e] == 'E')) {
        e++;
        e += e < r->size && (r->text[e] == '+' || r->text[e] == '-');
        while (e < r->size && is_digit(r->text[e]))
            r->at = ++e;
    }
    if (!lct_number_parse(&x.number, r->text + from, r->at - from) ||
        !isfinite(x.number)) {
        char found[LCT_QUOTE_BYTES];

        return LCT_FORMULA_REFUSE(
            r, from, "'%s' is not a number",
            lct_quote(found, r->text + from, r->at - from));
    }
    return make(out, p, x);
}

static const char *function_name(const void *list, size_t i)
{
    (void)list;
    return i <= LCT_FORMULA_LERP - LCT_FORMULA_EXP
               ? lct_formula_graph_text(
                     (enum lct_formula_op)(LCT_FORMULA_EXP + i))
               : NULL;
}

/* Names of leaves, then those declared. */
static const char *leaf_name(const void *list, size_t i)
{
    const struct lct_formula *f = list;
    size_t leaves = LCT_FORMULA_INF - LCT_FORMULA_D + 1;

    if (i < leaves)
        return lct_formula_graph_text((enum lct_formula_op)(LCT_FORMULA_D + i));
    i -= leaves;
    return i < (size_t)f->names ? f->name[i].text : NULL;
}

static locant_status unknown_name(struct parser *p, struct lct_token t)
{
    const char *text = p->r->text + t.at;
    char found[LCT_QUOTE_BYTES], suggest[320];
    bool function = lct_read_peek(p->r) == '(';

    lct_quote(found, text, t.n);
    if (!function && lct_formula_graph_op(text, t.n, true) < LCT_FORMULA_OPS)
        return LCT_FORMULA_REFUSE(p->r, t.at, "'%s' is a function: %s(..)",
                                  found, found);
    lct_suggest(suggest, sizeof(suggest), function ? function_name : leaf_name,
                p->f, text, t.n);
    if (!function && strncmp(suggest, "; did", 5) != 0 && text[0] >= 'a' &&
        text[0] <= 'z')
        return LCT_FORMULA_REFUSE(
            p->r, t.at, "'%s' is used but not declared: %s=param(heads)? (%s)",
            found, found, suggest + strlen("; "));
    return LCT_FORMULA_REFUSE(p->r, t.at, "unknown %s '%s'%s",
                              function ? "function" : "name", found, suggest);
}

static locant_status parse_name(int *out, struct parser *p, struct lct_token t)
{
    const char *text = p->r->text + t.at;
    struct lct_formula_node x = { .op = lct_formula_graph_op(text, t.n, false),
                                  .name = -1 };

    if (x.op < LCT_FORMULA_OPS)
        return make(out, p, x);
    if (p->any_name) {
        x.op = LCT_FORMULA_NUMBER;
        return make(out, p, x);
    }
    x.op = LCT_FORMULA_SCALAR;
    x.name = lct_formula_graph_find(p->f, text, t.n);
    if (x.name < 0)
        return unknown_name(p, t);
    if (p->f->name[x.name].kind >= LCT_FORMULA_TOKEN)
        return LCT_FORMULA_REFUSE(
            p->r, t.at, "'%s' is an array of tokens: %s.q or %s.k",
            p->f->name[x.name].text, p->f->name[x.name].text,
            p->f->name[x.name].text);
    if (p->f->name[x.name].entries > 0)
        return LCT_FORMULA_REFUSE(
            p->r, t.at, "'%s' is a table: pick(%s,x) or lerp(%s,x)",
            p->f->name[x.name].text, p->f->name[x.name].text,
            p->f->name[x.name].text);
    p->f->name[x.name].used = true;
    return make(out, p, x);
}

/* The table that is the first argument of pick and lerp. */
static locant_status parse_table(int *name, struct parser *p)
{
    struct lct_token t = lct_formula_words_read(p->r);
    char found[LCT_QUOTE_BYTES];

    *name = lct_formula_graph_find(p->f, p->r->text + t.at, t.n);
    if (t.n == 0)
        return expected(p, "the name of a table");
    if (p->any_name) {
        *name = 0;
    } else if (*name < 0 || p->f->name[*name].entries == 0) {
        lct_quote(found, p->r->text + t.at, t.n);
        return LCT_FORMULA_REFUSE(p->r, t.at,
                                  "'%s' is not a table: %s=param(heads,32)?",
                                  found, found);
    } else {
        p->f->name[*name].used = true;
    }
    return lct_read_accept(p->r, ',') ? LOCANT_OK : expected(p, "','");
}

/* sum comparison sum */
static locant_status parse_test(int *out, struct parser *p)
{
    enum lct_formula_op op = LCT_FORMULA_OPS;
    int a, b;

    LCT_TRY(parse_sum(&a, p));
    if (lct_read_accept(p->r, '<'))
        op = LCT_FORMULA_LT;
    else if (lct_read_accept(p->r, '>'))
        op = LCT_FORMULA_GT;
    else if (lct_read_peek(p->r) == '=' && p->r->at + 1 < p->r->size &&
             p->r->text[p->r->at + 1] == '=') {
        p->r->at += 2;
        op = LCT_FORMULA_EQ;
    } else {
        return expected(p, "<, <=, >, >= or ==");
    }
    if (op != LCT_FORMULA_EQ && p->r->at < p->r->size &&
        p->r->text[p->r->at] == '=') {
        p->r->at++;
        op = op == LCT_FORMULA_LT ? LCT_FORMULA_LE : LCT_FORMULA_GE;
    }
    LCT_TRY(parse_sum(&b, p));
    return make_two(out, p, op, a, b);
}

/* After the name and "(". */
static locant_status parse_call(int *out, struct parser *p, struct lct_token t)
{
    struct lct_formula_node x = {
        .op = lct_formula_graph_op(p->r->text + t.at, t.n, true), .name = -1
    };
    bool table = x.op == LCT_FORMULA_PICK || x.op == LCT_FORMULA_LERP;
    int n = 0, want = lct_formula_graph_arguments(x.op) + table;

    if (table) {
        LCT_TRY(parse_table(&x.name, p));
        n++;
    }
    do {
        int at = n - table, arg;

        if (x.op == LCT_FORMULA_IF && at == 0)
            LCT_TRY(parse_test(&arg, p));
        else
            LCT_TRY(parse_sum(&arg, p));
        if (n++ < want)
            x.arg[at] = arg;
    } while (lct_read_accept(p->r, ','));
    if (!lct_read_accept(p->r, ')'))
        return expected(p, "')'");
    if (n != want)
        return LCT_FORMULA_REFUSE(p->r, t.at, "%s takes %d argument%s, not %d",
                                  lct_formula_graph_text(x.op), want,
                                  want == 1 ? "" : "s", n);
    if (p->any_name && table)
        x = (struct lct_formula_node){ .op = LCT_FORMULA_NUMBER, .name = -1 };
    return make(out, p, x);
}

/* After the name and ".": q or k. */
static locant_status parse_selector(int *out, struct parser *p,
                                    struct lct_token t)
{
    struct lct_formula_node x = { .op = LCT_FORMULA_NUMBER, .name = -1 };
    struct lct_token which = lct_formula_words_read(p->r);
    bool query = lct_formula_words_are(p->r, which, "q");
    char found[LCT_QUOTE_BYTES];

    if (!query && !lct_formula_words_are(p->r, which, "k")) {
        p->r->at = which.at;
        return expected(p, "q or k");
    }
    if (p->any_name)
        return make(out, p, x);
    x.op = query ? LCT_FORMULA_OF_QUERY : LCT_FORMULA_OF_KEY;
    x.name = lct_formula_graph_find(p->f, p->r->text + t.at, t.n);
    if (x.name < 0 || p->f->name[x.name].kind < LCT_FORMULA_TOKEN) {
        lct_quote(found, p->r->text + t.at, t.n);
        return LCT_FORMULA_REFUSE(
            p->r, t.at, "'%s' is not an array of tokens: %s=token(heads)?",
            found, found);
    }
    p->f->name[x.name].used = true;
    return make(out, p, x);
}

static locant_status parse_word(int *out, struct parser *p)
{
    struct lct_token t = lct_formula_words_read(p->r);
    bool call = lct_read_peek(p->r) == '(';

    if (lct_read_accept(p->r, '.'))
        return parse_selector(out, p, t);
    if (!call)
        return parse_name(out, p, t);
    if (lct_formula_graph_op(p->r->text + t.at, t.n, true) == LCT_FORMULA_OPS)
        return unknown_name(p, t);
    p->r->at++;
    return parse_call(out, p, t);
}

static locant_status parse_atom(int *out, struct parser *p)
{
    char c = lct_read_peek(p->r);

    if (is_digit(c) || c == '.')
        return parse_number(out, p);
    if (lct_is_letter(c))
        return parse_word(out, p);
    if (!lct_read_accept(p->r, '('))
        return expected(p, "a number, a name or '('");
    LCT_TRY(parse_sum(out, p));
    return lct_read_accept(p->r, ')') ? LOCANT_OK : expected(p, "')'");
}

/* ------------------------------------------------------------- expressions */

static locant_status parse_power(int *out, struct parser *p)
{
    int b;

    LCT_TRY(parse_atom(out, p));
    if (!lct_read_accept(p->r, '^'))
        return LOCANT_OK;
    LCT_TRY(parse_unary(&b, p));
    return make_two(out, p, LCT_FORMULA_POW, *out, b);
}

static locant_status parse_unary(int *out, struct parser *p)
{
    locant_status status;

    if (p->depth == LCT_FORMULA_DEPTH)
        return LCT_FORMULA_REFUSE(p->r, p->r->at,
                                  "expressions nested deeper than %d",
                                  LCT_FORMULA_DEPTH);
    p->depth++;
    if (lct_read_accept(p->r, '-')) {
        status = parse_unary(out, p);
        if (status == LOCANT_OK)
            status = make_two(out, p, LCT_FORMULA_NEG, *out, 0);
    } else {
        status = parse_power(out, p);
    }
    p->depth--;
    return status;
}

static locant_status parse_product(int *out, struct parser *p)
{
    LCT_TRY(parse_unary(out, p));
    for (;;) {
        enum lct_formula_op op = LCT_FORMULA_MUL;
        int b;

        if (!lct_read_accept(p->r, '*')) {
            op = LCT_FORMULA_DIV;
            if (!lct_read_accept(p->r, '/'))
                return LOCANT_OK;
        }
        LCT_TRY(parse_unary(&b, p));
        LCT_TRY(make_two(out, p, op, *out, b));
    }
}

static locant_status parse_sum(int *out, struct parser *p)
{
    LCT_TRY(parse_product(out, p));
    for (;;) {
        enum lct_formula_op op = LCT_FORMULA_ADD;
        int b;

        if (!lct_read_accept(p->r, '+')) {
            op = LCT_FORMULA_SUB;
            if (!lct_read_accept(p->r, '-'))
                return LOCANT_OK;
        }
        LCT_TRY(parse_product(&b, p));
        LCT_TRY(make_two(out, p, op, *out, b));
    }
}

locant_status lct_formula_parse(int *root, struct lct_formula *f,
                                struct lct_reader *r, bool any_name)
{
    struct parser p = { f, r, any_name, 0 };

    LCT_TRY(parse_sum(root, &p));
    if (lct_read_peek(r) != 0)
        return expected(&p, "an operator, ',' or ')'");
    return LOCANT_OK;
}
