/* check_find.c - findings, whose texts are those of findings.def */
#include "check_report.h"
#include "../core/quote.h"
#include "../core/text.h"
#include "check_params.h"
#include <assert.h>
#include <stdlib.h>

/* Stacks of findings.def. */
enum {
    MEND = 1, /* instead of one: how to mend it */
    HF4 = LCT_HF4,
    HF5 = LCT_HF5,
    HF = LCT_HF,
    VLLM = LCT_VLLM,
    LLAMA_CPP = LCT_LLAMA_CPP,
    MLX = LCT_MLX,
    EVERY = LCT_EVERY_STACK,
    REST = LCT_EVERY_STACK & ~LCT_HF5,
    READERS = 1 << LCT_STACKS,
    WHAT /* not in the table: what is wrong */
};

enum { SAYS = 6, TEXT_BYTES = 1024 };

static const struct row {
    enum lct_check_id check;
    const char *key, *what;
    struct {
        unsigned stacks;
        const char *text;
    } says[SAYS];
} rows[] = {
#define FINDING(check, variant, key, what, ...)                                \
    { LCT_CHECK_##check, key, what, { __VA_ARGS__ } },
#include "findings.def"
#undef FINDING
};

/* What a finding is about. */
struct subject {
    const struct lct_check *k;
    const struct lct_rope_entry *e;
    const struct lct_word *words;
    size_t n;
};

/* The word that a text names: by its number, or by a name [n]. */
static struct lct_word word_of(const struct subject *u, const char *name,
                               size_t n)
{
    static const struct lct_rope_entry none = { .layers = "", .kind = "" };
    const struct lct_check *k = u->k;
    const struct lct_rope_entry *e = u->e ? u->e : &none;
    const struct {
        const char *name;
        struct lct_word word;
    } names[] = {
        { "type", S(k->type) }, { "class_base", R(lct_check_class_base(k)) },
        { "d", I(k->d) },       { "D", I(k->D) },
        { "H", I(k->H) },       { "K", I(k->K) },
        { "L", I(k->L) },       { "M", I(k->M) },
        { "path", S(e->path) }, { "layers", S(e->layers) },
        { "kind", S(e->kind) }, { "original", R(e->original) },
        { "base", R(e->base) }, { "factor", R(e->factor) },
        { "rot", I(e->rot) },   { "pairs", I(e->rot / 2) },
    };
    size_t i = 0;

    if (name[0] > '0' && name[0] <= '9') {
        assert(n == 1 && (size_t)(name[0] - '0') < u->n);
        return u->words[name[0] - '0'];
    }
    while (i + 1 < sizeof names / sizeof names[0] &&
           (strlen(names[i].name) != n || strncmp(names[i].name, name, n) != 0))
        i++;
    assert(strncmp(names[i].name, name, n) == 0);
    return names[i].word;
}

static bool counts(const struct lct_word *w)
{
    return w->whole != 0 || w->real != 0 ||
           (w->text != NULL && w->text[0] != '\0');
}

/* 'digits' of a real number, "6f" or "17g"; else ten are enough. */
static void put_word(char out[TEXT_BYTES], const struct lct_word *w,
                     const char *digits)
{
    char quoted[LCT_QUOTE_BYTES], *letter;
    const long given = strtol(digits, &letter, 10);
    const int n = letter == digits ? 10 : (int)given;

    if (w->kind == LCT_WORD_TEXT)
        lct_append(out, TEXT_BYTES, "%s", w->text);
    else if (w->kind == LCT_WORD_QUOTED)
        lct_append(out, TEXT_BYTES, "%s",
                   lct_quote(quoted, w->text, strlen(w->text)));
    else if (w->kind == LCT_WORD_WHOLE)
        lct_append(out, TEXT_BYTES, "%lld", (long long)w->whole);
    else
        lct_append(out, TEXT_BYTES, *letter == 'f' ? "%.*f" : "%.*g", n,
                   w->real);
}

/* A text with its words in place; see findings.def. */
static void fill(char out[TEXT_BYTES], const struct subject *u,
                 const char *text)
{
    bool shown = true;

    out[0] = '\0';
    while (*text != '\0') {
        const size_t plain = strcspn(text, "{");
        const char *name = text + plain + 1;
        const size_t n = text[plain] ? strcspn(name, "?!:}") : 0;

        if (shown)
            lct_append(out, TEXT_BYTES, "%.*s", (int)plain, text);
        if (text[plain] == '\0')
            return;
        if (name[n] == '?' || name[n] == '!') {
            const struct lct_word w = n > 0 ? word_of(u, name, n) : I(1);

            shown = counts(&w) == (name[n] == '?');
        } else if (shown) {
            const struct lct_word w = word_of(u, name, n);

            put_word(out, &w, name + n + (name[n] == ':'));
        }
        text = strchr(name, '}') + 1;
    }
}

/* What one of the texts says; an empty one nothing. */
static void say(struct lct_draft *f, const struct subject *u, unsigned stacks,
                const char *text)
{
    char filled[TEXT_BYTES];

    fill(filled, u, text);
    if (filled[0] == '\0')
        return;
    if (stacks == READERS)
        stacks =
            lct_check_is_gguf(u->k) ? LCT_LLAMA_CPP : HF | LCT_VLLM | LCT_MLX;
    if (stacks == MEND || stacks == WHAT)
        lct_report_set(stacks == MEND ? &f->mend : &f->what, f->report, filled);
    for (int i = 1; i < LCT_STACKS && stacks != WHAT; i++)
        if (stacks >> i & 1)
            lct_report_set(&f->computes[i], f->report, filled);
}

/* The key as the file calls it. */
static void set_key(struct lct_draft *f, const struct subject *u,
                    const char *text)
{
    char key[TEXT_BYTES], path[256];
    bool whole;

    fill(key, u, text);
    whole = key[0] == '/';
    snprintf(path, sizeof path, "%s%s", whole ? "" : u->k->prefix,
             u->k->params ? lct_check_params_key(key) : key + whole);
    lct_report_set(&f->key, f->report, path);
}

struct lct_draft *lct_check_find(struct lct_check *k,
                                 const struct lct_rope_entry *e,
                                 const struct lct_word *words, size_t n)
{
    const struct row *row = &rows[words[0].whole];
    const struct subject u = { k, e, words, n };
    struct lct_draft *f = lct_report_add(k->report);

    f->report = k->report;
    f->id = row->check;
    f->severity = locant_model_check_at(row->check)->severity;
    set_key(f, &u, row->key);
    say(f, &u, WHAT, row->what);
    for (int i = 0; i < SAYS && row->says[i].text != NULL; i++)
        say(f, &u, row->says[i].stacks, row->says[i].text);
    return f;
}
