/*
 * page_verdict.c - the question, and what the tests answer.
 *
 * The verdict claims only what a corrected test of the page shows: for each
 * encoding, how the loss changes from the trained length, by a paired t test
 * over seeds.  With fewer than three seeds there is no test, so the page says
 * what all runs have in common.  Of longer contexts it speaks only for
 * encodings whose models use their context (context_use.c).  If a vital gate
 * failed, there is no verdict.
 */
#include "page.h"
#include "html_message.h"
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* How many runs each encoding has, which decides what may be claimed. */
enum evidence { ONE_RUN, TWO_RUNS, TESTED, EVIDENCE };

/* The sentence for each change of loss since the trained length.  One run has
   no interval, so it is not judged. */
static const enum lct_message found[LCT_CHANGES][EVIDENCE] = {
    [LCT_RISES] = { MSG_NONE, MSG_HIGHER_IN_BOTH, MSG_HIGHER },
    [LCT_FALLS] = { MSG_NONE, MSG_LOWER_IN_BOTH, MSG_LOWER },
    [LCT_SMALL] = { MSG_CHANGED_LITTLE, MSG_CHANGED_LITTLE,
                    MSG_CHANGED_LITTLE },
    [LCT_SAME] = { MSG_NOT_CHANGED, MSG_HIGHER_IN_ONE_OF_TWO, MSG_NOT_CHANGED },
    [LCT_UNDEFINED] = { MSG_NOT_DEFINED, MSG_NOT_DEFINED, MSG_NOT_DEFINED },
    [LCT_UNJUDGED] = { MSG_NOT_SHOWN_TO_USE, MSG_NOT_SHOWN_TO_USE,
                       MSG_NOT_SHOWN_TO_USE },
};

/* The sentence for one best encoding, and for several that share rank 1. */
static const enum lct_message lowest[EVIDENCE][2] = {
    { MSG_LOWEST_IN_ONE, MSG_LOWEST_IN_ONE },
    { MSG_LOWEST_IN_BOTH, MSG_LOWEST_ON_AVERAGE },
    { MSG_LOWEST_ALONE, MSG_LOWEST_TOGETHER },
};

bool lct_page_gate_is_vital(int i)
{
    return i == 0 || (i >= 3 && i <= 5);
}

const char *lct_page_failed_gate(const struct lct_results *r)
{
    for (int i = 0; i < LCT_PAGE_GATES; i++)
        if (lct_page_gate_is_vital(i) && !r->gates[i].passed)
            return r->gates[i].name;
    return NULL;
}

static enum evidence evidence_of(const struct lct_results *r)
{
    return lct_claims_enough_seeds(r)                ? TESTED
           : lct_page_value(r, "protocol.seeds") > 1 ? TWO_RUNS
                                                     : ONE_RUN;
}

/* Whether the page may speak of encoding i at that length: beyond the trained
   one only if its models are shown to use their context. */
static bool is_judged(const struct lct_results *r, size_t i, long long length)
{
    char path[48];

    snprintf(path, sizeof path, "rows.%zu.context.uses", i);
    return length <= lct_length(r, 0) ||
           json_is_true(lct_numbers_at(r->numbers, path));
}

enum lct_change lct_page_change(const struct lct_results *r, size_t i,
                                long long length)
{
    const double mean =
        lct_page_value(r, "rows.%zu.change.%lld.mean", i, length);
    const bool shown =
        lct_claims_enough_seeds(r)
            ? lct_page_value(r, "rows.%zu.change.%lld.corrected", i, length) <
                  LCT_ALPHA
            : lct_page_value(r, "rows.%zu.change.%lld.sign", i, length) != 0;

    if (isnan(mean))
        return LCT_UNDEFINED;
    if (!is_judged(r, i, length))
        return LCT_UNJUDGED;
    if (!shown)
        return LCT_SAME;
    if (fabs(mean) < 0.02)
        return LCT_SMALL;
    return mean > 0 ? LCT_RISES : LCT_FALLS;
}

void lct_page_add_spec(struct lct_html *list, const struct lct_results *r,
                       size_t i)
{
    if (list->size > 0)
        list->size--; /* drop its final NUL */
    lct_html_raw(list, list->size > 0 ? "\n" : "");
    lct_html_raw(list, r->groups[i].spec);
    lct_html_append(list, "", 1);
}

bool lct_page_put_specs(struct lct_html *h, const struct lct_results *r,
                        const char *before, enum lct_message id,
                        struct lct_html *list)
{
    const char *text = list->data;
    const bool any = list->size > 0 && !list->failed;

    if (any) {
        lct_html_raw(h, before);
        lct_html_message_values(h, r, id, &text);
    }
    h->failed |= list->failed;
    lct_html_free(list);
    return any;
}

bool lct_page_is_above(const struct lct_results *r, size_t i, long long length)
{
    return lct_claims_enough_seeds(r)
               ? lct_page_value(r, "rows.%zu.behind.%lld.corrected", i,
                                length) < LCT_ALPHA
               : lct_page_value(r, "rows.%zu.behind.%lld.sign", i, length) == 1;
}

/* Whether encoding i may have the lowest loss. */
static bool is_lowest(const struct lct_results *r, size_t i, long long length)
{
    return !isnan(lct_page_value(r, "rows.%zu.ranks.%lld", i, length)) &&
           !lct_page_is_above(r, i, length);
}

bool lct_page_names_lowest(const struct lct_results *r, long long length)
{
    int defined = 0;

    for (size_t i = 0; i < r->n; i++) {
        defined += !isnan(lct_page_value(r, "rows.%zu.ranks.%lld", i, length));
        if (is_lowest(r, i, length) && !is_judged(r, i, length))
            return false;
    }
    return defined > 1;
}

static void put_lowest(struct lct_html *h, const struct lct_results *r,
                       long long length, const char *before)
{
    struct lct_html list = { .data = NULL };
    int first = 0;

    if (!lct_page_names_lowest(r, length))
        return;
    for (size_t i = 0; i < r->n; i++)
        if (is_lowest(r, i, length)) {
            lct_page_add_spec(&list, r, i);
            first++;
        }
    lct_page_put_specs(h, r, before, lowest[evidence_of(r)][first > 1], &list);
}

/* Findings at length index k.  Index 0 is the trained length: no change. */
static void put_length(struct lct_html *h, const struct lct_results *r, int k)
{
    const long long length = lct_length(r, k);
    const char *before = "";
    const enum lct_message at = MSG_VERDICT_AT;
    char path[32];

    lct_html_raw(h, "<li><strong>");
    snprintf(path, sizeof path, "protocol.lengths.%d", k);
    lct_html_message_all(h, r, path, &at, 1, NULL);
    lct_html_raw(h, "</strong><br>");
    for (int kind = 0; kind < LCT_CHANGES && k > 0; kind++) {
        struct lct_html list = { .data = NULL };

        for (size_t i = 0; i < r->n; i++)
            if (r->groups[i].n > 0 &&
                (int)lct_page_change(r, i, length) == kind)
                lct_page_add_spec(&list, r, i);
        if (lct_page_put_specs(h, r, before, found[kind][evidence_of(r)],
                               &list))
            before = "<br>";
    }
    put_lowest(h, r, length, before);
    lct_html_raw(h, "</li>\n");
}

/* How many seeds a time limit left out, and how to train them. */
static void put_limit(struct lct_html *h, const struct lct_results *r)
{
    if (r->limit > 0 && lct_page_value(r, "protocol.seeds") <
                            lct_page_value(r, "forecast.seeds_asked")) {
        lct_html_raw(h, "<li>");
        lct_html_message_values(h, r, MSG_SEEDS_LEFT_OUT, NULL);
        lct_html_raw(h, "</li>\n");
    }
}

bool lct_page_is_exact(const struct lct_results *r, size_t i)
{
    const long long length = (long long)lct_page_value(r, "declared.length");

    return lct_page_value(r, "rows.%zu.declared.holm", i) < LCT_ALPHA &&
           lct_page_value(r, "rows.%zu.change.%lld.corrected", i, length) <
               LCT_ALPHA &&
           is_judged(r, i, length);
}

/* The declared comparisons that survive correction, or the number of seeds that
   any would need. */
static void put_exact(struct lct_html *h, const struct lct_results *r)
{
    struct lct_html list = { .data = NULL };
    bool any = false;

    if (!(lct_page_value(r, "declared.least_holm") < LCT_ALPHA)) {
        lct_html_raw(h, "<li>");
        lct_html_message_values(h, r, MSG_EXACT_NEEDS_SEEDS, NULL);
        lct_html_raw(h, "</li>\n");
        return;
    }
    for (size_t i = 0; i < r->n; i++)
        if (lct_page_is_exact(r, i)) {
            lct_page_add_spec(&list, r, i);
            any = true;
        }
    if (any) {
        lct_page_put_specs(h, r, "<li>", MSG_EXACT_CLAIMS, &list);
        lct_html_raw(h, "</li>\n");
    }
}

/* is_judged() of the encoding of that spec; false if there is none. */
static bool is_judged_spec(const struct lct_results *r, const char *spec,
                           long long length)
{
    for (size_t i = 0; i < r->n; i++)
        if (strcmp(r->groups[i].spec, spec) == 0)
            return is_judged(r, i, length);
    return false;
}

/* How many seeds could distinguish the best two encodings, if these seeds do
   not. */
static void put_power(struct lct_html *h, const struct lct_results *r)
{
    const char *const pair[] = {
        lct_page_text(r, "order.first"),
        lct_page_text(r, "order.next"),
    };
    const bool few = !isnan(lct_page_value(r, "order.seeds"));
    const long long length = (long long)lct_page_value(r, "order.length");

    if (!pair[0] || !is_judged_spec(r, pair[0], length) ||
        !is_judged_spec(r, pair[1], length) ||
        isnan(lct_page_value(r, "order.power")) ||
        lct_page_value(r, "order.power") >= LCT_POWER)
        return;
    lct_html_raw(h, "<li>");
    lct_html_message_values(h, r, MSG_POWER_IS, pair);
    lct_html_message_values(
        h, r, few ? MSG_POWER_NEEDS_SEEDS : MSG_POWER_OUT_OF_REACH, NULL);
    lct_html_raw(h, "</li>\n");
}

static void put_verdict(struct lct_html *h, const struct lct_results *r)
{
    const char *gate = lct_page_failed_gate(r);

    if (gate) {
        lct_html_raw(h, "<p>");
        lct_html_message_values(h, r, MSG_NO_VERDICT, &gate);
        lct_html_raw(h, "</p>\n");
        return;
    }
    lct_html_raw(h, "<ul>\n");
    for (int i = 0; i < LCT_CLAIMS_LENGTHS; i++)
        put_length(h, r, lct_claims_lengths[i]);
    put_limit(h, r);
    put_exact(h, r);
    put_power(h, r);
    lct_html_raw(h, "</ul>\n<p>");
    lct_html_message_values(h, r,
                            lct_claims_enough_seeds(r) ? MSG_VERDICT_TESTED
                                                       : MSG_VERDICT_OBSERVED,
                            NULL);
    lct_html_raw(h, "</p>\n");
}

bool lct_page_has_runs(const struct lct_results *r)
{
    for (size_t i = 0; i < r->n; i++)
        if (r->groups[i].n > 0)
            return true;
    return false;
}

locant_status lct_page_verdict(struct lct_html *h, const struct lct_results *r)
{
    lct_html_raw(h, "<div class=\"verdict\"><p><strong>");
    lct_html_message_values(h, r, MSG_VERDICT_QUESTION, NULL);
    lct_html_raw(h, "</strong></p>\n");
    put_verdict(h, r);
    lct_html_raw(h, "</div>\n");
    return lct_html_status(h);
}
