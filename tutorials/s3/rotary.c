/*
 * rotary.c - seed 003, chapter 4 and its code: rotation, frequencies, and
 * their use as complex numbers.
 */
#include "rows.h"

#include <complex.h>
#include <math.h>
#include <string.h>

#include "../layers.h"
#include "locant/angles.h"

/* ----------------------------------------------------------------- S3.10 */

/* <R(n) q, k> for one head of 64. */
static double score_at(struct seed *s, const locant_encoding *e,
                       const double *q, const double *k, int64_t n)
{
    locant_tensor x = SEED_F64(s, 1, 64);
    double sum = 0;

    memcpy(x.data, q, 64 * sizeof *q);
    seed_rotate(s, &x, &x, e, n);
    for (int c = 0; c < 64; c++)
        sum += ((double *)x.data)[c] * k[c];
    return sum;
}

/* (R_m q) . (R_n k) less (R_{m-n} q) . k, two channels, theta = 1. */
static double identity_error(double m, double n)
{
    double complex q = 1 + 2 * I, k = .5 - 1 * I;
    double complex left = q * cexp(I * m) * conj(k * cexp(I * n));
    double complex right = q * cexp(I * (m - n)) * conj(k);

    return fabs(creal(left) - creal(right));
}

/* The distance, up to 40, at which q and k fit best. */
static int64_t best_distance(struct seed *s, const locant_encoding *e,
                             const double *q, const double *k)
{
    int64_t best = 0;
    double  top = -INFINITY;

    for (int64_t n = 0; n <= 40; n++) {
        double x = score_at(s, e, q, k, n);

        if (x > top) {
            top = x;
            best = n;
        }
    }
    return best;
}

void s3_rope(struct seed *s)
{
    static const int64_t n[] = { 0, 1, 2, 10, 100, 1000 };
    static const double known[2][6] = { /* encodings.md 8.2 */
        { 64, 61.833663, 56.607724, 42.103258, 35.749338, 17.851933 },
        { 64, 62.313511, 58.324825, 48.229523, 41.282404, 28.681948 },
    };
    const locant_encoding *e[] = { seed_encoding(s, "rope"),
                                   seed_encoding(s, "rope(base=500000)") };
    locant_random r = seed_random(s, 1);
    locant_tensor q = SEED_F64(s, 1, 64);
    double ones[64], x[2][6], k[64];

    for (int c = 0; c < 64; c++)
        ones[c] = 1;
    for (int b = 0; b < 2; b++)
        for (int i = 0; i < 6; i++)
            x[b][i] = score_at(s, e[b], ones, ones, n[i]);
    seed_fill_normal(k, 64, 1, &r);
    memcpy(q.data, k, sizeof k);
    seed_rotate(s, &q, &q, e[0], -20); /* q meets k after 20 more steps */
    int64_t best = best_distance(s, e[0], q.data, k);
    seed_say(s, "Two channels turn by the angle m theta; d/2 pairs, theta_i = "
             "10000^(-2i/d).  The product of two turned vectors keeps the "
             "difference of their angles alone: (R_m q) . (R_n k) = (R_{m-n} "
             "q) . k.");
    seed_real(s, "left less right for m = 7, n = 4", identity_error(7, 4));
    seed_say(s, "Score of q = k = ones, 64 channels, by distance:");
    seed_columns(s, "decay", "distance|base 10000|base 500000");
    for (int i = 0; i < 6; i++)
        seed_cells(s, "%lld|%.6f|%.6f", (long long)n[i], x[0][i], x[1][i]);
    seed_table_end(s);
    seed_wrong(s, "E-3.4", "distance of the best score of q = R(-20) k",
               0, (double)best, "Decay is a bound for fixed lengths and holds "
               "for equal vectors; learned q and k peak where they like.");
    seed_wrong_text(s, "E-3.4", "beyond the trained length", "excellent",
                    "poor unless frequencies are scaled",
                    "Slow pairs meet angles they never met in training.");
    seed_say(s, "No parameters; the base matters, as the two columns show.  "
             "In use: Llama, Gemma, PaLM, Qwen.");
    seed_check(s, "the identity", identity_error(7, 4), 0, LAYER_DOUBLE);
    /* 64 entries of a table to 2^-25; known to 5e-7 */
    for (int b = 0; b < 2; b++)
        seed_check(s, b ? "scores, base 500000" : "scores, base 10000",
                   seed_max_difference(x[b], known[b], 6), 0, 3e-6);
    seed_check(s, "the peak", (double)best, 20, 0);
}

/* ----------------------------------------------------------------- S3.17 */

void s3_frequencies(struct seed *s)
{
    enum { LENGTH = 1024, DIM = 64, PAIRS = DIM / 2 };
    locant_tensor cis = SEED_F32(s, LENGTH, PAIRS, 2);
    locant_tensor pos = seed_positions(s, 0, LENGTH);
    locant_tensor odd = SEED_F64(s, 1, 5), one = seed_positions(s, 0, 1);
    const float *z = cis.data;
    double modulus = 0, worst = 0, seeds = 0;

    seed_try(s, locant_angles(&cis, &pos, 10000, LOCANT_ANGLES_EXACT));
    for (int p = 0; p < LENGTH; p++)
        for (int i = 0; i < PAIRS; i++) {
            const float *at = z + (p * PAIRS + i) * 2;
            double angle = p * pow(10000, -2. * i / DIM);
            float  inv = 1.f / powf(10000, 2.f * (float)i / DIM);
            float  rounded = (float)p * inv; /* the seed's float32 product */

            modulus = fmax(modulus, fabs(hypot(at[0], at[1]) - 1));
            worst = fmax(worst, fabs(at[0] - cos(angle)));
            seeds = fmax(seeds, fabs(cos((double)rounded) - cos(angle)));
        }
    seed_say(s, "freqs_cis[m, i] = exp(i m theta_i) for a head of 64 and 1024 "
             "positions: 32 complex numbers a position, here as (cos, sin).");
    seed_shape(s, "freqs_cis", &cis);
    seed_real(s, "largest | |z| - 1 |", modulus);
    seed_real(s, "largest error of a cosine, locant", worst);
    seed_real(s, "the same from the seed's float32 product", seeds);
    seed_text(s, "a head of 5", layer_refusal(s,
              locant_encoding_rotate(&odd, &odd, seed_encoding(s, "rope"), &one,
                                     NULL, 0)));
    /* entries within 0.501 units in the last place of float32, below 1 */
    seed_check(s, "error of a cosine", worst, 0, 0.501 * 0x1p-24);
    seed_check(s, "modulus", modulus, 0, LAYER_TABLE);
    seed_claim(s, "exact angles beat the float32 product", worst < seeds);
}

/* ----------------------------------------------------------------- S3.18 */

void s3_apply(struct seed *s)
{
    enum { B = 4, H = 8, L = 256, D = 64, N = B * H * L * D };
    const locant_encoding *e = seed_encoding(s, "rope(pairing=interleaved)");
    locant_random r = seed_random(s, 2);
    locant_tensor x = SEED_F64(s, B, H, L, D), y = SEED_F64(s, B, H, L, D);
    double *in = x.data, *out = y.data, worst = 0, length = 0;

    seed_fill_normal(in, N, 1, &r);
    seed_rotate(s, &y, &x, e, 0);
    for (int64_t row = 0; row < B * H * L; row++) {
        double before = 0, after = 0;

        for (int64_t i = 0; i < D / 2; i++) {
            int64_t at = row * D + 2 * i;
            double  angle = (double)(row % L) * pow(10000, -(double)i / 32);
            double complex z = (in[at] + I * in[at + 1]) * cexp(I * angle);

            worst = fmax(worst, fabs(creal(z) - out[at]));
            worst = fmax(worst, fabs(cimag(z) - out[at + 1]));
            before += in[at] * in[at] + in[at + 1] * in[at + 1];
            after += out[at] * out[at] + out[at + 1] * out[at + 1];
        }
        length = fmax(length, fabs(sqrt(after / before) - 1));
    }
    seed_say(s, "Adjacent channels as one complex number, times freqs_cis, and "
             "back: the interleaved pairing.");
    seed_shape(s, "x", &x);
    seed_shape(s, "x rotated", &y);
    seed_real(s, "complex product less library", worst);
    seed_real(s, "largest relative change of a length", length);
    /* entries below 6, two products with a table to 2^-25 */
    seed_check(s, "complex product less library", worst, 0, 12 * 0x1p-25);
    seed_check(s, "lengths kept", length, 0, LAYER_TABLE);
}
