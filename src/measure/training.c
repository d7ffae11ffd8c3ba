/*
 * training.c - locant_train() and locant_resume(): training on text or on a
 * task, with probes of heads at some steps.
 */
#include "../corpus/tokens.h"
#include "../train/trainer.h"
#include "locant/tasks.h"
#include "plan.h"
#include "probe.h"

/*
 * Only models that 'locant probe' can measure are probed, if a pass has whole
 * rows. A probe does not disturb training: it overwrites the activations, which
 * the next step computes anew, but draws no random numbers and changes no
 * parameter.
 */
static bool is_due(const struct lct_trainer *t)
{
    return t->o.source == NULL && t->o.memory == 0 &&
           t->ranks.leaves.of_row == 1 &&
           lct_probe_is_due(t->step, t->o.steps, t->o.batch);
}

static locant_status probe_heads(struct lct_trainer *t)
{
    struct lct_probe p = { .store = t->store,
                           .run.id = t->id,
                           .encoding = t->encoding,
                           .model = t->model,
                           .layers = t->o.layers,
                           .heads = t->o.heads };

    if (!is_due(t))
        return LOCANT_OK;
    if (t->probe_text == NULL)
        LCT_TRY(lct_probe_create_text(&t->probe_text));
    p.corpus = t->probe_text;
    LCT_TRY(lct_tokens_of(&p.text, p.corpus, t->vocabulary));
    p.text += LCT_TRAIN;
    p.length = lct_probe_length(t->o.length);
    return lct_probe_keep_heads(&p, t->step);
}

static const struct lct_train_hooks hooks = { probe_heads,
                                              locant_task_options };

locant_status locant_train(int64_t *run, locant_store *store,
                           const locant_corpus *corpus,
                           const locant_train_options *options)
{
    return lct_train(run, store, corpus, options, 0, &hooks);
}

locant_status lct_train_may_fail(int64_t *run, locant_store *store,
                                 const locant_corpus *corpus,
                                 const locant_train_options *options)
{
    const locant_status status = locant_train(run, store, corpus, options);

    if (status == LOCANT_ERR_PARAM && lct_run_failed(store, *run))
        return LOCANT_OK;
    return status;
}

locant_status locant_resume(locant_store *store, int64_t run,
                            const locant_corpus *corpus,
                            locant_progress_fn progress, void *context)
{
    return lct_resume(store, run, corpus, progress, context, &hooks);
}
