/*
 * absolute.c - seed 001, sections 1 and 2: what comes first, the claim about
 * length, and the two absolute encodings.
 */
#include "rows.h"

#include <math.h>
#include <string.h>

#include "../layers.h"

void s1_order(struct seed *s)
{
    static const char *const topics[][3] = {
        { "what a positional encoding is for", "1", "none" },
        { "the encoding of the first Transformer", "1", "sinusoidal" },
        { "rotary positions", "2", "rope" },
    };
    unsigned doors = 0;

    seed_say(s, "Three topics in this order, each with films to watch; the "
             "last column is what locant calls it.");
    seed_columns(s, "order", "topic|films|encoding");
    for (int i = 0; i < 3; i++) {
        const locant_encoding *e = seed_encoding(s, topics[i][2]);

        doors |= locant_encoding_info_of(e)->doors;
        seed_cells(s, "%s|%s|%s", topics[i][0], topics[i][1],
                   locant_encoding_spec(e));
    }
    seed_table_end(s);
    seed_claim(s, "the two encodings: one added, one that turns",
               doors == (LOCANT_DOOR_INPUT | LOCANT_DOOR_ROTATE));
}

/* -------------------------------------------------------------------- S1.2 */

/* Pairs of a head of 64 that have not made a full turn after 'length'. */
static int unfinished_pairs(double length)
{
    int n = 0;

    for (int c = 0; c < 32; c++)
        n += layer_wavelength(10000, c, 64) > length;
    return n;
}

/* Mean of cos(n theta): the score of q = k = ones over that at n = 0. */
static double unit_score(double n)
{
    double sum = 0;

    for (int c = 0; c < 32; c++)
        sum += cos(n * pow(10000, -c / 32.));
    return sum / 32;
}

void s1_claim(struct seed *s)
{
    static const double n[] = { 1, 100, 511, 1000, 2000 };
    const locant_encoding *t5 = seed_encoding(s, "t5");
    const locant_encoding *alibi = seed_encoding(s, "alibi");
    double bias[8 * 5], slope[8 * 5];

    layer_bias_at(s, bias, t5, 8, n, 5, seed_params(s, t5, 512, 8));
    layer_bias_at(s, slope, alibi, 8, n, 5, NULL);
    seed_say(s, "Trained on 512 tokens, asked about more.  Head 1 of 8 of the "
             "two relative encodings, and a rotated head of 64 with q = k = "
             "ones, at some distances:");
    seed_columns(s, "distance", "distance|seen|T5 bias|ALiBi bias|RoPE");
    for (int i = 0; i < 5; i++)
        seed_cells(s, "%.0f|%s|%.4f|%.4f|%.4f", n[i], n[i] < 512 ? "yes" : "no",
                   bias[i], slope[i], unit_score(n[i]));
    seed_table_end(s);
    seed_integer(s, "pairs of 32 without a full turn in 512 tokens",
                 unfinished_pairs(512));
    seed_say(s, "Those pairs meet phases in use that they never met in "
             "training.  T5 gives every distance from 113 on the bias of its "
             "last bucket, and ALiBi goes on along its line: both relative, "
             "and both defined by what training saw.");
    seed_wrong_text(s, "E-1.1", "which goes on better beyond the trained "
                    "length", "RoPE, because sines are periodic",
                    "T5's and ALiBi's biases; RoPE only with scaling",
                    "A period helps only a pair that has finished one in "
                    "training, and half of the pairs have not.");
    seed_check(s, "T5 bias at 2000 less that at 511", bias[4] - bias[2], 0, 0);
    seed_check(s, "ALiBi bias at 2000 over that at 1000", slope[4] / slope[3],
               2, 0);
    /* encodings.md 8.2: 17.851933 of 64, printed to 1e-6 */
    seed_check(s, "score of ones at 1000, times 64", 64 * unit_score(1000),
               17.851933, 5e-7);
    /* the wavelength of pair c passes 512 at c = 32 log(512/2pi)/log(1e4) */
    seed_check(s, "pairs without a full turn", unfinished_pairs(512),
               32 - ceil(32 * log(512 / 6.283185307179586) / log(1e4)), 0);
}

/* -------------------------------------------------------------------- S1.3 */

enum { LENGTH = 50, WIDTH = 512 };

static void get_pe(double *sine, double *cosine, int pos, int j, int dim)
{
    double angle = pos / pow(10000, 2. * j / dim);

    *sine = sin(angle);
    *cosine = cos(angle);
}

void s1_get_pe(struct seed *s)
{
    const locant_encoding *e = seed_encoding(s, "sinusoidal");
    locant_tensor table = seed_table_rows(s, e, 0, LENGTH, WIDTH, NULL);
    double *loops = seed_reals(s, LENGTH * WIDTH);
    const double *pe = table.data;

    for (int i = 0; i < LENGTH; i++)
        for (int j = 0; j < WIDTH / 2; j++)
            get_pe(&loops[i * WIDTH + 2 * j], &loops[i * WIDTH + 2 * j + 1], i,
                   j, WIDTH);
    seed_say(s, "Pair j of position p is (sin, cos) of p / 10000^(2j/512); the "
             "double loop fills the table, and locant gives it in one call.");
    seed_shape(s, "pe", &table);
    seed_numbers(s, "get_pe(1, 0)", "%.10f", loops + WIDTH, 2);
    seed_numbers(s, "get_pe(49, 255)", "%.10f", loops + LENGTH * WIDTH - 2, 2);
    seed_real(s, "largest difference of the two",
              seed_max_difference(loops, pe, LENGTH * WIDTH));
    /* both evaluate to float32 or better: half a unit in its last place */
    seed_check(s, "loops less library",
               seed_max_difference(loops, pe, LENGTH * WIDTH), 0, LAYER_TABLE);
    seed_check(s, "sin 1", pe[WIDTH], 0.8414709848, LAYER_TABLE);
    seed_check(s, "cos 1", pe[WIDTH + 1], 0.5403023059, LAYER_TABLE);
}

/* -------------------------------------------------------------------- S1.4 */

/* The gradient of a table whose row 7 was used twice with ones. */
static double gradient_of_row_7(struct seed *s, const locant_encoding *e,
                                const locant_tensor *table)
{
    locant_tensor positions = SEED_I64(s, 3), dout = SEED_F64(s, 3, WIDTH);
    locant_tensor dtable = SEED_F64(s, LENGTH, WIDTH);
    int64_t *p = positions.data;
    double  *d = dout.data;

    p[0] = p[2] = 7;
    p[1] = 3;
    for (int i = 0; i < 3 * WIDTH; i++)
        d[i] = 1;
    seed_try(s, locant_encoding_table_backward(&dtable, &dout, e, &positions,
                                               table));
    return ((double *)dtable.data)[7 * WIDTH];
}

void s1_learned(struct seed *s)
{
    const locant_encoding *e = seed_encoding(s, "learned(length=50)");
    locant_random r = seed_random(s, 1);
    locant_tensor table = SEED_F64(s, LENGTH, WIDTH), rows, beyond, position;
    int64_t n = LENGTH * WIDTH;
    double deviation, twice;

    seed_fill_normal(table.data, n, 1, &r);
    rows = seed_table_rows(s, e, 0, LENGTH, WIDTH, &table);
    deviation = seed_deviation(table.data, n);
    twice = gradient_of_row_7(s, e, &table);
    seed_say(s, "wpe is a table of one vector per position, looked up by the "
             "position; as a bare parameter (wpe_para) it is indexed "
             "instead, with the same result.");
    seed_shape(s, "wpe(pos)", &rows);
    seed_integer(s, "learned numbers", seed_parameters(e, WIDTH, 4));
    seed_real(s, "gradient of an entry of row 7, used twice", twice);
    beyond = SEED_F64(s, 1, WIDTH);
    position = seed_positions(s, LENGTH, 1);
    seed_text(s, "position 50", layer_refusal(s,
              locant_encoding_table(&beyond, e, &position, &table)));
    seed_wrong(s, "E-1.4", "deviation of the table at the beginning", deviation,
               0.02, "nn.Embedding begins with N(0, 1), fifty times what BERT "
               "takes: positions would drown the tokens.");
    seed_check(s, "rows less table",
               seed_max_difference(rows.data, table.data, n), 0, 0);
    seed_check(s, "learned numbers", (double)seed_parameters(e, WIDTH, 4),
               50. * 512, 0);
    seed_check(s, "gradient of a row used twice", twice, 2, 0);
    /* deviation of a sample deviation: 1 / sqrt(2 n); five of them */
    seed_check(s, "deviation drawn", deviation, 1, 5 / sqrt(2. * (double)n));
}
