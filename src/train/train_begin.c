/* train_begin.c - see train_begin.h */
#define _GNU_SOURCE
#include "train_begin.h"
#include "../files/hash.h"
#include "../store/clock.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

locant_status lct_train_init_params(struct lct_trainer *t)
{
    struct lct_checkpoint c = { .key = t->parent.key };
    locant_status status;
    char *path;

    if (t->o.parent == 0)
        return lct_model_init(t->model, t->o.seed);
    LCT_TRY(lct_store_run_path(&path, t->store, t->o.parent, "safetensors"));
    status = lct_checkpoint_read(&c, t->model, path);
    locant_release(path);
    return status;
}

/*
 * Read the checkpoint, or if it is damaged the one before it. If both are
 * damaged, report the failure of the first.
 */
static locant_status read_checkpoint(struct lct_checkpoint *c,
                                     struct lct_trainer *t)
{
    locant_status status = lct_checkpoint_read(c, t->model, t->path);
    char why[sizeof t->notice - 64];
    char *previous;

    if (status != LOCANT_ERR_FORMAT)
        return status;
    snprintf(why, sizeof why, "%s", locant_last_error());
    LCT_TRY(
        lct_store_run_path(&previous, t->store, t->id, "previous.safetensors"));
    if (access(previous, F_OK) == 0)
        status = lct_checkpoint_read(c, t->model, previous);
    locant_release(previous);
    if (status == LOCANT_ERR_FORMAT)
        return locant_fail(LOCANT_ERR_FORMAT, "%s", why);
    LCT_TRY(status);
    snprintf(t->notice, sizeof t->notice,
             "%s; run %" PRId64 " went back to"
             " step %" PRId64,
             why, t->id, c->step);
    lct_store_restore_previous(t->store, t->id);
    return LOCANT_OK;
}

static bool has_isa(const char *name)
{
    const char *isa;
    int available;

    for (int i = 0; (isa = locant_isa_at(i, &available)) != NULL; i++)
        if (available && strcmp(isa, name) == 0)
            return true;
    return false;
}

/* Fail if the steps so far used another instruction set: the run would end with
   the bits of neither. */
static locant_status check_isa(const struct lct_trainer *t, int64_t step)
{
    char isa[16];

    LCT_TRY(lct_store_read_session_isa(isa, t->store, t->id, step));
    if (isa[0] == 0 || t->store->any_isa || strcmp(isa, locant_isa()) == 0)
        return LOCANT_OK;
    if (has_isa(isa))
        return locant_fail(LOCANT_ERR_PARAM,
                           "locant_train: run %" PRId64 " was"
                           " trained with %s to step %" PRId64 ", this is %s:"
                           " continue with --isa %s for the same bits, or with"
                           " --any-isa for other bits",
                           t->id, isa, step, locant_isa(), isa);
    return locant_fail(LOCANT_ERR_PARAM,
                       "locant_train: run %" PRId64 " was"
                       " trained with %s to step %" PRId64 ", which this"
                       " machine does not have: --any-isa continues with %s,"
                       " to other bits",
                       t->id, isa, step, locant_isa());
}

locant_status lct_train_begin(struct lct_trainer *t)
{
    struct lct_checkpoint c = { .key = t->key,
                                .m = t->m,
                                .v = t->v,
                                .checksum = LCT_HASH_BEGIN,
                                .memory = t->memory.data ? &t->memory : NULL };

    lct_store_clean_run(t->store, t->id, false);
    if (access(t->path, F_OK) == 0 ||
        lct_store_restore_previous(t->store, t->id))
        LCT_TRY(read_checkpoint(&c, t));
    else
        LCT_TRY(lct_train_init_params(t));
    if (c.step > t->o.steps)
        return locant_fail(LOCANT_ERR_FORMAT,
                           "%s: is of step %" PRId64 ", but run %" PRId64
                           " has %" PRId64 "; with the"
                           " file removed it is trained again",
                           t->path, c.step, t->id, t->o.steps);
    LCT_TRY(check_isa(t, c.step));
    t->step = t->first_step = t->saved_step = c.step;
    t->earlier_seconds = c.seconds;
    t->checksum = c.checksum;
    t->session_start = t->recorded = lct_clock();
    return lct_store_begin_session(t->store, t->id, t->step);
}
