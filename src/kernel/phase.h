/*
 * phase.h - angles as fractions of a turn (2 pi), their sine and cosine.
 *
 * The scalar form of the vector kernel of angle.inc.  Both give the same bits,
 * because every operation is a correctly rounded one of IEEE 754 and none are
 * contracted.
 */
#ifndef LCT_PHASE_H
#define LCT_PHASE_H
#include <stdint.h>

__extension__ typedef unsigned __int128 lct_u128;

/* A fraction of a turn: (hi * 2^64 + lo) / 2^128. */
struct lct_phase {
    uint64_t hi, lo;
};

/*
 * The distance from the nearest quadrant is at most an eighth of a turn.  It is
 * a double w in units of 2^-66 turn: the bits below the quadrant, shifted to
 * the top of an int64, are w.  With z = w^2:
 *
 *     sin(2 pi w 2^-66) = w (S0 + S1 z + .. + S5 z^5)   relative error 2^-47.6
 *     cos(2 pi w 2^-66) = 1 + C1 z + .. + C5 z^5        relative error 2^-43.6
 *
 * Minimax coefficients (Remez, relative error, |w| <= 2^63), rounded to double.
 */
#define LCT_SIN0 0x1.921fb54442cf8p-64
#define LCT_SIN1 (-0x1.4abbce62577b9p-193)
#define LCT_SIN2 0x1.466bc670fd122p-324
#define LCT_SIN3 (-0x1.32d2c6298a583p-456)
#define LCT_SIN4 0x1.5071bed3ceea9p-589
#define LCT_SIN5 (-0x1.dd4e53d45a8d5p-723)
#define LCT_COS1 (-0x1.3bd3cc9bd6839p-128)
#define LCT_COS2 0x1.03c1f075dd9fap-258
#define LCT_COS3 (-0x1.55d3ba9dbe2f6p-390)
#define LCT_COS4 0x1.e1e7f586cad5bp-523
#define LCT_COS5 (-0x1.a0f36ac749e13p-656)

/*
 * Below |w| = 2^36 (2^-30 turn) the high 64 bits of the fraction are no longer
 * relatively accurate to float32: their error of one unit is 4 in w.  There w
 * is computed from all 128 bits.
 */
#define LCT_TURN_NEAR 0x1p72 /* bound of w^2 */

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

/* The quadrant nearest to a fraction of a turn whose top 64 bits are 'hi'. */
static inline unsigned lct_quadrant(uint64_t hi)
{
    return (unsigned)((hi + (UINT64_C(1) << 61)) >> 62);
}

/*
 * w of the fraction (hi, mid, lo) / 2^192 with full relative accuracy: the
 * fraction is made positive before its words are added as doubles.
 */
static inline double lct_phase_rest(uint64_t hi, uint64_t mid, uint64_t lo)
{
    uint64_t a = hi << 2 | mid >> 62;
    uint64_t b = mid << 2 | lo >> 62;
    uint64_t c = lo << 2;
    double sign = 1;

    if (a >> 63) {
        c = -c;
        b = ~b + (c == 0);
        a = ~a + (c == 0 && b == 0);
        sign = -1;
    }
    return sign * ((double)a + ((double)b * 0x1p-64 + (double)c * 0x1p-128));
}

/* Cosine and sine of 'quadrant' quarter turns and w. */
static inline void lct_phase_cos_sin(double *cos_out, double *sin_out,
                                     unsigned quadrant, double w)
{
    double z = w * w, zz = z * z;
    double s = zz * (LCT_SIN4 + LCT_SIN5 * z);
    double c = zz * (LCT_COS4 + LCT_COS5 * z);
    double x, y;

    s = zz * ((LCT_SIN2 + LCT_SIN3 * z) + s);
    c = zz * ((LCT_COS2 + LCT_COS3 * z) + c);
    s = w * ((LCT_SIN0 + LCT_SIN1 * z) + s);
    c = (1.0 + LCT_COS1 * z) + c;
    x = quadrant & 1 ? s : c;
    y = quadrant & 1 ? c : s;
    *cos_out = (quadrant + 1) & 2 ? -x : x;
    *sin_out = quadrant & 2 ? -y : y;
}
#endif
