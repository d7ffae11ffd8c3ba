/*
 * mixed.h - one attention problem with any encoding value and every input the
 * library takes: documents, coordinates, input of the layer, parameters.
 */
#ifndef MIXED_H
#define MIXED_H

#include "../testing.h"
#include "oracle/case.h"
#include <stdbool.h>

enum { MIXED_PARAMS = 16 };

struct mixed {
    /* To be set before mixed_make(); sizes have defaults. */
    const char *spec; /* or 'e' */
    const locant_encoding *e;
    locant_dtype dtype;
    locant_mask mask;
    int64_t B, H, G, T, S, D;
    int64_t W; /* 0: no x */
    int axes;  /* 0: no coordinates */

    locant_tensor q, k, v, x, dout, out, lse, dq, dk, dv, dx, sinks, dsinks;
    locant_tensor q_pos, k_pos, q_docs, k_docs, q_coords, k_coords;
    locant_tensor params[MIXED_PARAMS], dparams[MIXED_PARAMS];
    int n_params;
    locant_encoding *made;
    locant_attention a;
    locant_attention_gradients g;
};

/*
 * Random q, k, v, x, parameters near their initial values; positions 0 .. S-1
 * of keys, queries at the end; a.q_docs and a.k_docs are NULL until set.
 */
void mixed_make(struct mixed *m);
/*
 * A causal problem of two heads in the first of two layers of 'spec', which may
 * be one of model_specs.h; false: nothing to attend with so many keys.
 */
bool mixed_make_layer(struct mixed *m, const char *spec, locant_dtype dtype,
                      int64_t B, int64_t T, int64_t S);
void mixed_free(struct mixed *m);

/* A window, a cap near the scores, and sinks. */
void mixed_options(struct mixed *m, int64_t window);

/* Add to the positions of queries and keys. */
void mixed_shift(struct mixed *m, int64_t by);

/* Leave rows first .. end - 1 of an axis, if there is a tensor. */
void mixed_cut(locant_tensor *t, int axis, int64_t first, int64_t end);
/* The same of queries, at their positions, of a copy of a problem. */
void mixed_cut_queries(struct mixed *m, int64_t first, int64_t end);

/* NaN in all that is written, 0 in what is added to. */
void mixed_forget(struct mixed *m);

/* The fast functions, in a workspace of exactly the size asked for that holds
 * NaN; parameters' gradients start from 0. */
void mixed_run(struct mixed *m);
/* Forward of the first n keys and the queries among them from key 'from' on,
 * into their place in out and lse. */
void mixed_run_part(struct mixed *m, int64_t from, int64_t n);

/* Everything written, in double: out, lse, dq, dk, dv, dx, dsinks, dparams. */
size_t mixed_count(const struct mixed *m);
double *mixed_results(const struct mixed *m); /* free() it */

/* Elements of a tensor; 0 where there is none. */
size_t mixed_size(const locant_tensor *t);

/* F32 or F64 against the reference: forward to 1e-6, gradients to 1e-5, more
 * where scores are large: their rounding is that of the weights. */
void mixed_judge_fast(struct mixed *m);
/* 1, 2, 3 and 7 threads give the same bits. */
void mixed_judge_threads(struct mixed *m);

/*
 * Gradients of sum dout * out against central differences of the forward
 * direction, in every input and parameter at once, along random directions.
 * Wants F64.  Step h gives an error of h^2 times third derivatives and 2^-52 /
 * h: at h = 2^-17 both are near 1e-10 of the terms, of which some hundred add.
 */
void mixed_judge_differences(struct mixed *m);
#endif
