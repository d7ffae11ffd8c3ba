/*
 * plan_run.c - train and evaluate the runs of a plan: first those that try
 * learning rates, then those of every seed.
 */
#define _POSIX_C_SOURCE 200809L
#include "jobs.h"
#include "measures.h"
#include "../store/run_sizes.h"
#include <math.h>

double lct_plan_evaluation_tokens(const struct lct_plan *plan, size_t e)
{
    const int64_t length = plan->train.length;

    return (double)(lct_evaluation_tokens(plan->blocks, length) +
                    lct_measures_tokens(plan->blocks, plan->specs[e], length));
}

static double train_cost(const locant_train_options *o)
{
    return (double)(LCT_TRAIN_COST * o->steps * o->batch * o->length);
}

double lct_plan_cost(const struct lct_plan *plan)
{
    const locant_train_options *o = &plan->train;
    double sum = 0;

    for (size_t e = 0; e < plan->n; e++)
        sum += train_cost(o) + lct_plan_evaluation_tokens(plan, e);
    return sum;
}

/* Train and evaluate the job's encoding. */
static locant_status run_one(struct lct_job *job, int64_t *run, double rate,
                             uint64_t seed)
{
    const struct lct_jobs *all = job->jobs;
    const struct lct_plan *plan = all->state;
    const size_t e = job->i % plan->n;
    locant_train_options o = plan->train;
    locant_evaluation unused;

    o.encoding = job->encoding = plan->specs[e];
    o.seed = job->seed = seed;
    o.learning_rate = rate;
    job->steps = o.steps;
    LCT_TRY(lct_job_train(run, job, &o));
    if (lct_run_failed(all->lab.store, *run))
        return LOCANT_OK;
    lct_job_expect_tokens(job, lct_plan_evaluation_tokens(plan, e));
    LCT_TRY(lct_evaluate(&unused, all->lab.store, *run, all->lab.corpus,
                         plan->blocks, lct_job_on_tick, job));
    return lct_measures_evaluate(all->lab.store, *run, all->lab.corpus,
                                 plan->blocks, lct_job_on_tick, job);
}

/* Is job i of a stage one of this part? */
static bool is_ours(const struct lct_plan *plan, size_t i)
{
    return plan->parts == 0 ||
           i % (size_t)plan->parts == (size_t)plan->part - 1;
}

static locant_status try_rate(struct lct_job *job)
{
    const struct lct_plan *plan = job->jobs->state;

    if (!is_ours(plan, job->i))
        return LOCANT_OK;
    return run_one(job, &plan->tried[job->i], plan->rates[job->i / plan->n], 1);
}

static locant_status run_seed(struct lct_job *job)
{
    const struct lct_plan *plan = job->jobs->state;

    if (!is_ours(plan, job->i))
        return LOCANT_OK;
    return run_one(job, &plan->runs[job->i], plan->rate[job->i % plan->n],
                   1 + job->i / plan->n);
}

/* The run on which encoding i of the plan tried rate k; 0: it is not done. Its
   options are those of the job; the vocabulary follows from size and text. */
static locant_status find_tried(int64_t *id, const struct lct_plan *plan,
                                size_t i, int k, const char *corpus_sha256,
                                locant_store *store)
{
    locant_train_options o = plan->train;
    const struct lct_model_config config = lct_train_config(&o, NULL);
    locant_status status;
    char model[128], *options;
    bool found;

    *id = 0;
    o.seed = 1;
    o.learning_rate = plan->rates[k];
    lct_model_print(model, &config);
    LCT_TRY(lct_options_to_json(&options, &o, plan->specs[i], NULL));
    status = lct_store_read(
        &found, store,
        "SELECT id FROM runs WHERE corpus_sha256 = ?1 AND model = ?2 AND"
        " status = 'done' AND"
        " json_remove(options, '$.vocabulary', '$.checkpoint_every') ="
        " json_remove(?3, '$.checkpoint_every') LIMIT 1",
        "sss>i", corpus_sha256, model, options, id);
    locant_release(options);
    return status;
}

locant_status lct_plan_find_tried(size_t *found, struct lct_plan *plan,
                                  locant_store *store,
                                  const locant_corpus *corpus)
{
    const char *sha = locant_corpus_info_of(corpus)->sha256;

    *found = 0;
    for (int k = 0; k < plan->n_rates; k++) {
        for (size_t i = 0; i < plan->n; i++) {
            int64_t *id = &plan->tried[(size_t)k * plan->n + i];

            LCT_TRY(find_tried(id, plan, i, k, sha, store));
            *found += *id != 0;
        }
    }
    return LOCANT_OK;
}

locant_status lct_choose_rates(struct lct_plan *plan, locant_store *store,
                               const char *corpus_sha256)
{
    for (size_t i = 0; i < plan->n && plan->n_rates > 0; i++) {
        double least = INFINITY, chosen = plan->rates[0];

        for (int k = 0; k < plan->n_rates; k++) {
            const size_t at = (size_t)k * plan->n + i;
            locant_evaluation e = { .valid = NAN };
            bool found;

            LCT_TRY(lct_store_load_evaluation(&e, NULL, &found, store,
                                              plan->tried[at], corpus_sha256,
                                              plan->blocks));
            plan->valid[at] = found ? e.valid : NAN;
            if (plan->valid[at] < least) {
                least = plan->valid[at];
                chosen = plan->rates[k];
            }
        }
        if (!plan->rates_known)
            plan->rate[i] = chosen;
    }
    return LOCANT_OK;
}

static locant_status choose_rates(struct lct_job *job)
{
    const struct lct_jobs *all = job->jobs;

    return lct_choose_rates(all->state, all->lab.store,
                            locant_corpus_info_of(all->lab.corpus)->sha256);
}

/* A part does not choose: it has not the runs of the others. */
static size_t tries(const struct lct_plan *plan)
{
    return plan->parts > 0 && plan->rates_known
               ? 0
               : plan->n * (size_t)plan->n_rates;
}

static size_t runs_of_seeds(const struct lct_plan *plan)
{
    return plan->parts > 0 && tries(plan) > 0 ? 0
                                              : plan->n * (size_t)plan->seeds;
}

size_t lct_plan_jobs(const struct lct_plan *plan)
{
    size_t n = 0;

    for (size_t i = 0; i < tries(plan); i++)
        n += is_ours(plan, i);
    for (size_t i = 0; i < runs_of_seeds(plan); i++)
        n += is_ours(plan, i);
    return n;
}

locant_status lct_plan_run(struct lct_plan *plan, const struct lct_lab *lab)
{
    const struct lct_stage stages[] = {
        { try_rate, tries(plan) },
        { choose_rates, plan->parts == 0 },
        { run_seed, runs_of_seeds(plan) },
    };
    const double runs = (double)lct_plan_jobs(plan);
    struct lct_jobs jobs = {
        .state = plan,
        .phase = "evaluate",
        .lab = *lab,
        .total_cost = runs / (double)plan->n * lct_plan_cost(plan),
        .train_cost = runs * train_cost(&plan->train),
    };

    return lct_jobs_run(&jobs, stages, 3);
}
