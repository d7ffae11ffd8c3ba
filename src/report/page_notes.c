/* page_notes.c - banners, gates, how to read, where numbers come from */
#include "page.h"
#include "gate_text.h"
#include "statement.h"
#include "html_message.h"
#include "html_table.h"
#include <stdio.h>
#include <string.h>

/* In the order of the gates: g1 .. g7. */
static const enum lct_message about[LCT_PAGE_GATES] = {
    MSG_GATE_1, MSG_GATE_2, MSG_GATE_3, MSG_GATE_4,
    MSG_GATE_5, MSG_GATE_6, MSG_GATE_7,
};

static bool ends_in_stop(const char *sentence)
{
    size_t n = strlen(sentence);

    return n > 0 && sentence[n - 1] == '.';
}

static void print_finding(struct lct_html *h, const struct lct_results *r,
                          int gate)
{
    const locant_report_gate *g = &r->gates[gate];
    const char *const specs[] = { g->spec[0], g->spec[1] };
    const enum lct_message id = lct_gate_text_id(g->text);
    char at[16];

    snprintf(at, sizeof at, "gates.%d", gate);
    if (id != MSG_NONE)
        lct_html_message_all(h, r, at, &id, 1, specs);
    else
        lct_html_message_translated(h, g->sentence);
}

/* The message on what a page can show if gate g3 did not pass or does not
   apply; MSG_NONE: nothing to say. */
static enum lct_message scope_of(const locant_report_gate *g)
{
    switch (lct_gate_text_id(g->text)) {
    case MSG_FOUND_G3_REPLACED: return g->passed ? MSG_NONE : MSG_SCOPE_FEW;
    case MSG_FOUND_G3_ONE: return MSG_SCOPE_ONE;
    case MSG_FOUND_G3_UNMEASURED: return MSG_SCOPE_UNMEASURED;
    default: return MSG_NONE;
    }
}

static void put_scope(struct lct_html *h, const struct lct_results *r, int gate,
                      enum lct_message scope)
{
    char at[16];

    snprintf(at, sizeof at, "gates.%d", gate);
    lct_html_raw(h, "<p class=\"scope\">");
    lct_html_message_all(h, r, at, &scope, 1, NULL);
    lct_html_raw(h, "</p>\n");
}

void lct_page_banners(struct lct_html *h, const struct lct_results *r,
                      bool vital)
{
    for (int i = 0; i < LCT_PAGE_GATES; i++) {
        const char *name = r->gates[i].name;
        const enum lct_message scope = scope_of(&r->gates[i]);

        if (scope != MSG_NONE && !vital)
            put_scope(h, r, i, scope);
        if (scope != MSG_NONE || r->gates[i].passed ||
            lct_page_gate_is_vital(i) != vital)
            continue;
        lct_html_raw(h, "<p class=\"banner\"><strong>");
        lct_html_message_values(h, r, MSG_GATE_FAILED, &name);
        lct_html_raw(h, "</strong> ");
        print_finding(h, r, i);
        if (ends_in_stop(r->gates[i].sentence))
            lct_html_raw(h, " ");
        else
            lct_html_message(h, MSG_STOP);
        lct_html_message(h, lct_page_gate_is_vital(i) ? MSG_GATE_OF_TRUTH
                                                      : MSG_GATE_OF_DEGREE);
        lct_html_raw(h, "</p>\n");
    }
}

locant_status lct_page_gates(struct lct_html *h, const struct lct_results *r)
{
    static const struct lct_column columns[] = { LCT_HEADING(MSG_RESULT),
                                                 LCT_HEADING(MSG_GATE_CHECKS),
                                                 LCT_HEADING(MSG_GATE_FINDS) };
    static const struct lct_html_table table = { MSG_GATES, MSG_GATES_CAPTION,
                                                 "words", MSG_GATE,
                                                 LCT_COLUMNS(columns) };

    lct_html_table_open(h, r, &table, NULL);
    for (int i = 0; i < LCT_PAGE_GATES; i++) {
        const locant_report_gate *g = &r->gates[i];

        lct_html_print(h, "<tr><th scope=\"row\">%s</th>", g->name);
        if (g->not_applicable)
            lct_html_message_in(h, "<td>", MSG_NOT_APPLICABLE, "");
        else if (g->passed)
            lct_html_message_in(h, "<td class=\"passed\">", MSG_PASSED, "");
        else
            lct_html_message_in(h, "<td class=\"failed\">", MSG_FAILED, "");
        lct_html_message_in(h, "</td><td class=\"text\">", about[i],
                            "</td><td class=\"text\">");
        print_finding(h, r, i);
        lct_html_raw(h, "</td></tr>\n");
    }
    lct_html_table_close(h);
    return LOCANT_OK;
}

static void put_items(struct lct_html *h, const struct lct_results *r,
                      enum lct_message lead, const enum lct_message *item,
                      size_t n)
{
    lct_html_message_in(h, "<p>", lead, "</p><ul>\n");
    for (size_t i = 0; i < n; i++) {
        lct_html_raw(h, "<li>");
        lct_html_message_values(h, r, item[i], NULL);
        lct_html_raw(h, "</li>\n");
    }
    lct_html_raw(h, "</ul>\n");
}

locant_status lct_page_reading(struct lct_html *h, const struct lct_results *r)
{
    static const enum lct_message safe[] = {
        MSG_SAFE_RISES, MSG_SAFE_BREAKS,   MSG_SAFE_PROTOCOL,
        MSG_SAFE_BASE,  MSG_SAFE_PICTURES, MSG_SAFE_COSTS
    };
    static const enum lct_message unsafe[] = {
        MSG_UNSAFE_RANKING,  MSG_UNSAFE_NONE,      MSG_UNSAFE_SMALL,
        MSG_UNSAFE_FLAT,     MSG_UNSAFE_ELSEWHERE, MSG_UNSAFE_FACTS,
        MSG_UNSAFE_ABSOLUTE, MSG_UNSAFE_SPEED
    };

    if (r->vocabulary) {
        lct_html_raw(h, "<p>");
        lct_html_message_values(h, r, MSG_READING_TOKENS, NULL);
        lct_html_raw(h, "</p>\n");
    }
    put_items(h, r, MSG_SAFE, safe, sizeof safe / sizeof safe[0]);
    put_items(h, r, MSG_UNSAFE, unsafe, sizeof unsafe / sizeof unsafe[0]);
    return LOCANT_OK;
}

static void open_fact(struct lct_html *h, enum lct_message name)
{
    lct_html_message_in(h, "<dt>", name, "</dt><dd>");
}

static void text_fact(struct lct_html *h, enum lct_message name,
                      const char *text)
{
    open_fact(h, name);
    if (text && *text)
        lct_html_text(h, text);
    else
        lct_html_message(h, MSG_UNKNOWN);
    lct_html_raw(h, "</dd>\n");
}

static void message_fact(struct lct_html *h, const struct lct_results *r,
                         enum lct_message name, enum lct_message fact)
{
    open_fact(h, name);
    lct_html_message_values(h, r, fact, NULL);
    lct_html_raw(h, "</dd>\n");
}

static const struct lct_group *first_group(const struct lct_results *r)
{
    for (size_t i = 0; i < r->n; i++)
        if (r->groups[i].n)
            return &r->groups[i];
    return NULL;
}

static void corpus_facts(struct lct_html *h, const struct lct_results *r)
{
    static const enum lct_message kinds[] = { MSG_CORPUS_HEADERS,
                                              MSG_CORPUS_FILES,
                                              MSG_CORPUS_GENERATED };
    unsigned kind = (unsigned)r->corpus.kind;

    open_fact(h, MSG_CORPUS);
    lct_html_message_in(h, "", kind < 3 ? kinds[kind] : MSG_UNKNOWN, "</dd>\n");
    open_fact(h, MSG_CORPUS_SHA256);
    lct_html_print(h, "<code>%s</code></dd>\n", r->corpus.sha256);
    message_fact(h, r, MSG_CORPUS_SIZE, MSG_CORPUS_SIZE_IS);
}

/* The folders that the text came from, with the bytes of each. */
static void folder_facts(struct lct_html *h, const struct lct_results *r)
{
    if (r->n_folders == 0)
        return;
    open_fact(h, MSG_FOLDERS);
    for (size_t i = 0; i < r->n_folders; i++) {
        lct_html_raw(h, i ? ", " : "");
        lct_html_print(h, "<code>%s</code> ", r->folders[i].name);
        lct_page_count(h, r, "corpus.folders.%zu.bytes", i);
    }
    lct_html_raw(h, "</dd>\n");
}

static void run_facts(struct lct_html *h, const struct lct_results *r,
                      const struct lct_group *g)
{
    const size_t i = (size_t)(g - r->groups);

    text_fact(h, MSG_MODEL, g->results[0].run.model);
    text_fact(h, MSG_OPTIMIZER, g->results[0].run.optimizer);
    message_fact(h, r, MSG_SECTION_TRAINING, MSG_STEPS_ARE);
    open_fact(h, MSG_FACT_SEEDS);
    for (size_t s = 0; s < g->n; s++) {
        lct_html_raw(h, s ? ", " : "");
        lct_page_count(h, r, "rows.%zu.runs.%zu.seed", i, s);
    }
    lct_html_raw(h, "</dd>\n");
    message_fact(h, r, MSG_SCORED_BYTES, MSG_SCORED_ARE);
}

static void repeat_here(struct lct_html *h, const struct lct_results *r)
{
    struct lct_html command = { .data = NULL };

    lct_statement_command(&command, r);
    lct_html_append(&command, "", 1);
    h->failed |= command.failed;
    open_fact(h, MSG_TO_REPEAT);
    lct_html_print(h, "<code>%s</code></dd>\n",
                   command.failed ? "" : command.data);
    lct_html_free(&command);
}

/* How to repeat the page on another machine, from one file. */
static void repeat_elsewhere(struct lct_html *h, const struct lct_results *r)
{
    const char *const text[] = {
        r->text_kept ? "locant study export --with-text -o study.json"
                     : "locant study export -o study.json",
        "locant study import study.json"
    };

    open_fact(h, MSG_TO_REPEAT_ELSEWHERE);
    lct_html_message_values(h, r,
                            r->text_kept ? MSG_STUDY_WITH_TEXT
                            : r->corpus.kind == LOCANT_CORPUS_GENERATED
                                ? MSG_STUDY_WITHOUT_TEXT
                                : MSG_STUDY_WITH_SHA,
                            text);
    lct_html_raw(h, "</dd>\n");
}

locant_status lct_page_provenance(struct lct_html *h,
                                  const struct lct_results *r)
{
    const struct lct_group *g = first_group(r);

    lct_html_raw(h, "<div class=\"card\"><dl>\n");
    text_fact(h, MSG_COMMIT, r->commit);
    text_fact(h, MSG_DATE, r->date);
    if (r->preset)
        text_fact(h, MSG_PRESET, r->preset);
    else
        message_fact(h, r, MSG_RUNS_CHOSEN, MSG_STATEMENT_CHOSEN);
    text_fact(h, MSG_CPU, r->cpu);
    text_fact(h, MSG_INSTRUCTION_SET, r->isa);
    message_fact(h, r, MSG_THREADS, MSG_THREADS_ARE);
    text_fact(h, MSG_COMPILER, r->compiler);
    corpus_facts(h, r);
    folder_facts(h, r);
    if (g)
        run_facts(h, r, g);
    message_fact(h, r, MSG_LAST_CALL, MSG_SECONDS_ARE);
    if (r->limit > 0)
        message_fact(h, r, MSG_FORECAST, MSG_FORECAST_IS);
    repeat_here(h, r);
    if (r->preset)
        repeat_elsewhere(h, r);
    lct_html_raw(h, "</dl></div>\n");
    return LOCANT_OK;
}
