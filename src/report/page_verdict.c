/*
 * page_verdict.c - the question, and what the tests answer.
 *
 * Nothing is claimed but what a corrected test of the page shows.  Of each
 * encoding: the change of loss from the trained length, by the paired t test
 * over seeds.  Below three seeds no test tells anything: what is said then is
 * what all runs have in common, as ranks are made.  Where a gate of truth
 * failed, the numbers may not mean what they say, and there is no verdict.
 */
#include "page.h"
#include "words.h"
#include <jansson.h>
#include <math.h>
#include <stdio.h>

/* How many runs of each encoding there are: what may be said of them. */
enum runs { ONE_RUN, TWO_RUNS, TESTED, MANNERS };

/* What is found of the encodings of each kind, against the trained length. */
static const char *const found[LCT_CHANGES][MANNERS] = {
    [LCT_RISES] = {
        "loss higher than at {protocol.trained_length} in the one run: @1",
        "loss higher than at {protocol.trained_length} in both runs: @1",
        "loss higher than at {protocol.trained_length}: @1" },
    [LCT_FALLS] = {
        "loss lower than at {protocol.trained_length} in the one run: @1",
        "loss lower than at {protocol.trained_length} in both runs: @1",
        "loss lower than at {protocol.trained_length}: @1" },
    [LCT_SMALL] = {
        "changed by less than 0.02 nats: @1",
        "changed by less than 0.02 nats: @1",
        "changed by less than 0.02 nats: @1" },
    [LCT_SAME] = {
        "not distinguishable from unchanged: @1",
        "higher in one run and not in the other: @1",
        "not distinguishable from unchanged: @1" },
    [LCT_UNDEFINED] = {
        "not defined: @1", "not defined: @1", "not defined: @1" },
};

/* One encoding of the lowest loss, and several that share the first rank. */
static const char *const lowest[MANNERS][2] = {
    { "lowest in the one run: @1", "lowest in the one run: @1" },
    { "lowest in both runs: @1",
      "lowest on average, or not above that in both runs: @1" },
    { "lowest, and distinguishable from all others: @1",
      "lowest, and not distinguishable: @1" },
};

/* Of truth: whether the page may be believed; the others say how far. */
static const int truth[] = { 0, 3, 4, 5 };

const char *lct_page_doubt(const struct lct_results *r)
{
    for (size_t i = 0; i < sizeof truth / sizeof truth[0]; i++)
        if (!r->gates[truth[i]].passed)
            return r->gates[truth[i]].name;
    return NULL;
}

static enum runs runs_of(const struct lct_results *r)
{
    return lct_is_tested(r)                          ? TESTED
           : lct_page_value(r, "protocol.seeds") > 1 ? TWO_RUNS
                                                     : ONE_RUN;
}

enum lct_change lct_page_change(const struct lct_results *r, size_t i,
                                long long length)
{
    const double mean = lct_page_value(r, "rows.%zu.change.%lld.mean", i,
                                       length);
    const bool shown =
        lct_is_tested(r)
            ? lct_page_value(r, "rows.%zu.change.%lld.corrected", i, length) <
                  LCT_ALPHA
            : lct_page_value(r, "rows.%zu.change.%lld.sign", i, length) != 0;

    if (isnan(mean))
        return LCT_UNDEFINED;
    if (!shown)
        return LCT_SAME;
    if (fabs(mean) < 0.02)
        return LCT_SMALL;
    return mean > 0 ? LCT_RISES : LCT_FALLS;
}

/* A line of a list of specs; the first makes it a list. */
static void add_spec(struct lct_html *list, const struct lct_results *r,
                     size_t i)
{
    if (list->size > 0)
        list->size--; /* its end */
    lct_html_raw(list, list->size > 0 ? "\n" : "");
    lct_html_raw(list, r->groups[i].spec);
    lct_html_append(list, "", 1);
}

/* A form and its list of specs after 'before'; false: the list is empty. */
static bool put_specs(struct lct_html *h, const struct lct_results *r,
                      const char *before, const char *form,
                      struct lct_html *list)
{
    const char *text = list->data;
    const bool any = list->size > 0 && !list->failed;

    if (any) {
        lct_html_raw(h, before);
        lct_page_say(h, r, form, &text);
    }
    h->failed |= list->failed;
    lct_html_free(list);
    return any;
}

/* Is that encoding above the one of the lowest loss? */
static bool is_above(const struct lct_results *r, size_t i, long long length)
{
    return lct_is_tested(r)
               ? lct_page_value(r, "rows.%zu.behind.%lld.corrected", i,
                                length) < LCT_ALPHA
               : lct_page_value(r, "rows.%zu.behind.%lld.sign", i, length) == 1;
}

/* Those that are not above the lowest, where there is any to compare with. */
static void say_first(struct lct_html *h, const struct lct_results *r,
                      long long length, const char *before)
{
    struct lct_html list = { .data = NULL };
    int first = 0, defined = 0;

    for (size_t i = 0; i < r->n; i++) {
        if (isnan(lct_page_value(r, "rows.%zu.ranks.%lld", i, length)))
            continue;
        defined++;
        if (!is_above(r, i, length)) {
            add_spec(&list, r, i);
            first++;
        }
    }
    if (defined > 1)
        put_specs(h, r, before, lowest[runs_of(r)][first > 1], &list);
    else
        lct_html_free(&list);
}

/* What is found at length index k: 0, the trained one, has no change. */
static void say_length(struct lct_html *h, const struct lct_results *r, int k)
{
    const long long length = lct_length(r, k);
    const char *before = "";
    char form[64];

    lct_html_raw(h, "<li><strong>");
    snprintf(form, sizeof form, "At {protocol.lengths.%d} bytes", k);
    lct_page_say(h, r, form, NULL);
    lct_html_raw(h, "</strong><br>");
    for (int kind = 0; kind < LCT_CHANGES && k > 0; kind++) {
        struct lct_html list = { .data = NULL };

        for (size_t i = 0; i < r->n; i++)
            if (r->groups[i].n > 0 &&
                (int)lct_page_change(r, i, length) == kind)
                add_spec(&list, r, i);
        if (put_specs(h, r, before, found[kind][runs_of(r)], &list))
            before = "<br>";
    }
    say_first(h, r, length, before);
    lct_html_raw(h, "</li>\n");
}

/* Seeds that a limit of time took away, and the way to have them. */
static void say_limit(struct lct_html *h, const struct lct_results *r)
{
    if (r->limit > 0 && lct_page_value(r, "protocol.seeds") <
                            lct_page_value(r, "forecast.seeds_asked")) {
        lct_html_raw(h, "<li>");
        lct_page_say(h, r,
                     "{protocol.seeds} seeds for the {forecast.seeds_asked} "
                     "asked for, which would have taken this machine more than "
                     "{forecast.limit} minutes; --seeds {forecast.seeds_asked} "
                     "alone trains them all.",
                     NULL);
        lct_html_raw(h, "</li>\n");
    }
}

/* The declared comparisons that survive correction, or what that takes. */
static void say_exact(struct lct_html *h, const struct lct_results *r)
{
    struct lct_html list = { .data = NULL };
    bool any = false;

    if (!(lct_page_value(r, "declared.least_holm") < LCT_ALPHA)) {
        lct_html_raw(h, "<li>");
        lct_page_say(h, r,
                     "By the exact test, which takes nothing for granted but "
                     "symmetry, nothing can be claimed: with so few seeds "
                     "({protocol.seeds}), its p for {declared.comparisons} "
                     "comparisons (Holm) cannot be below "
                     "{declared.least_holm:3}. For p below 0.05 it takes "
                     "{declared.seeds} seeds.",
                     NULL);
        lct_html_raw(h, "</li>\n");
        return;
    }
    for (size_t i = 0; i < r->n; i++)
        if (lct_page_value(r, "rows.%zu.declared.holm", i) < LCT_ALPHA) {
            add_spec(&list, r, i);
            any = true;
        }
    if (any) {
        put_specs(h, r, "<li>",
                  "By the exact test, corrected for {declared.comparisons} "
                  "comparisons (Holm), the change at {declared.length} bytes, "
                  "declared beforehand, has p below 0.05 for @1.",
                  &list);
        lct_html_raw(h, "</li>\n");
    }
}

/* What it would take to tell the two lowest apart, where they are not. */
static void say_power(struct lct_html *h, const struct lct_results *r)
{
    const char *const pair[] = {
        json_string_value(lct_numbers_at(r->numbers, "order.first")),
        json_string_value(lct_numbers_at(r->numbers, "order.next")),
    };
    const bool few = !isnan(lct_page_value(r, "order.seeds"));

    if (!pair[0] || isnan(lct_page_value(r, "order.power")) ||
        lct_page_value(r, "order.seeds") <= lct_page_value(r, "protocol.seeds"))
        return;
    lct_html_raw(h, "<li>");
    lct_page_say(h, r,
                 "If differences and their spread are as seen, the t test "
                 "tells @1 from @2 at {order.length} bytes with a chance of "
                 "{order.power:2} (corrected for {order.comparisons} pairs)",
                 pair);
    lct_page_say(h, r,
                 few ? "; for a chance of 0.8 it takes {order.seeds} seeds."
                     : "; no number of seeds that a report takes makes that "
                       "0.8.",
                 NULL);
    lct_html_raw(h, "</li>\n");
}

static void say_verdict(struct lct_html *h, const struct lct_results *r)
{
    const char *gate = lct_page_doubt(r);

    if (gate) {
        lct_html_raw(h, "<p>");
        lct_page_say(h, r,
                     "No verdict: gate $1 failed, so the numbers may not mean "
                     "what they say.",
                     &gate);
        lct_html_raw(h, "</p>\n");
        return;
    }
    lct_html_raw(h, "<ul>\n");
    for (int i = 0; i < LCT_ANSWERED; i++)
        say_length(h, r, lct_answered[i]);
    say_limit(h, r);
    say_exact(h, r);
    say_power(h, r);
    lct_html_raw(h, "</ul>\n<p>");
    lct_page_say(h, r,
                 lct_is_tested(r)
                     ? "All of it on this corpus, at {model.parameters:M} "
                       "parameters; each by the paired t test over seeds, its "
                       "p, corrected for all comparisons of its kind and "
                       "length, below 0.05: see the tests of the verdict."
                     : "All of it on this corpus, at {model.parameters:M} "
                       "parameters, and of these runs alone: with fewer than "
                       "three seeds nothing is claimed of others.",
                 NULL);
    lct_html_raw(h, "</p>\n");
}

void lct_page_verdict(struct lct_html *h, const struct lct_results *r)
{
    size_t runs = 0;

    for (size_t i = 0; i < r->n; i++)
        runs += r->groups[i].n;
    if (runs == 0)
        return;
    lct_html_raw(h, "<div class=\"verdict\" id=\"verdict\"><p><strong>");
    lct_page_say(h, r,
                 "Trained on texts of {protocol.trained_length} bytes, which "
                 "encodings still predict as well when up to "
                 "{protocol.lengths.4} are read?",
                 NULL);
    lct_html_raw(h, "</strong></p>\n");
    say_verdict(h, r);
    lct_html_raw(h, "</div>\n");
}
