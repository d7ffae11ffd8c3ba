/* phase.h - angles as fractions of a turn (2 pi), their cosine and sine */
#ifndef LCT_PHASE_H
#define LCT_PHASE_H
#include "fixed.h" /* lct_u128 */
#include <stdbool.h>
#include <stdint.h>

/* A frequency, as a fraction of a turn: (hi * 2^64 + lo) / 2^128. */
struct lct_phase {
    uint64_t hi, lo;
};

/* A fraction of a turn in 192 bits. */
struct lct_fraction {
    uint64_t hi, mid, lo;
};

/* position * f, modulo 1. */
static inline struct lct_phase lct_phase_times(struct lct_phase f,
                                               uint64_t position)
{
    lct_u128 low = (lct_u128)f.lo * position;

    return (struct lct_phase){ f.hi * position + (uint64_t)(low >> 64),
                               (uint64_t)low };
}

/* 1 - f, the angle of the opposite sign. */
static inline struct lct_phase lct_phase_back(struct lct_phase f)
{
    return (struct lct_phase){ ~f.hi + (f.lo == 0), -f.lo };
}

/* |position|, defined also for INT64_MIN. */
static inline uint64_t lct_magnitude(int64_t position)
{
    return position < 0 ? -(uint64_t)position : (uint64_t)position;
}

/* position * f, modulo 1, for a position of either sign. */
static inline struct lct_phase lct_phase_at(struct lct_phase f,
                                            int64_t position)
{
    struct lct_phase t = lct_phase_times(f, lct_magnitude(position));

    return position < 0 ? lct_phase_back(t) : t;
}

/*
 * An angle modulo whole turns.  Its distance from the nearest quadrant is w, a
 * double in units of 2^-66 turn, at most an eighth of a turn.
 */
struct lct_reduced {
    struct lct_fraction turns;
    unsigned quadrant;
    double w;
    bool mirrored; /* the angle is the negative of this one */
    bool tiny;     /* so small that only w is accurate, not 'turns' */
};

struct lct_reduced lct_reduce_fraction(struct lct_fraction turns);
struct lct_reduced lct_reduce(struct lct_phase f, int64_t position);

/*
 * Cosine and sine, times factor > 0, within 2^-51 of it.  Rounded to float they
 * are the floats nearest to the exact values, except that a tiny angle's may be
 * 0.5000001 units in the last place away.
 */
void lct_reduced_cos_sin(double *cos_out, double *sin_out,
                         const struct lct_reduced *x, double factor);
#endif
