/* fixed.c - goals, blindness to order, and the sinusoid: S2.1 .. S2.6. */
#include "../tutorial.h"

void s2_1_goals(void)
{
    say("Five goals, and the row that shows each:");
    table_of_rows("goal|row\n"
                  "why a Transformer needs positions|S2.2\n"
                  "the sinusoid and its formula|S2.4\n"
                  "learned positions|S2.7\n"
                  "fixed against learned|S2.9\n"
                  "sequences longer than trained|S2.11\n");
}

/* weights(P x) = P weights(x) P^T, output(P x) = P output(x) */
void s2_2_blindness(void)
{
    locant_random r = random_stream(1);
    struct mha m = mha_new(&r, 8, 1, NO_BIAS);
    locant_tensor order = INTEGERS(1, 0, 2); /* its own inverse */
    locant_tensor x = SCALED_NORMALS(&r, 2, 1, 3, 8), y = picked(x, order);
    locant_tensor w = rows(mha_weights(&m, x), 0, 3);
    locant_tensor w2 = rows(mha_weights(&m, y), 0, 3);

    say("Three random tokens A, B, C of width 8, one head, no positions.  Who "
        "attends to whom, in the order given:");
    show_matrix("weights of [A, B, C]", "%.4f", w);
    show_matrix("weights of [B, A, C]", "%.4f", w2);
    say("So 我爱你 and 你爱我 give the same three vectors, in another order: "
        "whatever reads them as a set cannot distinguish the sentences.");
    mistake("E-2.1", "largest change of the weight matrix", 0,
            difference(w, w2),
            "The weights are permuted with the tokens, P A P^T, not unchanged: "
            "equivariant, not invariant.");
    /* sums of at most 8 terms, in another order */
    compare("weights less P A P^T", w2, permuted(w, order), IN_DOUBLE);
    compare("outputs less P out", mha(&m, y), picked(mha(&m, x), order),
            IN_DOUBLE);
    claim("the weight matrix changes", difference(w, w2) > 1e-3);
}

void s2_3_uses_of_order(void)
{
    double orders = 1;

    say("Order carries: (1) syntax, since who does what to whom follows from "
        "it; (2) meaning, since the same words say different things; (3) "
        "context, since words refer back; (4) time, since a series read "
        "backwards is another series.");
    say("How many orders a sentence of n different words has, which attention "
        "without positions cannot distinguish:");
    table("orders", "words|orders");
    for (int n = 1; n <= 10; n++) {
        orders *= n;
        if (n == 3 || n == 5 || n == 10)
            table_row("%d|%.0f", n, orders);
    }
    check("orders of ten words", orders, 3628800, 0);
}

enum { LONG = 1024, WIDE = 512 };

void s2_4_formula(void)
{
    locant_tensor P = sinusoidal(0, LONG, WIDE), N = sinusoidal(0, 16, 64);
    locant_tensor far = sinusoidal(1000000, 1, WIDE);
    locant_tensor cosines = ZEROS(16);
    double *near = data(cosines), unique = INFINITY;

    for (int i = 0; i < 16; i++)
        near[i] = cosine(row(N, 0), row(N, i));
    /* <P_a, P_b> depends only on a - b, so one row is enough */
    for (int i = 1; i < LONG; i++)
        unique = fmin(unique, distance(row(P, 0), row(P, i)));
    show_text("formula", info("sinusoidal")->formula);
    say("Four reasons, tried on 1024 positions of width 512:");
    show("unique: least distance of two positions", unique);
    /* three numbers, each to 2^-25 */
    expect("linear: |M_k P[p] - P[p+k]| for p = 100, k = 7",
           difference(moved(row(P, 100), 7), row(P, 107)), 0, 3 * 0x1p-25);
    show("defined everywhere: P[1000000] ends in", entry(far, 0, WIDE - 1));
    show_list("smooth: cosine of 0 with 1, 2, 3, 4, 5, 6 (width 64)", "%.4f",
              slice(cosines, 1, 6));
    mistake_in_words("E-0.9", "positions beyond training", "handled",
                     "defined, but models get worse there",
                     "A formula gives a vector for any position; the layers "
                     "above have only seen the trained ones.");
    say("Nearness is not monotone in distance: position 6 is a little nearer "
        "to 0 than position 5 is.");
    /* a mean of 64 products of entries, each to 2^-24 */
    check("cosine of 0 and 5, width 64", near[5], 0.7344990878, 1e-6);
    check("cosine of 0 and 6, width 64", near[6], 0.7362311553, 1e-6);
    check("cosine of 0 and 15, width 64", near[15], 0.6084394693, 1e-6);
    claim("no two of 1024 positions are alike", unique > 0.1);
}

/* The loop of the tutorial's generatePositionalEncoding(); it stores floats. */
static locant_tensor generate(int length, int dim)
{
    locant_tensor pe = ZEROS(length, dim);

    for (int pos = 0; pos < length; pos++)
        for (int i = 0; i < dim; i++) {
            double pair = i / 2, angle = pos / pow(10000, 2 * pair / dim);

            data(row(pe, pos))[i] =
                (float)(i % 2 == 0 ? sin(angle) : cos(angle));
        }
    return pe;
}

void s2_5_fixed(void)
{
    enum { BATCH = 2, LENGTH = 100 };
    locant_tensor floats = ZEROS_F32(LONG, WIDE), at = positions(0, LONG);
    locant_random r = random_stream(2);
    locant_tensor x = NORMALS(&r, BATCH, LENGTH, WIDE), P, y;

    must(locant_encoding_table(&floats, encoding("sinusoidal"), &at, NULL));
    P = as_double(floats);
    y = plus(x, rows(P, 0, LENGTH));
    say("generatePositionalEncoding() fills [maxLength, dModel], here 1024 x "
        "512; forward(x) adds its first rows to every sequence.");
    show_shape("table", P);
    show_shape("input", x);
    show_shape("output", y);
    show_count("learned numbers", learned_numbers("sinusoidal", WIDE, 8));
    /* both round a double to float: at most one unit in the last place */
    expect("the tutorial's loop less locant's table",
           difference(generate(LONG, WIDE), P), 0, FLOAT);
    check("output less input at [1, 1, 0]",
          entry(y, LENGTH + 1, 0) - entry(x, LENGTH + 1, 0), 0.8414709848,
          FLOAT);
}

void s2_6_waves(void)
{
    locant_tensor P = sinusoidal(0, 100, WIDE), channels = transposed(P);

    say("One chart for each of the first four channels of width 512, positions "
        "0 to 99.");
    table("channels", "channel|curve|positions per rotation|mean");
    for (int c = 0; c < 4; c++)
        table_row("%d|%s|%.4f|%.4f", c, c % 2 ? "cosine" : "sine",
                  wavelength(10000, c / 2, WIDE), mean(row(channels, c)));
    for (int c = 0; c < 4; c++) {
        char title[32];

        snprintf(title, sizeof title, "Dimension %d", c);
        curves((char)('a' + c), title, "position", "value", NULL,
               row(channels, c));
    }
    check("channel 0 at 1", entry(P, 1, 0), 0.8414709848, FLOAT);
    check("channel 3 at 0", entry(P, 0, 3), 1, 0);
}
