/*
 * sinusoids.c - scores of queries with projected sinusoids of the distance.
 *
 * Dai et al. 2019, arXiv:1901.02860v3, section 3.3: with R_n = [sin(n f_c) |
 * cos(n f_c)] of the model's width and y = q + v,
 *
 *     s += scale (u.k + y.(projection R_n))
 *
 * An odd width has one sine more.
 */
#include "../angle/schedule.h"
#include "../kernel/kernels.h"
#include "sinusoids.h"
#include <string.h>

static int64_t distance(const locant_encoding *e, int64_t q_pos, int64_t k_pos)
{
    (void)e;
    return lct_distance(q_pos, k_pos);
}

void lct_sinusoids_products(struct lct_products *out,
                            struct lct_span differences, int64_t most,
                            enum lct_clamp clamp)
{
    struct lct_vectors *v = &out->vectors[0];

    out->count = 1;
    out->u = LCT_SINUSOIDS_U;
    *v = lct_plain_vectors(LCT_TIMES_QUERY, -1);
    v->matrix = LCT_SINUSOIDS_PROJECTION;
    v->added = LCT_SINUSOIDS_V;
    v->row = distance;
    v->first = most != 0 && clamp == LCT_CLAMP_BOTH ? -most : differences.low;
    v->last = most != 0 ? most : differences.high;
    if (v->first > v->last) /* all distances are longer than the clamp */
        v->first = v->last;
}

locant_status lct_sinusoids_schedule(struct lct_schedule **out,
                                     const struct lct_schedule_use *u)
{
    return lct_schedule_make_sines(out, u, u->e->value[LCT_SINUSOIDS_BASE]);
}

/* [sin(m f_c) | cos(m f_c)], an odd width with one sine more. */
void lct_sinusoids_basis(double *out, const struct lct_call *c, int64_t m)
{
    const struct lct_schedule *s = lct_schedule_kept(c->e, c->width);
    int64_t cosines = c->width / 2;

    for (int64_t i = 0; i < s->pairs; i++) {
        double cosine;

        lct_angle(&cosine, &out[i], s->frequency[i], m);
        if (i < cosines)
            out[s->pairs + i] = cosine;
    }
}

/* With an odd width, the kernel writes a cosine too many, which is cleared. */
void lct_sinusoids_basis_rows(float *out, size_t stride,
                              const struct lct_call *c, int64_t m, int64_t n)
{
    const struct lct_kernels *kernels = lct_kernels();
    const struct lct_schedule *s = lct_schedule_kept(c->e, c->width);

    for (int64_t r = 0; r < n; r++, out += stride) {
        kernels->angle_rows(out + s->pairs, out, s->frequency, (size_t)s->pairs,
                            m + r, 1, 1.0);
        memset(out + c->width, 0, (stride - (size_t)c->width) * sizeof(*out));
    }
}
