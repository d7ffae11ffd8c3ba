/*
 * numbers_probes.c - what probes found of each encoding, in a few numbers, and
 * the similarity of the heads of every two encodings.
 */
#include "numbers.h"
#include "probe.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* Dai et al. 2019 */
static const double gain_threshold = .01;

enum { HEADS = 256, BINS = LCT_PROBE_BINS };

static const json_t *at(const json_t *probe, const char *part, const char *key)
{
    return json_object_get(json_object_get(probe, part), key);
}

/* --------------------------------------------------------------- one by one */

/* R^2 of a law, mean over heads. */
static double mean_fit(const json_t *probe, const char *law)
{
    const json_t *heads = at(probe, "tables", "laws"), *head;
    double sum = 0;
    size_t i;

    json_array_foreach(heads, i, head) sum +=
        lct_number_of(json_object_get(head, law));
    return sum / (double)json_array_size(heads);
}

/* Position error of the last layer. */
static double last_error(const json_t *probe)
{
    const json_t *errors = at(probe, "states", "error");
    const size_t n = json_array_size(errors);

    return lct_number_of(n > 0 ? json_array_get(errors, n - 1) : NULL);
}

/* Mean over heads of the trained model; "within" is one of its distances. */
static double mean_of_heads(const json_t *probe, const char *key,
                            const char *within)
{
    const json_t *heads = json_object_get(at(probe, "attention", "trained"),
                                          "heads"),
                 *head;
    double sum = 0;
    size_t i;

    json_array_foreach(heads, i, head)
    {
        const json_t *value = json_object_get(head, key);

        sum += lct_number_of(within ? json_object_get(value, within) : value);
    }
    return sum / (double)json_array_size(heads);
}

static void put_heads(struct lct_numbers *n, json_t *to, const json_t *probe)
{
    static const char *const keys[] = { "entropy", "slope", "distance" };
    json_t *within;

    for (size_t k = 0; k < sizeof keys / sizeof keys[0]; k++)
        lct_put_real(n, to, keys[k], mean_of_heads(probe, keys[k], NULL));
    within = lct_put_object(n, to, "within");
    for (int k = 0; k < LCT_PROBE_WITHIN; k++) {
        char name[24];

        snprintf(name, sizeof name, "%" PRId64, lct_probe_within[k]);
        lct_put_real(n, within, name, mean_of_heads(probe, "within", name));
    }
}

static void put_one(struct lct_numbers *n, json_t *rows,
                    const struct lct_group *g, double context)
{
    const json_t *p = g->probe, *field = at(p, "field", "trained");
    json_t *to = lct_add_object(n, rows), *laws;

    lct_put_text(n, to, "encoding", g->spec);
    lct_put_real(n, to, "width_90",
                 lct_number_of(json_object_get(field, "width_90")));
    lct_put_real(n, to, "width_99",
                 lct_number_of(json_object_get(field, "width_99")));
    lct_put_real(n, to, "effective_context", context);
    lct_put_real(n, to, "position_error", last_error(p));
    lct_put_real(
        n, to, "sinks",
        lct_number_of(json_object_get(at(p, "attention", "sinks"), "share")));
    lct_put_real(n, to, "sinks_repeated",
                 lct_number_of(json_object_get(at(p, "attention", "sinks"),
                                               "share_repeated")));
    lct_put_real(n, to, "toeplitz_initial",
                 lct_number_of(at(p, "tables", "toeplitz_initial")));
    lct_put_real(n, to, "toeplitz", lct_number_of(at(p, "tables", "toeplitz")));
    put_heads(n, to, p);
    laws = lct_put_object(n, to, "laws");
    for (int law = LCT_LAW_LINEAR; law < LCT_LAWS; law++)
        lct_put_real(n, laws, lct_law_name((enum lct_law)law),
                     mean_fit(p, lct_law_name((enum lct_law)law)));
    lct_put_training(n, to, g);
}

/* -------------------------------------------------------- effective context */

/* Read the losses of the models that were probed, with the sizes that all of
   them have; to be released. Lengths that a model lacks are left out. */
static locant_status read_losses(struct lct_context_losses *x,
                                 const struct lct_results *r)
{
    double *loss;

    *x = (struct lct_context_losses){ .lengths = INT64_MAX,
                                      .targets = INT64_MAX };
    for (size_t i = 0; i < r->n; i++) {
        const json_t *each = json_object_get(
            at(r->groups[i].probe, "field", "truncation"), "losses");
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
    LCT_TRY(lct_probe_doubles(&loss, x->models * x->lengths * x->targets));
    x->loss = loss;
    for (size_t i = 0; i < r->n; i++) {
        const json_t *each = json_object_get(
            at(r->groups[i].probe, "field", "truncation"), "losses");

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
    const json_t *lengths =
        json_object_get(at(probe, "field", "truncation"), "lengths");

    if (x->loss == NULL)
        return NAN;
    return lct_number_of(json_array_get(
        lengths, (size_t)lct_effective_context(x, m, gain_threshold)));
}

/* ------------------------------------------------------------ head by head */

/* Read bins[heads, BINS] of all layers; returns the number of heads. */
static int64_t read_bins(real *bins, const json_t *probe)
{
    const json_t *heads = json_object_get(at(probe, "attention", "trained"),
                                          "heads"),
                 *head;
    int64_t n = 0;
    size_t i;

    json_array_foreach(heads, i, head) for (size_t b = 0; i < HEADS && b < BINS;
                                            b++)
    {
        bins[i * BINS + b] = (real)lct_number_of(
            json_array_get(json_object_get(head, "bins"), b));
        n = (int64_t)i + 1;
    }
    return n;
}

/* Mean over layers of the least divergence between a head of one and a head of
   the other. */
static double match(const real *a, const real *b, int64_t layers, int64_t heads)
{
    double sum = 0;

    for (int64_t l = 0; l < layers; l++)
        sum += lct_least_divergence(a + l * heads * BINS, b + l * heads * BINS,
                                    heads, BINS);
    return sum / (double)layers;
}

static void put_matches(struct lct_numbers *n, json_t *to)
{
    const struct lct_results *r = n->r;
    const int64_t all = r->layers * r->heads;
    real a[HEADS * BINS], b[HEADS * BINS];
    json_t *matrix = lct_put_array(n, to, "matching");

    for (size_t i = 0; i < r->n && all <= HEADS; i++) {
        json_t *row = json_array();

        if (r->groups[i].probe == NULL ||
            read_bins(a, r->groups[i].probe) != all) {
            json_decref(row);
            continue;
        }
        n->failed |= json_array_append_new(matrix, row) != 0;
        for (size_t j = 0; j < r->n && !n->failed; j++)
            if (r->groups[j].probe && read_bins(b, r->groups[j].probe) == all)
                lct_add_real(n, row,
                             i == j ? NAN : match(a, b, r->layers, r->heads));
    }
}

/* ---------------------------------------------------------------------- all */

locant_status lct_put_probes(struct lct_numbers *n)
{
    const struct lct_results *r = n->r;
    struct lct_context_losses x;
    json_t *to, *rows;
    int64_t m = 0;

    LCT_TRY(read_losses(&x, r));
    if (x.models == 0)
        return LOCANT_OK;
    to = lct_put_object(n, n->all, "probes");
    rows = lct_put_array(n, to, "rows");
    for (size_t i = 0; i < r->n; i++)
        if (r->groups[i].probe) {
            put_one(n, rows, &r->groups[i],
                    context_of(&x, m, r->groups[i].probe));
            m++;
        }
    put_matches(n, to);
    locant_release((double *)x.loss);
    return LOCANT_OK;
}
