/* test_probe_numbers.c - what probes found, in the document of numbers and on
   the page */
/* needs: lab */
#define _GNU_SOURCE
#include "testing.h"
#include "numbers_case.h"
#include "lab/probe.h"

/* All weight of a head in one bin. */
static json_t *head_of(int bin)
{
    json_t *bins = json_array();

    for (int b = 0; b < LCT_PROBE_BINS; b++)
        json_array_append_new(bins, json_real(b == bin));
    return json_pack("{s:o}", "bins", bins);
}

/* Two layers of two heads with their weight in those bins; two targets after
   1, 2 and 4 bytes, the loss going down by 'gain' each time. */
static json_t *probe_of(const int bin[4], double gain)
{
    json_t *heads = json_array(), *losses = json_array();

    for (int h = 0; h < 4; h++)
        json_array_append_new(heads, head_of(bin[h]));
    for (int c = 0; c < 3; c++)
        json_array_append_new(losses, json_pack("[f, f]", 2 - gain * c,
                                                4 - gain * c));
    return json_pack(
        "{s:{s:{s:o}, s:{s:f, s:f}}, s:{s:{s:f, s:f}, s:{s:[i, i, i], s:o}},"
        " s:{s:f, s:[{s:f}, {s:f}]}}", "attention", "trained", "heads", heads,
        "sinks", "share", .5, "share_repeated", .25, "field", "trained",
        "width_90", 7.5, "width_99", 20., "truncation", "lengths", 1, 2, 4,
        "losses", losses, "tables", "toeplitz", .75, "laws", "linear", .5,
        "linear", .7);
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
static void heads_are_matched_layer_by_layer(void **state)
{
    struct lct_results r;

    (void)state;
    plant(&r);
    CHECK(fabs(at(r.numbers, "probes.matching.0.1") - log(2) / 2) < 1e-6);
    CHECK(fabs(at(r.numbers, "probes.matching.1.0") - log(2) / 2) < 1e-6);
    CHECK(fabs(at(r.numbers, "probes.matching.0.2") - log(2) / 2) < 1e-6);
    CHECK(fabs(at(r.numbers, "probes.matching.1.2") - log(2)) < 1e-6);
    CHECK(isnan(at(r.numbers, "probes.matching.1.1")));
    CHECK(json_array_size(lct_numbers_at(r.numbers, "probes.matching")) == 3);
    give_back(&r);
}

static void each_has_a_row(void **state)
{
    struct lct_results r;

    (void)state;
    plant(&r);
    CHECK(at(r.numbers, "probes.rows.0.effective_context") == 4);
    CHECK(at(r.numbers, "probes.rows.1.effective_context") == 1);
    CHECK(at(r.numbers, "probes.rows.2.effective_context") == 1);
    CHECK(at(r.numbers, "probes.rows.0.width_90") == 7.5);
    CHECK(at(r.numbers, "probes.rows.2.sinks_repeated") == .25);
    CHECK(fabs(at(r.numbers, "probes.rows.1.laws.linear") - .6) < 1e-12);
    CHECK(isnan(at(r.numbers, "probes.rows.1.laws.log")));
    CHECK(isnan(at(r.numbers, "probes.rows.1.position_error")));
    assert_string_equal(json_string_value(lct_numbers_at(
        r.numbers, "probes.rows.1.encoding")), r.groups[4].spec);
    give_back(&r);
}

static void without_probes_there_is_nothing(void **state)
{
    struct lct_results r;

    (void)state;
    make_results(&r);
    CHECK_OK(lct_numbers_create(&r.numbers, &r));
    CHECK(lct_numbers_at(r.numbers, "probes") == NULL);
    give_back(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heads_are_matched_layer_by_layer),
        cmocka_unit_test(each_has_a_row),
        cmocka_unit_test(without_probes_there_is_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
