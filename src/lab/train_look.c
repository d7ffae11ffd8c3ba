/* train_look.c - looking at the heads now and then during training */
#include "probe.h"
#include "train.h"

/*
 * Of models that 'locant probe' would measure.  The pass goes through the
 * activations of training, which the next step writes anew; it draws nothing
 * and changes no parameter.
 */
static bool can_look(const struct lct_trainer *t)
{
    return t->o.source == NULL && t->o.memory == 0 &&
           lct_probe_is_due(t->step, t->o.steps, t->o.batch);
}

locant_status lct_train_look(struct lct_trainer *t)
{
    struct lct_probe p = {.store = t->store, .run.id = t->id,
                          .encoding = t->encoding, .model = t->model,
                          .layers = t->o.layers, .heads = t->o.heads};

    if (!can_look(t))
        return LOCANT_OK;
    if (t->probe_text == NULL)
        LCT_TRY(lct_probe_text(&t->probe_text));
    p.corpus = t->probe_text;
    p.text = lct_corpus_split(p.corpus, LCT_TRAIN);
    p.length = lct_probe_length(t->o.length);
    return lct_probe_snapshot(&p, t->step);
}
