/*
 * train.c - train one model on one encoding; stop, and continue to the same
 * bits.
 *
 * Everything a step does follows from the checkpoint before it: batches from
 * (seed, step), the rate from the step, parameters and moments from the file.
 * AdamW, clipping, warm-up and cosine are those of the plan of the lab: beta
 * (0.9, 0.95), epsilon 1e-8, decay 0.1 on matrices, norm 1, 5 % warm-up, down
 * to 10 %.
 */
#define _GNU_SOURCE
#include "run.h"
#include "../nn/adamw.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { METRICS = 256 };

struct trainer {
    locant_store *store;
    const locant_corpus *corpus;
    locant_train_options o;
    locant_encoding *encoding; /* resolved with o.length */
    struct lct_model *model;
    real *m, *v;
    int32_t *tokens, *targets; /* [batch, length] */
    size_t *starts;            /* [batch] */
    char key[1024];
    char *path;                /* of the checkpoint */
    int64_t id, only;          /* only: see lct_train() */
    int lock;
    int64_t step;
    uint64_t checksum;
    double seconds, since;     /* of earlier sittings; start of this one */
    double recorded, reported; /* clock of the last record and report */
    int64_t first;             /* steps done before this sitting */
    struct lct_metric metrics[METRICS];
    size_t n_metrics;
    char notice[512];          /* what the user should know, or "" */
    bool told;                 /* ... and was told */
};

/* ----------------------------------------------------------------- options */

static locant_status check_sizes(const locant_train_options *o)
{
    const struct { const char *name; int64_t value, max; } size[] = {
        {"layers", o->layers, 1024},   {"width", o->width, 1 << 20},
        {"heads", o->heads, 1 << 16},  {"ff", o->ff, 1 << 24},
        {"batch", o->batch, 1 << 20},  {"length", o->length, 1 << 20},
        {"steps", o->steps, INT64_C(1) << 40},
    };

    for (size_t i = 0; i < sizeof size / sizeof size[0]; i++)
        if (size[i].value < 1 || size[i].value > size[i].max)
            return locant_fail(LOCANT_ERR_PARAM,
                               "locant_train: %s is %" PRId64
                               ", expected 1 .. %" PRId64, size[i].name,
                               size[i].value, size[i].max);
    if (o->kv_heads < 0 || o->kv_heads > o->heads)
        return locant_fail(LOCANT_ERR_PARAM,
                           "locant_train: kv_heads is %" PRId64
                           ", expected 0 .. heads, which is %" PRId64,
                           o->kv_heads, o->heads);
    if (o->memory < 0 || o->memory > 1 << 20)
        return locant_fail(LOCANT_ERR_PARAM,
                           "locant_train: memory is %" PRId64
                           ", expected 0 .. %d", o->memory, 1 << 20);
    if (o->checkpoint_every < 0)
        return locant_fail(LOCANT_ERR_PARAM,
                           "locant_train: checkpoint_every is %" PRId64
                           ", expected at least 0", o->checkpoint_every);
    return LOCANT_OK;
}

static locant_status check_options(const int64_t *run,
                                   const locant_store *store,
                                   const locant_corpus *corpus,
                                   const locant_train_options *o)
{
    if (!run || !store || !corpus || !o || !o->encoding)
        return locant_fail(LOCANT_ERR_NULL, "locant_train: %s is NULL",
                           !run      ? "run"
                           : !store  ? "store"
                           : !corpus ? "corpus"
                           : !o      ? "options"
                                     : "options->encoding");
    if (o->struct_size != sizeof *o)
        return locant_fail(LOCANT_ERR_PARAM,
                           "locant_train: options->struct_size is %zu,"
                           " expected %zu", o->struct_size, sizeof *o);
    LCT_TRY(check_sizes(o));
    if (!(o->learning_rate > 0 && isfinite(o->learning_rate)))
        return locant_fail(LOCANT_ERR_PARAM,
                           "locant_train: learning_rate is %g, expected a"
                           " finite number above 0", o->learning_rate);
    if (lct_corpus_split(corpus, LCT_TRAIN)->size < (size_t)o->length + 1)
        return locant_fail(LOCANT_ERR_PARAM,
                           "locant_train: length is %" PRId64 ", but the"
                           " training split has only %zu bytes", o->length,
                           lct_corpus_split(corpus, LCT_TRAIN)->size);
    return LOCANT_OK;
}

/* ------------------------------------------------------------------ set up */

void lct_model_text(char out[128], const struct lct_model_config *c)
{
    int n = snprintf(out, 128,
                     "layers=%" PRId64 ",width=%" PRId64 ",heads=%" PRId64
                     ",kv_heads=%" PRId64 ",ff=%" PRId64 ",norm=%s",
                     c->layers, c->width, c->heads, c->kv_heads, c->ff,
                     c->norm == LCT_RMS_NORM ? "rms" : "layer");

    if (c->memory > 0)
        snprintf(out + n, 128 - (size_t)n, ",memory=%" PRId64, c->memory);
}

locant_status lct_model_parse(struct lct_model_config *c, const char *text)
{
    char norm[8];

    *c = (struct lct_model_config){.vocab = LCT_VOCAB};
    if (sscanf(text,
               "layers=%" SCNd64 ",width=%" SCNd64 ",heads=%" SCNd64
               ",kv_heads=%" SCNd64 ",ff=%" SCNd64 ",norm=%7[a-z],memory=%"
               SCNd64, &c->layers, &c->width, &c->heads, &c->kv_heads, &c->ff,
               norm, &c->memory) < 6)
        return locant_fail(LOCANT_ERR_FORMAT,
                           "the model of a run reads '%s', expected"
                           " 'layers=..,width=..,heads=..,kv_heads=..,ff=..,"
                           "norm=..'", text);
    c->norm = strcmp(norm, "rms") == 0 ? LCT_RMS_NORM : LCT_LAYER_NORM;
    return LOCANT_OK;
}

static locant_status resolve_encoding(struct trainer *t)
{
    locant_encoding *e;
    locant_status status;
    size_t size;

    LCT_TRY(locant_encoding_create(&e, t->o.encoding));
    status = locant_encoding_resolve(&t->encoding, e,
                                     t->o.length + t->o.memory);
    locant_encoding_free(e);
    LCT_TRY(status);
    size = strlen(locant_encoding_spec(t->encoding));
    if (size >= sizeof ((locant_run_info *)0)->encoding)
        return locant_fail(LOCANT_ERR_PARAM,
                           "locant_train: encoding has a spec of %zu bytes,"
                           " expected at most 255", size);
    return LOCANT_OK;
}

static locant_status allocate(struct trainer *t)
{
    size_t n = lct_model_size(t->model);
    size_t tokens = (size_t)t->o.batch * (size_t)t->o.length;

    t->m = locant_alloc(n * sizeof *t->m);
    t->v = locant_alloc(n * sizeof *t->v);
    t->tokens = locant_alloc(tokens * sizeof *t->tokens);
    t->targets = locant_alloc(tokens * sizeof *t->targets);
    t->starts = locant_alloc((size_t)t->o.batch * sizeof *t->starts);
    if (!t->m || !t->v || !t->tokens || !t->targets || !t->starts)
        return locant_fail(LOCANT_ERR_NOMEM,
                           "locant_train: no memory for a batch of %" PRId64
                           " x %" PRId64 " and %zu parameters", t->o.batch,
                           t->o.length, n);
    return LOCANT_OK;
}

static locant_status create_model(struct trainer *t)
{
    const locant_train_options *o = &t->o;
    const struct lct_model_config config = {
        .layers = o->layers, .width = o->width, .heads = o->heads,
        .kv_heads = o->kv_heads, .ff = o->ff, .vocab = LCT_VOCAB,
        .norm = o->rms_norm ? LCT_RMS_NORM : LCT_LAYER_NORM,
        .memory = o->memory, .encoding = t->encoding,
    };

    LCT_TRY(lct_model_create(&t->model, &config, o->batch, o->length, true));
    return allocate(t);
}

static int64_t encoding_parameters(const struct lct_model *model)
{
    const struct lct_model_tensor *tensor;
    int n = lct_model_tensors(model, &tensor);
    int64_t sum = 0;

    for (int i = 0; i < n; i++)
        if (tensor[i].encoding_param >= 0)
            sum += (int64_t)tensor[i].size;
    return sum;
}

/* With what continuing needs: the options, and where the text came from. */
static locant_status find_run(struct trainer *t, struct lct_run_new *run)
{
    struct lct_recipe recipe;
    locant_status status;
    char *options;

    if (lct_corpus_recipe(&recipe, t->corpus))
        LCT_TRY(lct_store_keep_corpus(t->store, &recipe));
    LCT_TRY(lct_options_text(&options, &t->o, run->encoding));
    run->options = options;
    run->only = t->only;
    status = lct_store_find_run(&t->id, t->store, run);
    locant_release(options);
    return status;
}

/* Two runs with the same key have the same bits. */
static locant_status register_run(struct trainer *t)
{
    const locant_train_options *o = &t->o;
    const char *sha = locant_corpus_info_of(t->corpus)->sha256;
    char model[128];
    struct lct_run_new run = {
        .key = t->key, .encoding = locant_encoding_spec(t->encoding),
        .model = model, .corpus_sha256 = sha, .seed = o->seed,
        .steps = o->steps, .batch = o->batch, .length = o->length,
        .parameters = (int64_t)lct_model_size(t->model),
        .encoding_parameters = encoding_parameters(t->model),
        .bytes = (int64_t)(lct_model_bytes(t->model) +
                           2 * lct_model_size(t->model) * sizeof(real)),
    };

    lct_model_text(model, lct_model_config_of(t->model));
    snprintf(t->key, sizeof t->key,
             "1;%s;%s;corpus=%s;seed=%" PRIu64 ";steps=%" PRId64
             ";batch=%" PRId64 ";length=%" PRId64 ";rate=%.17g",
             run.encoding, model, sha, o->seed, o->steps, o->batch, o->length,
             o->learning_rate);
    LCT_TRY(find_run(t, &run));
    return lct_store_run_path(&t->path, t->store, t->id, "safetensors");
}

static void release(struct trainer *t)
{
    lct_store_unlock_run(t->lock, t->store, t->id);
    lct_model_free(t->model);
    locant_encoding_free(t->encoding);
    locant_release(t->m);
    locant_release(t->v);
    locant_release(t->tokens);
    locant_release(t->targets);
    locant_release(t->starts);
    locant_release(t->path);
}

/* -------------------------------------------------------------- one sitting */

static double seconds_now(const struct trainer *t)
{
    return t->seconds + (lct_clock() - t->since);
}

static locant_status record(struct trainer *t, const char *status,
                            const char *message)
{
    const struct lct_run_state state = {
        status, t->step, seconds_now(t), t->checksum,
        message == NULL && t->notice[0] ? t->notice : message};

    LCT_TRY(lct_store_record(t->store, t->id, &state, t->metrics,
                             t->n_metrics));
    t->n_metrics = 0;
    t->recorded = lct_clock();
    return LOCANT_OK;
}

/* Steps first, then the checkpoint: no step before a checkpoint is missing. */
static locant_status save(struct trainer *t, const char *status)
{
    const struct lct_checkpoint c = {t->key,      t->step, seconds_now(t),
                                     t->checksum, t->m,    t->v};

    LCT_TRY(record(t, "running", NULL));
    lct_store_keep_previous(t->store, t->id);
    LCT_TRY(lct_checkpoint_write(t->path, t->model, &c));
    if (strcmp(status, "running") == 0)
        return LOCANT_OK;
    LCT_TRY(record(t, status, NULL));
    if (strcmp(status, "done") == 0)
        lct_store_drop_previous(t->store, t->id);
    return LOCANT_OK;
}

/*
 * Read the checkpoint, or when it is damaged the one before it.  When neither
 * is whole, the first failure stands.
 */
static locant_status read_checkpoint(struct lct_checkpoint *c,
                                     struct trainer *t)
{
    locant_status status = lct_checkpoint_read(c, t->model, t->path);
    char why[sizeof t->notice - 64];
    char *previous;

    if (status != LOCANT_ERR_FORMAT)
        return status;
    snprintf(why, sizeof why, "%s", locant_last_error());
    LCT_TRY(lct_store_run_path(&previous, t->store, t->id,
                               "previous.safetensors"));
    if (access(previous, F_OK) == 0)
        status = lct_checkpoint_read(c, t->model, previous);
    locant_release(previous);
    if (status != LOCANT_OK)
        return locant_fail(LOCANT_ERR_FORMAT, "%s", why);
    snprintf(t->notice, sizeof t->notice, "%s; run %" PRId64 " went back to"
             " step %" PRId64, why, t->id, c->step);
    lct_store_use_previous(t->store, t->id);
    return LOCANT_OK;
}

/* Continue from the checkpoint, or begin. */
static locant_status begin(struct trainer *t)
{
    struct lct_checkpoint c = {.key = t->key, .m = t->m, .v = t->v,
                               .checksum = LCT_HASH_BEGIN};

    lct_store_clean_run(t->store, t->id, false);
    if (access(t->path, F_OK) == 0 ||
        lct_store_use_previous(t->store, t->id))
        LCT_TRY(read_checkpoint(&c, t));
    else
        LCT_TRY(lct_model_init(t->model, t->o.seed));
    t->step = t->first = c.step;
    t->seconds = c.seconds;
    t->checksum = c.checksum;
    t->since = t->recorded = lct_clock();
    return lct_store_rewind(t->store, t->id, t->step);
}

static void next_batch(struct trainer *t)
{
    const uint8_t *bytes = lct_corpus_split(t->corpus, LCT_TRAIN)->bytes;
    size_t length = (size_t)t->o.length;

    if (t->o.memory > 0)
        lct_segment_starts(t->starts, t->o.batch, t->o.length, t->corpus,
                           t->o.seed, t->step);
    else
        lct_batch_starts(t->starts, t->o.batch, t->o.length, t->corpus,
                         t->o.seed, t->step);
    for (size_t b = 0; b < (size_t)t->o.batch; b++) {
        const uint8_t *window = bytes + t->starts[b];

        t->checksum = lct_hash(t->checksum, window, length + 1);
        for (size_t i = 0; i < length; i++) {
            t->tokens[b * length + i] = window[i];
            t->targets[b * length + i] = window[i + 1];
        }
    }
}

static void update(struct trainer *t, double rate)
{
    const struct lct_model_tensor *tensor;
    int n = lct_model_tensors(t->model, &tensor);
    real *p = lct_model_params(t->model), *g = lct_model_grads(t->model);

    for (int i = 0; i < n; i++) {
        const struct lct_adamw adamw = { rate * tensor[i].rate, .9, .95, 1e-8,
                                         .1, t->step };
        size_t at = tensor[i].offset;

        lct_adamw_step(p + at, t->m + at, t->v + at, g + at, tensor[i].size,
                       tensor[i].decay, &adamw);
    }
    lct_model_project(t->model);
}

/* Parameters and moments are still those of the last finite step. */
static locant_status stop_not_finite(struct trainer *t, const char *what,
                                     double value)
{
    char message[160];

    snprintf(message, sizeof message,
             "the %s became %g at step %" PRId64
             "; a lower learning_rate than %g may help", what, value,
             t->step + 1, t->o.learning_rate);
    /* memory has gone a segment on: the last checkpoint stays */
    if (t->o.memory == 0)
        LCT_TRY(save(t, "running"));
    LCT_TRY(record(t, "failed", message));
    return locant_fail(LOCANT_ERR_PARAM,
                       "locant_train: run %" PRId64 " (%s): %s", t->id,
                       locant_encoding_spec(t->encoding), message);
}

/* Odd, and its multiples far apart: steps and seeds never share positions. */
static const uint64_t draw_stride = 0x9e3779b97f4a7c15;

static locant_status train_step(struct trainer *t)
{
    size_t n = lct_model_size(t->model);
    real *grads = lct_model_grads(t->model);
    int64_t warmup = t->o.steps / 20 > 0 ? t->o.steps / 20 : 1;
    double loss, norm, rate;
    uint64_t checksum = t->checksum;

    next_batch(t);
    lct_model_draw(t->model, t->o.seed + (uint64_t)t->step * draw_stride);
    memset(grads, 0, n * sizeof *grads);
    LCT_TRY(lct_model_forward(t->model, t->tokens, t->targets, t->o.batch,
                              t->o.length, NULL, &loss));
    LCT_TRY(lct_model_backward(t->model));
    norm = lct_clip_norm(grads, n, 1.0);
    if (!isfinite(loss) || !isfinite(norm)) {
        t->checksum = checksum;
        return isfinite(loss)
                   ? stop_not_finite(t, "norm of the gradient", norm)
                   : stop_not_finite(t, "loss", loss);
    }
    t->step++;
    rate = lct_learning_rate(t->step, t->o.steps, warmup, t->o.learning_rate,
                             .1);
    update(t, rate);
    t->metrics[t->n_metrics++] = (struct lct_metric){t->step, loss, norm, rate};
    return LOCANT_OK;
}

/* Tell the caller, at most ten times a second; nonzero: it asks to stop. */
static int report(struct trainer *t)
{
    double now = lct_clock(), elapsed = now - t->since;
    int64_t tokens = t->o.batch * t->o.length;
    locant_progress p = {
        .phase = "train", .encoding = locant_encoding_spec(t->encoding),
        .seed = t->o.seed, .step = t->step, .steps = t->o.steps,
        .loss = t->n_metrics ? t->metrics[t->n_metrics - 1].loss : NAN,
        .done = t->step * tokens, .total = t->o.steps * tokens,
        .elapsed = elapsed, .left = NAN, .rate = NAN,
    };

    if (t->o.progress == NULL || now - t->reported < .1)
        return 0;
    t->reported = now;
    if (t->notice[0] && !t->told)
        p.notice = t->notice;
    t->told = true;
    if (t->step > t->first && elapsed > 0) {
        p.rate = (double)((t->step - t->first) * tokens) / elapsed;
        p.left = (double)(p.total - p.done) / p.rate;
    }
    return t->o.progress(&p, t->o.context);
}

static locant_status train(struct trainer *t)
{
    int64_t every = t->o.checkpoint_every ? t->o.checkpoint_every : 100;

    while (t->step < t->o.steps) {
        LCT_TRY(train_step(t));
        if (report(t) != 0 && t->step < t->o.steps) {
            LCT_TRY(save(t, "interrupted"));
            return locant_fail(LOCANT_ERR_INTERRUPTED,
                               "locant_train: run %" PRId64 " was stopped after"
                               " step %" PRId64 " of %" PRId64, t->id, t->step,
                               t->o.steps);
        }
        if (t->step % every == 0 && t->step < t->o.steps)
            LCT_TRY(save(t, "running"));
        else if (t->n_metrics == METRICS || lct_clock() - t->recorded >= 1)
            LCT_TRY(record(t, "running", NULL));
    }
    return save(t, "done");
}

/* A run is done when the store says so and its checkpoint is there. */
static locant_status is_done(bool *done, const struct trainer *t)
{
    locant_run_info info;

    LCT_TRY(locant_store_run(&info, t->store, t->id));
    *done = strcmp(info.status, "done") == 0 && access(t->path, F_OK) == 0;
    if (*done) /* the process that finished it may not have come to this */
        lct_store_drop_previous(t->store, t->id);
    return LOCANT_OK;
}

static locant_status run_trainer(struct trainer *t)
{
    bool done;

    LCT_TRY(resolve_encoding(t));
    LCT_TRY(lct_check_reach(t->encoding, t->o.length + t->o.memory));
    LCT_TRY(create_model(t));
    LCT_TRY(register_run(t));
    LCT_TRY(is_done(&done, t));
    if (done)
        return LOCANT_OK;
    LCT_TRY(lct_store_lock_run(&t->lock, t->store, t->id));
    /* Another process may have finished it before the lock was ours. */
    LCT_TRY(is_done(&done, t));
    if (done)
        return LOCANT_OK;
    LCT_TRY(begin(t));
    return train(t);
}

locant_status lct_train(int64_t *run, locant_store *store,
                        const locant_corpus *corpus,
                        const locant_train_options *options, int64_t only)
{
    struct trainer *t;
    locant_status status;

    LCT_TRY(check_options(run, store, corpus, options));
    t = locant_alloc(sizeof *t);
    if (t == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "locant_train: no memory");
    t->store = store;
    t->only = only;
    t->corpus = corpus;
    t->o = *options;
    t->o.kv_heads = options->kv_heads ? options->kv_heads : options->heads;
    t->lock = -1;
    status = run_trainer(t);
    if (t->id > 0)
        *run = t->id;
    release(t);
    locant_release(t);
    return status;
}

locant_status locant_train(int64_t *run, locant_store *store,
                           const locant_corpus *corpus,
                           const locant_train_options *options)
{
    return lct_train(run, store, corpus, options, 0);
}
