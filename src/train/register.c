/* register.c - see register.h */
#include "register.h"
#include "../files/hash.h"
#include "../store/run_vocabulary.h"
#include "../store/store_texts.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

int64_t lct_register_parameters(const struct lct_model *model)
{
    const struct lct_model_tensor *tensor;
    int n = lct_model_tensors(model, &tensor);
    int64_t sum = 0;

    for (int i = 0; i < n; i++)
        if (tensor[i].encoding_param >= 0)
            sum += (int64_t)tensor[i].size;
    return sum;
}

/* Find the run in the store or insert it, with its options and the source of
   its text, which lct_resume() needs. */
static locant_status find_run(struct lct_trainer *t, struct lct_run_new *run)
{
    locant_status status;
    char *options;

    if (t->corpus)
        LCT_TRY(lct_store_keep_source(t->store, t->corpus, t->o.progress,
                                      t->o.context));
    LCT_TRY(lct_options_to_json(&options, &t->o, run->encoding, t->vocabulary));
    run->options = options;
    run->only = t->only;
    status = lct_store_find_or_add_run(&t->id, t->store, run);
    locant_release(options);
    return status;
}

static const char *corpus_sha256(const struct lct_trainer *t)
{
    return t->corpus ? locant_corpus_info_of(t->corpus)->sha256 : "";
}

void lct_register_key(struct lct_trainer *t)
{
    const locant_train_options *o = &t->o;
    char model[128];
    int n;

    lct_model_print(model, lct_model_config_of(t->model));
    n = snprintf(t->key, sizeof t->key,
                 "1;%s;%s;corpus=%s;seed=%" PRIu64 ";steps=%" PRId64
                 ";batch=%" PRId64 ";length=%" PRId64 ";rate=%.17g",
                 locant_encoding_spec(t->encoding), model, corpus_sha256(t),
                 o->seed, o->steps, o->batch, o->length, o->learning_rate);
    if (o->source)
        n += snprintf(t->key + n, sizeof t->key - (size_t)n, ";source=%s",
                      o->source->name);
    if (o->parent > 0)
        n += snprintf(
            t->key + n, sizeof t->key - (size_t)n, ";parent=%016" PRIx64,
            lct_hash(LCT_HASH_BEGIN, t->parent.key, strlen(t->parent.key)));
    if (o->constant_rate)
        n += snprintf(t->key + n, sizeof t->key - (size_t)n, ";constant");
    if (o->optimizer == LOCANT_MUON)
        n += snprintf(t->key + n, sizeof t->key - (size_t)n,
                      ";optimizer=muon;muon_rate=%.17g", o->muon_rate);
    if (o->leaves > 0)
        n += snprintf(t->key + n, sizeof t->key - (size_t)n, ";leaves=%" PRId64,
                      o->leaves);
    if (t->vocabulary)
        snprintf(t->key + n, sizeof t->key - (size_t)n, "%s%s",
                 LCT_KEY_VOCABULARY, t->vocabulary->hash);
}

locant_status lct_register_run(struct lct_trainer *t)
{
    const locant_train_options *o = &t->o;
    char model[128];
    struct lct_run_new run = {
        .key = t->key,
        .encoding = locant_encoding_spec(t->encoding),
        .model = model,
        .corpus_sha256 = corpus_sha256(t),
        .source = o->source ? o->source->name : NULL,
        .parent = o->parent,
        .seed = o->seed,
        .steps = o->steps,
        .batch = o->batch,
        .length = o->length,
        .parameters = (int64_t)lct_model_size(t->model),
        .encoding_parameters = lct_register_parameters(t->model),
        /* scratch of one thread: the number does not depend on threads */
        .bytes = (int64_t)(lct_model_bytes(t->model) +
                           2 * lct_model_size(t->model) * sizeof(real) +
                           t->muon_size * sizeof(real)),
    };

    lct_model_print(model, lct_model_config_of(t->model));
    LCT_TRY(find_run(t, &run));
    return lct_store_run_path(&t->path, t->store, t->id, "safetensors");
}
