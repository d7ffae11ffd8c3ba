/* numbers_facts.c - what was run and where, and the results of each encoding
   alone */
#include "evaluate.h"
#include "numbers.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* ------------------------------------------------------------------- facts */

static void put_units(struct lct_numbers *n)
{
    static const char *const units[][2] = {
        { "loss", "nats/byte" },
        { "change", "nats/byte" },
        { "declared", "nats/byte" },
        { "lengths", "nats/byte" },
        { "behind", "nats/byte" },
        { "non_overlapping", "nats/byte" },
        { "gains", "nats/byte" },
        { "logn", "nats/byte" },
        { "logn_change", "nats/byte" },
        { "clamp", "nats/byte" },
        { "wrap", "nats/byte" },
        { "resample", "nats/byte" },
        { "own_window", "nats/byte" },
        { "gain", "nats/byte" },
        { "by_position", "nats/byte" },
        { "ngrams", "nats/byte" },
        { "cache", "nats/byte" },
        { "curve", "nats/byte" },
        { "runs", "nats/byte" },
        { "above_crop", "nats/byte" },
        { "short", "nats/byte" },
        { "short_above_none", "nats/byte" },
        { "position", "nats/byte" },
        { "bytes", "bytes" },
        { "seconds", "seconds" },
        { "limit", "minutes" },
        { "forward_ms", "milliseconds/token" },
        { "backward_ms", "milliseconds/token" },
    };
    json_t *to = lct_put_object(n, n->all, "units");

    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        lct_put_text(n, to, units[i][0], units[i][1]);
}

static void put_machine(struct lct_numbers *n)
{
    const struct lct_results *r = n->r;
    json_t *to = lct_put_object(n, n->all, "machine");

    lct_put_text(n, to, "cpu", r->cpu);
    lct_put_text(n, to, "isa", r->isa);
    lct_put_count(n, to, "threads", r->threads);
    lct_put_text(n, to, "compiler", r->compiler);
}

static void put_folders(struct lct_numbers *n, json_t *list)
{
    for (size_t i = 0; i < n->r->n_folders; i++) {
        const struct lct_folder *f = &n->r->folders[i];
        json_t *to = lct_add_object(n, list);

        lct_put_text(n, to, "name", f->name);
        lct_put_count(n, to, "bytes", (int64_t)f->bytes);
    }
}

static void put_corpus(struct lct_numbers *n)
{
    static const char *const kinds[] = { "headers", "files", "generated" };
    const locant_corpus_info *c = &n->r->corpus;
    json_t *to = lct_put_object(n, n->all, "corpus");

    lct_put_text(n, to, "kind",
                 (unsigned)c->kind < 3 ? kinds[c->kind] : "unknown");
    lct_put_text(n, to, "sha256", c->sha256);
    lct_put_count(n, to, "files", (int64_t)c->files);
    lct_put_count(n, to, "bytes", (int64_t)c->bytes);
    lct_put_count(n, to, "train_bytes", (int64_t)c->train_bytes);
    lct_put_count(n, to, "valid_bytes", (int64_t)c->valid_bytes);
    lct_put_count(n, to, "test_bytes", (int64_t)c->test_bytes);
    put_folders(n, lct_put_array(n, to, "folders"));
}

static void put_protocol(struct lct_numbers *n)
{
    const struct lct_group *g = lct_first_group(n->r);
    json_t *to = lct_put_object(n, n->all, "protocol");
    json_t *lengths = lct_put_array(n, to, "lengths");
    int64_t blocks = g ? g->results[0].eval.blocks : 0;

    for (int k = 0; k < LOCANT_EVAL_LENGTHS; k++)
        lct_add_count(n, lengths, lct_length(n->r, k));
    lct_put_count(n, to, "trained_length", n->r->trained_length);
    lct_put_count(n, to, "judged", lct_length(n->r, lct_judged(n->r)));
    lct_put_count(n, to, "encodings", (int64_t)n->r->n);
    lct_put_count(n, to, "seeds", (int64_t)n->seeds);
    lct_put_count(n, to, "targets", LCT_EVAL_TARGETS);
    lct_put_count(n, to, "blocks", blocks);
    lct_put_count(n, to, "scored_bytes", LCT_EVAL_TARGETS * blocks);
    if (g == NULL)
        return;
    lct_put_count(n, to, "steps", g->results[0].run.steps);
    lct_put_count(n, to, "batch", g->results[0].run.batch);
    lct_put_count(n, to, "length", g->results[0].run.length);
}

static void put_model(struct lct_numbers *n)
{
    const struct lct_group *g = lct_first_group(n->r);
    const locant_run_info *run = g ? &g->results[0].run : NULL;
    json_t *to = lct_put_object(n, n->all, "model");

    lct_put_text(n, to, "text", run ? run->model : NULL);
    lct_put_count(n, to, "layers", n->r->layers);
    lct_put_count(n, to, "heads", n->r->heads);
    lct_put_count(n, to, "width", n->r->width);
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

static void put_identities(struct lct_numbers *n)
{
    json_t *all = lct_put_array(n, n->all, "identities");

    for (int i = 0; i < n->r->n_identities; i++) {
        const struct lct_identity *from = &n->r->identities[i];
        json_t *one = lct_add_object(n, all);

        lct_put_text(n, one, "name", from->name);
        lct_put_text(n, one, "formula", from->formula);
        lct_put_text(n, one, "source", from->source);
        lct_put_real(n, one, "error", from->error);
        lct_put_real(n, one, "bound", from->bound);
        lct_put(n, one, "above", json_boolean(from->above));
        lct_put(n, one, "holds", json_boolean(from->holds));
    }
}

static void put_gates(struct lct_numbers *n)
{
    json_t *all = lct_put_array(n, n->all, "gates");

    for (int i = 0; i < 7; i++) {
        const locant_report_gate *g = &n->r->gates[i];
        json_t *one = lct_add_object(n, all), *values;

        lct_put_text(n, one, "name", g->name);
        lct_put(n, one, "passed",
                g->not_applicable ? json_null() : json_boolean(g->passed));
        lct_put_text(n, one, "sentence", g->sentence);
        lct_put_text(n, one, "text", g->text);
        values = lct_put_array(n, one, "values");
        for (int k = 0; k < LOCANT_GATE_VALUES; k++)
            lct_add_real(n, values, g->value[k]);
        lct_put_text(n, one, "a", g->spec[0]);
        lct_put_text(n, one, "b", g->spec[1]);
    }
}

/* Null if nothing was forecast. */
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
    lct_put_text(n, n->all, "preset", n->r->preset);
    lct_put_text(n, n->all, "commit", n->r->commit);
    lct_put_text(n, n->all, "date", n->r->date);
    lct_put_real(n, n->all, "seconds", n->r->seconds);
    put_forecast(n);
    put_units(n);
    put_machine(n);
    put_corpus(n);
    put_protocol(n);
    put_model(n);
    put_ngrams(n);
    put_cache(n);
    put_identities(n);
    put_gates(n);
}

/* -------------------------------------------------------------------- rows */

/* Put losses in nats with intervals over seeds alone. */
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

static void put_positions(struct lct_numbers *n, json_t *to,
                          const struct lct_group *g)
{
    json_t *all = lct_put_array(n, to, "by_position");

    for (int k = 0; k < LOCANT_EVAL_BUCKETS; k++) {
        double sum = 0;

        for (size_t s = 0; s < g->n; s++)
            sum += g->results[s].eval.by_position[k];
        lct_add_real(n, all, sum / (double)g->n);
    }
}

/* Put means of y over equal spans of the steps. */
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

static void put_curve(struct lct_numbers *n, json_t *to,
                      const struct lct_result *x)
{
    const size_t all = x->n_steps;
    json_t *curve = lct_put_object(n, to, "curve");

    put_spans(n, curve, "step", x->step, all);
    put_spans(n, curve, "loss", x->step_loss, all);
    put_spans(n, curve, "gradient_norm", x->step_norm, all);
    if (all > 0 && isfinite(x->step_own_norm[all - 1]))
        put_spans(n, curve, "encoding_gradient_norm", x->step_own_norm, all);
}

static void put_run(struct lct_numbers *n, json_t *all,
                    const struct lct_result *x)
{
    json_t *to = lct_add_object(n, all), *losses;

    lct_put_count(n, to, "run", x->run.id);
    lct_put_count(n, to, "seed", (int64_t)x->run.seed);
    losses = lct_put_array(n, to, "loss");
    for (int k = 0; k < LOCANT_EVAL_LENGTHS; k++)
        lct_add_real(n, losses, x->eval.same_targets[k]);
    lct_put_real(n, to, "own_window", x->eval.own_window);
    lct_put_real(n, to, "valid", x->eval.valid);
    lct_put_real(n, to, "shuffled", x->eval.shuffled);
    lct_put_real(n, to, "causality", x->eval.causality);
    lct_put_real(n, to, "train_loss", x->run.train_loss);
    lct_put_real(n, to, "seconds", x->run.seconds);
    put_curve(n, to, x);
}

static void put_costs(struct lct_numbers *n, json_t *to,
                      const locant_report_row *row)
{
    lct_put_count(n, to, "parameters", row->parameters);
    lct_put_count(n, to, "encoding_parameters", row->encoding_parameters);
    lct_put_real(n, to, "train_tokens_per_second",
                 row->train_tokens_per_second);
    lct_put_real(n, to, "eval_tokens_per_second", row->eval_tokens_per_second);
    lct_put_real(n, to, "seconds", row->seconds);
    lct_put_count(n, to, "bytes", row->bytes);
}

/* Mean time over the seeds that have it. */
static double mean_known(const struct lct_group *g, bool forward)
{
    double sum = 0, n = 0;

    for (size_t s = 0; s < g->n; s++) {
        const double ms =
            forward ? g->results[s].forward_ms : g->results[s].backward_ms;

        sum += isnan(ms) ? 0 : ms;
        n += !isnan(ms);
    }
    return sum / n;
}

/* Learning rates and their validation losses, if several were tried. */
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
    json_t *to = lct_add_object(n, n->rows), *runs;
    double own = 0;

    if (g->n)
        lct_report_row_of(&row, g);
    for (int k = 0; k < LOCANT_EVAL_LENGTHS && !g->n; k++)
        row.loss[k] = row.half_width[k] = NAN;
    for (size_t s = 0; s < g->n; s++)
        own += g->results[s].eval.own_window;
    lct_put_text(n, to, "encoding", g->spec);
    lct_put_count(n, to, "seeds", (int64_t)g->n);
    put_lengths(n, to, &row);
    lct_put_real(n, to, "own_window", own / (double)g->n);
    lct_put_real(n, to, "gain", row.gain);
    put_costs(n, to, &row);
    lct_put_real(n, to, "forward_ms", mean_known(g, true));
    lct_put_real(n, to, "backward_ms", mean_known(g, false));
    put_positions(n, to, g);
    put_rates(n, to, g);
    runs = lct_put_array(n, to, "runs");
    for (size_t s = 0; s < g->n; s++)
        put_run(n, runs, &g->results[s]);
}
