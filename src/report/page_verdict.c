/*
 * page_verdict.c - the question, and what the tests answer.
 *
 * Nothing is claimed that an interval does not show.  Of each encoding: the
 * change of loss from the trained length, by the t interval over seeds, below
 * three seeds by the bootstrap, as ranks are.  Where a gate of truth failed,
 * the numbers may not mean what they say, and there is no verdict.
 */
#include "page.h"
#include "words.h"
#include <math.h>
#include <stdio.h>

/* What is found of the encodings of each kind, against the trained length. */
static const char *const found[LCT_CHANGES] = {
    [LCT_RISES] = "loss higher than at {protocol.trained_length}: @1",
    [LCT_FALLS] = "loss lower than at {protocol.trained_length}: @1",
    [LCT_SMALL] = "changed by less than 0.02 nats: @1",
    [LCT_SAME] = "not to be told apart from unchanged: @1",
    [LCT_UNDEFINED] = "not defined: @1",
};

/* Answered at the trained length, twice that, and the longest. */
static const int answered[] = { 0, 1, LOCANT_EVAL_LENGTHS - 1 };

/* Of truth: whether the page may be believed; the others say how far. */
static const int truth[] = { 0, 3, 4, 5 };

const char *lct_page_doubt(const struct lct_results *r)
{
    for (size_t i = 0; i < sizeof truth / sizeof truth[0]; i++)
        if (!r->gates[truth[i]].passed)
            return r->gates[truth[i]].name;
    return NULL;
}

enum lct_change lct_page_change(const struct lct_results *r, size_t i,
                                long long length)
{
    double mean = lct_page_value(r, "rows.%zu.change.%lld.mean", i, length);
    double half = lct_page_value(r, "rows.%zu.change.%lld.half", i, length);
    double low = mean - half, high = mean + half;

    if (r->groups[i].n < 3) {
        low = lct_page_value(r, "rows.%zu.change.%lld.low", i, length);
        high = lct_page_value(r, "rows.%zu.change.%lld.high", i, length);
    }
    if (isnan(mean))
        return LCT_UNDEFINED;
    if (!(low > 0) && !(high < 0))
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

/* Those of the first rank, whatever they are of. */
static void say_first(struct lct_html *h, const struct lct_results *r,
                      long long length, const char *before)
{
    struct lct_html list = { .data = NULL };
    int first = 0;

    for (size_t i = 0; i < r->n; i++)
        if (lct_page_value(r, "rows.%zu.ranks.%lld", i, length) == 1) {
            add_spec(&list, r, i);
            first++;
        }
    put_specs(h, r, before,
              first > 1 ? "lowest, and not to be told apart: @1"
                        : "lowest, and told apart from the next: @1",
              &list);
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
        if (put_specs(h, r, before, found[kind], &list))
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

/* The declared comparisons that survive correction, or why none can. */
static void say_holm(struct lct_html *h, const struct lct_results *r)
{
    struct lct_html list = { .data = NULL };
    bool any = false;

    if (!(lct_page_value(r, "declared.least_holm") < 0.05)) {
        lct_html_raw(h, "<li>");
        lct_page_say(h, r,
                     "No significance can be claimed: with so few seeds "
                     "({protocol.seeds}), p by Holm cannot be below "
                     "{declared.least_holm:3}.",
                     NULL);
        lct_html_raw(h, "</li>\n");
        return;
    }
    for (size_t i = 0; i < r->n; i++)
        if (lct_page_value(r, "rows.%zu.declared.holm", i) < 0.05) {
            add_spec(&list, r, i);
            any = true;
        }
    if (any) {
        put_specs(h, r, "<li>",
                  "Corrected for {declared.comparisons} comparisons (Holm), "
                  "the change at {declared.length} bytes, declared "
                  "beforehand, has p below 0.05 for @1.",
                  &list);
        lct_html_raw(h, "</li>\n");
    }
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
    for (size_t i = 0; i < sizeof answered / sizeof answered[0]; i++)
        say_length(h, r, answered[i]);
    say_limit(h, r);
    say_holm(h, r);
    lct_html_raw(h, "</ul>\n<p>");
    lct_page_say(h, r,
                 "All of it on this corpus, at {model.parameters:M} "
                 "parameters; each by a 95 % interval of its own over seeds; "
                 "below three seeds over blocks of text, which know nothing "
                 "of other seeds.",
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
