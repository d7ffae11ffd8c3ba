/*
 * test_report_full.c - the preset full, with a model and budget of a test: the
 * rates are tried, one of them in vain, every seed is trained at the rate that
 * was chosen, and there is a page.
 */
/* needs: lab */
#define _GNU_SOURCE
#include "lab_case.h"
#include "report/page.h"

#include "measure/gates.h"
#include "measure/numbers.h"
#include <jansson.h>
#include <math.h>
#include <string.h>

enum { SPECS = 2, SEEDS = 2 };

/* What full plans, with little of everything and a rate that is too high. */
static void make_plan(struct lct_plan *plan)
{
    static const char *const specs[] = { "learned", "fire" };
    locant_report_options o = LOCANT_REPORT_INIT;

    o.preset = LOCANT_PRESET_FULL;
    o.encodings = specs;
    o.n_encodings = SPECS;
    o.seeds = SEEDS;
    CHECK_OK(lct_plan_create(plan, &o));
    CHECK(plan->n_rates == 3 && plan->seeds == SEEDS);
    plan->train.layers = 1;
    plan->train.width = 16;
    plan->train.ff = 16;
    plan->train.batch = 2;
    plan->train.steps = 8;
    plan->blocks = 2;
    plan->rates[2] = 1e30;
}

static void check_rates(const struct lct_plan *plan, locant_store *s)
{
    for (size_t e = 0; e < SPECS; e++) {
        const double *valid = plan->valid;
        const bool first = valid[e] < valid[SPECS + e];

        CHECK(isfinite(valid[e]) && isfinite(valid[SPECS + e]));
        CHECK(isnan(valid[2 * SPECS + e]));
        CHECK(lct_run_failed(s, plan->tried[2 * SPECS + e]));
        CHECK(plan->rate[e] == plan->rates[first ? 0 : 1]);
        CHECK(plan->runs[e] == plan->tried[(first ? 0 : SPECS) + e]);
        CHECK(plan->runs[SPECS + e] > 0);
    }
}

TEST(full_tries_rates_and_has_a_page)
{
    const char *path = scratch_file(&dir, "page.html");
    FREED_BY(lct_results_free) struct lct_results r = { .trained_length = 0 };
    FREED_BY(lct_plan_free) struct lct_plan plan;
    locant_store *s;
    int notices = 0;
    size_t size;
    char *page;

    make_plan(&plan);
    s = store_at(scratch_file(&dir, "lab"));
    CHECK_OK(lct_plan_run(&plan, &(struct lct_lab){ .store = s,
                                                    .corpus = corpus,
                                                    .progress = count_notices,
                                                    .context = &notices }));
    CHECK(notices == SPECS);
    check_rates(&plan, s);
    CHECK_OK(lct_results_collect(&r, &plan, s, corpus));
    CHECK_OK(lct_results_probe(&r, s, !TEST_SANITIZED, NULL, NULL));
    CHECK_OK(lct_gates_check(&r));
    CHECK_OK(lct_numbers_create(&r.numbers, &r));
    CHECK(number_at(&r, "rows.0.rates.0.valid") == plan.valid[0]);
    CHECK(isnan(number_at(&r, "rows.0.rates.2.valid")));
    CHECK(number_at(&r, "rows.1.loss.128.mean") > 0);
    CHECK_OK(lct_page_write(path, &r));
    page = scratch_read(path, &size);
    CHECK(strstr(page, "data-number=\"rows.0.rates.0.valid\""));
    free(page);
    locant_store_close(s);
}

TEST_WITH_TEXT(256 << 10)
