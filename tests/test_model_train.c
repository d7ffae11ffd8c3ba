/*
 * test_model_train.c - the float model learns, repeats itself bit for bit, and
 * allocates nothing in a step.
 */
/* needs: lab */
#include "test_model_run.h"

/* Are the parameters and moments of two runs the same bits? */
static bool same(const struct run *a, const struct run *b)
{
    const size_t bytes = lct_model_size(a->model) * sizeof(float);

    return memcmp(lct_model_params(a->model), lct_model_params(b->model),
                  bytes) == 0 &&
           memcmp(a->m, b->m, bytes) == 0 && memcmp(a->v, b->v, bytes) == 0;
}

/*
 * The start knows nothing: logits of variance 1 give ln 16 + 1/2 on average,
 * and the seven targets of the period deviate by 1/sqrt(7): five of that.
 * The end knows the period.
 */
TEST(learns_a_repeating_sequence)
{
    for (size_t k = 0; k < LEN(specs); k += TEST_SANITIZED ? 3 : 1) {
        FREED_BY(finish) struct run r;
        double first, last;

        start(&r, specs[k]);
        first = train(&r, 0, 1);
        last = train(&r, 1, 150);
        if (fabs(first - log(VOCAB) - 0.5) > 5 / sqrt(7.0) || !(last < 0.05))
            FAIL("%s: loss %g at first, %g after 150 steps", specs[k], first,
                 last);
    }
}

TEST(two_runs_have_the_same_bits)
{
    static const int threads[] = { 1, 2, 5 };

    for (size_t k = 0; k < LEN(specs); k++) {
        FREED_BY(finish) struct run first;

        CHECK_OK(locant_set_threads(1));
        start(&first, specs[k]);
        train(&first, 0, 8);
        for (size_t t = 0; t < LEN(threads); t++) {
            FREED_BY(finish) struct run again;

            CHECK_OK(locant_set_threads(threads[t]));
            start(&again, specs[k]);
            train(&again, 0, 8);
            if (!same(&first, &again))
                FAIL("%s: other bits with %d threads", specs[k], threads[t]);
        }
    }
    CHECK_OK(locant_set_threads(0));
}

/* Threads raised after the model was made need more room: it is found. */
TEST(survives_a_change_of_threads)
{
    struct run a, b;

    CHECK_OK(locant_set_threads(1));
    start(&a, "t5");
    start(&b, "t5");
    train(&a, 0, 6);
    train(&b, 0, 3);
    CHECK_OK(locant_set_threads(7));
    train(&b, 3, 6);
    CHECK(same(&a, &b));
    finish(&a);
    finish(&b);
    CHECK_OK(locant_set_threads(0));
}

TEST(resumes_to_the_same_bits)
{
    for (size_t k = 0; k < LEN(specs); k++) {
        struct run straight, before, after;
        size_t bytes;

        start(&straight, specs[k]);
        train(&straight, 0, 12);
        start(&before, specs[k]);
        train(&before, 0, 5);
        start(&after, specs[k]);
        bytes = lct_model_size(after.model) * sizeof(float);
        memcpy(lct_model_params(after.model), lct_model_params(before.model),
               bytes);
        memcpy(after.m, before.m, bytes);
        memcpy(after.v, before.v, bytes);
        finish(&before);
        train(&after, 5, 12);
        CHECK(same(&straight, &after));
        finish(&straight);
        finish(&after);
    }
}

/* ----------------------------------------------------------------- memory */

TEST(a_step_allocates_nothing)
{
    test_memory_fail(0);
    for (size_t k = 0; k < LEN(specs); k++) {
        FREED_BY(finish) struct run r;
        long before, out;

        start(&r, specs[k]);
        train(&r, 0, 1);
        before = test_memory_asked();
        out = test_memory_held();
        train(&r, 1, 4);
        CHECK(test_memory_held() == out);
        if (test_memory_asked() > before)
            FAIL("%s: %ld allocations in three steps", specs[k],
                 test_memory_asked() - before);
    }
    test_memory_end();
}

/* Whichever allocation fails, the answer is NOMEM and nothing stays behind. */
TEST(survives_lack_of_memory)
{
    locant_encoding *e;
    struct lct_model_config c;
    struct lct_model *m;
    locant_status status = LOCANT_ERR_NOMEM;
    long before;

    test_memory_fail(0);
    e = resolved("sinusoidal", LENGTH);
    c = small(e);
    CHECK_OK(lct_model_create(&m, &c, BATCH, LENGTH, true));
    lct_model_free(m); /* the encoding now keeps what it computes once */
    before = test_memory_held();
    for (long k = 1; status != LOCANT_OK && k < 100; k++) {
        test_memory_fail_from(k);
        status = lct_model_create(&m, &c, BATCH, LENGTH, true);
        test_memory_fail(0);
        if (status == LOCANT_OK)
            continue;
        CHECK(status == LOCANT_ERR_NOMEM && m == NULL);
        CHECK(test_memory_held() == before);
    }
    CHECK_OK(status);
    lct_model_free(m);
    CHECK(test_memory_held() == before);
    locant_encoding_free(e);
    test_memory_end();
}
