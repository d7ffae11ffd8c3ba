/*
 * blocks.c - tensors [.., T, D] at the speed of memory.
 *
 * A task is a block of tokens of all outer indices ("heads"), or of a group of
 * them.  It makes the block's table in its own scratch, so that none of all T
 * exists, and goes through a few tokens of every head before it goes on, so
 * that their rows of the table stay in the first cache: read from the second
 * one they halve the speed.  Runs that short leave the prefetcher of the CPU
 * behind; therefore each asks for the next (docs/SPEED.md).
 *
 * A run is what one call of a kernel takes: neighbouring tokens of one head,
 * or, where heads are closer together than tokens ([B, T, H, D] in memory), all
 * heads of one token.
 */
#include "blocks.h"
#include "../core/pool.h"
#include "../core/size.h"
#include <stdlib.h>

enum {
    BLOCK_FLOATS = 8192,      /* table of a task: 32 KiB */
    RUN_FLOATS   = 2048,      /* of a run: 8 KiB, a quarter of a first cache */
    TASK_BYTES   = 256 * 1024, /* below, more tasks cost more than they give */
    AHEAD_BYTES  = 16 * 1024, /* what is asked for before it is wanted */
    ALIGN        = 16         /* floats in a line of the cache */
};

/* One tensor of the call, seen as heads x tokens. */
struct view {
    locant_tensor *out;
    const locant_tensor *x;
    size_t size;      /* of an element */
    size_t outers;    /* runs at one token */
    bool across;      /* a run is all heads of a token */
    int along;        /* the dimension of its rows */
};

struct job {
    struct view view[LCT_MOST_VIEWS];
    size_t views;
    const struct lct_blocks *b;
    float *scratch;            /* [slots, stride] */
    size_t stride;
    size_t tokens, block, sub; /* all; of a task; of a run */
    size_t groups;             /* tasks per block */
};

/* What a task does of a view. */
struct part {
    size_t first, end;         /* tokens */
    size_t outer, outers;      /* the first, and how many */
};

static struct view view_of(locant_tensor *out, const locant_tensor *x)
{
    int time = x->rank - 2, head = x->rank - 3;
    struct view v = { .out = out, .x = x, .along = time, .outers = 1,
                      .size = locant_dtype_size(x->dtype) };

    v.across = head >= 0 && x->shape[head] > 1 &&
               (x->shape[time] == 1 ||
                llabs(x->stride[head]) < llabs(x->stride[time]));
    if (v.across)
        v.along = head;
    for (int i = 0; i < time; i++)
        if (i != v.along)
            v.outers *= (size_t)x->shape[i];
    return v;
}

/* Goes through the runs of a part: all outer indices, then the next tokens. */
struct cursor {
    size_t token;                   /* of all */
    size_t outer;                   /* from 0 on, of part->outers */
    int64_t index[LOCANT_MAX_RANK]; /* the outer ones */
    int64_t to, from;               /* elements before them in out and x */
};

static void rewind_to(struct cursor *c, const struct view *v,
                      const struct part *part, size_t token)
{
    size_t outer = part->outer;

    *c = (struct cursor){ .token = token };
    for (int i = v->x->rank - 3; i >= 0; i--) {
        if (i == v->along)
            continue;
        c->index[i] = (int64_t)(outer % (size_t)v->x->shape[i]);
        c->to += c->index[i] * v->out->stride[i];
        c->from += c->index[i] * v->x->stride[i];
        outer /= (size_t)v->x->shape[i];
    }
}

static void step(struct cursor *c, const struct view *v,
                 const struct part *part, size_t tokens)
{
    if (++c->outer == part->outers) {
        rewind_to(c, v, part, c->token + tokens);
        return;
    }
    for (int i = v->x->rank - 3; i >= 0; i--) {
        int64_t was = c->index[i];

        if (i == v->along)
            continue;
        c->index[i] = was + 1 < v->x->shape[i] ? was + 1 : 0;
        c->to += (c->index[i] - was) * v->out->stride[i];
        c->from += (c->index[i] - was) * v->x->stride[i];
        if (c->index[i] != 0)
            return;
    }
}

static char *out_at(const struct view *v, const struct cursor *c)
{
    int64_t token = (int64_t)c->token * v->out->stride[v->x->rank - 2];

    return (char *)v->out->data + (c->to + token) * (int64_t)v->size;
}

static const char *x_at(const struct view *v, const struct cursor *c)
{
    int64_t token = (int64_t)c->token * v->x->stride[v->x->rank - 2];

    return (const char *)v->x->data + (c->from + token) * (int64_t)v->size;
}

static void go_through(const struct job *job, const struct view *v,
                       const struct part *part, const float *table)
{
    const locant_tensor *x = v->x;
    size_t tokens = v->across ? 1 : job->sub;
    size_t rows = v->across ? (size_t)x->shape[v->along] : tokens;
    size_t bytes = rows * (size_t)x->shape[x->rank - 1] * v->size;
    size_t runs = (part->end - part->first + tokens - 1) / tokens *
                  part->outers;
    size_t ahead = AHEAD_BYTES / (bytes + 1) + 1;
    struct cursor at, soon;
    struct lct_block_run r = {
        .out_row = (ptrdiff_t)(v->out->stride[v->along] * (int64_t)v->size),
        .x_row = (ptrdiff_t)(x->stride[v->along] * (int64_t)v->size),
        .across = v->across, .shape = x, .table = table,
        .tokens = part->end - part->first,
    };

    rewind_to(&at, v, part, part->first);
    soon = at;
    for (size_t n = 0; n < runs + ahead; n++) {
        bool wanted = n < runs;

        r.soon_x = wanted ? x_at(v, &soon) : NULL;
        r.soon_out = wanted ? out_at(v, &soon) : NULL;
        if (r.soon_out == r.soon_x)
            r.soon_out = NULL;
        if (wanted)
            step(&soon, v, part, tokens);
        if (n < ahead)
            continue;
        r.out = out_at(v, &at);
        r.x = x_at(v, &at);
        r.token = at.token - part->first;
        r.rows = v->across || part->end - at.token > rows
                     ? rows
                     : part->end - at.token;
        job->b->run(&r, job->b->context);
        step(&at, v, part, tokens);
    }
}

static void do_block(void *context, size_t task, int slot)
{
    const struct job *job = context;
    size_t group = task % job->groups;
    float *table = job->scratch + (size_t)slot * job->stride;
    struct part part = { .first = task / job->groups * job->block };

    part.end = job->tokens - part.first < job->block ? job->tokens
                                                     : part.first + job->block;
    job->b->fill(table, job->b->context, part.first, part.end - part.first);
    for (size_t i = 0; i < job->views; i++) {
        const struct view *v = &job->view[i];

        part.outer = v->outers * group / job->groups;
        part.outers = v->outers * (group + 1) / job->groups - part.outer;
        go_through(job, v, &part, table);
    }
}

/* Into tasks: enough for all threads, none of them tiny. */
static void divide(struct job *job, size_t slots)
{
    size_t floats = job->b->floats > 0 ? job->b->floats : 1;
    size_t bytes = 0, outers = 1, blocks, wanted;

    for (size_t i = 0; i < job->views; i++) {
        const struct view *v = &job->view[i];

        bytes += lct_elements(v->x) * v->size;
        outers = v->outers > outers ? v->outers : outers;
    }
    wanted = slots < 2 ? 1 : bytes / TASK_BYTES + 1;
    wanted = wanted > 4 * slots ? 4 * slots : wanted;
    job->sub = floats < RUN_FLOATS ? RUN_FLOATS / floats : 1;
    job->block = floats < BLOCK_FLOATS ? BLOCK_FLOATS / floats : 1;
    while (job->block > job->sub && (job->tokens - 1) / job->block + 1 < wanted)
        job->block = (job->block + 1) / 2;
    if (job->block > job->tokens)
        job->block = job->tokens;
    blocks = (job->tokens - 1) / job->block + 1;
    job->groups = (wanted - 1) / blocks + 1;
    job->groups = job->groups > outers ? outers : job->groups;
}

locant_status lct_blocks_run(const char *fn, size_t n,
                             locant_tensor *const *out,
                             const locant_tensor *const *x,
                             const struct lct_blocks *b)
{
    struct job job = { .b = b };
    size_t slots = (size_t)lct_slots(), bytes;

    for (size_t i = 0; i < n; i++)
        if (!lct_empty(x[i])) {
            job.tokens = (size_t)x[i]->shape[x[i]->rank - 2];
            job.view[job.views++] = view_of(out[i], x[i]);
        }
    if (job.views == 0)
        return LOCANT_OK;
    divide(&job, slots);
    if (lct_mul(&bytes, job.block, b->floats) &&
        lct_add(&bytes, bytes, b->spare + ALIGN) &&
        lct_mul(&bytes, job.stride = bytes / ALIGN * ALIGN,
                sizeof(float) * slots))
        job.scratch = locant_alloc(bytes);
    if (job.scratch == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "%s: no memory for the rows of "
                           "%zu positions", fn, job.block);
    lct_parallel_for(((job.tokens - 1) / job.block + 1) * job.groups,
                     (int)slots, do_block, &job);
    locant_release(job.scratch);
    return LOCANT_OK;
}
