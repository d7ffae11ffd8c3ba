/*
 * train_step.c - one step of training: its batch, and the update by AdamW or
 * Muon.
 *
 * AdamW uses beta (0.9, 0.95), epsilon 1e-8, and decay 0.1 on matrices. Muon
 * uses momentum 0.95 and decay 0.1 on the matrices of the layers, and leaves
 * all other parameters to AdamW. The gradient is clipped to norm 1. Learning
 * rates warm up over 5 % of the steps and then fall to 10 % of their peak along
 * a cosine, or they are constant.
 */
#include "../corpus/tokens.h"
#include "../store/clock.h"
#include "../files/hash.h"
#include "train_group.h"
#include "../nn/adamw.h"
#include "../nn/muon.h"
#include <math.h>
#include <stdatomic.h>
#include <string.h>

static void text_batch(struct lct_trainer *t)
{
    const struct lct_split *train = &t->text[LCT_TRAIN];
    const size_t length = (size_t)t->o.length, batch = (size_t)t->o.batch;
    size_t bytes = 0;

    if (t->o.memory > 0)
        lct_segment_starts(t->starts, t->o.batch, t->o.length, train, t->o.seed,
                           t->step);
    else
        lct_batch_starts(t->starts, t->o.batch, t->o.length, train, t->o.seed,
                         t->step);
    for (size_t b = 0; b < batch; b++) {
        const size_t start = t->starts[b];

        if (train->bytes)
            t->checksum =
                lct_hash(t->checksum, train->bytes + start, length + 1);
        for (size_t i = 0; i < length; i++) {
            t->tokens[b * length + i] = lct_split_id(train, start + i);
            t->targets[b * length + i] = lct_split_id(train, start + i + 1);
        }
        bytes += lct_tokens_bytes(train, start + 1, length);
    }
    t->tokens_per_byte = (double)(batch * length) / (double)bytes;
}

/* Hash each id as two bytes, low byte first, so that the checksum is the same
   on every machine; -1 is 65535. */
static uint64_t hash_ids(uint64_t h, const int32_t *ids, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const uint8_t bytes[2] = { (uint8_t)ids[i],
                                   (uint8_t)((uint32_t)ids[i] >> 8) };

        h = lct_hash(h, bytes, sizeof bytes);
    }
    return h;
}

static void source_batch(struct lct_trainer *t)
{
    const struct locant_source *source = t->o.source;

    for (int64_t b = 0; b < t->o.batch; b++) {
        const struct lct_batch_row row = { t->o.seed, (uint64_t)t->step,
                                           (uint64_t)b, t->o.length };

        source->fill(t->tokens + b * t->o.length, t->targets + b * t->o.length,
                     &row, source->context);
    }
}

/* Bring the chunks of each row into the order of its leaves. */
static void order_by_leaf(struct lct_trainer *t, int32_t *ids)
{
    const int64_t n = t->ranks.leaves.of_row, length = t->o.length;
    const int64_t chunk = length / n;

    for (int64_t b = 0; n > 1 && b < t->o.batch; b++) {
        int32_t *row = ids + b * length;

        memcpy(t->row, row, (size_t)length * sizeof *row);
        for (int64_t j = 0; j < n; j++)
            memcpy(row + j * chunk, t->row + lct_leaf_chunk(j, n) * chunk,
                   (size_t)chunk * sizeof *row);
    }
}

static void next_batch(struct lct_trainer *t)
{
    const size_t n = (size_t)t->o.batch * (size_t)t->o.length;

    t->tokens_per_byte = 1;
    if (t->o.source == NULL)
        text_batch(t);
    else
        source_batch(t);
    if (t->o.source || t->text->ids) { /* text_batch() has hashed bytes */
        t->checksum = hash_ids(t->checksum, t->tokens, n);
        t->checksum = hash_ids(t->checksum, t->targets, n);
    }
    order_by_leaf(t, t->tokens);
    order_by_leaf(t, t->targets);
}

struct update {
    struct lct_trainer *trainer;
    double rate, muon_rate;
    atomic_int next; /* tensor that nobody has begun */
};

static void update_matrix(const struct update *u,
                          const struct lct_model_tensor *tensor, int slot)
{
    const struct lct_trainer *t = u->trainer;
    const size_t at = tensor->offset;
    const struct lct_muon_matrix w = { .p = lct_model_params(t->model) + at,
                                       .m = t->m + at,
                                       .grad = lct_model_grads(t->model) + at,
                                       .in = tensor->shape[0],
                                       .out = tensor->shape[1] };
    const struct lct_muon muon = { u->muon_rate, .95, .1 };

    lct_muon_step(&w, &muon, t->muon + (size_t)slot * t->muon_size);
}

static void update_tensor(const struct update *u, int i, int slot)
{
    struct lct_trainer *t = u->trainer;
    const struct lct_model_tensor *all, *tensor;
    real *p = lct_model_params(t->model), *g = lct_model_grads(t->model);
    struct lct_adamw adamw = { u->rate, .9, .95, 1e-8, .1, t->step };
    size_t at;

    lct_model_tensors(t->model, &all);
    tensor = &all[i];
    if (tensor->hidden && t->o.optimizer == LOCANT_MUON) {
        update_matrix(u, tensor, slot);
        return;
    }
    adamw.rate *= tensor->rate;
    at = tensor->offset;
    lct_adamw_step(p + at, t->m + at, t->v + at, g + at, tensor->size,
                   tensor->decay, &adamw);
}

/* Update tensors with scratch 'slot' of the trainer.  The slot of the pool may
   be beyond it, if locant_set_threads() was called since. */
static void update_some(void *context, size_t slot, int of_pool)
{
    const struct lct_model_tensor *all;
    struct update *u = context;
    const int n = lct_model_tensors(u->trainer->model, &all);

    (void)of_pool;
    for (int i; (i = atomic_fetch_add(&u->next, 1)) < n;)
        update_tensor(u, i, (int)slot);
}

/* The rate of this step, whose peak is given. */
static double rate_now(const struct lct_trainer *t, double peak)
{
    const int64_t warmup = t->o.steps / 20 > 0 ? t->o.steps / 20 : 1;

    return t->o.constant_rate
               ? peak
               : lct_learning_rate(t->step, t->o.steps, warmup, peak, .1);
}

static void update(struct lct_trainer *t, double rate)
{
    struct update u = { t, rate, rate_now(t, t->o.muon_rate), 0 };

    locant_parallel_for((size_t)t->slots, update_some, &u);
    lct_model_project(t->model);
}

/* 2^64 / golden ratio: steps of nearby seeds draw positions from different
   seeds. */
static const uint64_t draw_stride = 0x9e3779b97f4a7c15;

/* Norm of the gradient of the encoding's parameters; NAN if it has none. */
static double encoding_norm(const struct lct_trainer *t)
{
    const real *grads = lct_model_grads(t->model);
    const struct lct_model_tensor *all;
    const int n = lct_model_tensors(t->model, &all);
    bool any = false;
    double sum = 0;

    for (int i = 0; i < n; i++) {
        if (all[i].encoding_param < 0)
            continue;
        any = true;
        for (size_t k = 0; k < all[i].size; k++) {
            const double g = (double)grads[all[i].offset + k];

            sum += g * g;
        }
    }
    return any ? sqrt(sum) : NAN;
}

/* Of the whole batch. */
static int64_t count_scored(const struct lct_trainer *t)
{
    return lct_model_count_scored(t->targets,
                                  (size_t)(t->o.batch * t->o.length));
}

/* Sums of the losses of this rank's leaves, which passed 'n' targets each. */
static void sum_losses(struct lct_trainer *t, int64_t n)
{
    const struct lct_leaves *own = &t->ranks.leaves;

    for (int64_t l = own->first; l < own->last; l++) {
        double sum = 0;

        for (int64_t i = 0; i < n; i++)
            sum += (double)t->loss[(l - own->first) * n + i];
        t->ranks.losses[l] = sum;
    }
}

/* Pass the rows of this rank's leaves; *loss is written if they are all. */
static locant_status pass_rows(struct lct_trainer *t, double *loss)
{
    const int64_t length = t->o.length / t->ranks.leaves.of_row;
    int64_t first, rows;
    double begin, middle;

    lct_ranks_rows(&first, &rows, &t->ranks, t->o.batch);
    if (t->ranks.size > 1)
        lct_model_set_scored(t->model, count_scored(t));
    begin = lct_clock();
    LCT_TRY(lct_model_forward(t->model, t->tokens + first * length,
                              t->targets + first * length, rows, length,
                              t->loss, loss));
    middle = lct_clock();
    LCT_TRY(lct_model_backward(t->model));
    t->forward_seconds += middle - begin;
    t->backward_seconds += lct_clock() - middle;
    if (t->ranks.size > 1)
        sum_losses(t, t->o.batch * t->o.length / t->ranks.leaves.all);
    return LOCANT_OK;
}

/* The same; a failure leaves no other rank waiting. */
static locant_status pass(struct lct_trainer *t, double *loss)
{
    const locant_status status = pass_rows(t, loss);

    if (status == LOCANT_OK || t->ranks.size == 1 || t->ranks.watched.broken)
        return status;
    LCT_TRY(lct_train_hold(t, status));
    return lct_model_end_exchanges(t->model);
}

/* The loss and the gradient of the whole batch, after the pass of this rank
   returned 'status'. */
static locant_status add_up(struct lct_trainer *t, locant_status status,
                            double *loss)
{
    struct lct_ranks *r = &t->ranks;
    const int64_t scored = count_scored(t);
    double sum = 0;

    if (r->size == 1 || r->watched.broken)
        return status;
    status = lct_train_held(t, status);
    LCT_TRY(lct_ranks_tell(r, status, t->wish, &t->stop));
    LCT_TRY(lct_ranks_add_gradients(r, lct_model_grads(t->model)));
    for (int64_t l = 0; l < r->leaves.all; l++)
        sum += r->losses[l];
    *loss = scored > 0 ? sum / (double)scored : 0;
    return LOCANT_OK;
}

locant_status lct_train_step(struct lct_trainer *t, const char **not_finite,
                             double *value)
{
    const size_t n = lct_model_size(t->model);
    real *grads = lct_model_grads(t->model);
    double loss = 0, norm, of_encoding, rate;
    uint64_t checksum = t->checksum;

    next_batch(t);
    lct_model_draw(t->model, t->o.seed + (uint64_t)t->step * draw_stride);
    memset(grads, 0, (size_t)lct_model_subtrees(t->model) * n * sizeof *grads);
    LCT_TRY(add_up(t, pass(t, &loss), &loss));
    of_encoding = encoding_norm(t);
    norm = lct_clip_norm(grads, n, 1.0);
    *not_finite = !isfinite(loss)   ? "loss"
                  : !isfinite(norm) ? "norm of the gradient"
                                    : NULL;
    if (*not_finite) {
        *value = isfinite(loss) ? norm : loss;
        t->checksum = checksum;
        return LOCANT_OK;
    }
    t->step++;
    rate = rate_now(t, t->o.learning_rate);
    update(t, rate);
    t->metrics[t->n_metrics++] =
        (struct lct_metric){ t->step, loss * t->tokens_per_byte, norm, rate,
                             of_encoding };
    return LOCANT_OK;
}
