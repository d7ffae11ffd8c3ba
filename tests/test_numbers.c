/* test_numbers.c - the document of numbers, and that the page prints it */
/* needs: lab */
#define _GNU_SOURCE
#include "testing.h"
#include "oracle/statistics.h"
#include "numbers_case.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void near(double got, double want, double tolerance)
{
    if (!(fabs(got - want) <= tolerance) && !(isnan(got) && isnan(want)))
        FAIL("got %.17g, want %.17g", got, want);
}

/* Mean over blocks of one run at length index k. */
static double run_loss(const struct lct_results *r, size_t i, int s, int k)
{
    double sum = 0;

    for (int b = 0; b < BLOCKS; b++)
        sum += r->groups[i].results[s].block_loss[k * BLOCKS + b];
    return sum / BLOCKS;
}

TEST(rows_hold_what_was_measured)
{
    FREED_BY(free_results) struct lct_results r;
    struct json_t *n;

    make_results(&r);
    CHECK_OK(lct_numbers_create(&n, &r));
    CHECK(at(n, "protocol.encodings") == GROUPS);
    CHECK(at(n, "protocol.lengths.4") == 2048);
    CHECK(at(n, "protocol.scored_bytes") == 64 * BLOCKS);
    CHECK(at(n, "model.parameters") == 180000);
    near(at(n, "ngrams.1.loss"), 1.81, 1e-12);
    for (size_t i = 0; i < GROUPS; i++) {
        double sum = 0, squares = 0;

        for (int s = 0; s < SEEDS; s++)
            sum += run_loss(&r, i, s, 2) / SEEDS;
        for (int s = 0; s < SEEDS; s++)
            squares += pow(run_loss(&r, i, s, 2) - sum, 2);
        /* sums of some tens of numbers around 2 */
        near(at(n, "rows.%zu.loss.512.mean", i), sum, 1e-13);
        near(at(n, "rows.%zu.lengths.512.loss", i), sum, 1e-13);
        near(at(n, "rows.%zu.loss.512.seed_error", i),
             sqrt(squares / (SEEDS - 1) / SEEDS), 1e-13);
        near(at(n, "rows.%zu.own_window", i), 1.49, 1e-14);
        near(at(n, "rows.%zu.forward_ms", i), .0081, 1e-14);
        /* the first seed does not know */
        near(at(n, "rows.%zu.backward_ms", i), .0159 + .001 * (double)i, 1e-14);
        near(at(n, "rows.%zu.by_position.7", i),
             r.groups[i].results[0].eval.by_position[7], 1e-13);
        /* 300 steps in 120 spans: the second is steps 2 .. 4, from 0 */
        near(at(n, "rows.%zu.runs.1.curve.step.1", i), 4, 1e-14);
    }
    json_decref(n);
}

/* Runs may be chosen as they come; with one seed no comparison has a p, nor
   does the encoding a rank. */
TEST(fewer_seeds_have_losses_of_their_own)
{
    FREED_BY(free_results) struct lct_results r;
    struct json_t *n;

    make_results(&r);
    r.groups[2].n = 1;
    CHECK_OK(lct_numbers_create(&n, &r));
    near(at(n, "rows.2.loss.512.mean"), run_loss(&r, 2, 0, 2), 1e-13);
    near(at(n, "rows.2.change.512.mean"),
         run_loss(&r, 2, 0, 2) - run_loss(&r, 2, 0, 0), 1e-13);
    CHECK(isnan(at(n, "rows.2.rank")) && at(n, "rows.0.rank") > 0);
    CHECK(isnan(at(n, "rows.2.declared.p")));
    CHECK(at(n, "declared.comparisons") == GROUPS - 2); /* nor of learned */
    CHECK(isnan(at(n, "pairs.loss.128.pairs.1.p")));
    near(at(n, "pairs.loss.128.pairs.1.mean"),
         run_loss(&r, 0, 0, 0) - run_loss(&r, 2, 0, 0), 1e-13);
    json_decref(n);
}

/* Encodings 0 and 2 have seeds 1, 2, 3 and 2, 3, 4: the test has two pairs,
   where others have three, so it has no p, and the page is not corrected for
   it. */
TEST(runs_are_paired_by_seed)
{
    FREED_BY(free_results) struct lct_results r;
    struct json_t *n;
    double comparisons;

    make_results(&r);
    CHECK_OK(lct_numbers_create(&n, &r));
    comparisons = at(n, "claims.comparisons");
    json_decref(n);
    for (int s = 0; s < SEEDS; s++)
        r.groups[2].results[s].run.seed++;
    CHECK_OK(lct_numbers_create(&n, &r));
    near(at(n, "pairs.loss.128.pairs.1.mean"),
         (run_loss(&r, 0, 1, 0) - run_loss(&r, 2, 0, 0) +
          run_loss(&r, 0, 2, 0) - run_loss(&r, 2, 1, 0)) /
             2,
         1e-13);
    CHECK(isnan(at(n, "pairs.loss.128.pairs.1.p")));
    CHECK(at(n, "pairs.loss.128.pairs.2.p") < 1);
    /* learned, one of the others, has losses at the trained length alone */
    comparisons -= GROUPS - 1 + (LOCANT_EVAL_LENGTHS - 1) * (GROUPS - 2);
    CHECK(at(n, "claims.comparisons") == comparisons);
    CHECK(at(n, "rows.2.rank") > 0);
    json_decref(n);
}

/* 1024 against 128 by hand, with t(.975, 2) = .95 sqrt(2 / .0975). */
TEST(one_comparison_was_declared)
{
    double p[GROUPS], holm[GROUPS], t = .95 * sqrt(2 / .0975);
    FREED_BY(free_results) struct lct_results r;
    struct json_t *n;
    size_t tested = 0;

    make_results(&r);
    CHECK_OK(lct_numbers_create(&n, &r));
    CHECK(at(n, "declared.length") == 1024);
    for (size_t i = 0; i < GROUPS; i++) {
        double d[SEEDS], mean = 0, squares = 0, rest;
        int same = 1;

        for (int s = 0; s < SEEDS; s++) {
            d[s] = run_loss(&r, i, s, 3) - run_loss(&r, i, s, 0);
            mean += d[s] / SEEDS;
        }
        for (int s = 0; s < SEEDS; s++) {
            squares += (d[s] - mean) * (d[s] - mean);
            same &= (d[s] > 0) == (d[0] > 0);
        }
        near(at(n, "rows.%zu.declared.mean", i), mean, 1e-13);
        near(at(n, "rows.%zu.change.1024.mean", i), mean, 1e-13);
        near(at(n, "rows.%zu.declared.half", i),
             t * sqrt(squares / (SEEDS - 1) / SEEDS), 1e-13);
        near(at(n, "rows.%zu.change.1024.half", i),
             at(n, "rows.%zu.declared.half", i), 0);
        if (isnan(mean)) {
            CHECK(isnan(at(n, "rows.%zu.declared.p", i)));
            CHECK(isnan(at(n, "rows.%zu.declared.holm", i)));
            continue;
        }
        /* with one sign: +++ and --- of 8; else it takes more counting */
        rest = at(n, "rows.%zu.declared.p", i);
        CHECK(same ? rest == .25 : rest > .25);
        p[tested++] = rest;
    }
    oracle_holm(holm, p, tested);
    for (size_t i = 0, k = 0; i < GROUPS; i++)
        if (!isnan(at(n, "rows.%zu.declared.p", i)))
            CHECK(at(n, "rows.%zu.declared.holm", i) == holm[k++]);
    CHECK(tested == GROUPS - 1 && at(n, "declared.comparisons") == tested);
    CHECK(at(n, "declared.least_p") == .25);
    CHECK(at(n, "declared.least_holm") == 1);
    json_decref(n);
}

/* t with P(|T| < t) = level of two degrees of freedom, solved by hand. */
static double t_of_two(double level)
{
    return level * sqrt(2 / (1 - level * level));
}

/* The t tests, corrected by Holm: of 3 encodings 12 changes and 15 pairs. */
TEST(claims_rest_on_corrected_tests)
{
    FREED_BY(free_results) struct lct_results r;
    struct json_t *n;
    double p;

    make_results(&r);
    r.n = 3; /* alibi, learned, rope: 0, 1, 2 above, and sway */
    for (int i = 0; i < 3; i++)
        for (int s = 0; s < SEEDS; s++)
            for (int k = 0; k < LOCANT_EVAL_LENGTHS; k++)
                for (int b = 0; b < BLOCKS; b++)
                    r.groups[i].results[s].block_loss[k * BLOCKS + b] =
                        2 + (k > 0 ? i + (s - 1) * .02 * i : 0);
    CHECK_OK(lct_numbers_create(&n, &r));
    /* mean 1, deviation .02: P(|T| < t) = t / sqrt(2 + t^2), t = 50 sqrt 3 */
    p = 1 - 50 * sqrt(3 / 7502.);
    near(at(n, "rows.1.change.256.p"), p, 1e-13);
    near(at(n, "rows.2.change.256.p"), p, 1e-13);
    CHECK(at(n, "rows.0.change.256.p") == 1);
    near(at(n, "rows.1.change.256.corrected"), 27 * p, 1e-11);
    near(at(n, "rows.1.behind.256.corrected"), 27 * p, 1e-11);
    CHECK(at(n, "rows.1.change.256.sign") == 1 &&
          at(n, "rows.0.change.256.sign") == 0);
    /* at the trained length all are the same */
    CHECK(at(n, "rows.1.behind.128.p") == 1 && at(n, "rows.2.rank") == 3);
    CHECK(isnan(at(n, "rows.0.behind.256.mean")));
    CHECK(at(n, "claims.comparisons") == 27);
    /* 50 deviations at two degrees of freedom: |T| beyond t(1 - .05 / 27) */
    CHECK(t_of_two(1 - .05 / 27) < 24 && at(n, "order.power") > .95);
    CHECK(at(n, "order.seeds") == 3);
    /* three comparisons: 3 x 2^-6 < .05, and with three seeds no exact one */
    CHECK(at(n, "declared.seeds") == 7);
    CHECK(at(n, "rows.1.declared.power") == 0);
    CHECK(at(n, "rows.1.declared.seeds") == 7);
    json_decref(n);
    r.n = GROUPS;
}

/* Losses that settle every rank: group i is i nats, at 256 the other way. */
TEST(ranks_are_of_the_longest)
{
    FREED_BY(free_results) struct lct_results r;
    struct json_t *n;

    make_results(&r);
    for (int i = 0; i < GROUPS; i++)
        for (int s = 0; s < SEEDS; s++)
            for (int k = 0; k < LOCANT_EVAL_LENGTHS; k++)
                for (int b = 0; b < BLOCKS; b++)
                    r.groups[i].results[s].block_loss[k * BLOCKS + b] =
                        k == 1 ? GROUPS - i : i + 1;
    r.groups[2].results[1].block_loss[4 * BLOCKS] = NAN;
    /* the fifth: 4, 4.1, 4 above the first */
    r.groups[4].results[1].block_loss[4 * BLOCKS] += .1 * BLOCKS;
    CHECK_OK(lct_numbers_create(&n, &r));
    near(at(n, "rows.4.behind.2048.mean"), 4 + .1 / 3, 1e-14);
    near(at(n, "rows.4.behind.2048.half"), t_of_two(.95) * sqrt(.01 / 3 / 3),
         1e-13);
    for (int i = 0; i < GROUPS; i++) {
        int rank = i < 2 ? i + 1 : i; /* the third has none */

        near(at(n, "rows.%d.rank", i), i == 2 ? NAN : rank, 0);
        near(at(n, "rows.%d.ranks.2048", i), i == 2 ? NAN : rank, 0);
        near(at(n, "rows.%d.ranks.256", i), GROUPS - i, 0);
        if (i != 4)
            near(at(n, "rows.%d.behind.2048.mean", i),
                 i == 0 || i == 2 ? NAN : i, 0);
        near(at(n, "rows.%d.mean_reciprocal_rank", i),
             (1. / (GROUPS - i) + 2. / (i + 1) + (i == 2 ? 0 : 1. / rank)) / 4,
             1e-15);
    }
    json_decref(n);
}

/* Of one encoding: the others have no such losses. */
TEST(other_measures_stand_beside)
{
    double p3[LOCANT_EVAL_LENGTHS * BLOCKS], p4[BLOCKS], logn[LEN(p3)];
    FREED_BY(free_results) struct lct_results r;
    struct json_t *n;

    make_results(&r);
    for (size_t i = 0; i < LEN(p3); i++) {
        p3[i] = 1 + (double)(i / BLOCKS) + .5 * (double)(i % 2);
        logn[i] = r.groups[4].results[0].block_loss[i] - .25;
    }
    for (int b = 0; b < BLOCKS; b++)
        p4[b] = 2 + b % 2;
    for (int s = 0; s < SEEDS; s++) {
        r.groups[4].results[s].more[LCT_P3] = p3;
        r.groups[4].results[s].more[LCT_P4] = p4;
    }
    r.groups[4].results[0].more[LCT_LOGN] = logn;
    r.groups[4].n = 1;
    CHECK_OK(lct_numbers_create(&n, &r));
    near(at(n, "rows.4.non_overlapping.128.mean"), 1.25, 1e-14);
    near(at(n, "rows.4.non_overlapping.2048.mean"), 5.25, 1e-14);
    CHECK(isnan(at(n, "rows.5.non_overlapping.128.mean")));
    for (int k = 0; k < LOCANT_EVAL_LENGTHS; k++)
        near(at(n, "rows.4.gains.%d.mean", 128 << k),
             2.5 - run_loss(&r, 4, 0, k), 1e-13);
    near(at(n, "rows.4.logn_change.256.mean"), -.25, 1e-14);
    CHECK(lct_numbers_at(n, "rows.4.rate") == NULL); /* none was tried */
    near(at(n, "rows.4.logn.2048.mean"), (run_loss(&r, 4, 0, 4) - .25), 1e-13);
    CHECK(lct_numbers_at(n, "rows.4.clamp") == NULL);
    json_decref(n);
}

/* Judged at 256, all above is of 256; what lies beyond is only shown. */
TEST(judged_at_a_shorter_length)
{
    FREED_BY(free_results) struct lct_results r;
    struct json_t *n;

    make_results(&r);
    r.judged = 1;
    for (int i = 0; i < GROUPS; i++)
        for (int s = 0; s < SEEDS; s++)
            for (int k = 0; k < LOCANT_EVAL_LENGTHS; k++)
                for (int b = 0; b < BLOCKS; b++)
                    r.groups[i].results[s].block_loss[k * BLOCKS + b] =
                        k == 1 ? i + 2 * k : GROUPS - i;
    CHECK_OK(lct_numbers_create(&n, &r));
    CHECK(at(n, "protocol.judged") == 256 && at(n, "declared.length") == 256);
    for (int i = 0; i < GROUPS; i++) {
        near(at(n, "rows.%d.rank", i), i + 1, 0);
        near(at(n, "rows.%d.mean_reciprocal_rank", i), 1. / (i + 1), 1e-15);
        near(at(n, "rows.%d.behind.256.mean", i), i == 0 ? NAN : i, 0);
        near(at(n, "rows.%d.declared.mean", i), i + 2 - (GROUPS - i), 1e-14);
    }
    json_decref(n);
}

TEST(paths_lead_somewhere_or_nowhere)
{
    static const char *const nowhere[] = {
        "x",
        "rows.99",
        "rows.x",
        "rows.0.gain.x",
        "rows.-1",
        "rows..gain",
        "rows.99999999999999999999.gain",
        "rows.0.nothing.at.all",
    };
    FREED_BY(free_results) struct lct_results r;
    struct json_t *n;

    make_results(&r);
    CHECK_OK(lct_numbers_create(&n, &r));
    for (size_t i = 0; i < LEN(nowhere); i++)
        CHECK(lct_numbers_at(n, nowhere[i]) == NULL);
    CHECK(lct_numbers_at(NULL, "rows") == NULL);
    CHECK(json_is_array(lct_numbers_at(n, "rows")));
    CHECK(json_is_string(lct_numbers_at(n, "rows.0.encoding")));
    json_decref(n);
}

/* ----------------------------------------------------------------- the page */

/* printf()'s rounding of 'value' to as many decimals as 'text' has. */
static void check_digits(const char *text, double value, const char *key)
{
    char plain[64] = "", want[64];
    const char *point, *power, *end = text + strcspn(text, "<\n ,]");
    size_t n = 0;

    for (const char *p = text; p < end && n + 1 < sizeof plain;) {
        if (!strncmp(p, "\xe2\x88\x92", 3)) {
            plain[n++] = '-';
            p += 3;
        } else if (!strncmp(p, "&#8239;", 7)) {
            p += 7;
        } else {
            plain[n] = *p++;
            n += plain[n] != '+';
        }
    }
    plain[n] = '\0';
    point = strchr(plain, '.');
    power = strchr(plain, 'e');
    if (point && power) { /* to its last digit */
        CHECK(fabs(strtod(plain, NULL) - value) <=
              .5001 * pow(10, atoi(power + 1) - (power - point - 1)));
        return;
    }
    snprintf(want, sizeof want, "%.*f", point ? (int)strlen(point + 1) : 0,
             value);
    if (strcmp(plain, want) != 0 &&
        !(strtod(want, NULL) == 0 && strtod(plain, NULL) == 0))
        FAIL("%s: %s on the page, %.17g in the document", key, plain, value);
}

/*
 * Of one path, or of several: "a.b.mean low" are a.b.mean and a.b.low, in the
 * order of the numbers.  How many are undefined.
 */
static size_t check_numbers(struct json_t *numbers, char *keys,
                            const char *text, double scale)
{
    static const char none[] =
        "<span class=\"none\"><span class=\"en\">undefined</span>";
    char key[128], *save = NULL;
    size_t stem = 0, undefined = 0;

    for (char *k = strtok_r(keys, " ", &save); k;
         k = strtok_r(NULL, " ", &save)) {
        const struct json_t *at;

        if (strchr(k, '.'))
            stem = (size_t)(strrchr(k, '.') - k) + 1;
        if (strchr(k, '.') || stem == 0)
            snprintf(key, sizeof key, "%s", k);
        else
            snprintf(key + stem, sizeof key - stem, "%s", k);
        at = lct_numbers_at(numbers, key);
        CHECK(at != NULL && (json_is_number(at) || json_is_null(at)));
        text += strspn(text, "\n [,%");
        if (json_is_number(at))
            check_digits(text, json_number_value(at) * scale, key);
        else
            CHECK(!strncmp(text, none, strlen(none)));
        undefined += json_is_null(at);
        text += strcspn(text, "<\n ,]");
    }
    return undefined;
}

/*
 * tests/page_numbers.py asks more, of the page of a report of one seed.
 * Drawing takes seconds under sanitizers, and test_pictures does it there.
 */
TEST_WITH(make_folder, remove_folder, numbers_are_those_of_the_document)
{
    FREED_BY(free_results) struct lct_results r;
    struct json_t *numbers;
    char *page, keys[256];
    size_t seen = 0, undefined = 0;

    if (TEST_SANITIZED)
        skip();
    make_results(&r);
    page = page_of(&r);
    CHECK_OK(lct_numbers_create(&numbers, &r));
    for (char *p = page; (p = strstr(p, "data-number=\"")); seen++) {
        double scale = 1;

        p += strlen("data-number=\"");
        snprintf(keys, sizeof keys, "%.*s", (int)strcspn(p, "\""), p);
        sscanf(p + strlen(keys), "\" data-scale=\"%lf", &scale);
        undefined += check_numbers(numbers, keys, strchr(p, '>') + 1, scale);
    }
    CHECK(seen > 400 && undefined > 5 && undefined < 120);
    json_decref(numbers);
    free(page);
}

/* 1024 of every encoding against every other, by hand. */
TEST(all_pairs_are_compared)
{
    FREED_BY(free_results) struct lct_results r;
    struct json_t *n;
    size_t pair = 0;

    make_results(&r);
    CHECK_OK(lct_numbers_create(&n, &r));
    for (size_t i = 0; i < GROUPS; i++)
        for (size_t j = i + 1; j < GROUPS; j++, pair++) {
            double mean = 0;

            for (int s = 0; s < SEEDS; s++)
                mean += (run_loss(&r, i, s, 3) - run_loss(&r, j, s, 3)) / SEEDS;
            CHECK(lct_claims_pair(&r, i, j) == pair);
            near(at(n, "pairs.loss.1024.pairs.%zu.mean", pair), mean, 1e-13);
            CHECK(isnan(mean) ==
                  isnan(at(n, "pairs.loss.1024.pairs.%zu.p", pair)));
        }
    CHECK(pair == lct_claims_pairs_count(&r));
    json_decref(n);
}

/* Every p of a t test on the page is corrected for all of them. */
TEST(one_correction_for_the_whole_page)
{
    enum { MOST = GROUPS * 4 + GROUPS * GROUPS * 5 };
    double p[MOST], got[MOST], holm[MOST];
    FREED_BY(free_results) struct lct_results r;
    struct json_t *n;
    int tested = 0;

    make_results(&r);
    CHECK_OK(lct_numbers_create(&n, &r));
    for (int length = TRAINED; length <= 2048; length *= 2) {
        for (size_t i = 0; i < GROUPS && length > TRAINED; i++) {
            p[tested] = at(n, "rows.%zu.change.%d.p", i, length);
            got[tested] = at(n, "rows.%zu.change.%d.corrected", i, length);
            tested += !isnan(p[tested]);
        }
        for (size_t k = 0; k < lct_claims_pairs_count(&r); k++) {
            p[tested] = at(n, "pairs.loss.%d.pairs.%zu.p", length, k);
            got[tested] = at(n, "pairs.loss.%d.pairs.%zu.corrected", length, k);
            tested += !isnan(p[tested]);
        }
    }
    CHECK(at(n, "claims.comparisons") == tested);
    oracle_holm(holm, p, (size_t)tested);
    for (int k = 0; k < tested; k++)
        near(got[k], holm[k], 1e-13);
    json_decref(n);
}

/* The encodings behind the first one are those pairs. */
TEST(pairs_agree_with_the_order)
{
    FREED_BY(free_results) struct lct_results r;
    const char *first;
    struct json_t *n;

    make_results(&r);
    CHECK_OK(lct_numbers_create(&n, &r));
    first = json_string_value(lct_numbers_at(n, "order.first"));
    for (size_t i = 0; i < GROUPS; i++)
        for (size_t j = i + 1; j < GROUPS; j++) {
            const size_t k = lct_claims_pair(&r, i, j);
            const bool own = strcmp(r.groups[i].spec, first) == 0;

            if (!own && strcmp(r.groups[j].spec, first) != 0)
                continue;
            near(at(n, "pairs.loss.2048.pairs.%zu.mean", k),
                 (own ? -1 : 1) *
                     at(n, "rows.%zu.behind.2048.mean", own ? j : i),
                 1e-14);
            near(at(n, "pairs.loss.2048.pairs.%zu.half", k),
                 at(n, "rows.%zu.behind.2048.half", own ? j : i), 1e-14);
            near(at(n, "pairs.loss.2048.pairs.%zu.p", k),
                 at(n, "rows.%zu.behind.2048.p", own ? j : i), 1e-12);
            near(at(n, "pairs.loss.2048.pairs.%zu.corrected", k),
                 at(n, "rows.%zu.behind.2048.corrected", own ? j : i), 0);
        }
    json_decref(n);
}

/* ----------------------------------------------------- memory that runs out */

/* Allocations fail from the k-th on, of the library and of jansson alike. */
TEST(survives_lack_of_memory)
{
    locant_status status = LOCANT_ERR_NOMEM;
    FREED_BY(free_results) struct lct_results r;
    struct json_t *n;

    make_results(&r);
    for (long k = 0; status != LOCANT_OK;
         k += 1 + k / (TEST_SANITIZED ? 1 : 4)) {
        test_memory_fail_from(k + 1);
        json_set_alloc_funcs(locant_alloc, locant_release);
        status = lct_numbers_create(&n, &r);
        if (status == LOCANT_OK)
            json_decref(n);
        else
            CHECK(status == LOCANT_ERR_NOMEM && n == NULL);
        CHECK(test_memory_held() == 0);
        json_set_alloc_funcs(malloc, free);
        test_memory_end();
        CHECK(k < 10000000);
    }
}
