/*
 * schedule.h - frequencies as fractions of a turn, and angles from them.
 *
 * A frequency is a 128-bit binary fraction: F / 2^128 turns per position.  A
 * schedule is the list of frequencies of one rotation.  It is made once and
 * never changes.
 */
#ifndef LCT_SCHEDULE_H
#define LCT_SCHEDULE_H
#include "../core/error.h"
#include "../kernel/phase.h" /* struct lct_phase */
#include "locant/angles.h"
#include <stdbool.h>

/* Which two channels make a pair. */
enum lct_pairing { LCT_HALF = 0, LCT_INTERLEAVED = 1 };

/* Most coordinates of a position. */
enum { LCT_MOST_AXES = 6 };

/* Constants of the float32 recipes of other software. */
struct lct_recipe {
    float step;      /* ggml: theta *= step from pair to pair */
    float scale;     /* ggml: freq_scale, 1 / factor */
    float mix;       /* ggml: ext_factor, 1 in yarn, else 0 */
    float low, high; /* ggml: pairs between which yarn mixes */
};

struct lct_schedule {
    struct lct_schedule *next; /* for the owner's list */
    uint64_t id;               /* unique in the process */
    int64_t head_dim;          /* channels of the heads it was made for */
    int64_t length;            /* length of the calls it is for; 0: any */
    bool owned;                /* belongs to a call, not to the encoding */
    int64_t pairs;             /* rotated channels / 2 */
    int64_t first;             /* the first rotated channel */
    int axes;                  /* coordinates of a position: pair c rotates by
                                  sum_a coords[a] frequency[a pairs + c] */
    enum lct_pairing pairing;
    int bands;                   /* HALF: not in one, but in each of so many */
    int64_t band[LCT_MOST_AXES]; /* bands side by side, of these pairs */
    locant_angle_mode mode;
    double base;      /* for the emulated modes */
    double magnitude; /* multiplies cos and sin; 1: plain rotation */
    struct lct_recipe recipe;
    float *single;                /* [pairs] within this allocation: hf: inverse
                                  frequencies; ggml: freq_factors */
    struct lct_phase frequency[]; /* [axes, pairs] */
};

/*
 * base^(-2i/dim) / 2 pi turns, within 2^-128; finite base > 0, and 0 <= 2i <=
 * dim (any i >= 0 for a base >= 1).  Frequencies of a base below 1 can exceed a
 * turn; their whole turns are dropped, so they may be multiplied by whole
 * positions only.
 */
struct lct_phase lct_phase_of(double base, int64_t i, int64_t dim);

/*
 * base^(-2i/dim) factor^(-n/d) / 2 pi turns, within 2^-127, for a base and a
 * factor of at least 1 and 0 <= n < 2^31.  With n = 2i and d = dim - 2 that is
 * the frequency of a larger base, base factor^(dim / (dim - 2)), which is not
 * rounded.
 */
struct lct_phase lct_phase_of_stretched(double base, int64_t i, int64_t dim,
                                        double factor, int64_t n, int64_t d);

/* The frequency in radians per position, below 2 pi. */
double lct_phase_radians(struct lct_phase f);

/* f radians as turns, whole turns dropped, for 0 <= f <= 1024: within 2^-128,
 * above 1 within 2^-128 f. */
struct lct_phase lct_phase_of_radians(double f);

/* --------------------------------------- arithmetic of fractions (scale.c) */

/* x * y rounded down; the error is below 2^-128. */
struct lct_phase lct_phase_product(struct lct_phase x, struct lct_phase y);

/* f / by rounded down, for by >= 2^-10; the error is below 2^-128. */
struct lct_phase lct_phase_divide(struct lct_phase f, double by);

/* f n / d for 0 <= n <= d < 2^63, rounded down. */
struct lct_phase lct_phase_part(struct lct_phase f, uint64_t n, uint64_t d);

/* a + b and a - b modulo 1. */
struct lct_phase lct_phase_add(struct lct_phase a, struct lct_phase b);
struct lct_phase lct_phase_subtract(struct lct_phase a, struct lct_phase b);

/* f m 2^(places - 64) modulo 1, truncated to a multiple of 2^-192. */
struct lct_fraction lct_phase_real(struct lct_phase f, uint64_t m, int places);

/* A double in 0 .. 1 as a fraction; 1 becomes 1 - 2^-128. */
struct lct_phase lct_phase_from(double x);

/*
 * (turns of f in 'length' positions - low) / (high - low), clamped to 0 .. 1,
 * as a fraction to about 2^-126; 0 <= low <= high <= 2^20.  For low = high it
 * is 0 or 1.
 */
struct lct_phase lct_phase_share(struct lct_phase f, uint64_t length,
                                 double low, double high);

/*
 * Allocate a schedule whose turns are all 0, pairing HALF, mode EXACT,
 * magnitude 1.  NULL when memory is short.
 */
struct lct_schedule *lct_schedule_new(int64_t pairs, int axes,
                                      int64_t head_dim);

/* A schedule with one axis and frequencies base^(-2c/dim), dim = 2 * pairs. */
struct lct_schedule *lct_schedule_create(double base, int64_t pairs,
                                         int64_t head_dim);

/*
 * cos_out, sin_out [n, pairs], dense, float32 = cosine and sine of positions[t]
 * times frequency c, in the schedule's mode, times its magnitude (multiplied in
 * double, rounded once).  Uses several threads.
 */
void lct_schedule_angles(float *cos_out, float *sin_out,
                         const struct lct_schedule *s, const int64_t *positions,
                         size_t n);

/*
 * As lct_schedule_angles(), for frequencies first .. first + pairs - 1 only and
 * outputs [n, pairs]: mode EXACT, one axis, on the calling thread.
 */
void lct_schedule_angles_of(float *cos_out, float *sin_out,
                            const struct lct_schedule *s, size_t first,
                            size_t pairs, const int64_t *positions, size_t n);

/*
 * How many positions from 'first' on one call of a kernel can take: they
 * increase by 1, and only the first can be 0.
 */
size_t lct_schedule_run(const int64_t *positions, size_t first, size_t end);

/*
 * As lct_schedule_angles(), for any number of axes, at coords [n, axes]:
 * finite, below 2^63 in magnitude.  The sum over axes is formed in integers
 * modulo whole turns.  Its error is 2^-128 turn times sum_a |coords[a]| (from
 * the frequencies) plus 2^-191 turn.  So a result is within 0.501 units of its
 * last place if it is at least 2^-96 sum_a |coords[a]|, and within 2^-24 for
 * sums up to 2^63.  With one axis, or where a pair depends on one coordinate
 * that is an integer, the bits are those of lct_schedule_angles().  Only EXACT
 * has more than one axis.
 */
void lct_schedule_angles_real(float *cos_out, float *sin_out,
                              const struct lct_schedule *s,
                              const double *coords, size_t n);

/* Cosines and sines [n, pairs]: doubles if wide, else floats. */
struct lct_table {
    void *cosines, *sines;
    bool wide;
};

static inline size_t lct_table_size(bool wide)
{
    return wide ? sizeof(double) : sizeof(float);
}

/* The part of the table that begins at entry i. */
static inline struct lct_table lct_table_at(struct lct_table t, size_t i)
{
    size_t bytes = i * lct_table_size(t.wide);

    return (struct lct_table){ (char *)t.cosines + bytes,
                               (char *)t.sines + bytes, t.wide };
}

/*
 * Fill a table by one of the functions above: at 'integers' [n] or, if that is
 * NULL, at 'reals' [n, axes].  Doubles are within 2^-51 times magnitude of the
 * exact values; in modes other than EXACT they are the floats of the recipe.
 */
void lct_schedule_fill(struct lct_table t, const struct lct_schedule *s,
                       const int64_t *integers, const double *reals, size_t n);

/* Rows first .. end - 1 by the float32 recipe of s->mode. */
void lct_recipe_rows(float *cos_out, float *sin_out,
                     const struct lct_schedule *s, const int64_t *integers,
                     const double *reals, size_t first, size_t end);

/* Set what both recipes need for frequencies base^(-2c/dim). */
void lct_recipe_plain(struct lct_schedule *s, double base);

/* As lct_reduce() of phase.h, at a real position. */
struct lct_reduced lct_reduce_real(struct lct_phase f, double pos);

/* Reduce the angle of pair c at the coordinates 'at' [axes]. */
struct lct_reduced lct_reduce_point(const struct lct_schedule *s,
                                    const double *at, int64_t c);

/* One angle, as lct_reduced_cos_sin() with factor 1. */
void lct_angle(double *cos_out, double *sin_out, struct lct_phase f,
               int64_t pos);
void lct_angle_real(double *cos_out, double *sin_out, struct lct_phase f,
                    double pos);
#endif
