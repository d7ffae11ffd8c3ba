/* statement.c - the command that repeats a report, and the statement of
   reproducibility, as plain text */
#include "statement.h"
#include "../files/decimal.h"
#include "../measure/evaluate.h"
#include "page.h"
#include "page_task.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ----------------------------------------------------------------- command */

/* The options for the page's long jobs and for its tasks. */
static void put_jobs(struct lct_html *to, const struct lct_results *r)
{
    const char *const jobs[] = {
        lct_page_has_extension(r) ? "extension" : NULL,
        lct_page_has_surface(r) ? "surface" : NULL,
        lct_page_has_tasks(r) ? "tasks" : NULL,
    };
    const char *between = " --with ", *last = "";

    for (size_t j = 0; j < sizeof jobs / sizeof jobs[0]; j++) {
        if (jobs[j] != NULL) {
            lct_html_format(to, "%s%s", between, jobs[j]);
            between = ",";
        }
    }
    between = " --tasks ";
    for (size_t t = 0; t < lct_page_size(r, "tasks"); t++) {
        const char *task = lct_page_task_text(r, t, "task");

        if (strcmp(task, last) != 0) { /* a task may have several experiments */
            lct_html_format(to, "%s%s", between, task);
            between = ",";
        }
        last = task;
    }
}

/* The command of chosen runs. */
static void put_runs(struct lct_html *to, const struct lct_results *r)
{
    char *runs;

    if (lct_results_list_runs(&runs, r) != LOCANT_OK) {
        to->failed = true;
        return;
    }
    lct_html_raw(to, "locant report --runs ");
    lct_html_raw(to, runs);
    locant_release(runs);
}

void lct_statement_command(struct lct_html *to, const struct lct_results *r)
{
    const struct lct_group *g = lct_first_group(r);
    char kept[48];

    if (r->preset == NULL) {
        put_runs(to, r);
        return;
    }
    lct_html_format(to, "locant report --preset %s --seeds %zu", r->preset,
                    g ? g->n : 0);
    snprintf(kept, sizeof kept, " --kept-text %.12s", r->corpus.sha256);
    lct_html_raw(to, r->corpus.kind == LOCANT_CORPUS_GENERATED ? " --generated"
                     : r->text_kept                            ? kept
                     : r->corpus.kind == LOCANT_CORPUS_FILES ? " --text PATH..."
                                                             : "");
    if (g)
        lct_html_format(to, " --optimizer %s", g->results[0].run.optimizer);
    if (r->vocabulary)
        lct_html_format(to, " --vocabulary %d", r->vocabulary);
    else
        lct_html_raw(to, " --vocabulary bytes");
    put_jobs(to, r);
    lct_html_raw(to, " --encodings '");
    for (size_t i = 0; i < r->n; i++)
        lct_html_format(to, "%s%s", i ? "; " : "", r->groups[i].spec);
    lct_html_raw(to, "'");
}

/* --------------------------------------------------------------- statement */

/* The texts of numbers that sentences refer to. */
struct values {
    char text[9][LCT_MESSAGE_BYTES / 4];
    const char *at[9];
    int n;
};

static void LOCANT_PRINTF(2, 3) add(struct values *v, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(v->text[v->n], sizeof v->text[0], format, args);
    va_end(args);
    v->at[v->n] = v->text[v->n];
    v->n++;
}

/* Keep the text of a message with values of its own as a value. */
static void add_message(struct values *v, const char *message,
                        const char *const *text)
{
    lct_messages_fill(v->text[v->n], sizeof v->text[0], message, text);
    v->at[v->n] = v->text[v->n];
    v->n++;
}

/* A length: "128 bytes", or tokens if the models read those. */
static void add_length(struct values *v, const struct lct_results *r,
                       int64_t length, enum lct_language language)
{
    char number[24];
    const char *const text[] = { number };

    snprintf(number, sizeof number, "%" PRId64, length);
    add_message(v,
                lct_messages_of(MSG_STATEMENT_LENGTH, language, r->vocabulary),
                text);
}

static void say(struct lct_html *to, enum lct_message id,
                enum lct_language language, const struct values *v)
{
    char text[2 * LCT_MESSAGE_BYTES];

    lct_messages_fill(text, sizeof text, lct_messages_text(id, language),
                      v->at);
    lct_html_raw(to, text);
}

static void say_corpus(struct lct_html *to, const struct lct_results *r,
                       enum lct_language language)
{
    static const enum lct_message kinds[] = { MSG_STATEMENT_HEADERS,
                                              MSG_STATEMENT_FILES,
                                              MSG_STATEMENT_GENERATED };
    const locant_corpus_info *c = &r->corpus;
    const unsigned kind = (unsigned)c->kind < 3 ? (unsigned)c->kind : 1;
    struct values v = { .n = 0 };

    add(&v, "%s", lct_messages_text(kinds[kind], language));
    add(&v, "%zu", c->files);
    add(&v, "%zu", c->bytes);
    add(&v, "%s", c->sha256);
    add(&v, "%zu", c->train_bytes);
    add(&v, "%zu", c->valid_bytes);
    add(&v, "%zu", c->test_bytes);
    say(to, MSG_STATEMENT_TEXT, language, &v);
}

/* "1, 2, 3" */
static void list_seeds(char *out, size_t size, const struct lct_group *g)
{
    size_t used = 0;

    *out = '\0';
    for (size_t s = 0; s < g->n && used < size; s++)
        used += (size_t)snprintf(out + used, size - used, "%s%" PRIu64,
                                 s ? ", " : "", g->results[s].run.seed);
}

static bool have_same_seeds(const struct lct_results *r)
{
    const struct lct_group *first = lct_first_group(r);

    for (size_t i = 0; i < r->n; i++) {
        const struct lct_group *g = &r->groups[i];

        if (g->n != first->n)
            return false;
        for (size_t s = 0; s < g->n; s++)
            if (lct_losses_find_seed(first, g->results[s].run.seed) == g->n)
                return false;
    }
    return true;
}

/* "2 to 5 seeds, not the same ones of each encoding" */
static void add_seeds_vary(struct values *v, const struct lct_results *r,
                           enum lct_language language)
{
    size_t least = r->groups[0].n;
    char from[24], to[24];
    const char *const text[] = { from, to };

    for (size_t i = 0; i < r->n; i++)
        least = r->groups[i].n < least ? r->groups[i].n : least;
    snprintf(from, sizeof from, "%zu", least);
    snprintf(to, sizeof to, "%zu", lct_losses_seeds(r));
    add_message(v, lct_messages_text(MSG_STATEMENT_SEEDS_VARY, language), text);
}

/* The optimiser, with the learning rate if it is known. */
static void add_optimizer(struct values *v, const struct lct_results *r,
                          const struct lct_group *g, enum lct_language language)
{
    const bool muon = strcmp(g->results[0].run.optimizer,
                             locant_optimizer_name(LOCANT_MUON)) == 0;
    char rate[LCT_DECIMAL_BYTES];
    const char *const text[] = {
        muon ? lct_messages_text(MSG_STATEMENT_MUON, language) : "AdamW", rate
    };
    enum lct_message id =
        g->rate > 0 ? MSG_STATEMENT_RATE : MSG_STATEMENT_OPTIMIZER;

    for (size_t i = 0; i < r->n; i++)
        if (r->groups[i].n > 0 && r->groups[i].rate != g->rate)
            id = MSG_STATEMENT_RATES;
    lct_decimal_short(rate, g->rate);
    add_message(v, lct_messages_text(id, language), text);
}

static void say_training(struct lct_html *to, const struct lct_results *r,
                         const struct lct_group *g, enum lct_language language)
{
    const locant_run_info *run = &g->results[0].run;
    struct values v = { .n = 0 };
    char seeds[LCT_MESSAGE_BYTES / 4];

    list_seeds(seeds, sizeof seeds, g);
    add(&v, "%zu", r->n);
    if (have_same_seeds(r))
        add(&v, "%s", seeds);
    else
        add_seeds_vary(&v, r, language);
    add(&v, "%" PRId64, run->steps);
    add_optimizer(&v, r, g, language);
    add(&v, "%" PRId64, run->batch);
    add_length(&v, r, run->length, language);
    add_message(&v,
                lct_messages_text(r->preset ? MSG_STATEMENT_PRESET
                                            : MSG_STATEMENT_CHOSEN,
                                  language),
                &r->preset);
    add(&v, "%s", run->model);
    add(&v, "%" PRId64, run->parameters - run->encoding_parameters);
    say(to, MSG_STATEMENT_TRAINING, language, &v);
}

static void say_machine(struct lct_html *to, const struct lct_results *r,
                        enum lct_language language)
{
    struct values v = { .n = 0 };

    add(&v, "%s", r->cpu);
    add(&v, "%s", r->isa);
    add(&v, "%d", r->threads);
    add(&v, "%s", r->compiler);
    say(to, MSG_STATEMENT_MACHINE, language, &v);
}

void lct_statement(struct lct_html *to, const struct lct_results *r,
                   enum lct_language language)
{
    const struct lct_group *g = lct_first_group(r);
    struct values v = { .n = 0 };

    add(&v, "%s", locant_version());
    add(&v, "%s", r->commit);
    say(to, MSG_STATEMENT_VERSION, language, &v);
    say_corpus(to, r, language);
    if (g != NULL) {
        say_training(to, r, g, language);
        v.n = 0;
        add(&v, "%d", r->vocabulary);
        if (r->vocabulary)
            say(to, MSG_STATEMENT_VOCABULARY, language, &v);
        v.n = 0;
        add_length(&v, r, LCT_EVAL_TARGETS, language);
        add(&v, "%" PRId64, g->results[0].eval.blocks);
        say(to, MSG_STATEMENT_SCORES, language, &v);
    }
    say_machine(to, r, language);
    lct_statement_command(to, r);
}
