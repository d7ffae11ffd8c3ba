/*
 * attention.c - section 3: attention with RoPE, one head (S1.8, S1.9) and four
 * (S1.11, S1.12).
 *
 * The tutorial's single head attends over an axis of size 1 by mistake, so its
 * output is V.  Both that and the intended attention are computed here.
 */
#include "../tutorial.h"

enum { BATCH = 2, LENGTH = 10, DIM = 128, HEAD = 64, HEADS = 4 };

struct single {
    struct linear wq, wk, wv;
    locant_tensor x; /* [2, 10, 128] */
};

static struct single single_new(void)
{
    locant_random r = random_stream(3);
    struct single m;

    m.wq = linear_new(&r, DIM, HEAD, NO_BIAS);
    m.wk = linear_new(&r, DIM, HEAD, NO_BIAS);
    m.wv = linear_new(&r, DIM, HEAD, NO_BIAS);
    m.x = NORMALS(&r, BATCH, LENGTH, DIM);
    return m;
}

enum form { INTENDED, AS_TUTORIAL };

/*
 * The output [2, 10, 64].  AS_TUTORIAL: q.view(B, L, 1, D) makes the products
 * run over the axis of size 1, so every token attends only to itself, as if it
 * were a sequence of its own.  INTENDED: every token attends to all.
 */
static locant_tensor single_run(const struct single *m, enum form form,
                                const char *spec)
{
    int64_t B = form == INTENDED ? BATCH : BATCH * LENGTH;
    int64_t T = BATCH * LENGTH / B;
    locant_tensor q = RESHAPED(linear(&m->wq, m->x), B, 1, T, HEAD);
    locant_tensor k = RESHAPED(linear(&m->wk, m->x), B, 1, T, HEAD);
    locant_tensor v = RESHAPED(linear(&m->wv, m->x), B, 1, T, HEAD);
    locant_tensor at = RESHAPED(batch_positions(BATCH, LENGTH), B, T);

    return RESHAPED(attend((locant_attention){ .q = &q,
                                               .k = &k,
                                               .v = &v,
                                               .q_pos = &at,
                                               .k_pos = &at,
                                               .encoding = encoding(spec) }),
                    BATCH, LENGTH, HEAD);
}

/* Distance of the output for reversed tokens from the reversed output, in the
   first sequence. */
static double order_effect(const struct single *m, enum form form)
{
    locant_tensor back = reversed(LENGTH), out, out_back;
    struct single m_back = *m;

    m_back.x = picked(m->x, back);
    out = picked(single_run(m, form, "rope"), back);
    out_back = single_run(&m_back, form, "rope");
    return difference(rows(out_back, 0, LENGTH), rows(out, 0, LENGTH));
}

static void report_wrong_axis(locant_tensor theirs, locant_tensor right,
                              locant_tensor v)
{
    mistake("E-1.2", "largest |output - V|", difference(theirs, v),
            difference(right, v),
            "The tutorial's scores run over the head axis, of size 1: a "
            "softmax of one number is 1, and V comes out.  The commented "
            "is_causal=True line does the same.");
}

/* As intended: softmax(q k^T / sqrt(D)) v, q and k rotated.  As written: the
   softmax of a single score is 1, so the output is v. */
void s1_8_single(void)
{
    struct single m = single_new();
    locant_tensor v = linear(&m.wv, m.x);
    locant_tensor theirs = single_run(&m, AS_TUTORIAL, "rope");
    locant_tensor right = single_run(&m, INTENDED, "rope");
    double rope_theirs =
        difference(theirs, single_run(&m, AS_TUTORIAL, "none"));
    double rope_right = difference(right, single_run(&m, INTENDED, "none"));
    double order_theirs = order_effect(&m, AS_TUTORIAL);
    double order_right = order_effect(&m, INTENDED);

    say("Three projections 128 to 64 without bias, RoPE, attention.");
    report_wrong_axis(theirs, right, v);
    mistake("E-1.2", "largest effect of RoPE on the output", rope_theirs,
            rope_right,
            "The scores do not reach the output, so rotating q and k has no "
            "effect.");
    mistake("E-1.2", "tokens reversed: output less reversed output",
            order_theirs, order_right,
            "With positions, reversed tokens must give other outputs, not only "
            "reversed ones.");
    compare("the tutorial's output less V", theirs, v, 0);
    check("the tutorial's, RoPE less none", rope_theirs, 0, 0);
    /* sums of the projections may have another order in other rows */
    check("the tutorial's, order", order_theirs, 0, IN_DOUBLE);
    claim("RoPE changes the right output", rope_right > 1e-3);
    claim("order changes the right output", order_right > 1e-3);
}

void s1_9_single_run(void)
{
    struct single m = single_new();
    locant_tensor v = linear(&m.wv, m.x);
    locant_tensor theirs = single_run(&m, AS_TUTORIAL, "rope");
    locant_tensor right = single_run(&m, INTENDED, "rope");

    show_shape("input", m.x);
    show_shape("output", theirs);
    show_list("first ten numbers, as the tutorial", "%.4f",
              slice(theirs, 0, 10));
    show_list("V", "%.4f", slice(v, 0, 10));
    show_list("first ten numbers, right", "%.4f", slice(right, 0, 10));
    report_wrong_axis(theirs, right, v);
    compare("the tutorial's output less V", theirs, v, 0);
    claim("the right output is not V", difference(right, v) > 1e-3);
}

static struct mha multi_new(locant_random *r)
{
    struct mha m = mha_new(r, DIM, HEADS, NO_BIAS);

    m.o = linear_new(r, DIM, DIM, WITH_BIAS); /* out_proj has a bias */
    m.encoding = "rope";
    return m;
}

/* The same layer by loops, with only the rotation from the library. */
static locant_tensor by_loops(const struct mha *m, locant_tensor x,
                              int64_t first)
{
    locant_tensor q = as_heads(linear(&m->q, x), HEADS);
    locant_tensor k = as_heads(linear(&m->k, x), HEADS);
    locant_tensor v = as_heads(linear(&m->v, x), HEADS);
    locant_tensor out = zeros_like(x);

    attend_by_loops(as_heads(out, HEADS), rotated("rope", q, first),
                    rotated("rope", k, first), v);
    return linear(&m->o, out);
}

void s1_11_multi(void)
{
    locant_random r = random_stream(4);
    struct mha m = multi_new(&r);
    locant_tensor x = NORMALS(&r, BATCH, LENGTH, DIM);
    locant_tensor loops = by_loops(&m, x, 0);

    say("Projections without bias, RoPE on each head of 32, attention over the "
        "tokens, an output projection with bias.  Of the tutorial's two "
        "attention classes this one is right.");
    expect_count("learned numbers", mha_size(&m), 65664);
    expect("library less plain loops", difference(mha(&m, x), loops), 0,
           IN_DOUBLE);
    /* scores of a few units; each table entry has an error of 2^-25 */
    expect("change when every position grows by 1000",
           difference(by_loops(&m, x, 1000), loops), 0, 1e-6);
}

void s1_12_multi_run(void)
{
    locant_random r = random_stream(4);
    struct mha m = multi_new(&r);
    locant_tensor x = NORMALS(&r, BATCH, LENGTH, DIM), out = mha(&m, x);

    show_shape("input", x);
    show_shape("output", out);
    show_list("first ten numbers", "%.4f", slice(out, 0, 10));
    check("the tenth number, by plain loops", data(out)[9],
          data(by_loops(&m, x, 0))[9], IN_DOUBLE);
}
