/* formula_names.c - declarations of a formula: param(..), const(..), token(..)
 * and scan(..) */
#include "formula_names.h"
#include "../core/quote.h"
#include "formula_parse.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* number | slopes | uniform(a,b) | normal(s) */
static locant_status read_init(struct lct_formula_name *n, struct lct_reader *r)
{
    struct lct_token t;

    if (!lct_is_letter(lct_read_peek(r)))
        return lct_formula_words_number(&n->a, r);
    t = lct_formula_words_read(r);
    if (lct_formula_words_are(r, t, "slopes")) {
        n->init = LCT_START_SLOPES;
        return n->heads && n->entries == 0
                   ? LOCANT_OK
                   : LCT_FORMULA_REFUSE(r, t.at, "%s",
                                        "slopes are one number for each head: "
                                        "param(heads,init=slopes)");
    }
    if (lct_formula_words_are(r, t, "uniform"))
        n->init = LCT_START_UNIFORM;
    else if (lct_formula_words_are(r, t, "normal"))
        n->init = LCT_START_NORMAL;
    else {
        r->at = t.at;
        return lct_formula_words_expected(
            r, "a number, slopes, uniform(a,b) or normal(s)");
    }
    LCT_TRY(lct_formula_words_char(r, '('));
    LCT_TRY(lct_formula_words_number(&n->a, r));
    if (n->init == LCT_START_UNIFORM) {
        LCT_TRY(lct_formula_words_char(r, ','));
        LCT_TRY(lct_formula_words_number(&n->b, r));
    }
    return lct_formula_words_char(r, ')');
}

/* The index of the next word among 'words'; or fail. */
static locant_status read_choice(int *out, struct lct_reader *r,
                                 const char *const *words, const char *wanted)
{
    struct lct_token t = lct_formula_words_read(r);

    for (*out = 0; words[*out] != NULL; ++*out)
        if (lct_formula_words_are(r, t, words[*out]))
            return LOCANT_OK;
    r->at = t.at;
    return lct_formula_words_expected(r, wanted);
}

static locant_status read_share(struct lct_formula_name *n,
                                struct lct_reader *r)
{
    static const char *const switches[] = { "no", "yes", NULL };
    int choice;

    LCT_TRY(read_choice(&choice, r, switches, "yes or no"));
    n->share = choice == 1;
    return LOCANT_OK;
}

static locant_status read_option(struct lct_formula_name *n,
                                 struct lct_reader *r)
{
    static const char *const options[] = { "init", "min",   "max",
                                           "law",  "share", NULL };
    static const char *const laws[] = { "raw", "exp", "softplus", NULL };
    int option, choice;

    LCT_TRY(read_choice(&option, r, options,
                        "heads, one, a number of entries, init, min, max, law "
                        "or share"));
    LCT_TRY(lct_formula_words_char(r, '='));
    switch (option) {
    case 0: return read_init(n, r);
    case 1: return lct_formula_words_number(&n->min, r);
    case 2: return lct_formula_words_number(&n->max, r);
    case 3:
        LCT_TRY(read_choice(&choice, r, laws, "raw, exp or softplus"));
        n->law = (enum lct_formula_law)choice;
        return LOCANT_OK;
    default: return read_share(n, r);
    }
}

/* The size of a table. */
static locant_status read_entries(struct lct_formula_name *n,
                                  struct lct_reader *r)
{
    size_t at = (lct_read_peek(r), r->at);
    double entries;

    LCT_TRY(lct_formula_words_number(&entries, r));
    if (entries < 1 || entries > LCT_FORMULA_TABLE || entries != floor(entries))
        return LCT_FORMULA_REFUSE(r, at,
                                  "a table of %g entries, expected 1 to %d",
                                  entries, LCT_FORMULA_TABLE);
    n->entries = (int64_t)entries;
    snprintf(n->entries_text, sizeof(n->entries_text), "%" PRId64, n->entries);
    return LOCANT_OK;
}

/* Values that the options allow; the law must have an inverse there. */
static locant_status check_param(const struct lct_formula_name *n,
                                 const struct lct_reader *r, size_t at)
{
    double low =
        n->init == LCT_START_NUMBER || n->init == LCT_START_UNIFORM ? n->a : 1;

    if (n->init == LCT_START_UNIFORM && n->a > n->b)
        return LCT_FORMULA_REFUSE(r, at,
                                  "'%s' starts in uniform(%g,%g), expected the "
                                  "smaller number first",
                                  n->text, n->a, n->b);
    if (n->min > n->max)
        return LCT_FORMULA_REFUSE(r, at, "'%s' has min=%g above max=%g",
                                  n->text, n->min, n->max);
    if (n->law == LCT_LAW_RAW)
        return LOCANT_OK;
    if (n->init == LCT_START_NORMAL || low <= 0 || n->max <= 0)
        return LCT_FORMULA_REFUSE(r, at,
                                  "'%s' is positive by its law, expected init "
                                  "and max above 0",
                                  n->text);
    return LOCANT_OK;
}

/* heads | one | entries, { "," option } ")" */
static locant_status read_param(struct lct_formula_name *n,
                                struct lct_reader *r, size_t at)
{
    struct lct_token t;
    bool more;

    n->a = 1;
    n->min = -INFINITY;
    n->max = INFINITY;
    if (lct_is_letter(lct_read_peek(r))) {
        t = lct_formula_words_read(r);
        n->heads = lct_formula_words_are(r, t, "heads");
        if (!n->heads && !lct_formula_words_are(r, t, "one")) {
            r->at = t.at;
            return lct_formula_words_expected(
                r, "heads, one or a number of entries");
        }
    } else {
        LCT_TRY(read_entries(n, r));
    }
    more = lct_read_accept(r, ',');
    if (more && n->heads && !lct_is_letter(lct_read_peek(r))) {
        LCT_TRY(read_entries(n, r));
        more = lct_read_accept(r, ',');
    }
    while (more) {
        LCT_TRY(read_option(n, r));
        more = lct_read_accept(r, ',');
    }
    LCT_TRY(lct_formula_words_char(r, ')'));
    return check_param(n, r, at);
}

/* map | law | init | share of an array of tokens */
static locant_status read_token_option(struct lct_formula_name *n,
                                       struct lct_reader *r)
{
    static const char *const options[] = { "map", "law", "init", "share",
                                           NULL };
    static const char *const maps[] = { "none", "linear", NULL };
    static const char *const laws[] = { "raw", "exp", "softplus", "logsigmoid",
                                        NULL };
    int option, choice;

    LCT_TRY(read_choice(&option, r, options, "map, law, init or share"));
    LCT_TRY(lct_formula_words_char(r, '='));
    switch (option) {
    case 0:
        LCT_TRY(read_choice(&choice, r, maps, "none or linear"));
        n->linear = choice == 1;
        return LOCANT_OK;
    case 1:
        LCT_TRY(
            read_choice(&choice, r, laws, "raw, exp, softplus or logsigmoid"));
        n->law = (enum lct_formula_law)choice;
        return LOCANT_OK;
    case 2: return lct_formula_words_number(&n->a, r);
    default: return read_share(n, r);
    }
}

static void name_param(char *out, const struct lct_formula_name *n,
                       const char *end)
{
    size_t used = strlen(n->text);

    memcpy(out, n->text, used);
    memcpy(out + used, end, strlen(end) + 1);
}

/* heads | one, { "," option } ")" */
static locant_status read_tokens(struct lct_formula *f,
                                 struct lct_formula_name *n,
                                 struct lct_reader *r, size_t at)
{
    static const char *const sizes[] = { "heads", "one", NULL };
    int size;

    LCT_TRY(read_choice(&size, r, sizes, "heads or one"));
    n->heads = size == 0;
    while (lct_read_accept(r, ','))
        LCT_TRY(read_token_option(n, r));
    LCT_TRY(lct_formula_words_char(r, ')'));
    if (!n->linear && (n->a != 0 || n->share))
        return LCT_FORMULA_REFUSE(r, at,
                                  "'%s' has no parameters, expected map=linear "
                                  "with init and share",
                                  n->text);
    if (!n->linear)
        return LOCANT_OK;
    n->param = f->params;
    f->params += 2;
    name_param(n->weight, n, ".weight");
    name_param(n->offset, n, ".bias");
    return LOCANT_OK;
}

/* Is this a name that may be declared? */
static bool is_plain(const struct lct_reader *r, struct lct_token t)
{
    for (size_t i = 0; i < t.n; i++)
        if (r->text[t.at + i] >= 'A' && r->text[t.at + i] <= 'Z')
            return false;
    return t.n > 0 && t.n < LCT_FORMULA_NAME;
}

static locant_status check_name(const struct lct_formula *f,
                                const struct lct_reader *r, struct lct_token t)
{
    char found[LCT_QUOTE_BYTES];

    lct_quote(found, r->text + t.at, t.n);
    if (lct_formula_parse_is_reserved(r->text + t.at, t.n))
        return LCT_FORMULA_REFUSE(r, t.at, "'%s' is a reserved name", found);
    if (!is_plain(r, t))
        return LCT_FORMULA_REFUSE(r, t.at,
                                  "'%s' is not a name of at most %d small "
                                  "letters, digits and '_'",
                                  found, LCT_FORMULA_NAME - 1);
    if (lct_formula_graph_find(f, r->text + t.at, t.n) >= 0)
        return LCT_FORMULA_REFUSE(r, t.at, "'%s' is declared twice", found);
    if (f->names == LCT_FORMULA_NAMES)
        return LCT_FORMULA_REFUSE(r, t.at, "more than %d declarations",
                                  LCT_FORMULA_NAMES);
    return LOCANT_OK;
}

/* A name that is no key, and whose value is no declaration. */
locant_status lct_formula_names_refuse(struct lct_reader *r, struct lct_token t,
                                       const locant_encoding *e)
{
    char found[LCT_QUOTE_BYTES], suggest[200];

    lct_quote(found, r->text + t.at, t.n);
    lct_suggest(suggest, sizeof(suggest), lct_key_name, e->row->keys,
                r->text + t.at, t.n);
    return LCT_FORMULA_REFUSE(r, t.at,
                              "unknown key '%s', and no declaration "
                              "%s=param(heads) or %s=const(1)%s",
                              found, found, found, suggest);
}

/* The kind that a word names; false: none. */
static bool find_kind(enum lct_formula_kind *kind, const struct lct_reader *r,
                      struct lct_token t)
{
    static const char *const words[] = { [LCT_FORMULA_CONST] = "const",
                                         [LCT_FORMULA_PARAM] = "param",
                                         [LCT_FORMULA_TOKEN] = "token",
                                         [LCT_FORMULA_SCAN] = "scan" };

    for (size_t k = 0; k < sizeof(words) / sizeof(words[0]); k++)
        if (lct_formula_words_are(r, t, words[k])) {
            *kind = (enum lct_formula_kind)k;
            return true;
        }
    return false;
}

/* param(..) | const(number) | token(..) | scan(..), after the name */
locant_status lct_formula_names_read(struct lct_formula *f,
                                     const locant_encoding *e,
                                     struct lct_reader *r, struct lct_token t)
{
    struct lct_formula_name *n = &f->name[f->names];
    enum lct_formula_kind kind;

    LCT_TRY(check_name(f, r, t));
    if (!find_kind(&kind, r, lct_formula_words_read(r)))
        return lct_formula_names_refuse(r, t, e);
    LCT_TRY(lct_formula_words_char(r, '('));
    *n = (struct lct_formula_name){ .kind = kind, .param = -1, .at = t.at };
    memcpy(n->text, r->text + t.at, t.n);
    f->names++;
    if (kind == LCT_FORMULA_CONST) {
        LCT_TRY(lct_formula_words_number(&n->a, r));
        return lct_formula_words_char(r, ')');
    }
    if (kind != LCT_FORMULA_PARAM)
        return read_tokens(f, n, r, t.at);
    n->param = f->params++;
    return read_param(n, r, t.at);
}
