/*
 * plan_run.c - train and evaluate the runs of a plan: first those that try
 * learning rates, then those of every seed.
 */
#define _POSIX_C_SOURCE 200809L
#include "jobs.h"
#include "measures.h"
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

static locant_status try_rate(struct lct_job *job)
{
    const struct lct_plan *plan = job->jobs->state;

    return run_one(job, &plan->tried[job->i], plan->rates[job->i / plan->n], 1);
}

static locant_status run_seed(struct lct_job *job)
{
    const struct lct_plan *plan = job->jobs->state;

    return run_one(job, &plan->runs[job->i], plan->rate[job->i % plan->n],
                   1 + job->i / plan->n);
}

locant_status lct_choose_rates(struct lct_plan *plan, locant_store *store,
                               const char *corpus_sha256)
{
    for (size_t i = 0; i < plan->n && plan->n_rates > 0; i++) {
        double least = INFINITY;

        plan->rate[i] = plan->rates[0];
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
                plan->rate[i] = plan->rates[k];
            }
        }
    }
    return LOCANT_OK;
}

static locant_status choose_rates(struct lct_job *job)
{
    const struct lct_jobs *all = job->jobs;

    return lct_choose_rates(all->state, all->lab.store,
                            locant_corpus_info_of(all->lab.corpus)->sha256);
}

locant_status lct_plan_run(struct lct_plan *plan, const struct lct_lab *lab)
{
    const struct lct_stage stages[] = {
        { try_rate, plan->n * (size_t)plan->n_rates },
        { choose_rates, 1 },
        { run_seed, plan->n * (size_t)plan->seeds },
    };
    const double runs = (double)plan->n * (plan->seeds + plan->n_rates);
    struct lct_jobs jobs = {
        .state = plan,
        .phase = "evaluate",
        .lab = *lab,
        .total_cost = (plan->seeds + plan->n_rates) * lct_plan_cost(plan),
        .train_cost = runs * train_cost(&plan->train),
    };

    return lct_jobs_run(&jobs, stages, 3);
}
