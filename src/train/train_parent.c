/* train_parent.c - what a run takes from its parent, which rank 0 reads */
#include "../store/run_vocabulary.h"
#include "../group/greeting.h"
#include "train_group.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Ranks with another parent would wait for what the others do not send. */
static locant_status greet(const struct lct_trainer *t)
{
    char text[64];

    snprintf(text, sizeof text, "parent=%" PRId64, t->o.parent);
    return lct_greeting_begin("locant_train", t->ranks.group, text, LOCANT_OK);
}

/*
 * Can a model of 'vocab' tokens read what the options train it on? One of a
 * byte-pair vocabulary reads bytes too, because they are its first 256 tokens.
 */
static bool can_read(int64_t vocab, const locant_train_options *o)
{
    const int64_t needed = o->source ? o->source->vocab : LCT_VOCAB;

    return vocab == needed || (vocab > LCT_VOCAB && needed == LCT_VOCAB);
}

static locant_status check(const locant_run_info *run,
                           const locant_train_options *o)
{
    struct lct_model_config c;

    LCT_TRY(lct_model_parse(&c, run->model));
    if (strcmp(run->status, "done") != 0)
        return locant_fail(LOCANT_ERR_PARAM,
                           "locant_train: the parent, run %" PRId64
                           ", is %s, expected done",
                           run->id, run->status);
    if (!can_read(c.vocab, o))
        return locant_fail(
            LOCANT_ERR_PARAM,
            "locant_train: the parent, run %" PRId64
            ", has a vocabulary of %" PRId64 ", expected %" PRId64,
            run->id, c.vocab, o->source ? o->source->vocab : LCT_VOCAB);
    return LOCANT_OK;
}

static locant_status read(struct lct_trainer *t)
{
    struct lct_train_parent *p = &t->parent;
    struct lct_run_extra extra;
    locant_run_info run;

    LCT_TRY(locant_store_run(&run, t->store, t->o.parent));
    LCT_TRY(lct_store_read_run_extra(&extra, t->store, t->o.parent));
    LCT_TRY(check(&run, &t->o));
    memcpy(p->encoding, run.encoding, sizeof p->encoding);
    memcpy(p->model, run.model, sizeof p->model);
    memcpy(p->key, extra.key, sizeof p->key);
    p->encoding_parameters = run.encoding_parameters;
    return lct_run_vocabulary(&t->of_parent, t->store, &run);
}

/* All ranks have the same build, so structs travel as they are. */
static locant_status share_vocabulary(struct lct_trainer *t)
{
    const size_t bytes = sizeof *t->of_parent;
    locant_status status = LOCANT_OK;

    if (t->ranks.rank > 0)
        t->of_parent = locant_alloc(bytes);
    if (t->of_parent == NULL)
        status = locant_fail(LOCANT_ERR_NOMEM,
                             "locant_train: no memory for a vocabulary");
    LCT_TRY(lct_ranks_agree(&t->ranks, status));
    return lct_group_broadcast(t->of_parent, bytes, t->ranks.group);
}

locant_status lct_train_find_parent(struct lct_trainer *t)
{
    struct lct_model_config c;

    if (t->o.parent == 0)
        return LOCANT_OK;
    LCT_TRY(greet(t));
    LCT_TRY(
        lct_ranks_agree(&t->ranks, t->ranks.rank == 0 ? read(t) : LOCANT_OK));
    LCT_TRY(lct_group_broadcast(&t->parent, sizeof t->parent, t->ranks.group));
    LCT_TRY(lct_model_parse(&c, t->parent.model));
    if (c.vocab > LCT_VOCAB)
        LCT_TRY(share_vocabulary(t));
    lct_set_sizes(&t->o, &c);
    t->o.vocabulary = c.vocab > LCT_VOCAB ? (int)c.vocab : 0;
    return LOCANT_OK;
}

locant_status lct_train_check_parent(const struct lct_trainer *t, int64_t own)
{
    const struct lct_train_parent *p = &t->parent;

    if (t->o.parent == 0 || own == p->encoding_parameters)
        return LOCANT_OK;
    return locant_fail(LOCANT_ERR_PARAM,
                       "locant_train: %s has %" PRId64
                       " parameters, and %s of its parent, run %" PRId64
                       ", has %" PRId64,
                       locant_encoding_spec(t->encoding), own, p->encoding,
                       t->o.parent, p->encoding_parameters);
}
