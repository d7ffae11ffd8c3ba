/* test_probe_numbers.c - what probes found, in the document of numbers and on
   the page */
/* needs: lab */
#define _GNU_SOURCE
#include "testing.h"
#include "numbers_case.h"
#include "measure/numbers.h"
#include "measure/probe.h"

/* All weight of a head in one bin. */
static json_t *head_of(int bin)
{
    json_t *bins = json_array();

    for (int b = 0; b < LCT_PROBE_BINS; b++)
        json_array_append_new(bins, json_real(b == bin));
    return json_pack("{s:o}", "bins", bins);
}

/* Two layers of two heads (or the first n of these) with their weight in those
   bins; two targets after 1, 2 and 4 bytes, the loss going down by 'gain' each
   time. */
static json_t *probe_of_heads(const int *bin, int n, double gain)
{
    json_t *heads = json_array(), *losses = json_array();

    for (int h = 0; h < n; h++)
        json_array_append_new(heads, head_of(bin[h]));
    for (int c = 0; c < 3; c++)
        json_array_append_new(losses,
                              json_pack("[f, f]", 2 - gain * c, 4 - gain * c));
    return json_pack(
        "{s:{s:{s:o}, s:{s:f, s:f}}, s:{s:{s:f, s:f}, s:{s:[i, i, i], s:o}},"
        " s:{s:f, s:[{s:f}, {s:f}]}}",
        "attention", "trained", "heads", heads, "sinks", "share", .5,
        "share_repeated", .25, "field", "trained", "width_90", 7.5, "width_99",
        20., "truncation", "lengths", 1, 2, 4, "losses", losses, "tables",
        "toeplitz", .75, "laws", "linear", .5, "linear", .7);
}

static json_t *probe_of(const int bin[4], double gain)
{
    return probe_of_heads(bin, 4, gain);
}

static void plant(struct lct_results *r)
{
    make_results(r);
    r->layers = r->heads = 2;
    /* the second layers have no bin in common, the first ones have */
    r->groups[1].probe = probe_of((const int[]){ 1, 2, 3, 4 }, .1);
    r->groups[4].probe = probe_of((const int[]){ 5, 1, 6, 7 }, 0);
    r->groups[6].probe = probe_of((const int[]){ 4, 3, 3, 4 }, .001);
    CHECK_OK(lct_numbers_create(&r->numbers, r));
}

static void give_back(struct lct_results *r)
{
    for (size_t i = 0; i < r->n; i++)
        json_decref(r->groups[i].probe);
    json_decref(r->numbers);
    free_results(r);
}

/* One in common of two layers: half of ln 2. */
TEST(heads_are_matched_layer_by_layer)
{
    struct lct_results r;

    plant(&r);
    CHECK(fabs(at(r.numbers, "probes.matching.0.1") - log(2) / 2) < 1e-6);
    CHECK(fabs(at(r.numbers, "probes.matching.1.0") - log(2) / 2) < 1e-6);
    CHECK(fabs(at(r.numbers, "probes.matching.0.2") - log(2) / 2) < 1e-6);
    CHECK(fabs(at(r.numbers, "probes.matching.1.2") - log(2)) < 1e-6);
    CHECK(isnan(at(r.numbers, "probes.matching.1.1")));
    CHECK(json_array_size(lct_numbers_at(r.numbers, "probes.matching")) == 3);
    give_back(&r);
}

/* A model with other heads keeps its row and column, or all after it would be
   those of another model. */
TEST(a_model_with_other_heads_is_not_matched)
{
    struct lct_results r;

    plant(&r);
    json_decref(r.groups[1].probe);
    json_decref(r.numbers);
    r.groups[1].probe = probe_of_heads((const int[]){ 1, 2 }, 2, .1);
    CHECK_OK(lct_numbers_create(&r.numbers, &r));
    CHECK(json_array_size(lct_numbers_at(r.numbers, "probes.matching")) == 3);
    for (int i = 0; i < 3; i++) {
        CHECK(isnan(at(r.numbers, "probes.matching.0.%d", i)));
        CHECK(isnan(at(r.numbers, "probes.matching.%d.0", i)));
        CHECK(isnan(at(r.numbers, "probes.matching.%d.%d", i, i)));
    }
    CHECK(fabs(at(r.numbers, "probes.matching.1.2") - log(2)) < 1e-6);
    CHECK(fabs(at(r.numbers, "probes.matching.2.1") - log(2)) < 1e-6);
    give_back(&r);
}

TEST(each_has_a_row)
{
    struct lct_results r;

    plant(&r);
    CHECK(at(r.numbers, "probes.rows.0.effective_context") == 4);
    CHECK(at(r.numbers, "probes.rows.1.effective_context") == 1);
    CHECK(at(r.numbers, "probes.rows.2.effective_context") == 1);
    CHECK(at(r.numbers, "probes.rows.0.width_90") == 7.5);
    CHECK(at(r.numbers, "probes.rows.2.sinks_repeated") == .25);
    CHECK(fabs(at(r.numbers, "probes.rows.1.laws.linear") - .6) < 1e-12);
    CHECK(isnan(at(r.numbers, "probes.rows.1.laws.log")));
    CHECK(isnan(at(r.numbers, "probes.rows.1.position_error")));
    assert_string_equal(
        json_string_value(lct_numbers_at(r.numbers, "probes.rows.1.encoding")),
        r.groups[4].spec);
    give_back(&r);
}

/* Heads at three steps of the first model; steps 1 .. 300 have gradients. */
static void plant_training(struct lct_results *r)
{
    static const int steps[] = { 0, 10, 300 };
    json_t *list = json_array();

    for (int i = 0; i < 3; i++)
        json_array_append_new(
            list,
            json_pack("{s:i, s:[f, f], s:[f, f], s:[f, f], s:[f, f], s:[f, f]}",
                      "step", steps[i], "self_bias", -.1, .3 + i,
                      "previous_bias", 0., .5, "entropy", 1., 2. + i, "sink",
                      .5, .25, "early_sink", .2, .3 + .1 * i));
    for (int k = 0; k < 10; k++)
        r->groups[1].results[0].step_own_norm[k] = .5;
    CHECK(json_object_set_new(r->groups[1].probe, "training", list) == 0);
    json_decref(r->numbers);
    CHECK_OK(lct_numbers_create(&r->numbers, r));
}

TEST(training_in_means_over_heads)
{
    static const char course[] = "probes.rows.0.training";
    struct lct_results r;
    double logs = 0;

    plant(&r);
    CHECK(lct_numbers_at(r.numbers, course) == NULL);
    plant_training(&r);
    CHECK(at(r.numbers, "%s.step.2", course) == 300);
    /* biases go both ways: means of magnitudes */
    CHECK(fabs(at(r.numbers, "%s.own.0", course) - .2) < 1e-12);
    CHECK(fabs(at(r.numbers, "%s.previous.1", course) - .25) < 1e-12);
    CHECK(at(r.numbers, "%s.entropy.2", course) == 2.5);
    CHECK(at(r.numbers, "%s.sink.2", course) == .375);
    CHECK(at(r.numbers, "%s.sinks.0", course) == 0); /* not above .3 */
    CHECK(at(r.numbers, "%s.sinks.1", course) == .5);
    CHECK(isnan(at(r.numbers, "%s.distance.0", course))); /* an older run */
    CHECK(isnan(at(r.numbers, "%s.gradient.0", course)));
    CHECK(fabs(at(r.numbers, "%s.gradient.1", course) - .5) < 1e-12);
    CHECK(fabs(at(r.numbers, "%s.gradient.2", course) - .25) < 1e-12);
    CHECK(fabs(at(r.numbers, "%s.gradient_share.2", course) - .25) < 1e-12);
    for (int t = 1; t <= TRAINED; t++)
        logs += log(t);
    CHECK(fabs(at(r.numbers, "%s.even_entropy", course) - logs / TRAINED) <
          1e-12);
    CHECK(at(r.numbers, "%s.even_distance", course) == (TRAINED - 1) / 4.);
    CHECK(lct_numbers_at(r.numbers, "probes.rows.1.training") == NULL);
    give_back(&r);
}

TEST(without_probes_there_is_nothing)
{
    struct lct_results r;

    make_results(&r);
    CHECK_OK(lct_numbers_create(&r.numbers, &r));
    CHECK(lct_numbers_at(r.numbers, "probes") == NULL);
    give_back(&r);
}
