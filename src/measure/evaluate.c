/*
 * evaluate.c - evaluates a run by four protocols.
 *
 * A block is a part of the test split that ends at token e, one past its last
 * target.  A window of C tokens ending at e reads tokens e-C-1 .. e-2 and
 * predicts tokens e-C .. e-1.  Tokens are bytes, or those of the run's
 * byte-pair vocabulary; losses are per byte, see lct_eval_bytes().
 *
 *   P1  same targets: mean loss of the last 64 targets of windows of 128, 256,
 *       .. 2048.  The targets do not depend on C, so the model causes a rise of
 *       the loss, not the text (Kazemnejad et al. 2023, arXiv:2305.19466v2,
 *       appendix F).
 *   P2  by position: losses of the window of 2048, in buckets of 32 positions.
 *   P3  non-overlapping: mean loss of the last 2048 targets, in adjacent
 *       windows of 128, 256, .. 2048.  The first targets of a window have
 *       little context, and longer windows have fewer such targets (Press et
 *       al. 2022, arXiv:2108.12409v2, appendix B).
 *   P4  own window: the 64 targets of P1, as the last 16 of four windows of
 *       128, which needs no extrapolation.
 *
 * Results are NAN ("undefined") at lengths that an encoding is not defined at.
 * P2 has the longest window that the encoding is defined at.
 *
 * A model with memory reads every window in segments of its trained length,
 * from the beginning, and carries memory from one segment to the next.  It
 * reads the validation text as one row of such segments.
 */
#include "eval.h"
#include "../corpus/tokens.h"
#include "../store/run_vocabulary.h"
#include <inttypes.h>
#include <math.h>
#include <string.h>

/* ------------------------------------------------------------------ set up */

/* The span is the longest window of the protocols that the encoding is defined
   at, 0 if there is none. With memory, positions do not exceed those of
   training, so every length is defined. */
void lct_eval_set_span(struct lct_eval *ev)
{
    const int64_t reach = locant_encoding_length_limit(ev->encoding);

    ev->memory = lct_model_config_of(ev->model)->memory;
    ev->span = LONGEST;
    while (ev->memory == 0 && ev->span >= SHORTEST && ev->span > reach)
        ev->span /= 2;
    if (ev->span < SHORTEST)
        ev->span = 0;
}

/* Arrays of one type are one allocation, which their first member owns. */
static locant_status allocate(struct lct_eval *ev, int64_t want)
{
    const size_t n = (size_t)want, room = (size_t)ev->room;
    const size_t all = n * LOCANT_EVAL_LENGTHS, first = n * SHORTEST;
    const size_t losses = 2 * all + (1 + LCT_CHANGED) * n + LONGEST;

    ev->ends = locant_alloc(n * sizeof *ev->ends);
    ev->block_loss = locant_alloc(losses * sizeof *ev->block_loss);
    ev->head = locant_alloc((2 * first + 2 * room) * sizeof *ev->head);
    ev->tokens = locant_alloc(4 * room * sizeof *ev->tokens);
    if (!ev->ends || !ev->block_loss || !ev->head || !ev->tokens)
        return locant_fail(LOCANT_ERR_NOMEM,
                           "locant_evaluate: no memory for %" PRId64 " blocks",
                           want);
    ev->mean_loss = ev->block_loss + all;
    ev->own_loss = ev->mean_loss + all;
    ev->changed = ev->own_loss + n;
    ev->target_bytes = ev->changed + LCT_CHANGED * n;
    ev->shortest = ev->head + first;
    ev->loss = ev->shortest + first;
    ev->segment_loss = ev->loss + room;
    ev->targets = ev->tokens + room;
    ev->segment = ev->targets + room;
    ev->segment_targets = ev->segment + room;
    return LOCANT_OK;
}

void lct_eval_release(struct lct_eval *ev)
{
    locant_release(ev->vocabulary);
    locant_release(ev->waiting);
    locant_release(ev->news);
    locant_release(ev->begin);
    locant_release(ev->kept);
    lct_model_free(ev->model);
    lct_model_free(ev->trained);
    locant_encoding_free(ev->encoding);
    locant_encoding_free(ev->trained_encoding);
    locant_release(ev->ends);
    locant_release(ev->block_loss);
    locant_release(ev->head);
    locant_release(ev->tokens);
}

/* Set every result to NAN. */
static void set_undefined(struct lct_eval *ev)
{
    locant_evaluation *e = &ev->result;

    for (int i = 0; i < LOCANT_EVAL_LENGTHS; i++) {
        e->length[i] = lct_eval_lengths[i];
        e->same_targets[i] = e->non_overlapping[i] = NAN;
    }
    for (int i = 0; i < LOCANT_EVAL_BUCKETS; i++)
        e->by_position[i] = NAN;
    for (int64_t i = 0; i < LOCANT_EVAL_LENGTHS * ev->blocks; i++)
        ev->block_loss[i] = ev->mean_loss[i] = NAN;
    for (int64_t b = 0; b < ev->blocks; b++)
        ev->own_loss[b] = NAN;
    for (int64_t b = 0; b < LCT_CHANGED * ev->blocks; b++)
        ev->changed[b] = NAN;
    e->own_window = e->valid = NAN;
    e->shuffled = e->replaced = e->truncated = NAN;
    e->causality = e->tokens_per_second = NAN;
    e->blocks = ev->blocks;
}

void lct_eval_set_means(struct lct_eval *ev)
{
    for (int k = 0; k < LOCANT_EVAL_LENGTHS; k++) {
        double sum = 0, all = 0;

        for (int64_t b = 0; b < ev->blocks; b++) {
            sum += ev->block_loss[k * ev->blocks + b];
            all += ev->mean_loss[k * ev->blocks + b];
        }
        ev->result.same_targets[k] = sum / (double)ev->blocks;
        ev->result.non_overlapping[k] = all / (double)ev->blocks;
    }
}

static locant_status measure(struct lct_eval *ev)
{
    LCT_TRY(lct_eval_validate(ev));
    if (ev->span == 0)
        return lct_eval_check_causality_at(
            ev, locant_encoding_length_limit(ev->encoding));
    for (int k = 0; k < LOCANT_EVAL_LENGTHS; k++)
        if (lct_eval_lengths[k] <= ev->span && lct_eval_lengths[k] < LONGEST) {
            LCT_TRY(lct_eval_same_targets(ev, k));
            LCT_TRY(lct_eval_non_overlapping(ev, k));
        }
    LCT_TRY(lct_eval_by_position(ev));
    lct_eval_set_means(ev);
    LCT_TRY(lct_eval_check_causality(ev));
    LCT_TRY(lct_eval_own_window(&ev->result.own_window, ev, SHORTEST)); /* P4 */
    return lct_eval_change_context(ev);
}

int64_t lct_evaluation_tokens(int64_t blocks, int64_t length)
{
    int64_t each = length + SHORTEST * (TARGETS / STRIDE) +
                   (2 * SHORTEST + LCT_KEPT_BYTES) * CHANGED_TARGETS + SHORTEST;

    for (int k = 0; k < LOCANT_EVAL_LENGTHS; k++)
        each += lct_eval_lengths[k] + (k > 0 ? LONGEST : 0); /* P1, P3 */
    return blocks * each;
}

double lct_evaluation_windows(double *mean_length, int64_t blocks,
                              int64_t length, int64_t reach)
{
    /* own windows, changed contexts, causality */
    const double fixed = SHORTEST * (TARGETS / STRIDE) +
                         2 * SHORTEST * CHANGED_TARGETS + SHORTEST;
    double tokens = fixed + (double)length;
    double products = fixed * SHORTEST + (double)(length * length);

    for (int k = 0; k < LOCANT_EVAL_LENGTHS; k++) {
        const double T = (double)lct_eval_lengths[k];
        const double all = T + (k > 0 ? LONGEST : 0); /* P1, P3 */

        if (lct_eval_lengths[k] > reach)
            break;
        tokens += all;
        products += all * T;
    }
    *mean_length = products / tokens;
    return (double)blocks * tokens;
}

/* Set the parts of the corpus to tokens that the run's model reads. */
static locant_status set_text(struct lct_eval *ev, locant_store *store,
                              const locant_corpus *corpus)
{
    const struct lct_split *parts;

    if (ev->group == NULL)
        LCT_TRY(lct_run_vocabulary(&ev->vocabulary, store, &ev->run));
    LCT_TRY(lct_tokens_of(&parts, corpus, ev->vocabulary));
    ev->train = &parts[LCT_TRAIN];
    ev->test = &parts[LCT_TEST];
    ev->valid = &parts[LCT_VALID];
    return LOCANT_OK;
}

static void count_target_bytes(struct lct_eval *ev)
{
    for (size_t i = 0; i < LONGEST; i++) {
        size_t bytes = 0;

        for (int64_t b = 0; b < ev->blocks; b++)
            bytes += lct_tokens_bytes(ev->test, ev->ends[b] - LONGEST + i, 1);
        ev->target_bytes[i] = (double)bytes / (double)ev->blocks;
    }
}

locant_status lct_eval_choose_blocks(size_t *ends, int64_t *blocks,
                                     int64_t want, const char *fn,
                                     const struct lct_split *test)
{
    *blocks =
        (int64_t)lct_choose_blocks(ends, (size_t)want, test, LCT_EVAL_SEED);
    if (*blocks > 0)
        return LOCANT_OK;
    return locant_fail(LOCANT_ERR_FORMAT,
                       "%s: no file of the test split has the %d %s a block"
                       " needs",
                       fn, LCT_TEST_FILE_MIN, test->ids ? "tokens" : "bytes");
}

locant_status lct_eval_prepare(struct lct_eval *ev, locant_store *store,
                               const locant_corpus *corpus, int64_t want)
{
    LCT_TRY(set_text(ev, store, corpus));
    ev->room = ev->run.length > LONGEST ? ev->run.length : LONGEST;
    LCT_TRY(allocate(ev, want));
    LCT_TRY(lct_eval_choose_blocks(ev->ends, &ev->blocks, want,
                                   "locant_evaluate", ev->test));
    count_target_bytes(ev);
    set_undefined(ev);
    return LOCANT_OK;
}

/* ------------------------------------------------------------------ public */

static locant_status evaluate(struct lct_eval *ev, locant_store *store,
                              const locant_corpus *corpus, int64_t want)
{
    const struct lct_evaluation_key key = {
        .run = ev->run.id,
        .want = want,
        .corpus_sha256 = locant_corpus_info_of(corpus)->sha256
    };
    struct lct_block_losses losses;
    locant_status status = lct_eval_prepare(ev, store, corpus, want);

    if (status == LOCANT_OK)
        status = lct_eval_has_store(ev)
                     ? lct_load_trained(&ev->model, &ev->encoding, store,
                                        &ev->run, ev->room)
                     : lct_eval_make_models(ev);
    LCT_TRY(lct_eval_share_models(ev, status));
    lct_eval_set_span(ev);
    LCT_TRY(measure(ev));
    losses = (struct lct_block_losses){ ev->block_loss, ev->mean_loss,
                                        ev->own_loss, ev->changed };
    if (lct_eval_has_store(ev))
        status = lct_store_save_evaluation(store, &key, &ev->result, &losses);
    return lct_eval_share_result(ev, status);
}

locant_status lct_eval_begin(struct lct_eval *ev, locant_store *store,
                             int64_t run, const locant_corpus *corpus,
                             int64_t want)
{
    const char *sha = locant_corpus_info_of(corpus)->sha256;
    locant_encoding *own;

    if (want < 1 || want > 1 << 20)
        return locant_fail(LOCANT_ERR_PARAM,
                           "locant_evaluate: blocks is %" PRId64
                           ", expected 0 .. %d",
                           want, 1 << 20);
    LCT_TRY(locant_store_run(&ev->run, store, run));
    LCT_TRY(lct_check_done("locant_evaluate", &ev->run));
    if (strcmp(ev->run.corpus_sha256, sha) != 0)
        return locant_fail(LOCANT_ERR_PARAM,
                           "locant_evaluate: run %" PRId64 " was trained on"
                           " another corpus (SHA-256 %.12s.., not %.12s..)",
                           run, ev->run.corpus_sha256, sha);
    LCT_TRY(lct_encoding_of_run(&own, store, &ev->run));
    locant_encoding_free(own);
    return LOCANT_OK;
}

/* Look for a result in the store; *found is false if the run has to be
   evaluated. */
static locant_status find(locant_evaluation *out, bool *found,
                          struct lct_eval *ev, locant_store *store, int64_t run,
                          const locant_corpus *corpus, int64_t want)
{
    locant_status status;

    LCT_TRY(lct_eval_begin(ev, store, run, corpus, want));
    LCT_TRY(lct_store_load_evaluation(out, NULL, found, store, run,
                                      locant_corpus_info_of(corpus)->sha256,
                                      want));
    /* evaluations of older versions lack P3, or changed contexts: evaluate
       again */
    if (*found && (isnan(out->same_targets[0]) ||
                   !(isnan(out->non_overlapping[0]) || isnan(out->replaced))))
        return LOCANT_OK;
    status = lct_store_check_writable(store, "locant_evaluate");
    if (status != LOCANT_OK && *found)
        return LOCANT_OK;
    *found = false;
    return status;
}

locant_status lct_eval_protocols(locant_evaluation *out, struct lct_eval *ev,
                                 locant_store *store, int64_t run,
                                 const locant_corpus *corpus, int64_t want)
{
    locant_status status = LOCANT_OK;
    bool found = false;

    if (lct_eval_has_store(ev))
        status = find(out, &found, ev, store, run, corpus, want);
    LCT_TRY(lct_eval_share_run(ev, out, &found, store, status));
    if (found)
        return LOCANT_OK;
    LCT_TRY(evaluate(ev, store, corpus, want));
    *out = ev->result;
    return LOCANT_OK;
}

locant_status lct_evaluate(locant_evaluation *out, locant_store *store,
                           int64_t run, const locant_corpus *corpus,
                           int64_t blocks, lct_tick tick, void *context)
{
    struct lct_eval ev = { .tick = tick, .context = context };
    const locant_status status = lct_eval_protocols(
        out, &ev, store, run, corpus, blocks ? blocks : LCT_EVAL_BLOCKS);

    lct_eval_release(&ev);
    return status;
}

locant_status locant_evaluate(locant_evaluation *out, locant_store *store,
                              int64_t run, const locant_corpus *corpus,
                              int64_t blocks)
{
    LCT_NOT_NULL(__func__, out);
    LCT_NOT_NULL(__func__, store);
    LCT_NOT_NULL(__func__, corpus);
    return lct_evaluate(out, store, run, corpus, blocks, NULL, NULL);
}
