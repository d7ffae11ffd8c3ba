/* train_time.c - times steps of training, as a forecast needs them */
#include "../store/clock.h"
#include "median.h"
#include "train.h"
#include "train_begin.h"

enum { STEPS = 3 }; /* timed, after one that is not */

/* The first step also touches memory for the first time. */
static locant_status time_steps(double *seconds, struct lct_trainer *t)
{
    double each[STEPS], value;
    const char *not_finite;

    LCT_TRY(lct_train_set_up(t));
    LCT_TRY(lct_train_init_params(t));
    LCT_TRY(lct_train_step(t, &not_finite, &value));
    for (int i = 0; i < STEPS; i++) {
        const double begun = lct_clock();

        LCT_TRY(lct_train_step(t, &not_finite, &value));
        each[i] = lct_clock() - begun;
    }
    *seconds = lct_median(each, STEPS);
    return LOCANT_OK;
}

locant_status lct_train_time(double *seconds, const locant_corpus *corpus,
                             const locant_train_options *options)
{
    struct lct_trainer *t;
    locant_status status;

    status = lct_trainer_create(&t, corpus, options);
    if (status == LOCANT_OK)
        status = time_steps(seconds, t);
    lct_trainer_free(t);
    return status;
}
