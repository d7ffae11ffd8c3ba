/* test_references.c - n-grams of a text are counted once for a store */
/* needs: lab */
#define _GNU_SOURCE
#include "lab_case.h"
#include "measure/results.h"
#include "store/store.h"

static int make(void **state)
{
    (void)state;
    return make_lab(128 << 10);
}

static struct lct_results refer(void)
{
    const struct lct_plan plan = {
        .blocks = 4,
        .ngram_order = { 2, 3 },
        .train = { .steps = 20, .batch = 4, .length = 64 }
    };
    struct lct_results r = { .corpus = *locant_corpus_info_of(corpus) };

    CHECK_OK(lct_results_read_references(&r, &plan, store, corpus));
    return r;
}

static void set_kept(const char *plan)
{
    CHECK_OK(lct_store_exec(store,
                            "UPDATE plans SET plan = ?1 WHERE key GLOB"
                            " 'references;*'",
                            "s", plan));
}

TEST_WITH(make, free_lab, are_counted_once)
{
    const struct lct_results counted = refer(), kept = refer();

    CHECK(counted.ngram[0] > 1 && counted.ngram[0] < log(256));
    assert_memory_equal(counted.ngram, kept.ngram, sizeof kept.ngram);
    assert_memory_equal(counted.cache, kept.cache, sizeof kept.cache);
    CHECK(kept.ngram_order[1] == 3 && kept.cache_order == 3);
    set_kept("[0.5,null,1.0,2.0,3.0,4.0,5.0]");
    CHECK(refer().ngram[0] == .5 && refer().cache[4] == 5);
    CHECK(isnan(refer().ngram[1]));
}

/* What somebody wrote there is not believed. */
TEST_WITH(make, free_lab, nonsense_is_counted_again)
{
    static const char *const nonsense[] = { "", "7", "[1.0]", "{}",
                                            "[1,2,3,4,5,6,7]" };
    const struct lct_results counted = refer();

    for (size_t i = 0; i < LEN(nonsense); i++) {
        struct lct_results again;

        set_kept(nonsense[i]);
        again = refer();
        assert_memory_equal(counted.ngram, again.ngram, sizeof again.ngram);
        assert_memory_equal(counted.cache, again.cache, sizeof again.cache);
    }
}
