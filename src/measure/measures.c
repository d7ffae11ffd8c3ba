/*
 * measures.c - measures of a run besides the protocols: P1 with a temperature
 * that grows with log n, and P1 beyond the end of its table by each policy.
 */
#include "measures.h"
#include "../train/load_trained.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static enum locant_eval_policy policy_of(enum lct_measure measure)
{
    return measure == LCT_CLAMP      ? LOCANT_POLICY_CLAMP
           : measure == LCT_WRAP     ? LOCANT_POLICY_WRAP
           : measure == LCT_RESAMPLE ? LOCANT_POLICY_RESAMPLE
                                     : LOCANT_POLICY_NONE;
}

/* Can the run be evaluated with that encoding beyond the trained length? Then
   'spec' is the spec of that encoding. */
static bool extends(char spec[320], const locant_run_info *run,
                    const char *asked, enum locant_eval_policy policy)
{
    locant_encoding *e = NULL;
    const bool made =
        lct_encoding_as(&e, run, asked, policy, 2048) == LOCANT_OK;
    const bool beyond = made && locant_encoding_length_limit(e) > run->length &&
                        strlen(locant_encoding_spec(e)) < 320;

    if (beyond)
        snprintf(spec, 320, "%s", locant_encoding_spec(e));
    locant_encoding_free(e);
    return beyond;
}

/*
 * Set the options to evaluate a run for a measure; they point to 'spec'. False
 * if the measure does not apply: a policy to an encoding without a table that
 * ends, a temperature to one that has a temperature already.
 */
static bool set_options(locant_eval_options *o, char spec[320],
                        enum lct_measure measure, const locant_run_info *run)
{
    char asked[320], unused[320];

    *o = (locant_eval_options)LOCANT_EVAL_INIT;
    spec[0] = '\0';
    o->policy = policy_of(measure);
    if (o->policy != LOCANT_POLICY_NONE)
        return extends(unused, run, NULL, o->policy);
    if (measure != LCT_LOGN || run->length < 2)
        return false;
    snprintf(asked, sizeof asked,
             "temperature(kind=logn,length=%" PRId64 ")+%s", run->length,
             run->encoding);
    o->encoding = spec;
    return extends(spec, run, asked, LOCANT_POLICY_NONE);
}

locant_status lct_measures_evaluate(locant_store *store, int64_t id,
                                    const locant_corpus *corpus, int64_t blocks,
                                    lct_tick tick, void *context)
{
    locant_eval_options o;
    locant_evaluation unused;
    locant_run_info run;
    locant_status status;
    char spec[320];

    LCT_TRY(locant_store_run(&run, store, id));
    for (int m = LCT_LOGN; m < LCT_MEASURES; m++) {
        if (!set_options(&o, spec, (enum lct_measure)m, &run))
            continue;
        o.blocks = blocks;
        status = lct_evaluate_as(&unused, store, id, corpus, &o, tick, context);
        /* policies are refused if table rows are not positions */
        if (status != LOCANT_OK &&
            (o.policy == LOCANT_POLICY_NONE || status != LOCANT_ERR_PARAM))
            return status;
    }
    return LOCANT_OK;
}

int64_t lct_measures_tokens(int64_t blocks, const char *spec, int64_t length)
{
    locant_run_info run = { .length = length };
    locant_eval_options o;
    char unused[320];
    int64_t each = 0; /* 128 + 256 + .. 2048 for each measure */

    snprintf(run.encoding, sizeof run.encoding, "%s", spec);
    for (int m = LCT_LOGN; m < LCT_MEASURES; m++)
        if (set_options(&o, unused, (enum lct_measure)m, &run))
            each += 128 * ((INT64_C(1) << LOCANT_EVAL_LENGTHS) - 1);
    return blocks * each;
}

_Static_assert(LCT_TRUNCATED - LCT_SHUFFLED == LCT_CONTEXT_TRUNCATED,
               "same order");

locant_status lct_measures_read(struct lct_result *out, locant_store *store,
                                int64_t want)
{
    const size_t n = LOCANT_EVAL_LENGTHS, blocks = (size_t)out->eval.blocks;
    struct lct_evaluation_key key = { .run = out->run.id,
                                      .want = want,
                                      .corpus_sha256 = out->run.corpus_sha256 };
    locant_eval_options o;
    char spec[320];

    LCT_TRY(lct_store_read_block_losses(&out->more[LCT_P3], store, &key, "P3",
                                        n, blocks));
    LCT_TRY(lct_store_read_block_losses(&out->more[LCT_P4], store, &key, "P4",
                                        1, blocks));
    for (int i = 0; i < LCT_CHANGED; i++)
        LCT_TRY(lct_store_read_block_losses(&out->more[LCT_SHUFFLED + i], store,
                                            &key, lct_changed_names[i], 1,
                                            blocks));
    for (int m = LCT_LOGN; m < LCT_MEASURES; m++) {
        if (!set_options(&o, spec, (enum lct_measure)m, &out->run))
            continue;
        key.encoding = o.encoding;
        key.policy = o.policy ? locant_eval_policy_name(o.policy) : "";
        LCT_TRY(lct_store_read_block_losses(&out->more[m], store, &key, "P1", n,
                                            blocks));
    }
    return LOCANT_OK;
}
