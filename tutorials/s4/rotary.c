/* rotary.c - the learnable table, and RoPE: S4.8 .. S4.10, S4.16. */
#include "../tutorial.h"

void s4_8_learned(void)
{
    enum { ROWS = 512, W = 768, BATCH = 2, T = 100 };
    locant_random r = random_stream(1);
    locant_tensor P = NORMALS(&r, ROWS, W);
    locant_tensor x = NORMALS(&r, BATCH, T, W);
    locant_tensor y = plus(x, looked_up(P, positions(0, T)));

    show_shape("X", x);
    show_shape("output", y);
    expect_count("learned numbers",
                 learned_numbers("learned(length=512)", W, 12), 512 * 768);
    show("deviation of X", deviation(x));
    show("deviation of the output", deviation(y));
    show_text("position 512", lookup_refusal(P, ROWS));
    say("Beyond the table the tutorial fails too, with an index out of range "
        "that names no position.");
    mistake("E-4.5", "deviation of the table at the beginning", deviation(P),
            0.02,
            "nn.Embedding draws N(0, 1) unless told; BERT and GPT-2 take 0.02 "
            "or 0.01.");
    /* two sums and two differences of numbers below 8 */
    check("the same row for both sequences",
          (entry(y, T, 0) - entry(x, T, 0)) - (entry(y, 0, 0) - entry(x, 0, 0)),
          0, 16 * 0x1p-53);
}

/* (x1, x2) -> (x1 cos - x2 sin, x1 sin + x2 cos) */
void s4_9_rope(void)
{
    locant_tensor x = RESHAPED(VECTOR(1, 2, 3, 4), 1, 4);
    locant_tensor known = /* x at position 3 */
        VECTOR(-1.2722325127, -1.8388649851, 2.8786681004, 4.0881866356);
    locant_tensor y = rotated(ROPE_PAIRS, x, 3);
    locant_tensor far = rotated(ROPE_PAIRS, x, 1000003);
    /* the form in the tutorial's comment: a row times [[cos, -sin], [sin,
       cos]] */
    locant_tensor comment = moved(x, 3);

    say("Even channels x1, odd channels x2: x1 cos - x2 sin, x1 sin + x2 cos.  "
        "(1, 2, 3, 4) at position 3:");
    /* two products with a table to 2^-25, entries up to 4 */
    expect_list("rotated", "%.10f", y, known, 8 * 0x1p-25);
    mistake("E-4.4", "first channel by the comment's row form", *data(comment),
            *data(y),
            "A row times [[cos, -sin], [sin, cos]] rotates backwards; the code "
            "below the comment is right.");
    say("The tutorial's buffers end at 2048 and always begin at 0, so that "
        "cached decoding cannot use them.  Here position 1000003:");
    show_list("rotated", "%.10f", far);
    check("length kept at 1000003", norm(far), sqrt(30), 8 * 0x1p-24);
    compare("the comment's form is the rotation by -3",
            rotated(ROPE_PAIRS, x, -3), comment, 8 * 0x1p-25);
}

enum { BATCH = 2, HEADS = 8, LENGTH = 128, HEAD = 64 };

/* The score of query 100 and key 90 if positions start at 'first'. */
static double score(locant_tensor q, locant_tensor k, int64_t first)
{
    return dot(row(rotated(ROPE_PAIRS, q, first), 100),
               row(rotated(ROPE_PAIRS, k, first), 90));
}

void s4_10_apply(void)
{
    locant_random r = random_stream(2);
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
    compare("position 0 is not rotated", row(q, 0), row(q_rot, 0), 0);
}

/* | |R x| / |x| - 1 | */
void s4_16_homework_2(void)
{
    static const int64_t first[] = { 0, 1000000 };
    locant_random r = random_stream(3);
    locant_tensor x = NORMALS(&r, BATCH, HEADS, LENGTH, HEAD), f = as_float(x);
    double in_double[2], in_float[2];

    for (int i = 0; i < 2; i++) {
        in_double[i] = length_change(x, rotated(ROPE_PAIRS, x, first[i]));
        in_float[i] = length_change(
            as_double(f), as_double(rotated(ROPE_PAIRS, f, first[i])));
        /* cosine and sine to 2^-25, so lengths to 2^-24, and float sums */
        check("lengths in double", in_double[i], 0, FLOAT);
        check("lengths in float32", in_float[i], 0, 3 * 0x1p-24);
    }
    say("2048 random vectors of 64, positions from 0 and from a million; "
        "largest relative change of a length:");
    table("lengths", "arithmetic|positions 0 .. 127|from 1000000");
    table_row("double|%.2e|%.2e", in_double[0], in_double[1]);
    table_row("float32|%.2e|%.2e", in_float[0], in_float[1]);
    say("A rotation keeps lengths; what is left is the rounding of the table "
        "to float32, which does not grow with the position.");
}
