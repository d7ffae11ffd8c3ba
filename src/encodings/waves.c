/*
 * waves.c - scores of queries with projected sinusoids of the distance.
 *
 * Dai et al. 2019, arXiv:1901.02860v3, section 3.3: with R_n = [sin(n f_c) |
 * cos(n f_c)] of the model's width and y = q + v,
 *
 *     s += scale (u.k + y.(projection R_n))
 *
 * The projection is moved to the query's side: g = projection^T y, and g . R_n
 * of n = p_i - p_j is turned by the query's angles once, so that each key needs
 * only the sine and cosine of its own position:
 *
 *     g_s sin(n f) + g_c cos(n f) = a cos(p_j f) + b sin(p_j f)
 *     a = g_s sin(p_i f) + g_c cos(p_i f),  b = g_c sin(p_i f) - g_s cos(p_i f)
 *
 * Memory is [keys, width] however far apart positions lie.  Clamped distances
 * share one number for each query.  An odd width has one sine more.
 */
#include "waves.h"
#include "../angle/schedule.h"

/* Frequencies done together: a cache line of the projection. */
enum { BLOCK = 8, TURN_DOUBLES = sizeof(struct lct_turn) / sizeof(double) };

static int64_t sines(const struct lct_content *c)
{
    return (c->call.width + 1) / 2;
}

/* The memo: frequencies, cosines and sines [pairs, keys], u.k [heads, keys]. */
static const struct lct_turn *turns(const struct lct_content *c)
{
    return (const struct lct_turn *)(const void *)c->memo;
}

static double *cosines_of(const struct lct_content *c, int64_t pair)
{
    return c->memo + sines(c) * TURN_DOUBLES + pair * c->keys;
}

static double *sines_of(const struct lct_content *c, int64_t pair)
{
    return cosines_of(c, sines(c) + pair);
}

static int64_t constants_at(const struct lct_content *c, int64_t head)
{
    return sines(c) * (TURN_DOUBLES + 2 * c->keys) + head * c->keys;
}

size_t lct_waves_memo(const struct lct_content *c)
{
    return (size_t)constants_at(c, c->call.heads);
}

void lct_waves_begin(const struct lct_content *c)
{
    struct lct_turn *turn = (struct lct_turn *)(void *)c->memo;
    int64_t D = c->call.head_dim;

    for (int64_t i = 0; i < sines(c); i++) {
        turn[i] = lct_turn_of(c->call.e->value[LCT_WAVES_BASE], i,
                              c->call.width);
        for (int64_t j = 0; j < c->keys; j++)
            lct_angle(&cosines_of(c, i)[j], &sines_of(c, i)[j], turn[i],
                      c->k_pos[j]);
    }
    for (int64_t h = 0; h < c->call.heads; h++)
        for (int64_t j = 0; j < c->keys; j++)
            c->memo[constants_at(c, h) + j] =
                lct_dot(c->call.param[LCT_WAVES_U] + h * D,
                        c->k + lct_key_at(c, h, j), D);
}

/* -1, 0, 1: held to -clamp, as it is, held to clamp. */
static int held(const struct lct_content *c, int64_t q_pos, int64_t k_pos,
                enum lct_clamp clamp)
{
    int64_t most = (int64_t)c->call.e->value[LCT_WAVES_CLAMP];
    int64_t n = lct_distance(q_pos, k_pos);

    if (most == 0)
        return 0;
    return n > most ? 1 : n < -most && clamp == LCT_CLAMP_BOTH ? -1 : 0;
}

/* One block of frequencies of one query and head. */
struct block {
    int64_t first, count;
    double g_sin[BLOCK], g_cos[BLOCK];
};

static double *row_of(const struct lct_content *c, double *matrix,
                      int64_t head, int64_t d)
{
    return matrix + (head * c->call.head_dim + d) * c->call.width;
}

/* g = projection^T (q + v), the part of this block. */
static void project(struct block *b, const struct lct_content *c,
                    const double *q, int64_t head)
{
    int64_t cosines = c->call.width / 2, D = c->call.head_dim;
    const double *v = c->call.param[LCT_WAVES_V] + head * D;
    const double *matrix = c->call.param[LCT_WAVES_PROJECTION];

    for (int64_t i = 0; i < b->count; i++)
        b->g_sin[i] = b->g_cos[i] = 0;
    for (int64_t d = 0; d < D; d++) {
        const double *row = matrix + (head * D + d) * c->call.width + b->first;
        double y = q[d] + v[d];

        for (int64_t i = 0; i < b->count; i++) {
            b->g_sin[i] += y * row[i];
            if (b->first + i < cosines)
                b->g_cos[i] += y * row[sines(c) + i];
        }
    }
}

/* s += scale (g_sin sin(n f) + g_cos cos(n f)) of one frequency. */
static void add_wave(double *s, const struct lct_content *c, int64_t pair,
                     double g_sin, double g_cos, int64_t q_pos,
                     enum lct_clamp clamp)
{
    const double *k_cos = cosines_of(c, pair), *k_sin = sines_of(c, pair);
    int64_t most = (int64_t)c->call.e->value[LCT_WAVES_CLAMP];
    double q_cos, q_sin, far_cos, far_sin, a, b;

    lct_angle(&q_cos, &q_sin, turns(c)[pair], q_pos);
    a = c->scale * (g_sin * q_sin + g_cos * q_cos);
    b = c->scale * (g_cos * q_sin - g_sin * q_cos);
    if (most == 0 && isfinite(a) && isfinite(b)) { /* -infinity stays so */
        for (int64_t j = 0; j < c->keys; j++)
            s[j] += a * k_cos[j] + b * k_sin[j];
        return;
    }
    lct_angle(&far_cos, &far_sin, turns(c)[pair], most);
    for (int64_t j = 0; j < c->keys; j++) {
        int side;

        if (lct_is_hidden(s[j]))
            continue;
        side = held(c, q_pos, c->k_pos[j], clamp);
        s[j] += side == 0 ? a * k_cos[j] + b * k_sin[j]
                          : c->scale * (side * g_sin * far_sin +
                                        g_cos * far_cos);
    }
}

void lct_waves_content(double *s, const struct lct_content *c,
                       const struct lct_query *q, enum lct_clamp clamp)
{
    for (int64_t h = 0; h < c->call.heads; h++) {
        const double *constant = c->memo + constants_at(c, h);
        double *score = s + h * c->keys;
        struct block b;

        for (int64_t j = 0; j < c->keys; j++)
            if (!lct_is_hidden(score[j]))
                score[j] += c->scale * constant[j];
        for (b.first = 0; b.first < sines(c); b.first += BLOCK) {
            b.count = sines(c) - b.first;
            b.count = b.count < BLOCK ? b.count : BLOCK;
            project(&b, c, q->q + h * c->call.head_dim, h);
            for (int64_t i = 0; i < b.count; i++)
                add_wave(score, c, b.first + i, b.g_sin[i], b.g_cos[i],
                         q->pos, clamp);
        }
    }
}

/*
 * forward: s_j += scale (a cos_j + b sin_j), or scale (+-g_s far_s + g_c far_c)
 * where held: da = sum ds_j cos_j, db = sum ds_j sin_j, both times scale;
 * dg_s = da sin_i - db cos_i, dg_c = da cos_i + db sin_i.
 */
static void wave_backward(double *dg_sin, double *dg_cos, const double *ds,
                          const double *s, const struct lct_content *c,
                          const struct lct_query *q, int64_t pair,
                          enum lct_clamp clamp)
{
    const double *k_cos = cosines_of(c, pair), *k_sin = sines_of(c, pair);
    int64_t most = (int64_t)c->call.e->value[LCT_WAVES_CLAMP];
    double q_cos, q_sin, far_cos, far_sin, da = 0, db = 0, dpast = 0;
    double dfuture = 0;

    if (most == 0) { /* ds is 0 where hidden */
        da = lct_dot(ds, k_cos, c->keys);
        db = lct_dot(ds, k_sin, c->keys);
    }
    for (int64_t j = 0; most != 0 && j < c->keys; j++) {
        int side;

        if (lct_is_hidden(s[j]))
            continue;
        side = held(c, q->pos, c->k_pos[j], clamp);
        da += side == 0 ? ds[j] * k_cos[j] : 0;
        db += side == 0 ? ds[j] * k_sin[j] : 0;
        dpast += side > 0 ? ds[j] : 0;
        dfuture += side < 0 ? ds[j] : 0;
    }
    lct_angle(&q_cos, &q_sin, turns(c)[pair], q->pos);
    lct_angle(&far_cos, &far_sin, turns(c)[pair], most);
    *dg_sin = c->scale * (da * q_sin - db * q_cos +
                          (dpast - dfuture) * far_sin);
    *dg_cos = c->scale * (da * q_cos + db * q_sin +
                          (dpast + dfuture) * far_cos);
}

/*
 * forward: g = projection^T y, y = q + v: dprojection = y dg^T,
 * dq = dv = projection dg.
 */
static void project_backward(const struct lct_content_gradient *g,
                             const struct block *dg,
                             const struct lct_content *c, const double *q,
                             int64_t head)
{
    int64_t cosines = c->call.width / 2, D = c->call.head_dim;
    const double *v = c->call.param[LCT_WAVES_V] + head * D;

    for (int64_t d = 0; d < D; d++) {
        const double *row = c->call.param[LCT_WAVES_PROJECTION] +
                            (head * D + d) * c->call.width + dg->first;
        double *drow = row_of(c, g->dparam[LCT_WAVES_PROJECTION], head, d) +
                       dg->first;
        double y = q[d] + v[d], dy = 0;

        for (int64_t i = 0; i < dg->count; i++) {
            drow[i] += y * dg->g_sin[i];
            dy += row[i] * dg->g_sin[i];
            if (dg->first + i >= cosines)
                continue;
            drow[sines(c) + i] += y * dg->g_cos[i];
            dy += row[sines(c) + i] * dg->g_cos[i];
        }
        g->dq[head * D + d] += dy;
        g->dparam[LCT_WAVES_V][head * D + d] += dy;
    }
}

void lct_waves_backward(const double *ds, const struct lct_content_gradient *g,
                        const double *s, const struct lct_content *c,
                        const struct lct_query *q, enum lct_clamp clamp)
{
    for (int64_t h = 0; h < c->call.heads; h++) {
        const double *score = s + h * c->keys, *dscore = ds + h * c->keys;
        double *dconstant = g->dmemo + constants_at(c, h);
        struct block dg;

        for (int64_t j = 0; j < c->keys; j++)
            if (!lct_is_hidden(score[j]))
                dconstant[j] += c->scale * dscore[j];
        for (dg.first = 0; dg.first < sines(c); dg.first += BLOCK) {
            dg.count = sines(c) - dg.first;
            dg.count = dg.count < BLOCK ? dg.count : BLOCK;
            for (int64_t i = 0; i < dg.count; i++)
                wave_backward(&dg.g_sin[i], &dg.g_cos[i], dscore, score, c, q,
                              dg.first + i, clamp);
            project_backward(g, &dg, c, q->q + h * c->call.head_dim, h);
        }
    }
}

/* forward: constant = u.k: du = sum dconstant k, dk = dconstant u */
void lct_waves_end(const struct lct_content_gradient *g,
                   const struct lct_content *c)
{
    int64_t D = c->call.head_dim;

    for (int64_t h = 0; h < c->call.heads; h++) {
        for (int64_t j = 0; j < c->keys; j++) {
            double d = g->dmemo[constants_at(c, h) + j];
            int64_t at = lct_key_at(c, h, j);

            if (d == 0) /* hidden from every query: may be anything */
                continue;
            lct_accumulate(g->dparam[LCT_WAVES_U] + h * D, d, c->k + at, D);
            lct_accumulate(g->dk + at, d, c->call.param[LCT_WAVES_U] + h * D,
                           D);
        }
    }
}
