/* test_verdict.c - the page claims what its tests show, and no more */
/* needs: lab */
#define _GNU_SOURCE
#include "testing.h"
#include "page_results.h"
#include "report/page.h"
#include <jansson.h>
#include <math.h>

/* The verdict on results as they are. */
static char *verdict_of(struct lct_results *r)
{
    struct lct_html h = { .data = NULL };
    char *text;

    CHECK_OK(lct_numbers_create(&r->numbers, r));
    CHECK_OK(lct_page_verdict(&h, r));
    lct_html_append(&h, "", 1);
    CHECK_OK(lct_html_status(&h));
    text = strdup(h.data);
    lct_html_free(&h);
    json_decref(r->numbers);
    r->numbers = NULL;
    return text;
}

/* The answer at that length: from its heading to the end of its item. */
static char *answer_at(const char *verdict, int length)
{
    char want[64];
    const char *at;

    snprintf(want, sizeof want, "\">%d</span> bytes</span>", length);
    if (length > 999)
        snprintf(want, sizeof want, "\">%d&#8239;%03d</span> bytes</span>",
                 length / 1000, length % 1000);
    at = strstr(verdict, want);
    assert_non_null(at);
    return strndup(at, (size_t)(strstr(at, "</li>") - at));
}

/* Is that spec in the line that holds these words? */
static bool claims(const char *verdict, const char *words, const char *spec)
{
    const char *at = strstr(verdict, words), *end, *item;
    char code[300];

    if (!at)
        return false;
    end = strstr(at, "<br>");
    item = strstr(at, "</li>");
    if (!end || (item && item < end))
        end = item;
    snprintf(code, sizeof code, "<code>%s</code>", spec);
    return memmem(at, end ? (size_t)(end - at) : strlen(at), code,
                  strlen(code)) != NULL;
}

/* What replacing its context costs group g. */
static void set_cost(struct lct_results *r, size_t g, double cost)
{
    for (size_t s = 0; s < r->groups[g].n; s++)
        for (int b = 0; b < BLOCKS; b++)
            r->groups[g].results[s].more[LCT_REPLACED][b] =
                r->groups[g].results[s].block_loss[b] + cost;
}

/* Losses of group g: 'rise' more at each length but the first, and in seed s
   by sway[s] more than that. */
static void set_losses(struct lct_results *r, size_t g, double base,
                       double rise, const double sway[SEEDS])
{
    for (size_t s = 0; s < r->groups[g].n; s++)
        for (int k = 0; k < LOCANT_EVAL_LENGTHS; k++)
            for (int b = 0; b < BLOCKS; b++)
                r->groups[g].results[s].block_loss[k * BLOCKS + b] =
                    base + (k > 0 ? rise + sway[s] : 0);
    set_cost(r, g, 0.4);
}

/* three seeds: what is claimed among 46 comparisons must be steady */
static const double steady[SEEDS] = { -0.0001, 0, 0.0001 };
static const double wild[SEEDS] = { -0.4, 0, 0.4 };

/* Only so many seeds of each encoding. */
static void set_seeds(struct lct_results *r, size_t n)
{
    for (size_t i = 0; i < r->n; i++)
        r->groups[i].n = n;
}

/* Four encodings: one rises, one falls, one may do either, one is small. */
static void make_four(struct lct_results *r)
{
    make_results(r);
    r->n = 4;
    set_losses(r, 0, 1.5, 0.5, steady);
    set_losses(r, 1, 1.5, -0.3, steady);
    set_losses(r, 2, 1.5, 0.1, wild);
    set_losses(r, 3, 1.5, 0.01, steady);
}

static void free_all(struct lct_results *r)
{
    r->n = GROUPS;
    free_results(r);
}

TEST(says_what_tests_show)
{
    static const char *const words[] = { "loss higher than", "loss lower than",
                                         "distinguishable from unchanged",
                                         "less than 0.02" };
    FREED_BY(free_all) struct lct_results r;
    char *text;

    make_four(&r);
    text = verdict_of(&r);
    for (size_t i = 0; i < 4; i++)
        for (size_t w = 0; w < 4; w++)
            if (claims(text, words[w], r.groups[i].spec) != (w == i))
                FAIL("%s: '%s' is %s", r.groups[i].spec, words[w],
                     w == i ? "not said" : "said");
    /* three seeds: the least p of four comparisons is 4 * 2/8, and 4 / 64 at
       seven is above .05, 4 / 128 is not */
    CHECK(strstr(text, "The exact test, which assumes nothing but symmetry"));
    CHECK(strstr(text, "declared.seeds\">8</span> seeds"));
    CHECK(count(text, "best") == 0);
    CHECK(count(text, "loss higher than") == 2);
    CHECK(count(text, "data-number=\"model.parameters\"") == 2);
    free(text);
}

TEST(what_is_alike_shares_the_first_rank)
{
    FREED_BY(free_all) struct lct_results r;
    char *text, *trained, *longest;

    make_four(&r);
    text = verdict_of(&r);
    trained = answer_at(text, 128);
    longest = answer_at(text, 2048);
    for (size_t i = 0; i < 4; i++)
        CHECK(claims(trained, "from each other", r.groups[i].spec));
    CHECK(!strstr(trained, "than at") && !strstr(trained, "next"));
    /* rope, which may do either, cannot be told from the lowest */
    CHECK(claims(longest, "from each other", r.groups[1].spec));
    CHECK(claims(longest, "from each other", r.groups[2].spec));
    CHECK(!claims(longest, "from each other", r.groups[0].spec));
    free(longest);
    free(text);
    set_losses(&r, 2, 1.5, 0.1, steady);
    text = verdict_of(&r);
    longest = answer_at(text, 2048);
    CHECK(claims(longest, "distinguishable from all others", r.groups[1].spec));
    CHECK(
        !claims(longest, "distinguishable from all others", r.groups[2].spec));
    free(trained);
    free(longest);
    free(text);
    set_losses(&r, 0, 1.5, -0.3, wild);
    text = verdict_of(&r);
    longest = answer_at(text, 2048);
    CHECK(claims(longest, "from each other", r.groups[0].spec));
    CHECK(claims(longest, "from each other", r.groups[1].spec));
    CHECK(!strstr(longest, "apart from all"));
    free(longest);
    free(text);
}

/* A loss that rises beyond twice the trained length alone. */
TEST(each_length_has_its_answer)
{
    FREED_BY(free_all) struct lct_results r;
    char *text, *twice, *longest;

    make_four(&r);
    for (int s = 0; s < SEEDS; s++)
        for (int b = 0; b < BLOCKS; b++)
            r.groups[0].results[s].block_loss[BLOCKS + b] = 1.49 + steady[s];
    text = verdict_of(&r);
    twice = answer_at(text, 256);
    longest = answer_at(text, 2048);
    CHECK(claims(twice, "less than 0.02", r.groups[0].spec));
    CHECK(!strstr(twice, "loss higher"));
    CHECK(claims(longest, "loss higher", r.groups[0].spec));
    free(twice);
    free(longest);
    free(text);
}

TEST(undefined_is_not_judged)
{
    FREED_BY(free_all) struct lct_results r;
    char *text;

    make_four(&r);
    set_losses(&r, 2, 1.5, NAN, steady);
    text = verdict_of(&r);
    CHECK(claims(text, "not defined:", r.groups[2].spec));
    CHECK(!claims(text, "apart from unchanged", r.groups[2].spec));
    free(text);
}

/* Where a gate of truth fails there is no verdict; the others only warn. */
TEST(gates_of_truth_silence_it)
{
    FREED_BY(free_all) struct lct_results r;

    make_four(&r);
    for (int i = 0; i < 7; i++) {
        bool truth = i == 0 || (i >= 3 && i <= 5);
        char *text;

        r.gates[i].passed = 0;
        text = verdict_of(&r);
        CHECK((strstr(text, "No verdict: gate") != NULL) == truth);
        CHECK((strstr(text, "<li>") == NULL) == truth);
        CHECK(!truth || strstr(text, r.gates[i].name));
        free(text);
        r.gates[i].passed = 1;
    }
}

/* Two seeds, the pair: +.127 +- .206.  Both runs are told of, and no
   words of tests are used. */
TEST(two_seeds_tell_what_both_runs_show)
{
    static const double pair[SEEDS] = { -0.0162, 0.0162, 0 };
    FREED_BY(free_all) struct lct_results r;
    char *text, *longest;

    make_four(&r);
    set_losses(&r, 2, 1.5, -0.3 + 0.127, pair);
    set_seeds(&r, 2);
    text = verdict_of(&r);
    longest = answer_at(text, 2048);
    CHECK(claims(longest, "lowest in both runs", r.groups[1].spec));
    CHECK(!strstr(text, "apart") && !strstr(text, "loss lower than at 128:"));
    CHECK(claims(longest, "in both runs", r.groups[0].spec));
    CHECK(strstr(text, "nothing is claimed about other runs"));
    free(longest);
    free(text);
    set_losses(&r, 2, 1.5, -0.3, pair); /* lower in one, higher in the other */
    text = verdict_of(&r);
    longest = answer_at(text, 2048);
    CHECK(!strstr(longest, "lowest in both runs"));
    CHECK(claims(longest, "lowest on average, or not", r.groups[1].spec));
    CHECK(claims(longest, "lowest on average, or not", r.groups[2].spec));
    free(longest);
    free(text);
    set_losses(&r, 2, 1.5, 0, pair);
    text = verdict_of(&r);
    CHECK(claims(text, "higher in one run and not", r.groups[2].spec));
    free(text);
    set_seeds(&r, SEEDS);
}

TEST(one_seed_speaks_of_its_run)
{
    FREED_BY(free_all) struct lct_results r;
    char *text;

    make_four(&r);
    set_seeds(&r, 1);
    text = verdict_of(&r);
    CHECK(strstr(text, "lowest in the one run"));
    /* nor does it show that models use their context */
    CHECK(claims(text, "not judged", r.groups[0].spec));
    CHECK(!strstr(text, "loss higher"));
    CHECK(!strstr(text, "distinguishable") && !strstr(text, "both"));
    CHECK(!strstr(text, "the t test"));
    free(text);
    set_seeds(&r, SEEDS);
}

/* The page says how many seeds distinguish the two lowest if it takes more. */
TEST(seeds_are_advised_for_this_page)
{
    FREED_BY(free_all) struct lct_results r;
    char *text;

    make_four(&r);
    set_losses(&r, 2, 1.5, -0.2, wild);
    text = verdict_of(&r);
    CHECK(strstr(text, "a probability of 0.8 takes"));
    CHECK(count(text, "data-number=\"order.seeds\"") == 2);
    free(text);
    set_losses(&r, 2, 1.5, -0.3, wild); /* no difference: no number does */
    text = verdict_of(&r);
    CHECK(strstr(text, "no number of seeds that a report accepts"));
    free(text);
    set_losses(&r, 2, 1.5, 0.1, steady);
    text = verdict_of(&r);
    CHECK(!strstr(text, "with a probability"));
    free(text);
}

/* Longer contexts are spoken of for models that use them. */
TEST(what_does_not_use_its_context_is_not_judged)
{
    FREED_BY(free_all) struct lct_results r;
    char *text, *longest;

    make_four(&r);
    set_cost(&r, 0, 0.19);
    text = verdict_of(&r);
    longest = answer_at(text, 2048);
    CHECK(claims(longest, "not judged", r.groups[0].spec));
    CHECK(!strstr(longest, "loss higher"));
    CHECK(claims(longest, "loss lower", r.groups[1].spec));
    CHECK(claims(longest, "from each other", r.groups[1].spec));
    free(longest);
    free(text);
    set_cost(&r, 1, 0.1); /* the lowest: nor is the order of the others told */
    text = verdict_of(&r);
    longest = answer_at(text, 2048);
    CHECK(claims(longest, "not judged", r.groups[1].spec));
    CHECK(!strstr(longest, "lowest"));
    free(longest);
    longest = answer_at(text, 128);
    CHECK(claims(longest, "from each other", r.groups[1].spec));
    free(longest);
    free(text);
}
