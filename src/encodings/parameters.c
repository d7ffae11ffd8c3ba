/* parameters.c - learned parameters of an encoding: names, shapes, values */
#include "encoding.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct lct_param *lct_params_of(const locant_encoding *e)
{
    const struct lct_param_hooks *params = &e->row->params;

    return params->list_of != NULL ? params->list_of(e) : params->list;
}

static int own_count(const locant_encoding *e)
{
    const struct lct_param *p = lct_params_of(e);
    int n = 0;

    while (p != NULL && p[n].name != NULL)
        n++;
    return n;
}

int lct_param_count(const locant_encoding *e)
{
    int n = own_count(e);

    for (int k = 0; k < LCT_MAX_KEYS; k++)
        if (e->nested[k] != NULL)
            n += lct_param_count(e->nested[k]);
    return n;
}

/* A parameter: the encoding that owns it, and its index there. */
struct found {
    const locant_encoding *e;
    int i;
    char prefix[96]; /* of its name: "" or "rope." */
};

static const char *name_of_nested(const locant_encoding *e, int k)
{
    if (e->row == &lct_enc_sum)
        return e->nested[k]->row->info.name;
    return k < lct_key_count(e->row) ? e->row->keys[k].name : e->text[k];
}

/* The prefix names a part of a sum by its encoding, another nested encoding by
 * its key. */
static bool find(struct found *f, const locant_encoding *e, int i)
{
    int own = own_count(e);

    if (i < own) {
        f->e = e;
        f->i = i;
        return true;
    }
    i -= own;
    for (int k = 0; k < LCT_MAX_KEYS; k++) {
        size_t used = strlen(f->prefix);
        int n;

        if (e->nested[k] == NULL)
            continue;
        n = lct_param_count(e->nested[k]);
        if (i >= n) {
            i -= n;
            continue;
        }
        snprintf(f->prefix + used, sizeof(f->prefix) - used, "%s.",
                 name_of_nested(e, k));
        return find(f, e->nested[k], i);
    }
    return false;
}

static int64_t named_size(const locant_encoding *e, const char *name,
                          const locant_sizes *s)
{
    int key = lct_key_find(e->row, name);

    if (name[0] >= '0' && name[0] <= '9')
        return strtoll(name, NULL, 10);
    if (strcmp(name, "heads") == 0)
        return s->heads;
    if (strcmp(name, "kv_heads") == 0)
        return s->kv_heads > 0 ? s->kv_heads : s->heads;
    if (strcmp(name, "head_dim") == 0)
        return s->head_dim;
    if (strcmp(name, "width") == 0)
        return s->width;
    if (key >= 0)
        return isnan(e->value[key]) ? 0 : (int64_t)e->value[key];
    return e->row->params.size != NULL ? e->row->params.size(e, name, s) : 0;
}

static bool is_per_layer(const locant_encoding *e, const struct lct_param *p)
{
    if (p->scope == LCT_SHARE_KEY)
        return lct_value(e, "share") == 0;
    return p->scope == LCT_PER_LAYER;
}

static double rate_of(const locant_encoding *e, const struct lct_param *p)
{
    if (p->given || (e->row->params.frozen != NULL && e->row->params.frozen(e)))
        return 0;
    return p->rate != 0 ? p->rate : 1;
}

int locant_encoding_param(locant_param_info *out, const locant_encoding *e,
                          int i, const locant_sizes *sizes)
{
    static const locant_sizes unknown;
    static _Thread_local char dims[96], name[128];
    const struct lct_param *p;
    struct found f = { 0 };
    size_t used = 0;

    if (out == NULL || e == NULL || i < 0 || !find(&f, e, i))
        return 0;
    p = &lct_params_of(f.e)[f.i];
    *out = (locant_param_info){ .name = name,
                                .dims = dims,
                                .rate = rate_of(f.e, p),
                                .per_layer = is_per_layer(f.e, p),
                                .doors = f.e->doors,
                                .doc = p->doc };
    snprintf(name, sizeof(name), "%s%s", f.prefix, p->name);
    for (int k = 0; k < 3 && p->dims[k] != NULL; k++) {
        used += (size_t)snprintf(dims + used, sizeof(dims) - used, "%s%s",
                                 k == 0 ? "[" : ", ", p->dims[k]);
        out->shape[out->rank++] =
            named_size(f.e, p->dims[k], sizes != NULL ? sizes : &unknown);
    }
    snprintf(dims + used, sizeof(dims) - used, "]");
    return 1;
}

/* Find parameter i, store its shape in info, and check its tensor. */
static locant_status check_param(struct found *f, locant_param_info *info,
                                 const char *fn, const locant_tensor *t,
                                 const locant_encoding *e, int i)
{
    int64_t any[LOCANT_MAX_RANK];

    if (e == NULL)
        return locant_fail(LOCANT_ERR_NULL, "%s: e is NULL", fn);
    if (!locant_encoding_param(info, e, i, NULL))
        return locant_fail(LOCANT_ERR_PARAM, "%s: %s has no parameter %d", fn,
                           lct_name(e), i);
    memset(f, 0, sizeof(*f));
    find(f, e, i);
    for (int k = 0; k < info->rank; k++)
        any[k] = info->shape[k] > 0 ? info->shape[k] : -1;
    LCT_TRY(lct_check(fn, info->name, t, LCT_IN_REAL, info->rank, any));
    memcpy(info->shape, t->shape, sizeof(info->shape));
    return lct_check_dense(fn, info->name, t);
}

static void set(locant_tensor *t, size_t i, double value)
{
    if (t->dtype == LOCANT_F64)
        ((double *)t->data)[i] = value;
    else
        ((float *)t->data)[i] = (float)value;
}

bool lct_fill_uniform(double *out, const locant_param_info *info, double bound,
                      locant_random *r)
{
    int64_t n = 1;

    for (int i = 0; i < info->rank; i++)
        n *= info->shape[i];
    for (int64_t i = 0; i < n; i++)
        out[i] = bound * (2 * locant_random_uniform(r) - 1);
    return true;
}

static locant_status fill(locant_tensor *out, const struct found *f,
                          const locant_param_info *info, locant_random *r,
                          bool *filled)
{
    size_t n = lct_elements(out);
    double *value;

    *filled = false;
    if (f->e->row->params.fill == NULL || n == 0)
        return LOCANT_OK;
    value = locant_alloc(n * sizeof(*value));
    if (value == NULL)
        return locant_fail(
            LOCANT_ERR_NOMEM,
            "locant_encoding_param_init: no memory for %zu values", n);
    *filled = f->e->row->params.fill(value, f->e, f->i, info, r);
    if (*filled)
        for (size_t i = 0; i < n; i++)
            set(out, i, value[i]);
    locant_release(value);
    return LOCANT_OK;
}

locant_status locant_encoding_param_init(locant_tensor *out,
                                         const locant_encoding *e, int i,
                                         uint64_t seed)
{
    locant_random r = { .seed = seed, .stream = (uint64_t)i };
    const struct lct_param *p;
    locant_param_info info;
    struct found f;
    bool filled;

    LCT_TRY(check_param(&f, &info, "locant_encoding_param_init", out, e, i));
    LCT_TRY(fill(out, &f, &info, &r, &filled));
    p = &lct_params_of(f.e)[f.i];
    if (filled)
        return LOCANT_OK;
    for (size_t n = 0; n < lct_elements(out); n++) {
        double x = 0;

        if (p->init == LCT_INIT_NORMAL)
            x = p->a + p->b * locant_random_normal(&r);
        if (p->init == LCT_INIT_UNIFORM)
            x = p->a + (p->b - p->a) * locant_random_uniform(&r);
        if (f.e->row->params.project != NULL)
            x = f.e->row->params.project(f.e, f.i, x);
        set(out, n, x);
    }
    return LOCANT_OK;
}

locant_status locant_encoding_param_project(locant_tensor *param,
                                            const locant_encoding *e, int i)
{
    locant_param_info info;
    struct found f;

    LCT_TRY(
        check_param(&f, &info, "locant_encoding_param_project", param, e, i));
    if (f.e->row->params.project == NULL)
        return LOCANT_OK;
    for (size_t n = 0; n < lct_elements(param); n++)
        set(param, n,
            f.e->row->params.project(f.e, f.i, lct_get(param, (int64_t)n)));
    return LOCANT_OK;
}
