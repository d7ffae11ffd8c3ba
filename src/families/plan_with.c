/* plan_with.c - a plan with an extension that its file does not have */
#include "plan_with.h"
#include "extend.h"
#include "plan_spec.h"
#include "plan_waves.h"
#include "spec_key.h"
#include <inttypes.h>
#include <string.h>

/* An extension as it is typed: "yarn(factor=4)". */
struct with {
    const char *text, *name, *arguments; /* of 'text'; "" without brackets */
    size_t name_length, arguments_length;
    int64_t trained;
    const char *file;
};

enum kind { NONE, SCALING, ROPE, INSTEAD, BESIDE };

static const struct {
    const char *name, *scaling; /* NULL: its name */
    enum kind kind;
    bool original; /* the scaling has the key */
} names[] = {
    { "pi", "linear", SCALING, false },
    { "linear", NULL, SCALING, false },
    { "ntk", NULL, SCALING, false },
    { "dynamic", NULL, SCALING, true },
    { "yarn", NULL, SCALING, true },
    { "longrope", NULL, SCALING, true },
    { "llama3", NULL, SCALING, true },
    { "proportional", NULL, SCALING, false },
    { "mixed-radix", NULL, SCALING, true },
    { "rope", NULL, ROPE, false },
    { "selfextend", NULL, INSTEAD, false },
    { "rerope", NULL, INSTEAD, false },
    { "streaming", NULL, INSTEAD, false },
    { "window", NULL, BESIDE, false },
};

enum { NAMES = sizeof names / sizeof *names };

/* Its row in the table, NAMES if it has none. */
static size_t parse(struct with *w, const char *text)
{
    size_t i = 0;

    w->text = w->name = text;
    w->name_length = strcspn(text, "(");
    w->arguments = text + w->name_length + (text[w->name_length] == '(');
    w->arguments_length = strlen(w->arguments);
    if (w->arguments_length > 0)
        w->arguments_length--; /* the last bracket */
    while (i < NAMES && (strlen(names[i].name) != w->name_length ||
                         strncmp(names[i].name, text, w->name_length) != 0))
        i++;
    return i;
}

static bool has_argument(const struct with *w, const char *key)
{
    char value[8];

    return lct_spec_value(value, sizeof value, w->text, key);
}

/* ------------------------------------------------------------------- terms */

static void put_comma(struct lct_plan_spec *s)
{
    if (s->n > 0 && s->text[s->n - 1] != '(')
        lct_plan_spec_put(s, ",");
}

/* "base=..,dim=..,.." of a rope without its scaling. */
static void put_keys(struct lct_plan_spec *s, const char *rope, size_t n)
{
    const char *at = memchr(rope, '(', n);

    while (at != NULL && at < rope + n && *at != ')') {
        size_t length = lct_spec_key_length(++at);

        if (strncmp(at, "scaling=", 8) != 0) {
            put_comma(s);
            lct_plan_spec_put(s, "%.*s", (int)length, at);
        }
        at += length;
    }
}

/* Pairs that LongRoPE divides by less than the whole factor. */
static int64_t critical_of(const struct with *w, const char *rope,
                           const struct lct_layer_plan *l)
{
    struct lct_extend e = { .trained = w->trained,
                            .base = lct_spec_number(rope, "base", 10000) };
    struct lct_plan_waves waves;

    if (lct_plan_waves_of(&waves, l, 1, w->file) != LOCANT_OK)
        return 1;
    e.rotated = 2 * waves.pairs;
    lct_plan_waves_free(&waves);
    return e.rotated > 2 ? lct_extend_critical(&e) : 1;
}

static void put_scaled(struct lct_plan_spec *s, const struct with *w, size_t i,
                       const char *rope, size_t n,
                       const struct lct_layer_plan *l)
{
    lct_plan_spec_put(s, "%.*s(", (int)strcspn(rope, "(+"), rope);
    put_keys(s, rope, n);
    put_comma(s);
    lct_plan_spec_put(s, "scaling=%s(%.*s",
                      names[i].scaling ? names[i].scaling : names[i].name,
                      (int)w->arguments_length, w->arguments);
    if (names[i].original && !has_argument(w, "original")) {
        put_comma(s);
        lct_plan_spec_put(s, "original=%" PRId64, w->trained);
    }
    if (strcmp(names[i].name, "longrope") == 0 && !has_argument(w, "long") &&
        !has_argument(w, "critical")) {
        put_comma(s);
        lct_plan_spec_put(s, "critical=%" PRId64, critical_of(w, rope, l));
    }
    lct_plan_spec_put(s, "))");
}

/* Base and pairing go over; a part of a head or a scaling cannot. */
static locant_status put_instead(struct lct_plan_spec *s, const struct with *w,
                                 const char *rope)
{
    static const char *const kept[] = { "base", "pairing" };
    const char *value;
    size_t n;

    if (strncmp(rope, "mrope", 5) == 0 ||
        lct_spec_key_value(&value, rope, "dim") > 0 ||
        lct_spec_key_value(&value, rope, "scaling") > 0)
        return locant_fail(LOCANT_ERR_UNSUPPORTED,
                           "%s: %.*s takes the place of a rope of whole heads "
                           "without scaling, found %.*s",
                           w->file, (int)w->name_length, w->name,
                           (int)lct_spec_key_length(rope), rope);
    lct_plan_spec_put(s, "%.*s(%.*s", (int)w->name_length, w->name,
                      (int)w->arguments_length, w->arguments);
    for (int i = 0; i < 2; i++)
        if ((n = lct_spec_key_value(&value, rope, kept[i])) > 0 &&
            !has_argument(w, kept[i])) {
            put_comma(s);
            lct_plan_spec_put(s, "%s=%.*s", kept[i], (int)n, value);
        }
    lct_plan_spec_put(s, ")");
    return LOCANT_OK;
}

/* ------------------------------------------------------------------ layers */

static locant_status change(struct lct_layer_plan *l, const struct with *w,
                            size_t i)
{
    struct lct_plan_spec s = { 0 };
    locant_encoding *encoding;
    const char *rope;
    size_t n = lct_spec_key_rope(&rope, l->spec);
    locant_status status = LOCANT_OK;
    char *spec;

    lct_plan_spec_put(&s, "%.*s", (int)(rope - l->spec), l->spec);
    if (names[i].kind == BESIDE)
        lct_plan_spec_put(&s, "%s+%.*s", w->text, (int)n, rope);
    else if (names[i].kind == ROPE)
        lct_plan_spec_put(&s, "%s", w->text);
    else if (names[i].kind == SCALING)
        put_scaled(&s, w, i, rope, n, l);
    else
        status = put_instead(&s, w, rope);
    lct_plan_spec_put(&s, "%s", rope + n);
    if (status == LOCANT_OK)
        status = lct_plan_spec_create(&spec, &encoding, &s, w->file);
    locant_release(s.text);
    if (status == LOCANT_ERR_FORMAT) /* of what was typed, not of a file */
        status = LOCANT_ERR_PARAM;
    LCT_TRY(status);
    locant_release(l->spec);
    locant_encoding_free(l->encoding);
    l->spec = spec;
    l->encoding = encoding;
    return LOCANT_OK;
}

static bool is_changed(const struct lct_layer_plan *l)
{
    const char *rope;

    return l->attention == LCT_SOFTMAX && l->chunk == 0 &&
           l->grid_window == 0 && strstr(l->spec, "window(") == NULL &&
           lct_spec_key_rope(&rope, l->spec) > 0;
}

static locant_status change_tower(struct lct_tower *t, const struct with *w,
                                  size_t i, int64_t *changed)
{
    for (int64_t l = 0; l < t->n_layers; l++) {
        if (!is_changed(&t->layers[l]))
            continue;
        LCT_TRY(change(&t->layers[l], w, i));
        ++*changed;
    }
    return LOCANT_OK;
}

locant_status lct_plan_with(struct lct_position_plan *p, const char *with)
{
    struct with w = { .trained = p->length_trained, .file = p->file };
    size_t i = parse(&w, with);
    int64_t changed = 0;

    if (i == NAMES)
        return locant_fail(LOCANT_ERR_PARAM,
                           "'%.60s': expected pi, linear, ntk, dynamic, yarn, "
                           "longrope, llama3, proportional, mixed-radix, rope, "
                           "selfextend, rerope, streaming or window, with keys "
                           "in brackets",
                           with);
    for (int k = 0; k < p->n_towers; k++)
        if (strcmp(p->towers[k].name, "vision") != 0)
            LCT_TRY(change_tower(&p->towers[k], &w, i, &changed));
    if (changed > 0)
        return LOCANT_OK;
    return locant_fail(LOCANT_ERR_UNSUPPORTED,
                       "%s: no rotated layer without a window, which %.*s "
                       "could change",
                       p->file, (int)w.name_length, with);
}
