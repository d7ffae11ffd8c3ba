/* train_group.c - see train_group.h */
#include "train_group.h"
#include "../core/size.h"
#include "../files/hash.h"
#include "../store/clock.h"
#include "../group/greeting.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

locant_status lct_train_greet_failure(const locant_train_options *o,
                                      locant_status status)
{
    struct lct_held own = { 0 };

    if (status == LOCANT_OK || o == NULL || o->struct_size != sizeof *o)
        return status;
    lct_group_hold(&own, status);
    if (lct_group_check("locant_train", o->group) != LOCANT_OK)
        return lct_group_held(&own);
    return lct_greeting_begin("locant_train", o->group, "", status);
}

/* ------------------------------------------------------------------ memory */

static size_t memory_of_row(const struct lct_trainer *t)
{
    return (size_t)t->memory.size.tokens * (size_t)t->o.width;
}

/* The memory of layer l in that of all rows. */
static real *all_rows(const struct lct_trainer *t, int64_t l)
{
    return t->memory.data +
           (size_t)l * (size_t)t->memory.size.rows * memory_of_row(t);
}

locant_status lct_train_reserve_memory(struct lct_trainer *t)
{
    const int64_t shape[4] = { t->o.layers, t->o.batch, t->o.memory,
                               t->o.width };
    size_t bytes = 0;

    if (t->ranks.size == 1 || t->o.memory == 0)
        return LOCANT_OK;
    t->memory.rows = t->o.batch;
    if (lct_array_bytes(&bytes, shape, 4, sizeof *t->memory.data))
        t->memory.data = locant_alloc(bytes);
    return t->memory.data != NULL
               ? LOCANT_OK
               : locant_fail(
                     LOCANT_ERR_NOMEM,
                     "locant_train: no memory for the memory of %" PRId64
                     " rows",
                     t->o.batch);
}

locant_status lct_train_gather_memory(struct lct_trainer *t)
{
    const int64_t tokens = lct_model_memory_size(t->model).tokens;
    int64_t first, rows;
    size_t row;

    if (t->memory.data == NULL)
        return LOCANT_OK;
    t->memory.size = (struct lct_memory_size){ t->o.batch, tokens };
    lct_ranks_rows(&first, &rows, &t->ranks, t->o.batch);
    row = memory_of_row(t);
    for (int64_t l = 0; l < t->o.layers && tokens > 0; l++) {
        real *all = all_rows(t, l);

        memcpy(all + (size_t)first * row, lct_model_layer_memory(t->model, l),
               (size_t)rows * row * sizeof *all);
        LCT_TRY(lct_ranks_gather_rows(
            &t->ranks, all,
            (size_t)(t->o.batch / t->ranks.leaves.all) * row * sizeof *all));
    }
    return LOCANT_OK;
}

/* Give every rank the memory of its rows that rank 0 has read. */
static locant_status share_memory(struct lct_trainer *t)
{
    const locant_group *g = t->ranks.group;
    int64_t first, rows;
    size_t row;

    if (t->memory.data == NULL)
        return LOCANT_OK;
    LCT_TRY(lct_group_broadcast(&t->memory.size, sizeof t->memory.size, g));
    lct_ranks_rows(&first, &rows, &t->ranks, t->o.batch);
    row = memory_of_row(t);
    LCT_TRY(lct_model_set_memory_size(
        t->model,
        (struct lct_memory_size){ row > 0 ? rows : 0, t->memory.size.tokens }));
    for (int64_t l = 0; l < t->o.layers && row > 0; l++) {
        real *all = all_rows(t, l);

        LCT_TRY(lct_group_broadcast(
            all, (size_t)t->memory.size.rows * row * sizeof *all, g));
        memcpy(lct_model_layer_memory(t->model, l), all + (size_t)first * row,
               (size_t)rows * row * sizeof *all);
    }
    return LOCANT_OK;
}

/* ------------------------------------------------------------------- begin */

/* What rank 0 tells before the first step. */
struct begin {
    int32_t status, done;
    int64_t id, step;
    uint64_t checksum, hash;
    char message[512];
};

static uint64_t hash_params(const struct lct_trainer *t)
{
    return lct_hash(LCT_HASH_BEGIN, lct_model_params(t->model),
                    lct_model_size(t->model) * sizeof(real));
}

static void take_begin(struct lct_trainer *t, const struct begin *b)
{
    t->id = b->id;
    t->step = t->first_step = t->saved_step = b->step;
    t->checksum = b->checksum;
    t->session_start = t->recorded = lct_clock();
}

/* Parameters and moments of rank 0. */
static locant_status share_state(struct lct_trainer *t, uint64_t hash)
{
    const size_t bytes = lct_model_size(t->model) * sizeof(real);
    const locant_group *g = t->ranks.group;

    LCT_TRY(lct_group_broadcast(lct_model_params(t->model), bytes, g));
    LCT_TRY(lct_group_broadcast(t->m, bytes, g));
    LCT_TRY(lct_group_broadcast(t->v, bytes, g));
    LCT_TRY(share_memory(t));
    return lct_ranks_agree(
        &t->ranks, hash_params(t) == hash
                       ? LOCANT_OK
                       : locant_fail(LOCANT_ERR_FORMAT,
                                     "locant_train: other parameters arrived"
                                     " than rank 0 has sent"));
}

locant_status lct_train_share_begin(struct lct_trainer *t, locant_status status,
                                    bool *done)
{
    struct begin b = { .status = (int32_t)status,
                       .done = *done,
                       .id = t->id,
                       .step = t->step,
                       .checksum = t->checksum };

    if (t->ranks.size == 1)
        return status;
    if (t->ranks.rank == 0)
        b.hash = hash_params(t);
    snprintf(b.message, sizeof b.message, "%s", locant_last_error());
    LCT_TRY(lct_group_broadcast(&b, sizeof b, t->ranks.group));
    b.message[sizeof b.message - 1] = 0;
    if (t->ranks.rank > 0)
        take_begin(t, &b);
    *done = b.done != 0;
    if (b.status != LOCANT_OK)
        return locant_fail((locant_status)b.status, "%s", b.message);
    return *done ? LOCANT_OK : share_state(t, b.hash);
}

locant_status lct_train_compare(struct lct_trainer *t)
{
    if (t->ranks.size == 1)
        return LOCANT_OK;
    return lct_ranks_compare(&t->ranks, hash_params(t), t->step);
}

locant_status lct_train_hold(struct lct_trainer *t, locant_status status)
{
    if (t->ranks.size == 1 || status == LOCANT_OK || t->ranks.watched.broken)
        return status;
    lct_group_hold(&t->held, status);
    return LOCANT_OK;
}

locant_status lct_train_held(struct lct_trainer *t, locant_status status)
{
    return t->held.status == LOCANT_OK ? status : lct_group_held(&t->held);
}

locant_status lct_train_say_lost(const struct lct_trainer *t,
                                 locant_status status)
{
    if (status == LOCANT_OK || !t->ranks.watched.broken)
        return status;
    return locant_fail(status,
                       "%s in step %" PRId64 "; the run continues from step"
                       " %" PRId64 ": the same command",
                       locant_last_error(), t->step + 1, t->saved_step);
}
