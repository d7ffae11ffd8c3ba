/*
 * evaluate_as.c - evaluates a finished run with another spec, or beyond the end
 * of its table: P1 at the lengths asked for, and P2 if 2048 is one of them.
 */
#define _POSIX_C_SOURCE 200809L
#include "eval.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const policies[] = { "none", "clamp", "wrap", "resample" };
enum { POLICIES = sizeof policies / sizeof policies[0] };

const char *locant_eval_policy_name(enum locant_eval_policy policy)
{
    return (unsigned)policy < POLICIES ? policies[policy] : NULL;
}

static const char fn[] = "locant_evaluate_as";

static int64_t want_of(const locant_eval_options *o)
{
    return o->blocks ? o->blocks : LCT_EVAL_BLOCKS;
}

/* The arguments; rank 0 alone has a store.  Ranks of a group tell each other
   the status, so that none waits for another that has failed. */
static locant_status check_call(const locant_evaluation *out,
                                const locant_store *store,
                                const locant_corpus *corpus,
                                const locant_eval_options *o,
                                const struct lct_eval *ev)
{
    LCT_NOT_NULL(fn, out);
    LCT_NOT_NULL(fn, corpus);
    if (lct_eval_has_store(ev))
        LCT_NOT_NULL(fn, store);
    LCT_TRY(lct_check_range(fn, "policy", (int)o->policy, 0, POLICIES - 1));
    if (o->lengths)
        LCT_TRY(lct_check_range(fn, "n_lengths", (int64_t)o->n_lengths, 1,
                                LOCANT_EVAL_LENGTHS));
    for (size_t i = 0; o->lengths && i < o->n_lengths; i++)
        if (o->lengths[i] < TARGETS || o->lengths[i] > LONGEST ||
            (i > 0 && o->lengths[i] <= o->lengths[i - 1]))
            return locant_fail(LOCANT_ERR_PARAM,
                               "locant_evaluate_as: length %zu is %" PRId64
                               ", expected them rising from %d to %d",
                               i, o->lengths[i], TARGETS, LONGEST);
    return LOCANT_OK;
}

/* Print the lengths asked for, as in "128,256"; "" if none are, which stands
   for the five of the protocols. */
static void print_lengths(char out[64], const locant_eval_options *o)
{
    size_t used = 0;

    out[0] = '\0';
    for (size_t i = 0; o->lengths && i < o->n_lengths; i++)
        used += (size_t)snprintf(out + used, 64 - used, "%s%" PRId64,
                                 i ? "," : "", o->lengths[i]);
}

/* Replace the lengths of the protocols by those asked for, if any, followed by
   0. */
static void set_lengths(struct lct_eval *ev, const locant_eval_options *o)
{
    for (size_t k = 0; o->lengths && k < LOCANT_EVAL_LENGTHS; k++)
        ev->result.length[k] = k < o->n_lengths ? o->lengths[k] : 0;
}

static locant_status load(struct lct_eval *ev, locant_store *store)
{
    if (ev->policy == LOCANT_POLICY_NONE)
        return lct_load_trained_as(&ev->model, ev->encoding, store, &ev->run,
                                   ev->room);
    return lct_load_trained_longer(&ev->model, &ev->trained,
                                   &ev->trained_encoding, ev->encoding, store,
                                   &ev->run, ev->room);
}

static locant_status measure(struct lct_eval *ev)
{
    const int64_t reach =
        ev->memory > 0 ? INT64_MAX : locant_encoding_length_limit(ev->encoding);

    for (int k = 0; k < LOCANT_EVAL_LENGTHS; k++) {
        const int64_t T = ev->result.length[k];

        if (T == LONGEST && ev->span > 0)
            LCT_TRY(lct_eval_by_position(ev));
        else if (T > 0 && T < LONGEST && T <= reach)
            LCT_TRY(lct_eval_same_targets(ev, k));
    }
    lct_eval_set_means(ev);
    return LOCANT_OK;
}

static locant_status evaluate_as(struct lct_eval *ev, locant_store *store,
                                 const locant_corpus *corpus,
                                 const locant_eval_options *o,
                                 const struct lct_evaluation_key *key)
{
    struct lct_block_losses losses = { .p1 = NULL };
    locant_status status = lct_encoding_as(&ev->encoding, &ev->run, o->encoding,
                                           o->policy, LONGEST);

    if (status == LOCANT_OK)
        status = lct_eval_prepare(ev, store, corpus, key->want);
    if (status == LOCANT_OK)
        status =
            lct_eval_has_store(ev) ? load(ev, store) : lct_eval_make_models(ev);
    LCT_TRY(lct_eval_share_models(ev, status));
    set_lengths(ev, o);
    lct_eval_set_span(ev);
    LCT_TRY(measure(ev));
    /* drop the P3 at 2048 that comes with P2: no other length has P3 */
    for (int k = 0; k < LOCANT_EVAL_LENGTHS; k++)
        ev->result.non_overlapping[k] = NAN;
    losses.p1 = ev->block_loss;
    if (lct_eval_has_store(ev))
        status = lct_store_save_evaluation(store, key, &ev->result, &losses);
    return lct_eval_share_result(ev, status);
}

/* The spec in the key: "" for the encoding that the run was trained with. */
static const char *spec_of_key(const struct lct_eval *ev,
                               const locant_encoding *asked)
{
    const char *spec = locant_encoding_spec(asked);

    return strcmp(spec, ev->run.encoding) == 0 ? "" : spec;
}

/* Look for a result in the store. 'asked' is the encoding that the options
   name; the key is completed by run and spec. */
static locant_status find(locant_evaluation *out, bool *found,
                          struct lct_eval *ev, struct lct_evaluation_key *key,
                          locant_encoding **asked, locant_store *store,
                          const locant_corpus *corpus,
                          const locant_eval_options *o)
{
    LCT_TRY(lct_eval_begin(ev, store, key->run, corpus, key->want));
    LCT_TRY(lct_encoding_as(asked, &ev->run, o->encoding, LOCANT_POLICY_NONE,
                            LONGEST));
    key->encoding = spec_of_key(ev, *asked);
    LCT_TRY(lct_store_load_by_key(out, NULL, found, store, key));
    return *found ? LOCANT_OK
                  : lct_store_check_writable(store, "locant_evaluate_as");
}

static locant_status find_or_evaluate(locant_evaluation *out,
                                      struct lct_eval *ev, locant_store *store,
                                      int64_t run, const locant_corpus *corpus,
                                      const locant_eval_options *o)
{
    char lengths[64];
    struct lct_evaluation_key key = {
        .run = run,
        .want = want_of(o),
        .corpus_sha256 = locant_corpus_info_of(corpus)->sha256,
        .lengths = lengths,
        .policy = o->policy ? policies[o->policy] : ""
    };
    locant_encoding *asked = NULL;
    locant_status status = LOCANT_OK;
    bool found = false;

    print_lengths(lengths, o);
    if (lct_eval_has_store(ev))
        status = find(out, &found, ev, &key, &asked, store, corpus, o);
    status = lct_eval_share_run(ev, out, &found, store, status);
    if (status == LOCANT_OK && !found) {
        status = evaluate_as(ev, store, corpus, o, &key);
        if (status == LOCANT_OK)
            *out = ev->result;
    }
    locant_encoding_free(asked);
    return status;
}

/* The options as text, which ranks compare. */
static void print_options(char out[1024], const locant_eval_options *o)
{
    char lengths[64];

    print_lengths(lengths, o);
    snprintf(out, 1024, "blocks=%" PRId64 ";policy=%s;lengths=%s;encoding=%s",
             want_of(o), policies[o->policy], lengths,
             o->encoding ? o->encoding : "");
}

locant_status lct_evaluate_as(locant_evaluation *out, locant_store *store,
                              int64_t run, const locant_corpus *corpus,
                              const locant_eval_options *o, lct_tick tick,
                              void *context)
{
    struct lct_eval ev = { .tick = tick, .context = context };
    char options[1024] = "";
    const char *sha256 = "";
    locant_status status;

    LCT_TRY(lct_check_struct(fn, o->struct_size, sizeof *o));
    LCT_TRY(lct_group_check(fn, o->group));
    lct_eval_set_group(&ev, o->group);
    ev.policy = o->policy;
    ev.run.id = run; /* for messages */
    status = check_call(out, store, corpus, o, &ev);
    if (status == LOCANT_OK) {
        print_options(options, o);
        sha256 = locant_corpus_info_of(corpus)->sha256;
    }
    status = lct_eval_greet(&ev, run, sha256, options, status);
    if (status == LOCANT_OK && !o->encoding && !o->policy && !o->lengths)
        status = lct_eval_protocols(out, &ev, store, run, corpus, want_of(o));
    else if (status == LOCANT_OK)
        status = find_or_evaluate(out, &ev, store, run, corpus, o);
    status = lct_eval_say_lost(&ev, status);
    lct_eval_release(&ev);
    return status;
}

locant_status locant_evaluate_as(locant_evaluation *out, locant_store *store,
                                 int64_t run, const locant_corpus *corpus,
                                 const locant_eval_options *options)
{
    LCT_NOT_NULL(fn, options);
    return lct_evaluate_as(out, store, run, corpus, options, NULL, NULL);
}
