/* test_ngram.c - the byte n-gram against a count by hand */
/* needs: lab */
#include "corpora.h"
#include "corpus/corpus.h"
#include "corpus/ngram.h"
#include "train/train.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -------------------------------------------------------------- an oracle */

/*
 * Moffat 1990, interpolated: counted anew by reading the whole text for every
 * context, from the longest to the shortest by recursion.
 */
static double oracle(const uint8_t *text, size_t size, const uint8_t *context,
                     size_t k, uint8_t next)
{
    double seen = 0, hits = 0, kinds = 0, shorter;
    int after[256] = { 0 };

    for (size_t i = k; i < size; i++)
        if (k == 0 || memcmp(text + i - k, context, k) == 0) {
            seen++;
            hits += text[i] == next;
            kinds += after[text[i]]++ == 0;
        }
    shorter = k == 0 ? 1.0 / 256 : oracle(text, size, context + 1, k - 1, next);
    return seen == 0 ? shorter : (hits + kinds * shorter) / (seen + kinds);
}

/* Few symbols, so that long contexts repeat. */
static void fill(uint8_t *text, size_t size, uint64_t symbols)
{
    for (size_t i = 0; i < size; i++)
        text[i] = (uint8_t)(test_rand() % symbols * 85);
}

TEST(matches_paper)
{
    uint8_t text[400], context[LCT_NGRAM_MAX_ORDER];
    struct lct_ngram *m;

    for (int order = 0; order <= LCT_NGRAM_MAX_ORDER; order++) {
        fill(text, sizeof text, 3);
        CHECK_OK(lct_ngram_create(&m, order, text, sizeof text));
        for (int trial = 0; trial < 300; trial++) {
            uint8_t next = (uint8_t)(test_rand() % 4 * 85);
            double want, got;

            fill(context, sizeof context, trial % 2 ? 3 : 4);
            want =
                oracle(text, sizeof text, context + LCT_NGRAM_MAX_ORDER - order,
                       (size_t)order, next);
            got = lct_ngram_probability(m, context + LCT_NGRAM_MAX_ORDER,
                                        LCT_NGRAM_MAX_ORDER, next);
            /* Three roundings per order, the same operations: 7 x 3 x 2^-53 */
            if (fabs(got - want) > 21 * 0x1p-53 * want)
                FAIL("order %d: got %.17g, want %.17g", order, got, want);
        }
        lct_ngram_free(m);
    }
}

/* Contexts seen, unseen, and cut short by the start of the text. */
TEST(probabilities_sum_to_one)
{
    uint8_t text[5000], context[LCT_NGRAM_MAX_ORDER];
    struct lct_ngram *m;

    fill(text, sizeof text, 256);
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = (uint8_t)(text[i] % 7 + 'a');
    CHECK_OK(lct_ngram_create(&m, LCT_NGRAM_MAX_ORDER, text, sizeof text));
    for (int trial = 0; trial < 200; trial++) {
        size_t at = (size_t)test_range(6, (int64_t)sizeof text);
        size_t n = (size_t)test_range(0, 6);
        double sum = 0;

        memcpy(context, text + at - 6, 6);
        if (trial % 2)
            context[test_range(0, 5)] = (uint8_t)test_rand();
        for (int c = 0; c < 256; c++)
            sum += lct_ngram_probability(m, context + 6, n, (uint8_t)c);
        /* 256 terms of relative error 21 x 2^-53 and 255 sums: below 7e-13
           even if every rounding went the same way at full size. */
        if (fabs(sum - 1) > 1e-12)
            FAIL("trial %d, %zu bytes: sum - 1 = %g", trial, n, sum - 1);
    }
    lct_ngram_free(m);
}

/* Order 0: (count + types / 256) / (size + types). */
TEST(order_zero_is_closed)
{
    static const uint8_t text[] = { 'a', 'b', 'a', 'c', 'a' };
    struct lct_ngram *m;

    CHECK_OK(lct_ngram_create(&m, 0, text, 5));
    CHECK(lct_ngram_probability(m, text, 0, 'a') == (3 + 3 / 256.0) / 8);
    CHECK(lct_ngram_probability(m, text + 3, 3, 'c') == (1 + 3 / 256.0) / 8);
    CHECK(lct_ngram_probability(m, text, 0, 'z') == 3 / 256.0 / 8);
    lct_ngram_free(m);
    CHECK_OK(lct_ngram_create(&m, 6, text, 0));
    CHECK(lct_ngram_probability(m, text + 5, 5, 'a') == 1 / 256.0);
    lct_ngram_free(m);
}

/* What each byte of context is worth falls off, but order 3 beats 2 beats 1. */
TEST(longer_context_helps)
{
    OWNED(locant_corpus) *c = generated(0, 0);
    double loss[4];
    size_t ends[96],
        n = lct_choose_blocks(ends, 96, lct_corpus_split(c, LCT_TEST), 1);

    CHECK(n == 96);
    for (int order = 0; order < 4; order++) {
        CHECK_OK(lct_ngram_loss(&loss[order], c->split, order, 1500000, ends, n,
                                64));
        /* Gains of 1.5, 0.4 and 0.3 nats were measured; a tenth is no chance:
           over 6144 targets of deviation below 3 the mean moves by 0.04. */
        CHECK(order == 0 || loss[order] < loss[order - 1] - 0.1);
    }
    CHECK(loss[0] < log(256));
}

/* The loss is the mean of -log p over the last bytes of each block. */
TEST(loss_is_the_mean_over_targets)
{
    OWNED(locant_corpus) *c = generated(64 << 10, 0);
    const struct lct_split *train = lct_corpus_split(c, LCT_TRAIN);
    const struct lct_split *test = lct_corpus_split(c, LCT_TEST);
    double got, want = 0;
    size_t ends[2];

    CHECK(lct_choose_blocks(ends, 2, lct_corpus_split(c, LCT_TEST), 1) == 2);
    CHECK_OK(lct_ngram_loss(&got, c->split, 2, 3000, ends, 2, 5));
    for (int b = 0; b < 2; b++)
        for (size_t i = ends[b] - 5; i < ends[b]; i++)
            want -= log(oracle(train->bytes, 3000, test->bytes + i - 2, 2,
                               test->bytes[i]));
    /* Ten logarithms of about 3, each good to a few units of 2^-53. */
    CHECK(fabs(got - want / 10) < 1e-14 * want);
}

TEST(refuses_bad_arguments)
{
    OWNED(locant_corpus) *c = generated(64 << 10, 0);
    size_t size = lct_corpus_split(c, LCT_TEST)->size, end = size + 1;
    double loss = 7;
    char want[128];

    REFUSES(PARAM, lct_ngram_loss(&loss, c->split, 2, 100, &end, 0, 64),
            "0 blocks of 64 targets, expected at least one of each");
    snprintf(want, sizeof want,
             "lct_ngram_loss: block 0 ends at %zu, expected "
             "64 to %zu",
             end, size);
    CHECK_REFUSED(lct_ngram_loss(&loss, c->split, 2, 100, &end, 1, 64),
                  LOCANT_ERR_PARAM, want);
    end = 63;
    CHECK(lct_ngram_loss(&loss, c->split, 2, 100, &end, 1, 64) ==
          LOCANT_ERR_PARAM);
    end = 64;
    CHECK_REFUSED(lct_ngram_loss(&loss, c->split, 7, 100, &end, 1, 64),
                  LOCANT_ERR_PARAM,
                  "lct_ngram_create: order is 7, expected 0 to 6");
    CHECK(lct_ngram_loss(&loss, c->split, -1, 100, &end, 1, 64) ==
          LOCANT_ERR_PARAM);
    CHECK(loss == 7);
}

TEST(memory_shortage_is_survived)
{
    locant_status status = LOCANT_ERR_NOMEM;
    FREED_BY(free_memory) uint8_t *text = malloc(20000);
    struct lct_ngram *m;
    long k = 0;

    for (size_t i = 0; i < 20000; i++)
        text[i] = (uint8_t)test_rand();
    while (status != LOCANT_OK && k < 100) {
        test_memory_fail(++k);
        status = lct_ngram_create(&m, 3, text, 20000);
        CHECK(status == LOCANT_OK ? m != NULL
                                  : status == LOCANT_ERR_NOMEM && m == NULL);
        lct_ngram_free(m);
        CHECK(test_memory_held() == 0);
    }
    test_memory_end();
    CHECK(status == LOCANT_OK && k > 3); /* the table grew */
}

/* ------------------------------------------------------------------- cache */

TEST(adding_is_counting)
{
    uint8_t text[600];
    struct lct_ngram *whole, *grown;

    fill(text, sizeof text, 3);
    CHECK_OK(lct_ngram_create(&whole, 5, text, sizeof text));
    CHECK_OK(lct_ngram_create(&grown, 5, text, 20));
    for (size_t i = 20; i < sizeof text; i++)
        CHECK_OK(lct_ngram_add(grown, text + i, i, text[i]));
    for (int i = 0; i < 300; i++) {
        uint8_t context[6];

        fill(context, sizeof context, 4);
        CHECK(lct_ngram_probability(whole, context + 6, 6, 85) ==
              lct_ngram_probability(grown, context + 6, 6, 85));
        CHECK(lct_ngram_depth(whole, context + 6, 6) ==
              lct_ngram_depth(grown, context + 6, 6));
    }
    /* seen is what something came after: "ab" ends the text */
    lct_ngram_free(whole);
    CHECK_OK(lct_ngram_create(&whole, 5, (const uint8_t *)"bxab", 4));
    CHECK(lct_ngram_depth(whole, (const uint8_t *)"ac" + 2, 2) == 0);
    CHECK(lct_ngram_depth(whole, (const uint8_t *)"ab" + 2, 2) == 1);
    CHECK(lct_ngram_depth(whole, (const uint8_t *)"bxa" + 3, 3) == 3);
    lct_ngram_free(whole);
    lct_ngram_free(grown);
}

/* Over all bytes, for weights at random and at their ends. */
TEST(a_mixture_sums_to_one)
{
    struct lct_ngram *fixed, *cache;
    uint8_t text[3000];

    fill(text, sizeof text, 3);
    CHECK_OK(lct_ngram_create(&fixed, 3, text, 2000));
    CHECK_OK(lct_ngram_create(&cache, LCT_CACHE_ORDER, text + 2000, 500));
    for (int trial = 0; trial < 100; trial++) {
        const uint8_t *end = text + test_range(2500, sizeof text - 1);
        double weight[LCT_CACHE_ORDER + 1], sum = 0;
        int depth = lct_ngram_depth(cache, end, 500);

        for (int d = 0; d <= LCT_CACHE_ORDER; d++)
            weight[d] = trial < 2 ? trial : (1 + test_uniform()) / 2;
        for (int c = 0; c < 256; c++) {
            double p = lct_ngram_probability(fixed, end, 500, (uint8_t)c);
            double mixed = lct_cache_mix(
                weight, p, lct_ngram_probability(cache, end, 500, (uint8_t)c),
                depth);

            CHECK(trial > 0 || mixed == p); /* weight 0: the fixed one */
            sum += mixed;
        }
        /* as probabilities_sum_to_one(), twice */
        if (fabs(sum - 1) > 2e-12)
            FAIL("trial %d: sum - 1 = %g", trial, sum - 1);
    }
    lct_ngram_free(fixed);
    lct_ngram_free(cache);
}

/* Generated text repeats its names, near and far. */
TEST(a_longer_cache_knows_more)
{
    static const int64_t lengths[] = { 128, 512, 2048 };
    OWNED(locant_corpus) *c = generated(512 << 10, 0);
    double loss[LEN(lengths)], again[LEN(lengths)], fixed;
    size_t ends[8],
        n = lct_choose_blocks(ends, 8, lct_corpus_split(c, LCT_TEST), 1);
    struct lct_cache_job job = { .order = 3,
                                 .train_bytes = 100000,
                                 .lengths = lengths,
                                 .n_lengths = LEN(lengths),
                                 .ends = ends,
                                 .blocks = n,
                                 .targets = 64,
                                 .seed = 1 };

    assert_int_equal(n, 8);
    CHECK_OK(lct_cache_loss(loss, c->split, &job));
    CHECK_OK(lct_ngram_loss(&fixed, c->split, 3, 100000, ends, n, 64));
    CHECK(loss[0] > 0 && loss[0] < fixed);
    CHECK(loss[2] < loss[0] - .05);
    CHECK_OK(lct_cache_loss(again, c->split, &job));
    CHECK(memcmp(loss, again, sizeof loss) == 0);
    job.blocks = 0;
    REFUSES(PARAM, lct_cache_loss(loss, c->split, &job),
            "0 blocks of 64 targets, expected at least one of each");
}
