/* tables.c - learned tables and the sinusoidal one: S0.12 .. S0.15. */
#include "../tutorial.h"

enum { MAX_LENGTH = 5000 };

/* [rows, width] from N(0, 0.1^2), like the tutorial's initial table. */
static locant_tensor learned_table(int64_t length, int64_t width)
{
    locant_random r = random_stream(12);

    return SCALED_NORMALS(&r, 0.1, length, width);
}

/* forward(x)[b][t] = x[b][t] + P[t], and dL/dP[t] is the sum of the gradients
   of all tokens that read row t. */
void s0_12_learned(void)
{
    enum { W = 64, T = 20, N = MAX_LENGTH * W };
    const char *spec = "learned(length=5000)";
    locant_tensor P = learned_table(MAX_LENGTH, W);
    locant_tensor first = looked_up(P, positions(0, T)), up = ZEROS(3, W), g;
    double theirs = deviation(P);
    double ours = deviation(*initial_params(spec, W, 4));

    for (int i = 0; i < 3 * W; i++)
        data(up)[i] = i / W + 1;
    g = lookup_gradient(P, up, INTEGERS(0, 1, 1)); /* two at position 1 */
    say("forward(x) = x + P[0 .. T-1], P a parameter [%d, %d].", MAX_LENGTH, W);
    show_shape("forward", RESHAPED(first, 1, T, W));
    show_count("parameters", learned_numbers(spec, W, 4));
    show_list("P[0][:4]", "%.4f", slice(first, 0, 4));
    show_text("position 5000", lookup_refusal(P, MAX_LENGTH));
    check("gradient of row 0", entry(g, 0, 0), 1, 0);
    check("gradient of row 1, read twice", entry(g, 1, 0), 5, 0);
    check("gradient of row 2, never read", entry(g, 2, 0), 0, 0);
    mistake("E-0.10", "spread of the table before training", theirs, ours,
            "GPT-2 and BERT begin with 0.01 to 0.02; the tutorial's is five "
            "times that");
    /* the sample deviation has a deviation of 1 / sqrt(2n); four of those */
    check("spread of the tutorial", theirs, 0.1, 4 * 0.1 / sqrt(2. * N));
    check("spread of locant", ours, 0.02, 4 * 0.02 / sqrt(2. * N));
    compare("rows read", first, rows(P, 0, T), 0);
}

enum { CLIP = 32, VECTORS = 2 * CLIP + 1 };

/* [L, L, d]: row clip(i - j) + 32 of the table, for each i and j. */
static locant_tensor clipped(locant_tensor vectors, int64_t L)
{
    locant_tensor index = positions(0, L * L);

    for (int64_t i = 0; i < L * L; i++) {
        int64_t distance = i / L - i % L;

        distance = distance > CLIP ? CLIP : distance < -CLIP ? -CLIP : distance;
        integer_data(index)[i] = distance + CLIP;
    }
    return RESHAPED(looked_up(vectors, index), L, L, vectors.shape[1]);
}

void s0_13_clipped(void)
{
    enum { L = 80, D = 32 };
    locant_random r = random_stream(13);
    locant_tensor P = NORMALS(&r, VECTORS, D), x = clipped(P, L);
    locant_tensor bucket = t5_buckets(VECTOR(0, 8, 16, 32, 64, 127));

    show_shape("a vector per pair", x);
    show_count("vectors in the table", VECTORS);
    show_list("T5's bucket at distances 0, 8, 16, 32, 64, 127", "%.0f", bucket);
    mistake("E-0.3", "numbers learned for 4 heads, called T5 style",
            VECTORS * D, learned_numbers("t5", D, 4),
            "a vector per clipped distance is Shaw's table (with the sign "
            "reversed: i - j); T5 learns one number per head and bucket, the "
            "buckets growing like a logarithm");
    compare("pair (3, 1) holds vector 34", row(x, 3 * L + 1), row(P, 34), 0);
    compare("pair (0, 79) is clipped to vector 0", row(x, 79), row(P, 0), 0);
    check("bucket of distance 64", data(bucket)[4], 26, 0);
    check("bucket of distance 16", data(bucket)[2], 16, 0);
}

void s0_14_shapes(void)
{
    enum { L = 15, D = 32 };
    locant_tensor P = learned_table(MAX_LENGTH, D);
    locant_tensor vectors = learned_table(VECTORS, D);
    long long fixed = learned_numbers("sinusoidal", D, 4);
    long long learned = learned_numbers("learned(length=5000)", D, 4);

    table("encodings", "encoding|parameters");
    table_row("sinusoidal|%lld", fixed);
    table_row("learned|%lld", learned);
    table_row("vector per distance|%lld", (long long)count(vectors));
    show_shape("sinusoidal", sinusoidal(0, L, D));
    show_shape("learned", looked_up(P, positions(0, L)));
    show_shape("vector per distance", clipped(vectors, L));
    check("sinusoidal", fixed, 0, 0);
    check("learned", learned, 160000, 0);
    check("vector per distance", count(vectors), 2080, 0);
}

static void draw_map(char letter, const char *title, locant_tensor x)
{
    part(letter, title);
    say("range: [%.3f, %.3f]", least(x), largest(x));
    heat_map(letter, title, "position", "channel", transposed(x));
}

static void draw_vectors(char letter, const char *title, locant_tensor x)
{
    static const char *const labels[] = { "position 0", "position 5",
                                          "position 10", "position 15" };
    locant_tensor y = picked(x, INTEGERS(0, 5, 10, 15));

    part(letter, title);
    show_lists(labels, "%.3f", y, 6);
    curves(letter, title, "channel", "value", labels, y);
}

static void draw_spread(locant_tensor fixed, locant_tensor learned)
{
    static const char *const labels[] = { "sinusoidal", "learned" };
    int64_t n = fixed.shape[0];
    locant_tensor y = ZEROS(2, n);
    double worst = 0;

    part('f', "Spread over the channels of each position");
    for (int t = 0; t < n; t++) {
        double m = mean(row(fixed, t)), s = deviation(row(fixed, t));

        data(y)[t] = s;
        data(y)[n + t] = deviation(row(learned, t));
        /* sin^2 + cos^2 = 1 for each pair, so the mean square is 1/2 */
        worst = fmax(worst, fabs(s * s + m * m - 0.5));
    }
    check("mean square of a sinusoidal row, less 1/2", worst, 0, 2 * SINE);
    show_lists(labels, "%.3f", y, n);
    curves('f', "Spread of each position", "position", "standard deviation",
           labels, y);
}

void s0_15_compare(void)
{
    enum { T = 20, W = 64, N = T * W };
    locant_tensor fixed = sinusoidal(0, T, W);
    locant_tensor learned = rows(learned_table(MAX_LENGTH, W), 0, T);

    draw_map('a', "Sinusoidal table", fixed);
    draw_map('b', "Learned table before training", learned);
    draw_map('c', "Learned less sinusoidal", minus(learned, fixed));
    draw_vectors('d', "Sinusoidal vectors", fixed);
    draw_vectors('e', "Learned vectors before training", learned);
    draw_spread(fixed, learned);
    part('g', "numbers");
    table("tables", "table|mean|deviation");
    table_row("sinusoidal|%.4f|%.4f", mean(fixed), deviation(fixed));
    table_row("learned|%.4f|%.4f", mean(learned), deviation(learned));
    show("mean |difference|", mean_difference(fixed, learned));
    mistake_in_words("E-0.10", "what the comparison shows",
                     "properties of a learned encoding",
                     "the noise it begins with",
                     "the table was never trained, so its maps, vectors and "
                     "spread are those of N(0, 0.1^2)");
    /* four standard errors of the mean, and of the deviation */
    check("mean of the noise", mean(learned), 0, 4 * 0.1 / sqrt(N));
    check("deviation of the noise", deviation(learned), 0.1,
          4 * 0.1 / sqrt(2 * N));
}
