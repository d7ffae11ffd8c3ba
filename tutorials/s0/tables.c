/* tables.c - learned tables and the sinusoidal one: S0.12 .. S0.15. */
#include <stdio.h>

#include "../tutorial.h"

enum { MAX_LENGTH = 5000 };

/* [rows, width] from N(0, 0.1^2), like the tutorial's initial table. */
static locant_tensor learned_table(int64_t rows, int64_t width)
{
    locant_random r = draws(12);

    return SCALED_NORMALS(&r, 0.1, rows, width);
}

/* S0.12 */
void s0_learned(void)
{
    enum { W = 64, T = 20, N = MAX_LENGTH * W };
    const char *spec = "learned(length=5000)";
    locant_tensor table = learned_table(MAX_LENGTH, W);
    locant_tensor rows = table_rows(spec, 0, T, W, &table);
    locant_tensor up = ZEROS(3, W), at = positions(0, 3);
    double theirs = deviation(data(table), N), *g;
    double ours = deviation(data(*initial_params(spec, W, 4)), N);

    ((int64_t *)at.data)[2] = 1; /* two tokens at position 1 */
    for (int i = 0; i < 3 * W; i++)
        data(up)[i] = i / W + 1;
    g = data(table_gradient(spec, table, up, at));
    say("forward(x) = x + P[0 .. T-1], P a parameter [%d, %d].", MAX_LENGTH, W);
    show_shape("forward", ZEROS(1, T, W));
    show_count("parameters", learned_numbers(spec, W, 4));
    show_list("P[0][:4]", "%.4f", data(rows), 4);
    show_text("position 5000", table_refusal(spec, MAX_LENGTH, &table));
    check("gradient of row 0", g[0], 1, 0);
    check("gradient of row 1, read twice", g[W], 5, 0);
    check("gradient of row 2, never read", g[2 * W], 0, 0);
    mistake("E-0.10", "spread of the table before training", theirs, ours,
            "GPT-2 and BERT begin with 0.01 to 0.02; the tutorial's is five "
            "times that");
    /* the sample deviation has a deviation of 1 / sqrt(2n); four of those */
    check("spread of the tutorial", theirs, 0.1, 4 * 0.1 / sqrt(2. * N));
    check("spread of locant", ours, 0.02, 4 * 0.02 / sqrt(2. * N));
    check("rows read", max_difference(data(rows), data(table), T * W), 0, 0);
}

enum { CLIP = 32, VECTORS = 2 * CLIP + 1 };

/* [L, L, d]: row clip(i - j) + 32 of the table, for each i and j. */
static locant_tensor clipped(locant_tensor table, int64_t L)
{
    int64_t d = table.shape[1];
    locant_tensor out = ZEROS(L * L, d), index = positions(0, L * L);

    for (int64_t i = 0; i < L * L; i++) {
        int64_t distance = i / L - i % L;

        distance = distance > CLIP ? CLIP : distance < -CLIP ? -CLIP : distance;
        ((int64_t *)index.data)[i] = distance + CLIP;
    }
    must(locant_encoding_table(&out, encoding("learned(length=65)"), &index,
                               &table));
    return locant_dense(out.data, LOCANT_F64, SHAPE(L, L, d));
}

/* S0.13 */
void s0_clipped(void)
{
    enum { L = 80, D = 32, FAR = 128 };
    static const double distances[] = { 0, 8, 16, 32, 64, 127 };
    locant_random r = draws(13);
    locant_tensor table = NORMALS(&r, VECTORS, D), x = clipped(table, L);
    locant_tensor *t5 = initial_params("t5", D, 1);
    const double *bucket;

    /* if bucket b has the bias b, then the bias is the bucket */
    for (int b = 0; b < 32; b++)
        data(*t5)[b] = b;
    bucket = data(bias_at("t5", 1, distances, 6, t5));
    show_shape("a vector per pair", x);
    show_count("vectors in the table", VECTORS);
    show_list("T5's bucket at distances 0, 8, 16, 32, 64, 127", "%.0f", bucket,
              6);
    mistake("E-0.3", "numbers learned for 4 heads, called T5 style",
            VECTORS * D, learned_numbers("t5", D, 4),
            "a vector per clipped distance is Shaw's table (with the sign "
            "reversed: i - j); T5 learns one number per head and bucket, the "
            "buckets growing like a logarithm");
    check("pair (3, 1) holds vector 34",
          max_difference(data(x) + (3 * L + 1) * D, data(table) + 34 * D, D), 0,
          0);
    check("pair (0, 79) is clipped to vector 0",
          max_difference(data(x) + 79 * D, data(table), D), 0, 0);
    check("bucket of distance 64", bucket[4], 26, 0);
    check("bucket of distance 16", bucket[2], 16, 0);
}

/* S0.14 */
void s0_shapes(void)
{
    enum { L = 15, D = 32 };
    locant_tensor rows = learned_table(MAX_LENGTH, D);
    locant_tensor vectors = learned_table(VECTORS, D);
    long long fixed = learned_numbers("sinusoidal", D, 4);
    long long learned = learned_numbers("learned(length=5000)", D, 4);

    table("encodings", "encoding|parameters");
    table_row("sinusoidal|%lld", fixed);
    table_row("learned|%lld", learned);
    table_row("vector per distance|%lld", (long long)count(vectors));
    show_shape("sinusoidal", table_rows("sinusoidal", 0, L, D, NULL));
    show_shape("learned", table_rows("learned(length=5000)", 0, L, D, &rows));
    show_shape("vector per distance", clipped(vectors, L));
    check("sinusoidal", fixed, 0, 0);
    check("learned", learned, 160000, 0);
    check("vector per distance", count(vectors), 2080, 0);
}

enum { ROWS = 20, WIDTH = 64, CELLS = ROWS * WIDTH };

static void draw_map(char letter, const char *title, const double *x)
{
    part(letter, title);
    say("range: [%.3f, %.3f]", least(x, CELLS), largest(x, CELLS));
    heat_map(letter, title, "position", "channel", transposed(x, ROWS, WIDTH),
             WIDTH, ROWS);
}

static void draw_vectors(char letter, const char *title, const double *x)
{
    static const char *const labels[] = { "position 0", "position 5",
                                          "position 10", "position 15" };
    double *y = reals(4 * WIDTH);

    part(letter, title);
    for (int i = 0; i < 4 * WIDTH; i++)
        y[i] = x[i / WIDTH * 5 * WIDTH + i % WIDTH];
    for (int i = 0; i < 4; i++)
        show_list(labels[i], "%.3f", y + i * WIDTH, 6);
    curves(letter, title, "channel", "value", labels, y, 4, WIDTH);
}

static void draw_spread(const double *a, const double *b)
{
    static const char *const labels[] = { "sinusoidal", "learned" };
    double *y = reals(2 * ROWS), worst = 0;

    part('f', "Spread over the channels of each position");
    for (int t = 0; t < ROWS; t++) {
        double m = mean(a + t * WIDTH, WIDTH);

        y[t] = deviation(a + t * WIDTH, WIDTH);
        y[ROWS + t] = deviation(b + t * WIDTH, WIDTH);
        /* sin^2 + cos^2 = 1 for each pair, so the mean square is 1/2 */
        worst = fmax(worst, fabs(y[t] * y[t] + m * m - 0.5));
    }
    check("mean square of a sinusoidal row, less 1/2", worst, 0, 2 * SINE);
    show_list(labels[0], "%.3f", y, ROWS);
    show_list(labels[1], "%.3f", y + ROWS, ROWS);
    curves('f', "Spread of each position", "position", "standard deviation",
           labels, y, 2, ROWS);
}

/* S0.15 */
void s0_compare(void)
{
    const double *a = data(table_rows("sinusoidal", 0, ROWS, WIDTH, NULL));
    const double *b = data(learned_table(MAX_LENGTH, WIDTH));
    double *d = reals(CELLS);

    for (int i = 0; i < CELLS; i++)
        d[i] = b[i] - a[i];
    draw_map('a', "Sinusoidal table", a);
    draw_map('b', "Learned table before training", b);
    draw_map('c', "Learned less sinusoidal", d);
    draw_vectors('d', "Sinusoidal vectors", a);
    draw_vectors('e', "Learned vectors before training", b);
    draw_spread(a, b);
    part('g', "numbers");
    table("tables", "table|mean|deviation");
    table_row("sinusoidal|%.4f|%.4f", mean(a, CELLS), deviation(a, CELLS));
    table_row("learned|%.4f|%.4f", mean(b, CELLS), deviation(b, CELLS));
    show("mean |difference|", mean_difference(a, b, CELLS));
    mistake_in_words("E-0.10", "what the comparison shows",
                     "properties of a learned encoding",
                     "the noise it begins with",
                     "the table was never trained, so its maps, vectors and "
                     "spread are those of N(0, 0.1^2)");
    /* four standard errors of the mean, and of the deviation */
    check("mean of the noise", mean(b, CELLS), 0, 4 * 0.1 / sqrt(CELLS));
    check("deviation of the noise", deviation(b, CELLS), 0.1,
          4 * 0.1 / sqrt(2 * CELLS));
}
