/* net_losses.c - what a model loses on each token of a text */
#include "net_losses.h"
#include "model_run.h"
#include "net_math.h"
#include <math.h>

enum { ROWS = LCT_NET_LOSSES_ROWS };

void lct_net_losses_put(double *out, struct lct_net_run *r,
                        const struct lct_model_input *in, int64_t b, int64_t t,
                        int64_t T, void *logits)
{
    const struct lct_net *n = r->n;
    const void *x = lct_net_math_at(n->math, r->x, b * T * n->width);

    for (int64_t i = 0, rows; i < T; i += rows) {
        rows = T - i < ROWS ? T - i : ROWS;
        lct_net_run_head(logits, lct_net_math_at(n->math, x, i * n->width),
                         rows, r);
        for (int64_t k = i; k < i + rows && t + k + 1 < in->T; k++) {
            const int64_t at = b * in->T + t + k;
            const bool hidden = in->mask != NULL &&
                                (in->mask[at] == 0 || in->mask[at + 1] == 0);
            const void *row =
                lct_net_math_at(n->math, logits, (k - i) * n->vocab);

            out[b * (in->T - 1) + t + k] =
                hidden ? NAN
                       : n->math->log_sum(row, n->vocab, -INFINITY) -
                             n->math->get(row, in->ids[at + 1]);
        }
    }
}

locant_status lct_net_losses(double *out, const struct lct_net *n,
                             struct lct_model_input *in)
{
    struct lct_net_run run = { 0 };
    struct lct_model_memory memory = { 0 };
    void *logits = lct_net_zeros(ROWS, n->vocab, n->math->item);
    locant_status s;

    LCT_NET_GOT(logits);
    s = lct_model_run_begin(&run, &memory, n, in, in->T);
    for (int64_t t = 0, T; t < in->T && s == LOCANT_OK; t += T) {
        struct lct_net_tokens part;

        T = in->T - t < run.most ? in->T - t : run.most;
        part = lct_model_input_part(in, t, T);
        s = lct_net_run_step(&run, &part);
        for (int64_t b = 0; b < in->B && s == LOCANT_OK; b++)
            lct_net_losses_put(out, &run, in, b, t, T, logits);
    }
    lct_model_run_end(&run, &memory);
    locant_release(logits);
    return s;
}
