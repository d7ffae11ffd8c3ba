/*
 * attention.c - seed 001, section 3: attention with RoPE, one head and four.
 *
 * The seed's single head attends over an axis of size 1, so that its output is
 * V; both are computed here.
 */
#include "rows.h"

#include <math.h>

#include "../layers.h"

enum { BATCH = 2, LENGTH = 10, DIM = 128, HEAD = 64, HEADS = 4 };

struct single {
    struct seed_linear wq, wk, wv;
    locant_tensor x, q, k, v;  /* x [2, 10, 128], others [2, 10, 64] */
    locant_tensor seed, right; /* outputs [2, 10, 64] */
};

/* [2, 10, 64] seen as [B, 1, T, 64]: one batch row per token, or as it is. */
static locant_tensor seen_as(const locant_tensor *t, int per_token)
{
    const int64_t token[] = { BATCH * LENGTH, 1, 1, HEAD };
    const int64_t whole[] = { BATCH, 1, LENGTH, HEAD };

    return locant_dense(t->data, LOCANT_F64, 4, per_token ? token : whole);
}

/*
 * As the seed: q.view(B, L, 1, D) and products over the axis of size 1, which
 * is attention of every token to itself alone.  Else: of every token to all.
 */
static void attend(struct seed *s, locant_tensor *out, const struct single *m,
                   int as_seed, const char *spec)
{
    locant_tensor q = seen_as(&m->q, as_seed), k = seen_as(&m->k, as_seed);
    locant_tensor v = seen_as(&m->v, as_seed), o = seen_as(out, as_seed);
    locant_tensor pos = SEED_I64(s, as_seed ? BATCH * LENGTH : BATCH,
                                 as_seed ? 1 : LENGTH);
    locant_attention a = LOCANT_ATTENTION_INIT;

    for (int64_t i = 0; i < BATCH * LENGTH; i++)
        ((int64_t *)pos.data)[i] = i % LENGTH;
    a.q = &q;
    a.k = &k;
    a.v = &v;
    a.q_pos = a.k_pos = &pos;
    a.encoding = seed_encoding(s, spec);
    seed_attend(s, &o, &a);
}

static void project(struct single *m)
{
    const int64_t rows = BATCH * LENGTH;

    seed_linear(m->q.data, &m->wq, m->x.data, rows);
    seed_linear(m->k.data, &m->wk, m->x.data, rows);
    seed_linear(m->v.data, &m->wv, m->x.data, rows);
}

static struct single single_new(struct seed *s)
{
    locant_random r = seed_random(s, 3);
    struct single m = {
        .wq = seed_linear_new(s, &r, DIM, HEAD, 0),
        .wk = seed_linear_new(s, &r, DIM, HEAD, 0),
        .wv = seed_linear_new(s, &r, DIM, HEAD, 0),
        .x = SEED_F64(s, BATCH, LENGTH, DIM),
        .q = SEED_F64(s, BATCH, LENGTH, HEAD),
        .k = SEED_F64(s, BATCH, LENGTH, HEAD),
        .v = SEED_F64(s, BATCH, LENGTH, HEAD),
        .seed = SEED_F64(s, BATCH, LENGTH, HEAD),
        .right = SEED_F64(s, BATCH, LENGTH, HEAD),
    };

    seed_fill_normal(m.x.data, BATCH * LENGTH * DIM, 1, &r);
    project(&m);
    attend(s, &m.seed, &m, 1, "rope");
    attend(s, &m.right, &m, 0, "rope");
    return m;
}

static double difference(const locant_tensor *a, const locant_tensor *b)
{
    return seed_max_difference(a->data, b->data, seed_count(a));
}

static void wrong_axis(struct seed *s, const struct single *m)
{
    seed_wrong(s, "E-1.2", "largest |output - V|", difference(&m->seed, &m->v),
               difference(&m->right, &m->v), "The seed's scores run over the "
               "head axis, of size 1: a softmax of one number is 1, and V "
               "comes out.  The commented is_causal=True line does the same.");
}

/* Reverse the tokens of the first sequence: how far is the output from the
 * reversed output? */
static double order_effect(struct seed *s, const struct single *m, int as_seed)
{
    const locant_tensor *out = as_seed ? &m->seed : &m->right;
    struct single t = *m;
    int64_t back[LENGTH], size = LENGTH * HEAD;
    double *moved = seed_reals(s, size);

    for (int64_t i = 0; i < LENGTH; i++)
        back[i] = LENGTH - 1 - i;
    t.x = SEED_F64(s, BATCH, LENGTH, DIM);
    t.q = SEED_F64(s, BATCH, LENGTH, HEAD);
    t.k = SEED_F64(s, BATCH, LENGTH, HEAD);
    t.v = SEED_F64(s, BATCH, LENGTH, HEAD);
    t.right = SEED_F64(s, BATCH, LENGTH, HEAD);
    layer_reorder(t.x.data, m->x.data, back, LENGTH, DIM);
    project(&t);
    attend(s, &t.right, &t, as_seed, "rope");
    layer_reorder(moved, out->data, back, LENGTH, HEAD);
    return seed_max_difference(t.right.data, moved, size);
}

void s1_single(struct seed *s)
{
    struct single m = single_new(s);
    locant_tensor plain = SEED_F64(s, BATCH, LENGTH, HEAD);
    locant_tensor right_plain = SEED_F64(s, BATCH, LENGTH, HEAD);
    double seed_moves = order_effect(s, &m, 1);
    double right_moves = order_effect(s, &m, 0);

    attend(s, &plain, &m, 1, "none");
    attend(s, &right_plain, &m, 0, "none");
    seed_say(s, "Three projections 128 to 64 without bias, RoPE, attention.");
    wrong_axis(s, &m);
    seed_wrong(s, "E-1.2", "largest effect of RoPE on the output",
               difference(&m.seed, &plain),
               difference(&m.right, &right_plain),
               "What does not pass through the softmax cannot matter.");
    seed_wrong(s, "E-1.2", "tokens reversed: output less reversed output",
               seed_moves, right_moves,
               "Order must change more than the order of the output.");
    seed_check(s, "the seed's output less V", difference(&m.seed, &m.v), 0, 0);
    seed_check(s, "the seed's, RoPE less none", difference(&m.seed, &plain), 0,
               0);
    /* the projections' sums may run in another order for other rows */
    seed_check(s, "the seed's, order", seed_moves, 0, LAYER_DOUBLE);
    seed_claim(s, "RoPE changes the right output",
               difference(&m.right, &right_plain) > 1e-3);
    seed_claim(s, "order changes the right output", right_moves > 1e-3);
}

static void sample(struct seed *s, const char *name, const locant_tensor *t)
{
    seed_numbers(s, name, "%.4f", t->data, 10);
}

void s1_single_run(struct seed *s)
{
    struct single m = single_new(s);

    seed_shape(s, "input", &m.x);
    seed_shape(s, "output", &m.seed);
    sample(s, "first ten numbers, as the seed", &m.seed);
    sample(s, "V", &m.v);
    sample(s, "first ten numbers, right", &m.right);
    wrong_axis(s, &m);
    seed_check(s, "the seed's output less V", difference(&m.seed, &m.v), 0, 0);
    seed_claim(s, "the right output is not V",
               difference(&m.right, &m.v) > 1e-3);
}

/* -------------------------------------------------------------- four heads */

static struct seed_mha multi_new(struct seed *s, locant_random *r)
{
    struct seed_mha m = seed_mha_new(s, r, DIM, HEADS, 0);

    m.o = seed_linear_new(s, r, DIM, DIM, 1); /* out_proj has a bias */
    m.encoding = seed_encoding(s, "rope");
    return m;
}

/*
 * The same layer written out: projections, the library's turn of one head,
 * loops, projection.
 */
static void plain_multi(struct seed *s, double *out, const struct seed_mha *m,
                        const locant_tensor *x, int64_t first)
{
    enum { D = DIM / HEADS, ROWS = BATCH * LENGTH };
    const struct seed_linear *in[3] = { &m->q, &m->k, &m->v };
    locant_tensor t[3];
    double *flat = seed_reals(s, ROWS * DIM);
    double *heads = seed_reals(s, ROWS * DIM);

    for (int i = 0; i < 3; i++) {
        t[i] = SEED_F64(s, BATCH, HEADS, LENGTH, D);
        seed_linear(flat, in[i], x->data, ROWS);
        seed_split_heads(t[i].data, flat, BATCH, LENGTH, HEADS, D);
        if (i < 2)
            seed_rotate(s, &t[i], &t[i], m->encoding, first);
    }
    for (int64_t h = 0; h < BATCH * HEADS; h++) {
        int64_t at = h * LENGTH * D;
        const double *qkv[3] = { (double *)t[0].data + at,
                                 (double *)t[1].data + at,
                                 (double *)t[2].data + at };

        layer_attend_plain(s, heads + at, qkv, LENGTH, D);
    }
    seed_join_heads(flat, heads, BATCH, LENGTH, HEADS, D);
    seed_linear(out, &m->o, flat, ROWS);
}

void s1_multi(struct seed *s)
{
    locant_random r = seed_random(s, 4);
    struct seed_mha m = multi_new(s, &r);
    locant_tensor x = SEED_F64(s, BATCH, LENGTH, DIM);
    locant_tensor out = SEED_F64(s, BATCH, LENGTH, DIM);
    int64_t n = BATCH * LENGTH * DIM;
    double *plain = seed_reals(s, n), *later = seed_reals(s, n);
    int64_t numbers = 4 * DIM * DIM + DIM;

    seed_fill_normal(x.data, n, 1, &r);
    seed_mha(s, &out, NULL, &m, &x);
    plain_multi(s, plain, &m, &x, 0);
    plain_multi(s, later, &m, &x, 1000);
    seed_say(s, "Projections without bias, RoPE on each head of 32, attention "
             "over the tokens, an output projection with bias.  This one of "
             "the two is right.");
    seed_integer(s, "learned numbers", numbers);
    seed_real(s, "library less plain loops",
              seed_max_difference(out.data, plain, n));
    seed_real(s, "change when every position grows by 1000",
              seed_max_difference(later, plain, n));
    seed_check(s, "learned numbers", (double)numbers, 65664, 0);
    /* both in double from the same turned q and k; sums of 32 and 128 terms */
    seed_check(s, "library less plain loops",
               seed_max_difference(out.data, plain, n), 0, LAYER_DOUBLE);
    /* scores of a few units carry the table's 2^-25 per entry */
    seed_check(s, "only differences of positions matter",
               seed_max_difference(later, plain, n), 0, 1e-6);
}

void s1_multi_run(struct seed *s)
{
    locant_random r = seed_random(s, 4);
    struct seed_mha m = multi_new(s, &r);
    locant_tensor x = SEED_F64(s, BATCH, LENGTH, DIM);
    locant_tensor out = SEED_F64(s, BATCH, LENGTH, DIM);
    double *plain = seed_reals(s, BATCH * LENGTH * DIM);

    seed_fill_normal(x.data, BATCH * LENGTH * DIM, 1, &r);
    seed_mha(s, &out, NULL, &m, &x);
    plain_multi(s, plain, &m, &x, 0);
    seed_shape(s, "input", &x);
    seed_shape(s, "output", &out);
    sample(s, "first ten numbers", &out);
    seed_check(s, "the tenth number, by plain loops", ((double *)out.data)[9],
               plain[9], LAYER_DOUBLE);
}
