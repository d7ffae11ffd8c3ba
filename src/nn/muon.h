/* muon.h - Muon: orthogonalised momentum, for the matrices of the layers */
#ifndef LCT_MUON_H
#define LCT_MUON_H
#include "real.h"

struct lct_muon {
    double rate;     /* of this step */
    double momentum; /* .95 */
    double decay;    /* .1 */
};

/* A matrix W [in, out] of y = x W, its momentum, which is 0 before the first
   step, and its gradient. */
struct lct_muon_matrix {
    real *p, *m;
    const real *grad;
    int64_t in, out;
};

/* Elements of scratch for a step on such a matrix. */
size_t lct_muon_scratch(int64_t in, int64_t out);

/*
 * One step: m = momentum m + grad, then
 *
 *     p -= rate * (sqrt(max(1, out / in)) * O(grad + momentum m) + decay * p)
 *
 * where O(G) is G / (|G| + 1e-7) after five iterations that bring its singular
 * values near 1:  X <- a X + b (X X^T) X + c (X X^T)^2 X.
 * Source: Jordan et al. 2024, "Muon: An optimizer for hidden layers in neural
 * networks" (kellerjordan.github.io/posts/muon): a, b, c, the momentum and its
 * Nesterov form; the factor of the shape is that of the authors' code, for
 * which W is [out, in].  Decay as in Liu et al. 2025, "Muon is Scalable for LLM
 * Training", arXiv:2502.16982v1, eq. (3).
 */
void lct_muon_step(const struct lct_muon_matrix *w, const struct lct_muon *o,
                   real *scratch);
#endif
