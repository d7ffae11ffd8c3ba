/* trainer_case.h - a trainer before its first step, and its gradients */
#ifndef TRAINER_CASE_H
#define TRAINER_CASE_H
#include "train_case.h"
#include "train/train_begin.h"
#include <math.h>

static inline struct lct_trainer *make_trainer(const locant_train_options *o)
{
    struct lct_trainer *t;

    CHECK_OK(lct_trainer_create(&t, corpus, o));
    CHECK_OK(lct_train_set_up(t));
    CHECK_OK(lct_train_init_params(t));
    return t;
}

/* No element of a gradient of t is further from that of u than 'share' of the
   largest one of the same tensor. */
static inline void check_gradients(const char *spec, struct lct_trainer *t,
                                   struct lct_trainer *u, double share)
{
    const struct lct_model_tensor *x;

    for (int k = lct_model_tensors(t->model, &x) - 1; k >= 0; k--) {
        const real *a = lct_model_grads(t->model) + x[k].offset;
        const real *b = lct_model_grads(u->model) + x[k].offset;
        double most = 0, off = 0;

        for (size_t i = 0; i < x[k].size; i++) {
            most = fmax(most, fabs((double)b[i]));
            off = fmax(off, fabs((double)a[i] - (double)b[i]));
        }
        if (!(off <= share * most))
            FAIL("%s: %s is off by %g of %g", spec, x[k].name, off, most);
    }
}
#endif
