/* layer_map.c - see layer_map.h */
#include "layer_map.h"
#include "../core/quote.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_LAYERS = 1 << 20 };

static const char *const functions[] = {
    [LCT_MAP_ALL] = "",        [LCT_MAP_LIST] = "list",
    [LCT_MAP_EVERY] = "every", [LCT_MAP_FIRST] = "first",
    [LCT_MAP_LAST] = "last",   NULL
};

/* -------------------------------------------------------------------- read */

static locant_status read_number(int64_t *out, struct lct_reader *r,
                                 const char *what, int64_t least, int64_t most)
{
    struct lct_token t = lct_read_value(r);
    char found[LCT_QUOTE_BYTES];
    double value;

    if (lct_number_parse(&value, r->text + t.at, t.n) &&
        value >= (double)least && value <= (double)most &&
        value == floor(value)) {
        *out = (int64_t)value;
        return LOCANT_OK;
    }
    return locant_fail(LOCANT_ERR_PARAM,
                       "%s: %s '%s' at byte %zu of the map of layers should be "
                       "%" PRId64 " .. %" PRId64,
                       r->fn, what, lct_quote(found, r->text + t.at, t.n), t.at,
                       least, most);
}

static locant_status add_name(struct lct_map *m, struct lct_token t,
                              struct lct_reader *r)
{
    if (m->names == LCT_MAP_NAMES)
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: the map of layers has more than %d names at "
                           "byte %zu",
                           r->fn, LCT_MAP_NAMES, t.at);
    m->name[m->names++].token = t;
    m->term[m->terms].names++;
    return LOCANT_OK;
}

static locant_status read_name(struct lct_map *m, struct lct_reader *r)
{
    struct lct_token t;

    LCT_TRY(lct_read_name(&t, r, "the name of an encoding of layers"));
    return add_name(m, t, r);
}

/* "key=", after a comma; fails for another key. */
static locant_status read_key(struct lct_reader *r, const char *key)
{
    char wanted[32];
    struct lct_token t;

    snprintf(wanted, sizeof(wanted), "'%s='", key);
    LCT_TRY(lct_read_name(&t, r, wanted));
    if (t.n == strlen(key) && memcmp(r->text + t.at, key, t.n) == 0 &&
        lct_read_accept(r, '='))
        return LOCANT_OK;
    r->at = t.at;
    return lct_read_error(r, wanted);
}

/* name { ":" name } [ ",repeat=" ("yes" | "no") ], after "list(" */
static locant_status read_list(struct lct_map *m, struct lct_reader *r)
{
    struct lct_map_term *term = &m->term[m->terms];
    struct lct_token t;

    do
        LCT_TRY(read_name(m, r));
    while (lct_read_accept(r, ':'));
    if (!lct_read_accept(r, ','))
        return LOCANT_OK;
    LCT_TRY(read_key(r, "repeat"));
    LCT_TRY(lct_read_name(&t, r, "yes or no"));
    term->repeat = t.n == 3 && memcmp(r->text + t.at, "yes", 3) == 0;
    if (term->repeat || (t.n == 2 && memcmp(r->text + t.at, "no", 2) == 0))
        return LOCANT_OK;
    r->at = t.at;
    return lct_read_error(r, "yes or no");
}

/* period [ ",at=" k ] "," name [ ",else=" name ], after "every(" */
static locant_status read_every(struct lct_map *m, struct lct_reader *r)
{
    struct lct_map_term *term = &m->term[m->terms];
    struct lct_token t;
    bool at;

    LCT_TRY(read_number(&term->n, r, "period", 1, MOST_LAYERS));
    term->at = term->n - 1;
    if (!lct_read_accept(r, ','))
        return lct_read_error(r, "','");
    LCT_TRY(lct_read_name(&t, r, "at= or the name of an encoding of layers"));
    at = t.n == 2 && memcmp(r->text + t.at, "at", 2) == 0 &&
         lct_read_accept(r, '=');
    if (!at) {
        LCT_TRY(add_name(m, t, r));
    } else {
        LCT_TRY(read_number(&term->at, r, "at", 0, term->n - 1));
        if (!lct_read_accept(r, ','))
            return lct_read_error(r, "','");
        LCT_TRY(read_name(m, r));
    }
    if (!lct_read_accept(r, ','))
        return LOCANT_OK;
    LCT_TRY(read_key(r, "else"));
    return read_name(m, r);
}

/* n "," name, after "first(" or "last(" */
static locant_status read_end(struct lct_map *m, struct lct_reader *r)
{
    LCT_TRY(read_number(&m->term[m->terms].n, r, "number of layers", 1,
                        MOST_LAYERS));
    if (!lct_read_accept(r, ','))
        return lct_read_error(r, "','");
    return read_name(m, r);
}

static locant_status read_term(struct lct_map *m, struct lct_reader *r)
{
    struct lct_map_term *term = &m->term[m->terms];
    struct lct_token t;
    int kind;

    *term = (struct lct_map_term){ .first = m->names };
    LCT_TRY(lct_read_name(
        &t, r, "a name, list(..), every(..), first(..) or last(..)"));
    if (lct_read_peek(r) != '(')
        return add_name(m, t, r);
    kind = lct_read_find(lct_word_name, functions, r, t);
    if (kind < 0) {
        r->at = t.at;
        return lct_read_error(r, "list(..), every(..), first(..) or last(..)");
    }
    term->kind = (enum lct_map_kind)kind;
    lct_read_accept(r, '(');
    if (kind == LCT_MAP_LIST)
        LCT_TRY(read_list(m, r));
    else if (kind == LCT_MAP_EVERY)
        LCT_TRY(read_every(m, r));
    else
        LCT_TRY(read_end(m, r));
    return lct_read_accept(r, ')') ? LOCANT_OK : lct_read_error(r, "')'");
}

/* Lists without repeat say how many layers there are: all the same. */
static locant_status set_count(struct lct_map *m, const struct lct_reader *r)
{
    for (int i = 0; i < m->terms; i++) {
        const struct lct_map_term *t = &m->term[i];

        if (t->kind != LCT_MAP_LIST || t->repeat)
            continue;
        if (m->count != 0 && m->count != t->names)
            return locant_fail(LOCANT_ERR_PARAM,
                               "%s: lists of %" PRId64 " and %d layers in one "
                               "map, expected one length",
                               r->fn, m->count, t->names);
        m->count = t->names;
    }
    return LOCANT_OK;
}

locant_status lct_map_read(struct lct_map *m, struct lct_reader *r)
{
    m->count = 0;
    m->terms = m->names = 0;
    do {
        if (m->terms == LCT_MAP_TERMS)
            return locant_fail(LOCANT_ERR_PARAM,
                               "%s: the map of layers has more than %d terms "
                               "at byte %zu",
                               r->fn, LCT_MAP_TERMS, r->at);
        LCT_TRY(read_term(m, r));
        m->terms++;
    } while (lct_read_accept(r, ':'));
    return set_count(m, r);
}

/* ------------------------------------------------------------------- print */

struct text {
    char *out;
    size_t used;
};

static void put(struct text *t, const char *bytes, size_t n)
{
    memcpy(t->out + t->used, bytes, n);
    t->used += n;
}

static void put_number(struct text *t, const char *before, int64_t n)
{
    char number[48];

    put(t, number,
        (size_t)snprintf(number, sizeof(number), "%s%" PRId64, before, n));
}

static void put_names(struct text *t, const struct lct_map *m,
                      const struct lct_map_term *term, const char *text,
                      const char *between)
{
    for (int i = 0; i < term->names; i++) {
        struct lct_token name = m->name[term->first + i].token;

        if (i > 0)
            put(t, between, strlen(between));
        put(t, text + name.at, name.n);
    }
}

static void put_term(struct text *t, const struct lct_map *m,
                     const struct lct_map_term *term, const char *text)
{
    if (term->kind != LCT_MAP_ALL) {
        put(t, functions[term->kind], strlen(functions[term->kind]));
        put(t, "(", 1);
    }
    if (term->kind >= LCT_MAP_EVERY)
        put_number(t, "", term->n);
    if (term->kind == LCT_MAP_EVERY)
        put_number(t, ",at=", term->at);
    if (term->kind >= LCT_MAP_EVERY)
        put(t, ",", 1);
    put_names(t, m, term, text, term->kind == LCT_MAP_EVERY ? ",else=" : ":");
    if (term->repeat)
        put(t, ",repeat=yes", strlen(",repeat=yes"));
    if (term->kind != LCT_MAP_ALL)
        put(t, ")", 1);
}

/* A term writes at most 64 bytes beside its names, a name 7. */
char *lct_map_print(const struct lct_map *m, const char *text)
{
    struct text t = { NULL, 0 };
    size_t most = 1;

    for (int i = 0; i < m->names; i++)
        most += m->name[i].token.n + 7;
    t.out = locant_alloc(most + (size_t)m->terms * 64);
    if (t.out == NULL)
        return NULL;
    for (int i = 0; i < m->terms; i++) {
        if (i > 0)
            put(&t, ":", 1);
        put_term(&t, m, &m->term[i], text);
    }
    t.out[t.used] = 0;
    return t.out;
}

/* ------------------------------------------------------------------- layer */

bool lct_map_covers(const struct lct_map *m)
{
    for (int i = 0; i < m->terms; i++) {
        const struct lct_map_term *t = &m->term[i];

        if (t->kind == LCT_MAP_ALL || (t->kind == LCT_MAP_LIST && t->repeat) ||
            (t->kind == LCT_MAP_EVERY && t->names == 2))
            return true;
    }
    return false;
}

/* Which of the names of a list the layer has; -1: none. */
static int64_t name_in_list(const struct lct_map_term *t, int64_t layer)
{
    if (layer < 0 || (layer >= t->names && !t->repeat))
        return -1;
    return layer % t->names;
}

static int64_t name_of_layer(const struct lct_map_term *t, int64_t layer,
                             int64_t count)
{
    switch (t->kind) {
    case LCT_MAP_ALL: return 0;
    case LCT_MAP_LIST: return name_in_list(t, layer);
    case LCT_MAP_EVERY:
        if (layer >= 0 && layer % t->n == t->at)
            return 0;
        return t->names == 2 ? 1 : -1;
    case LCT_MAP_FIRST: return layer < t->n ? 0 : -1;
    case LCT_MAP_LAST: break;
    }
    return count > 0 && layer >= count - t->n ? 0 : -1;
}

int lct_map_layer(const struct lct_map *m, int64_t layer, int64_t count)
{
    for (int i = m->terms; i-- > 0;) {
        int64_t n =
            name_of_layer(&m->term[i], layer, count > 0 ? count : m->count);

        if (n >= 0)
            return m->name[m->term[i].first + n].nested;
    }
    return -1;
}
