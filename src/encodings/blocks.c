/*
 * blocks.c - a kernel over tensors [.., T, D] at the speed of memory.
 *
 * A task is a block of tokens of all outer indices ("heads"), or of a group of
 * them.  It computes the table of its block in its own scratch, so no table of
 * all T tokens exists.  One call of a kernel takes a run: the tokens of the
 * block for some heads, token by token, so that heads share a row of the table
 * while it is in the first-level cache.
 *
 * If heads are closer together in memory than tokens ([B, T, H, D]), a run has
 * all heads and walks memory in order.  If they are far apart, each head is a
 * stream of its own.  A run then has as many streams as the first-level cache
 * holds side by side, and is as long as a table in the second-level cache
 * allows, since the prefetcher needs some pages to start (docs/SPEED.md).
 */
#include "blocks.h"
#include "../core/pool.h"
#include "../core/size.h"
#include <stdlib.h>
#include <string.h>

enum {
    FAR_FLOATS = 32768,  /* a task's table where heads are far: 128 KiB */
    MOST_FLOATS = 66560, /* a table that needs many tokens: 16 tokens of 4096
                             channels, and padding */
    NEAR_FLOATS = 4096,  /* where heads are near, or one: half of L1 */
    LEAST_FLOATS = 2048, /* smaller tables cost more than extra tasks gain */
    TASK_BYTES = 256 * 1024, /* least bytes of a task, for the same reason */
    STREAMS = 8,             /* ways of L1: all streams may map to one set */
    ALIGN = 16               /* floats in a line of the cache */
};

/* One tensor of the call, as heads x tokens. */
struct view {
    locant_tensor *out;
    const locant_tensor *x;
    size_t size;          /* bytes of an element */
    int along;            /* the dimension of a run's heads, or -1 */
    bool far;             /* heads are farther apart than tokens */
    size_t heads, groups; /* heads of a run, at most; runs along 'along' */
    size_t runs;          /* in a block */
};

struct job {
    struct view view[LCT_MOST_VIEWS];
    size_t views;
    const struct lct_blocks *b;
    float *scratch; /* [slots, stride] */
    size_t stride;
    size_t tokens, block; /* tokens of the call, and of a task */
    size_t groups;        /* tasks per block */
    size_t rows; /* of the outer indices: each has a table of its own */
    const locant_tensor *whole[LCT_MOST_VIEWS][2]; /* out and x */
    locant_tensor first[LCT_MOST_VIEWS][2];        /* of the first row */
};

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* The dimension whose entries are closest in memory; -1: tokens are closer. */
static int nearest(const locant_tensor *x)
{
    int token = x->rank - 2, best = -1;
    int64_t apart = x->shape[token] == 1 ? INT64_MAX : llabs(x->stride[token]);

    for (int i = token - 1; i >= 0; i--)
        if (x->shape[i] > 1 && llabs(x->stride[i]) < apart) {
            apart = llabs(x->stride[i]);
            best = i;
        }
    return best;
}

/* The dimension with the most entries; -1: each has one. */
static int longest(const locant_tensor *x)
{
    int best = -1;

    for (int i = x->rank - 3; i >= 0; i--)
        if (x->shape[i] > (best < 0 ? 1 : x->shape[best]))
            best = i;
    return best;
}

static struct view view_of(locant_tensor *out, const locant_tensor *x,
                           bool prefetches)
{
    struct view v = { .out = out,
                      .x = x,
                      .along = nearest(x),
                      .heads = 1,
                      .size = locant_dtype_size(x->dtype),
                      .groups = 1 };
    /* A stream has a row in L1, and an output or a prefetched row of its own */
    bool two = out->data != x->data || (prefetches && v.size == 2);
    size_t streams = two ? STREAMS / 2 : STREAMS, all;

    if (v.along < 0) {
        v.along = longest(x);
        v.far = v.along >= 0;
    }
    if (v.along >= 0) {
        all = (size_t)x->shape[v.along];
        v.groups = v.far ? (all - 1) / streams + 1 : 1;
        v.heads = (all - 1) / v.groups + 1;
        v.groups = (all - 1) / v.heads + 1;
    }
    v.runs = v.groups;
    for (int i = 0; i < x->rank - 2; i++)
        if (i != v.along)
            v.runs *= (size_t)x->shape[i];
    return v;
}

/* Set the pointers and heads of run n of a block that starts at 'token'. */
static void place(struct lct_block_run *r, const struct view *v, size_t token,
                  size_t n)
{
    const locant_tensor *x = v->x;
    int64_t index[LOCANT_MAX_RANK] = { 0 }, to = 0, from = 0;
    size_t first = n % v->groups * v->heads, rest = n / v->groups;

    index[x->rank - 2] = (int64_t)token;
    for (int i = x->rank - 3; i >= 0; i--) {
        if (i == v->along)
            continue;
        index[i] = (int64_t)(rest % (size_t)x->shape[i]);
        rest /= (size_t)x->shape[i];
    }
    if (v->along >= 0) {
        index[v->along] = (int64_t)first;
        r->heads = least(v->heads, (size_t)x->shape[v->along] - first);
    }
    for (int i = 0; i < x->rank - 1; i++) {
        to += index[i] * v->out->stride[i];
        from += index[i] * x->stride[i];
    }
    r->out = (char *)v->out->data + to * (int64_t)v->size;
    r->x = (const char *)x->data + from * (int64_t)v->size;
}

static ptrdiff_t bytes_along(const locant_tensor *x, int dimension)
{
    return dimension < 0 ? 0
                         : (ptrdiff_t)(x->stride[dimension] *
                                       (int64_t)locant_dtype_size(x->dtype));
}

/* Bytes from the first row of the outer indices, which 'first' lacks, to row n.
 */
static ptrdiff_t bytes_to(const locant_tensor *x, const locant_tensor *first,
                          size_t n)
{
    ptrdiff_t bytes = 0;

    for (int i = x->rank - first->rank; i-- > 0; n /= (size_t)x->shape[i])
        bytes += (ptrdiff_t)(n % (size_t)x->shape[i]) * bytes_along(x, i);
    return bytes;
}

static void do_block(void *context, size_t task, int slot)
{
    const struct job *job = context;
    size_t blocks = (job->tokens - 1) / job->block + 1;
    size_t group = task % job->groups, row = task / job->groups / blocks;
    size_t first = task / job->groups % blocks * job->block;
    size_t rows = least(job->block, job->tokens - first);
    float *table = job->scratch + (size_t)slot * job->stride;

    if (job->b->fill != NULL)
        job->b->fill(table, job->b->context, row * job->tokens + first, rows);
    for (size_t i = 0; i < job->views; i++) {
        const struct view *v = &job->view[i];
        size_t end = v->runs * (group + 1) / job->groups;
        ptrdiff_t to_out = bytes_to(job->whole[i][0], v->out, row);
        ptrdiff_t to_x = bytes_to(job->whole[i][1], v->x, row);
        struct lct_block_run r = {
            .out_row = bytes_along(v->out, v->x->rank - 2),
            .x_row = bytes_along(v->x, v->x->rank - 2),
            .out_head = bytes_along(v->out, v->along),
            .x_head = bytes_along(v->x, v->along),
            .first = first,
            .rows = rows,
            .heads = 1,
            .table = table,
            .shape = v->x,
        };

        for (size_t n = v->runs * group / job->groups; n < end; n++) {
            place(&r, v, first, n);
            r.out += to_out;
            r.x += to_x;
            job->b->run(&r, job->b->context);
        }
    }
}

/* Divide the work into tasks: enough for all threads, none of them tiny. */
static void divide(struct job *job, size_t slots)
{
    size_t floats = job->b->floats > 0 ? job->b->floats : 1;
    size_t bytes = 0, runs = 1, blocks, wanted;
    size_t shortest = floats < LEAST_FLOATS ? LEAST_FLOATS / floats : 1;
    bool far = false;

    for (size_t i = 0; i < job->views; i++) {
        const struct view *v = &job->view[i];

        bytes += lct_elements(v->x) * v->size;
        runs = v->runs > runs ? v->runs : runs;
        far = far || v->far;
    }
    wanted = slots < 2 ? 1 : least(bytes / TASK_BYTES + 1, 4 * slots);
    job->block = (far ? FAR_FLOATS : NEAR_FLOATS) / floats;
    if (job->block < job->b->rows)
        job->block = least(job->b->rows, MOST_FLOATS / floats);
    while (job->block > shortest && (job->tokens - 1) / job->block + 1 < wanted)
        job->block = (job->block + 1) / 2;
    job->block = least(job->block > 0 ? job->block : 1, job->tokens);
    blocks = (job->tokens - 1) / job->block + 1;
    job->groups = least((wanted - 1) / blocks + 1, runs);
}

/* View of the first row of 'outer' outermost indices of x. */
static locant_tensor first_of(const locant_tensor *x, int outer)
{
    locant_tensor first = *x;

    first.rank -= outer;
    for (int i = 0; i < first.rank; i++) {
        first.shape[i] = x->shape[i + outer];
        first.stride[i] = x->stride[i + outer];
    }
    return first;
}

static void add_view(struct job *job, locant_tensor *out,
                     const locant_tensor *x)
{
    size_t n = job->views++;
    locant_tensor *first = job->first[n];
    int outer = x->rank - 2 < job->b->outer ? x->rank - 2 : job->b->outer;

    job->tokens = (size_t)x->shape[x->rank - 2];
    job->rows = 1;
    for (int i = 0; i < outer; i++)
        job->rows *= (size_t)x->shape[i];
    job->whole[n][0] = out;
    job->whole[n][1] = x;
    first[0] = first_of(out, outer);
    first[1] = first_of(x, outer);
    job->view[n] = view_of(&first[0], &first[1], job->b->prefetches);
}

locant_status lct_blocks_check(const char *fn, const char *const names[2],
                               const locant_tensor *out, const locant_tensor *x,
                               bool any_width)
{
    int64_t any[LOCANT_MAX_RANK] = { -1, -1, -1, -1, -1, -1 };
    int64_t shape[LOCANT_MAX_RANK];

    if (x != NULL && (x->rank < 2 || x->rank > LOCANT_MAX_RANK))
        return locant_fail(LOCANT_ERR_SHAPE,
                           "%s: %s has rank %d, expected [.., tokens, "
                           "channels], 2 to %d",
                           fn, names[1], (int)x->rank, LOCANT_MAX_RANK);
    LCT_TRY(lct_check(fn, names[1], x, LCT_IN_FLOAT, x ? x->rank : 2, any));
    memcpy(shape, x->shape, sizeof(shape));
    if (any_width)
        shape[x->rank - 1] = -1;
    LCT_TRY(lct_check(fn, names[0], out, 1u << x->dtype, x->rank, shape));
    LCT_TRY(lct_check_output(fn, names[0], out));
    return lct_check_overlap(fn, out, x);
}

locant_status lct_blocks_run(const char *fn, size_t n,
                             locant_tensor *const *out,
                             const locant_tensor *const *x,
                             const struct lct_blocks *b)
{
    struct job job = { .b = b };
    size_t slots = (size_t)lct_slots(), bytes;

    for (size_t i = 0; i < n; i++)
        if (!lct_empty(x[i]))
            add_view(&job, out[i], x[i]);
    if (job.views == 0)
        return LOCANT_OK;
    divide(&job, slots);
    if (lct_mul(&bytes, job.block, b->floats) &&
        lct_add(&bytes, bytes, b->spare + ALIGN) &&
        lct_mul(&bytes, job.stride = bytes / ALIGN * ALIGN,
                sizeof(float) * slots))
        job.scratch = locant_alloc(bytes);
    if (job.scratch == NULL)
        return locant_fail(LOCANT_ERR_NOMEM,
                           "%s: no memory for the rows of %zu positions", fn,
                           job.block);
    lct_parallel_for(((job.tokens - 1) / job.block + 1) * job.groups * job.rows,
                     (int)slots, do_block, &job);
    locant_release(job.scratch);
    return LOCANT_OK;
}
