/* tables.c - trained tables beside the sinusoidal one: S0.12 .. S0.15. */
#include <math.h>
#include <stdio.h>

#include "rows.h"

enum { MAX_LENGTH = 5000 };

/* F64 [rows, width], N(0, 0.1^2) as the seed begins its learned table. */
static locant_tensor learned_table(struct seed *s, int64_t rows, int64_t width)
{
    locant_random r = seed_random(s, 12);
    locant_tensor t = SEED_F64(s, rows, width);

    seed_fill_normal(t.data, seed_count(&t), 0.1, &r);
    return t;
}

/* --------------------------------------------------- S0.12: a trained table */

/* The sentence of asking for row 5000 of 5000. */
static const char *refusal(struct seed *s, const locant_encoding *e,
                           const locant_tensor *table)
{
    locant_tensor out = SEED_F64(s, 1, table->shape[1]);
    locant_tensor position = seed_positions(s, MAX_LENGTH, 1);
    locant_status status = locant_encoding_table(&out, e, &position, table);

    seed_claim(s, "the row past the last is refused",
               status == LOCANT_ERR_PARAM);
    return locant_last_error();
}

/* Two tokens at position 1: their gradients add up in row 1. */
static void check_gradient(struct seed *s, const locant_encoding *e,
                           const locant_tensor *table)
{
    locant_tensor gradient = SEED_F64(s, MAX_LENGTH, table->shape[1]);
    locant_tensor up = SEED_F64(s, 3, table->shape[1]);
    locant_tensor positions = seed_positions(s, 0, 3);
    double       *g = gradient.data, *u = up.data;

    ((int64_t *)positions.data)[2] = 1;
    for (int64_t i = 0; i < seed_count(&up); i++)
        u[i] = (double)(i / table->shape[1] + 1);
    seed_try(s, locant_encoding_table_backward(&gradient, &up, e, &positions,
                                               table));
    seed_check(s, "gradient of row 0", g[0], 1, 0);
    seed_check(s, "gradient of row 1, read twice", g[table->shape[1]], 5, 0);
    seed_check(s, "gradient of row 2, never read", g[2 * table->shape[1]], 0,
               0);
}

void s0_learned(struct seed *s)
{
    enum { W = 64, T = 20 };
    const locant_encoding *e = seed_encoding(s, "learned(length=5000)");
    locant_tensor table = learned_table(s, MAX_LENGTH, W);
    locant_tensor rows = seed_table_rows(s, e, 0, T, W, &table);
    locant_tensor *own = seed_params(s, e, W, 4), x = SEED_F64(s, 1, T, W);
    double seed = seed_deviation(table.data, MAX_LENGTH * W);
    double ours = seed_deviation(own[0].data, MAX_LENGTH * W);

    seed_say(s, "forward(x) = x + P[0 .. T-1], P a parameter [%d, %d].",
             MAX_LENGTH, W);
    seed_shape(s, "forward", &x);
    seed_integer(s, "parameters", seed_parameters(e, W, 4));
    seed_numbers(s, "P[0][:4]", "%.4f", rows.data, 4);
    seed_text(s, "position 5000", refusal(s, e, &table));
    check_gradient(s, e, &table);
    seed_wrong(s, "E-0.10", "spread of the table before training", seed, ours,
               "GPT-2 and BERT begin with 0.01 to 0.02; the seed's is five "
               "times that");
    /* The deviation of n normals varies by 1 / sqrt(2n): four of those. */
    seed_check(s, "spread of the seed", seed, 0.1,
               4 * 0.1 / sqrt(2.0 * MAX_LENGTH * W));
    seed_check(s, "spread of locant", ours, 0.02,
               4 * 0.02 / sqrt(2.0 * MAX_LENGTH * W));
    seed_check(s, "rows read", seed_max_difference(rows.data, table.data,
                                                   T * W), 0, 0);
}

/* ---------------------------------------- S0.13: a vector for each distance */

enum { CLIP = 32, VECTORS = 2 * CLIP + 1 };

/* [L, L, d]: rows clip(i - j) + 32 of the table, read as a learned table. */
static locant_tensor clipped(struct seed *s, const locant_tensor *table,
                             int64_t L)
{
    char          spec[64];
    int64_t       d = table->shape[1];
    locant_tensor out = SEED_F64(s, L * L, d);
    locant_tensor index = SEED_I64(s, L * L);
    int64_t      *p = index.data;

    for (int64_t i = 0; i < L * L; i++) {
        int64_t distance = i / L - i % L;

        distance = distance > CLIP ? CLIP : distance;
        p[i] = (distance < -CLIP ? -CLIP : distance) + CLIP;
    }
    snprintf(spec, sizeof spec, "learned(length=%d)", VECTORS);
    seed_try(s, locant_encoding_table(&out, seed_encoding(s, spec), &index,
                                      table));
    return locant_dense(out.data, LOCANT_F64, 3, (int64_t[]){ L, L, d });
}

/* T5's bucket of each pair: its bias with bucket b holding the number b. */
static locant_tensor buckets(struct seed *s, int64_t L)
{
    const locant_encoding *e = seed_encoding(s, "t5");
    locant_tensor *params = seed_params(s, e, 32, 1);
    double        *table = params[0].data;

    for (int64_t b = 0; b < 32; b++)
        table[b] = (double)b;
    return seed_bias(s, e, 1, L, L, params);
}

void s0_clipped(struct seed *s)
{
    enum { L = 80, D = 32 };
    locant_random r = seed_random(s, 13);
    locant_tensor table = SEED_F64(s, VECTORS, D), out, t5;
    const double *t = table.data, *x, *b;

    seed_fill_normal(table.data, VECTORS * D, 1, &r);
    out = clipped(s, &table, L);
    t5  = buckets(s, 128);
    x = out.data;
    b = t5.data;
    seed_shape(s, "a vector per pair", &out);
    seed_integer(s, "vectors in the table", VECTORS);
    seed_numbers(s, "T5's bucket at distances 0, 8, 16, 32, 64, 127", "%.0f",
                 (double[]){ b[0], b[8 * 128], b[16 * 128], b[32 * 128],
                             b[64 * 128], b[127 * 128] }, 6);
    seed_wrong(s, "E-0.3", "numbers learned for 4 heads, called T5 style",
               VECTORS * D,
               (double)seed_parameters(seed_encoding(s, "t5"), D, 4),
               "a vector per clipped distance is Shaw's table (with the sign "
               "turned: i - j); T5 learns one number per head and bucket, the "
               "buckets growing like a logarithm");
    seed_check(s, "pair (3, 1) holds vector 34", seed_max_difference(
        x + (3 * L + 1) * D, t + 34 * D, D), 0, 0);
    seed_check(s, "pair (0, 79) is clipped to vector 0", seed_max_difference(
        x + 79 * D, t, D), 0, 0);
    seed_check(s, "bucket of distance 64", b[64 * 128], 26, 0);
    seed_check(s, "bucket of distance 16", b[16 * 128], 16, 0);
}

void s0_shapes(struct seed *s)
{
    enum { L = 15, D = 32 };
    const locant_encoding *sine = seed_encoding(s, "sinusoidal");
    const locant_encoding *learned = seed_encoding(s, "learned(length=5000)");
    locant_tensor table = learned_table(s, MAX_LENGTH, D);
    locant_tensor vectors = learned_table(s, VECTORS, D);
    locant_tensor a = seed_table_rows(s, sine, 0, L, D, NULL);
    locant_tensor b = seed_table_rows(s, learned, 0, L, D, &table);
    locant_tensor c = clipped(s, &vectors, L);
    double counts[] = { (double)seed_parameters(sine, D, 4),
                        (double)seed_parameters(learned, D, 4),
                        (double)seed_count(&vectors) };

    seed_columns(s, "encodings", "encoding|parameters");
    seed_cells(s, "sinusoidal|%.0f", counts[0]);
    seed_cells(s, "learned|%.0f", counts[1]);
    seed_cells(s, "vector per distance|%.0f", counts[2]);
    seed_table_end(s);
    seed_shape(s, "sinusoidal", &a);
    seed_shape(s, "learned", &b);
    seed_shape(s, "vector per distance", &c);
    seed_check(s, "sinusoidal", counts[0], 0, 0);
    seed_check(s, "learned", counts[1], 160000, 0);
    seed_check(s, "vector per distance", counts[2], 2080, 0);
}

/* ----------------------------------------------- S0.15: two tables compared */

enum { ROWS = 20, WIDTH = 64 };

static void draw_map(struct seed *s, char letter, const char *title,
                     const double *x)
{
    seed_part(s, letter, title);
    seed_say(s, "range: [%.3f, %.3f]", seed_min(x, ROWS * WIDTH),
             seed_max(x, ROWS * WIDTH));
    seed_heat(s, letter, &(struct seed_map){
        .title = title, .x_label = "position", .y_label = "channel",
        .cells = x, .rows = ROWS, .cols = WIDTH, .diverging = 1,
        .turned = 1 });
}

static void draw_vectors(struct seed *s, char letter, const char *title,
                         const double *x)
{
    static const char *const labels[] = { "position 0", "position 5",
                                          "position 10", "position 15" };
    double *y = seed_reals(s, 4 * WIDTH);

    seed_part(s, letter, title);
    for (int i = 0; i < 4; i++) {
        for (int64_t c = 0; c < WIDTH; c++)
            y[i * WIDTH + c] = x[5 * i * WIDTH + c];
        seed_numbers(s, labels[i], "%.3f", y + i * WIDTH, 6);
    }
    seed_curves(s, letter, &(struct seed_plot){
        .title = title, .x_label = "channel", .y_label = "value",
        .labels = labels, .y = y, .lines = 4, .n = WIDTH });
}

static void draw_spread(struct seed *s, const double *a, const double *b)
{
    static const char *const labels[] = { "sinusoidal", "learned" };
    double *y = seed_reals(s, 2 * ROWS), worst = 0;

    seed_part(s, 'f', "Spread over the channels of each position");
    for (int64_t t = 0; t < ROWS; t++) {
        const double *row = a + t * WIDTH;
        double mean = seed_mean(row, WIDTH);

        y[t] = seed_deviation(row, WIDTH);
        y[ROWS + t] = seed_deviation(b + t * WIDTH, WIDTH);
        /* sin^2 + cos^2 = 1 per pair: the mean square is 1/2. */
        worst = fmax(worst, fabs(y[t] * y[t] + mean * mean - 0.5));
    }
    seed_check(s, "mean square of a sinusoidal row, less 1/2", worst, 0,
               2 * SEED_ANGLE);
    seed_numbers(s, labels[0], "%.3f", y, ROWS);
    seed_numbers(s, labels[1], "%.3f", y + ROWS, ROWS);
    seed_curves(s, 'f', &(struct seed_plot){
        .title = "Spread of each position", .x_label = "position",
        .y_label = "standard deviation", .labels = labels, .y = y, .lines = 2,
        .n = ROWS });
}

void s0_compare(struct seed *s)
{
    locant_tensor table = learned_table(s, MAX_LENGTH, WIDTH);
    locant_tensor t = seed_table_rows(s, seed_encoding(s, "sinusoidal"), 0,
                                      ROWS, WIDTH, NULL);
    const double *a = t.data, *b = table.data;
    double       *d = seed_reals(s, ROWS * WIDTH), n = ROWS * WIDTH;

    for (int64_t i = 0; i < ROWS * WIDTH; i++)
        d[i] = b[i] - a[i];
    draw_map(s, 'a', "Sinusoidal table", a);
    draw_map(s, 'b', "Learned table before training", b);
    draw_map(s, 'c', "Learned less sinusoidal", d);
    draw_vectors(s, 'd', "Sinusoidal vectors", a);
    draw_vectors(s, 'e', "Learned vectors before training", b);
    draw_spread(s, a, b);
    seed_part(s, 'g', "numbers");
    seed_columns(s, "tables", "table|mean|deviation");
    seed_cells(s, "sinusoidal|%.4f|%.4f", seed_mean(a, ROWS * WIDTH),
               seed_deviation(a, ROWS * WIDTH));
    seed_cells(s, "learned|%.4f|%.4f", seed_mean(b, ROWS * WIDTH),
               seed_deviation(b, ROWS * WIDTH));
    seed_table_end(s);
    seed_real(s, "mean |difference|",
              seed_mean_difference(a, b, ROWS * WIDTH));
    seed_wrong_text(s, "E-0.10", "what the comparison shows",
                    "properties of a learned encoding",
                    "the noise it begins with",
                    "the table was never trained, so its maps, vectors and "
                    "spread are those of N(0, 0.1^2)");
    /* Four times the spread of a mean, of a deviation, of n such normals. */
    seed_check(s, "mean of the noise", seed_mean(b, ROWS * WIDTH), 0,
               4 * 0.1 / sqrt(n));
    seed_check(s, "deviation of the noise", seed_deviation(b, ROWS * WIDTH),
               0.1, 4 * 0.1 / sqrt(2 * n));
}
