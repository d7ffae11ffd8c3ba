/*
 * near_far.h - rotary scores that see near keys at their distance and far keys
 * at another one: what ReRoPE, SelfExtend and StreamingLLM share.
 */
#ifndef LCT_NEAR_FAR_H
#define LCT_NEAR_FAR_H
#include "../positions/distance.h"
#include "content.h"

/* The spec key "pairing", as in rope. */
extern const char *const lct_near_far_pairings[];
/* clang-format off */
#define LCT_NEAR_FAR_PAIRING                                                 \
    { .name = "pairing", .kind = LCT_WORD, .def = 0,                         \
      .words = lct_near_far_pairings, .doc = "as in rope" }
/* clang-format on */

/* The class of a key for a query, or of all pairs of some queries and keys:
 * MIXED if the pairs differ. */
enum lct_near_far_class { LCT_NEAR, LCT_FAR, LCT_MASKED, LCT_MIXED };

/* What one such encoding defines. */
struct lct_near_far {
    int base, pairing, window; /* indices of these keys of the spec */

    /* out[i] = the class of the key at k_pos for query i; never MIXED. */
    void (*classify)(char *out, const locant_encoding *e, const int64_t *q_pos,
                     size_t n, int64_t k_pos);
    /* The class of all pairs of queries at q[0] .. q[1] and keys at k[0] ..
     * k[1]. */
    enum lct_near_far_class (*classify_range)(const locant_encoding *e,
                                              const int64_t q[2],
                                              const int64_t k[2]);
    bool masks; /* some keys are MASKED */

    /*
     * A far query or key is rotated by grouped(pos) times the frequencies
     * divided by 'divisor', and a far query also by 'offset' times the
     * frequencies.
     */
    double (*divisor)(const locant_encoding *e); /* NULL: 1 */
    int64_t (*offset)(const locant_encoding *e);
    int64_t (*grouped)(const locant_encoding *e, enum lct_role role,
                       int64_t pos);
};

/* The hooks schedule.create and content.products of a near/far encoding. */
locant_status lct_near_far_schedule(struct lct_schedule **out,
                                    const struct lct_schedule_use *u);
void lct_near_far_products(struct lct_products *out, const locant_encoding *e,
                           struct lct_span differences);

/* Cosines and sines [n, pairs] of far queries or keys at n positions. */
void lct_near_far_angles(float *cosines, float *sines, const locant_encoding *e,
                         const struct lct_schedule *s, enum lct_role role,
                         const int64_t *pos, int64_t n);

/* The same [pairs] for one near or far query or key, in double. */
void lct_near_far_angles_f64(double *cosines, double *sines,
                             const locant_encoding *e,
                             const struct lct_schedule *s,
                             enum lct_near_far_class class, enum lct_role role,
                             int64_t pos);

/* a + b for b >= 0, clamped to INT64_MAX. */
static inline int64_t lct_add_clamped(int64_t a, int64_t b)
{
    return a > INT64_MAX - b ? INT64_MAX : a + b;
}

/* The hooks 'classify' and 'classify_range' of encodings where keys are near at
 * distances below the spec key "window", else far. */
void lct_near_far_classify(char *out, const locant_encoding *e,
                           const int64_t *q_pos, size_t n, int64_t k_pos);
enum lct_near_far_class lct_near_far_classify_range(const locant_encoding *e,
                                                    const int64_t q[2],
                                                    const int64_t k[2]);
#endif
