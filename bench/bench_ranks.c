/*
 * bench_ranks.c - see bench_ranks.h
 *
 * What is sent is what training sends, by its own code. Results are judged
 * before they are timed: sums to the bit, because the tree is fixed.
 */
#include "bench_ranks.h"
#include "bench.h"
#include "scale/loads.h"
#include "train/ranks.h"
#include "train/train.h"
#include <math.h>
#include <string.h>

enum { ROUNDS = 5, LEAST_LEAVES = 16, WIDTH = 768 };

/* What is timed, and the memory that it sends from and receives in. */
struct ranks_bench {
    const locant_group *group;
    bench_allreduce allreduce;
    int rounds;
    double round_seconds;     /* about so long is each, of many calls */
    struct lct_ranks control; /* by which ranks agree */
    struct lct_ranks ranks;   /* of the gradients that are added */
    size_t n;                 /* floats of a gradient */
    real *grads;              /* [subtrees of this rank, n] */
    float *own;               /* [n] what MPI_Allreduce() adds */
    size_t bytes;             /* of a piece */
    char *from, *to;
    size_t begin[LCT_GROUP_RANKS + 1];
};

typedef locant_status (*bench_body)(struct ranks_bench *b);

/* ------------------------------------------------------------------- times */

/* Give every rank the numbers of all. */
static locant_status share(double *all, double own, const locant_group *g)
{
    size_t begin[LCT_GROUP_RANKS + 1];

    for (int r = 0; r <= g->size; r++)
        begin[r] = (size_t)r * sizeof *all;
    all[g->rank] = own;
    return lct_group_gather(all, begin, g);
}

static locant_status largest(double *out, double own, const locant_group *g)
{
    double all[LCT_GROUP_RANKS];

    LCT_TRY(share(all, own, g));
    *out = all[0];
    for (int r = 1; r < g->size; r++)
        *out = fmax(*out, all[r]);
    return LOCANT_OK;
}

/* Seconds of a call on the slowest rank; all begin when all have come. */
static locant_status time_round(double *seconds, struct ranks_bench *b,
                                bench_body body, int calls)
{
    double begun;

    LCT_TRY(largest(seconds, 0, b->group));
    begun = bench_clock_wall();
    for (int i = 0; i < calls; i++)
        LCT_TRY(body(b));
    return largest(seconds, 1e-9 * (bench_clock_wall() - begun) / calls,
                   b->group);
}

/* Calls of a round; the first call is not timed. */
static locant_status count_calls(int *calls, struct ranks_bench *b,
                                 bench_body body)
{
    double seconds, least = INFINITY;

    LCT_TRY(body(b));
    for (int i = 0; i < 3; i++) {
        LCT_TRY(time_round(&seconds, b, body, 1));
        least = fmin(least, seconds);
    }
    *calls = (int)fmax(1, fmin(1000, b->round_seconds / fmax(least, 1e-9)));
    return LOCANT_OK;
}

/* Time one body, or two of them (NULL: one) in turn: their fastest rounds,
   because others may use the hosts, too. */
static locant_status time_bodies(double seconds[2], struct ranks_bench *b,
                                 bench_body first, bench_body second)
{
    const bench_body bodies[2] = { first, second };
    double each;
    int calls[2];

    for (int k = 0; k < 2; k++)
        seconds[k] = bodies[k] ? INFINITY : NAN;
    for (int k = 0; k < 2 && bodies[k]; k++)
        LCT_TRY(count_calls(&calls[k], b, bodies[k]));
    for (int i = 0; i < b->rounds; i++)
        for (int k = 0; k < 2 && bodies[k]; k++) {
            LCT_TRY(time_round(&each, b, bodies[k], calls[k]));
            seconds[k] = fmin(seconds[k], each);
        }
    return LOCANT_OK;
}

/* ---------------------------------------------------------------- messages */

static char byte_of(int rank, size_t at)
{
    return (char)(17 * rank + 31 * (int)(at % 64) + (int)(at >> 12));
}

static locant_status wrong(const char *what)
{
    return locant_fail(LOCANT_ERR_FORMAT, "locant bench: %s", what);
}

/* Bytes to the next rank, and as many from the one before. */
static locant_status pass_on(struct ranks_bench *b)
{
    const locant_group *g = b->group;
    const locant_piece send = { (g->rank + 1) % g->size, b->from, b->bytes };
    const locant_piece receive = { (g->rank + g->size - 1) % g->size, b->to,
                                   b->bytes };

    return g->exchange(&send, 1, &receive, 1, g->context);
}

static locant_status judge_pass_on(struct ranks_bench *b)
{
    const locant_group *g = b->group;
    const int last = (g->rank + g->size - 1) % g->size;

    for (size_t i = 0; i < b->bytes; i++)
        b->from[i] = byte_of(g->rank, i);
    LCT_TRY(pass_on(b));
    for (size_t i = 0; i < b->bytes; i++)
        if (b->to[i] != byte_of(last, i))
            return lct_ranks_agree(&b->control,
                                   wrong("a piece arrived with other"
                                         " bytes"));
    return lct_ranks_agree(&b->control, LOCANT_OK);
}

static locant_status time_messages(struct bench_ranks *out,
                                   struct ranks_bench *b)
{
    double seconds[2];

    b->bytes = out->large;
    LCT_TRY(judge_pass_on(b));
    b->bytes = 8;
    LCT_TRY(time_bodies(seconds, b, pass_on, NULL));
    out->latency = seconds[0];
    b->bytes = out->large;
    LCT_TRY(time_bodies(seconds, b, pass_on, NULL));
    /* a small difference of two large times may be anything */
    out->bandwidth =
        (double)b->bytes / fmax(seconds[0] - out->latency, .5 * seconds[0]);
    return LOCANT_OK;
}

static locant_status gather(struct ranks_bench *b)
{
    return lct_group_gather(b->to, b->begin, b->group);
}

static locant_status judge_gather(struct ranks_bench *b)
{
    const locant_group *g = b->group;

    for (size_t i = b->begin[g->rank]; i < b->begin[g->rank + 1]; i++)
        b->to[i] = byte_of(g->rank, i);
    LCT_TRY(gather(b));
    for (int r = 0; r < g->size; r++)
        for (size_t i = b->begin[r]; i < b->begin[r + 1]; i++)
            if (b->to[i] != byte_of(r, i))
                return lct_ranks_agree(&b->control,
                                       wrong("gathered keys and values have"
                                             " other bytes"));
    return lct_ranks_agree(&b->control, LOCANT_OK);
}

/* Keys and values of a layer of GPT-2, of which every rank has a part. */
static locant_status time_gather(double *seconds, struct ranks_bench *b,
                                 size_t bytes)
{
    double each[2];

    for (int r = 0; r <= b->group->size; r++)
        b->begin[r] = bytes / (size_t)b->group->size * (size_t)r;
    b->begin[b->group->size] = bytes;
    LCT_TRY(judge_gather(b));
    LCT_TRY(time_bodies(each, b, gather, NULL));
    *seconds = each[0];
    return LOCANT_OK;
}

/* -------------------------------------------------------------------- sums */

/* Of leaf l; sums of such numbers round, so another tree has other bits. */
static float leaf(int64_t l, size_t i)
{
    const uint32_t h = (uint32_t)l * 2654435761u + (uint32_t)i * 40503u;

    return ((float)(h >> 8 & 1023) - 511) / 997 * (float)(1 + (l & 3) * 100);
}

/* S(first, size) of core/tree.h. */
static float node(int64_t first, int64_t size, size_t i)
{
    return size == 1
               ? leaf(first, i)
               : node(first, size / 2, i) + node(first + size / 2, size / 2, i);
}

static void fill(struct ranks_bench *b)
{
    const struct lct_ranks *r = &b->ranks;
    const int first = r->first_subtree[r->rank];

    for (int k = first; k < r->first_subtree[r->rank + 1]; k++)
        for (size_t i = 0; i < b->n; i++)
            b->grads[(size_t)(k - first) * b->n + i] =
                node(r->subtrees[k].first, r->subtrees[k].size, i);
    for (size_t i = 0; i < b->n; i++)
        b->own[i] = leaf(r->rank, i);
}

static locant_status add_by_tree(struct ranks_bench *b)
{
    return lct_ranks_add_gradients(&b->ranks, b->grads);
}

static locant_status add_by_mpi(struct ranks_bench *b)
{
    return b->allreduce(b->group, b->own, b->n);
}

/* Any order of P - 1 additions is within (P - 1) 2^-24 (1 + 2^-16) of the sum
   of magnitudes. */
static bool is_sum(const struct ranks_bench *b, size_t i)
{
    double sum = 0, bound = 0;

    for (int r = 0; r < b->group->size; r++) {
        sum += (double)leaf(r, i);
        bound += fabs((double)leaf(r, i));
    }
    return fabs((double)b->own[i] - sum) <= b->group->size * 0x1p-24 * bound;
}

static locant_status judge_sums(struct ranks_bench *b)
{
    const char *bad = NULL;

    fill(b);
    LCT_TRY(add_by_tree(b));
    if (b->allreduce)
        LCT_TRY(add_by_mpi(b));
    for (size_t i = 0; i < b->n; i++) {
        if (b->grads[i] != node(0, b->ranks.leaves.all, i))
            bad = "the sum of leaves has other bits";
        else if (b->allreduce && !is_sum(b, i))
            bad = "MPI_Allreduce() does not add";
    }
    return lct_ranks_agree(&b->control, bad ? wrong(bad) : LOCANT_OK);
}

static locant_status create_ranks(struct lct_ranks *r, const locant_group *g)
{
    locant_train_options o = LOCANT_TRAIN_INIT;

    o.group = g;
    o.leaves = LEAST_LEAVES;
    while (o.leaves < g->size)
        o.leaves *= 2;
    o.batch = o.leaves;
    LCT_TRY(lct_ranks_check(&o));
    return lct_ranks_create(r, &o);
}

static locant_status reserve_sum(struct ranks_bench *b, size_t n)
{
    int subtrees;

    LCT_TRY(create_ranks(&b->ranks, b->group));
    LCT_TRY(lct_ranks_reserve(&b->ranks, n));
    subtrees = b->ranks.first_subtree[b->group->rank + 1] -
               b->ranks.first_subtree[b->group->rank];
    b->n = n;
    b->grads = bench_alloc((size_t)subtrees * n * sizeof *b->grads);
    b->own = bench_alloc(n * sizeof *b->own);
    return b->grads && b->own ? LOCANT_OK : bench_no_memory();
}

static void release_sum(struct ranks_bench *b)
{
    lct_ranks_free(&b->ranks);
    locant_release(b->grads);
    locant_release(b->own);
    b->grads = NULL;
    b->own = NULL;
}

static locant_status time_sum(double seconds[2], struct ranks_bench *b,
                              size_t n)
{
    locant_status status = lct_ranks_agree(&b->control, reserve_sum(b, n));

    if (status == LOCANT_OK)
        status = judge_sums(b);
    if (status == LOCANT_OK)
        status = time_bodies(seconds, b, add_by_tree,
                             b->allreduce ? add_by_mpi : NULL);
    release_sum(b);
    return status;
}

/* ------------------------------------------------------------------- speed */

static void fill_row(int32_t *tokens, int32_t *targets,
                     const struct lct_batch_row *row, const void *context)
{
    (void)context;
    for (int64_t i = 0; i < row->length; i++)
        tokens[i] = targets[i] = (int32_t)((i * 7 + (int64_t)row->row) % 250);
}

/* Operations per second of a step of training without other ranks, while all
   ranks do the same; of the slowest. */
static locant_status measure_speed(double *flops, struct ranks_bench *b,
                                   bool quick)
{
    static const struct locant_source source = { "rows", 256, 0, fill_row,
                                                 NULL };
    locant_train_options o = LOCANT_TRAIN_INIT;
    struct load load = { .layers = quick ? 1 : 2, .width = quick ? 64 : 256 };
    struct job job = { &load, 1, 4, quick ? 64 : 128 };
    double seconds, slowest;
    locant_status status;

    o.encoding = "rope";
    o.source = &source;
    o.layers = (int64_t)load.layers;
    o.width = (int64_t)load.width;
    o.ff = 4 * o.width;
    o.batch = (int64_t)job.rows;
    o.length = (int64_t)job.tokens;
    load.params = load.width * (12 * load.layers * load.width + 2 * 256);
    *flops = 0;
    for (int i = 0; i < b->rounds; i++) {
        status = lct_train_time(&seconds, NULL, &o);
        LCT_TRY(lct_ranks_agree(&b->control, status));
        LCT_TRY(largest(&slowest, seconds, b->group));
        *flops = fmax(*flops, flops_of(&job) / slowest);
    }
    return LOCANT_OK;
}

/* The model of docs/SCALE.md with what was measured. */
static void forecast_loads(struct bench_ranks *out)
{
    const struct speeds s = { out->flops, out->bandwidth, out->latency };

    out->ranks[out->counts++] = out->size;
    for (int ranks = 2; ranks <= 32; ranks *= 2)
        if (ranks != out->size)
            out->ranks[out->counts++] = ranks;
    _Static_assert(sizeof loads / sizeof loads[0] == BENCH_LOADS, "loads");
    for (int l = 0; l < BENCH_LOADS; l++) {
        out->load[l].name = loads[l].name;
        for (int c = 0; c < out->counts; c++) {
            const struct job job = job_of(&loads[l], out->ranks[c]);

            out->load[l].efficiency[c] =
                loads[l].leaves > 0 && out->ranks[c] > loads[l].leaves
                    ? (double)NAN
                    : forecast(&job, &s);
        }
    }
}

/* --------------------------------------------------------------------- all */

static locant_status measure(struct bench_ranks *out, struct ranks_bench *b,
                             bool quick)
{
    static const size_t floats[BENCH_SUMS] = { 1000, 180000, 860000, 5000000 };
    static const size_t tokens[BENCH_GATHERS] = { 2048, 8192 };
    double seconds[2];

    out->sums = quick ? 2 : BENCH_SUMS;
    out->gathers = quick ? 1 : BENCH_GATHERS;
    LCT_TRY(measure_speed(&out->flops, b, quick));
    LCT_TRY(time_messages(out, b));
    for (int i = 0; i < out->gathers; i++) {
        const size_t t = quick ? 128 : tokens[i];

        out->gather[i].bytes = 2 * sizeof(float) * t * WIDTH;
        LCT_TRY(time_gather(&out->gather[i].seconds, b, out->gather[i].bytes));
    }
    for (int i = 0; i < out->sums; i++) {
        out->sum[i].bytes = floats[i] * sizeof(float);
        LCT_TRY(time_sum(seconds, b, floats[i]));
        out->sum[i].tree = seconds[0];
        out->sum[i].allreduce = seconds[1];
    }
    forecast_loads(out);
    return LOCANT_OK;
}

locant_status bench_ranks(struct bench_ranks *out, const locant_group *group,
                          bench_allreduce allreduce, bool quick)
{
    struct ranks_bench b = { .group = group,
                             .allreduce = allreduce,
                             .rounds = quick ? 3 : ROUNDS,
                             .round_seconds = quick ? .01 : .1 };
    const size_t room = quick ? 1 << 20 : 1 << 26;
    locant_status status;

    *out = (struct bench_ranks){ .threads = locant_threads(),
                                 .large = quick ? 1 << 18 : 1 << 24 };
    LCT_TRY(lct_group_check("locant bench", group));
    out->size = lct_group_size(group);
    if (out->size < 2)
        return locant_fail(LOCANT_ERR_PARAM,
                           "locant bench: there is 1 rank, expected at least"
                           " 2, as of mpirun -n 2");
    status = create_ranks(&b.control, group);
    if (status == LOCANT_OK) {
        b.from = bench_alloc(room);
        b.to = bench_alloc(room);
        status = lct_ranks_agree(
            &b.control, b.from && b.to ? LOCANT_OK : bench_no_memory());
    }
    if (status == LOCANT_OK)
        status = measure(out, &b, quick);
    lct_ranks_free(&b.control);
    locant_release(b.from);
    locant_release(b.to);
    return status;
}
