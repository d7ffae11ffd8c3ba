/* numbers.c - makes the document of all numbers of the page, and its
   comparisons of encodings. Losses are in nats per byte. */
#include "numbers.h"
#include "claims.h"
#include "context_use.h"
#include "../core/size.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LENGTHS = LOCANT_EVAL_LENGTHS };

/* Scratch to compare rows. */
struct scratch {
    const struct lct_claims *claims;
    struct lct_test *test; /* [rows] */
    double *mean;          /* [rows] */
    int *ranks;            /* [LENGTHS, rows] */
};

/* clang-format off */
#define OF_TEST(key, member) LCT_FIELD_AS(key, struct lct_test, member)
static const struct lct_field
    change[] = { OF_TEST("half", half), OF_TEST("p", p),
        OF_TEST("corrected", corrected), OF_TEST("sign", sign),
        LCT_FIELDS_END },
    mean[] = { OF_TEST("mean", mean), LCT_FIELDS_END },
    exact[] = { OF_TEST("mean", mean), OF_TEST("half", half),
        OF_TEST("p", exact), OF_TEST("holm", exact_corrected),
        LCT_FIELDS_END };
/* clang-format on */

/* The object rows.<i>.<part>.<length of index k>. */
static json_t *length_of_row(struct lct_numbers *n, size_t i, const char *part,
                             int k)
{
    return lct_put_at(n, lct_part_of_row(n, i, part), lct_length(n->r, k));
}

/* Put the change of every encoding at length index k. */
static void put_changes(struct lct_numbers *n, const struct scratch *s, int k)
{
    for (size_t i = 0; i < n->r->n; i++)
        lct_put_fields(n, length_of_row(n, i, "change", k), change,
                       &lct_claims_changes(s->claims, k)[i]);
}

/* Put the power of a t test at level alpha, and the seeds that it needs for
   power LCT_POWER, at least 'least'; null if unknown. */
static void put_power(struct lct_numbers *n, json_t *to,
                      const struct lct_test *t, double alpha, size_t least)
{
    const size_t seeds = locant_power_seeds(t->mean, t->deviation, alpha,
                                            LCT_POWER, LCT_MOST_SEEDS);
    double power = locant_power(t->mean, t->deviation, t->seeds, alpha);

    if (t->seeds < least && !isnan(power))
        power = 0;
    lct_put_real(n, to, "power", power);
    lct_put_real(n, to, "seeds",
                 seeds == 0 ? NAN : fmax((double)seeds, (double)least));
}

/* Put the declared comparison of each encoding, the least p that the exact test
   can have with these seeds, and how many seeds that test needs. */
static void put_declared(struct lct_numbers *n, const struct scratch *s)
{
    const int k = lct_losses_declared_index(n->r);
    const struct lct_test *test = lct_claims_changes(s->claims, k);
    double least = NAN;
    size_t tested = 0, needed;

    for (size_t i = 0; i < n->r->n; i++)
        tested += !isnan(test[i].exact);
    needed = locant_flip_seeds(tested, LCT_ALPHA);
    for (size_t i = 0; i < n->r->n; i++) {
        json_t *to = lct_part_of_row(n, i, "declared");

        lct_put_fields(n, to, exact, &test[i]);
        put_power(n, to, &test[i], LCT_ALPHA / (double)tested, needed);
    }
    if (tested > 0 && n->seeds >= 1 && n->seeds <= LOCANT_FLIP_MAX)
        least = ldexp(1, 1 - (int)n->seeds);
    lct_put_count(n, n->declared, "length", lct_length(n->r, k));
    lct_put_count(n, n->declared, "comparisons", (int64_t)tested);
    lct_put_real(n, n->declared, "least_p", least);
    lct_put_real(n, n->declared, "least_holm", fmin(1, least * (double)tested));
    lct_put_real(n, n->declared, "seeds", needed ? (double)needed : NAN);
}

static void put_rank(struct lct_numbers *n, json_t *to, const char *key,
                     int rank)
{
    lct_put(n, to, key, rank ? json_integer(rank) : json_null());
}

/* Put ranks at each length, the rank at the judged length, and the mean
   reciprocal rank over the lengths from the second to the judged one. */
static void put_ranks(struct lct_numbers *n, const struct scratch *s)
{
    const size_t all = n->r->n, judged = (size_t)lct_losses_ranked_index(n->r);
    char key[24];

    for (size_t k = 0; k < LENGTHS; k++) {
        if (!lct_numbers_check(
                n, lct_claims_rank(s->ranks + k * all, s->claims, (int)k)))
            return;
        snprintf(key, sizeof key, "%" PRId64, lct_length(n->r, (int)k));
        for (size_t i = 0; i < all; i++)
            put_rank(n, lct_part_of_row(n, i, "ranks"), key,
                     s->ranks[k * all + i]);
    }
    if (!lct_numbers_check(n, locant_mean_reciprocal_rank(
                                  s->mean, s->ranks + all, all, judged)))
        return;
    for (size_t i = 0; i < all; i++) {
        json_t *row = json_array_get(n->rows, i);

        put_rank(n, row, "rank", s->ranks[judged * all + i]);
        lct_put_real(n, row, "mean_reciprocal_rank", s->mean[i]);
    }
}

/* Put the power, and the seeds needed, to distinguish the two lowest losses at
   the judged length. */
static void put_order(struct lct_numbers *n, const struct scratch *s,
                      const struct lct_order *order)
{
    json_t *to = lct_put_object(n, n->all, "order");
    const bool any = order->next < n->r->n;

    lct_put_count(n, to, "length",
                  lct_length(n->r, lct_losses_ranked_index(n->r)));
    lct_put_text(n, to, "first", any ? n->r->groups[order->first].spec : NULL);
    lct_put_text(n, to, "next", any ? n->r->groups[order->next].spec : NULL);
    if (any)
        put_power(n, to, &s->test[order->next],
                  LCT_ALPHA / (double)s->claims->tested, 0);
}

/* Put the difference of every encoding from the lowest loss at length index
   k. */
static void put_behind(struct lct_numbers *n, const struct scratch *s, int k)
{
    struct lct_order order;

    if (!lct_numbers_check(n, lct_claims_order(s->test, &order, s->claims, k)))
        return;
    for (size_t i = 0; i < n->r->n; i++) {
        json_t *to = length_of_row(n, i, "behind", k);

        lct_put_fields(n, to, mean, &s->test[i]);
        lct_put_fields(n, to, change, &s->test[i]);
    }
    if (k == lct_losses_ranked_index(n->r))
        put_order(n, s, &order);
}

/* Compare rows with each other. */
static void compare_rows(struct lct_numbers *n, const struct lct_claims *claims)
{
    struct scratch s = { .claims = claims };
    const size_t each =
        sizeof *s.test + sizeof *s.mean + LENGTHS * sizeof *s.ranks;
    size_t bytes;

    s.test = lct_mul(&bytes, n->r->n + 1, each) ? locant_alloc(bytes) : NULL;
    if (s.test == NULL) {
        lct_numbers_check(
            n,
            locant_fail(LOCANT_ERR_NOMEM,
                        "report: no memory to compare %zu encodings", n->r->n));
        return;
    }
    s.mean = (double *)(s.test + n->r->n);
    s.ranks = (int *)(s.mean + n->r->n);
    for (int k = 1; k < LENGTHS; k++)
        put_changes(n, &s, k);
    put_ranks(n, &s);
    put_declared(n, &s);
    for (int k = 0; k < LENGTHS; k++)
        put_behind(n, &s, k);
    locant_release(s.test);
}

/* ---------------------------------------------------------------- measures */

/* A part of each row: a measure from length index 'first' on, minus nothing, P1
   at the trained length, or P1 at the same length. */
static const struct part {
    const char *name;
    enum lct_measure measure;
    int first;
    enum { NOTHING, TRAINED, SAME } minus;
} parts[] = {
    { "loss", LCT_P1, 0, NOTHING },
    { "change", LCT_P1, 1, TRAINED },
    { "non_overlapping", LCT_P3, 0, NOTHING },
    { "gains", LCT_P4, 0, SAME },
    { "logn", LCT_LOGN, 1, NOTHING },
    { "logn_change", LCT_LOGN, 1, SAME },
    { "clamp", LCT_CLAMP, 1, NOTHING },
    { "wrap", LCT_WRAP, 1, NOTHING },
    { "resample", LCT_RESAMPLE, 1, NOTHING },
};

/* Put the intervals of a part at length index k, in nats per byte. */
static void put_part(struct lct_numbers *n, const struct part *part, int k)
{
    const struct lct_term term = { part->measure, k };
    const struct lct_term p1 = { LCT_P1, part->minus == TRAINED ? 0 : k };
    size_t seeds, blocks;
    double *loss;

    if (!lct_numbers_check(n, lct_losses(&loss, &seeds, &blocks, n->r, term,
                                         part->minus == NOTHING ? NULL : &p1)))
        return;
    for (size_t i = 0; i < n->r->n; i++)
        /* an encoding may have fewer seeds; they come first */
        lct_put_interval(n, length_of_row(n, i, part->name, k),
                         loss + i * seeds * blocks, n->r->groups[i].n, blocks);
    locant_release(loss);
}

/* Put what changing the context costs, and whether an encoding uses it: null
   if there is no interval. */
static void put_context(struct lct_numbers *n)
{
    json_t *all = lct_put_object(n, n->all, "context");
    struct lct_context_use *use;

    lct_put_real(n, all, "threshold", LCT_CONTEXT_COST);
    lct_put_real(n, all, "ngram", lct_context_ngram_gain(n->r));
    if (!lct_numbers_check(n, lct_context_use_create(&use, n->r)))
        return;
    for (size_t i = 0; i < n->r->n; i++) {
        json_t *to = lct_part_of_row(n, i, "context");

        for (int how = 0; how < LCT_CHANGED; how++)
            lct_put_interval_of(n,
                                lct_put_object(n, to, lct_changed_names[how]),
                                &use[i].cost[how]);
        lct_put(n, to, "uses",
                use[i].use == LCT_USE_UNKNOWN
                    ? json_null()
                    : json_boolean(use[i].use == LCT_USE_SHOWN));
    }
    locant_release(use);
}

static void put_rows(struct lct_numbers *n)
{
    for (size_t i = 0; i < n->r->n; i++)
        lct_put_row(n, &n->r->groups[i]);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        for (int k = parts[i].first;
             k < LENGTHS && (parts[i].measure == LCT_P1 ||
                             lct_losses_has(n->r, parts[i].measure));
             k++)
            put_part(n, &parts[i], k);
    put_context(n);
}

/* Put what tests over seeds show. */
static void put_tests(struct lct_numbers *n)
{
    struct lct_claims claims;

    if (!lct_numbers_check(n, lct_claims_create(&claims, n->r)))
        return;
    lct_put_count(n, lct_put_object(n, n->all, "claims"), "comparisons",
                  (int64_t)claims.tested);
    compare_rows(n, &claims);
    lct_put_pairs(n, &claims);
    lct_claims_free(&claims);
}

static locant_status create(json_t **out, const struct lct_results *r,
                            bool without_bootstrap)
{
    struct lct_numbers n = { .r = r,
                             .seeds = lct_losses_seeds(r),
                             .all = json_object(),
                             .without_bootstrap = without_bootstrap };

    *out = NULL;
    lct_put_facts(&n);
    n.declared = lct_put_object(&n, n.all, "declared");
    n.rows = lct_put_array(&n, n.all, "rows");
    put_rows(&n);
    put_tests(&n);
    lct_put_extension(&n);
    lct_put_surface(&n);
    lct_put_tasks(&n);
    lct_put_probes(&n);
    if (n.status == LOCANT_OK)
        *out = n.all;
    else
        json_decref(n.all);
    return n.status;
}

locant_status lct_numbers_create(json_t **out, const struct lct_results *r)
{
    return create(out, r, false);
}

locant_status lct_numbers_create_claims(json_t **out,
                                        const struct lct_results *r)
{
    return create(out, r, true);
}

const json_t *lct_numbers_at(const json_t *numbers, const char *path)
{
    char step[64];

    while (numbers && *path) {
        size_t bytes = strcspn(path, ".");

        if (bytes == 0 || bytes >= sizeof step)
            return NULL;
        memcpy(step, path, bytes);
        step[bytes] = '\0';
        if (json_is_array(numbers)) {
            size_t i = 0;

            for (size_t k = 0; k < bytes; k++) {
                if (step[k] < '0' || step[k] > '9' || i > 1000000)
                    return NULL;
                i = 10 * i + (size_t)(step[k] - '0');
            }
            numbers = json_array_get(numbers, i);
        } else {
            numbers = json_object_get(numbers, step);
        }
        path += bytes + (path[bytes] == '.');
    }
    return numbers;
}
