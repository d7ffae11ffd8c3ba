/* numbers_facts.c - puts what was run, where, and the gates; and the row of
   each encoding without comparisons */
#include "evaluate.h"
#include "numbers.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* clang-format off */
#define OF_RESULTS(member) LCT_FIELD(struct lct_results, member)
#define OF_CORPUS(member) LCT_FIELD(locant_corpus_info, member)
#define OF_FOLDER(member) LCT_FIELD(struct lct_folder, member)
#define OF_RUN(member) LCT_FIELD(locant_run_info, member)
#define OF_IDENTITY(member) LCT_FIELD(struct lct_identity, member)
#define OF_GATE(key, member) LCT_FIELD_AS(key, locant_report_gate, member)
#define OF_RESULT(key, member) LCT_FIELD_AS(key, struct lct_result, member)
#define OF_ROW(member) LCT_FIELD(locant_report_row, member)

static const struct lct_field
    provenance[] = { OF_RESULTS(preset), OF_RESULTS(commit), OF_RESULTS(date),
        OF_RESULTS(seconds), LCT_FIELDS_END },
    machine[] = { OF_RESULTS(cpu), OF_RESULTS(isa), OF_RESULTS(threads),
        OF_RESULTS(compiler), LCT_FIELDS_END },
    corpus[] = { OF_CORPUS(sha256), OF_CORPUS(files), OF_CORPUS(bytes),
        OF_CORPUS(train_bytes), OF_CORPUS(valid_bytes), OF_CORPUS(test_bytes),
        LCT_FIELDS_END },
    folder[] = { OF_FOLDER(name), OF_FOLDER(bytes), LCT_FIELDS_END },
    training[] = { OF_RUN(optimizer), OF_RUN(steps), OF_RUN(batch),
        OF_RUN(length), LCT_FIELDS_END },
    model[] = { OF_RESULTS(layers), OF_RESULTS(heads), OF_RESULTS(width),
        LCT_FIELDS_END },
    identity[] = { OF_IDENTITY(name), OF_IDENTITY(formula), OF_IDENTITY(source),
        OF_IDENTITY(error), OF_IDENTITY(bound), OF_IDENTITY(above),
        OF_IDENTITY(holds), LCT_FIELDS_END },
    gate_message[] = { OF_GATE("sentence", sentence), OF_GATE("text", text),
        LCT_FIELDS_END },
    gate_specs[] = { OF_GATE("a", spec[0]), OF_GATE("b", spec[1]),
        LCT_FIELDS_END },
    run_id[] = { OF_RESULT("run", run.id), OF_RESULT("seed", run.seed),
        LCT_FIELDS_END },
    run_losses[] = { OF_RESULT("own_window", eval.own_window),
        OF_RESULT("valid", eval.valid), OF_RESULT("shuffled", eval.shuffled),
        OF_RESULT("replaced", eval.replaced),
        OF_RESULT("truncated", eval.truncated),
        OF_RESULT("causality", eval.causality),
        OF_RESULT("train_loss", run.train_loss),
        OF_RESULT("seconds", run.seconds), LCT_FIELDS_END },
    costs[] = { OF_ROW(gain), OF_ROW(parameters), OF_ROW(encoding_parameters),
        OF_ROW(train_tokens_per_second), OF_ROW(eval_tokens_per_second),
        OF_ROW(seconds), OF_ROW(bytes), LCT_FIELDS_END };
/* clang-format on */

/* ------------------------------------------------------------------- facts */

static void put_units(struct lct_numbers *n)
{
    static const struct {
        const char *unit, *keys; /* separated by blanks */
    } units[] = {
        { "nats/byte", "loss change declared lengths behind non_overlapping"
                       " gains logn logn_change clamp wrap resample own_window"
                       " gain by_position ngrams cache curve runs above_crop"
                       " short short_above_none position pairs context" },
        { "bytes", "bytes" },
        { "seconds", "seconds" },
        { "minutes", "limit" },
        { "milliseconds/token", "forward_ms backward_ms" },
    };
    json_t *to = lct_put_object(n, n->all, "units");

    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        for (const char *key = units[i].keys; *key;) {
            const size_t bytes = strcspn(key, " ");
            char name[32];

            snprintf(name, sizeof name, "%.*s", (int)bytes, key);
            lct_put_text(n, to, name, units[i].unit);
            key += bytes + (key[bytes] == ' ');
        }
}

static void put_corpus(struct lct_numbers *n)
{
    static const char *const kinds[] = { "headers", "files", "generated" };
    const locant_corpus_info *c = &n->r->corpus;
    json_t *to = lct_put_object(n, n->all, "corpus");

    lct_put_text(n, to, "kind",
                 (unsigned)c->kind < 3 ? kinds[c->kind] : "unknown");
    lct_put_fields(n, to, corpus, c);
    lct_put_list(n, to, "folders", folder, n->r->folders, n->r->n_folders,
                 sizeof n->r->folders[0]);
}

/* Put what tokens are, and how many bytes the shortest and the longest windows
   span on average. */
static void put_vocabulary(struct lct_numbers *n, json_t *to)
{
    const struct lct_results *r = n->r;
    const int64_t longest = lct_length(r, LOCANT_EVAL_LENGTHS - 1);

    lct_put_count(n, to, "vocabulary", r->vocabulary);
    lct_put_real(n, to, "bytes_per_token", r->bytes_per_token);
    lct_put_count(n, to, "trained_bytes",
                  llround((double)r->trained_length * r->bytes_per_token));
    lct_put_count(n, to, "longest_bytes",
                  llround((double)longest * r->bytes_per_token));
}

static void put_protocol(struct lct_numbers *n)
{
    const struct lct_group *g = lct_first_group(n->r);
    const int64_t blocks = g ? g->results[0].eval.blocks : 0;
    const struct {
        const char *key;
        int64_t value;
    } counts[] = {
        { "trained_length", n->r->trained_length },
        { "judged", lct_length(n->r, lct_losses_ranked_index(n->r)) },
        { "encodings", (int64_t)n->r->n },
        { "seeds", (int64_t)n->seeds },
        { "targets", LCT_EVAL_TARGETS },
        { "blocks", blocks },
        { "scored_bytes",
          n->r->vocabulary ? n->r->scored_bytes : LCT_EVAL_TARGETS * blocks },
    };
    json_t *to = lct_put_object(n, n->all, "protocol");
    json_t *lengths = lct_put_array(n, to, "lengths");

    for (int k = 0; k < LOCANT_EVAL_LENGTHS; k++)
        lct_add_count(n, lengths, lct_length(n->r, k));
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
        lct_put_count(n, to, counts[i].key, counts[i].value);
    if (n->r->bytes_per_token > 0)
        put_vocabulary(n, to);
    if (g)
        lct_put_fields(n, to, training, &g->results[0].run);
}

static void put_model(struct lct_numbers *n)
{
    const struct lct_group *g = lct_first_group(n->r);
    const locant_run_info *run = g ? &g->results[0].run : NULL;
    json_t *to = lct_put_object(n, n->all, "model");

    lct_put_text(n, to, "text", run ? run->model : NULL);
    lct_put_fields(n, to, model, n->r);
    lct_put_count(n, to, "parameters",
                  run ? run->parameters - run->encoding_parameters : 0);
}

static void put_ngrams(struct lct_numbers *n)
{
    json_t *all = lct_put_array(n, n->all, "ngrams");

    for (int i = 0; i < 2; i++) {
        json_t *one = lct_add_object(n, all);

        lct_put_count(n, one, "order", n->r->ngram_order[i]);
        lct_put_real(n, one, "loss", n->r->ngram[i]);
    }
}

static void put_cache(struct lct_numbers *n)
{
    json_t *all = lct_put_object(n, n->all, "cache");

    lct_put_count(n, all, "order", n->r->cache_order);
    for (int k = 0; k < LOCANT_EVAL_LENGTHS; k++) {
        char key[24];

        snprintf(key, sizeof key, "%" PRId64, lct_length(n->r, k));
        lct_put_real(n, all, key, n->r->cache[k] > 0 ? n->r->cache[k] : NAN);
    }
}

static void put_gates(struct lct_numbers *n)
{
    json_t *all = lct_put_array(n, n->all, "gates");

    for (int i = 0; i < 7; i++) {
        const locant_report_gate *g = &n->r->gates[i];
        json_t *one = lct_add_object(n, all);

        lct_put_text(n, one, "name", g->name);
        lct_put(n, one, "passed",
                g->not_applicable ? json_null() : json_boolean(g->passed));
        lct_put_fields(n, one, gate_message, g);
        lct_put_reals(n, one, "values", g->value, LOCANT_GATE_VALUES);
        lct_put_fields(n, one, gate_specs, g);
    }
}

/* Put null if nothing was forecast. */
static void put_forecast(struct lct_numbers *n)
{
    const struct lct_results *r = n->r;
    const bool made = r->limit > 0;
    json_t *to = lct_put_object(n, n->all, "forecast");

    lct_put_real(n, to, "seconds", made ? r->forecast : NAN);
    lct_put_real(n, to, "limit", made ? r->limit / 60 : NAN);
    lct_put(n, to, "seeds_asked",
            made ? json_integer(r->seeds_asked) : json_null());
}

void lct_put_facts(struct lct_numbers *n)
{
    const struct lct_results *r = n->r;

    lct_put_fields(n, n->all, provenance, r);
    put_forecast(n);
    put_units(n);
    lct_put_fields(n, lct_put_object(n, n->all, "machine"), machine, r);
    put_corpus(n);
    put_protocol(n);
    put_model(n);
    put_ngrams(n);
    put_cache(n);
    lct_put_list(n, n->all, "identities", identity, r->identities,
                 (size_t)r->n_identities, sizeof r->identities[0]);
    put_gates(n);
}

/* -------------------------------------------------------------------- rows */

/* Put losses with intervals over seeds only. */
static void put_lengths(struct lct_numbers *n, json_t *to,
                        const locant_report_row *row)
{
    json_t *lengths = lct_put_object(n, to, "lengths");

    for (int k = 0; k < LOCANT_EVAL_LENGTHS; k++) {
        json_t *one = lct_put_at(n, lengths, lct_length(n->r, k));

        lct_put_real(n, one, "loss", row->loss[k]);
        lct_put_real(n, one, "half_width", row->half_width[k]);
    }
}

/* Put the means of y[all] over equal spans of steps. */
static void put_spans(struct lct_numbers *n, json_t *curve, const char *key,
                      const double *y, size_t all)
{
    const size_t points = all < LCT_CURVE_POINTS ? all : LCT_CURVE_POINTS;
    json_t *to = lct_put_array(n, curve, key);

    for (size_t p = 0; p < points; p++) {
        const size_t first = p * all / points, last = (p + 1) * all / points;
        double sum = 0;

        for (size_t k = first; k < last; k++)
            sum += y[k];
        lct_add_real(n, to, sum / (double)(last - first));
    }
}

static void put_run(struct lct_numbers *n, json_t *all,
                    const struct lct_result *x)
{
    const size_t steps = x->n_steps;
    json_t *to = lct_add_object(n, all), *curve;

    lct_put_fields(n, to, run_id, x);
    lct_put_reals(n, to, "loss", x->eval.same_targets, LOCANT_EVAL_LENGTHS);
    lct_put_fields(n, to, run_losses, x);
    curve = lct_put_object(n, to, "curve");
    put_spans(n, curve, "step", x->step, steps);
    put_spans(n, curve, "loss", x->step_loss, steps);
    put_spans(n, curve, "gradient_norm", x->step_norm, steps);
    if (steps > 0 && isfinite(x->step_own_norm[steps - 1]))
        put_spans(n, curve, "encoding_gradient_norm", x->step_own_norm, steps);
}

/* Mean over seeds of the double at offset 'at' of struct lct_result. With
   'skip_nan', the mean over the seeds where it is defined. */
static double mean_of(const struct lct_group *g, size_t at, bool skip_nan)
{
    double sum = 0, n = 0;

    for (size_t s = 0; s < g->n; s++) {
        const double x = *(const double *)((const char *)&g->results[s] + at);

        if (!skip_nan || !isnan(x)) {
            sum += x;
            n++;
        }
    }
    return sum / n;
}
#define AT(member) offsetof(struct lct_result, member)

/* Put learning rates and their validation losses, if several were tried. */
static void put_rates(struct lct_numbers *n, json_t *to,
                      const struct lct_group *g)
{
    json_t *losses;

    if (n->r->n_rates == 0)
        return;
    lct_put_real(n, to, "rate", g->rate);
    losses = lct_put_array(n, to, "rates");
    for (int k = 0; k < n->r->n_rates; k++) {
        json_t *one = lct_add_object(n, losses);

        lct_put_real(n, one, "rate", n->r->rates[k]);
        lct_put_real(n, one, "valid", g->valid[k]);
    }
}

void lct_put_row(struct lct_numbers *n, const struct lct_group *g)
{
    locant_report_row row = { .gain = NAN,
                              .seconds = NAN,
                              .train_tokens_per_second = NAN,
                              .eval_tokens_per_second = NAN };
    json_t *to = lct_add_object(n, n->rows), *list;

    if (g->n)
        lct_report_row_of(&row, g);
    for (int k = 0; k < LOCANT_EVAL_LENGTHS && !g->n; k++)
        row.loss[k] = row.half_width[k] = NAN;
    lct_put_text(n, to, "encoding", g->spec);
    lct_put_count(n, to, "seeds", (int64_t)g->n);
    put_lengths(n, to, &row);
    lct_put_real(n, to, "own_window", mean_of(g, AT(eval.own_window), false));
    lct_put_fields(n, to, costs, &row);
    lct_put_real(n, to, "forward_ms", mean_of(g, AT(forward_ms), true));
    lct_put_real(n, to, "backward_ms", mean_of(g, AT(backward_ms), true));
    list = lct_put_array(n, to, "by_position");
    for (size_t k = 0; k < LOCANT_EVAL_BUCKETS; k++)
        lct_add_real(n, list, mean_of(g, AT(eval.by_position[k]), false));
    put_rates(n, to, g);
    list = lct_put_array(n, to, "runs");
    for (size_t s = 0; s < g->n; s++)
        put_run(n, list, &g->results[s]);
}
