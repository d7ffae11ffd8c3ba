/*
 * plan.c - what a report trains.
 *
 * Jobs are ordered by seed, then by encoding, so that a report stopped early
 * leaves whole seeds. A job is one training and its evaluation, on one thread;
 * as many run in parallel as there are threads.
 */
#define _POSIX_C_SOURCE 200809L
#include "results.h"
#include "sweep.h"
#include <stdio.h>
#include <string.h>

static const char *const eight[] = {
    "none",           "learned", "sinusoidal", "rope",
    "rope(base=128)", "alibi",   "t5",         "kerple",
};

static const char *const three[] = { "sinusoidal", "rope", "alibi" };

#define LIST(specs) specs, sizeof specs / sizeof specs[0]

/* clang-format off */
static const struct preset {
    const char *name;
    int64_t layers, width, heads, ff, batch, steps;
    locant_optimizer optimizer;
    double rate; /* of AdamW, which Muon leaves some parameters to */
    int vocabulary;
    int seeds;
    int64_t blocks;
    int order[2]; /* of the n-grams; see struct lct_plan */
    const char *const *specs;
    size_t n;
    int judged; /* index of the length at which encodings are ranked */
    double rates[LCT_RATES]; /* learning rates to choose from; 0: use 'rate' */
} presets[] = {
    {"smoke", 2, 32, 4, 128, 8, 80, LOCANT_MUON, 3e-3, 512, 1, 6, {2, 3},
     LIST(eight), 4, {0}},
    {"quick", 3, 64, 4, 256, 8, 1900, LOCANT_MUON, 3e-3, 512, 2, 80, {2, 3},
     LIST(eight), 4, {0}},
    {"hour", 3, 96, 4, 384, 8, 3000, LOCANT_MUON, 2e-3, 512, 4, 192, {3, 2},
     LIST(eight), 4, {0}},
    {"full", 4, 128, 4, 512, 8, 4000, LOCANT_MUON, 2e-3, 512, 5, 256, {4, 3},
     LIST(eight), 4, {1e-3, 2e-3, 4e-3}},
    {"homework", 3, 64, 4, 256, 8, 1000, LOCANT_MUON, 3e-3, 512, 3, 48, {2, 3},
     LIST(three), 1, {0}},
};
/* clang-format on */

bool lct_is_preset(const char *name)
{
    for (size_t i = 0; name && i < sizeof presets / sizeof presets[0]; i++)
        if (strcmp(presets[i].name, name) == 0)
            return true;
    return false;
}

const char *lct_preset_name(int i)
{
    return i >= 0 && (size_t)i < sizeof presets / sizeof presets[0]
               ? presets[i].name
               : NULL;
}

/* ------------------------------------------------------------------ create */

static locant_status check_options(const locant_report_options *o)
{
    static const char fn[] = "locant_report_run";
    const int64_t last = sizeof presets / sizeof presets[0] - 1;

    LCT_TRY(lct_check_struct(fn, o->struct_size, sizeof *o));
    LCT_TRY(lct_check_range(fn, "preset", (int)o->preset, 0, last));
    LCT_TRY(lct_check_range(fn, "seeds", o->seeds, 0, 1000));
    LCT_TRY(lct_check_range(fn, "minutes", o->minutes, 0, 1000000));
    LCT_TRY(lct_check_range(fn, "optimizer", o->optimizer, LOCANT_OF_PRESET,
                            LOCANT_MUON));
    if (o->vocabulary != LOCANT_OF_PRESET)
        LCT_TRY(lct_vocabulary_check(fn, o->vocabulary));
    return o->encodings
               ? lct_check_range(fn, "n_encodings", (int64_t)o->n_encodings, 1,
                                 LCT_MOST_ENCODINGS)
               : LOCANT_OK;
}

/* Fail before the first training if a model cannot have this encoding. */
static locant_status check_model(const locant_encoding *e,
                                 const locant_train_options *o)
{
    const struct lct_model_config config = lct_train_config(o, e);
    struct lct_model *model = NULL;
    locant_status status =
        lct_model_create(&model, &config, 1, o->length, false);

    if (status == LOCANT_OK)
        status = lct_check_length_limit(e, o->length);
    lct_model_free(model);
    return status;
}

locant_status lct_plan_resolve(char out[256], const char *spec,
                               const locant_train_options *o)
{
    locant_encoding *e;
    locant_status status = LOCANT_OK;

    LCT_TRY(lct_encoding_create_at(&e, spec, o->length));
    if (strlen(locant_encoding_spec(e)) > 255)
        status = locant_fail(LOCANT_ERR_PARAM,
                             "locant_report_run: the spec '%.40s..' is longer"
                             " than 255 bytes",
                             spec);
    if (status == LOCANT_OK)
        status = check_model(e, o);
    if (status == LOCANT_OK)
        snprintf(out, 256, "%s", locant_encoding_spec(e));
    locant_encoding_free(e);
    return status;
}

static locant_status resolve_all(struct lct_plan *plan,
                                 const char *const *specs)
{
    for (size_t i = 0; i < plan->n; i++) {
        if (specs[i] == NULL)
            return locant_fail(LOCANT_ERR_NULL,
                               "locant_report_run: one of encodings is NULL");
        LCT_TRY(lct_plan_resolve(plan->specs[i], specs[i], &plan->train));
        for (size_t j = 0; j < i; j++)
            if (strcmp(plan->specs[i], plan->specs[j]) == 0)
                return locant_fail(LOCANT_ERR_PARAM,
                                   "locant_report_run: encoding %s is given"
                                   " twice",
                                   plan->specs[i]);
    }
    return LOCANT_OK;
}

static void set_preset(struct lct_plan *plan, const struct preset *p)
{
    plan->name = p->name;
    plan->seeds = p->seeds;
    plan->blocks = p->blocks;
    plan->judged = p->judged;
    for (int i = 0; i < LCT_RATES && p->rates[i] > 0; i++)
        plan->rates[plan->n_rates++] = p->rates[i];
    plan->ngram_order[0] = p->order[0];
    plan->ngram_order[1] = p->order[1];
    plan->train = (locant_train_options)LOCANT_TRAIN_INIT;
    plan->train.layers = p->layers;
    plan->train.width = p->width;
    plan->train.heads = plan->train.kv_heads = p->heads;
    plan->train.ff = p->ff;
    plan->train.batch = p->batch;
    plan->train.steps = p->steps;
    plan->train.optimizer = p->optimizer;
    plan->train.vocabulary = p->vocabulary;
    plan->train.rms_norm = 1;
    plan->train.learning_rate = p->rate;
}

static locant_status allocate(struct lct_plan *plan)
{
    const size_t n = plan->n, tried = n * LCT_RATES;

    plan->specs = locant_alloc(n * sizeof *plan->specs);
    plan->runs = locant_alloc(n * (size_t)plan->seeds * sizeof *plan->runs);
    plan->rate = locant_alloc(n * sizeof *plan->rate);
    plan->valid = locant_alloc(tried * sizeof *plan->valid);
    plan->tried = locant_alloc(tried * sizeof *plan->tried);
    if (!plan->specs || !plan->runs || !plan->rate || !plan->valid ||
        !plan->tried)
        return locant_fail(LOCANT_ERR_NOMEM,
                           "locant_report_run: no memory for %zu encodings", n);
    for (size_t i = 0; i < n; i++)
        plan->rate[i] = plan->train.learning_rate;
    return LOCANT_OK;
}

static locant_status create(struct lct_plan *plan,
                            const locant_report_options *options)
{
    locant_status status;

    LCT_TRY(check_options(options));
    set_preset(plan, &presets[options->preset]);
    if (options->optimizer != LOCANT_OF_PRESET)
        plan->train.optimizer = (locant_optimizer)options->optimizer;
    if (options->vocabulary != LOCANT_OF_PRESET)
        plan->train.vocabulary = options->vocabulary;
    if (options->seeds)
        plan->seeds = options->seeds;
    plan->n =
        options->encodings ? options->n_encodings : presets[options->preset].n;
    status = allocate(plan);
    if (status == LOCANT_OK)
        status = resolve_all(plan, options->encodings
                                       ? options->encodings
                                       : presets[options->preset].specs);
    if (status != LOCANT_OK)
        lct_plan_free(plan);
    return status;
}

/* The plan in the file decides what is trained. */
static locant_status create_from(struct lct_plan *plan,
                                 const locant_report_options *options,
                                 const struct lct_sweep *sweep)
{
    locant_report_options o = *options;

    if (o.encodings != NULL || o.seeds != 0 ||
        o.optimizer != LOCANT_OF_PRESET || o.vocabulary != LOCANT_OF_PRESET)
        return locant_fail(LOCANT_ERR_PARAM,
                           "locant_report_run: a plan was given, so encodings,"
                           " seeds, optimizer and vocabulary should be left"
                           " out");
    o.preset = sweep->preset;
    o.encodings = sweep->specs;
    o.n_encodings = sweep->n;
    o.seeds = sweep->seeds;
    o.optimizer = (int)sweep->optimizer;
    o.vocabulary = sweep->vocabulary;
    LCT_TRY(create(plan, &o));
    snprintf(plan->corpus_sha256, sizeof plan->corpus_sha256, "%s",
             sweep->corpus_sha256);
    plan->rates_known = sweep->rates != NULL;
    for (size_t i = 0; i < plan->n && plan->rates_known; i++)
        plan->rate[i] = sweep->rates[i];
    return LOCANT_OK;
}

locant_status lct_plan_create(struct lct_plan *plan,
                              const locant_report_options *options)
{
    struct lct_sweep sweep;
    locant_status status;

    *plan = (struct lct_plan){ 0 };
    LCT_TRY(check_options(options));
    if (options->plan == NULL)
        return create(plan, options);
    LCT_TRY(lct_sweep_open(&sweep, options->plan));
    status = create_from(plan, options, &sweep);
    lct_sweep_free(&sweep);
    return status;
}

locant_status lct_plan_check_text(const struct lct_plan *plan,
                                  const locant_corpus *corpus)
{
    const char *sha = locant_corpus_info_of(corpus)->sha256;

    if (plan->corpus_sha256[0] == 0 || strcmp(plan->corpus_sha256, sha) == 0)
        return LOCANT_OK;
    return locant_fail(LOCANT_ERR_PARAM,
                       "locant_report_run: the plan is of the text of SHA-256"
                       " %.12s.., this one has %.12s..",
                       plan->corpus_sha256, sha);
}

void lct_plan_free(struct lct_plan *plan)
{
    locant_release(plan->specs);
    locant_release(plan->runs);
    locant_release(plan->rate);
    locant_release(plan->valid);
    locant_release(plan->tried);
    *plan = (struct lct_plan){ 0 };
}
