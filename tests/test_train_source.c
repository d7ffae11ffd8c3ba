/*
 * test_train_source.c - runs trained on batches that a function makes, and what
 * a source changes of a run's identity.
 */
/* needs: lab */
#define _GNU_SOURCE
#include "corpora.h"
#include "scratch_case.h"
#include "train/train.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static int calls;

/* Words count up from a random one, modulo 5; the first is not scored. */
static void count_up(int32_t *tokens, int32_t *targets,
                     const struct lct_batch_row *item, const void *context)
{
    locant_random r = { item->seed, item->step, 16 * item->row };
    int32_t first = (int32_t)locant_random_below(&r, 5);

    CHECK(*(const int *)context == 5);
    for (int64_t i = 0; i < item->length; i++) {
        tokens[i] = (first + (int32_t)i) % 5;
        targets[i] = i == 0 ? -1 : (first + (int32_t)i + 1) % 5;
    }
    calls++;
}

static const int five = 5;
static const struct locant_source counting = { "counting", 5, 4, count_up,
                                               &five };

static locant_train_options tiny(const struct locant_source *source)
{
    locant_train_options o = narrow("none", 1, 12, 60);

    o.learning_rate = 2e-2;
    o.source = source;
    return o;
}

static locant_store *open_store(const char *name)
{
    return store_at(scratch_file(&dir, name));
}

/* No corpus is needed, and what is learned is the source's rule. */
IN_SCRATCH(learns_from_a_source)
{
    OWNED(locant_store) *s = open_store("a");
    locant_train_options o = tiny(&counting);
    struct lct_model_config config;
    struct lct_run_extra extra;
    locant_run_info info;
    int64_t id = 0;

    calls = 0;
    CHECK_OK(locant_train(&id, s, NULL, &o));
    assert_int_equal(calls, 60 * 4);
    CHECK_OK(locant_store_run(&info, s, id));
    assert_string_equal(info.corpus_sha256, "");
    assert_string_equal(info.model, "layers=1,width=16,heads=2,kv_heads=2,"
                                    "ff=32,norm=layer,vocab=5");
    CHECK_OK(lct_model_parse(&config, info.model));
    CHECK(config.vocab == 5 && config.layers == 1 && config.memory == 0);
    CHECK(info.train_loss < 0.1); /* ln 5 is 1.6 */
    CHECK_OK(lct_store_read_run_extra(&extra, s, id));
    CHECK(strstr(extra.key, ";source=counting") != NULL);
}

static int stop(const locant_progress *p, void *context)
{
    (void)p;
    ++*(int *)context;
    return 1;
}

IN_SCRATCH(continues_to_the_same_bits)
{
    OWNED(locant_store) *a = open_store("a"), *b = open_store("b");
    locant_train_options o = tiny(&counting);
    struct lct_run_extra x, y;
    struct lct_metric *m, *n;
    size_t i, j;
    int64_t straight = 0, id = 0;
    locant_status status;
    int stops = 0;

    CHECK_OK(locant_train(&straight, a, NULL, &o));
    o.progress = stop;
    o.context = &stops;
    while ((status = locant_train(&id, b, NULL, &o)) == LOCANT_ERR_INTERRUPTED)
        continue;
    CHECK_OK(status);
    CHECK(stops == 60);
    CHECK_OK(lct_store_read_run_extra(&x, a, straight));
    CHECK_OK(lct_store_read_run_extra(&y, b, id));
    assert_string_equal(x.batch_checksum, y.batch_checksum);
    CHECK_OK(lct_store_read_metrics(&m, &i, a, straight));
    CHECK_OK(lct_store_read_metrics(&n, &j, b, id));
    CHECK(i == 60 && j == 60 && memcmp(m, n, i * sizeof *m) == 0);
    locant_release(m);
    locant_release(n);
}

IN_SCRATCH(the_name_is_part_of_the_identity)
{
    const struct locant_source other = { "counting too", 5, 4, count_up,
                                         &five };
    OWNED(locant_store) *s = open_store("a");
    locant_train_options o = tiny(&counting);
    int64_t first = 0, second = 0, again = 0;

    o.steps = 2;
    CHECK_OK(locant_train(&first, s, NULL, &o));
    o.source = &other;
    CHECK_OK(locant_train(&second, s, NULL, &o));
    CHECK(first != second);
    o.source = &counting;
    CHECK_OK(locant_train(&again, s, NULL, &o));
    assert_int_equal(again, first);
}

IN_SCRATCH(refuses_what_a_source_cannot_do)
{
    OWNED(locant_store) *s = open_store("a");
    locant_train_options o = tiny(&counting);
    struct lct_model_config config;
    int64_t id = 0;

    o.memory = 8;
    REFUSES(PARAM, locant_train(&id, s, NULL, &o),
            "memory is 8, but counting is not text; expected 0");
    o = tiny(&counting);
    o.length = 3;
    REFUSES(PARAM, locant_train(&id, s, NULL, &o),
            "length is 3, but rows of counting have at least 4 tokens");
    o = tiny(NULL);
    REFUSES(NULL, locant_train(&id, s, NULL, &o), "corpus is NULL");
    CHECK_REFUSED(lct_model_parse(&config,
                                  "layers=1,width=16,heads=2,kv_heads=2,ff=32,"
                                  "norm=layer,vocab=0"),
                  LOCANT_ERR_FORMAT, "vocab is 0, expected 1 .. 4096");
}

/* The key of a run on text is what it was before there were sources. */
IN_SCRATCH(a_run_on_text_keeps_its_key)
{
    OWNED(locant_store) *s = open_store("a");
    locant_train_options o = tiny(NULL);
    struct lct_run_extra extra;
    locant_corpus *corpus;
    char want[300];
    int64_t id = 0;

    corpus = generated(128 << 10, 0);
    o.steps = 1;
    CHECK_OK(locant_train(&id, s, corpus, &o));
    CHECK_OK(lct_store_read_run_extra(&extra, s, id));
    snprintf(want, sizeof want,
             "1;none;layers=1,width=16,heads=2,kv_heads=2,ff=32,norm=layer;"
             "corpus=%s;seed=1;steps=1;batch=4;length=12;rate=%.17g",
             locant_corpus_info_of(corpus)->sha256, 2e-2);
    assert_string_equal(extra.key, want);
    locant_corpus_free(corpus);
}

/*
 * A constant rate is that of every step, and another run; one that was stopped
 * is continued with it.
 */
IN_SCRATCH(a_constant_rate_stays)
{
    OWNED(locant_store) *s = open_store("a");
    locant_train_options o = tiny(NULL);
    struct lct_metric *m, *n;
    locant_corpus *corpus;
    size_t i, j;
    int64_t falling = 0, stopped = 0;
    int stops = 0;

    corpus = generated(128 << 10, 0);
    o.steps = 40;
    CHECK_OK(locant_train(&falling, s, corpus, &o));
    o.constant_rate = 1;
    o.progress = stop;
    o.context = &stops;
    CHECK(locant_train(&stopped, s, corpus, &o) == LOCANT_ERR_INTERRUPTED);
    CHECK(stopped != falling);
    CHECK_OK(locant_resume(s, stopped, corpus, NULL, NULL));
    CHECK_OK(lct_store_read_metrics(&m, &i, s, falling));
    CHECK_OK(lct_store_read_metrics(&n, &j, s, stopped));
    CHECK(i == 40 && j == 40);
    CHECK(m[0].rate == 1e-2 && m[1].rate == 2e-2 && m[39].rate < 3e-3);
    CHECK(n[0].loss == m[0].loss && n[39].loss != m[39].loss);
    for (size_t k = 0; k < j; k++)
        CHECK(n[k].rate == 2e-2);
    locant_release(m);
    locant_release(n);
    locant_corpus_free(corpus);
}
