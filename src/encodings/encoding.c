/* encoding.c - encodings as values: create, copy, describe, parameters */
#include "encoding.h"
#include "../angle/schedule.h"
#include <inttypes.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

const locant_encoding_info *locant_encoding_at(int i)
{
    for (int n = 0; lct_encodings[n] != NULL; n++)
        if (n == i)
            return &lct_encodings[n]->info;
    return NULL;
}

locant_status locant_encoding_create(locant_encoding **out, const char *spec)
{
    static const char fn[] = "locant_encoding_create";

    if (out == NULL || spec == NULL)
        return locant_fail(LOCANT_ERR_NULL, "%s: %s is NULL", fn,
                           out == NULL ? "out" : "spec");
    return lct_spec_parse(out, fn, spec, lct_encodings);
}

locant_status locant_encoding_resolve(locant_encoding **out,
                                      const locant_encoding *e, int64_t length)
{
    static const char fn[] = "locant_encoding_resolve";
    char text[LCT_SPEC_BYTES + 64];
    size_t n;

    if (out == NULL || e == NULL)
        return locant_fail(LOCANT_ERR_NULL, "%s: %s is NULL", fn,
                           out == NULL ? "out" : "e");
    *out = NULL;
    if (length < 1)
        return locant_fail(LOCANT_ERR_PARAM, "%s: length is %" PRId64
                           ", expected at least 1", fn, length);
    n = strlen(e->spec);
    memcpy(text, e->spec, n + 1);
    for (int k = 0; e->row->keys != NULL && e->row->keys[k].name != NULL; k++) {
        const char *open = "(";

        if (strcmp(e->row->keys[k].name, "length") != 0 || !isnan(e->value[k]))
            continue;
        if (text[n - 1] == ')') {
            open = ",";
            n--;
        }
        snprintf(text + n, sizeof(text) - n, "%slength=%" PRId64 ")", open,
                 length);
    }
    return lct_spec_parse(out, fn, text, lct_encodings);
}

void locant_encoding_free(locant_encoding *e)
{
    struct lct_schedule *s;

    if (e == NULL)
        return;
    s = atomic_load(&e->schedules);
    while (s != NULL) {
        struct lct_schedule *next = s->next;

        locant_release(s);
        s = next;
    }
    lct_encoding_release(e);
}

const char *locant_encoding_spec(const locant_encoding *e)
{
    return e == NULL ? "" : e->spec;
}

const locant_encoding_info *locant_encoding_info_of(const locant_encoding *e)
{
    return e == NULL ? NULL : &e->row->info;
}

double lct_value(const locant_encoding *e, const char *key)
{
    for (int k = 0; e->row->keys != NULL && e->row->keys[k].name != NULL; k++)
        if (strcmp(e->row->keys[k].name, key) == 0)
            return e->value[k];
    return NAN;
}

/* ---------------------------------------------------------------- schedules */

static const struct lct_schedule *
find_schedule(const locant_encoding *e, int64_t head_dim)
{
    const struct lct_schedule *s =
        atomic_load_explicit(&e->schedules, memory_order_acquire);

    while (s != NULL && s->head_dim != head_dim)
        s = s->next;
    return s;
}

locant_status lct_schedule_of(const struct lct_schedule **out,
                              const locant_encoding *e, const char *fn,
                              int64_t head_dim)
{
    /* The list only grows: filling it leaves the value what it was. */
    locant_encoding *cache = (locant_encoding *)e;
    struct lct_schedule *made;

    *out = find_schedule(e, head_dim);
    if (*out != NULL)
        return LOCANT_OK;
    LCT_TRY(e->row->schedule(&made, e, fn, head_dim));
    made->next = atomic_load(&cache->schedules);
    while (!atomic_compare_exchange_weak(&cache->schedules, &made->next, made))
        ; /* two threads may make the same schedule; both stay in the list */
    *out = made;
    return LOCANT_OK;
}

/* --------------------------------------------------------------- parameters */

static int64_t named_size(const locant_encoding *e, const char *name,
                          int64_t heads, int64_t dim)
{
    double value;

    if (strcmp(name, "heads") == 0)
        return heads;
    if (strcmp(name, "dim") == 0)
        return dim;
    value = lct_value(e, name);
    return isnan(value) ? 0 : (int64_t)value;
}

int locant_encoding_param(locant_param_info *out, const locant_encoding *e,
                          int i, int64_t heads, int64_t dim)
{
    static _Thread_local char dims[64];
    const struct lct_param *p;

    if (out == NULL || e == NULL || e->row->params == NULL || i < 0)
        return 0;
    for (int n = 0; n <= i; n++)
        if (e->row->params[n].name == NULL)
            return 0;
    p = &e->row->params[i];
    memset(out, 0, sizeof(*out));
    out->name = p->name;
    out->rate = p->rate != 0 ? p->rate : 1;
    out->doc = p->doc;
    for (int k = 0; k < 2 && p->dims[k] != NULL; k++)
        out->shape[out->rank++] = named_size(e, p->dims[k], heads, dim);
    snprintf(dims, sizeof(dims), out->rank == 2 ? "[%s, %s]" : "[%s]",
             p->dims[0], p->dims[1]);
    out->dims = dims;
    return 1;
}

/* Parameter i as a row of the registry, and its tensor checked. */
static locant_status check_param(const char *fn, const locant_tensor *t,
                                 const locant_encoding *e, int i)
{
    locant_param_info info;
    int64_t any[LOCANT_MAX_RANK];

    if (e == NULL)
        return locant_fail(LOCANT_ERR_NULL, "%s: e is NULL", fn);
    if (!locant_encoding_param(&info, e, i, 0, 0))
        return locant_fail(LOCANT_ERR_PARAM, "%s: %s has no parameter %d", fn,
                           e->row->info.name, i);
    for (int k = 0; k < info.rank; k++)
        any[k] = info.shape[k] > 0 ? info.shape[k] : -1;
    LCT_TRY(lct_check(fn, info.name, t, LCT_IN_REAL, info.rank, any));
    return lct_check_dense(fn, info.name, t);
}

static double get(const locant_tensor *t, size_t i)
{
    return t->dtype == LOCANT_F64 ? ((const double *)t->data)[i]
                                  : ((const float *)t->data)[i];
}

static void set(locant_tensor *t, size_t i, double value)
{
    if (t->dtype == LOCANT_F64)
        ((double *)t->data)[i] = value;
    else
        ((float *)t->data)[i] = (float)value;
}

locant_status locant_encoding_param_init(locant_tensor *out,
                                         const locant_encoding *e, int i,
                                         uint64_t seed)
{
    locant_random r = { .seed = seed, .stream = (uint64_t)i };
    const struct lct_param *p;

    LCT_TRY(check_param("locant_encoding_param_init", out, e, i));
    p = &e->row->params[i];
    for (size_t n = 0; n < lct_elements(out); n++) {
        double x = 0;

        if (p->init == LCT_INIT_NORMAL)
            x = p->a + p->b * locant_random_normal(&r);
        if (p->init == LCT_INIT_UNIFORM)
            x = p->a + (p->b - p->a) * locant_random_uniform(&r);
        set(out, n, e->row->project ? e->row->project(e, i, x) : x);
    }
    return LOCANT_OK;
}

locant_status locant_encoding_param_project(locant_tensor *param,
                                            const locant_encoding *e, int i)
{
    LCT_TRY(check_param("locant_encoding_param_project", param, e, i));
    for (size_t n = 0; e->row->project != NULL && n < lct_elements(param); n++)
        set(param, n, e->row->project(e, i, get(param, n)));
    return LOCANT_OK;
}
