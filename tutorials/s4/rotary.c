/*
 * rotary.c - the learnable table, and RoPE: S4.8 .. S4.10, S4.16.
 */
#include "../tutorial.h"

/* S4.8 */
void s4_learned(void)
{
    enum {
        ROWS = 512,
        W = 768,
        BATCH = 2,
        LENGTH = 100,
        EACH = LENGTH * W,
        N = BATCH * EACH
    };
    const char *spec = "learned(length=512)";
    locant_random r = draws(1);
    locant_tensor P = NORMALS(&r, ROWS, W);
    locant_tensor x = NORMALS(&r, BATCH, LENGTH, W);
    locant_tensor y = added(x, table_rows(spec, 0, LENGTH, W, &P));

    show_shape("X", x);
    show_shape("output", y);
    expect_count("learned numbers", learned_numbers(spec, W, 12), 512 * 768);
    show("deviation of X", deviation(data(x), N));
    show("deviation of the output", deviation(data(y), N));
    show_text("position 512", table_refusal(spec, ROWS, &P));
    say("Beyond the table the tutorial fails too, with an index out of range "
        "that names no position.");
    mistake("E-4.5", "deviation of the table at the beginning",
            deviation(data(P), ROWS * W), 0.02,
            "nn.Embedding draws N(0, 1) "
            "unless told; BERT and GPT-2 take 0.02 or 0.01.");
    /* two sums and two differences of numbers below 8 */
    check("the same row for both sequences",
          (data(y)[EACH] - data(x)[EACH]) - (data(y)[0] - data(x)[0]), 0,
          16 * 0x1p-53);
}

/* S4.9 */
void s4_rope(void)
{
    static const double known[] = { /* (1, 2, 3, 4) at 3, interleaved */
                                    -1.2722325127, -1.8388649851, 2.8786681004,
                                    4.0881866356
    };
    locant_tensor x = COPY(((double[]){ 1, 2, 3, 4 }), 1, 4);
    locant_tensor y = rotated(ROPE_PAIRS, x, 3);
    locant_tensor far = rotated(ROPE_PAIRS, x, 1000003);
    /* the form in the tutorial's comment: a row times [[cos, -sin], [sin,
       cos]] */
    const double *comment = data(shifted(data(x), 3, 1, 4));

    say("Even channels x1, odd channels x2: x1 cos - x2 sin, x1 sin + x2 cos.  "
        "(1, 2, 3, 4) at position 3:");
    /* two products with a table to 2^-25, entries up to 4 */
    expect_list("rotated", "%.10f", data(y), 4, known, 8 * 0x1p-25);
    mistake("E-4.4", "first channel by the comment's row form", comment[0],
            *data(y),
            "A row times [[cos, -sin], [sin, cos]] rotates "
            "backwards; the code below the comment is right.");
    say("The tutorial's buffers end at 2048 and always begin at 0, so that "
        "cached decoding cannot use them.  Here position 1000003:");
    show_list("rotated", "%.10f", data(far), 4);
    check("length kept at 1000003", norm(data(far), 4), sqrt(30), 8 * 0x1p-24);
    check("the comment's form is the rotation by -3",
          max_difference(data(rotated(ROPE_PAIRS, x, -3)), comment, 4), 0,
          8 * 0x1p-25);
}

enum {
    BATCH = 2,
    HEADS = 8,
    LENGTH = 128,
    HEAD = 64,
    COUNT = BATCH * HEADS * LENGTH * HEAD
};

/* The score of query 100 and key 90 if positions start at 'first'. */
static double score(locant_tensor q, locant_tensor k, int64_t first)
{
    return dot(data(rotated(ROPE_PAIRS, q, first)) + 100 * HEAD,
               data(rotated(ROPE_PAIRS, k, first)) + 90 * HEAD, HEAD);
}

/* S4.10 */
void s4_apply(void)
{
    locant_random r = draws(2);
    locant_tensor q = NORMALS(&r, BATCH, HEADS, LENGTH, HEAD);
    locant_tensor k = NORMALS(&r, BATCH, HEADS, LENGTH, HEAD);
    locant_tensor q_rot = rotated(ROPE_PAIRS, q, 0);

    show_shape("Q", q);
    show_shape("Q_rot", q_rot);
    show_shape("K_rot", rotated(ROPE_PAIRS, k, 0));
    show("score of query 100, key 90", score(q, k, 0));
    /* 64 products of numbers near 1, each to about 2^-24 */
    expect("the same 500 positions later", score(q, k, 500), score(q, k, 0),
           1e-5);
    check("position 0 is not rotated",
          max_difference(data(q), data(q_rot), HEAD), 0, 0);
}

static locant_tensor as_float(locant_tensor x)
{
    locant_tensor out = array(LOCANT_F32, x.rank, x.shape);

    for (int64_t i = 0; i < count(x); i++)
        ((float *)out.data)[i] = (float)data(x)[i];
    return out;
}

static locant_tensor as_double(locant_tensor x)
{
    locant_tensor out = array(LOCANT_F64, x.rank, x.shape);

    for (int64_t i = 0; i < count(x); i++)
        data(out)[i] = ((float *)x.data)[i];
    return out;
}

/* S4.16 */
void s4_homework_2(void)
{
    static const int64_t first[] = { 0, 1000000 };
    locant_random r = draws(3);
    locant_tensor x = NORMALS(&r, BATCH, HEADS, LENGTH, HEAD);
    locant_tensor f = as_float(x);
    double change[2][2];

    for (int i = 0; i < 2; i++) {
        change[0][i] = length_change(x, rotated(ROPE_PAIRS, x, first[i]));
        change[1][i] = length_change(
            as_double(f), as_double(rotated(ROPE_PAIRS, f, first[i])));
        /* cosine and sine to 2^-25, so lengths to 2^-24, and float sums */
        check("lengths in double", change[0][i], 0, FLOAT);
        check("lengths in float32", change[1][i], 0, 3 * 0x1p-24);
    }
    say("2048 random vectors of 64, positions from 0 and from a million; "
        "largest relative change of a length:");
    table("lengths", "arithmetic|positions 0 .. 127|from 1000000");
    table_row("double|%.2e|%.2e", change[0][0], change[0][1]);
    table_row("float32|%.2e|%.2e", change[1][0], change[1][1]);
    say("A rotation keeps lengths; what is left is the rounding of the table "
        "to float32, which does not grow with the position.");
}
