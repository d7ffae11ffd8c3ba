/* muon.h - the optimiser Muon, in double, from its formula */
#ifndef ORACLE_MUON_H
#define ORACLE_MUON_H
#include <stdint.h>

struct oracle_muon {
    double rate, momentum, decay;
};

/*
 * One step on W [in, out] of y = x W, with its momentum m and its gradient.
 * Source: Jordan et al. 2024, "Muon: An optimizer for hidden layers in neural
 * networks"; Liu et al. 2025, arXiv:2502.16982v1, for the decay.  Both take
 * W^T [out, in] as the matrix.  'room' has 3 in out + 2 min(in, out)^2
 * elements.
 */
void oracle_muon_step(double *w, double *m, const double *grad, int64_t in,
                      int64_t out, const struct oracle_muon *o, double *room);

#endif
