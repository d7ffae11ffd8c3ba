/* outputs.c - check the tensors that an attention call writes */
#include "outputs.h"
#include "part.h"
#include <string.h>

/*
 * Step *n to the next parameter that attention reads; false: none is left.
 * Parameter k of part i has number i * LCT_MAX_PARAMS + k.
 */
static bool next_param(int *n, const struct lct_plan *p)
{
    for (++*n; *n < LCT_MAX_PARTS * LCT_MAX_PARAMS; ++*n) {
        const locant_encoding *leaf = p->request->call[*n / LCT_MAX_PARAMS].e;

        if (leaf != NULL && *n % LCT_MAX_PARAMS < lct_param_count(leaf))
            return true;
    }
    return false;
}

/* The tensor of parameter n in an array of all parameters of the encoding. */
static const locant_tensor *param_of(const locant_tensor *params,
                                     const struct lct_plan *p, int n)
{
    const locant_encoding *e = p->request->a->encoding;

    return &params[e->part[n / LCT_MAX_PARAMS].first_param +
                   n % LCT_MAX_PARAMS];
}

/* Neither 'out', which may be the state, nor the workspace may overlap inputs,
 * nor each other. */
static locant_status check_apart(const struct lct_plan *p,
                                 const locant_tensor *out)
{
    const locant_attention *a = p->request->a;
    const locant_tensor *inputs[] = {
        a->q,        a->k,           a->v,       a->q_pos,  a->k_pos, a->x,
        a->q_coords, a->k_coords,    a->q_docs,  a->k_docs, a->sinks, a->bias,
        a->visible,  a->block_table, a->lengths, a->state
    };
    int n = -1;

    for (size_t i = 0; i < sizeof(inputs) / sizeof(inputs[0]); i++)
        if (inputs[i] != NULL && !(out == a->state && inputs[i] == a->state)) {
            LCT_TRY(lct_check_apart(p->request->fn, out, inputs[i]));
            LCT_TRY(lct_check_apart(p->request->fn, &p->workspace, inputs[i]));
        }
    LCT_TRY(lct_check_apart(p->request->fn, out, &p->workspace));
    while (next_param(&n, p)) {
        const locant_tensor *param = param_of(a->params, p, n);

        LCT_TRY(lct_check_apart(p->request->fn, out, param));
        LCT_TRY(lct_check_apart(p->request->fn, &p->workspace, param));
    }
    return LOCANT_OK;
}

/* lse is F32 where outputs have 16 bits, which are too few for it. */
static unsigned lse_types(unsigned dtypes)
{
    return dtypes & (LCT_IN_F16 | LCT_IN_BF16)
               ? (dtypes & LCT_IN_REAL) | LCT_IN_F32
               : dtypes;
}

/* The outputs have a row of values for each query. */
static locant_status check_like_out(const struct lct_plan *p, const char *name,
                                    const locant_tensor *out, unsigned dtypes)
{
    return lct_check(p->request->fn, name, out, dtypes, 4,
                     (int64_t[4]){ p->B, p->H, p->T, p->Dv });
}

/* Only the last part has results. */
static locant_status check_result(const struct lct_plan *p, const char *name,
                                  const locant_tensor *result)
{
    if (result == NULL || !lct_plan_carries_on(p))
        return LOCANT_OK;
    return locant_fail(LOCANT_ERR_PARAM,
                       "%s: %s is given, expected NULL: more keys follow this "
                       "part",
                       p->request->fn, name);
}

/* Check the state of a part, but not against the other outputs. */
static locant_status check_part(const struct lct_plan *p)
{
    const locant_tensor *state = p->request->part->state;

    LCT_TRY(lct_check(
        p->request->fn, "state", state, LCT_IN_F32, 4,
        (int64_t[4]){ p->B, p->H, p->T, lct_part_width(p, p->pass) }));
    LCT_TRY(lct_check_output(p->request->fn, "state", state));
    return check_apart(p, state);
}

locant_status lct_outputs_check(const struct lct_plan *p,
                                const locant_tensor *out,
                                const locant_tensor *lse, unsigned dtypes)
{
    const locant_tensor *state = p->request->a->state;

    if (p->request->part != NULL) {
        LCT_TRY(check_part(p));
        LCT_TRY(check_result(p, "out", out));
        LCT_TRY(check_result(p, "lse", lse));
        if (lct_plan_carries_on(p))
            return LOCANT_OK;
    }
    LCT_TRY(check_like_out(p, "out", out, dtypes));
    LCT_TRY(lct_check(p->request->fn, "lse", lse, lse_types(dtypes), 3,
                      p->request->q.shape));
    LCT_TRY(lct_check_output(p->request->fn, "out", out));
    LCT_TRY(lct_check_output(p->request->fn, "lse", lse));
    LCT_TRY(check_apart(p, out));
    LCT_TRY(check_apart(p, lse));
    if (state != NULL)
        LCT_TRY(check_apart(p, state));
    if (p->request->part != NULL) {
        LCT_TRY(lct_check_apart(p->request->fn, p->request->part->state, out));
        LCT_TRY(lct_check_apart(p->request->fn, p->request->part->state, lse));
    }
    return lct_check_apart(p->request->fn, out, lse);
}

/* Tensors that backward writes (without dparams), and those it reads. */
struct written {
    const locant_tensor *d[9]; /* dq, dk, dv, dx, dsinks, dbias, dq_coords,
                                  dk_coords, state of a part; NULL: none */
    const locant_tensor *read[3];
};

/* d must not overlap inputs, what is read, or the first n that are written. */
static locant_status check_gradient_apart(const struct lct_plan *p,
                                          const locant_tensor *d,
                                          const struct written *w, int n)
{
    LCT_TRY(check_apart(p, d));
    for (int j = 0; j < 3; j++)
        LCT_TRY(lct_check_apart(p->request->fn, d, w->read[j]));
    for (int j = 0; j < n; j++)
        if (w->d[j] != NULL)
            LCT_TRY(lct_check_apart(p->request->fn, d, w->d[j]));
    return LOCANT_OK;
}

static locant_status check_gradient(const struct lct_plan *p,
                                    const struct written *w, int which,
                                    unsigned dtypes)
{
    const locant_attention *a = p->request->a;
    static const char *const names[8] = { "dq",        "dk",       "dv",
                                          "dx",        "dsinks",   "dbias",
                                          "dq_coords", "dk_coords" };
    const locant_tensor *like[8] = {
        a->q, a->k, a->v, a->x, a->sinks, a->bias, a->q_coords, a->k_coords
    };
    const locant_tensor *d = w->d[which];

    if (d == NULL)
        return LOCANT_OK;
    if (like[which] == NULL)
        return locant_fail(LOCANT_ERR_NULL,
                           "%s: %s is asked for, but %s is NULL",
                           p->request->fn, names[which], names[which] + 1);
    LCT_TRY(lct_check(p->request->fn, names[which], d, dtypes,
                      like[which]->rank, like[which]->shape));
    LCT_TRY(lct_check_output(p->request->fn, names[which], d));
    return check_gradient_apart(p, d, w, which);
}

/* Its strides are free.  16-bit biases may have a gradient in F32. */
static locant_status check_dbias(const struct lct_plan *p,
                                 const struct written *w, unsigned dtypes)
{
    const locant_tensor *bias = p->request->bias, *dbias = w->d[5];

    if (dbias == NULL)
        return LOCANT_OK;
    if (bias == NULL)
        return locant_fail(LOCANT_ERR_NULL,
                           "%s: dbias is asked for, but bias is NULL",
                           p->request->fn);
    LCT_TRY(
        lct_check_view(p->request->fn, "dbias", dbias,
                       1u << bias->dtype | LCT_IN_F32 | (dtypes & LCT_IN_F64),
                       4, bias->shape));
    LCT_TRY(lct_check_output(p->request->fn, "dbias", dbias));
    return check_gradient_apart(p, dbias, w, 5);
}

static locant_status check_dparams(const struct lct_plan *p,
                                   const locant_tensor *dparams,
                                   const struct written *w)
{
    const locant_attention *a = p->request->a;
    int n = -1;

    for (int i = 0; i < a->encoding->parts; i++) {
        int first = a->encoding->part[i].first_param;

        if (p->request->call[i].e != NULL &&
            lct_param_count(p->request->call[i].e) > 0)
            LCT_TRY(lct_params_check_gradients(p->request->fn, dparams + first,
                                               p->request->call[i].e,
                                               a->params + first));
    }
    while (next_param(&n, p)) {
        const locant_tensor *d = param_of(dparams, p, n);
        int m = -1;

        LCT_TRY(check_gradient_apart(p, d, w, 9));
        while (next_param(&m, p) && m < n)
            LCT_TRY(
                lct_check_apart(p->request->fn, d, param_of(dparams, p, m)));
    }
    return LOCANT_OK;
}

/* Refuse gradients that a part of the keys does not have. */
static locant_status check_asked_of_part(const struct lct_plan *p,
                                         const locant_attention_gradients *g)
{
    const char *asked = g->dx != NULL          ? "dx"
                        : g->dbias != NULL     ? "dbias"
                        : g->dq_coords != NULL ? "dq_coords"
                        : g->dk_coords != NULL ? "dk_coords"
                                               : NULL;

    if (p->request->part == NULL || asked == NULL)
        return LOCANT_OK;
    return locant_fail(LOCANT_ERR_UNSUPPORTED,
                       "%s: %s is asked for, expected NULL: a part of the keys "
                       "has dq, dk, dv, dparams and dsinks",
                       p->request->fn, asked);
}

/* Refuse gradients that this call does not have. */
static locant_status check_asked(const struct lct_plan *p,
                                 const locant_attention_gradients *g)
{
    LCT_TRY(check_asked_of_part(p, g));
    if (p->request->values_of_keys && g->dv != NULL)
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: dv is asked for, expected NULL: with "
                           "LOCANT_ATTENTION_VALUES_OF_KEYS dk is the gradient "
                           "of keys and values",
                           p->request->fn);
    if (p->request->stick != NULL && g->dbias != NULL)
        return locant_fail(LOCANT_ERR_UNSUPPORTED,
                           "%s: dbias is asked for, expected NULL: %s has no "
                           "gradient of a dense bias",
                           p->request->fn, p->request->stick->row->info.name);
    return LOCANT_OK;
}

locant_status lct_outputs_check_gradients(const struct lct_plan *p,
                                          const locant_attention_gradients *g,
                                          const locant_tensor *dout,
                                          const locant_tensor *out,
                                          const locant_tensor *lse,
                                          unsigned dtypes)
{
    const locant_attention_part *part = p->request->part;
    struct written w;

    if (g == NULL)
        return locant_fail(LOCANT_ERR_NULL, "%s: gradients is NULL",
                           p->request->fn);
    if (g->struct_size != sizeof(*g))
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: struct_size of gradients is %zu, expected %zu; "
                           "start from LOCANT_ATTENTION_GRADIENTS_INIT",
                           p->request->fn, g->struct_size, sizeof(*g));
    if (p->request->k.dtype == LOCANT_U8)
        return locant_fail(LOCANT_ERR_UNSUPPORTED,
                           "%s: k and v are quantised, expected floats: their "
                           "gradients would have no type",
                           p->request->fn);
    if (p->request->paged.table != NULL)
        return locant_fail(LOCANT_ERR_UNSUPPORTED,
                           "%s: the cache is paged, expected keys and values "
                           "without a block table: backward has no pool to "
                           "write gradients to",
                           p->request->fn);
    LCT_TRY(check_asked(p, g));
    w = (struct written){ { g->dq, g->dk, g->dv, g->dx, g->dsinks, g->dbias,
                            g->dq_coords, g->dk_coords,
                            part == NULL ? NULL : part->state },
                          { dout, out, lse } };
    LCT_TRY(check_like_out(p, "dout", dout, dtypes));
    LCT_TRY(check_like_out(p, "out", out, dtypes));
    LCT_TRY(lct_check(p->request->fn, "lse", lse, lse_types(dtypes), 3,
                      p->request->q.shape));
    for (int i = 0; i < 3; i++)
        LCT_TRY(lct_check_apart(p->request->fn, &p->workspace, w.read[i]));
    for (int i = 0; i < 4; i++)
        LCT_TRY(check_gradient(p, &w, i, dtypes));
    LCT_TRY(check_gradient(p, &w, 4, lse_types(dtypes)));
    LCT_TRY(check_dbias(p, &w, dtypes));
    for (int i = 6; i < 8; i++)
        LCT_TRY(check_gradient(p, &w, i, LCT_IN_F64));
    if (part != NULL) {
        LCT_TRY(check_part(p));
        LCT_TRY(check_result(p, "dq", g->dq));
        LCT_TRY(check_gradient_apart(p, part->state, &w, 8));
    }
    if (p->params == 0 || g->dparams == NULL)
        return LOCANT_OK;
    return check_dparams(p, g->dparams, &w);
}

void lct_outputs_clear_dx(const locant_tensor *dx)
{
    if (dx == NULL)
        return;
    for (int64_t b = 0; b < dx->shape[0]; b++)
        for (int64_t j = 0; j < dx->shape[1]; j++) {
            int64_t index[2] = { b, j };

            memset(lct_at(dx, index, 2), 0,
                   (size_t)dx->shape[2] * locant_dtype_size(dx->dtype));
        }
}
