/* moved.h - oracles of rotations by angles that inputs of tokens choose */
#ifndef ORACLE_MOVED_H
#define ORACLE_MOVED_H
#include "content.h"

enum { MOVED_PAIRS = 64 };

/* The angles [D / 2] of head h at key t of batch row b. */
typedef void moved_angles(cx *angle, const struct oracle_call *call, int64_t b,
                          int64_t h, int64_t t);

/* x_t */
static inline const cx *input_of(const struct oracle_call *call, int64_t b,
                                 int64_t t)
{
    return call->x + (b * call->S + t) * call->W;
}

/* The key whose angle query i has. */
static inline int64_t moved_own(const struct oracle_call *call, int64_t b,
                                int64_t i)
{
    int64_t own = 0;

    while (past(call, b, i, own) != 0)
        own++;
    return own;
}

/* What query and key add to the imaginary part of a score, without signs. */
static inline double moved_terms(const struct oracle_call *call, int64_t b,
                                 int64_t h, int64_t i, int64_t j,
                                 moved_angles *angles)
{
    const cx *q = query_of(call, b, h, i), *k = key_of(call, b, h, j);
    int64_t pairs = call->D / 2;
    cx at[2][MOVED_PAIRS];
    double sum = 0;

    angles(at[0], call, b, h, moved_own(call, b, i));
    angles(at[1], call, b, h, j);
    for (int64_t c = 0; c < pairs; c++)
        sum += cabs(q[c] + I * q[c + pairs]) * cabs(k[c] + I * k[c + pairs]) *
               (fabs(cimag(at[0][c])) + fabs(cimag(at[1][c])));
    return call->scale * sum;
}

/* scale <R(angle_i) q_i, R(angle_j) k_j>: a query has its own key's angle. */
static inline cx moved_score(const struct oracle_call *call, int64_t b,
                             int64_t h, int64_t i, int64_t j,
                             moved_angles *angles)
{
    const cx *q = query_of(call, b, h, i), *k = key_of(call, b, h, j);
    int64_t pairs = call->D / 2;
    cx at[2][MOVED_PAIRS], sum = 0;

    angles(at[0], call, b, h, moved_own(call, b, i));
    angles(at[1], call, b, h, j);
    for (int64_t c = 0; c < pairs; c++) {
        cx a = at[0][c] - at[1][c];
        cx dot = q[c] * k[c] + q[c + pairs] * k[c + pairs];
        cx cross = q[c] * k[c + pairs] - q[c + pairs] * k[c];

        sum += dot * ccos(a) + cross * csin(a);
    }
    return call->scale * sum;
}
#endif
