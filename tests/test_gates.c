/* test_gates.c - gates that fail when they should, and say why */
/* needs: lab */
#include "testing.h"
#include "report/gate_text.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GROUPS = 8, SEEDS = 3, BLOCKS = 4, LAST = LOCANT_EVAL_LENGTHS - 1 };
static const locant_encoding_info plain = { .name = "plain" };
static const locant_encoding_info walled = { .name = "walled",
                                             .traits = LOCANT_TRAIT_LIMIT };
static struct lct_result results[GROUPS][SEEDS];
static double blocks[GROUPS][SEEDS][LOCANT_EVAL_LENGTHS * BLOCKS];
static double replaced[GROUPS][SEEDS][BLOCKS];
static struct lct_group groups[GROUPS];

/* The loss of a run at length k, in every block. */
static void set_loss(int group, int seed, int k, double loss)
{
    results[group][seed].eval.same_targets[k] = loss;
    for (int b = 0; b < BLOCKS; b++)
        blocks[group][seed][k * BLOCKS + b] = loss;
}

/* What replacing the context costs a run, in every block. */
static void set_cost(int group, int seed, double cost)
{
    for (int b = 0; b < BLOCKS; b++)
        replaced[group][seed][b] = blocks[group][seed][b] + cost;
    results[group][seed].more[LCT_REPLACED] = replaced[group][seed];
}

static void set_result(int group, int seed)
{
    struct lct_result *x = &results[group][seed];

    *x = (struct lct_result){ .block_loss = blocks[group][seed],
                              .eval = { .blocks = BLOCKS, .causality = 1e-6 } };
    snprintf(x->run.status, sizeof x->run.status, "done");
    snprintf(x->batch_checksum, sizeof x->batch_checksum, "%016d", seed);
    x->run.length = 128;
    x->run.seed = (uint64_t)seed + 1;
    for (int k = 0; k < LOCANT_EVAL_LENGTHS; k++) {
        x->eval.length[k] = 128 << k;
        set_loss(group, seed, k,
                 1.5 + .1 * group + .001 * group * group + .01 * seed);
    }
    set_cost(group, seed, .3 + .001 * seed);
}

/* Results that pass every gate. */
static struct lct_results good(void)
{
    struct lct_results r = { .groups = groups,
                             .n = GROUPS,
                             .ngram = { 2, 1.9 },
                             .ngram_order = { 2, 3 } };

    for (int g = 0; g < GROUPS; g++) {
        groups[g] = (struct lct_group){ .info = &plain,
                                        .doors = LOCANT_DOOR_SCORE,
                                        .reach = INT64_MAX,
                                        .results = results[g],
                                        .n = SEEDS };
        snprintf(groups[g].spec, sizeof groups[g].spec, "e%d", g);
        for (int s = 0; s < SEEDS; s++)
            set_result(g, s);
    }
    return r;
}

/* Exactly this gate fails; 0: none. */
static void check_only(struct lct_results *r, int failing)
{
    CHECK_OK(lct_gates_check(r));
    for (int i = 2; i <= 7; i++)
        lct_gate_text_say(&r->gates[i - 1]);
    for (int i = 2; i <= 7; i++)
        if (r->gates[i - 1].passed != (i != failing))
            FAIL("gate %d, expected %d to fail: %s", i, failing,
                 r->gates[i - 1].sentence);
}

TEST(gates_pass_what_is_good)
{
    struct lct_results r = good();

    check_only(&r, 0);
    assert_string_equal(r.gates[1].name, "g2");
    assert_string_equal(
        r.gates[1].sentence,
        "the best loss at 128 is 1.510 nats/byte (e0); an order-2 n-gram on the"
        " same training bytes has 2.000");
    assert_string_equal(
        r.gates[2].sentence,
        "replacing all but the last 8 bytes of the context by text of another"
        " file costs 8 of 8 encodings (those without positions apart) more than"
        " 0.2 nats/byte, with 95 % intervals over blocks and seeds; 4 are"
        " needed (the greatest mean cost is 0.30)");
    assert_string_equal(r.gates[3].sentence,
                        "later tokens change earlier losses by at most 1e-6"
                        " nats, by e0; 0.0001 is allowed");
    assert_string_equal(
        r.gates[6].sentence,
        "claims of the verdict: 21, each with a corrected p below 0.05; the"
        " largest is 0.000 (e7)");
    /* A table that ends is undefined beyond its length, which is no failure. */
    groups[3].info = &walled;
    groups[3].reach = 128;
    for (int s = 0; s < SEEDS; s++)
        for (int k = 1; k < LOCANT_EVAL_LENGTHS; k++)
            set_loss(3, s, k, NAN);
    check_only(&r, 0);
    for (int g = 0; g < GROUPS; g++)
        for (int s = 0; s < SEEDS; s++)
            results[g][s].eval.causality = 0;
    check_only(&r, 0);
    assert_string_equal(r.gates[3].sentence, "later tokens change no earlier"
                                             " loss");
}

TEST(gates_fail_what_is_bad)
{
    struct lct_results r = good();

    r.ngram[0] = 1.51 - 1e-9;
    check_only(&r, 2);
    r = good();
    r.ngram[0] = NAN;
    check_only(&r, 2);

    r = good();
    for (int g = 0; g < 5; g++) /* four of eight must hold */
        for (int s = 0; s < SEEDS; s++)
            set_cost(g, s, .19 + .001 * s);
    check_only(&r, 3);

    r = good();
    results[7][1].eval.causality = 1.1e-4;
    check_only(&r, 4);
    assert_string_equal(r.gates[3].spec[0], "e7");
    for (int i = 0; i < GROUPS; i += GROUPS - 1) { /* the first, the last */
        r = good();
        results[i][i ? SEEDS - 1 : 0].eval.causality = NAN;
        check_only(&r, 4);
        assert_string_equal(r.gates[3].spec[0], groups[i].spec);
        CHECK(isnan(r.gates[3].value[0]));
    }

    r = good();
    results[2][1].eval.same_targets[3] = INFINITY;
    check_only(&r, 5);
    r = good();
    snprintf(results[2][1].run.status, sizeof results[2][1].run.status,
             "failed");
    check_only(&r, 5);
    r = good();
    groups[3].info = &walled; /* but not within its length */
    groups[3].reach = 256;
    results[3][0].eval.same_targets[1] = NAN;
    check_only(&r, 5);

    r = good();
    results[5][1].batch_checksum[3] = 'f';
    check_only(&r, 6);
}

/* What is claimed has passed; where nothing is, the gate has no say. */
TEST(claims_pass_their_tests)
{
    struct lct_results r = good();
    locant_report_gate *g7 = &r.gates[6];

    /* seven above the first at each of three lengths, to the bit */
    check_only(&r, 0);
    CHECK(g7->value[0] == 21 && g7->value[1] < .05 && !g7->not_applicable);
    /* the last, of seeds that sway at the longest length, above all of them:
       not claimed there, nor that it changed */
    for (int s = 0; s < SEEDS; s++)
        set_loss(7, s, LAST, 3 + 1.2 * (s - 1));
    check_only(&r, 0);
    CHECK(g7->value[0] == 20);
    /* all of them steadily above the trained length */
    for (int g = 0; g < GROUPS - 1; g++)
        for (int s = 0; s < SEEDS; s++)
            set_loss(g, s, LAST, 2.7 + .1 * g + .01 * s * s);
    check_only(&r, 0);
    CHECK(g7->value[0] == 27);
}

/* An encoding of two seeds, where others have three, has no test and is not
   named, so it keeps no other from being named. */
TEST(claims_pass_over_encodings_of_few_seeds)
{
    struct lct_results r = good();

    groups[7].n = 2;
    for (int s = 0; s < SEEDS; s++)
        set_cost(7, s, .01 + .001 * s);
    check_only(&r, 0);
    CHECK(r.gates[6].value[0] == 18);
}

TEST(gates_without_claims_are_not_applicable)
{
    struct lct_results r = good();

    r.n = 3; /* one encoding three times: nothing to tell apart */
    for (int g = 0; g < 3; g++)
        for (int s = 0; s < SEEDS; s++)
            for (int k = 0; k <= LAST; k++)
                set_loss(g, s, k, 1.5 + .01 * s);
    check_only(&r, 0);
    CHECK(r.gates[6].not_applicable && !r.gates[5].not_applicable);
    assert_string_equal(r.gates[6].sentence,
                        "no test shows anything, so nothing is claimed");
    /* two seeds, however far apart encodings are */
    r = good();
    for (int g = 0; g < GROUPS; g++)
        groups[g].n = 2;
    check_only(&r, 0);
    CHECK(r.gates[6].not_applicable);
    assert_string_equal(r.gates[6].sentence,
                        "with fewer than 3 seeds the page claims nothing, and"
                        " only says what all runs have in common");
}

/* ---------------------------------------------------------------- gate g3 */

/* The gate's passed, with so many encodings that use their context. */
static int passed_with(struct lct_results *r, int use)
{
    for (int g = 0; g < (int)r->n; g++)
        for (int s = 0; s < SEEDS; s++)
            set_cost(g, s, (g >= (int)r->n - use ? .3 : .1) + .001 * s);
    CHECK_OK(lct_gates_check(r));
    CHECK(!r->gates[2].not_applicable);
    return r->gates[2].passed;
}

/* Half of the encodings that tell positions; the others are judged apart. */
TEST(half_must_use_their_context)
{
    struct lct_results r = good();

    CHECK(passed_with(&r, 4) && !passed_with(&r, 3));
    groups[0].doors = 0; /* seven, of which four are needed */
    CHECK(passed_with(&r, 4) && !passed_with(&r, 3));
    CHECK(r.gates[2].value[2] == 7 && r.gates[2].value[3] == 4);
    groups[7].doors = 0; /* it does, but is not counted */
    CHECK(!passed_with(&r, 3) && passed_with(&r, 4));
    r = good();
    r.n = 3;
    CHECK(passed_with(&r, 2) && !passed_with(&r, 1));
    r.n = 1;
    CHECK(passed_with(&r, 1) && !passed_with(&r, 0));
    groups[0].doors = 0;
    CHECK(!passed_with(&r, 1));
}

/* Without intervals it has no say. */
TEST(context_must_be_measured_to_be_judged)
{
    struct lct_results r = good();
    locant_report_gate *g3 = &r.gates[2];

    for (int g = 0; g < GROUPS; g++)
        groups[g].n = 1;
    check_only(&r, 0);
    CHECK(g3->not_applicable);
    assert_string_equal(g3->text, "g3.one");
    r = good();
    for (int g = 0; g < GROUPS; g++)
        for (int s = 0; s < SEEDS; s++)
            results[g][s].more[LCT_REPLACED] = NULL;
    check_only(&r, 0);
    CHECK(g3->not_applicable && isnan(g3->value[4]));
    assert_string_equal(g3->text, "g3.unmeasured");
}

/* Beyond the trained length only encodings that use their context have a say:
   here the lowest, and one that is above it. */
TEST(claims_are_of_encodings_that_use_their_context)
{
    struct lct_results r = good();

    CHECK_OK(lct_gates_check(&r));
    CHECK(r.gates[6].value[0] == 21);
    for (int g = 2; g < GROUPS; g++)
        for (int s = 0; s < SEEDS; s++)
            set_cost(g, s, .1 + .001 * s);
    CHECK_OK(lct_gates_check(&r));
    CHECK(r.gates[6].value[0] == 7 + 1 + 1);
    for (int s = 0; s < SEEDS; s++) /* then the lowest is not named */
        set_cost(0, s, .1 + .001 * s);
    CHECK_OK(lct_gates_check(&r));
    CHECK(r.gates[6].value[0] == 7);
}

/* -------------------------------------------------------------------- text */

TEST(what_is_not_known_says_its_spec)
{
    locant_report_gate g = { .text = "none such", .spec = { "rope", "t5" } };

    lct_gate_text_say(&g);
    assert_string_equal(g.sentence, "rope");
}

/* The values are those of the English message, in any order. */
TEST(both_languages_say_the_same_values)
{
    static const char *const ids[] = { "g1.hold",  "g2.best",   "g3.replaced",
                                       "g3.one",   "g4.change", "g5.bad",
                                       "g7.claims" };

    for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++) {
        const enum lct_message id = lct_gate_text_id(ids[i]);
        const char *form = lct_messages_text(id, LCT_EN);

        while ((form = strchr(form, '{')) != NULL) {
            char value[32];

            snprintf(value, sizeof value, "%.*s}", (int)strcspn(form, "}"),
                     form);
            CHECK(strstr(lct_messages_text(id, LCT_ZH), value) != NULL);
            form++;
        }
    }
}

/* -------------------------------------------------------------------- rows */

TEST(rows_are_means_over_seeds)
{
    struct lct_results r = good();
    locant_report_row row;

    groups[0].n = 2;
    results[0][0].eval.own_window = 1.7;
    results[0][1].eval.own_window = 1.9;
    results[0][0].run.seconds = 3;
    results[0][1].run.seconds = 5;
    results[0][0].bytes = 12345;
    lct_report_row_of(&row, &r.groups[0]);
    assert_string_equal(row.encoding, "e0");
    assert_int_equal(row.seeds, 2);
    /* 1.50 and 1.51: deviation .01/sqrt(2), t(.975, 1) = 12.7062 */
    CHECK(fabs(row.loss[0] - 1.505) < 1e-12);
    CHECK(fabs(row.half_width[0] - 12.7062 * .005) < 1e-5);
    CHECK(fabs(row.gain - (1.8 - 1.505)) < 1e-12);
    CHECK(row.seconds == 4 && row.bytes == 12345);
    groups[0].n = 1;
    lct_report_row_of(&row, &r.groups[0]);
    CHECK(row.loss[0] == 1.5 && isnan(row.half_width[0]));
}
