/*
 * near_far.c - scores in which near keys are seen at their distance and far
 * ones at another.
 *
 * With q and k as complex pairs,
 *
 *     s = bias + scale sum_c Re(q_c conj(k_c) e^{i d f_c})
 *
 * where d f_c is (p_i - p_j) f_c for a near key and x f_c + (a - b) f_c / k for
 * a far one, a and b being what the scheme makes of the two positions.  Either
 * is a product of a query turned by its part and a key turned by its own, so
 * keys are turned twice, once for a whole batch row.  The score that came in is
 * replaced; of it only the bias stays.  An odd last channel is not turned.
 */
#include "near_far.h"
#include "../angle/schedule.h"

/* Pairs done together, so that a key is looked at once for all of them. */
enum { BLOCK = 16, TURN_DOUBLES = sizeof(struct lct_turn) / sizeof(double) };

static int64_t pairs(const struct lct_content *c)
{
    return c->call.head_dim / 2;
}

/* The two channels of a pair. */
struct channels {
    int64_t a, b;
};

static struct channels channels_of(const struct lct_content *c,
                                   const struct lct_near_far *form,
                                   int64_t pair)
{
    if (c->call.e->value[form->pairing] == LCT_PAIRINGS_HALF)
        return (struct channels){ pair, pair + pairs(c) };
    return (struct channels){ 2 * pair, 2 * pair + 1 };
}

/*
 * The memo: frequencies and slowed frequencies [pairs], then the turned keys,
 * [near and far, key heads, keys, pairs, a and b].
 */
static const struct lct_turn *turns(const struct lct_content *c)
{
    return (const struct lct_turn *)(const void *)c->memo;
}

static int64_t turned_at(const struct lct_content *c, enum lct_sight sight,
                         int64_t key_head, int64_t j)
{
    int64_t row = (sight == LCT_FAR ? c->call.kv_heads : 0) + key_head;

    return 2 * pairs(c) * (TURN_DOUBLES + row * c->keys + j);
}

size_t lct_near_far_memo(const struct lct_content *c)
{
    return (size_t)turned_at(c, LCT_FAR, c->call.kv_heads, 0);
}

/* Cosine and sine of what a query or key at 'pos' is turned by. */
static void angle(double *cos_out, double *sin_out,
                  const struct lct_content *c, const struct lct_near_far *form,
                  enum lct_sight sight, enum lct_role role, int64_t pair,
                  int64_t pos)
{
    struct lct_reduced x;
    struct lct_turn t;

    if (sight == LCT_NEAR) {
        t = lct_turn_at(turns(c)[pair], pos);
    } else {
        t = lct_turn_at(turns(c)[pairs(c) + pair],
                        form->grouped(c->call.e, role, pos));
        if (role == LCT_QUERY)
            t = lct_turn_add(t, lct_turn_at(turns(c)[pair],
                                            form->extra(c->call.e)));
    }
    x = (struct lct_reduced){ lct_quadrant(t.hi),
                              lct_turn_rest(t.hi, t.lo, 0), false };
    (c->call.wide ? lct_reduced_cos_sin_f64
                  : lct_reduced_cos_sin)(cos_out, sin_out, x);
}

static void turn_keys(const struct lct_content *c,
                      const struct lct_near_far *form, enum lct_sight sight,
                      int64_t pair)
{
    struct channels at = channels_of(c, form, pair);
    int64_t D = c->call.head_dim;

    for (int64_t j = 0; j < c->keys; j++) {
        double x, y;

        angle(&x, &y, c, form, sight, LCT_KEY, pair, c->k_pos[j]);
        for (int64_t g = 0; g < c->call.kv_heads; g++) {
            const double *k = c->k + (g * c->keys + j) * D;
            double *out = c->memo + turned_at(c, sight, g, j) + 2 * pair;

            out[0] = k[at.a] * x - k[at.b] * y;
            out[1] = k[at.a] * y + k[at.b] * x;
        }
    }
}

void lct_near_far_begin(const struct lct_content *c)
{
    const struct lct_near_far *form = c->call.e->row->near_far;
    struct lct_turn *turn = (struct lct_turn *)(void *)c->memo;
    double base = c->call.e->value[form->base];

    for (int64_t i = 0; i < pairs(c); i++) {
        turn[i] = lct_turn_of(base, i, 2 * pairs(c));
        turn[pairs(c) + i] =
            form->slowing == NULL
                ? turn[i]
                : lct_turn_divide(turn[i], form->slowing(c->call.e));
        turn_keys(c, form, LCT_NEAR, i);
        turn_keys(c, form, LCT_FAR, i);
    }
}

/* A block of pairs of one query head, turned near and far: a and b of each. */
struct turned {
    int64_t first, count;
    double x[2][2 * BLOCK];
    double cosine[2][BLOCK], sine[2][BLOCK];
};

static void turn_query(struct turned *t, const struct lct_content *c,
                       const struct lct_near_far *form,
                       const struct lct_query *q, int64_t head)
{
    const double *x = q->q + head * c->call.head_dim;

    t->count = pairs(c) - t->first < BLOCK ? pairs(c) - t->first : BLOCK;
    for (int far = 0; far < 2; far++)
        for (int64_t i = 0; i < t->count; i++) {
            struct channels at = channels_of(c, form, t->first + i);
            double *cosine = &t->cosine[far][i], *sine = &t->sine[far][i];

            angle(cosine, sine, c, form, far ? LCT_FAR : LCT_NEAR, LCT_QUERY,
                  t->first + i, q->pos);
            t->x[far][2 * i] = x[at.a] * *cosine - x[at.b] * *sine;
            t->x[far][2 * i + 1] = x[at.a] * *sine + x[at.b] * *cosine;
        }
}

/* What scores begin as: the bias and the product of an odd channel. */
static void start(double *s, const struct lct_content *c,
                  const struct lct_query *q, int64_t head)
{
    int64_t D = c->call.head_dim;

    for (int64_t j = 0; j < c->keys; j++) {
        if (lct_is_hidden(s[j]))
            continue;
        if (lct_sight_of(c->call.e, q->pos, c->k_pos[j]) == LCT_AWAY) {
            s[j] = -INFINITY;
            continue;
        }
        s[j] = q->bias != NULL ? q->bias[head * c->keys + j] : 0;
        if (D % 2 != 0)
            s[j] += c->scale * q->q[head * D + D - 1] *
                    c->k[lct_key_at(c, head, j) + D - 1];
    }
}

void lct_near_far_content(double *s, const struct lct_content *c,
                          const struct lct_query *q)
{
    const struct lct_near_far *form = c->call.e->row->near_far;
    for (int64_t h = 0; h < c->call.heads; h++) {
        double *score = s + h * c->keys;
        struct turned t;

        start(score, c, q, h);
        for (t.first = 0; t.first < pairs(c); t.first += BLOCK) {
            turn_query(&t, c, form, q, h);
            for (int64_t j = 0; j < c->keys; j++) {
                enum lct_sight sight;

                if (lct_is_hidden(score[j]))
                    continue;
                sight = lct_sight_of(c->call.e, q->pos, c->k_pos[j]);
                score[j] += c->scale *
                            lct_dot(t.x[sight == LCT_FAR],
                                    c->memo +
                                        turned_at(c, sight, lct_key_head(c, h),
                                                  j) + 2 * t.first,
                                    2 * t.count);
            }
        }
    }
}

/* The turned query's gradient back to the query: the turn undone. */
static void unturn_query(double *dq, const struct turned *t,
                         double dx[2][2 * BLOCK], const struct lct_content *c,
                         const struct lct_near_far *form)
{
    for (int far = 0; far < 2; far++)
        for (int64_t i = 0; i < t->count; i++) {
            struct channels at = channels_of(c, form, t->first + i);
            double x = t->cosine[far][i], y = t->sine[far][i];

            dq[at.a] += dx[far][2 * i] * x + dx[far][2 * i + 1] * y;
            dq[at.b] += dx[far][2 * i + 1] * x - dx[far][2 * i] * y;
        }
}

/* forward: s = .. + scale <q, k> of both turned, one block of pairs */
static void block_backward(const double *ds,
                           const struct lct_content_gradient *g,
                           const double *s, const struct lct_content *c,
                           const struct lct_query *q,
                           const struct lct_near_far *form, int64_t h,
                           int64_t first)
{
    struct turned t = { .first = first };
    double dx[2][2 * BLOCK] = { { 0 } };

    turn_query(&t, c, form, q, h);
    for (int64_t j = 0; j < c->keys; j++) {
        double d = c->scale * ds[h * c->keys + j];
        enum lct_sight sight;
        int64_t at;

        if (d == 0 || lct_is_hidden(s[h * c->keys + j]))
            continue;
        sight = lct_sight_of(c->call.e, q->pos, c->k_pos[j]);
        if (sight == LCT_AWAY)
            continue;
        at = turned_at(c, sight, lct_key_head(c, h), j) + 2 * first;
        lct_accumulate(dx[sight == LCT_FAR], d, c->memo + at, 2 * t.count);
        lct_accumulate(g->dmemo + at, d, t.x[sight == LCT_FAR], 2 * t.count);
    }
    unturn_query(g->dq + h * c->call.head_dim, &t, dx, c, form);
}

/* The score that came in was dropped, but not the bias in it. */
static void start_backward(double *ds, const struct lct_content_gradient *g,
                           const struct lct_content *c,
                           const struct lct_query *q, int64_t head)
{
    int64_t D = c->call.head_dim;

    for (int64_t j = 0; j < c->keys; j++) {
        int64_t at = head * c->keys + j, last = lct_key_at(c, head, j) + D - 1;
        double d = c->scale * ds[at];

        if (g->dbias != NULL)
            g->dbias[at] += ds[at];
        ds[at] = 0;
        if (D % 2 == 0 || d == 0)
            continue;
        g->dq[head * D + D - 1] += d * c->k[last];
        g->dk[last] += d * q->q[head * D + D - 1];
    }
}

void lct_near_far_backward(double *ds, const struct lct_content_gradient *g,
                           const double *s, const struct lct_content *c,
                           const struct lct_query *q)
{
    const struct lct_near_far *form = c->call.e->row->near_far;
    for (int64_t h = 0; h < c->call.heads; h++) {
        for (int64_t first = 0; first < pairs(c); first += BLOCK)
            block_backward(ds, g, s, c, q, form, h, first);
        start_backward(ds, g, c, q, h);
    }
}

/* forward: keys turned near and far; their gradients turned back */
void lct_near_far_end(const struct lct_content_gradient *g,
                      const struct lct_content *c)
{
    const struct lct_near_far *form = c->call.e->row->near_far;
    int64_t D = c->call.head_dim, all = 2 * c->call.kv_heads * c->keys;

    for (int64_t i = 0; i < pairs(c); i++) {
        struct channels at = channels_of(c, form, i);

        for (int64_t n = 0; n < all; n++) {
            int64_t j = n % c->keys, head = n / c->keys % c->call.kv_heads;
            enum lct_sight sight = n < all / 2 ? LCT_NEAR : LCT_FAR;
            const double *d = g->dmemo + turned_at(c, sight, head, j) + 2 * i;
            double *dk = g->dk + (head * c->keys + j) * D;
            double x, y;

            if (d[0] == 0 && d[1] == 0)
                continue;
            angle(&x, &y, c, form, sight, LCT_KEY, i, c->k_pos[j]);
            dk[at.a] += d[0] * x + d[1] * y;
            dk[at.b] += d[1] * x - d[0] * y;
        }
    }
}
