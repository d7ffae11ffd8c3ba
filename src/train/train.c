/*
 * train.c - trains one model; a stopped run continues to the same bits.
 *
 * A step depends only on the seed, its number and the last checkpoint: they
 * determine the batch, the learning rate, the parameters and the moments.
 */
#define _GNU_SOURCE
#include "train.h"
#include "../store/checkpoint.h"
#include "../store/clock.h"
#include "../store/speed.h"
#include "../group/greeting.h"
#include "register.h"
#include "train_begin.h"
#include "train_group.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static double seconds_now(const struct lct_trainer *t)
{
    return t->earlier_seconds + (lct_clock() - t->session_start);
}

static locant_status record(struct lct_trainer *t, const char *status,
                            const char *message)
{
    const struct lct_run_state state = {
        status, t->step, seconds_now(t), t->checksum,
        message == NULL && t->notice[0] ? t->notice : message
    };

    LCT_TRY(
        lct_store_record(t->store, t->id, &state, t->metrics, t->n_metrics));
    t->n_metrics = 0;
    t->recorded = lct_clock();
    return LOCANT_OK;
}

/* Only rank 0 of a group has a store. */
static bool has_store(const struct lct_trainer *t)
{
    return t->ranks.rank == 0;
}

/* Metrics are recorded before the checkpoint is written, so those of the steps
   before a checkpoint are never missing. */
static locant_status write_state(struct lct_trainer *t, const char *status)
{
    const struct lct_checkpoint c = { t->key,
                                      t->step,
                                      seconds_now(t),
                                      t->checksum,
                                      t->m,
                                      t->v,
                                      t->memory.data ? &t->memory : NULL };

    LCT_TRY(record(t, "running", NULL));
    lct_store_keep_previous(t->store, t->id);
    LCT_TRY(lct_checkpoint_write(t->path, t->model, &c));
    if (strcmp(status, "running") == 0)
        return LOCANT_OK;
    LCT_TRY(record(t, status, NULL));
    if (strcmp(status, "done") == 0)
        lct_store_drop_previous(t->store, t->id);
    return LOCANT_OK;
}

/* Rank 0 writes; all fail if it does. */
static locant_status save(struct lct_trainer *t, const char *status)
{
    locant_status own;

    LCT_TRY(lct_train_compare(t));
    LCT_TRY(lct_train_gather_memory(t));
    own = lct_train_held(t, LOCANT_OK);
    if (own == LOCANT_OK && has_store(t))
        own = write_state(t, status);
    LCT_TRY(lct_ranks_agree(&t->ranks, own));
    t->saved_step = t->step;
    return LOCANT_OK;
}

/* Mark the run as failed. Parameters and moments are those of the last step
   whose numbers were finite. */
static locant_status stop_not_finite(struct lct_trainer *t, const char *what,
                                     double value)
{
    char message[160];

    /* do not print the sign of a NaN */
    snprintf(message, sizeof message,
             "the %s became %g at step %" PRId64
             "; a lower learning_rate than %g may help",
             what, isnan(value) ? (double)NAN : value, t->step + 1,
             t->o.learning_rate);
    /* memory has already advanced by a segment: keep the last checkpoint */
    if (t->o.memory == 0)
        LCT_TRY(save(t, "running"));
    LCT_TRY(lct_ranks_agree(
        &t->ranks, has_store(t) ? record(t, "failed", message) : LOCANT_OK));
    return locant_fail(LOCANT_ERR_PARAM,
                       "locant_train: run %" PRId64 " (%s): %s", t->id,
                       locant_encoding_spec(t->encoding), message);
}

/* Call o.progress, at most ten times a second; nonzero if it asks to stop. */
static int report(struct lct_trainer *t)
{
    double now = lct_clock(), elapsed = now - t->session_start;
    int64_t tokens = t->o.batch * t->o.length;
    locant_progress p = {
        .phase = "train",
        .encoding = locant_encoding_spec(t->encoding),
        .seed = t->o.seed,
        .step = t->step,
        .steps = t->o.steps,
        .loss = t->n_metrics ? t->metrics[t->n_metrics - 1].loss : NAN,
        .done = t->step * tokens,
        .total = t->o.steps * tokens,
        .elapsed = elapsed,
        .left = NAN,
        .rate = NAN,
    };

    if (t->o.progress == NULL || now - t->reported < .1)
        return 0;
    t->reported = now;
    if (t->notice[0] && !t->notice_shown)
        p.notice = t->notice;
    t->notice_shown = true;
    if (t->step > t->first_step && elapsed > 0) {
        p.rate = (double)((t->step - t->first_step) * tokens) / elapsed;
        p.left = (double)(p.total - p.done) / p.rate;
    }
    return t->o.progress(&p, t->o.context);
}

/* Record the time per token of this session's steps, if there were any. */
static locant_status keep_speed(const struct lct_trainer *t)
{
    const double tokens =
        (double)((t->step - t->first_step) * t->o.batch * t->o.length);
    const struct lct_speed x = { 1e3 * t->forward_seconds / tokens,
                                 1e3 * t->backward_seconds / tokens };

    return tokens > 0 ? lct_speed_keep(t->store, t->id, &x) : LOCANT_OK;
}

/* What rank 0 alone does after a step, besides checkpoints. */
static locant_status after_step(struct lct_trainer *t)
{
    if (!has_store(t)) {
        t->n_metrics = 0;
        return LOCANT_OK;
    }
    return t->hooks->probe(t);
}

static locant_status record_some(struct lct_trainer *t)
{
    if (!has_store(t) ||
        (t->n_metrics < LCT_METRICS && lct_clock() - t->recorded < 1))
        return LOCANT_OK;
    return lct_train_hold(t, record(t, "running", NULL));
}

/* Whether to stop now: under a group if some rank wished it before the step. */
static bool is_to_stop(struct lct_trainer *t)
{
    const bool wish = report(t) != 0;

    t->wish |= wish;
    return t->ranks.size > 1 ? t->stop : wish;
}

static locant_status stop(struct lct_trainer *t)
{
    LCT_TRY(save(t, "interrupted"));
    return locant_fail(LOCANT_ERR_INTERRUPTED,
                       "locant_train: run %" PRId64 " was stopped after step"
                       " %" PRId64 " of %" PRId64,
                       t->id, t->step, t->o.steps);
}

static locant_status train(struct lct_trainer *t)
{
    int64_t every = t->o.checkpoint_every ? t->o.checkpoint_every : 100;
    const char *not_finite;
    double value;

    LCT_TRY(lct_train_hold(t, after_step(t)));
    while (t->step < t->o.steps) {
        LCT_TRY(lct_train_step(t, &not_finite, &value));
        if (not_finite)
            return stop_not_finite(t, not_finite, value);
        LCT_TRY(lct_train_hold(t, after_step(t)));
        if (is_to_stop(t) && t->step < t->o.steps)
            return stop(t);
        if (t->step % every == 0 && t->step < t->o.steps)
            LCT_TRY(save(t, "running"));
        else
            LCT_TRY(record_some(t));
    }
    if (has_store(t))
        LCT_TRY(lct_train_hold(t, keep_speed(t)));
    return save(t, "done");
}

bool lct_run_failed(locant_store *store, int64_t id)
{
    locant_run_info info;

    return id > 0 && locant_store_run(&info, store, id) == LOCANT_OK &&
           strcmp(info.status, "failed") == 0;
}

/* A run is done when the store says so and its checkpoint is there. */
static locant_status is_done(bool *done, const struct lct_trainer *t)
{
    locant_run_info info;

    LCT_TRY(locant_store_run(&info, t->store, t->id));
    *done = strcmp(info.status, "done") == 0 && access(t->path, F_OK) == 0;
    if (*done) {
        /* The process that finished the run may have been killed before it
           removed these files. */
        lct_store_drop_previous(t->store, t->id);
        if (t->lock < 0)
            lct_store_drop_lock(t->store, t->id);
    }
    return LOCANT_OK;
}

/* Find the run and continue it from its checkpoint, unless it is done. */
static locant_status begin_in_store(struct lct_trainer *t, bool *done)
{
    locant_status status = lct_register_run(t);

    if (t->only != 0) /* the options came from the store */
        status = lct_store_blame(status, t->store, "run %" PRId64, t->only);
    LCT_TRY(status);
    LCT_TRY(is_done(done, t));
    if (*done)
        return LOCANT_OK;
    LCT_TRY(lct_store_lock_run(&t->lock, t->store, t->id, "locant_train"));
    /* Another process may have finished the run before this one locked it. */
    LCT_TRY(is_done(done, t));
    return *done ? LOCANT_OK : lct_train_begin(t);
}

static locant_status run_trainer(struct lct_trainer *t)
{
    locant_status status = lct_train_set_up(t);
    bool done = false;

    if (t->only != 0)
        status = lct_store_blame(status, t->store, "run %" PRId64, t->only);
    LCT_TRY(lct_greeting_begin("locant_train", t->ranks.group, t->key, status));
    status = has_store(t) ? begin_in_store(t, &done) : LOCANT_OK;
    LCT_TRY(lct_train_share_begin(t, status, &done));
    return done ? LOCANT_OK : train(t);
}

locant_status lct_trainer_create(struct lct_trainer **out,
                                 const locant_corpus *corpus,
                                 const locant_train_options *options)
{
    struct lct_trainer *t = *out = locant_alloc(sizeof *t);

    if (t == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "locant_train: no memory");
    t->corpus = corpus;
    t->o = *options;
    t->o.kv_heads = options->kv_heads ? options->kv_heads : options->heads;
    t->o.leaves = lct_ranks_leaves(options);
    t->lock = -1;
    return lct_ranks_create(&t->ranks, &t->o);
}

void lct_trainer_free(struct lct_trainer *t)
{
    if (t == NULL)
        return;
    lct_store_unlock_run(t->lock, t->store, t->id);
    lct_model_free(t->model);
    locant_encoding_free(t->encoding);
    locant_corpus_free(t->probe_text);
    locant_release(t->of_parent);
    locant_release(t->m);
    locant_release(t->v);
    locant_release(t->muon);
    locant_release(t->tokens);
    locant_release(t->targets);
    locant_release(t->row);
    locant_release(t->starts);
    locant_release(t->loss);
    locant_release(t->memory.data);
    lct_ranks_free(&t->ranks);
    locant_release(t->path);
    locant_release(t);
}

locant_status lct_train(int64_t *run, locant_store *store,
                        const locant_corpus *corpus,
                        const locant_train_options *options, int64_t only,
                        const struct lct_train_hooks *hooks)
{
    struct lct_trainer *t;
    locant_status status;

    status = lct_train_check(run, store, corpus, options);
    if (only != 0)
        status = lct_store_blame(status, store, "run %" PRId64, only);
    LCT_TRY(lct_train_greet_failure(options, status));
    status = lct_trainer_create(&t, corpus, options);
    if (status != LOCANT_OK) {
        lct_trainer_free(t);
        return lct_train_greet_failure(options, status);
    }
    t->store = has_store(t) ? store : NULL;
    t->only = only;
    t->hooks = hooks;
    status = lct_train_say_lost(t, run_trainer(t));
    if (t->id > 0)
        *run = t->id;
    lct_trainer_free(t);
    return status;
}
