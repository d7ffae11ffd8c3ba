/*
 * near_far_terms.c - near and far keys as products, for the tiled engine: a
 * tile that is wholly near or far needs one, of rows turned for it.  See
 * near_far.c.
 */
#include "../angle/schedule.h"
#include "../kernel/kernels.h"
#include "near_far.h"
#include <string.h>

enum { PAIRS = 64 }; /* frequencies at a time */

locant_status lct_near_far_schedule(struct lct_schedule **out,
                                    const locant_encoding *e, const char *fn,
                                    int64_t head_dim, int64_t length)
{
    const struct lct_near_far *form = e->row->near_far;

    (void)length;
    *out = lct_schedule_create(e->value[form->base], head_dim / 2, head_dim);
    if (*out == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "%s: no memory for the "
                           "frequencies of %s", fn, e->row->info.name);
    (*out)->pairing = (enum lct_pairing)e->value[form->pairing];
    return LOCANT_OK;
}

static void terms(struct lct_terms *out, const locant_encoding *e, int64_t low,
                  int64_t high)
{
    (void)e;
    (void)low;
    (void)high;
    *out = lct_no_terms();
    out->near_far = true;
}

/* A stretch of frequencies: 'base' as they are, 'slow' divided. */
struct stretch {
    const struct lct_turn *base;
    struct lct_turn slow[PAIRS];
    int64_t pairs;
};

/*
 * What a row is turned by as fractions of a turn, which are frequencies at
 * position 1.
 */
static void fill_row(float *cosines, float *sines, const struct stretch *x,
                     int64_t grouped, int64_t extra)
{
    struct lct_turn turn[PAIRS];

    for (int64_t i = 0; i < x->pairs; i++)
        turn[i] = lct_turn_add(lct_turn_at(x->slow[i], grouped),
                               lct_turn_at(x->base[i], extra));
    lct_kernels()->angle_rows(cosines, sines, turn, (size_t)x->pairs, 1, 1,
                              1.0);
}

void lct_near_far_angles(float *cosines, float *sines, const locant_encoding *e,
                         const struct lct_schedule *s, enum lct_role role,
                         const int64_t *pos, int64_t n)
{
    const struct lct_near_far *form = e->row->near_far;
    int64_t extra = role == LCT_QUERY ? form->extra(e) : 0;

    for (int64_t from = 0; from < s->pairs; from += PAIRS) {
        struct stretch x = { .base = s->turn + from };
        int64_t before = 0;

        x.pairs = s->pairs - from < PAIRS ? s->pairs - from : PAIRS;
        for (int64_t i = 0; i < x.pairs; i++)
            x.slow[i] = form->slowing == NULL
                            ? x.base[i]
                            : lct_turn_divide(x.base[i], form->slowing(e));
        for (int64_t r = 0; r < n; r++) {
            int64_t grouped = form->grouped(e, role, pos[r]);
            float *c = cosines + r * s->pairs + from;
            float *to = sines + r * s->pairs + from;
            size_t bytes = (size_t)x.pairs * sizeof(*c);

            if (r == 0 || grouped != before) {
                fill_row(c, to, &x, grouped, extra);
            } else {
                memcpy(c, c - s->pairs, bytes);
                memcpy(to, to - s->pairs, bytes);
            }
            before = grouped;
        }
    }
}

const struct lct_term_form lct_near_far_form = { .terms = terms };
