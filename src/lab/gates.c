/*
 * gates.c - what must hold before the page may be believed.
 *
 *   g1  every encoding has the properties it declares (properties.c)
 *   g2  the best model beats an n-gram counted on the bytes it saw
 *   g3  most models use more than the last 8 bytes
 *   g4  no model sees the future
 *   g5  every run has a finite loss
 *   g6  runs of one seed were trained on the same batches
 *   g7  the effect on show is larger than the spread of seeds
 *
 * A comparison with a NAN does not hold, and conditions are written so that it
 * makes a gate fail.
 */
#include "lab.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Nats per byte that shuffling must cost, and the share of encodings. */
static const double shuffle_cost = .2, shuffle_share = .75;
/* Rounding of a forward in float32 over other shapes stays far below this. */
static const double causal_bound = 1e-4;

static void LOCANT_PRINTF(3, 4)
    judge(locant_report_gate *g, int passed, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(g->sentence, sizeof g->sentence, format, args);
    va_end(args);
    g->passed = passed;
}

/* Mean over seeds of P1 at length k. */
static double mean_loss(const struct lct_group *g, int k)
{
    double sum = 0;

    for (size_t s = 0; s < g->n; s++)
        sum += g->results[s].eval.same_targets[k];
    return sum / (double)g->n;
}

static void beats_ngram(locant_report_gate *gate, const struct lct_results *r)
{
    double best = INFINITY;
    const char *spec = "no encoding";

    for (size_t i = 0; i < r->n; i++) {
        double loss = mean_loss(&r->groups[i], 0);

        if (loss < best) {
            best = loss;
            spec = r->groups[i].spec;
        }
    }
    judge(gate, best < r->ngram[0],
          "the best loss at %lld is %.3f nats/byte (%.100s); an order-%d n-gram"
          " on the same training bytes has %.3f",
          (long long)r->groups[0].results[0].eval.length[0], best, spec,
          r->ngram_order[0], r->ngram[0]);
}

static void uses_context(locant_report_gate *gate, const struct lct_results *r)
{
    size_t enough = 0, needed = (size_t)ceil(shuffle_share * (double)r->n);
    double most = -INFINITY;

    for (size_t i = 0; i < r->n; i++) {
        const struct lct_group *g = &r->groups[i];
        double rise = 0;

        for (size_t s = 0; s < g->n; s++)
            rise += (g->results[s].eval.shuffled -
                     g->results[s].eval.same_targets[0]) / (double)g->n;
        enough += rise >= shuffle_cost;
        most = rise > most ? rise : most;
    }
    judge(gate, enough >= needed,
          "shuffling all but the last 8 bytes costs %.1f nats/byte or more in"
          " %zu of %zu encodings; %zu are needed (the most is %.2f)",
          shuffle_cost, enough, r->n, needed, most);
}

static void is_causal(locant_report_gate *gate, const struct lct_results *r)
{
    double worst = 0;
    const char *spec = "";

    for (size_t i = 0; i < r->n; i++)
        for (size_t s = 0; s < r->groups[i].n; s++) {
            double x = r->groups[i].results[s].eval.causality;

            /* the first NAN stays */
            if (!isnan(worst) && !(x <= worst)) {
                worst = x;
                spec = r->groups[i].spec;
            }
        }
    judge(gate, worst <= causal_bound,
          "later bytes change earlier losses by at most %.2g nats%s%.100s;"
          " %.0e is allowed", worst, spec[0] ? ", by " : "", spec,
          causal_bound);
}

/* Lengths beyond the end of an encoding are undefined, and no failure. */
static int is_finite(const struct lct_group *g, const struct lct_result *x)
{
    if (strcmp(x->run.status, "done") != 0 || !isfinite(x->run.train_loss))
        return 0;
    for (int k = 0; k < LOCANT_EVAL_LENGTHS; k++)
        if (!isfinite(x->eval.same_targets[k]) &&
            x->eval.length[k] <= g->reach)
            return 0;
    return 1;
}

static void all_finite(locant_report_gate *gate, const struct lct_results *r)
{
    size_t bad = 0, n = 0;
    const char *spec = "";

    for (size_t i = 0; i < r->n; i++)
        for (size_t s = 0; s < r->groups[i].n; s++, n++)
            if (!is_finite(&r->groups[i], &r->groups[i].results[s])) {
                spec = r->groups[i].spec;
                bad++;
            }
    if (bad)
        judge(gate, 0, "%zu of %zu runs have no finite loss, the last of them"
              " with %.100s", bad, n, spec);
    else
        judge(gate, 1, "all %zu runs have finite losses", n);
}

static void same_batches(locant_report_gate *gate, const struct lct_results *r)
{
    size_t different = 0;

    for (size_t s = 0; s < r->groups[0].n; s++) {
        const char *first = r->groups[0].results[s].batch_checksum;

        for (size_t i = 0; i < r->n; i++)
            different += s >= r->groups[i].n || first[0] == 0 ||
                         strcmp(r->groups[i].results[s].batch_checksum,
                                first) != 0;
    }
    if (different)
        judge(gate, 0, "%zu runs were trained on other batches than the first"
              " encoding of their seed", different);
    else
        judge(gate, 1, "runs of one seed were trained on the same batches");
}

/* Largest distance between two seeds of the group at length k. */
static double seed_range(const struct lct_group *g, int k)
{
    double low = INFINITY, high = -INFINITY;

    for (size_t s = 0; s < g->n; s++) {
        low = fmin(low, g->results[s].eval.same_targets[k]);
        high = fmax(high, g->results[s].eval.same_targets[k]);
    }
    return high - low;
}

/*
 * The effect on show: how far apart the encodings are at the longest length,
 * worst against best.  An undefined encoding takes no part.
 */
static void beats_seeds(locant_report_gate *gate, const struct lct_results *r)
{
    const int k = LOCANT_EVAL_LENGTHS - 1;
    double low = INFINITY, high = -INFINITY, spread = 0;

    if (r->groups[0].n < 2) {
        judge(gate, 0, "there is one seed an encoding, so the spread of seeds"
              " is not known");
        return;
    }
    for (size_t i = 0; i < r->n; i++) {
        double loss = mean_loss(&r->groups[i], k);

        if (!isfinite(loss))
            continue;
        low = fmin(low, loss);
        high = fmax(high, loss);
        spread = fmax(spread, seed_range(&r->groups[i], k));
    }
    judge(gate, high - low > spread,
          "at %lld the encodings differ by up to %.3f nats/byte, seeds of one"
          " encoding by up to %.3f",
          (long long)r->groups[0].results[0].eval.length[k],
          high >= low ? high - low : 0.0, spread);
}

void lct_judge_gates(struct lct_results *r)
{
    static void (*const gates[])(locant_report_gate *,
                                 const struct lct_results *) = {
        beats_ngram, uses_context, is_causal, all_finite, same_batches,
        beats_seeds,
    };

    for (int i = 0; i < 6; i++) {
        snprintf(r->gates[i + 1].name, sizeof r->gates[i + 1].name, "g%d",
                 i + 2);
        gates[i](&r->gates[i + 1], r);
    }
}
