/* rotary.c - chapter 4: RoPE, also in complex numbers: S3.10, S3.17, S3.18. */
#include <complex.h>

#include "../tutorial.h"

/* <R(n) q, k> for one head of 64 channels. */
static double score_at(const char *spec, locant_tensor q, locant_tensor k,
                       int64_t n)
{
    return dot(rotated(spec, q, n), k);
}

/* (R_m q) . (R_n k) - (R_{m-n} q) . k for two channels, theta = 1. */
static double identity_error(double m, double n)
{
    double complex q = 1 + 2 * I, k = .5 - 1 * I;
    double complex left = q * cexp(I * m) * conj(k * cexp(I * n));
    double complex right = q * cexp(I * (m - n)) * conj(k);

    return fabs(creal(left) - creal(right));
}

/* (R_m q) . (R_n k) = (R_{m-n} q) . k */
void s3_10_rope(void)
{
    static const int n[] = { 0, 1, 2, 10, 100, 1000 };
    locant_random r = random_stream(1);
    locant_tensor k = NORMALS(&r, 1, 64), ones = plus(ZEROS(1, 64), VECTOR(1));
    locant_tensor q = rotated("rope", k, -20); /* k after 20 more steps */
    locant_tensor x = ZEROS(6), x2 = ZEROS(6);
    int best = 0;

    for (int i = 0; i < 6; i++) {
        data(x)[i] = score_at("rope", ones, ones, n[i]);
        data(x2)[i] = score_at("rope(base=500000)", ones, ones, n[i]);
    }
    for (int d = 1; d <= 40; d++)
        if (score_at("rope", q, k, d) > score_at("rope", q, k, best))
            best = d;
    say("Two channels rotate by the angle m theta; d/2 pairs, theta_i = "
        "10000^(-2i/d).  The product of two rotated vectors keeps the "
        "difference of their angles alone: (R_m q) . (R_n k) = (R_{m-n} q) . "
        "k.");
    expect("left less right for m = 7, n = 4", identity_error(7, 4), 0,
           IN_DOUBLE);
    say("Score of q = k = ones, 64 channels, by distance:");
    table("decay", "distance|base 10000|base 500000");
    for (int i = 0; i < 6; i++)
        table_row("%d|%.6f|%.6f", n[i], data(x)[i], data(x2)[i]);
    mistake("E-3.4", "distance of the best score of q = R(-20) k", 0, best,
            "Decay is a bound for fixed lengths and holds for equal vectors; "
            "learned q and k peak where they like.");
    mistake_in_words("E-3.4", "beyond the trained length", "excellent",
                     "poor unless frequencies are scaled",
                     "Slow pairs meet angles they never met in training.");
    say("No parameters; the base matters, as the two columns show.  In use: "
        "Llama, Gemma, PaLM, Qwen.");
    /* 64 entries of a table to 2^-25; published to 5e-7 */
    compare("scores, base 10000", x,
            VECTOR(64, 61.833663, 56.607724, 42.103258, 35.749338, 17.851933),
            3e-6);
    compare("scores, base 500000", x2,
            VECTOR(64, 62.313511, 58.324825, 48.229523, 41.282404, 28.681948),
            3e-6);
    check("the peak", best, 20, 0);
}

/* freqs_cis[m, i] = exp(i m theta_i), theta_i = 10000^(-2i/d) */
void s3_17_frequencies(void)
{
    enum { LENGTH = 1024, DIM = 64, PAIRS = DIM / 2 };
    locant_tensor cis = rope_angles(LENGTH, PAIRS), odd = ZEROS(1, 5);
    locant_tensor one = positions(0, 1);
    double modulus = 0, ours = 0, theirs = 0;

    for (int n = 0; n < LENGTH * PAIRS; n++) {
        const float *z = (float *)cis.data + 2 * n;
        int p = n / PAIRS, i = n % PAIRS;
        double right = cos(p * pow(10000, -2. * i / DIM));
        /* the tutorial's product, in float32 */
        float rounded = (float)p * (1.f / powf(10000, 2.f * (float)i / DIM));

        modulus = fmax(modulus, fabs(hypot(z[0], z[1]) - 1));
        ours = fmax(ours, fabs(z[0] - right));
        theirs = fmax(theirs, fabs(cos((double)rounded) - right));
    }
    say("freqs_cis[m, i] = exp(i m theta_i) for a head of 64 and 1024 "
        "positions: 32 complex numbers a position, here as (cos, sin).");
    show_shape("freqs_cis", cis);
    expect("largest | |z| - 1 |", modulus, 0, FLOAT);
    /* entries below 1, within 0.501 units in the last place of float32 */
    expect("largest error of a cosine, locant", ours, 0, 0.501 * 0x1p-24);
    show("the same from the tutorial's float32 product", theirs);
    show_text("a head of 5", refusal(locant_encoding_rotate(
                                 &odd, &odd, encoding("rope"), &one, NULL, 0)));
    claim("exact angles beat the float32 product", ours < theirs);
}

/* z -> z exp(i m theta_c), z = x_2c + i x_2c+1 */
void s3_18_apply(void)
{
    enum { B = 4, H = 8, L = 256, D = 64 };
    locant_random r = random_stream(2);
    locant_tensor x = NORMALS(&r, B, H, L, D), y = rotated(ROPE_PAIRS, x, 0);
    double worst = 0;

    for (int64_t i = 0; i < count(x); i += 2) {
        double angle = i / D % L * pow(10000, -(double)(i % D) / D);
        double complex z = (data(x)[i] + I * data(x)[i + 1]) * cexp(I * angle);

        worst = fmax(worst, fabs(creal(z) - data(y)[i]));
        worst = fmax(worst, fabs(cimag(z) - data(y)[i + 1]));
    }
    say("Adjacent channels as one complex number, times freqs_cis, and back: "
        "the interleaved pairing.");
    show_shape("x", x);
    show_shape("x rotated", y);
    /* entries below 6, two products with a table to 2^-25 */
    expect("complex product less library", worst, 0, 12 * 0x1p-25);
    expect("largest relative change of a length", length_change(x, y), 0,
           FLOAT);
}
