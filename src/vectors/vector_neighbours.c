/*
 * vector_neighbours.c - the convention that a failing case looks like: the
 * other groups of its family, the usual slips, and angles rounded to float32
 */
#include "vector_neighbours.h"
#include "vector_inputs.h"
#include <stdio.h>
#include <string.h>

struct search {
    char *out;
    size_t size;
    struct lct_vector_cases *cases;
    const struct lct_vector_case *c;
    struct lct_vector_trial trial;
};

static bool agrees(const struct search *s, const struct lct_vector_values *want,
                   enum lct_vector_change change)
{
    return want->n == s->cases
                          ->values[s->c->group * LCT_VECTOR_QUANTITIES +
                                   (size_t)s->c->quantity]
                          .n &&
           !lct_vector_compare(&s->trial, want, change).fails;
}

static bool found(const struct search *s)
{
    return s->out[0] != '\0';
}

static void say(struct search *s, const char *what)
{
    snprintf(s->out, s->size, "%s%s", what,
             s->trial.rounded && strncmp(what, "angles", 6) != 0
                 ? ", angles rounded"
                 : "");
}

/* ----------------------------------------------------------- what differs */

/* Copy key k of a spec, "dim=32", and return true; false past the last. */
static bool key_of(char out[80], const char *spec, int k)
{
    const char *at = strchr(spec, '(');
    int depth = 0;
    size_t n = 0;

    for (at = at != NULL ? at + 1 : ""; *at != '\0' && depth >= 0; at++) {
        depth += *at == '(' ? 1 : *at == ')' ? -1 : 0;
        if (depth < 0 || (depth == 0 && *at == ',')) {
            if (k-- == 0)
                break;
            n = 0;
        } else if (n < 75) {
            out[n++] = *at;
        }
    }
    if (n == 75)
        memcpy(out + n++, "..", 3), n++;
    out[n] = '\0';
    return k < 0 && n > 0;
}

static bool has_key(const char *spec, const char *key)
{
    char other[80];

    for (int k = 0; key_of(other, spec, k); k++)
        if (strcmp(other, key) == 0)
            return true;
    return false;
}

/* The keys that the other spec has and this one lacks, then "without .." */
static void put_keys(char *out, size_t size, const char *other,
                     const char *this)
{
    const char *specs[] = { other, this };
    size_t n = 0;
    char key[80];

    out[0] = '\0';
    for (int side = 0; side < 2; side++)
        for (int k = 0; key_of(key, specs[side], k) && n + 100 < size; k++) {
            if (has_key(specs[!side], key))
                continue;
            n +=
                (size_t)snprintf(out + n, size - n, "%s%s%s", n > 0 ? ", " : "",
                                 side ? "without " : "", key);
        }
}

/* ------------------------------------------------------------ other groups */

/* The part of a name that groups share: 1 the layout, 2 the scaling. */
static bool shares(const char *a, const char *b, int part)
{
    const char *x = strrchr(a, '/'), *y = strrchr(b, '/');

    if (part == 2)
        return x != NULL && y != NULL && strcmp(x, y) == 0;
    return x != NULL && y != NULL && x - a == y - b &&
           strncmp(a, b, (size_t)(x - a)) == 0;
}

static locant_status try_group(struct search *s, size_t i)
{
    const struct lct_vector_group *g = &s->cases->groups[i];
    const struct lct_vector_group *this = &s->cases->groups[s->c->group];
    const struct lct_vector_values *want;
    char keys[400], text[600];

    LCT_TRY(lct_vector_cases_values(&want, s->cases, i, s->c->quantity));
    if (!agrees(s, want, LCT_VECTOR_AS_IS))
        return LOCANT_OK;
    put_keys(keys, sizeof keys, g->spec, this->spec);
    snprintf(text, sizeof text, "%s%s%s%s", keys, keys[0] ? " (" : "", g->name,
             keys[0] ? ")" : "");
    say(s, text);
    return LOCANT_OK;
}

/* Groups with the same scaling first, then those of the same layout. */
static locant_status try_groups(struct search *s)
{
    const struct lct_vector_group *this = &s->cases->groups[s->c->group];

    for (int order = 2; order >= 0; order--)
        for (size_t i = 0; i < s->cases->n_groups && !found(s); i++) {
            const struct lct_vector_group *g = &s->cases->groups[i];
            int near = shares(g->name, this->name, 2)   ? 2
                       : shares(g->name, this->name, 1) ? 1
                                                        : 0;

            if (g->kind == this->kind && near == order && i != s->c->group &&
                g->heads == this->heads && g->queries == this->queries &&
                g->keys == this->keys)
                LCT_TRY(try_group(s, i));
        }
    return LOCANT_OK;
}

/* -------------------------------------------------------------- usual slips */

static const struct lct_vector_variation variations[] = {
    { .name = "angles of the other sign", .reversed = true, .power = 1 },
    { .name = "positions that begin at 1", .offset = 1, .power = 1 },
    { .name = "positions that begin at 2", .offset = 2, .power = 1 },
    { .name = "no attention factor", .power = 0 },
    { .name = "the attention factor twice", .power = 2 },
    { .name = "scores without the factor of mscale",
      .power = 1,
      .plain_scale = true },
};

static locant_status try_variations(struct search *s)
{
    const struct lct_vector_group *g = &s->cases->groups[s->c->group];
    bool exact = g->kind == LCT_VECTOR_ROPE || g->kind == LCT_VECTOR_ANGLES ||
                 g->kind == LCT_VECTOR_SINUSOIDAL;

    for (size_t i = 0; exact && i < sizeof variations / sizeof *variations;
         i++) {
        struct lct_vector_values want;

        if (found(s))
            break;
        LCT_TRY(lct_vector_values_make(&want, g, s->c->quantity, &variations[i],
                                       &s->cases->angles));
        if (agrees(s, &want, LCT_VECTOR_AS_IS))
            say(s, variations[i].name);
        lct_vector_values_free(&want);
    }
    return LOCANT_OK;
}

/* The tensor is the input itself. */
static bool is_input(const struct search *s, const char *quantity)
{
    struct lct_vector_values want =
        s->cases->values[s->c->group * LCT_VECTOR_QUANTITIES +
                         (size_t)s->c->quantity];
    enum lct_vector_input input = quantity[0] == 'q'   ? LCT_VECTOR_Q
                                  : quantity[0] == 'k' ? LCT_VECTOR_K
                                                       : LCT_VECTOR_DOUT;
    double row[16 * LCT_VECTOR_DIM];

    for (size_t i = 0; i < want.n; i++)
        row[i] = lct_vector_inputs_at(input, (int64_t)i);
    want.value = row;
    return agrees(s, &want, LCT_VECTOR_AS_IS);
}

static locant_status try_changes(struct search *s)
{
    const struct lct_vector_group *g = &s->cases->groups[s->c->group];
    const char *name = lct_vector_quantities_of(g->kind)[s->c->quantity].name;
    const struct lct_vector_values *want;
    bool scores = strcmp(name, "scores") == 0;

    LCT_TRY(
        lct_vector_cases_values(&want, s->cases, s->c->group, s->c->quantity));
    if ((g->kind == LCT_VECTOR_ROPE || g->kind == LCT_VECTOR_ROTATE) &&
        !scores && is_input(s, name))
        say(s, "no rotation");
    else if (scores && agrees(s, want, LCT_VECTOR_UNSCALED))
        say(s, "no division by sqrt(channels)");
    else if (g->kind >= LCT_VECTOR_SINUSOIDAL &&
             agrees(s, want, LCT_VECTOR_NEGATED))
        say(s, "the other sign");
    else if (g->kind == LCT_VECTOR_BUCKETS &&
             agrees(s, want, LCT_VECTOR_MIRRORED))
        say(s, "distances of the other sign");
    return LOCANT_OK;
}

static locant_status try_all(struct search *s)
{
    LCT_TRY(try_groups(s));
    if (!found(s))
        LCT_TRY(try_variations(s));
    return found(s) ? LOCANT_OK : try_changes(s);
}

/* First as the tolerance says; then the case itself, and all others, with
   rounded angles. */
locant_status lct_vector_neighbours_find(char *out, size_t size,
                                         struct lct_vector_cases *cases,
                                         const struct lct_vector_case *c,
                                         const locant_tensor *got)
{
    const struct lct_vector_values *want;
    struct search s = { out,
                        size,
                        cases,
                        c,
                        { &cases->groups[c->group], c->quantity, c->dtype, got,
                          0 } };

    out[0] = '\0';
    LCT_TRY(lct_vector_cases_values(&want, cases, c->group, c->quantity));
    LCT_TRY(try_all(&s));
    if (found(&s) || want->slack == NULL)
        return LOCANT_OK;
    s.trial.rounded = 1;
    if (agrees(&s, want, LCT_VECTOR_AS_IS)) {
        say(&s, c->dtype == LOCANT_F64 ? "angles rounded to double"
                                       : "angles rounded to float32");
        return LOCANT_OK;
    }
    return try_all(&s);
}
