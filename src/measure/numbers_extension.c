/* numbers_extension.c - what was measured beyond the trained length */
#include "numbers_extension.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct lct_extension_row *baseline(const struct lct_extension *x,
                                                bool crop)
{
    int i = 0;

    while (lct_extension_method(i)->crop != crop)
        i++;
    return &x->row[i];
}

static void put_positions(const struct lct_ext_maker *k, json_t *to,
                          const struct lct_extension_row *row)
{
    json_t *all = lct_put_array(k->n, to, "position");

    for (int i = 0; i < LCT_EXT_BUCKETS; i++) {
        double sum = 0;
        int n = 0;

        for (size_t s = 0; s < k->seeds; s++)
            if (!isnan(row->position[s][i])) {
                sum += row->position[s][i];
                n++;
            }
        lct_add_real(k->n, all, sum / n); /* none: NAN */
    }
}

/* Put what methods and fine-tuned runs have in common. */
static locant_status put_row(const struct lct_ext_maker *k, json_t *to,
                             const struct lct_extension_row *row)
{
    const int last = k->x->plan->factors - 1;
    const struct lct_extension_row *crop = baseline(k->x, true);
    const struct lct_extension_row *none = baseline(k->x, false);
    json_t *loss = lct_put_object(k->n, to, "loss");
    json_t *above = lct_put_object(k->n, to, "above_crop");

    for (int f = 0; f <= last; f++) {
        const int64_t length = lct_extension_factor(f) * LCT_EXT_TRAINED;

        LCT_TRY(lct_extension_put_loss(k, lct_put_at(k->n, loss, length),
                                       row->at[f].loss, NULL));
        LCT_TRY(lct_extension_put_loss(k, lct_put_at(k->n, above, length),
                                       row->at[f].loss, crop->at[f].loss));
    }
    LCT_TRY(lct_extension_put_loss(k, lct_put_object(k->n, to, "short"),
                                   row->short_inputs.loss, NULL));
    LCT_TRY(lct_extension_put_loss(
        k, lct_put_object(k->n, to, "short_above_none"), row->short_inputs.loss,
        none->short_inputs.loss));
    lct_put_real(k->n, to, "tokens_per_second", row->at[last].speed);
    lct_put_real(k->n, to, "cost", none->at[last].speed / row->at[last].speed);
    put_positions(k, to, row);
    return LOCANT_OK;
}

/* ----------------------------------------------------------------- needles */

static locant_status put_needle(const struct lct_ext_maker *k, json_t *to,
                                const struct lct_extension_needle *e)
{
    double low = NAN, high = NAN;

    if (e->items > 0)
        LCT_TRY(locant_wilson(&low, &high, (size_t)e->exact, (size_t)e->items,
                              LCT_EXT_LEVEL));
    lct_put_count(k->n, to, "items", e->items);
    lct_put_count(k->n, to, "exact", e->exact);
    lct_put_real(k->n, to, "share", (double)e->exact / (double)e->items);
    lct_put_real(k->n, to, "low", low);
    lct_put_real(k->n, to, "high", high);
    return LOCANT_OK;
}

static locant_status put_needles(const struct lct_ext_maker *k, json_t *to,
                                 const struct lct_extension_row *row)
{
    json_t *all = lct_put_object(k->n, to, "needle");

    for (int f = 0; f < k->x->plan->factors; f++)
        LCT_TRY(put_needle(
            k, lct_put_at(k->n, all, lct_extension_factor(f) * LCT_EXT_TRAINED),
            &row->needle[f]));
    return LOCANT_OK;
}

/* ---------------------------------------------------------------- methods */

static locant_status put_spec(const struct lct_ext_maker *k, json_t *to,
                              const char *key, const char *pattern,
                              int64_t factor)
{
    char spec[256];

    LCT_TRY(lct_extension_spec(spec, pattern, factor));
    lct_put_text(k->n, to, key, spec);
    return LOCANT_OK;
}

static locant_status put_methods(const struct lct_ext_maker *k, json_t *all)
{
    const int64_t factor = lct_extension_factor(k->x->plan->factors - 1);
    json_t *list = lct_put_array(k->n, all, "methods");

    for (int i = 0; i < lct_extension_methods(); i++) {
        const struct lct_extension_method *m = lct_extension_method(i);
        json_t *to = lct_add_object(k->n, list);

        lct_put_text(k->n, to, "id", m->id);
        lct_put_text(k->n, to, "title", m->title);
        lct_put_text(k->n, to, "source", m->source);
        LCT_TRY(put_spec(k, to, "spec", m->spec, factor));
        LCT_TRY(put_row(k, to, &k->x->row[i]));
        LCT_TRY(put_needles(k, to, &k->x->row[i]));
    }
    return LOCANT_OK;
}

static locant_status put_tuned(const struct lct_ext_maker *k, json_t *all)
{
    json_t *list = lct_put_array(k->n, all, "tuned");

    for (int i = 0; i < lct_extension_tunings(); i++) {
        const struct lct_extension_tuning *t = lct_extension_tuning(i);
        const struct lct_extension_row *row =
            &k->x->row[lct_extension_methods() + i];
        json_t *to = lct_add_object(k->n, list);

        lct_put_text(k->n, to, "id", t->id);
        lct_put_text(k->n, to, "title", t->title);
        lct_put_count(k->n, to, "length", t->length);
        LCT_TRY(put_spec(k, to, "train", t->train, LCT_EXT_TUNED_FACTOR));
        LCT_TRY(put_spec(k, to, "spec", t->spec, LCT_EXT_TUNED_FACTOR));
        LCT_TRY(put_row(k, to, row));
        LCT_TRY(put_needles(k, to, row));
        LCT_TRY(put_needle(k, lct_put_object(k->n, to, "needle_short"),
                           &row->needle_short));
    }
    return LOCANT_OK;
}

/* --------------------------------------------------------------------- all */

static void put_plan(const struct lct_ext_maker *k, json_t *all)
{
    const struct lct_extension_plan *p = k->x->plan;
    json_t *lengths = lct_put_array(k->n, all, "lengths");
    json_t *base = lct_put_array(k->n, all, "base");
    char model[96];

    for (int f = 0; f < p->factors; f++)
        lct_add_count(k->n, lengths, lct_extension_factor(f) * LCT_EXT_TRAINED);
    for (int s = 0; s < p->seeds; s++)
        lct_add_count(k->n, base, k->x->base[s]);
    snprintf(model, sizeof model,
             "layers=%" PRId64 ",width=%" PRId64 ",heads=%" PRId64
             ",ff=%" PRId64,
             p->layers, p->width, p->heads, p->ff);
    lct_put_text(k->n, all, "preset", p->name);
    lct_put_text(k->n, all, "model", model);
    lct_put_count(k->n, all, "head_dim", p->width / p->heads);
    lct_put_count(k->n, all, "trained_length", LCT_EXT_TRAINED);
    lct_put_count(k->n, all, "tuned_factor", LCT_EXT_TUNED_FACTOR);
    lct_put_count(k->n, all, "steps", p->steps);
    lct_put_count(k->n, all, "tuned_steps", (p->steps + 19) / 20);
    lct_put_count(k->n, all, "needle_steps", p->needle_steps);
    lct_put_count(k->n, all, "tuned_needle_steps", (p->needle_steps + 19) / 20);
    lct_put_count(k->n, all, "seeds", p->seeds);
    lct_put_count(k->n, all, "blocks", k->x->blocks);
    lct_put_count(k->n, all, "items", p->items);
    lct_put_count(k->n, all, "failures", k->x->failures);
    lct_put_real(k->n, all, "seconds", k->x->seconds);
}

locant_status lct_put_extension(struct lct_numbers *n)
{
    const struct lct_extension *x = n->r->extension;
    struct lct_ext_maker k = { .n = n, .x = x };
    json_t *all;
    locant_status status;

    if (x == NULL)
        return LOCANT_OK;
    k.seeds = (size_t)x->plan->seeds;
    k.blocks = (size_t)x->blocks;
    k.room = locant_alloc(k.seeds * k.blocks * sizeof *k.room);
    if (k.room == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "report: no memory for %zu losses",
                           k.blocks);
    all = lct_put_object(n, n->all, "extension");
    put_plan(&k, all);
    status = put_methods(&k, all);
    if (status == LOCANT_OK)
        status = put_tuned(&k, all);
    if (status == LOCANT_OK)
        status = put_needle(&k, lct_put_object(n, all, "needle_trained"),
                            &x->needle_trained);
    if (status == LOCANT_OK)
        status = lct_put_orderings(&k, all);
    locant_release(k.room);
    return status;
}
