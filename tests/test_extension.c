/*
 * test_extension.c - the job that reads beyond the trained length: what must be
 * the same is the same to the bit, and a job that was stopped goes on.
 */
/* needs: lab */
#define _GNU_SOURCE
#include "lab_case.h"
#include "store/store_eval.h"

#include "measure/extension.h"
#include "measure/numbers.h"
#include "measure/tasks.h"
#include "locant/figure.h"
#include "report/page.h"
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCKS = 3 };

static const struct lct_extension_plan tiny = { "tiny", 1, 64,     2, 32, 4,
                                                3e-3,   1, BLOCKS, 2, 1,  2 };

static struct lct_extension *extend(locant_store *s)
{
    struct lct_extension *x;

    CHECK_OK(lct_extension_run(
        &x, &tiny, &(struct lct_lab){ .store = s, .corpus = corpus }));
    return x;
}

static const struct lct_extension_row *row_of(const struct lct_extension *x,
                                              const char *id)
{
    for (int i = 0; i < lct_extension_methods(); i++)
        if (strcmp(lct_extension_method(i)->id, id) == 0)
            return &x->row[i];
    FAIL("no method %s\n", id);
    return NULL;
}

/* ------------------------------------------------------------ same numbers */

/* The base run's own evaluation: P1 of every block, and P4. */
TEST(it_is_the_protocols_that_are_measured)
{
    OWNED(locant_store) *s = open_store("a");
    struct lct_extension *x = extend(s);
    const struct lct_extension_row *none = row_of(x, "none");
    const struct lct_extension_row *crop = row_of(x, "crop");
    locant_evaluation e;
    double *block;
    bool found;

    CHECK(x->blocks == BLOCKS);
    CHECK_OK(locant_evaluate(&e, s, x->base[0], corpus, BLOCKS));
    CHECK_OK(lct_store_load_evaluation(&e, &block, &found, s, x->base[0],
                                       locant_corpus_info_of(corpus)->sha256,
                                       BLOCKS));
    CHECK(found);
    assert_memory_equal(none->short_inputs.loss, block, BLOCKS * 8);
    assert_memory_equal(none->at[0].loss, block + BLOCKS, BLOCKS * 8);
    assert_memory_equal(none->at[1].loss, block + 2 * BLOCKS, BLOCKS * 8);
    /* a sum of 192 losses in another order */
    CHECK(fabs(mean_of(crop->at[0].loss, BLOCKS) - e.own_window) <
          192 * 2.3e-16 * e.own_window);
    assert_memory_equal(crop->at[0].loss, crop->at[1].loss, BLOCKS * 8);
    /* P1 is the end of P2: its last 64 positions are two buckets */
    CHECK(fabs(mean_of(none->at[1].loss, BLOCKS) -
               (none->position[0][14] + none->position[0][15]) / 2) <
          192 * 2.3e-16 * 6);
    CHECK(isnan(none->position[0][16]) && isnan(crop->position[0][0]));
    locant_release(block);
    lct_extension_free(x);
}

/* Spec at 128 bytes, of the base run. */
static void measure(double loss[BLOCKS], locant_store *s, int64_t run,
                    const char *spec)
{
    size_t ends[BLOCKS];
    const struct lct_extension_shared place = {
        .store = s,
        .corpus = corpus,
        .want = BLOCKS,
        .blocks = (int64_t)lct_choose_blocks(
            ends, BLOCKS, lct_corpus_split(corpus, LCT_TEST), LCT_EVAL_SEED)
    };
    const struct lct_extension_cell cell = { run, spec, 128, false };
    double speed;

    CHECK_OK(lct_extension_measure(loss, NULL, &speed, &place, &cell));
}

TEST(what_changes_nothing_changes_no_bit)
{
    static const char *const ids[] = { "dynamic", "logn" };
    static const char *const specs[] = {
        "rope(scaling=linear(factor=1))", "rope(scaling=ntk(factor=1))",
        "rope(scaling=yarn(factor=1,original=128))", "window(size=128)+rope"
    };
    OWNED(locant_store) *s = open_store("a");
    struct lct_extension *x = extend(s);
    const double *none = row_of(x, "none")->short_inputs.loss;
    double loss[BLOCKS];

    for (size_t i = 0; i < LEN(ids); i++)
        assert_memory_equal(row_of(x, ids[i])->short_inputs.loss, none,
                            BLOCKS * 8);
    for (size_t i = 0; i < LEN(specs); i++) {
        measure(loss, s, x->base[0], specs[i]);
        assert_memory_equal(loss, none, BLOCKS * 8);
    }
    for (int i = 0; i < lct_extension_methods(); i++)
        if (i > 1) /* and what changes something does */
            CHECK(memcmp(x->row[i].at[1].loss, row_of(x, "none")->at[1].loss,
                         BLOCKS * 8) != 0);
    lct_extension_free(x);
}

/* ------------------------------------------------------------------ resumed */

static int runs_in(locant_store *s)
{
    int n = 0;

    CHECK_OK(locant_store_runs(s, count_run, &n));
    return n;
}

static int stop(const locant_progress *p, void *context)
{
    CHECK(p->done <= p->total);
    return ++*(int *)context % 30 == 0;
}

static void same(const struct lct_extension *x, const struct lct_extension *y)
{
    const int rows = lct_extension_methods() + lct_extension_tunings();

    for (int i = 0; i < rows; i++) {
        const struct lct_extension_row *a = &x->row[i], *b = &y->row[i];

        for (int f = 0; f < tiny.factors; f++)
            assert_memory_equal(a->at[f].loss, b->at[f].loss, BLOCKS * 8);
        assert_memory_equal(a->short_inputs.loss, b->short_inputs.loss,
                            BLOCKS * 8);
        assert_memory_equal(a->needle, b->needle, sizeof a->needle);
        assert_memory_equal(&a->needle_short, &b->needle_short,
                            sizeof a->needle_short);
        for (int k = 0; k < LCT_EXT_BUCKETS; k++)
            CHECK(a->position[0][k] == b->position[0][k] ||
                  (isnan(a->position[0][k]) && isnan(b->position[0][k])));
    }
}

TEST(stopped_it_goes_on_to_the_same_bits)
{
    OWNED(locant_store) *a = open_store("a"), *b = open_store("b");
    struct lct_extension *x = extend(a), *y = NULL;
    int calls = 0, stops = 0, runs = runs_in(a);
    locant_status status;

    CHECK(runs == 2 + 2 * lct_extension_tunings());
    while (
        (status = lct_extension_run(&y, &tiny,
                                    &(struct lct_lab){ .store = b,
                                                       .corpus = corpus,
                                                       .progress = stop,
                                                       .context = &calls })) ==
        LOCANT_ERR_INTERRUPTED) {
        lct_extension_free(y);
        stops++;
    }
    CHECK_OK(status);
    CHECK(stops > 1);
    same(x, y);
    lct_extension_free(y);
    y = extend(a); /* nothing is left to do */
    same(x, y);
    CHECK(runs_in(a) == runs && runs_in(b) == runs);
    lct_extension_free(x);
    lct_extension_free(y);
}

/* ------------------------------------------------------------------ needles */

static int take(const locant_task_score *score, void *context)
{
    if (score->place < 0)
        *(locant_task_score *)context = *score;
    return 0;
}

static int take_needle_run(const locant_run_info *run, void *context)
{
    if (strcmp(run->source, "T12") == 0 && strcmp(run->encoding, "rope") == 0 &&
        run->steps == tiny.needle_steps && run->length == 128)
        *(int64_t *)context = run->id;
    return 0;
}

/* Under its own spec a run scores what it scores, and a crop of it all is all
   of it; needles out of sight are not found. */
TEST(needles_are_scored_as_asked)
{
    static const int64_t length = 256;
    struct lct_task_reading as = { "rope", 0 };
    OWNED(locant_store) *s = open_store("a");
    locant_task_eval_options o = LOCANT_TASK_EVAL_INIT;
    struct lct_extension *x = extend(s);
    locant_task_score plain, under, cropped, window;
    int64_t run = 0;

    CHECK_OK(locant_store_runs(s, take_needle_run, &run));
    o.items = tiny.items;
    o.lengths = &length;
    o.n_lengths = 1;
    CHECK_OK(locant_task_evaluate(s, run, &o, take, &plain));
    CHECK_OK(lct_task_evaluate_as(s, run, &as, &o, take, &under));
    as.crop = 256;
    CHECK_OK(lct_task_evaluate_as(s, run, &as, &o, take, &cropped));
    CHECK(plain.loss == under.loss && plain.loss == cropped.loss);
    CHECK(plain.tokens == 4 * tiny.items && plain.hits == under.hits);
    as.crop = 128;
    CHECK_OK(lct_task_evaluate_as(s, run, &as, &o, take, &window));
    CHECK(window.tokens == plain.tokens && window.loss != plain.loss);
    CHECK(row_of(x, "none")->needle[0].items == tiny.items);
    CHECK(x->needle_trained.items == tiny.items);
    /* and so are those that were trained on: no method shares their runs */
    for (int i = 0; i < lct_extension_tunings(); i++) {
        const struct lct_extension_row *row =
            &x->row[lct_extension_methods() + i];

        CHECK(row->needle_short.items == tiny.items);
        CHECK(row->needle[1].items == tiny.items);
    }
    lct_extension_free(x);
}

/* --------------------------------------------------------------------- page */

/* The first line of a figure is that of the first method, or tuned model. */
static locant_status first_line(const locant_figure *f, const char *alt,
                                const char *caption, void *context)
{
    CHECK(alt && caption && f->n_series > 0);
    *(double *)context = f->series[0].y[0];
    return LOCANT_OK;
}

static void the_store_has_figures(locant_store *s, const struct lct_results *r)
{
    static const char *const names[][2] = {
        { "extension", "extension.methods.0.loss.256.mean" },
        { "extension-tuned", "extension.tuned.0.loss.256.mean" },
        { "extension-position", "extension.methods.0.position.0" },
    };
    const locant_figure_view view = LOCANT_FIGURE_VIEW_INIT;
    double y;

    for (size_t i = 0; i < LEN(names); i++) {
        CHECK_OK(locant_figure_of_runs(names[i][0], s, r->extension->base, 1,
                                       &view, first_line, &y));
        CHECK(y == json_number_value(lct_numbers_at(r->numbers, names[i][1])));
    }
}

TEST(numbers_and_page_have_it)
{
    OWNED(locant_store) *s = open_store("a");
    FREED_BY(lct_results_free) struct lct_results r = { .trained_length = 128 };
    FREED_BY(lct_html_free) struct lct_html h = { .data = NULL };
    const json_t *at;
    size_t bytes;

    CHECK(!lct_page_has_extension(&r));
    r.extension = extend(s);
    CHECK(lct_page_has_extension(&r));
    CHECK_OK(lct_numbers_create(&r.numbers, &r));
    at = lct_numbers_at(r.numbers, "extension.methods.0.loss.512.mean");
    CHECK(fabs(json_number_value(at) -
               mean_of(row_of(r.extension, "none")->at[1].loss, BLOCKS)) <
          1e-12);
    at = lct_numbers_at(r.numbers, "extension.methods.1.above_crop.256.mean");
    CHECK(json_is_null(at)); /* crop above itself */
    at = lct_numbers_at(r.numbers, "extension.tuned.1.needle.256.items");
    assert_int_equal(json_integer_value(at), tiny.items);
    at = lct_numbers_at(r.numbers, "extension.tuned.1.needle_short.items");
    assert_int_equal(json_integer_value(at), tiny.items);
    CHECK_OK(lct_sections_keep(s, &r));
    the_store_has_figures(s, &r);
    CHECK_OK(lct_page_extension(&h, &r));
    bytes = h.size;
    CHECK(bytes > 0 && strstr(h.data, "Self-Extend") &&
          strstr(h.data, "Hypotheses") &&
          strstr(h.data, "Needles found, fine-tuned"));
}

TEST(factors_go_into_specs)
{
    char spec[256];

    for (int i = 0; i < lct_extension_methods(); i++)
        CHECK_OK(lct_extension_spec(spec, lct_extension_method(i)->spec, 16));
    CHECK_OK(lct_extension_spec(spec, "rope(scaling=ntk(factor=@))", 8));
    assert_string_equal(spec, "rope(scaling=ntk(factor=8))");
    CHECK(lct_extension_spec(spec, "nope(@)", 8) == LOCANT_ERR_PARAM);
    for (int p = 0; p < 4; p++) {
        const struct lct_extension_plan *plan =
            lct_extension_plan((locant_preset)p);

        CHECK(plan->width / plan->heads == 32);
        CHECK(plan->factors <= LCT_EXT_FACTORS && plan->seeds <= LCT_EXT_SEEDS);
    }
}

/* One store for all: the job is done once, and read back after that. */
TEST_WITH_TEXT(256 << 10)
