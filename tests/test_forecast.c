/*
 * test_forecast.c - how many seeds fit a limit, that the same job decides the
 * same again, and that steps are never left out.
 */
/* needs: lab */
#define _GNU_SOURCE
#include "lab_case.h"
#include "measure/forecast.h"
#include "measure/report_parts.h"
#include <string.h>

/* ---------------------------------------------------------------- decision */

/* One encoding on one thread. */
static int fitting(int asked, double seconds_per_seed, double after,
                   double limit)
{
    const struct lct_forecast_jobs jobs = { &seconds_per_seed, 1, 1, 0, after };

    return lct_forecast_seeds(&jobs, limit, asked);
}

TEST(as_many_seeds_as_fit)
{
    assert_int_equal(fitting(4, 10, 0, 40), 4);
    assert_int_equal(fitting(4, 10, 0, 39.9), 3);
    assert_int_equal(fitting(4, 10, 5, 40), 3);
    assert_int_equal(fitting(4, 10, 5, 34.9), 2);
    assert_int_equal(fitting(6, 10, 100, 130), 3);
}

TEST(two_seeds_stay_and_one_is_not_made_two)
{
    assert_int_equal(fitting(4, 1e6, 0, 60), 2);
    assert_int_equal(fitting(2, 1e6, 0, 60), 2);
    assert_int_equal(fitting(1, 1e6, 0, 60), 1);
}

TEST(without_a_limit_none_is_left_out)
{
    assert_int_equal(fitting(1000, 1e6, 0, 0), 1000);
}

/* Jobs are laid out on threads in order: three equal ones on two threads take
   as long as four, and nine as long as ten. */
TEST(jobs_are_laid_out_on_threads)
{
    double equal[] = { 10, 10, 10 }, uneven[] = { 1, 9, 5, 5 };
    struct lct_forecast_jobs jobs = { equal, 3, 2, 0, 0 };

    assert_float_equal(lct_forecast_total(&jobs, 1), 20, 0);
    assert_float_equal(lct_forecast_total(&jobs, 3), 50, 0);
    assert_int_equal(lct_forecast_seeds(&jobs, 49, 3), 2);
    assert_int_equal(lct_forecast_seeds(&jobs, 50, 3), 3);
    /* rates end before seeds begin, and something comes after both */
    jobs.rates = 1;
    jobs.after = 2;
    assert_float_equal(lct_forecast_total(&jobs, 3), 20 + 50 + 2, 0);
    /* 1 + 5 + 5 beside 9 */
    jobs = (struct lct_forecast_jobs){ uneven, 4, 2, 0, 0 };
    assert_float_equal(lct_forecast_total(&jobs, 1), 11, 0);
    jobs.threads = 8;
    assert_float_equal(lct_forecast_total(&jobs, 1), 9, 0);
}

/* The time left follows what each kind of work takes, not its assumed cost. */
TEST(time_left_is_corrected_by_what_was_done)
{
    struct lct_work w = { .total = { 300, 100 } };

    assert_true(isnan(lct_work_left(&w, 2)));
    /* a third of the training in 20 seconds of threads: evaluation is taken to
       be as fast */
    w.done[LCT_TRAINS] = w.timed[LCT_TRAINS] = 100;
    w.seconds[LCT_TRAINS] = 20;
    assert_float_equal(lct_work_left(&w, 2), (200 + 100) * .2 / 2, 1e-12);
    /* it turns out to take five times as long */
    w.done[LCT_EVALUATES] = w.timed[LCT_EVALUATES] = 10;
    w.seconds[LCT_EVALUATES] = 10;
    assert_float_equal(lct_work_left(&w, 2), (200 * .2 + 90) / 2, 1e-12);
    /* what the store had took no time */
    w.done[LCT_TRAINS] = 300;
    assert_float_equal(lct_work_left(&w, 2), 90. / 2, 1e-12);
}

/* ------------------------------------------------------------------- a job */

static char notice[512];

static int listen(const locant_progress *p, void *context)
{
    (void)context;
    if (p->notice)
        snprintf(notice, sizeof notice, "%s", p->notice);
    return 0;
}

static locant_report_options options_of(int seeds, int minutes)
{
    static const char *const specs[] = { "none", "learned" };
    locant_report_options o = LOCANT_REPORT_INIT;

    o.encodings = specs;
    o.n_encodings = 2;
    o.seeds = seeds;
    o.minutes = minutes;
    o.progress = listen;
    return o;
}

static struct lct_forecast forecast_of(const locant_report_options *o,
                                       int *seeds, int64_t *steps)
{
    struct lct_forecast f;
    FREED_BY(lct_plan_free) struct lct_plan plan;

    notice[0] = '\0';
    CHECK_OK(lct_plan_create(&plan, o));
    CHECK_OK(lct_forecast(&f, &plan, o, store, corpus));
    *seeds = plan.seeds;
    *steps = plan.train.steps;
    return f;
}

TEST(seeds_beyond_the_limit_are_left_out_and_said)
{
    const locant_report_options o = options_of(900, 1);
    int64_t steps;
    int seeds;
    const struct lct_forecast f = forecast_of(&o, &seeds, &steps);

    CHECK(f.seconds_per_seed > 0);
    assert_int_equal(f.asked, 900);
    assert_int_equal(seeds, f.seeds);
    CHECK(seeds >= 2 && seeds < 900);
    assert_int_equal(steps, 2000);
    CHECK(seeds == 2 || f.total <= 60);
    /* the next seed would keep all threads busy for as long, or less */
    CHECK(f.total + 2 * f.seconds_per_seed > 60);
    CHECK(strstr(notice, "minutes on this machine") != NULL);
    CHECK(strstr(notice, "(--seeds 900 alone trains them all)") != NULL);
}

TEST(the_same_job_decides_the_same)
{
    const locant_report_options o = options_of(800, 1);
    int64_t steps;
    int seeds, again;
    const struct lct_forecast f = forecast_of(&o, &seeds, &steps);
    const struct lct_forecast g = forecast_of(&o, &again, &steps);

    assert_int_equal(again, seeds);
    assert_float_equal(g.seconds_per_seed, f.seconds_per_seed,
                       1e-12 * f.seconds_per_seed);
    assert_float_equal(g.fixed_seconds, f.fixed_seconds, 0);
}

TEST(seeds_asked_for_are_trained_whatever_it_takes)
{
    const locant_report_options o = options_of(700, 0);
    int64_t steps;
    int seeds;
    const struct lct_forecast f = forecast_of(&o, &seeds, &steps);

    assert_int_equal(seeds, 700);
    CHECK(f.limit == 0 && f.seconds_per_seed == 0 && notice[0] == '\0');
}

/* "learned" ends at 128 bytes: one encoding is compared at 1024. */
TEST(seeds_that_the_exact_test_needs_are_said)
{
    const locant_report_options few = options_of(5, 0),
                                enough = options_of(6, 0);
    int64_t steps;
    int seeds;

    (void)forecast_of(&few, &seeds, &steps);
    assert_string_equal(notice,
                        "the exact test, corrected for 1 comparison,"
                        " needs 6 seeds for p below 0.05; this report has 5");
    assert_int_equal(seeds, 5);
    (void)forecast_of(&enough, &seeds, &steps);
    assert_string_equal(notice, "");
}

TEST(eight_encodings_need_nine_seeds)
{
    struct lct_forecast f = { .seconds_per_seed = 60,
                              .fixed_seconds = 30,
                              .seeds = 6 };
    locant_report_options o = LOCANT_REPORT_INIT;
    FREED_BY(lct_plan_free) struct lct_plan plan;

    CHECK_OK(lct_plan_create(&plan, &o));
    CHECK_OK(lct_forecast_notify_seeds(&f, &plan, listen, NULL));
    assert_string_equal(notice,
                        "the exact test, corrected for 7 comparisons,"
                        " needs 9 seeds for p below 0.05; this report has 6;"
                        " --seeds 9 takes about 9.5 minutes");
}

/* ----------------------------------------------------------------- besides */

TEST(jobs_besides_are_timed_without_a_limit_too)
{
    static const char *const specs[] = { "none", "rope" };
    locant_report_options o = options_of(3, 0);
    struct lct_report_parts parts;
    struct lct_forecast f;
    double x[LCT_REPORT_PARTS];

    o.encodings = specs;
    o.with = LOCANT_WITH_SURFACE | LOCANT_WITH_EXTENSION | LOCANT_WITH_TASKS;
    CHECK_OK(lct_report_parts_create(&parts, &o));
    CHECK_OK(lct_forecast(&f, &parts.plan, &o, store, corpus));
    CHECK(f.limit == 0 && f.seconds_per_seed > 0);
    assert_int_equal(parts.plan.seeds, 3);

    lct_report_parts_forecast(x, &parts, f.seconds_per_seed);
    CHECK(x[1] > 0 && x[2] > 0 && x[3] > 0);
    CHECK(fabs(x[0] - 3 * f.seconds_per_seed) <= 1e-9 * x[0]);
    /* four trained lengths and two seeds: at least as long as one of each */
    CHECK(x[2] > f.seconds_per_seed && x[2] < 100 * f.seconds_per_seed);
    lct_report_parts_announce(&parts, x, listen, NULL);
    CHECK(strstr(notice, "in addition, extension about ") == notice);
    CHECK(strstr(notice, " minutes, surface ") != NULL);
    CHECK(strstr(notice, ", tasks ") != NULL);
    lct_report_parts_free(&parts);

    o.with = 0;
    CHECK_OK(lct_report_parts_create(&parts, &o));
    lct_report_parts_forecast(x, &parts, f.seconds_per_seed);
    notice[0] = '\0';
    lct_report_parts_announce(&parts, x, listen, NULL);
    assert_string_equal(notice, "");
    lct_report_parts_free(&parts);
}

TEST_WITH_LAB(1 << 20)
