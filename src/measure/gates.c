/*
 * gates.c - checks that have to pass before the results count.
 *
 *   g1  every encoding has the properties it declares (properties.c)
 *   g2  the best model beats an n-gram counted on the bytes it saw
 *   g3  models use context beyond the last 8 bytes (context_use.c)
 *   g4  no model sees the future
 *   g5  every run has a finite loss
 *   g6  runs of one seed were trained on the same batches
 *   g7  every claim passes its corrected test
 *
 * Comparisons with NAN are false. Conditions are written so that a NAN makes a
 * gate fail.
 */
#include "../core/size.h"
#include "gates.h"
#include "claims.h"
#include "context_use.h"
#include "evaluate.h"
#include "losses.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* g4: far above the rounding in float32 by which passes of different shapes
   differ. */
static const double causal_bound = 1e-4;

/* Set all of a gate but its specs. */
static void set_gate(locant_report_gate *g, int passed, const char *text,
                     const double values[LOCANT_GATE_VALUES])
{
    g->passed = passed;
    snprintf(g->text, sizeof g->text, "%s", text);
    for (int i = 0; i < LOCANT_GATE_VALUES; i++)
        g->value[i] = values[i];
}
/* clang-format off */
#define VALUES(...) (const double[LOCANT_GATE_VALUES]){ __VA_ARGS__ }
/* clang-format on */

static void name_spec(locant_report_gate *g, int i, const struct lct_group *of)
{
    memcpy(g->spec[i], of->spec, sizeof g->spec[i]);
}

/* Mean over seeds of P1 at length index k. */
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

    snprintf(gate->spec[0], sizeof gate->spec[0], "no encoding");
    for (size_t i = 0; i < r->n; i++) {
        double loss = mean_loss(&r->groups[i], 0);

        if (loss < best) {
            best = loss;
            name_spec(gate, 0, &r->groups[i]);
        }
    }
    set_gate(
        gate, best < r->ngram[0], "g2.best",
        VALUES((double)lct_length(r, 0), best, r->ngram_order[0], r->ngram[0]));
}

/* Without intervals the gate does not apply. */
static void uses_context(locant_report_gate *gate, const struct lct_results *r,
                         const struct lct_context_use *use)
{
    const struct lct_context_count c = lct_context_count(use, r);
    const bool measured = c.most_expensive < r->n;
    const double most =
        measured ? use[c.most_expensive].cost[LCT_CONTEXT_REPLACED].mean : NAN;

    gate->not_applicable = !c.intervals;
    if (measured)
        name_spec(gate, 0, &r->groups[c.most_expensive]);
    set_gate(gate, !c.intervals || c.use >= c.needed,
             c.intervals ? "g3.replaced"
             : measured  ? "g3.one"
                         : "g3.unmeasured",
             VALUES(LCT_CONTEXT_COST, (double)c.use, (double)c.judged,
                    (double)c.needed, most, LCT_KEPT_BYTES));
}

static void is_causal(locant_report_gate *gate, const struct lct_results *r)
{
    double worst = 0;

    for (size_t i = 0; i < r->n; i++)
        for (size_t s = 0; s < r->groups[i].n; s++) {
            double x = r->groups[i].results[s].eval.causality;

            /* keep the first NAN */
            if (!isnan(worst) && !(x <= worst)) {
                worst = x;
                name_spec(gate, 0, &r->groups[i]);
            }
        }
    set_gate(gate, worst <= causal_bound, worst == 0 ? "g4.exact" : "g4.change",
             VALUES(worst, causal_bound));
}

/* Lengths beyond the end of an encoding are undefined, which is no failure. */
static int is_finite(const struct lct_group *g, const struct lct_result *x)
{
    if (strcmp(x->run.status, "done") != 0 || !isfinite(x->run.train_loss))
        return 0;
    for (int k = 0; k < LOCANT_EVAL_LENGTHS; k++)
        if (!isfinite(x->eval.same_targets[k]) && x->eval.length[k] <= g->reach)
            return 0;
    return 1;
}

static void all_finite(locant_report_gate *gate, const struct lct_results *r)
{
    size_t bad = 0, n = 0;

    for (size_t i = 0; i < r->n; i++)
        for (size_t s = 0; s < r->groups[i].n; s++, n++)
            if (!is_finite(&r->groups[i], &r->groups[i].results[s])) {
                name_spec(gate, 0, &r->groups[i]);
                bad++;
            }
    if (bad)
        set_gate(gate, 0, "g5.bad", VALUES((double)bad, (double)n));
    else
        set_gate(gate, 1, "g5.finite", VALUES((double)n));
}

/* The checksum of the batches of the first run with that seed. */
static const char *first_batches(const struct lct_results *r, uint64_t seed)
{
    for (size_t i = 0; i < r->n; i++) {
        const struct lct_group *g = &r->groups[i];
        const size_t s = lct_losses_find_seed(g, seed);

        if (s < g->n)
            return g->results[s].batch_checksum;
    }
    return "";
}

static void same_batches(locant_report_gate *gate, const struct lct_results *r)
{
    size_t different = 0;

    for (size_t i = 0; i < r->n; i++)
        for (size_t s = 0; s < r->groups[i].n; s++) {
            const struct lct_result *x = &r->groups[i].results[s];

            different +=
                x->batch_checksum[0] == 0 ||
                strcmp(x->batch_checksum, first_batches(r, x->run.seed)) != 0;
        }
    set_gate(gate, different == 0, different ? "g6.other" : "g6.same",
             VALUES((double)different));
}

/* The claims of the verdict. */
struct claims {
    double made;    /* number of claims */
    double largest; /* corrected p */
    size_t worst;   /* the encoding with that p */
};

/* 'use' is NULL at the trained length; beyond it, the page claims nothing of
   encodings that do not use their context. */
static void count(struct claims *c, const struct lct_test *test, size_t n,
                  const struct lct_context_use *use)
{
    for (size_t i = 0; i < n; i++) {
        if (!(test[i].corrected < LCT_ALPHA) ||
            (use && use[i].use != LCT_USE_SHOWN))
            continue;
        c->made++;
        if (test[i].corrected >= c->largest) {
            c->largest = test[i].corrected;
            c->worst = i;
        }
    }
}

/* May all encodings be named that have enough seeds and are not above the
   lowest loss? */
static bool names_lowest(const struct lct_test *test,
                         const struct lct_results *r, int k,
                         const struct lct_context_use *use)
{
    for (size_t i = 0; i < r->n && use; i++)
        if (!(test[i].corrected < LCT_ALPHA) &&
            r->groups[i].n >= LCT_TESTED_SEEDS &&
            !isnan(mean_loss(&r->groups[i], k)) && use[i].use != LCT_USE_SHOWN)
            return false;
    return true;
}

/* Count the claims at length index k: losses that changed, and losses that are
   above the lowest. */
static locant_status count_claims(struct claims *c, struct lct_test *test,
                                  const struct lct_claims *tests, int k,
                                  const struct lct_context_use *use)
{
    const struct lct_results *r = tests->r;
    const struct lct_context_use *judged = k > 0 ? use : NULL;
    struct lct_order order;

    if (k > 0)
        count(c, lct_claims_changes(tests, k), r->n, judged);
    LCT_TRY(lct_claims_order(test, &order, tests, k));
    if (names_lowest(test, r, k, judged))
        count(c, test, r->n, judged);
    return LOCANT_OK;
}

/* The page makes only claims that passed their test, so this gate passes or
   does not apply, but never fails. */
static void set_claims(locant_report_gate *gate, const struct lct_results *r,
                       const struct claims *c)
{
    const char *text = c->made > 0 ? "g7.claims" : "g7.none";

    if (!lct_claims_enough_seeds(r))
        text = "g7.few";
    gate->not_applicable = c->made == 0;
    if (c->made > 0)
        name_spec(gate, 0, &r->groups[c->worst]);
    set_gate(gate, c->largest < LCT_ALPHA, text,
             VALUES(c->made, c->largest, LCT_ALPHA, LCT_TESTED_SEEDS));
}

/* Count the claims at all lengths of the verdict. */
static locant_status count_all(struct claims *c, const struct lct_claims *tests,
                               const struct lct_context_use *use)
{
    size_t bytes;
    struct lct_test *test = NULL;
    locant_status status = LOCANT_OK;

    if (lct_mul(&bytes, tests->r->n, sizeof *test))
        test = locant_alloc(bytes);
    if (test == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "report: no memory for %zu tests",
                           tests->r->n);
    for (int i = 0; i < LCT_CLAIMS_LENGTHS && status == LOCANT_OK; i++)
        status = count_claims(c, test, tests, lct_claims_lengths[i], use);
    locant_release(test);
    return status;
}

static locant_status test_claims(locant_report_gate *gate,
                                 const struct lct_results *r,
                                 const struct lct_context_use *use)
{
    struct claims claims = { .made = 0 };
    struct lct_claims tests;

    if (lct_claims_enough_seeds(r)) {
        locant_status status;

        LCT_TRY(lct_claims_create(&tests, r));
        status = count_all(&claims, &tests, use);
        lct_claims_free(&tests);
        LCT_TRY(status);
    }
    set_claims(gate, r, &claims);
    return LOCANT_OK;
}

locant_status lct_gates_check(struct lct_results *r)
{
    struct lct_context_use *use;
    locant_status status;

    LCT_TRY(lct_context_use_create(&use, r));
    for (int i = 1; i < 7; i++) {
        r->gates[i] = (locant_report_gate){ .passed = 0 };
        snprintf(r->gates[i].name, sizeof r->gates[i].name, "g%d", i + 1);
    }
    beats_ngram(&r->gates[1], r);
    uses_context(&r->gates[2], r, use);
    is_causal(&r->gates[3], r);
    all_finite(&r->gates[4], r);
    same_batches(&r->gates[5], r);
    status = test_claims(&r->gates[6], r, use);
    locant_release(use);
    return status;
}
