/*
 * near_far.c - angles for scores that see near keys at their distance and far
 * keys at another one.
 *
 * With q and k as complex pairs,
 *
 *     s = bias + scale sum_c Re(q_c conj(k_c) e^{i d f_c})
 *
 * where d f_c is (p_i - p_j) f_c for a near key, and for a far key offset f_c +
 * (g_i - g_j) f_c / divisor, with grouped positions g_i and g_j.  So a score is
 * the product of a query and a key, each rotated by its own angle.  An odd last
 * channel is not rotated.
 */
#include "../angle/schedule.h"
#include "../kernel/kernels.h"
#include "near_far.h"
#include <string.h>

const char *const lct_near_far_pairings[] = { "half", "interleaved", NULL };

enum { PAIRS = 64 }; /* frequencies at a time */

locant_status lct_near_far_schedule(struct lct_schedule **out,
                                    const struct lct_schedule_use *u)
{
    const locant_encoding *e = u->e;
    const struct lct_near_far *scheme = e->row->content.near_far;

    LCT_TRY(lct_schedule_make(out, u, e->value[scheme->base], u->dim / 2));
    (*out)->pairing = (enum lct_pairing)e->value[scheme->pairing];
    return LOCANT_OK;
}

void lct_near_far_products(struct lct_products *out, const locant_encoding *e,
                           struct lct_span differences)
{
    (void)e;
    (void)differences;
    out->near_far = true;
}

static int64_t window_of(const locant_encoding *e)
{
    return (int64_t)e->value[e->row->content.near_far->window];
}

void lct_near_far_classify(char *out, const locant_encoding *e,
                           const int64_t *q_pos, size_t n, int64_t k_pos)
{
    int64_t last = lct_add_clamped(k_pos, window_of(e) - 1);

    for (size_t i = 0; i < n; i++)
        out[i] = q_pos[i] > last ? LCT_FAR : LCT_NEAR;
}

enum lct_near_far_class lct_near_far_classify_range(const locant_encoding *e,
                                                    const int64_t q[2],
                                                    const int64_t k[2])
{
    int64_t window = window_of(e);

    return lct_gap(q[1], k[0]) < window    ? LCT_NEAR
           : lct_gap(q[0], k[1]) >= window ? LCT_FAR
                                           : LCT_MIXED;
}

/* At most PAIRS frequencies, as they are and divided. */
struct chunk {
    const struct lct_phase *base;
    struct lct_phase divided[PAIRS];
    int64_t pairs;
};

/* The frequency that multiplies grouped positions. */
static struct lct_phase divided(struct lct_phase base, const locant_encoding *e)
{
    const struct lct_near_far *scheme = e->row->content.near_far;

    return scheme->divisor == NULL ? base
                                   : lct_phase_divide(base, scheme->divisor(e));
}

/* The angle of a far query or key, as a fraction of a turn. */
static struct lct_phase far_angle(struct lct_phase base,
                                  struct lct_phase divided_base,
                                  int64_t grouped, int64_t offset)
{
    return lct_phase_add(lct_phase_at(divided_base, grouped),
                         lct_phase_at(base, offset));
}

/* The kernel multiplies frequencies by a position: an angle is passed as a
 * frequency, with position 1. */
static void fill_row(float *cosines, float *sines, const struct chunk *x,
                     int64_t grouped, int64_t offset)
{
    struct lct_phase angle[PAIRS];

    for (int64_t i = 0; i < x->pairs; i++)
        angle[i] = far_angle(x->base[i], x->divided[i], grouped, offset);
    lct_kernels()->angle_rows(cosines, sines, angle, (size_t)x->pairs, 1, 1,
                              1.0);
}

void lct_near_far_angles(float *cosines, float *sines, const locant_encoding *e,
                         const struct lct_schedule *s, enum lct_role role,
                         const int64_t *pos, int64_t n)
{
    const struct lct_near_far *scheme = e->row->content.near_far;
    int64_t offset = role == LCT_QUERY ? scheme->offset(e) : 0;

    for (int64_t from = 0; from < s->pairs; from += PAIRS) {
        struct chunk x = { .base = s->frequency + from };
        int64_t before = 0;

        x.pairs = s->pairs - from < PAIRS ? s->pairs - from : PAIRS;
        for (int64_t i = 0; i < x.pairs; i++)
            x.divided[i] = divided(x.base[i], e);
        for (int64_t r = 0; r < n; r++) {
            int64_t grouped = scheme->grouped(e, role, pos[r]);
            float *cosine = cosines + r * s->pairs + from;
            float *sine = sines + r * s->pairs + from;
            size_t bytes = (size_t)x.pairs * sizeof(*sine);

            if (r == 0 || grouped != before) {
                fill_row(cosine, sine, &x, grouped, offset);
            } else {
                memcpy(cosine, cosine - s->pairs, bytes);
                memcpy(sine, sine - s->pairs, bytes);
            }
            before = grouped;
        }
    }
}

void lct_near_far_angles_f64(double *cosines, double *sines,
                             const locant_encoding *e,
                             const struct lct_schedule *s,
                             enum lct_near_far_class class, enum lct_role role,
                             int64_t pos)
{
    const struct lct_near_far *scheme = e->row->content.near_far;
    int64_t offset = role == LCT_QUERY ? scheme->offset(e) : 0;

    for (int64_t i = 0; i < s->pairs; i++) {
        struct lct_phase f = s->frequency[i];
        struct lct_phase angle =
            class == LCT_NEAR
                ? lct_phase_at(f, pos)
                : far_angle(f, divided(f, e), scheme->grouped(e, role, pos),
                            offset);

        lct_angle(&cosines[i], &sines[i], angle, 1);
    }
}
