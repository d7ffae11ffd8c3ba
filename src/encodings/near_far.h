/*
 * near_far.h - rotary scores in which near keys are seen at their distance and
 * far ones at another: what ReRoPE, SelfExtend and StreamingLLM share.
 */
#ifndef LCT_NEAR_FAR_H
#define LCT_NEAR_FAR_H
#include "../positions/distance.h"
#include "content.h"

enum { LCT_PAIRINGS_HALF, LCT_PAIRINGS_INTERLEAVED };

/* Away: not at all. */
enum lct_sight { LCT_NEAR, LCT_FAR, LCT_AWAY, LCT_MIXED };

/* One scheme. */
struct lct_near_far {
    int base, pairing; /* their places among the keys of the spec */

    /* How n queries see the key at k_pos: enum lct_sight, but not MIXED. */
    void (*sights)(char *out, const locant_encoding *e, const int64_t *q_pos,
                   size_t n, int64_t k_pos);
    /*
     * How all queries at q[0] .. q[1] see all keys at k[0] .. k[1]; MIXED: not
     * all the same way.
     */
    enum lct_sight (*span)(const locant_encoding *e, const int64_t q[2],
                           const int64_t k[2]);
    bool hides; /* some are AWAY */

    /*
     * What far queries and keys are turned by: 'extra' at the frequencies of
     * the encoding, and 'grouped' at those divided by 'slowing'.
     */
    double (*slowing)(const locant_encoding *e); /* NULL: 1 */
    int64_t (*extra)(const locant_encoding *e);
    int64_t (*grouped)(const locant_encoding *e, enum lct_role role,
                       int64_t pos);
};

/*
 * The schedule of near ones; cosines and sines [n, pairs] of far ones at n
 * positions in float32; and those [pairs] of one position in double.
 */
locant_status lct_near_far_schedule(struct lct_schedule **out,
                                    const locant_encoding *e, const char *fn,
                                    int64_t head_dim, int64_t length);
void lct_near_far_angles(float *cosines, float *sines, const locant_encoding *e,
                         const struct lct_schedule *s, enum lct_role role,
                         const int64_t *pos, int64_t n);
void lct_near_far_angles_f64(double *cosines, double *sines,
                             const locant_encoding *e,
                             const struct lct_schedule *s, enum lct_sight sight,
                             enum lct_role role, int64_t pos);
void lct_near_far_products(struct lct_products *out, const locant_encoding *e,
                           int64_t low, int64_t high);

/* a + b, b >= 0, at most INT64_MAX. */
static inline int64_t lct_later(int64_t a, int64_t b)
{
    return a > INT64_MAX - b ? INT64_MAX : a + b;
}

/* Near within a window of 'size', far beyond it. */
static inline void lct_sights_of_window(char *out, int64_t size,
                                        const int64_t *q_pos, size_t n,
                                        int64_t k_pos)
{
    int64_t last = lct_later(k_pos, size - 1);

    for (size_t i = 0; i < n; i++)
        out[i] = q_pos[i] > last ? LCT_FAR : LCT_NEAR;
}

static inline enum lct_sight lct_span_of_window(int64_t size,
                                                const int64_t q[2],
                                                const int64_t k[2])
{
    return lct_gap(q[1], k[0]) < size    ? LCT_NEAR
           : lct_gap(q[0], k[1]) >= size ? LCT_FAR
                                         : LCT_MIXED;
}
#endif
