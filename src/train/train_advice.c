/*
 * train_advice.c - does sharing out this run pay?
 *
 * What ranks gather during a pass, of rows that they share, is not counted.
 */
#include "../store/notice.h"
#include "median.h"
#include "train_group.h"
#include <stdio.h>

/* Runs that spend more of their steps on messages say so. */
static const double TOO_MUCH = .5;

void lct_train_advise(struct lct_trainer *t, double seconds)
{
    struct lct_train_advice *a = &t->advice;
    char message[256];
    double share;

    /* the first step touches memory for the first time */
    if (t->ranks.size == 1 || t->ranks.rank > 0 ||
        t->step == t->first_step + 1 || a->steps == LCT_ADVICE_STEPS)
        return;
    a->share[a->steps++] = seconds > 0 ? a->seconds / seconds : 0;
    if (a->steps < LCT_ADVICE_STEPS)
        return;
    share = lct_median(a->share, LCT_ADVICE_STEPS);
    if (share <= TOO_MUCH)
        return;
    snprintf(message, sizeof message,
             "the %d ranks spend %.2f of a step on messages and waiting for"
             " each other: for runs of this size, share out a sweep with"
             " 'locant report --part'",
             t->ranks.size, share);
    lct_notice("train", message, t->o.progress, t->o.context);
}
