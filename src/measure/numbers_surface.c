/* numbers_surface.c - loss by trained length and length read, as numbers */
#include "numbers_extension.h"
#include "surface.h"
#include <inttypes.h>
#include <stdio.h>

/* Index of the length that a model was trained at among those it reads. */
static int own_of(const struct lct_surface *x, int t)
{
    int k = 0;

    while (x->length[k] != x->trained[t])
        k++;
    return k;
}

/* Put the results of encoding e trained at length index t. */
static locant_status put_trained(const struct lct_ext_maker *k,
                                 json_t *const to[3], size_t e, int t)
{
    const struct lct_surface *x = k->n->r->surface;
    const double *own = lct_surface_at(x, e, t, own_of(x, t));
    json_t *loss = lct_put_at(k->n, to[0], x->trained[t]);
    json_t *change = lct_put_at(k->n, to[1], x->trained[t]);
    json_t *above = lct_put_at(k->n, to[2], x->trained[t]);

    for (int i = 0; i < x->n_lengths; i++) {
        const double *here = lct_surface_at(x, e, t, i);
        const int64_t length = x->length[i];

        LCT_TRY(lct_extension_put_loss(k, lct_put_at(k->n, loss, length), here,
                                       NULL));
        if (length > x->trained[t])
            LCT_TRY(lct_extension_put_loss(k, lct_put_at(k->n, change, length),
                                           here, own));
        for (int u = t + 1; u < x->n_trained; u++)
            if (x->trained[u] == length)
                LCT_TRY(
                    lct_extension_put_loss(k, lct_put_at(k->n, above, length),
                                           here, lct_surface_at(x, e, u, i)));
    }
    return LOCANT_OK;
}

static void put_runs(const struct lct_ext_maker *k, json_t *to, size_t e)
{
    const struct lct_surface *x = k->n->r->surface;
    json_t *all = lct_put_object(k->n, to, "runs");

    for (int t = 0; t < x->n_trained; t++) {
        char key[24];
        json_t *list;

        snprintf(key, sizeof key, "%" PRId64, x->trained[t]);
        list = lct_put_array(k->n, all, key);
        for (int s = 0; s < x->seeds; s++)
            lct_add_count(k->n, list, x->of[e].run[t][s]);
    }
}

static locant_status put_encodings(const struct lct_ext_maker *k, json_t *all)
{
    const struct lct_surface *x = k->n->r->surface;
    json_t *list = lct_put_array(k->n, all, "encodings");

    for (size_t e = 0; e < x->n; e++) {
        json_t *to = lct_add_object(k->n, list);
        json_t *const parts[3] = { lct_put_object(k->n, to, "loss"),
                                   lct_put_object(k->n, to, "change"),
                                   lct_put_object(k->n, to, "above_own") };

        lct_put_text(k->n, to, "encoding", x->of[e].spec);
        put_runs(k, to, e);
        for (int t = 0; t < x->n_trained; t++)
            LCT_TRY(put_trained(k, parts, e, t));
    }
    return LOCANT_OK;
}

static void put_plan(struct lct_numbers *n, json_t *all)
{
    const struct lct_surface *x = n->r->surface;
    json_t *trained = lct_put_array(n, all, "trained");
    json_t *lengths = lct_put_array(n, all, "lengths");
    char model[96];

    for (int t = 0; t < x->n_trained; t++)
        lct_add_count(n, trained, x->trained[t]);
    for (int k = 0; k < x->n_lengths; k++)
        lct_add_count(n, lengths, x->length[k]);
    snprintf(model, sizeof model,
             "layers=%" PRId64 ",width=%" PRId64 ",heads=%" PRId64
             ",ff=%" PRId64,
             x->train.layers, x->train.width, x->train.heads, x->train.ff);
    lct_put_text(n, all, "model", model);
    lct_put_count(n, all, "left_out", (int64_t)x->left_out);
    lct_put_count(n, all, "seeds", x->seeds);
    lct_put_count(n, all, "blocks", x->blocks);
    lct_put_count(n, all, "failures", x->failures);
    lct_put_count(n, all, "steps", x->train.steps);
    lct_put_count(n, all, "tokens_per_step", x->train.batch * x->train.length);
    lct_put_real(n, all, "seconds", x->seconds);
}

locant_status lct_put_surface(struct lct_numbers *n)
{
    const struct lct_surface *x = n->r->surface;
    struct lct_ext_maker k = { .n = n };
    json_t *all;
    locant_status status;

    if (x == NULL)
        return LOCANT_OK;
    k.seeds = (size_t)x->seeds;
    k.blocks = (size_t)x->blocks;
    k.room = locant_alloc(k.seeds * k.blocks * sizeof *k.room);
    if (k.room == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "report: no memory for %zu losses",
                           k.blocks);
    all = lct_put_object(n, n->all, "surface");
    put_plan(n, all);
    status = put_encodings(&k, all);
    locant_release(k.room);
    return status;
}
