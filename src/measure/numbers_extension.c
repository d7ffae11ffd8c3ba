/* numbers_extension.c - puts the results of methods and fine-tunes beyond the
   trained length */
#include "numbers_extension.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* clang-format off */
#define OF_METHOD(member) LCT_FIELD(struct lct_extension_method, member)
#define OF_TUNING(member) LCT_FIELD(struct lct_extension_tuning, member)
#define OF_NEEDLE(member) LCT_FIELD(struct lct_extension_needle, member)
static const struct lct_field
    method_fields[] = { OF_METHOD(id), OF_METHOD(title), OF_METHOD(source),
        LCT_FIELDS_END },
    tuning_fields[] = { OF_TUNING(id), OF_TUNING(title), OF_TUNING(length),
        LCT_FIELDS_END },
    needle_fields[] = { OF_NEEDLE(items), OF_NEEDLE(exact), LCT_FIELDS_END };
/* clang-format on */

/* -------------------------------------------------- shared with the surface */

bool lct_paired_alloc(struct lct_paired_losses *p, struct lct_numbers *n,
                      int seeds, int64_t blocks)
{
    *p = (struct lct_paired_losses){ n, (size_t)seeds, (size_t)blocks, NULL };
    p->scratch = locant_alloc(p->seeds * p->blocks * sizeof *p->scratch);
    if (p->scratch == NULL)
        lct_numbers_check(n, locant_fail(LOCANT_ERR_NOMEM,
                                         "report: no memory for %zu losses",
                                         p->blocks));
    return p->scratch != NULL;
}

/* Put 'loss', minus 'other' unless that is NULL, of the seeds that have both
   into the scratch, seed after seed.  Returns the number of seeds. */
static size_t subtract(const struct lct_paired_losses *p, const double *loss,
                       const double *other)
{
    size_t seeds = 0;

    for (size_t s = 0; s < p->seeds; s++) {
        double *row = p->scratch + seeds * p->blocks, sum = 0;

        for (size_t b = 0; b < p->blocks; b++) {
            const size_t i = s * p->blocks + b;

            row[b] = loss[i] - (other ? other[i] : 0);
            sum += row[b];
        }
        seeds += isfinite(sum) ? 1 : 0;
    }
    return seeds;
}

void lct_paired_put(const struct lct_paired_losses *p, json_t *to,
                    const double *loss, const double *other)
{
    const size_t seeds = loss == other ? 0 : subtract(p, loss, other);

    lct_put_interval(p->n, to, p->scratch, seeds, p->blocks);
}

void lct_put_model(struct lct_numbers *n, json_t *to, int64_t layers,
                   int64_t width, int64_t heads, int64_t ff)
{
    char model[96];

    snprintf(model, sizeof model,
             "layers=%" PRId64 ",width=%" PRId64 ",heads=%" PRId64
             ",ff=%" PRId64,
             layers, width, heads, ff);
    lct_put_text(n, to, "model", model);
}

/* -------------------------------------------------------------------- rows */

/* The baselines: the first row that crops, and the first that does not. */
static const struct lct_extension_row *baseline(const struct lct_extension *x,
                                                bool crop)
{
    int i = 0;

    while (lct_extension_method(i)->crop != crop)
        i++;
    return &x->row[i];
}

static int64_t length_of(int factor)
{
    return lct_extension_factor(factor) * LCT_EXT_TRAINED;
}

static void put_positions(struct lct_numbers *n, json_t *to,
                          const struct lct_extension_row *row, size_t seeds)
{
    json_t *all = lct_put_array(n, to, "position");

    for (int i = 0; i < LCT_EXT_BUCKETS; i++) {
        double sum = 0;
        int found = 0;

        for (size_t s = 0; s < seeds; s++)
            if (!isnan(row->position[s][i])) {
                sum += row->position[s][i];
                found++;
            }
        lct_add_real(n, all, sum / found); /* NAN if no seed has it */
    }
}

static void put_needle(struct lct_numbers *n, json_t *to,
                       const struct lct_extension_needle *e)
{
    lct_put_fields(n, to, needle_fields, e);
    lct_put_share(n, to, "share", (size_t)e->exact, (size_t)e->items);
}

/* Put the members that rows of methods and of fine-tunes share. */
static void put_row(const struct lct_paired_losses *p, json_t *to,
                    const struct lct_extension_row *row)
{
    const struct lct_extension *x = p->n->r->extension;
    const struct lct_extension_row *crop = baseline(x, true);
    const struct lct_extension_row *none = baseline(x, false);
    const int factors = x->plan->factors;
    const double speed = row->at[factors - 1].speed;
    json_t *loss = lct_put_object(p->n, to, "loss");
    json_t *above = lct_put_object(p->n, to, "above_crop"), *needle;

    for (int f = 0; f < factors; f++) {
        lct_paired_put(p, lct_put_at(p->n, loss, length_of(f)), row->at[f].loss,
                       NULL);
        lct_paired_put(p, lct_put_at(p->n, above, length_of(f)),
                       row->at[f].loss, crop->at[f].loss);
    }
    lct_paired_put(p, lct_put_object(p->n, to, "short"), row->short_inputs.loss,
                   NULL);
    lct_paired_put(p, lct_put_object(p->n, to, "short_above_none"),
                   row->short_inputs.loss, none->short_inputs.loss);
    lct_put_real(p->n, to, "tokens_per_second", speed);
    lct_put_real(p->n, to, "cost", none->at[factors - 1].speed / speed);
    put_positions(p->n, to, row, p->seeds);
    needle = lct_put_object(p->n, to, "needle");
    for (int f = 0; f < factors; f++)
        put_needle(p->n, lct_put_at(p->n, needle, length_of(f)),
                   &row->needle[f]);
}

/* ---------------------------------------------------------------- methods */

static void put_spec(struct lct_numbers *n, json_t *to, const char *key,
                     const char *pattern, int64_t factor)
{
    char spec[256];

    if (lct_numbers_check(n, lct_extension_spec(spec, pattern, factor)))
        lct_put_text(n, to, key, spec);
}

static void put_methods(const struct lct_paired_losses *p, json_t *all)
{
    const struct lct_extension *x = p->n->r->extension;
    const int64_t factor = lct_extension_factor(x->plan->factors - 1);
    json_t *list = lct_put_array(p->n, all, "methods");

    for (int i = 0; i < lct_extension_methods(); i++) {
        const struct lct_extension_method *m = lct_extension_method(i);
        json_t *to = lct_add_object(p->n, list);

        lct_put_fields(p->n, to, method_fields, m);
        put_spec(p->n, to, "spec", m->spec, factor);
        put_row(p, to, &x->row[i]);
    }
}

static void put_tuned(const struct lct_paired_losses *p, json_t *all)
{
    const struct lct_extension_row *row =
        &p->n->r->extension->row[lct_extension_methods()];
    json_t *list = lct_put_array(p->n, all, "tuned");

    for (int i = 0; i < lct_extension_tunings(); i++, row++) {
        const struct lct_extension_tuning *t = lct_extension_tuning(i);
        json_t *to = lct_add_object(p->n, list);

        lct_put_fields(p->n, to, tuning_fields, t);
        put_spec(p->n, to, "train", t->train, LCT_EXT_TUNED_FACTOR);
        put_spec(p->n, to, "spec", t->spec, LCT_EXT_TUNED_FACTOR);
        put_row(p, to, row);
        put_needle(p->n, lct_put_object(p->n, to, "needle_short"),
                   &row->needle_short);
    }
}

/* --------------------------------------------------------------------- all */

static void put_plan(struct lct_numbers *n, json_t *all)
{
    const struct lct_extension *x = n->r->extension;
    const struct lct_extension_plan *p = x->plan;
    json_t *lengths = lct_put_array(n, all, "lengths");

    for (int f = 0; f < p->factors; f++)
        lct_add_count(n, lengths, length_of(f));
    lct_put_counts(n, all, "base", x->base, (size_t)p->seeds);
    lct_put_text(n, all, "preset", p->name);
    lct_put_model(n, all, p->layers, p->width, p->heads, p->ff);
    lct_put_count(n, all, "head_dim", p->width / p->heads);
    lct_put_count(n, all, "trained_length", LCT_EXT_TRAINED);
    lct_put_count(n, all, "tuned_factor", LCT_EXT_TUNED_FACTOR);
    lct_put_count(n, all, "steps", p->steps);
    lct_put_count(n, all, "tuned_steps", lct_extension_tuned_steps(p->steps));
    lct_put_count(n, all, "needle_steps", p->needle_steps);
    lct_put_count(n, all, "tuned_needle_steps",
                  lct_extension_tuned_steps(p->needle_steps));
    lct_put_count(n, all, "seeds", p->seeds);
    lct_put_count(n, all, "blocks", x->blocks);
    lct_put_count(n, all, "items", p->items);
    lct_put_count(n, all, "failures", x->failures);
    lct_put_real(n, all, "seconds", x->seconds);
}

void lct_put_extension(struct lct_numbers *n)
{
    const struct lct_extension *x = n->r->extension;
    struct lct_paired_losses p;
    json_t *all;

    if (x == NULL || !lct_paired_alloc(&p, n, x->plan->seeds, x->blocks))
        return;
    all = lct_put_object(n, n->all, "extension");
    put_plan(n, all);
    put_methods(&p, all);
    put_tuned(&p, all);
    put_needle(n, lct_put_object(n, all, "needle_trained"), &x->needle_trained);
    lct_paired_put_orderings(&p, all);
    locant_release(p.scratch);
}
