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
#include "../kernel/turn.h" /* struct lct_turn */
#include "locant/angles.h"

/* Which two channels make a pair. */
enum lct_pairing { LCT_HALF = 0, LCT_INTERLEAVED = 1 };

struct lct_schedule {
    struct lct_schedule *next; /* for the owner's list */
    uint64_t id;               /* unique in the process */
    int64_t head_dim;          /* made for heads of that many channels */
    int64_t pairs;             /* rotated channels / 2, the leading ones */
    enum lct_pairing pairing;
    locant_angle_mode mode;
    double base;               /* for the emulated modes */
    double magnitude;          /* multiplies cos and sin; 1: plain rotation */
    struct lct_turn turn[];    /* [pairs] */
};

/*
 * base^(-2i/dim) / 2 pi turns to one unit of 2^-128; finite base > 0, and
 * 0 <= 2i <= dim (any i >= 0 for a base >= 1).  Whole turns, which a base below
 * 1 can have, are dropped: then only whole positions may be multiplied by it.
 */
struct lct_turn lct_turn_of(double base, int64_t i, int64_t dim);

/*
 * Allocate a schedule of 'pairs' frequencies base^(-2c/dim), dim = 2 * pairs,
 * pairing HALF, mode EXACT, magnitude 1.  NULL when memory is short.
 */
struct lct_schedule *lct_schedule_create(double base, int64_t pairs,
                                         int64_t head_dim);

/*
 * cos_out[t * pairs + c], sin_out[..] = of positions[t] * frequency c, float32,
 * times magnitude (multiplied in double, rounded once), in the schedule's mode.
 * Dense outputs [n, pairs].  Spread over threads.
 */
void lct_schedule_angles(float *cos_out, float *sin_out,
                         const struct lct_schedule *s, const int64_t *positions,
                         size_t n);

/* The same at real positions: finite, below 2^63 in magnitude. */
void lct_schedule_angles_real(float *cos_out, float *sin_out,
                              const struct lct_schedule *s,
                              const double *positions, size_t n);

/* One exact angle in double: relative error about 2^-43 before any rounding. */
void lct_angle(double *cos_out, double *sin_out, struct lct_turn f,
               int64_t pos);
void lct_angle_real(double *cos_out, double *sin_out, struct lct_turn f,
                    double pos);
#endif
