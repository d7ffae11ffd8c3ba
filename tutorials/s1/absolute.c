/* absolute.c - sections 1 and 2: sinusoidal and learned: S1.1 .. S1.4. */
#include "../tutorial.h"

void s1_1_order(void)
{
    static const char *const topics[][2] = {
        { "what a positional encoding is for|1", "none" },
        { "the encoding of the first Transformer|1", "sinusoidal" },
        { "rotary positions|2", "rope" },
    };
    unsigned all = 0;

    say("Three topics in this order, each with films to watch; the last column "
        "is what locant calls it.");
    table("order", "topic|films|encoding");
    for (int i = 0; i < 3; i++) {
        all |= info(topics[i][1])->doors;
        table_row("%s|%s", topics[i][0],
                  locant_encoding_spec(encoding(topics[i][1])));
    }
    claim("the two encodings: one added, one that rotates",
          all == (LOCANT_DOOR_INPUT | LOCANT_DOOR_ROTATE));
}

/* Mean of cos(n theta): the score of q = k = ones at distance n, relative to
   that at 0. */
static double unit_score(double n)
{
    double sum = 0;

    for (int c = 0; c < 32; c++)
        sum += cos(n * pow(10000, -c / 32.));
    return sum / 32;
}

void s1_2_claim(void)
{
    locant_tensor distances = VECTOR(1, 100, 511, 1000, 2000);
    const double *n = data(distances);
    const double *t5 =
        data(bias_at("t5", 8, distances, initial_params("t5", 512, 8)));
    const double *alibi = data(bias_at("alibi", 8, distances, NULL));
    int unfinished = 0;

    for (int c = 0; c < 32; c++)
        unfinished += wavelength(10000, c, 64) > 512;
    say("Trained on 512 tokens, asked about more.  Head 0 of 8 of the two "
        "relative encodings, and a rotated head of 64 with q = k = ones, at "
        "some distances:");
    table("distance", "distance|seen|T5 bias|ALiBi bias|RoPE");
    for (int i = 0; i < 5; i++)
        table_row("%.0f|%s|%.4f|%.4f|%.4f", n[i], n[i] < 512 ? "yes" : "no",
                  t5[i], alibi[i], unit_score(n[i]));
    /* the wavelength of pair c passes 512 at c = 32 log(512/2pi)/log(1e4) */
    expect_count("pairs of 32 without a full rotation in 512 tokens",
                 unfinished, 32 - ceil(32 * log(512 / (2 * PI)) / log(1e4)));
    say("Those pairs meet phases in use that they never met in training.  T5 "
        "gives every distance from 113 on the bias of its last bucket, and "
        "ALiBi goes on along its line: both relative, and both defined by what "
        "training saw.");
    mistake_in_words("E-1.1", "which goes on better beyond the trained length",
                     "RoPE, because sines are periodic",
                     "T5's and ALiBi's biases; RoPE only with scaling",
                     "A period helps only a pair that has finished one in "
                     "training, and half of the pairs have not.");
    check("T5 bias at 2000 less that at 511", t5[4] - t5[2], 0, 0);
    check("ALiBi bias at 2000 over that at 1000", alibi[4] / alibi[3], 2, 0);
    /* published to 1e-6 */
    check("score of ones at 1000, times 64", 64 * unit_score(1000), 17.851933,
          5e-7);
}

enum { LENGTH = 50, WIDTH = 512 };

/* (sin, cos) of pos / 10000^(2j/dim) */
static void get_pe(double pair[2], int pos, int j, int dim)
{
    double angle = pos / pow(10000, 2. * j / dim);

    pair[0] = sin(angle);
    pair[1] = cos(angle);
}

void s1_3_get_pe(void)
{
    locant_tensor P = sinusoidal(0, LENGTH, WIDTH), loops = zeros_like(P);

    for (int i = 0; i < LENGTH; i++)
        for (int j = 0; j < WIDTH / 2; j++)
            get_pe(data(row(loops, i)) + 2 * j, i, j, WIDTH);
    say("Pair j of position p is (sin, cos) of p / 10000^(2j/512); the double "
        "loop fills the table, and locant gives it in one call.");
    show_shape("pe", P);
    show_list("get_pe(1, 0)", "%.10f", slice(row(loops, 1), 0, 2));
    show_list("get_pe(49, 255)", "%.10f", slice(row(loops, 49), 2 * 255, 2));
    /* both are computed to float32 or better */
    expect("largest difference of the two", difference(loops, P), 0, FLOAT);
    check("sin 1", entry(P, 1, 0), 0.8414709848, FLOAT);
    check("cos 1", entry(P, 1, 1), 0.5403023059, FLOAT);
}

/* wpe(pos) = P[pos]; a row that is read twice gets both gradients. */
void s1_4_learned(void)
{
    locant_random r = random_stream(1);
    locant_tensor P = NORMALS(&r, LENGTH, WIDTH);
    locant_tensor at = INTEGERS(7, 8, 7), up = ZEROS(3, WIDTH);
    locant_tensor wpe = looked_up(P, positions(0, LENGTH));

    for (int i = 0; i < count(up); i++)
        data(up)[i] = 1;
    say("wpe is a table of one vector per position, looked up by the position; "
        "as a bare parameter (wpe_para) it is indexed instead, with the same "
        "result.");
    show_shape("wpe(pos)", wpe);
    expect_count("learned numbers",
                 learned_numbers("learned(length=50)", WIDTH, 4), 50 * 512);
    expect("gradient of an entry of row 7, used twice",
           entry(lookup_gradient(P, up, at), 7, 0), 2, 0);
    show_text("position 50", lookup_refusal(P, LENGTH));
    mistake("E-1.4", "deviation of the table at the beginning", deviation(P),
            0.02,
            "nn.Embedding begins with N(0, 1), fifty times what BERT takes: "
            "positions would drown the tokens.");
    compare("rows less table", wpe, P, 0);
    /* a sample deviation has a deviation of 1 / sqrt(2n); five of those */
    check("deviation drawn", deviation(P), 1, 5 / sqrt(2. * count(P)));
}
