/*
 * test_surface.c - the job of loss by trained length and length read: what is
 * known otherwise is the same, and a job that was stopped goes on.
 */
/* needs: lab */
#define _GNU_SOURCE
#include "lab_case.h"

#include "chinese.h"
#include "figure_case.h"
#include "measure/numbers.h"
#include "measure/surface.h"
#include "report/page.h"
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCKS = 3, ENCODINGS = 2, TRAINED = 2, LENGTHS = 3 };

static const char *const specs[] = { "learned", "alibi", "sinusoidal" };

static struct lct_plan plan;

/* The smoke preset's grid (64 and 128; 64 .. 256) of a smaller model. */
static int set_up(void **state)
{
    locant_report_options r = LOCANT_REPORT_INIT;

    (void)state;
    make_text(256 << 10);
    r.preset = LOCANT_PRESET_SMOKE;
    r.encodings = specs;
    r.n_encodings = LEN(specs);
    CHECK_OK(lct_plan_create(&plan, &r));
    plan.train.layers = 1;
    plan.train.steps = 4;
    plan.blocks = BLOCKS;
    return 0;
}

static int tear_down(void **state)
{
    lct_plan_free(&plan);
    return free_lab(state);
}

static struct lct_surface *create(const char *const *list, size_t n)
{
    locant_report_options r = LOCANT_REPORT_INIT;
    struct lct_surface *x;

    r.preset = LOCANT_PRESET_SMOKE;
    r.encodings = list;
    r.n_encodings = n;
    CHECK_OK(lct_surface_create(&x, &plan, &r));
    return x;
}

static struct lct_surface *measure(locant_store *s)
{
    struct lct_surface *x = create(specs, LEN(specs));

    CHECK_OK(lct_surface_run(
        x, &plan, &(struct lct_lab){ .store = s, .corpus = corpus }));
    return x;
}

static size_t bytes_of(const struct lct_surface *x)
{
    return sizeof(double) * x->n *
           (size_t)(x->n_trained * x->n_lengths * x->seeds) * BLOCKS;
}

/* ------------------------------------------------------------ same numbers */

/* A table of 128 rows is not read at 256: the others are. */
TEST(what_ends_is_left_out)
{
    static const char *const ends[] = { "learned" };
    locant_report_options r = LOCANT_REPORT_INIT;
    FREED_BY(lct_plan_free) struct lct_plan short_plan;
    struct lct_surface *x = create(specs, LEN(specs));

    CHECK(x->n == ENCODINGS && x->left_out == 1);
    CHECK(x->n_trained == TRAINED && x->seeds == 1);
    CHECK(x->n_lengths == LENGTHS && x->length[0] == 64);
    CHECK(x->length[2] == 256 && x->trained[0] == 64 && x->trained[1] == 128);
    assert_string_equal(x->encodings[0].spec, "alibi");
    assert_string_equal(x->encodings[1].spec, "sinusoidal");
    lct_surface_free(x);
    x = create(NULL, 0); /* of the plan's, those that are usual */
    CHECK(x->n == 2 && x->left_out == 0);
    lct_surface_free(x);
    r.preset = LOCANT_PRESET_SMOKE;
    r.encodings = ends;
    r.n_encodings = 1;
    CHECK_OK(lct_plan_create(&short_plan, &r));
    CHECK(lct_surface_create(&x, &short_plan, &r) == LOCANT_ERR_PARAM);
    lct_surface_free(x);
}

/* What was trained at 128 is the plan's own run, and its own window is P4. */
TEST(the_diagonal_is_the_own_window)
{
    OWNED(locant_store) *s = open_store("a");
    struct lct_surface *x = measure(s);
    locant_train_options o = plan.train;
    locant_run_info info;
    locant_evaluation e;
    int64_t run;

    CHECK(x->blocks == BLOCKS);
    for (size_t i = 0; i < ENCODINGS; i++) {
        o.encoding = x->encodings[i].spec;
        o.learning_rate = plan.rate[1 + i];
        CHECK_OK(locant_train(&run, s, corpus, &o));
        CHECK(run == x->encodings[i].run[1][0]);
        CHECK_OK(locant_evaluate(&e, s, run, corpus, BLOCKS));
        /* a sum of 192 losses in another order */
        CHECK(fabs(mean_of(lct_surface_at(x, i, 1, 1), BLOCKS) - e.own_window) <
              192 * 2.3e-16 * e.own_window);
        /* at another length it is another number */
        CHECK(mean_of(lct_surface_at(x, i, 1, 2), BLOCKS) !=
              mean_of(lct_surface_at(x, i, 1, 1), BLOCKS));
        CHECK_OK(locant_store_run(&info, s, x->encodings[i].run[0][0]));
        CHECK(info.length == 64 && info.batch * 64 == o.batch * o.length);
        CHECK(info.steps == o.steps);
    }
    lct_surface_free(x);
}

/* ------------------------------------------------------------------ resumed */

static int stop(const locant_progress *p, void *context)
{
    CHECK(p->done <= p->total);
    return ++*(int *)context % 3 == 0;
}

TEST(stopped_it_goes_on_to_the_same_bits)
{
    OWNED(locant_store) *a = open_store("a"), *b = open_store("b");
    struct lct_surface *x = measure(a), *y = create(specs, LEN(specs));
    int calls = 0, stops = 0, runs = 0;
    locant_status status;

    while ((status = lct_surface_run(y, &plan,
                                     &(struct lct_lab){ .store = b,
                                                        .corpus = corpus,
                                                        .progress = stop,
                                                        .context = &calls })) ==
           LOCANT_ERR_INTERRUPTED) {
        lct_surface_free(y);
        y = create(specs, LEN(specs));
        stops++;
    }
    CHECK_OK(status);
    CHECK(stops > 1);
    assert_memory_equal(x->loss, y->loss, bytes_of(x));
    CHECK_OK(locant_store_runs(b, count_run, &runs));
    CHECK(runs == ENCODINGS * TRAINED);
    lct_surface_free(x);
    lct_surface_free(y);
}

/* Every encoding that was asked for, however many. */
TEST(all_are_taken)
{
    static const char *const five[] = { "none", "rope", "alibi", "t5",
                                        "kerple" };
    locant_report_options r = LOCANT_REPORT_INIT;
    FREED_BY(lct_plan_free) struct lct_plan p;
    struct lct_surface *x;

    r.preset = LOCANT_PRESET_SMOKE;
    r.encodings = five;
    r.n_encodings = LEN(five);
    CHECK_OK(lct_plan_create(&p, &r));
    CHECK_OK(lct_surface_create(&x, &p, &r));
    CHECK(x->n == LEN(five));
    lct_surface_free(x);
}

/* --------------------------------------------------------------------- page */

static double number(const struct lct_results *r, const char *path)
{
    return json_number_value(lct_numbers_at(r->numbers, path));
}

TEST(numbers_and_page_have_it)
{
    OWNED(locant_store) *s = open_store("a");
    FREED_BY(lct_results_free) struct lct_results r = { .trained_length = 128 };
    FREED_BY(lct_html_free) struct lct_html h = { .data = NULL };
    const struct lct_surface *x;
    double near, far, own;

    CHECK(!lct_page_has_surface(&r));
    x = r.surface = measure(s);
    CHECK(lct_page_has_surface(&r));
    CHECK_OK(lct_numbers_create(&r.numbers, &r));
    near = mean_of(lct_surface_at(x, 1, 0, 0), BLOCKS);
    far = mean_of(lct_surface_at(x, 1, 0, 1), BLOCKS);
    own = mean_of(lct_surface_at(x, 1, 1, 1), BLOCKS);
    CHECK(fabs(number(&r, "surface.encodings.1.loss.64.128.mean") - far) <
          1e-12);
    CHECK(fabs(number(&r, "surface.encodings.1.change.64.128.mean") -
               (far - near)) < 1e-12);
    CHECK(fabs(number(&r, "surface.encodings.1.above_own.64.128.mean") -
               (far - own)) < 1e-12);
    CHECK(!lct_numbers_at(r.numbers, "surface.encodings.1.change.128.64"));
    CHECK(!lct_numbers_at(r.numbers, "surface.encodings.1.above_own.128"
                                     ".256"));
    CHECK_OK(lct_page_surface(&h, &r));
    lct_html_append(&h, "", 1);
    check_chinese(h.data, "surface");
    CHECK(count(h.data, "<svg") == ENCODINGS);
    CHECK(count(h.data, "data-number=\"surface.encodings.0.loss.64.") >=
          LENGTHS);
}

/* What figures are drawn from is what the page was made from. */
static locant_status compare_map(const locant_figure *f, const char *alt,
                                 const char *caption, void *context)
{
    const struct lct_surface *x = context;

    (void)alt;
    (void)caption;
    assert_string_equal(f->title, "alibi");
    CHECK(f->rows == TRAINED && f->cols == LENGTHS);
    assert_string_equal(f->row_names[0], "64");
    assert_string_equal(f->col_names[LENGTHS - 1], "256");
    for (int t = 0; t < TRAINED; t++)
        for (int k = 0; k < LENGTHS; k++)
            CHECK(fabs(f->cells[t * LENGTHS + k] -
                       mean_of(lct_surface_at(x, 0, t, k), BLOCKS)) < 1e-12);
    CHECK(f->y_min < f->y_max); /* of both encodings */
    return LOCANT_OK;
}

TEST(the_store_has_the_figure)
{
    locant_figure_view view = LOCANT_FIGURE_VIEW_INIT;
    OWNED(locant_store) *s = open_store("a");
    FREED_BY(lct_results_free)
    struct lct_results r = { .surface = measure(s), .trained_length = 128 };
    int64_t run = r.surface->encodings[0].run[0][0];

    CHECK_OK(lct_numbers_create(&r.numbers, &r));
    view.encoding = "alibi";
    CHECK(locant_figure_of_runs("surface", s, &run, 1, &view, compare_map,
                                r.surface) == LOCANT_ERR_PARAM);
    CHECK_OK(lct_sections_keep(s, &r));
    CHECK_OK(locant_figure_of_runs("surface", s, &run, 1, &view, compare_map,
                                   r.surface));
    CHECK(locant_figure_of_runs("extension", s, &run, 1, &view, compare_map,
                                r.surface) == LOCANT_ERR_PARAM);
    view.encoding = "rope";
    CHECK(locant_figure_of_runs("surface", s, &run, 1, &view, compare_map,
                                r.surface) == LOCANT_ERR_PARAM);
}

TEST_GROUP(set_up, tear_down)
