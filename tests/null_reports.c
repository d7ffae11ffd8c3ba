/*
 * null_reports.c - how often the page claims a difference that is not there.
 * tools/null_reports.py runs this program and says what it means.
 *
 * usage: null_reports STORE REPORTS ENCODINGS SEEDS SHIFT
 *
 * The pool is all finished runs of a store, which must be of one encoding.  A
 * report has ENCODINGS x SEEDS runs drawn from the pool, and its claims are
 * those of the page: the same functions decide, from the same numbers.  Two
 * constants are added to the losses of the pool, so that nothing of what is
 * claimed is true and nothing is left unsaid:
 *
 *     at each length   so that the mean loss over the pool is that of the
 *                      trained length: no loss changes
 *     replaced context + 1 nat: every encoding uses its context
 *
 * SHIFT nats are added to the losses of the first encoding.  The differences
 * that this makes are counted as found, any other claim as false.  Prints one
 * line of counts for each report.
 */
#include "measure/context_use.h"
#include "report/page.h"
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LENGTHS = LOCANT_EVAL_LENGTHS, MOST_RUNS = 4096 };

static void need(locant_status status)
{
    if (status == LOCANT_OK)
        return;
    fprintf(stderr, "null_reports: %s\n", locant_last_error());
    exit(1);
}

static _Noreturn void fail(const char *message)
{
    fprintf(stderr, "null_reports: %s\n", message);
    exit(1);
}

static double *zeros(size_t n)
{
    double *x = calloc(n + 1, sizeof *x);

    if (x == NULL)
        fail("no memory");
    return x;
}

/* --------------------------------------------------------------------- pool */

struct ids {
    int64_t id[MOST_RUNS];
    size_t n;
};

static int add_finished(const locant_run_info *run, void *context)
{
    struct ids *ids = context;

    if (strcmp(run->status, "done") == 0 && ids->n < MOST_RUNS)
        ids->id[ids->n++] = run->id;
    return 0;
}

static void read_pool(struct lct_results *pool, const char *folder)
{
    static struct ids ids;
    locant_store *store;

    need(locant_store_open_readonly(&store, folder));
    need(locant_store_runs(store, add_finished, &ids));
    need(lct_results_of_runs(pool, store, ids.id, ids.n, true));
    locant_store_close(store);
    if (pool->n != 1)
        fail("the store has runs of several encodings, expected one");
}

static double mean(const double *x, size_t n)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += x[i];
    return sum / (double)n;
}

static void add(double *x, size_t n, double what)
{
    for (size_t i = 0; i < n; i++)
        x[i] += what;
}

/* Add a constant to the losses at length index k that makes their mean over the
   pool equal to 'want'. */
static void centre(const struct lct_group *g, int k, double want)
{
    double sum = 0;

    for (size_t s = 0; s < g->n; s++) {
        const size_t blocks = (size_t)g->results[s].eval.blocks;

        sum += mean(g->results[s].block_loss + (size_t)k * blocks, blocks);
    }
    for (size_t s = 0; s < g->n; s++) {
        const size_t blocks = (size_t)g->results[s].eval.blocks;

        add(g->results[s].block_loss + (size_t)k * blocks, blocks,
            want - sum / (double)g->n);
    }
}

static void make_null(const struct lct_group *g)
{
    double trained = 0;

    for (size_t s = 0; s < g->n; s++) {
        struct lct_result *x = &g->results[s];

        if (!x->block_loss || !x->more[LCT_P4] || !x->more[LCT_REPLACED])
            fail("a run is not evaluated as those of a report are");
        trained += mean(x->block_loss, (size_t)x->eval.blocks) / (double)g->n;
        add(x->more[LCT_REPLACED], (size_t)x->eval.blocks, 1);
        x->n_steps = 0; /* the curves of training are nothing to claims */
        for (int m = 0; m < LCT_MEASURES; m++)
            if (m != LCT_P4 && m != LCT_REPLACED)
                x->more[m] = NULL;
    }
    for (int k = 1; k < LENGTHS; k++)
        centre(g, k, trained);
}

/* ------------------------------------------------------------------- report */

/* What an experiment draws its reports from. */
struct experiment {
    struct lct_results pool;
    size_t groups, seeds;
    double shift;
    locant_random random;
};

/* Shuffle the first n of order[all]. */
static void shuffle(size_t *order, size_t n, size_t all, locant_random *random)
{
    for (size_t i = 0; i < n; i++) {
        const size_t j = i + (size_t)locant_random_below(random, all - i);
        const size_t t = order[i];

        order[i] = order[j];
        order[j] = t;
    }
}

/* Draw chosen[groups x seeds] of the pool: without replacement if it is large
   enough, else each run from the whole pool. */
static void draw(size_t *chosen, struct experiment *x)
{
    const size_t all = x->pool.groups->n, n = x->groups * x->seeds;
    static size_t order[MOST_RUNS];

    for (size_t i = 0; i < all; i++)
        order[i] = i;
    if (n <= all)
        shuffle(order, n, all, &x->random);
    for (size_t i = 0; i < n; i++)
        chosen[i] =
            n <= all ? order[i] : (size_t)locant_random_below(&x->random, all);
}

/* A copy of x[n] with a constant added. */
static double *shifted(const double *x, size_t n, double what)
{
    double *copy = zeros(n);

    memcpy(copy, x, n * sizeof *x);
    add(copy, n, what);
    return copy;
}

/* Losses that are 'shift' higher, at every length and by every protocol. */
static void shift_run(struct lct_result *run, double shift)
{
    const size_t blocks = (size_t)run->eval.blocks;

    run->block_loss = shifted(run->block_loss, LENGTHS * blocks, shift);
    run->more[LCT_P4] = shifted(run->more[LCT_P4], blocks, shift);
    run->more[LCT_REPLACED] = shifted(run->more[LCT_REPLACED], blocks, shift);
}

static void free_shifted(const struct lct_group *g)
{
    for (size_t s = 0; s < g->n; s++) {
        free(g->results[s].block_loss);
        free(g->results[s].more[LCT_P4]);
        free(g->results[s].more[LCT_REPLACED]);
    }
}

/* 'groups' and 'runs' are memory for those of the report. */
static void make_report(struct lct_results *r, struct lct_group *groups,
                        struct lct_result *runs, struct experiment *x)
{
    static size_t chosen[MOST_RUNS];

    draw(chosen, x);
    *r = x->pool;
    r->groups = groups;
    r->n = x->groups;
    for (size_t g = 0; g < x->groups; g++) {
        groups[g] = *x->pool.groups;
        groups[g].n_params = 0;
        groups[g].results = runs + g * x->seeds;
        groups[g].n = x->seeds;
        for (size_t s = 0; s < x->seeds; s++)
            groups[g].results[s] =
                x->pool.groups->results[chosen[g * x->seeds + s]];
    }
    for (size_t s = 0; s < x->seeds; s++)
        shift_run(&groups[0].results[s], x->shift);
}

/* ------------------------------------------------------------------- claims */

/* The claims of a report by kind. */
enum kind { LOWEST, RANKS, PAIRS, GAINS, CHANGES, EXACT, KINDS };
static const char *const names[KINDS] = { "lowest", "ranks",   "pairs",
                                          "gains",  "changes", "exact" };

struct claims {
    int false_ones[KINDS], found[KINDS];
};

static void count(struct claims *c, enum kind kind, bool claimed, bool found)
{
    c->false_ones[kind] += claimed && !found;
    c->found[kind] += claimed && found;
}

/* Tables of all pairs; the first encoding is the first one of its pairs. */
static void count_pairs(struct claims *c, enum kind kind,
                        const struct lct_results *r, const char *measure,
                        long long length, bool shifts)
{
    char path[80];

    for (size_t i = 0; i < r->n; i++)
        for (size_t j = i + 1; j < r->n; j++) {
            snprintf(path, sizeof path, "pairs.%s.%lld.pairs.%zu", measure,
                     length, lct_claims_pair(r, i, j));
            count(c, kind, lct_page_pair_differs(r, path),
                  shifts && i == 0 && lct_page_value(r, "%s.mean", path) > 0);
        }
}

static void count_lowest(struct claims *c, const struct lct_results *r,
                         long long length, bool shifts)
{
    for (size_t i = 0; i < r->n && lct_page_names_lowest(r, length); i++)
        count(c, LOWEST, lct_page_is_above(r, i, length), shifts && i == 0);
}

static bool is_change(enum lct_change change)
{
    return change == LCT_RISES || change == LCT_SMALL || change == LCT_FALLS;
}

static void count_changes(struct claims *c, const struct lct_results *r)
{
    for (int k = 1; k < LCT_CLAIMS_LENGTHS; k++)
        for (size_t i = 0; i < r->n; i++)
            count(c, CHANGES,
                  is_change(lct_page_change(
                      r, i, lct_length(r, lct_claims_lengths[k]))),
                  false);
    /* the table that compares the encodings has those at a third length */
    for (size_t i = 0; i < r->n; i++)
        count(c, CHANGES,
              is_change(lct_page_change(
                  r, i, (long long)lct_page_value(r, "declared.length"))),
              false);
}

static void count_claims(struct claims *c, const struct lct_results *r,
                         double shift)
{
    const bool shifts = shift > 0;

    *c = (struct claims){ { 0 }, { 0 } };
    for (int k = 0; k < LCT_CLAIMS_LENGTHS; k++)
        count_lowest(c, r, lct_length(r, lct_claims_lengths[k]), shifts);
    for (size_t i = 0; i < r->n; i++) {
        count(c, RANKS, lct_page_value(r, "rows.%zu.rank", i) > 1,
              shifts && i == 0);
        count(c, EXACT, lct_page_is_exact(r, i), false);
    }
    for (int k = 0; k < LENGTHS; k++)
        count_pairs(c, PAIRS, r, "loss", lct_length(r, k), shifts);
    count_pairs(c, GAINS, r, "gain", lct_length(r, LENGTHS - 1), false);
    count_changes(c, r);
}

static void print_counts(const struct claims *c)
{
    for (int kind = 0; kind < KINDS; kind++)
        printf("%s%d,%d", kind ? "," : "", c->false_ones[kind], c->found[kind]);
    putchar('\n');
}

/* -------------------------------------------------------------- experiments */

static void run(struct experiment *x, long reports)
{
    struct lct_group *groups = calloc(x->groups, sizeof *groups);
    struct lct_result *runs = calloc(x->groups * x->seeds, sizeof *runs);

    if (groups == NULL || runs == NULL)
        fail("no memory");
    for (int kind = 0; kind < KINDS; kind++)
        printf("%s%s,%s_found", kind ? "," : "", names[kind], names[kind]);
    putchar('\n');
    for (long i = 0; i < reports; i++) {
        struct lct_results r;
        struct claims c;

        make_report(&r, groups, runs, x);
        need(lct_numbers_create_claims(&r.numbers, &r));
        count_claims(&c, &r, x->shift);
        print_counts(&c);
        json_decref(r.numbers);
        free_shifted(&groups[0]);
    }
    free(groups);
    free(runs);
}

int main(int argc, char **argv)
{
    struct experiment x = { .random = { .seed = 1 } };

    if (argc != 6)
        fail("usage: null_reports STORE REPORTS ENCODINGS SEEDS SHIFT");
    x.groups = strtoul(argv[3], NULL, 10);
    x.seeds = strtoul(argv[4], NULL, 10);
    x.shift = strtod(argv[5], NULL);
    if (x.groups < 2 || x.groups > 64 || x.seeds < 3 || x.seeds > 64)
        fail("expected 2 to 64 encodings and 3 to 64 seeds");
    read_pool(&x.pool, argv[1]);
    make_null(x.pool.groups);
    run(&x, strtol(argv[2], NULL, 10));
    return 0;
}
