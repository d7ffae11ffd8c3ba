/*
 * train_set_up.c - prepare a run for its first step: check the arguments,
 * resolve the encoding, create the model, and make the key of the run.
 */
#include "../corpus/tokens.h"
#include "../nn/muon.h"
#include "register.h"
#include "train_group.h"
#include <inttypes.h>
#include <math.h>
#include <string.h>

static const int64_t GATHER_LIMIT = (int64_t)2 << 30;

/* ----------------------------------------------------------------- options */

static locant_status check_text(const struct lct_split *train,
                                const locant_train_options *o)
{
    if (train->size >= (size_t)o->length + 1)
        return LOCANT_OK;
    return locant_fail(LOCANT_ERR_PARAM,
                       "locant_train: length is %" PRId64 ", but the training"
                       " split has only %zu %s",
                       o->length, train->size, train->ids ? "tokens" : "bytes");
}

/* A source does not continue the rows of the last batch, so memory would hold
   unrelated tokens. */
static locant_status check_source(const locant_train_options *o)
{
    if (o->memory != 0)
        return locant_fail(LOCANT_ERR_PARAM,
                           "locant_train: memory is %" PRId64
                           ", but %s is not text; expected 0",
                           o->memory, o->source->name);
    if (o->length < o->source->shortest)
        return locant_fail(LOCANT_ERR_PARAM,
                           "locant_train: length is %" PRId64
                           ", but rows of %s have at least %" PRId64 " tokens",
                           o->length, o->source->name, o->source->shortest);
    if (o->vocabulary != 0 && o->parent == 0)
        return locant_fail(LOCANT_ERR_PARAM,
                           "locant_train: vocabulary is %d, but %s is not text;"
                           " expected 0",
                           o->vocabulary, o->source->name);
    return LOCANT_OK;
}

/* Check everything that can be checked before the model is created. */
static locant_status check_options(const locant_corpus *corpus,
                                   const locant_train_options *o)
{
    if (!o || !o->encoding || (!corpus && !o->source))
        return locant_fail(LOCANT_ERR_NULL, "locant_train: %s is NULL",
                           !o             ? "options"
                           : !o->encoding ? "options->encoding"
                                          : "corpus");
    LCT_TRY(lct_check_struct("locant_train", o->struct_size, sizeof *o));
    LCT_TRY(lct_check_sizes(o));
    LCT_TRY(lct_ranks_check(o));
    if (!(o->learning_rate > 0 && isfinite(o->learning_rate)))
        return locant_fail(LOCANT_ERR_PARAM,
                           "locant_train: learning_rate is %g, expected a"
                           " finite number above 0",
                           o->learning_rate);
    LCT_TRY(lct_check_range("locant_train", "optimizer", (int)o->optimizer, 0,
                            LOCANT_MUON));
    if (o->optimizer == LOCANT_MUON &&
        !(o->muon_rate > 0 && isfinite(o->muon_rate)))
        return locant_fail(LOCANT_ERR_PARAM,
                           "locant_train: muon_rate is %g, expected a finite"
                           " number above 0",
                           o->muon_rate);
    LCT_TRY(lct_vocabulary_check("locant_train", o->vocabulary));
    return o->source ? check_source(o)
                     : check_text(lct_corpus_split(corpus, LCT_TRAIN), o);
}

locant_status lct_train_check(const int64_t *run, const locant_store *store,
                              const locant_corpus *corpus,
                              const locant_train_options *o)
{
    LCT_NOT_NULL("locant_train", run);
    LCT_TRY(check_options(corpus, o));
    if (lct_group_rank(o->group) == 0)
        LCT_NOT_NULL("locant_train", store);
    return LOCANT_OK;
}

/* ------------------------------------------------------------------ set up */

static locant_status resolve_encoding(struct lct_trainer *t)
{
    size_t size;

    LCT_TRY(lct_encoding_create_at(&t->encoding, t->o.encoding,
                                   t->o.length + t->o.memory));
    size = strlen(locant_encoding_spec(t->encoding));
    if (size >= sizeof((locant_run_info *)0)->encoding)
        return locant_fail(LOCANT_ERR_PARAM,
                           "locant_train: encoding has a spec of %zu bytes,"
                           " expected at most 255",
                           size);
    return LOCANT_OK;
}

/* Scratch for Muon, as much as its largest matrix needs, for each slot. */
static locant_status allocate_muon(struct lct_trainer *t)
{
    const struct lct_model_tensor *tensor;
    const int n = lct_model_tensors(t->model, &tensor);

    t->slots = locant_threads();
    if (t->o.optimizer != LOCANT_MUON)
        return LOCANT_OK;
    for (int i = 0; i < n; i++) {
        const size_t size =
            tensor[i].hidden
                ? lct_muon_scratch(tensor[i].shape[0], tensor[i].shape[1])
                : 0;

        if (size > t->muon_size)
            t->muon_size = size;
    }
    t->muon = locant_alloc((size_t)t->slots * t->muon_size * sizeof *t->muon);
    return t->muon ? LOCANT_OK
                   : locant_fail(LOCANT_ERR_NOMEM,
                                 "locant_train: no memory for %d times %zu"
                                 " numbers of Muon",
                                 t->slots, t->muon_size);
}

static locant_status allocate(struct lct_trainer *t)
{
    size_t n = lct_model_size(t->model);
    size_t tokens = (size_t)t->o.batch * (size_t)t->o.length;

    t->m = locant_alloc(n * sizeof *t->m);
    t->v = locant_alloc(n * sizeof *t->v);
    t->tokens = locant_alloc(tokens * sizeof *t->tokens);
    t->targets = locant_alloc(tokens * sizeof *t->targets);
    t->starts = locant_alloc((size_t)t->o.batch * sizeof *t->starts);
    t->loss = t->ranks.size > 1 ? locant_alloc(tokens * sizeof *t->loss) : NULL;
    if (t->ranks.leaves.of_row > 1)
        t->row = locant_alloc((size_t)t->o.length * sizeof *t->row);
    if ((t->ranks.leaves.of_row > 1 && !t->row) || !t->m || !t->v ||
        !t->tokens || !t->targets || !t->starts ||
        (t->ranks.size > 1 && !t->loss))
        return locant_fail(LOCANT_ERR_NOMEM,
                           "locant_train: no memory for a batch of %" PRId64
                           " x %" PRId64 " and %zu parameters",
                           t->o.batch, t->o.length, n);
    LCT_TRY(lct_ranks_reserve(&t->ranks, n));
    LCT_TRY(lct_train_reserve_memory(t));
    return allocate_muon(t);
}

struct lct_model_config lct_train_config(const locant_train_options *o,
                                         const locant_encoding *encoding)
{
    return (struct lct_model_config){
        .layers = o->layers,
        .width = o->width,
        .heads = o->heads,
        .kv_heads = o->kv_heads,
        .ff = o->ff,
        .vocab = o->vocabulary ? o->vocabulary
                 : o->source   ? o->source->vocab
                               : LCT_VOCAB,
        .norm = o->rms_norm ? LCT_RMS_NORM : LCT_LAYER_NORM,
        .memory = o->memory,
        .encoding = encoding,
    };
}

static locant_status create_model(struct lct_trainer *t)
{
    const locant_train_options *o = &t->o;
    struct lct_model_config config = lct_train_config(o, t->encoding);
    int64_t first, rows;
    locant_status status;

    config.leaves = t->ranks.leaves;
    config.in_blocks = t->in_blocks;
    lct_ranks_rows(&first, &rows, &t->ranks, o->batch);
    status = lct_model_create(&t->model, &config, rows, o->length, true);
    if (status == LOCANT_ERR_UNSUPPORTED && t->in_blocks)
        return locant_fail(LOCANT_ERR_PARAM,
                           "locant_train: rows of %" PRId64
                           " tokens are above gather_limit, so their keys are"
                           " gathered in parts, which %s does not take",
                           o->length, locant_encoding_spec(t->encoding));
    LCT_TRY(status);
    return allocate(t);
}

/* Find the vocabulary, the parent's or that of the text, and encode the text
   with it. */
static locant_status set_text(struct lct_trainer *t)
{
    t->vocabulary = t->of_parent;
    if (t->o.source)
        return LOCANT_OK;
    if (t->o.parent == 0)
        LCT_TRY(
            lct_tokens_vocabulary(&t->vocabulary, t->corpus, t->o.vocabulary));
    LCT_TRY(lct_tokens_of(&t->text, t->corpus, t->vocabulary));
    return check_text(&t->text[LCT_TRAIN], &t->o);
}

locant_status lct_check_length_limit(const locant_encoding *e, int64_t length)
{
    const int64_t limit = locant_encoding_length_limit(e);

    if (limit < length)
        return locant_fail(LOCANT_ERR_PARAM,
                           "locant_train: %s has %lld positions, expected at"
                           " least the %lld tokens of a training sequence",
                           locant_encoding_spec(e), (long long)limit,
                           (long long)length);
    return LOCANT_OK;
}

/*
 * Whether keys can be taken block by block with the bits of all at once: chunks
 * are whole blocks, and attention has no gradients of parameters or inputs,
 * whose sums would be in another order.
 */
static bool takes_blocks(const struct lct_trainer *t)
{
    const unsigned doors = locant_encoding_doors(t->encoding);
    const bool learned =
        (locant_encoding_traits(t->encoding) & LOCANT_TRAIT_LEARNED) != 0;

    return t->o.length / t->ranks.leaves.of_row % 1024 == 0 &&
           (doors & LOCANT_DOOR_CONTENT) == 0 &&
           (!learned || (doors & ~LOCANT_DOOR_INPUT) == 0);
}

/* Rows whose keys and values each rank could not gather at once are gathered
   block by block, or refused.  Sizes are at most 2^20, so this does not
   overflow. */
static locant_status choose_gathered(struct lct_trainer *t)
{
    const locant_train_options *o = &t->o;
    const int64_t most = o->gather_limit ? o->gather_limit : GATHER_LIMIT;
    const bool reads =
        (locant_encoding_traits(t->encoding) & LOCANT_TRAIT_READS_X) != 0;
    const int64_t numbers =
        2 * (o->width / o->heads) * o->kv_heads + (reads ? o->width : 0);
    const int64_t bytes = o->length * numbers * (int64_t)sizeof(real);

    if (t->ranks.leaves.of_row == 1 || bytes <= most)
        return LOCANT_OK;
    t->in_blocks = takes_blocks(t) && bytes / t->ranks.leaves.of_row <= most;
    if (t->in_blocks)
        return LOCANT_OK;
    return locant_fail(LOCANT_ERR_PARAM,
                       "locant_train: a row of %" PRId64 " tokens in %" PRId64
                       " leaves has %" PRId64
                       " bytes of keys and values, expected at most"
                       " gather_limit, %" PRId64
                       ", or leaves of that size, of a multiple of 1024 tokens,"
                       " and an encoding with neither content nor parameters in"
                       " attention",
                       o->length, t->ranks.leaves.of_row, bytes, most);
}

locant_status lct_train_set_up(struct lct_trainer *t)
{
    LCT_TRY(resolve_encoding(t));
    LCT_TRY(lct_check_length_limit(t->encoding, t->o.length + t->o.memory));
    LCT_TRY(set_text(t));
    LCT_TRY(choose_gathered(t));
    LCT_TRY(create_model(t));
    LCT_TRY(lct_train_check_parent(t, lct_register_parameters(t->model)));
    lct_register_key(t);
    return LOCANT_OK;
}

locant_status locant_train_check(const locant_corpus *corpus,
                                 const locant_train_options *options)
{
    struct lct_trainer *t;
    locant_status status;

    LCT_TRY(check_options(corpus, options));
    if (options->parent > 0) /* only the store knows the parent's sizes */
        return LOCANT_OK;
    status = lct_trainer_create(&t, corpus, options);
    if (status == LOCANT_OK)
        status = lct_train_set_up(t);
    lct_trainer_free(t);
    return status;
}
