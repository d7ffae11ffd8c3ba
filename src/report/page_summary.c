/*
 * page_summary.c - the first screen: the finding in one sentence, a picture, a
 * table, and one line on what cannot be concluded.
 *
 * The sentence states, for the longest length, the same changes as the verdict,
 * which has all lengths and the tests.
 */
#include "page.h"
#include "html_message.h"
#include <stdio.h>

static const enum lct_message finding[LCT_CHANGES] = {
    [LCT_RISES] = MSG_FINDING_RISES,
    [LCT_SMALL] = MSG_FINDING_SMALL,
    [LCT_FALLS] = MSG_FINDING_FALLS,
    [LCT_SAME] = MSG_FINDING_SAME,
    [LCT_UNDEFINED] = MSG_FINDING_UNDEFINED,
    [LCT_UNJUDGED] = MSG_FINDING_UNJUDGED,
};

/* Writes a clause on the encodings with this change; false: there is none. */
static bool put_clause(struct lct_html *h, const struct lct_results *r,
                       enum lct_change kind, bool first)
{
    const long long length = lct_length(r, LOCANT_EVAL_LENGTHS - 1);
    struct lct_html list = { .data = NULL };

    for (size_t i = 0; i < r->n; i++)
        if (r->groups[i].n > 0 && lct_page_change(r, i, length) == kind)
            lct_page_add_spec(&list, r, i);
    if (list.size > 0 && !first)
        lct_html_message(h, MSG_FINDING_NEXT);
    return lct_page_put_specs(h, r, "", finding[kind], &list);
}

static void put_finding(struct lct_html *h, const struct lct_results *r)
{
    const char *gate = lct_page_failed_gate(r);
    bool first = true;

    if (gate) {
        lct_html_message_values(h, r, MSG_NO_VERDICT, &gate);
        return;
    }
    lct_html_message_values(h, r, MSG_FINDING, NULL);
    for (int kind = 0; kind < LCT_CHANGES; kind++)
        if (put_clause(h, r, (enum lct_change)kind, first))
            first = false;
    lct_html_message(h, lct_claims_enough_seeds(r) ? MSG_FINDING_TESTED
                        : lct_page_value(r, "protocol.seeds") > 1
                            ? MSG_FINDING_IN_BOTH
                            : MSG_FINDING_IN_ONE);
}

/* The names of failed gates that bound what the page can show: "g2, g3". */
static void failed_gates(char *out, size_t bytes, const struct lct_results *r)
{
    size_t n = 0;

    *out = 0;
    for (int i = 0; i < LCT_PAGE_GATES && n < bytes; i++)
        if (!r->gates[i].passed && !lct_page_gate_is_vital(i))
            n += (size_t)snprintf(out + n, bytes - n, "%s%s", n ? ", " : "",
                                  r->gates[i].name);
}

static void put_limits(struct lct_html *h, const struct lct_results *r)
{
    char names[80];
    const char *text = names;

    lct_html_message_in(h, "<p class=\"limits\"><strong>", MSG_LIMITS,
                        "</strong>");
    lct_html_message(h, MSG_LIMITS_ELSEWHERE);
    if (!lct_claims_enough_seeds(r))
        lct_html_message_values(h, r, MSG_LIMITS_SEEDS, NULL);
    failed_gates(names, sizeof names, r);
    if (*names) {
        lct_html_message_in(h, "", MSG_FINDING_NEXT, "<a href=\"#gates\">");
        lct_html_message_values(h, r, MSG_LIMITS_GATES, &text);
        lct_html_raw(h, "</a>");
    }
    lct_html_message(h, MSG_FULL_STOP);
    lct_html_raw(h, "</p>\n");
}

locant_status lct_page_summary(struct lct_html *h, const struct lct_results *r)
{
    if (!lct_page_has_runs(r))
        return LOCANT_OK;
    lct_html_raw(h, "<section id=\"summary\">\n<p class=\"finding\">");
    put_finding(h, r);
    lct_html_raw(h, "</p>\n<div class=\"pair\">\n");
    LCT_TRY(lct_page_lengths(h, r, FIG_LENGTH));
    lct_html_raw(h, "<div>\n");
    LCT_TRY(lct_page_summary_table(h, r));
    put_limits(h, r);
    lct_html_raw(h, "</div></div></section>\n");
    return lct_html_status(h);
}
