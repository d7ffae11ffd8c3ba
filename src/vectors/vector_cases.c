/* vector_cases.c - the list of all cases, and the values they need */
#define _POSIX_C_SOURCE 200809L
#include "vector_cases.h"
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

static const locant_dtype dtypes[] = { LOCANT_F64, LOCANT_F32, LOCANT_F16,
                                       LOCANT_BF16, LOCANT_I64 };

enum { DTYPES = sizeof dtypes / sizeof *dtypes };

static const char *quantity_name(const struct lct_vector_group *g, int k)
{
    return lct_vector_quantities_of(g->kind)[k].name;
}

/* Queries, keys and gradients of one rope have the same slack, and so have
   cosines and sines. */
static void name_slack(char *out, const struct lct_vector_group *g, int k)
{
    const char *name = quantity_name(g, k);

    out[0] = '\0';
    if (g->kind > LCT_VECTOR_TABLE || strcmp(name, "frequencies") == 0)
        return;
    if (g->kind == LCT_VECTOR_ANGLES)
        name = "cos";
    else if (g->kind == LCT_VECTOR_ROPE && strcmp(name, "scores") != 0)
        name = "q";
    snprintf(out, LCT_VECTOR_NAME, "slack/%s/%s", g->name, name);
}

/* The pattern, or the pattern and a slash behind which anything stands. */
static bool matches(const char *name, const char *pattern)
{
    char longer[LCT_VECTOR_NAME + 2];

    if (pattern == NULL || fnmatch(pattern, name, 0) == 0)
        return true;
    snprintf(longer, sizeof longer, "%.*s/*", LCT_VECTOR_NAME - 1, pattern);
    return fnmatch(longer, name, 0) == 0;
}

/* Writes the cases of group 'at' unless 'out' is NULL; returns their number. */
static size_t list(struct lct_vector_case *out,
                   const struct lct_vector_group *g, size_t at,
                   const char *pattern)
{
    size_t n = 0;

    for (int k = 0; quantity_name(g, k) != NULL; k++)
        for (int d = 0; d < DTYPES; d++) {
            struct lct_vector_case *c = out != NULL ? &out[n] : NULL;

            if (!lct_vector_quantities_has(g, k, dtypes[d]))
                continue;
            n++;
            if (c == NULL)
                continue;
            c->group = at;
            c->quantity = k;
            c->dtype = dtypes[d];
            snprintf(c->name, sizeof c->name, "%s/%s/%s", g->name,
                     locant_dtype_name(dtypes[d]), quantity_name(g, k));
            snprintf(c->truth, sizeof c->truth, "%s/%s/%s", g->name,
                     dtypes[d] == LOCANT_I64 ? "i64" : "f64",
                     quantity_name(g, k));
            name_slack(c->slack, g, k);
            c->wanted = matches(c->name, pattern);
        }
    return n;
}

static locant_status allocate(struct lct_vector_cases *out)
{
    struct lct_vector_group g;

    for (; lct_vector_groups_at(&g, out->n_groups); out->n_groups++)
        out->n += list(NULL, &g, 0, NULL);
    out->groups = locant_alloc(out->n_groups * sizeof *out->groups);
    out->all = locant_alloc(out->n * sizeof *out->all);
    out->values = locant_alloc(out->n_groups * LCT_VECTOR_QUANTITIES *
                               sizeof *out->values);
    if (out->groups == NULL || out->all == NULL || out->values == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "%zu cases", out->n);
    return LOCANT_OK;
}

locant_status lct_vector_cases_make(struct lct_vector_cases *out,
                                    const char *pattern)
{
    size_t n = 0, wanted = 0;
    locant_status s;

    memset(out, 0, sizeof *out);
    s = allocate(out);
    if (s != LOCANT_OK) {
        lct_vector_cases_free(out);
        return s;
    }
    for (size_t i = 0; i < out->n_groups; i++) {
        lct_vector_groups_at(&out->groups[i], i);
        n += list(out->all + n, &out->groups[i], i, pattern);
    }
    for (size_t i = 0; i < n; i++)
        wanted += out->all[i].wanted;
    if (wanted > 0)
        return LOCANT_OK;
    lct_vector_cases_free(out);
    return locant_fail(LOCANT_ERR_PARAM,
                       "'%.100s' matches no case; a case is named as "
                       "rope/half/none/f32/q",
                       pattern);
}

void lct_vector_cases_free(struct lct_vector_cases *c)
{
    if (c->values != NULL)
        for (size_t i = 0; i < c->n_groups * LCT_VECTOR_QUANTITIES; i++)
            lct_vector_values_free(&c->values[i]);
    lct_vector_angles_free(&c->angles);
    locant_release(c->values);
    locant_release(c->all);
    locant_release(c->groups);
    memset(c, 0, sizeof *c);
}

locant_status lct_vector_cases_values(const struct lct_vector_values **out,
                                      struct lct_vector_cases *c, size_t group,
                                      int quantity)
{
    struct lct_vector_values *v =
        &c->values[group * LCT_VECTOR_QUANTITIES + (size_t)quantity];

    if (v->value == NULL)
        LCT_TRY(lct_vector_values_make(v, &c->groups[group], quantity,
                                       &lct_vector_values_right, &c->angles));
    *out = v;
    return LOCANT_OK;
}

const struct lct_vector_case *
lct_vector_cases_find(const struct lct_vector_cases *c, const char *name)
{
    for (size_t i = 0; i < c->n; i++)
        if (strcmp(c->all[i].name, name) == 0)
            return &c->all[i];
    return NULL;
}
