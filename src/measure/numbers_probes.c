/*
 * numbers_probes.c - the part "probes" of the document of numbers: a summary of
 * each encoding, and how similar the heads of every two encodings are.
 */
#include "numbers.h"
#include "probe.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* Relative gain below which more context does not count (Dai et al. 2019). */
static const double gain_threshold = .01;

/* Heads of all layers, at most; bins of the distances that a head attends to.
   */
enum { HEADS = 256, BINS = LCT_PROBE_BINS };

/* ----------------------------------------------------------- each encoding */

/* The number to take of the value at a path: the value, its last element, or
   the mean of 'member' over its elements. */
enum reduction { VALUE, LAST, MEAN };

static double number_at(const json_t *probe, const char *path,
                        enum reduction how, const char *member)
{
    const json_t *value = lct_numbers_at(probe, path), *one;
    const size_t n = json_array_size(value);
    double sum = 0;
    size_t i;

    if (how == VALUE)
        return lct_number_of(value);
    if (how == LAST)
        return lct_number_of(n > 0 ? json_array_get(value, n - 1) : NULL);
    json_array_foreach(value, i, one)
        sum += lct_number_of(lct_numbers_at(one, member));
    return sum / (double)n;
}

static const char head_list[] = "attention.trained.heads";

static const struct row {
    const char *key, *path;
    enum reduction how;
    const char *member;
} rows[] = {
    { "width_90", "field.trained.width_90", VALUE, NULL },
    { "width_99", "field.trained.width_99", VALUE, NULL },
    { "effective_context", NULL, VALUE, NULL },
    { "position_error", "states.error", LAST, NULL },
    { "sinks", "attention.sinks.share", VALUE, NULL },
    { "sinks_repeated", "attention.sinks.share_repeated", VALUE, NULL },
    { "toeplitz_initial", "tables.toeplitz_initial", VALUE, NULL },
    { "toeplitz", "tables.toeplitz", VALUE, NULL },
    { "entropy", head_list, MEAN, "entropy" },
    { "slope", head_list, MEAN, "slope" },
    { "distance", head_list, MEAN, "distance" },
};

static void put_one(struct lct_numbers *n, json_t *list,
                    const struct lct_group *g, double context)
{
    json_t *to = lct_add_object(n, list), *within, *laws;
    char key[24], member[32];

    lct_put_text(n, to, "encoding", g->spec);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        lct_put_real(n, to, rows[i].key,
                     rows[i].path ? number_at(g->probe, rows[i].path,
                                              rows[i].how, rows[i].member)
                                  : context);
    within = lct_put_object(n, to, "within");
    for (int k = 0; k < LCT_PROBE_WITHIN; k++) {
        snprintf(key, sizeof key, "%" PRId64, lct_probe_within[k]);
        snprintf(member, sizeof member, "within.%s", key);
        lct_put_real(n, within, key,
                     number_at(g->probe, head_list, MEAN, member));
    }
    laws = lct_put_object(n, to, "laws"); /* R^2 */
    for (int law = LCT_LAW_LINEAR; law < LCT_LAWS; law++) {
        const char *name = lct_law_name((enum lct_law)law);

        lct_put_real(n, laws, name,
                     number_at(g->probe, "tables.laws", MEAN, name));
    }
    lct_put_training(n, to, g);
}

/* -------------------------------------------------------- effective context */

/* Read the losses of the models that were probed; to be released. Lengths and
   targets that some model lacks are left out. */
static locant_status read_losses(struct lct_context_losses *x,
                                 const struct lct_results *r)
{
    static const char losses[] = "field.truncation.losses";
    double *loss;

    *x = (struct lct_context_losses){ .lengths = INT64_MAX,
                                      .targets = INT64_MAX };
    for (size_t i = 0; i < r->n; i++) {
        const json_t *each = lct_numbers_at(r->groups[i].probe, losses);
        const int64_t lengths = (int64_t)json_array_size(each);
        const int64_t targets =
            (int64_t)json_array_size(json_array_get(each, 0));

        if (r->groups[i].probe == NULL)
            continue;
        x->models++;
        x->lengths = lengths < x->lengths ? lengths : x->lengths;
        x->targets = targets < x->targets ? targets : x->targets;
    }
    if (x->models == 0 || x->lengths * x->targets == 0)
        return LOCANT_OK;
    LCT_TRY(lct_alloc_doubles(&loss, x->models * x->lengths * x->targets));
    x->loss = loss;
    for (size_t i = 0; i < r->n; i++) {
        const json_t *each = lct_numbers_at(r->groups[i].probe, losses);

        for (int64_t k = 0; each && k < x->lengths * x->targets; k++)
            *loss++ = lct_number_of(
                json_array_get(json_array_get(each, (size_t)(k / x->targets)),
                               (size_t)(k % x->targets)));
    }
    return LOCANT_OK;
}

static double context_of(const struct lct_context_losses *x, int64_t m,
                         const json_t *probe)
{
    const json_t *lengths = lct_numbers_at(probe, "field.truncation.lengths");

    if (x->loss == NULL)
        return NAN;
    return lct_number_of(json_array_get(
        lengths, (size_t)lct_effective_context(x, m, gain_threshold)));
}

/* ----------------------------------------------------- similarity of heads */

/* Read bins[heads, BINS] of all layers; returns the number of heads. */
static int64_t read_bins(real *bins, const json_t *probe)
{
    const json_t *list = lct_numbers_at(probe, head_list), *head;
    int64_t n = 0;
    size_t i;

    json_array_foreach(list, i, head)
        for (size_t b = 0; i < HEADS && b < BINS; b++) {
            bins[i * BINS + b] = (real)lct_number_of(
                json_array_get(json_object_get(head, "bins"), b));
            n = (int64_t)i + 1;
        }
    return n;
}

/* For each layer, match the heads of two models so that they diverge least;
   the mean over layers.  a and b are the models' bins. */
static double match(const real *a, const real *b, int64_t layers, int64_t heads)
{
    double sum = 0;

    for (int64_t l = 0; l < layers; l++)
        sum += lct_least_divergence(a + l * heads * BINS, b + l * heads * BINS,
                                    heads, BINS);
    return sum / (double)layers;
}

/* Rows and columns are those of "rows"; a model with another number of heads
   has nulls. */
static void put_matches(struct lct_numbers *n, json_t *to)
{
    const struct lct_results *r = n->r;
    const int64_t all = r->layers * r->heads;
    real a[HEADS * BINS], b[HEADS * BINS];
    json_t *matrix = lct_put_array(n, to, "matching");

    for (size_t i = 0; i < r->n && all <= HEADS; i++) {
        json_t *row;
        bool fits;

        if (r->groups[i].probe == NULL)
            continue;
        row = lct_add_array(n, matrix);
        fits = read_bins(a, r->groups[i].probe) == all;
        for (size_t j = 0; j < r->n; j++)
            if (r->groups[j].probe)
                lct_add_real(n, row,
                             i != j && fits &&
                                     read_bins(b, r->groups[j].probe) == all
                                 ? match(a, b, r->layers, r->heads)
                                 : NAN);
    }
}

/* ---------------------------------------------------------------------- all */

void lct_put_probes(struct lct_numbers *n)
{
    const struct lct_results *r = n->r;
    struct lct_context_losses x;
    json_t *to, *list;
    int64_t m = 0;

    if (!lct_numbers_check(n, read_losses(&x, r)) || x.models == 0)
        return;
    to = lct_put_object(n, n->all, "probes");
    list = lct_put_array(n, to, "rows");
    for (size_t i = 0; i < r->n; i++)
        if (r->groups[i].probe) {
            put_one(n, list, &r->groups[i],
                    context_of(&x, m, r->groups[i].probe));
            m++;
        }
    put_matches(n, to);
    locant_release((double *)x.loss);
}
