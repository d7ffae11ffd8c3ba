/*
 * evaluate_ranks.c - an evaluation whose windows are shared out over the ranks
 * of a group.
 *
 * Batches of windows are the same for any number of ranks.  In a round the
 * ranks compute one batch each, in order of rank, or, if there are at most half
 * as many batches, each batch together; then they exchange the losses.  Every
 * rank uses all of them in the order of the batches, as one process does.
 */
#include "../store/run_vocabulary.h"
#include "../group/greeting.h"
#include "eval.h"
#include "evaluate_shared.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { KEY_BYTES = 900 /* of the options as text, for the greeting */ };

static bool alone(const struct lct_eval *ev)
{
    return lct_group_size(ev->group) == 1;
}

bool lct_eval_has_store(const struct lct_eval *ev)
{
    return lct_group_rank(ev->group) == 0;
}

void lct_eval_set_group(struct lct_eval *ev, const locant_group *g)
{
    ev->group = lct_group_watch(&ev->watched, g);
}

locant_status lct_eval_say_lost(const struct lct_eval *ev, locant_status status)
{
    if (status == LOCANT_OK || !ev->watched.broken)
        return status;
    return locant_fail(status,
                       "%s in the evaluation of run %" PRId64 ", of which"
                       " nothing is recorded; the same command begins it again",
                       locant_last_error(), ev->run.id);
}

locant_status lct_eval_greet(const struct lct_eval *ev, int64_t run,
                             const char *sha256, const char *options,
                             locant_status status)
{
    char key[KEY_BYTES];
    int n = 0;

    if (alone(ev))
        return status;
    if (status == LOCANT_OK)
        n = snprintf(key, sizeof key, "run=%" PRId64 ";corpus=%s;%s", run,
                     sha256, options);
    if (n < 0 || n >= KEY_BYTES)
        status = locant_fail(LOCANT_ERR_PARAM,
                             "locant_evaluate_as: the options take %d bytes as"
                             " text, ranks compare fewer than %d",
                             n, KEY_BYTES);
    return lct_greeting_begin("locant_evaluate_as", ev->group, key, status);
}

/* ----------------------------------------------------------------- windows */

/* Room for one batch of each rank. */
static locant_status reserve(struct lct_eval *ev)
{
    const size_t size = (size_t)ev->group->size;
    const size_t bytes =
        size * (LCT_EVAL_HEAD + (size_t)ev->room * sizeof *ev->loss);

    ev->begin = locant_alloc((size + 1) * sizeof *ev->begin);
    ev->waiting = locant_alloc(size * sizeof *ev->waiting);
    ev->news = locant_alloc(bytes);
    ev->kept = locant_alloc(2 * size * (size_t)ev->room * sizeof *ev->kept);
    if (!ev->begin || !ev->waiting || !ev->news || !ev->kept)
        return locant_fail(LOCANT_ERR_NOMEM,
                           "locant_evaluate_as: no memory for the losses of %d"
                           " ranks",
                           ev->group->size);
    memset(ev->news, 0, bytes);
    ev->begin[0] = 0;
    return LOCANT_OK;
}

static locant_status ask(const struct lct_eval *ev)
{
    if (locant_ask_poll() != 0)
        return locant_fail(LOCANT_ERR_INTERRUPTED,
                           "locant_evaluate_as: the evaluation of run %" PRId64
                           " was stopped by the poll",
                           ev->run.id);
    return LOCANT_OK;
}

/* Compute the batch of this rank, and keep its losses among the news. */
static locant_status compute_own(struct lct_eval *ev,
                                 const struct lct_eval_batch *x)
{
    LCT_TRY(ask(ev));
    LCT_TRY(lct_eval_forward(ev, x->B, x->T));
    memcpy(ev->news + ev->begin[ev->group->rank] + LCT_EVAL_HEAD, ev->loss,
           (size_t)(x->B * x->T) * sizeof *ev->loss);
    return LOCANT_OK;
}

locant_status lct_eval_batch(struct lct_eval *ev,
                             const struct lct_eval_batch *x)
{
    const size_t bytes = (size_t)(x->B * x->T) * sizeof *ev->kept;
    int32_t *kept;

    if (alone(ev)) {
        LCT_TRY(lct_eval_forward(ev, x->B, x->T));
        x->use(ev, x, ev->loss);
        return LOCANT_OK;
    }
    kept = ev->kept + 2 * ev->waits * ev->room;
    memcpy(kept, ev->tokens, bytes);
    memcpy(kept + ev->room, ev->targets, bytes);
    ev->waiting[ev->waits++] = *x;
    return ev->waits == ev->group->size ? lct_eval_settle(ev) : LOCANT_OK;
}

/* Compute n batches, each by the rank of its number. */
static locant_status compute_each(struct lct_eval *ev, int n)
{
    const int rank = ev->group->rank;
    locant_status own = LOCANT_OK;

    for (int i = 0; i < ev->group->size; i++) {
        const struct lct_eval_batch *x = &ev->waiting[i];

        ev->begin[i + 1] =
            ev->begin[i] + LCT_EVAL_HEAD +
            (i < n ? (size_t)(x->B * x->T) * sizeof *ev->loss : 0);
    }
    if (rank < n) {
        ev->tokens = ev->kept + 2 * rank * ev->room;
        ev->targets = ev->tokens + ev->room;
        own = compute_own(ev, &ev->waiting[rank]);
    }
    LCT_TRY(lct_group_tell(ev->news, ev->begin, own, ev->group));
    for (int i = 0; i < n; i++)
        ev->waiting[i].use(
            ev, &ev->waiting[i],
            (const real *)(ev->news + ev->begin[i] + LCT_EVAL_HEAD));
    return LOCANT_OK;
}

/* Compute this rank's part of a batch. No other rank waits for it if that
   fails. */
static locant_status compute_part(struct lct_eval *ev, struct lct_model *m,
                                  const struct lct_eval_batch *x)
{
    const size_t *begin = ev->begin + ev->group->rank;
    const size_t bytes = begin[1] - begin[0] - LCT_EVAL_HEAD;
    locant_status status = ask(ev);

    if (status == LOCANT_OK)
        status = lct_eval_shared_compute(ev, m, x);
    if (status == LOCANT_OK)
        status = lct_eval_tick(ev, (int64_t)(bytes / sizeof(real)));
    if (status == LOCANT_OK || ev->watched.broken || m == NULL)
        return status;
    LCT_TRY(lct_model_end_exchanges(m));
    return status;
}

/* Compute a batch by all ranks. */
static locant_status share(struct lct_eval *ev, const struct lct_eval_batch *x)
{
    locant_status status = lct_eval_extend(ev, x->T);
    struct lct_model *m = NULL;

    if (status == LOCANT_OK)
        status = lct_eval_shared_model(&m, ev, x);
    status = lct_group_agree(status, ev->group);
    if (status == LOCANT_OK) {
        lct_eval_shared_lay_out(ev, x);
        status = compute_part(ev, m, x);
        if (status == LOCANT_OK || !ev->watched.broken)
            status = lct_group_tell(ev->news, ev->begin, status, ev->group);
    }
    lct_model_free(m);
    LCT_TRY(status);
    lct_eval_shared_collect(ev, x);
    x->use(ev, x, ev->loss);
    return LOCANT_OK;
}

/* Compute n batches, each by all ranks. */
static locant_status share_each(struct lct_eval *ev, int n)
{
    for (int i = 0; i < n; i++) {
        ev->tokens = ev->kept + 2 * i * ev->room;
        ev->targets = ev->tokens + ev->room;
        LCT_TRY(share(ev, &ev->waiting[i]));
    }
    return LOCANT_OK;
}

locant_status lct_eval_settle(struct lct_eval *ev)
{
    int32_t *const tokens = ev->tokens, *const targets = ev->targets;
    const int n = ev->waits;
    locant_status status;
    bool shared;

    if (n == 0)
        return LOCANT_OK;
    shared = 2 * n <= ev->group->size; /* else half the ranks work alone */
    for (int i = 0; i < n; i++)
        shared = shared && lct_eval_shared_is_possible(ev, &ev->waiting[i]);
    ev->waits = 0;
    status = shared ? share_each(ev, n) : compute_each(ev, n);
    ev->tokens = tokens; /* a caller may go on with its last window */
    ev->targets = targets;
    return status;
}

/* ----------------------------------------------------------- begin and end */

/* What rank 0 tells of its store. */
struct begin {
    int32_t found, vocabulary; /* is there a result, a vocabulary? */
    locant_run_info run;
    locant_evaluation result;
};

static locant_status share_vocabulary(struct lct_eval *ev)
{
    locant_status status = LOCANT_OK;

    if (ev->vocabulary == NULL)
        ev->vocabulary = locant_alloc(sizeof *ev->vocabulary);
    if (ev->vocabulary == NULL)
        status = locant_fail(LOCANT_ERR_NOMEM,
                             "locant_evaluate_as: no memory for a vocabulary");
    LCT_TRY(lct_group_agree(status, ev->group));
    return lct_group_broadcast(ev->vocabulary, sizeof *ev->vocabulary,
                               ev->group);
}

locant_status lct_eval_share_run(struct lct_eval *ev, locant_evaluation *out,
                                 bool *found, locant_store *store,
                                 locant_status status)
{
    struct begin b = { .found = *found };

    if (alone(ev))
        return status;
    if (ev->group->rank == 0 && status == LOCANT_OK && !*found)
        status = lct_run_vocabulary(&ev->vocabulary, store, &ev->run);
    LCT_TRY(lct_group_agree(status, ev->group));
    if (ev->group->rank == 0) {
        b.vocabulary = ev->vocabulary != NULL;
        b.run = ev->run;
        b.result = *found ? *out : ev->result;
    }
    LCT_TRY(lct_group_broadcast(&b, sizeof b, ev->group));
    *found = b.found != 0;
    ev->run = b.run;
    if (*found)
        *out = b.result;
    return b.vocabulary ? share_vocabulary(ev) : LOCANT_OK;
}

locant_status lct_eval_make_models(struct lct_eval *ev)
{
    if (ev->encoding == NULL)
        LCT_TRY(lct_encoding_as(&ev->encoding, &ev->run, NULL,
                                LOCANT_POLICY_NONE, LONGEST));
    LCT_TRY(lct_make_untrained(&ev->model, ev->encoding, &ev->run, ev->room,
                               false));
    if (ev->policy == LOCANT_POLICY_NONE)
        return LOCANT_OK;
    LCT_TRY(lct_encoding_as(&ev->trained_encoding, &ev->run, NULL,
                            LOCANT_POLICY_NONE, LONGEST));
    return lct_make_untrained(&ev->trained, ev->trained_encoding, &ev->run, 1,
                              false);
}

static locant_status share_params(struct lct_eval *ev, struct lct_model *m)
{
    return m == NULL ? LOCANT_OK
                     : lct_group_broadcast(lct_model_params(m),
                                           lct_model_size(m) * sizeof(real),
                                           ev->group);
}

locant_status lct_eval_share_models(struct lct_eval *ev, locant_status status)
{
    if (alone(ev))
        return status;
    if (status == LOCANT_OK)
        status = reserve(ev);
    LCT_TRY(lct_group_agree(status, ev->group));
    LCT_TRY(share_params(ev, ev->model));
    return share_params(ev, ev->trained);
}

locant_status lct_eval_share_result(struct lct_eval *ev, locant_status status)
{
    LCT_TRY(lct_group_agree(status, ev->group));
    return lct_group_broadcast(&ev->result, sizeof ev->result, ev->group);
}
