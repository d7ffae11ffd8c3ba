/*
 * absolute.c - seed 003, chapter 2: sinusoid and learned table.
 */
#include "rows.h"

#include <math.h>
#include <string.h>

#include "../layers.h"

/* ------------------------------------------------------------------ S3.5 */

/* Row a of width 4, each pair turned by k steps. */
static void shift(double *out, const double *row, double k)
{
    for (int c = 0; c < 2; c++) {
        double t = k * pow(10000, -c / 2.);

        out[2 * c] = cos(t) * row[2 * c] + sin(t) * row[2 * c + 1];
        out[2 * c + 1] = -sin(t) * row[2 * c] + cos(t) * row[2 * c + 1];
    }
}

static void sum_identities(struct seed *s)
{
    double worst = 0;

    for (double a = -3; a < 3; a += .37)
        for (double b = -3; b < 3; b += .41) {
            worst = fmax(worst, fabs(sin(a + b) - sin(a) * cos(b) -
                                     cos(a) * sin(b)));
            worst = fmax(worst, fabs(cos(a + b) - cos(a) * cos(b) +
                                     sin(a) * sin(b)));
        }
    seed_text(s, "sum identities", "sin(a+b) = sin a cos b + cos a sin b; "
              "cos(a+b) = cos a cos b - sin a sin b");
    /* two products and four functions, each to 2^-53 */
    seed_check(s, "sum identities hold", worst, 0, 8 * 0x1p-53);
}

void s3_sinusoid(struct seed *s)
{
    static const double P8[] = { /* encodings.md 1.3 */
        0.9893582466, -0.1455000338, 0.0799146940, 0.9968017063
    };
    static const int widths[] = { 64, 128, 512 };
    const locant_encoding *e = seed_encoding(s, "sinusoidal");
    locant_tensor P5 = seed_table_rows(s, e, 5, 1, 4, NULL);
    double shifted[4], last[3];

    shift(shifted, P5.data, 3);
    seed_text(s, "formula", locant_encoding_info_of(e)->formula);
    seed_columns(s, "wavelengths", "width|shortest|longest");
    for (int i = 0; i < 3; i++) {
        last[i] = layer_wavelength(10000, widths[i] / 2 - 1, widths[i]);
        seed_cells(s, "%d|%.4f|%.2f", widths[i],
                   layer_wavelength(10000, 0, widths[i]), last[i]);
    }
    seed_table_end(s);
    seed_wrong(s, "E-3.3", "longest wavelength, width 512",
               layer_wavelength(10000, 1, 2), last[2], "Exponents end at (d - "
               "2) / d for this formula; only tensor2tensor's spacing reaches "
               "10000 x 2 pi.");
    seed_wrong(s, "E-3.5", "10000^(2i/d) for i = 1, d = 4, as the code comment "
               "computes it", exp(2 * -log(10000) / 4), pow(10000, .5),
               "exp(-2i ln(10000) / d) is the inverse, which the code then "
               "rightly multiplies by.");
    sum_identities(s);
    seed_numbers(s, "P[5], width 4", "%.10f", P5.data, 4);
    seed_numbers(s, "each pair turned by 3 steps: P[8]", "%.10f", shifted, 4);
    seed_say(s, "For it: no parameters, the same in every run, defined at any "
             "position.  Against it: one shape for every task, and models "
             "that use it fail soon beyond the trained length.  In use: the "
             "first Transformer, teaching, small models.");
    /* an entry to 2^-25, two products */
    seed_check(s, "P[5] turned by 3 less P[8]",
               seed_max_difference(shifted, P8, 4), 0, 3 * 0x1p-25);
    seed_check(s, "longest wavelength, width 64", last[0], 47117.24, 5e-3);
    seed_check(s, "longest wavelength, width 128", last[1], 54410.14, 5e-3);
    seed_check(s, "longest wavelength, width 512", last[2], 60611.48, 5e-3);
}

/* ------------------------------------------------------------------ S3.6 */

struct family {
    const char *name;
    int64_t vocabulary, positions, segments, extra;
};

/* Both families have 12 layers of width 768 with 3072 between. */
static int64_t all_numbers(const struct family *f)
{
    const int64_t W = 768, FF = 3072;
    int64_t layer = 4 * (W * W + W) + 2 * W * FF + FF + W + 4 * W;

    return (f->vocabulary + f->positions + f->segments) * W + 12 * layer +
           2 * W + f->extra;
}

/* token + segment + position, then a norm: BERT's input for 4 tokens. */
static locant_tensor bert_input(struct seed *s, const locant_encoding *e)
{
    enum { T = 4, W = 768 };
    locant_random r = seed_random(s, 1);
    locant_tensor x = SEED_F64(s, T, W), table = SEED_F64(s, 512, W), rows;
    double segment[2 * W], *to = x.data;

    seed_fill_normal(table.data, 512 * W, .02, &r);
    seed_fill_normal(to, T * W, .02, &r);
    seed_fill_normal(segment, 2 * W, .02, &r);
    rows = seed_table_rows(s, e, 0, T, W, &table);
    for (int i = 0; i < T * W; i++)
        to[i] += ((double *)rows.data)[i] + segment[i / W / 2 * W + i % W];
    seed_layer_norm(to, to, T, W);
    return x;
}

void s3_learned(struct seed *s)
{
    static const struct family families[] = {
        { "BERT base", 30522, 512, 2, 768 * 768 + 768 }, /* the pooler */
        { "GPT-2 small", 50257, 1024, 0, 0 },
    };
    const locant_encoding *e = seed_encoding(s, "learned(length=512)");
    locant_tensor x = bert_input(s, e), row = SEED_F64(s, 1, 768);
    locant_tensor table = SEED_F64(s, 512, 768);
    locant_tensor pos = seed_positions(s, 512, 1);

    seed_say(s, "P [max_position_embeddings, hidden_size], one learned row a "
             "position.  BERT adds token, segment and position, and "
             "normalises:");
    seed_shape(s, "input of four tokens, two segments", &x);
    seed_columns(s, "sizes", "model|position rows|their numbers|all numbers|"
                 "percent");
    for (int i = 0; i < 2; i++) {
        int64_t P = families[i].positions * 768;

        seed_cells(s, "%s|%lld|%lld|%lld|%.2f", families[i].name,
                   (long long)families[i].positions, (long long)P,
                   (long long)all_numbers(&families[i]),
                   100 * (double)P / (double)all_numbers(&families[i]));
    }
    seed_table_end(s);
    seed_wrong_text(s, "E-3.7", "what the table adds to a model",
                    "many parameters", "0.36 percent of BERT base",
                    "Tokens and layers hold nearly all of them.");
    seed_text(s, "the wall, position 512", layer_refusal(s,
              locant_encoding_table(&row, e, &pos, &table)));
    seed_say(s, "For it: it fits its task.  Against it: nothing is known about "
             "row 512.  In use: BERT, GPT, models of fixed length.");
    seed_check(s, "numbers of BERT base", (double)all_numbers(&families[0]),
               109482240, 0);
    seed_check(s, "numbers of GPT-2 small", (double)all_numbers(&families[1]),
               124439808, 0);
    seed_check(s, "BERT's table", (double)seed_parameters(e, 768, 12), 393216,
               0);
    seed_check(s, "mean of the normalised input", seed_mean(x.data, 768), 0,
               LAYER_DOUBLE);
}

/* ----------------------------------------------------------------- S3.16 */

enum { MAX_LEN = 100, D_MODEL = 512, BATCH = 32 };

/* Keep each entry with probability 1 - p, times 1 / (1 - p). */
static int64_t drop(double *x, int64_t n, double p, locant_random *r)
{
    int64_t dropped = 0;

    for (int64_t i = 0; i < n; i++) {
        int keep = locant_random_uniform(r) >= p;

        x[i] = keep ? x[i] / (1 - p) : 0;
        dropped += !keep;
    }
    return dropped;
}

void s3_sinusoid_class(struct seed *s)
{
    const int64_t n = BATCH * MAX_LEN * D_MODEL;
    const locant_encoding *e = seed_encoding(s, "sinusoidal");
    locant_tensor pe = seed_table_rows(s, e, 0, MAX_LEN, D_MODEL, NULL);
    locant_tensor in = SEED_F64(s, BATCH, MAX_LEN, D_MODEL), out = in;
    locant_random r = seed_random(s, 2);
    double *x = in.data, *y = seed_reals(s, n), *div = seed_reals(s, 256);
    double worst = 0, p_dropped;

    out.data = y;
    for (int c = 0; c < D_MODEL / 2; c++) /* the seed's div_term */
        div[c] = exp(2 * c * -log(10000.) / D_MODEL);
    for (int64_t p = 0; p < MAX_LEN; p++)
        for (int c = 0; c < D_MODEL; c++) {
            double a = (double)p * div[c / 2];

            worst = fmax(worst, fabs((c % 2 ? cos(a) : sin(a)) -
                                     ((double *)pe.data)[p * D_MODEL + c]));
        }
    seed_fill_normal(x, n, 1, &r);
    for (int64_t i = 0; i < n; i++)
        y[i] = x[i] + ((double *)pe.data)[i % (MAX_LEN * D_MODEL)];
    double before = seed_mean(y, n);
    p_dropped = (double)drop(y, n, .1, &r) / (double)n;
    seed_shape(s, "input", &in);
    seed_shape(s, "output", &out);
    seed_real(s, "share dropped in training", p_dropped);
    seed_real(s, "mean before dropout", before);
    seed_real(s, "mean after", seed_mean(y, n));
    seed_say(s, "The seed's buffer ends at max_len = 100: a longer input "
             "breaks on a size that does not fit, with no word about "
             "positions.  locant's table has no end.");
    seed_check(s, "div_term's table less library", worst, 0, LAYER_TABLE);
    /* 1.6 million draws: five deviations of 2.3e-4 */
    seed_check(s, "share dropped", p_dropped, .1, 1.2e-3);
    /* kept entries grow by 1/0.9: the mean stays, to five deviations */
    seed_check(s, "mean kept by dropout", seed_mean(y, n), before, 3e-3);
}
