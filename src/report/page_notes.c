/* page_notes.c - banners, gates, what may be concluded, where it comes from */
#include "page.h"
#include "page_tasks.h"
#include "words.h"
#include <stdio.h>
#include <string.h>

enum { GATES = 7 };

/* In the order of the gates: g1 .. g7. */
static const char *const about[GATES] = {
    "the encodings keep their mathematical properties",
    "the best model beats an n-gram of the same training text",
    "most models use the order of the text",
    "no model sees the future",
    "every run stayed finite",
    "all encodings saw the same batches",
    "every claim passes its corrected test",
};

static bool ends_in_stop(const char *sentence)
{
    size_t n = strlen(sentence);

    return n > 0 && sentence[n - 1] == '.';
}

/* g2, g3, g7 tell how far the page may be believed; the others, whether. */
static const char *what_follows(const char *gate)
{
    bool degree = strcmp(gate, "g2") == 0 || strcmp(gate, "g3") == 0 ||
                  strcmp(gate, "g7") == 0;

    return degree ? "Read the page with that in mind: it shows less than it "
                    "would if this gate passed."
                  : "Do not rely on this page until it passes.";
}

/* A sentence about to be printed: of gate 'gate'. */
struct finding {
    struct lct_html *h;
    const struct lct_results *r;
    int gate;
};

static void print_piece(void *context, const char *text, size_t bytes,
                        int value)
{
    const struct finding *f = context;
    char piece[300], path[64];

    snprintf(piece, sizeof piece, "%.*s", (int)bytes, text);
    if (value >= 0) {
        snprintf(path, sizeof path, "<span data-number=\"gates.%d.values.%d\">",
                 f->gate, value);
        lct_html_raw(f->h, path);
    }
    lct_html_text(f->h, piece);
    if (value >= 0)
        lct_html_raw(f->h, "</span>");
}

static void print_finding(struct lct_html *h, const struct lct_results *r,
                          int gate)
{
    struct finding f = { h, r, gate };
    const locant_report_gate *g = &r->gates[gate];

    for (enum lct_language l = LCT_EN; l <= LCT_ZH && g->text[0]; l++) {
        lct_html_open_language(h, l);
        lct_gate_expand(g, l == LCT_ZH ? lct_gate_form_zh(g->text)
                                       : lct_gate_form(g->text),
                        print_piece, &f);
        lct_html_close_language(h);
    }
    if (!g->text[0])
        lct_html_word(h, g->sentence);
}

void lct_page_banners(struct lct_html *h, const struct lct_results *r)
{
    for (int i = 0; i < GATES; i++) {
        const char *name = r->gates[i].name;

        if (r->gates[i].passed)
            continue;
        lct_html_raw(h, "<p class=\"banner\" role=\"alert\"><strong>");
        lct_page_say(h, r, "Gate $1 failed:", &name);
        lct_html_raw(h, "</strong> ");
        print_finding(h, r, i);
        lct_html_word(h, ends_in_stop(r->gates[i].sentence) ? " " : ". ");
        lct_html_word(h, what_follows(name));
        lct_html_raw(h, "</p>\n");
    }
}

locant_status lct_page_gates(struct lct_html *h, const struct lct_results *r)
{
    lct_html_table(h, "Gates", "words");
    lct_html_word(h, "Each must pass before the page may be believed.");
    lct_html_table_head(h);
    lct_html_column(h, "gate");
    lct_html_column(h, "result");
    lct_html_column(h, "checks that");
    lct_html_column(h, "found");
    lct_html_table_body(h);
    for (int i = 0; i < GATES; i++) {
        const locant_report_gate *g = &r->gates[i];
        lct_html_raw(h, "<tr><th scope=\"row\">");
        lct_html_text(h, g->name);
        lct_html_raw(h, g->not_applicable ? "</th><td>"
                        : g->passed       ? "</th><td class=\"passed\">"
                                          : "</th><td class=\"failed\">");
        lct_html_word(h, g->not_applicable ? "not applicable"
                         : g->passed       ? "passed"
                                           : "failed");
        lct_html_raw(h, "</td><td class=\"text\">");
        lct_html_word(h, about[i]);
        lct_html_raw(h, "</td><td class=\"text\">");
        print_finding(h, r, i);
        lct_html_raw(h, "</td></tr>\n");
    }
    lct_html_table_end(h);
    return LOCANT_OK;
}

static void items(struct lct_html *h, const struct lct_results *r,
                  const char *lead, const char *const *item, size_t n)
{
    lct_html_raw(h, "<p>");
    lct_html_word(h, lead);
    lct_html_raw(h, "</p><ul>\n");
    for (size_t i = 0; i < n; i++) {
        lct_html_raw(h, "<li>");
        lct_page_say(h, r, item[i], NULL);
        lct_html_raw(h, "</li>\n");
    }
    lct_html_raw(h, "</ul>\n");
}

locant_status lct_page_reading(struct lct_html *h, const struct lct_results *r)
{
    static const char *const safe[] = {
        "in this set-up, the loss of an encoding rises, or does not, beyond "
        "the length it was trained on;",
        "which encodings break down and which hold, when they lie far apart;",
        "what the protocol changes: the same models on the same targets, and "
        "by non-overlapping windows;",
        "whether the base of RoPE and scaling by log n matter, where both were "
        "measured;",
        "what the closed-form pictures show: they are mathematics, not "
        "measurement;",
        "what each encoding costs in this implementation.",
    };
    static const char *const unsafe[] = {
        "a ranking of encodings for large models: gaps within the trained "
        "length shrink as models grow;",
        "that no encoding at all is the best or the worst in general;",
        "anything from differences below 0.02 nats per byte, or a significance "
        "by the exact test of this page from fewer than {declared.seeds} "
        "seeds;",
        "that an encoding whose loss stays flat uses the longer text: look at "
        "G, which is near zero when it does not;",
        "how badly an encoding fails elsewhere, or what happens at other "
        "lengths: a byte is about a quarter of a usual token;",
        "that a model can find a fact far back because its loss is low;",
        "absolute losses against those of another machine: its corpus is "
        "another one;",
        "speed against kernels for other hardware.",
    };

    items(h, r, "Safe to say from such a page, where the tests allow it:",
          safe, sizeof safe / sizeof safe[0]);
    items(h, r, "Not to be concluded:", unsafe,
          sizeof unsafe / sizeof unsafe[0]);
    return LOCANT_OK;
}

static void open_fact(struct lct_html *h, const char *name)
{
    lct_html_raw(h, "<dt>");
    lct_html_word(h, name);
    lct_html_raw(h, "</dt><dd>");
}

static void text_fact(struct lct_html *h, const char *name, const char *text)
{
    open_fact(h, name);
    if (text && *text)
        lct_html_text(h, text);
    else
        lct_html_word(h, "unknown");
    lct_html_raw(h, "</dd>\n");
}

/* A form of words.h. */
static void said_fact(struct lct_html *h, const struct lct_results *r,
                      const char *name, const char *form)
{
    open_fact(h, name);
    lct_page_say(h, r, form, NULL);
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
    static const char *const kinds[] = { "C headers of this machine",
                                         "files given by the user",
                                         "built-in generator" };
    unsigned kind = (unsigned)r->corpus.kind;

    open_fact(h, "Corpus");
    lct_html_word(h, kind < 3 ? kinds[kind] : "unknown");
    lct_html_raw(h, "</dd>\n");
    open_fact(h, "Corpus SHA-256");
    lct_html_raw(h, "<code>");
    lct_html_text(h, r->corpus.sha256);
    lct_html_raw(h, "</code></dd>\n");
    said_fact(h, r, "Corpus size",
              "{corpus.bytes} bytes in {corpus.files} files: "
              "{corpus.train_bytes} to train on, {corpus.valid_bytes} to "
              "validate, {corpus.test_bytes} to test");
}

/* Headers are those of the packages that are there: which folders they fill. */
static void folder_facts(struct lct_html *h, const struct lct_results *r)
{
    if (r->n_folders == 0)
        return;
    open_fact(h, "Its largest folders, bytes");
    for (size_t i = 0; i < r->n_folders; i++) {
        lct_html_raw(h, i ? ", <code>" : "<code>");
        lct_html_text(h, r->folders[i].name);
        lct_html_raw(h, "</code> ");
        lct_page_count(h, r, "corpus.folders.%zu.bytes", i);
    }
    lct_html_raw(h, "</dd>\n");
}

static void run_facts(struct lct_html *h, const struct lct_results *r,
                      const struct lct_group *g)
{
    const size_t i = (size_t)(g - r->groups);

    text_fact(h, "Model", g->results[0].run.model);
    said_fact(h, r, "Training",
              "{protocol.steps} steps of {protocol.batch} texts of "
              "{protocol.length} bytes");
    open_fact(h, "Seeds");
    for (size_t s = 0; s < g->n; s++) {
        lct_html_raw(h, s ? ", " : "");
        lct_page_count(h, r, "rows.%zu.runs.%zu.seed", i, s);
    }
    lct_html_raw(h, "</dd>\n");
    said_fact(h, r, "Scored bytes",
              "{protocol.scored_bytes} per length, encoding and seed");
}

/* The long jobs whose sections the page has, and its tasks. */
static void command_jobs(struct lct_html *h, const struct lct_results *r)
{
    const char *const jobs[] = {
        lct_page_has_extension(r) ? "extension" : NULL,
        lct_page_has_surface(r) ? "surface" : NULL,
        lct_page_has_tasks(r) ? "tasks" : NULL,
    };
    const char *between = " --with ", *last = "";

    for (size_t j = 0; j < sizeof jobs / sizeof jobs[0]; j++) {
        if (jobs[j] != NULL) {
            lct_html_raw(h, between);
            lct_html_raw(h, jobs[j]);
            between = ",";
        }
    }
    between = " --tasks ";
    for (size_t t = 0; lct_page_task(r, t) != NULL; t++) {
        const char *task = lct_page_task_text(r, t, "task");

        if (strcmp(task, last) != 0) { /* one may have several experiments */
            lct_html_raw(h, between);
            lct_html_text(h, task);
            between = ",";
        }
        last = task;
    }
}

/* The command whose answer is this page, as far as the results know it. */
static void command(struct lct_html *h, const struct lct_results *r,
                    const struct lct_group *g)
{
    char seeds[48], text[48];

    open_fact(h, "To repeat");
    lct_html_raw(h, "<code>locant report --preset ");
    lct_html_text(h, r->preset);
    snprintf(seeds, sizeof seeds, " --seeds %zu", g ? g->n : 0);
    lct_html_raw(h, seeds);
    snprintf(text, sizeof text, " --kept-text %.12s", r->corpus.sha256);
    lct_html_raw(h, r->corpus.kind == LOCANT_CORPUS_GENERATED ? " --generated"
                    : r->text_kept                            ? text
                    : r->corpus.kind == LOCANT_CORPUS_FILES
                        ? " --text PATH..." : "");
    command_jobs(h, r);
    lct_html_raw(h, " --encodings &#39;");
    for (size_t i = 0; i < r->n; i++) {
        lct_html_raw(h, i ? "; " : "");
        lct_html_text(h, r->groups[i].spec);
    }
    lct_html_raw(h, "&#39;</code></dd>\n");
}

/* On another machine, from one file. */
static void elsewhere(struct lct_html *h, const struct lct_results *r)
{
    const char *const text[] = {
        r->text_kept ? "locant study export --with-text -o study.json"
                     : "locant study export -o study.json",
        "locant study import study.json"};

    open_fact(h, "To repeat elsewhere");
    lct_page_say(h, r,
                 r->text_kept
                     ? "@1 puts the configuration, the text and the numbers "
                       "into one file; on another machine @2 takes it and "
                       "prints the command that repeats the report"
                 : r->corpus.kind == LOCANT_CORPUS_GENERATED
                     ? "@1 puts the configuration and the numbers into one "
                       "file; on another machine @2 takes it and prints the "
                       "command that repeats the report"
                     : "@1 puts the configuration and the numbers into one "
                       "file, but of the text its SHA-256 alone, since the "
                       "store does not keep it; on another machine @2 takes "
                       "it", text);
    lct_html_raw(h, "</dd>\n");
}

locant_status lct_page_provenance(struct lct_html *h,
                                  const struct lct_results *r)
{
    const struct lct_group *g = first_group(r);

    lct_html_raw(h, "<div class=\"card\"><dl>\n");
    text_fact(h, "Commit", r->commit);
    text_fact(h, "Date", r->date);
    text_fact(h, "Preset", r->preset);
    text_fact(h, "CPU", r->cpu);
    text_fact(h, "Instruction set", r->isa);
    said_fact(h, r, "Threads", "{machine.threads}");
    text_fact(h, "Compiler", r->compiler);
    corpus_facts(h, r);
    folder_facts(h, r);
    if (g)
        run_facts(h, r, g);
    said_fact(h, r, "Last call", "{seconds:0} s");
    if (r->limit > 0)
        said_fact(h, r, "Forecast", "{forecast.seconds:0} s of at most "
                  "{forecast.limit} minutes");
    command(h, r, g);
    elsewhere(h, r);
    lct_html_raw(h, "</dl></div>\n");
    return LOCANT_OK;
}
