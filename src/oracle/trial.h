/* trial.h - one random attention problem: its rows as the oracle has them */
#ifndef ORACLE_TRIAL_H
#define ORACLE_TRIAL_H
#include "problem.h"

/* A problem, the rows whose outputs are summed, and sizes of its numbers. */
struct oracle_trial {
    struct oracle_problem p;
    struct oracle_call *call; /* of p.c */
    const struct oracle *o;
    int64_t b0, b1, i0, i1; /* sum rows b0 <= b < b1 and b, i0 <= i < i1 */
    double score_max;       /* the most that a score or its terms reach */
    double reach;           /* largest |value| */
    double mass;            /* 'gross' of the last sum if every |s_j'| were 1 */
    cx *frozen; /* scores [B, H, T, S] while dv is checked, else NULL */
};

/* Scores, weights and log-sum-exp of one row. */
struct oracle_trial_row {
    cx s[ORACLE_KEYS], p[ORACLE_KEYS], lse;
    cx sink;                   /* its weight */
    double share[ORACLE_KEYS]; /* how much of a score's effect p has */
    int seen[ORACLE_KEYS];
};

/* Make problem n of a row, run the library's forward, and find the sizes. */
void oracle_trial_make(struct oracle_trial *t, struct oracle_case *c,
                       int64_t n);

cx oracle_trial_score(const struct oracle_trial *t, int64_t b, int64_t h,
                      int64_t i, int64_t j);
/* Channel d of what the weight of key j multiplies. */
cx oracle_trial_value(const struct oracle_trial *t, int64_t b, int64_t h,
                      int64_t i, int64_t j, int64_t d);
/* Fill r with row b, h, i; 0: the row sees no key. */
int oracle_trial_softmax(struct oracle_trial_row *r,
                         const struct oracle_trial *t, int64_t b, int64_t h,
                         int64_t i);

/*
 * The unit that errors are counted in: of float32 if the problem or the table
 * of cosines is in float32; else of double, with ten bits for the chain of
 * operations inside of an encoding.
 */
double oracle_trial_unit(const struct oracle *o, locant_dtype dtype);

/*
 * A score of size s, a sum of a few products, is off by a few units of s, and
 * the exponential turns that into a relative error of the weight; a sum over S
 * keys adds S units at most, and random signs leave far less of them.
 */
double oracle_trial_score_error(const struct oracle_trial *t);
#endif
