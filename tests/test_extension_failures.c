/*
 * test_extension_failures.c - runs whose loss stops being finite end neither
 * the job that reads beyond the trained length nor the one of the surface:
 * numbers are of the others, which is said.
 */
/* needs: lab */
#define _GNU_SOURCE
#include "lab_case.h"

#include "chinese.h"
#include "measure/extension.h"
#include "measure/numbers.h"
#include "measure/surface.h"
#include "store/checkpoint.h"
#include "train/load_trained.h"
#include "report/page.h"
#include <jansson.h>
#include <math.h>
#include <string.h>

enum { BLOCKS = 3 };

static const struct lct_extension_plan tiny = { "tiny", 1, 64,     2, 32, 4,
                                                3e-3,   1, BLOCKS, 2, 1,  2 };

/* As if stopped after step 2 with parameters that are no numbers. */
static void spoil(locant_store *s, int64_t id)
{
    const struct lct_run_state state = { .status = "running", .step = 2 };
    struct lct_run_extra extra;
    struct lct_checkpoint c = { .key = extra.key, .step = 2 };
    struct lct_model *model;
    locant_encoding *encoding;
    locant_run_info run;
    char *path;
    size_t n;

    CHECK_OK(locant_store_run(&run, s, id));
    CHECK_OK(lct_store_read_run_extra(&extra, s, id));
    CHECK_OK(lct_store_run_path(&path, s, id, "safetensors"));
    CHECK_OK(lct_load_trained(&model, &encoding, s, &run, 128));
    n = lct_model_size(model);
    c.m = locant_alloc(n * sizeof *c.m); /* zeros */
    c.v = locant_alloc(n * sizeof *c.v);
    for (size_t i = 0; i < n; i++)
        lct_model_params(model)[i] = (real)NAN;
    CHECK_OK(lct_checkpoint_write(path, model, &c));
    CHECK_OK(lct_store_record(s, id, &state, NULL, 0));
    lct_model_free(model);
    locant_encoding_free(encoding);
    locant_release(c.m);
    locant_release(c.v);
    locant_release(path);
}

/* Numbers are those of the seeds that have them. */
TEST(a_run_that_fails_is_left_out)
{
    struct lct_extension_plan two = tiny;
    OWNED(locant_store) *s = open_store("c");
    FREED_BY(lct_results_free) struct lct_results r = { .trained_length = 128 };
    struct lct_extension *x;
    FREED_BY(lct_html_free) struct lct_html h = { .data = NULL };
    double first, all;
    int notices = 0;

    two.seeds = 2;
    CHECK_OK(lct_extension_run(&x, &two,
                               &(struct lct_lab){ .store = s,
                                                  .corpus = corpus,
                                                  .progress = count_notices,
                                                  .context = &notices }));
    CHECK(notices == 0 && x->failures == 0);
    first = mean_of(x->row[0].at[1].loss, BLOCKS);
    all = (first + mean_of(x->row[0].at[1].loss + BLOCKS, BLOCKS)) / 2;
    spoil(s, x->base[1]);
    lct_extension_free(x);
    CHECK_OK(lct_extension_run(&r.extension, &two,
                               &(struct lct_lab){ .store = s,
                                                  .corpus = corpus,
                                                  .progress = count_notices,
                                                  .context = &notices }));
    CHECK(notices == 1 && r.extension->failures == 1);
    CHECK_OK(lct_numbers_create(&r.numbers, &r));
    CHECK(number_at(&r, "extension.failures") == 1);
    CHECK(first != all &&
          fabs(number_at(&r, "extension.methods.0.loss.512.mean") - first) <
              1e-12);
    CHECK(number_at(&r, "extension.methods.0.needle.256.items") == tiny.items);
    CHECK(number_at(&r, "extension.tuned.1.needle.256.items") == tiny.items);
    CHECK(isfinite(number_at(&r, "extension.methods.0.position.0")));
    CHECK_OK(lct_page_extension(&h, &r));
    lct_html_append(&h, "", 1);
    CHECK(strstr(h.data, "ended because their loss stopped being finite"));
    check_chinese(h.data, "extension");
}

static void set_loss(struct lct_extension *x, const char *id, double first,
                     double second)
{
    int i = 0;
    double *loss;

    while (strcmp(lct_extension_tuning(i)->id, id) != 0)
        i++;
    loss = x->row[lct_extension_methods() + i].at[1].loss;
    for (int b = 0; b < BLOCKS; b++) {
        loss[b] = first;
        loss[BLOCKS + b] = second;
    }
}

/* By means over the seeds that each has, PI and YaRN would come first. */
TEST(orderings_are_of_seeds_that_all_have)
{
    struct lct_extension_plan two = tiny;
    OWNED(locant_store) *s = open_store("c");
    FREED_BY(lct_results_free) struct lct_results r = { .trained_length = 128 };
    const char *measured;

    two.seeds = 2;
    CHECK_OK(lct_extension_run(
        &r.extension, &two, &(struct lct_lab){ .store = s, .corpus = corpus }));
    set_loss(r.extension, "ntk", 2, NAN);
    set_loss(r.extension, "yarn8", 4, 0);
    set_loss(r.extension, "pi", 3, 0);
    CHECK_OK(lct_numbers_create(&r.numbers, &r));
    measured = json_string_value(
        lct_numbers_at(r.numbers, "extension.orderings.5.measured"));
    CHECK(strncmp(measured, "NTK", 3) == 0 &&
          strstr(measured, "PI") < strstr(measured, "YaRN"));
    CHECK(strstr(measured, " (n = 1)") != NULL);
    CHECK(number_at(&r, "extension.orderings.5.seeds") == 1);
}

/* And where every run fails there is a page without numbers. */
TEST(all_runs_may_fail)
{
    struct lct_extension_plan wild = tiny;
    OWNED(locant_store) *s = open_store("d");
    FREED_BY(lct_results_free) struct lct_results r = { .trained_length = 128 };
    FREED_BY(lct_html_free) struct lct_html h = { .data = NULL };

    wild.rate = 1e30;
    CHECK_OK(
        lct_extension_run(&r.extension, &wild,
                          &(struct lct_lab){ .store = s, .corpus = corpus }));
    CHECK(r.extension->failures == 1); /* nothing is trained on from it */
    CHECK_OK(lct_numbers_create(&r.numbers, &r));
    CHECK(isnan(number_at(&r, "extension.methods.0.loss.512.mean")));
    CHECK(isnan(number_at(&r, "extension.methods.0.needle.256.share")));
    CHECK(isnan(number_at(&r, "extension.methods.0.needle.256.low")));
    assert_string_equal(json_string_value(lct_numbers_at(
                            r.numbers, "extension.orderings.0.measured")),
                        "");
    CHECK_OK(lct_sections_keep(s, &r));
    CHECK_OK(lct_page_extension(&h, &r));
}

/* The surface, of which the runs of the first 'wild' encodings fail. */
static void surface_without(size_t wild, const char *name)
{
    static const char *const specs[] = { "alibi", "rope" };
    locant_report_options o = LOCANT_REPORT_INIT;
    OWNED(locant_store) *s = open_store(name);
    FREED_BY(lct_results_free) struct lct_results r = { .trained_length = 128 };
    FREED_BY(lct_html_free) struct lct_html h = { .data = NULL };
    FREED_BY(lct_plan_free) struct lct_plan plan;
    const int failures = 2 * (int)wild; /* 64 and 128 */
    int notices = 0;

    o.preset = LOCANT_PRESET_SMOKE;
    o.encodings = specs;
    o.n_encodings = LEN(specs);
    CHECK_OK(lct_plan_create(&plan, &o));
    plan.train.layers = 1;
    plan.train.steps = 4;
    plan.blocks = BLOCKS;
    for (size_t i = 0; i < wild; i++)
        plan.rate[i] = 1e30;
    CHECK_OK(lct_surface_create(&r.surface, &plan, &o));
    CHECK_OK(lct_surface_run(r.surface, &plan,
                             &(struct lct_lab){ .store = s,
                                                .corpus = corpus,
                                                .progress = count_notices,
                                                .context = &notices }));
    CHECK(notices == failures && r.surface->failures == failures);
    CHECK_OK(lct_numbers_create(&r.numbers, &r));
    CHECK(number_at(&r, "surface.failures") == failures);
    CHECK(isnan(number_at(&r, "surface.encodings.0.loss.64.128.mean")));
    CHECK(isnan(number_at(&r, "surface.encodings.1.loss.64.128.mean")) ==
          (wild > 1));
    CHECK_OK(lct_page_surface(&h, &r));
    lct_html_append(&h, "", 1);
    CHECK(strstr(h.data, "ended because their loss stopped being finite"));
    CHECK(strstr(h.data, "nan") == NULL);
    check_chinese(h.data, "surface");
}

TEST(so_may_those_of_the_surface)
{
    surface_without(1, "e");
    surface_without(2, "f");
}

TEST_WITH_TEXT(256 << 10)
