/* plan_spec.c - specs put together from text, and made canonical */
#include "plan_spec.h"
#include "../core/text.h"
#include "../files/decimal.h"
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Make room for n more bytes and a final zero. */
static bool reserve(struct lct_plan_spec *s, size_t n)
{
    size_t room = s->room > 0 ? s->room : 256;
    char *text;

    if (s->failed)
        return false;
    while (room - s->n <= n)
        room *= 2;
    if (room == s->room)
        return true;
    text = locant_alloc(room);
    if (text == NULL) {
        s->failed = true;
        return false;
    }
    if (s->n > 0)
        memcpy(text, s->text, s->n);
    locant_release(s->text);
    s->text = text;
    s->room = room;
    return true;
}

void lct_plan_spec_put(struct lct_plan_spec *s, const char *format, ...)
{
    va_list args, again;
    int n;

    va_start(args, format);
    va_copy(again, args);
    n = vsnprintf(NULL, 0, format, args);
    if (n >= 0 && reserve(s, (size_t)n)) {
        vsnprintf(s->text + s->n, s->room - s->n, format, again);
        s->n += (size_t)n;
    }
    va_end(again);
    va_end(args);
}

void lct_plan_spec_number(struct lct_plan_spec *s, const char *lead,
                          double value)
{
    char number[LCT_DECIMAL_BYTES];

    lct_decimal_exact(number, value);
    lct_plan_spec_put(s, "%s%s", lead, number);
}

/* The reason without the name of the function that refused. */
static const char *reason(void)
{
    const char *text = locant_last_error(), *colon = strstr(text, ": ");

    return strncmp(text, "locant_", 7) == 0 && colon != NULL ? colon + 2 : text;
}

locant_status lct_plan_spec_create(char **canonical, locant_encoding **e,
                                   const struct lct_plan_spec *s,
                                   const char *file)
{
    locant_status status = LOCANT_ERR_NOMEM;

    *canonical = NULL;
    *e = NULL;
    if (!s->failed)
        status = locant_encoding_create(e, s->text);
    if (status == LOCANT_OK) {
        const char *text = locant_encoding_spec(*e);

        *canonical = lct_copy_text(text, strlen(text));
        if (*canonical != NULL)
            return LOCANT_OK;
        locant_encoding_free(*e);
        *e = NULL;
        status = LOCANT_ERR_NOMEM;
    }
    if (status == LOCANT_ERR_NOMEM)
        return locant_fail(LOCANT_ERR_NOMEM, "%s: no memory", file);
    return locant_fail(LOCANT_ERR_FORMAT, "%s: %s, in '%.120s'", file, reason(),
                       s->text);
}

/* ------------------------------------------------------------ whole towers */

enum { KINDS = 16 };

/* The different specs of a tower, and which of them each layer has. */
struct kinds {
    const char *spec[KINDS];
    int n;
};

static int kind_of(struct kinds *k, const char *spec)
{
    int i = 0;

    while (i < k->n && strcmp(k->spec[i], spec) != 0)
        i++;
    if (i == k->n && k->n < KINDS)
        k->spec[k->n++] = spec;
    return i < KINDS ? i : -1;
}

static bool same(const struct lct_tower *t, int64_t a, int64_t b)
{
    return strcmp(t->layers[a].spec, t->layers[b].spec) == 0;
}

/*
 * The smallest period 2 .. n such that layer l is of the kind of layer 'at' iff
 * l % period is 'at'; 0: none.  With 'last', the last layer may be of that kind
 * whatever its number.
 */
static int64_t period_of(const struct lct_tower *t, bool ends, bool last)
{
    int64_t n = t->n_layers, period, at = 0;

    for (period = 2; period <= n; period++) {
        int64_t l = 0;

        at = ends ? period - 1 : 0;
        while (l < n && ((l == n - 1 && last && same(t, l, at)) ||
                         same(t, l, at) == (l % period == at)))
            l++;
        if (l == n)
            return period;
    }
    return 0;
}

static const char *const names[KINDS] = { "local", "global", "c", "d", "e", "f",
                                          "g",     "h",      "i", "j", "k", "l",
                                          "m",     "o",      "q", "r" };

static bool has_window(const struct lct_tower *t, int64_t l)
{
    return strstr(t->layers[l].spec, "window(") != NULL;
}

/* Two kinds, the global one at the end or the start of every period. */
static bool put_period(struct lct_plan_spec *s, const struct lct_tower *t)
{
    int64_t period = period_of(t, true, false);

    if (period > 0 && has_window(t, 0) >= has_window(t, period - 1)) {
        lct_plan_spec_put(s, "layers(local=%s,global=%s,period=%" PRId64 ")",
                          t->layers[0].spec, t->layers[period - 1].spec,
                          period);
        return true;
    }
    period = period_of(t, true, true);
    if (period > 0 && has_window(t, 0) >= has_window(t, period - 1)) {
        lct_plan_spec_put(s,
                          "layers(local=%s,global=%s,map=every(%" PRId64
                          ",at=%" PRId64 ",global,else=local):last(1,global))",
                          t->layers[0].spec, t->layers[period - 1].spec, period,
                          period - 1);
        return true;
    }
    period = period_of(t, false, false);
    if (period == 0)
        return false;
    lct_plan_spec_put(s,
                      "layers(local=%s,global=%s,map=every(%" PRId64
                      ",at=0,global,else=local))",
                      t->layers[1].spec, t->layers[0].spec, period);
    return true;
}

/* Every layer by name. */
static locant_status put_list(struct lct_plan_spec *s,
                              const struct lct_tower *t, const char *file)
{
    struct kinds k = { .n = 0 };

    for (int64_t l = 0; l < t->n_layers; l++)
        if (kind_of(&k, t->layers[l].spec) < 0)
            return locant_fail(LOCANT_ERR_UNSUPPORTED,
                               "%s: the layers have more than %d different "
                               "encodings, expected fewer for one spec",
                               file, KINDS);
    lct_plan_spec_put(s, "layers(");
    for (int i = 0; i < k.n; i++)
        lct_plan_spec_put(s, "%s=%s,", names[i], k.spec[i]);
    lct_plan_spec_put(s, "map=list(");
    for (int64_t l = 0; l < t->n_layers; l++)
        lct_plan_spec_put(s, "%s%s", l > 0 ? ":" : "",
                          names[kind_of(&k, t->layers[l].spec)]);
    lct_plan_spec_put(s, "))");
    return LOCANT_OK;
}

locant_status lct_plan_spec_of_tower(char **out, const struct lct_tower *t,
                                     const char *file)
{
    struct lct_plan_spec s = { 0 };
    locant_encoding *e = NULL;
    locant_status status = LOCANT_OK;
    struct kinds k = { .n = 0 };

    *out = NULL;
    for (int64_t l = 0; l < t->n_layers && k.n <= 2; l++)
        kind_of(&k, t->layers[l].spec);
    if (k.n <= 1)
        lct_plan_spec_put(&s, "%s", k.n == 1 ? k.spec[0] : "none");
    else if (k.n > 2 || !put_period(&s, t))
        status = put_list(&s, t, file);
    if (status == LOCANT_OK)
        status = lct_plan_spec_create(out, &e, &s, file);
    locant_encoding_free(e);
    locant_release(s.text);
    return status;
}
