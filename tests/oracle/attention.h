/*
 * attention.h - attention of any size in double, one row at a time, with the
 * derivative written out.
 */
#ifndef ORACLE_ATTENTION_H
#define ORACLE_ATTENTION_H

#include "../testing.h"

/* All arrays dense: q [B,H,T,D], k, v [B,G,S,D], q_pos [B,T], k_pos [B,S]. */
struct oracle_attention {
    int64_t B, H, G, T, S, D; /* G key heads */
    const double *q, *k, *v;
    const int64_t *q_pos, *k_pos;
    int causal;
    double scale;
    /* Backward with the absolute value of every term of every sum: what the
     * rounding errors of those sums are measured by. */
    int gross;
    /* NULL: identity; NULL: 0; NULL: no parameters. */
    void (*rotate)(double *out, const double *x, int64_t pos, void *context);
    double (*bias)(int64_t h, int64_t q, int64_t k, void *context);
    void (*bias_backward)(int64_t h, int64_t q, int64_t k, double dout,
                          void *context);
    void *context;
    /* Options; 0 and NULL: none. */
    int64_t window;
    double softcap;
    const double *sinks;            /* [H] */
    const int64_t *q_docs, *k_docs; /* [B,T], [B,S] */
    const double *dense;            /* [B,H,T,S]: added after the cap */
    const char *shown;              /* [B,H,T,S]: 0 hides */
    double *ddense;                 /* [B,H,T,S]: written by backward */
};

/*
 * out [B,H,T,D], lse [B,H,T]; *top = largest |score| that is visible, or half
 * of the sum of absolute terms of a score where those cancel: a float32 score
 * is off by 4 * 2^-24 times this at most.  The cap errs by 12 * 2^-24 of what
 * it leaves, so three times that is added.
 */
void oracle_attention_forward(double *out, double *lse, double *top,
                              const struct oracle_attention *a);
/* Writes dq, dk, dv, and dsinks [H] if there are sinks; calls bias_backward
 * once for each visible pair. */
void oracle_attention_backward(double *dq, double *dk, double *dv,
                               double *dsinks, const double *dout,
                               const struct oracle_attention *a);
#endif
