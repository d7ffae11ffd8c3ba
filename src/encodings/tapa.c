/*
 * tapa.c - token-aware phase attention: scores oscillate with a phase that
 * query and key choose and that grows with distance.
 *
 * Wang et al.: Positional Encoding via Token-Aware Phase Attention. 2025.
 * arXiv:2509.12635, section 3.  The first D_A of D channels are an amplitude,
 * the other D_P a phase; n = |p_i - p_j|:
 *
 *     s_ij = q_A.k_A / sqrt(D_A) cos(2 pi n^alpha q_P.k_P / sqrt(D_P))
 *
 * It takes the place of the scaled product q.k.  A scale that the caller gives
 * multiplies the amplitude by scale sqrt(D).  Attention computes it query by
 * query in double.
 */
#include "content.h"

enum { ALPHA, AMPLITUDE };

static const double two_pi = 6.283185307179586;

/* clang-format off */
static const struct lct_key keys[] = {
    { .name = "alpha", .kind = LCT_NUMBER, .def = 0.1, .min = 0, .max = 2,
      .min_open = true, .doc = "exponent of the distance in the phase" },
    { .name = "amplitude", .kind = LCT_NUMBER, .def = 0.5, .min = 0, .max = 1,
      .min_open = true, .doc = "share of the channels that are amplitude" },
    { 0 }
};
/* clang-format on */

/* One query head. */
struct phases {
    int64_t D, amplitude, phase;   /* channels */
    double of_amplitude, of_phase; /* factors of the products */
};

static struct phases phases_of(const struct lct_content *c)
{
    const struct lct_call *call = &c->call;
    struct phases x = { .D = call->head_dim };

    x.amplitude = (int64_t)lround(call->e->value[AMPLITUDE] * (double)x.D);
    x.amplitude = x.amplitude < 1 ? 1 : x.amplitude;
    x.phase = x.D - x.amplitude;
    x.of_amplitude = c->scale * sqrt((double)x.D / (double)x.amplitude);
    x.of_phase = x.phase > 0 ? two_pi / sqrt((double)x.phase) : 0;
    return x;
}

/* The parts of one score; turn: the angle's factor of q_P.k_P. */
struct parts {
    double amplitude, angle, turn;
};

static struct parts parts_of(const struct phases *x,
                             const struct lct_content *c,
                             const struct lct_query *q, int64_t head, int64_t j)
{
    const double *query = q->q + head * x->D;
    const double *key = c->k + lct_key_at(c, head, j);
    double n = fabs((double)lct_distance(q->pos, c->k_pos[j]));
    struct parts y;

    y.turn = x->of_phase * pow(n, c->call.e->value[ALPHA]);
    y.amplitude = x->of_amplitude * lct_dot(query, key, x->amplitude);
    y.angle =
        y.turn * lct_dot(query + x->amplitude, key + x->amplitude, x->phase);
    return y;
}

static void scores(double *s, const struct lct_content *c,
                   const struct lct_query *q)
{
    struct phases x = phases_of(c);

    for (int64_t h = 0; h < c->call.heads; h++)
        for (int64_t j = 0; j < c->keys; j++) {
            int64_t at = h * c->keys + j;
            struct parts y;

            if (lct_is_hidden(s[at]))
                continue;
            y = parts_of(&x, c, q, h, j);
            s[at] = y.amplitude * cos(y.angle);
            if (q->bias != NULL)
                s[at] += q->bias[at];
        }
}

/* The incoming score is not read, apart from its bias. */
static void scores_backward(double *ds, const struct lct_content_gradient *g,
                            const double *s, const struct lct_content *c,
                            const struct lct_query *q)
{
    struct phases x = phases_of(c);

    for (int64_t h = 0; h < c->call.heads; h++)
        for (int64_t j = 0; j < c->keys; j++) {
            int64_t at = h * c->keys + j, k = lct_key_at(c, h, j);
            const double *query = q->q + h * x.D, *key = c->k + k;
            double *dq = g->dq + h * x.D, *dk = g->dk + k, da, dp;
            struct parts y;

            if (lct_is_hidden(s[at]))
                continue;
            y = parts_of(&x, c, q, h, j);
            da = ds[at] * cos(y.angle) * x.of_amplitude;
            dp = -ds[at] * y.amplitude * sin(y.angle) * y.turn;
            lct_accumulate(dq, da, key, x.amplitude);
            lct_accumulate(dk, da, query, x.amplitude);
            lct_accumulate(dq + x.amplitude, dp, key + x.amplitude, x.phase);
            lct_accumulate(dk + x.amplitude, dp, query + x.amplitude, x.phase);
            if (g->dbias != NULL)
                g->dbias[at] += ds[at];
            ds[at] = 0;
        }
}

const struct lct_encoding lct_enc_tapa = {
    .info = {
        .name = "tapa",
        .title = "Token-aware phase attention (TAPA)",
        .formula = "s[h,i,j] = q_A.k_A / sqrt(D_A) cos(2 pi |p_i - p_j|^alpha "
                   "q_P.k_P / sqrt(D_P)), D_A + D_P = D",
        .gradient = "w = 2 pi n^alpha / sqrt(D_P), u = q_A.k_A / sqrt(D_A): "
                    "dq_A = dS cos(w q_P.k_P) k_A / sqrt(D_A), dq_P = -dS u w "
                    "sin(w q_P.k_P) k_P",
        .source = "Wang et al. 2025, arXiv:2509.12635v2, section 3",
        .used_by = "long-context research",
        .pitfalls = "It replaces 1/sqrt(D) by 1/sqrt(D_A).  The authors train "
                    "it at a fifth of the learning rate of RoPE.",
        .doors = LOCANT_DOOR_CONTENT,
        .traits = LOCANT_TRAIT_RELATIVE,
    },
    .keys = keys,
    .content = { .scores = scores, .backward = scores_backward },
};
