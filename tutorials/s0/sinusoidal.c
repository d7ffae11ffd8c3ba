/* sinusoidal.c - the sinusoidal table: S0.6 .. S0.11. */
#include "../tutorial.h"

/* The table by its formula, to compare with the library. */
static locant_tensor by_formula(int64_t n, int64_t width)
{
    locant_tensor P = ZEROS(n, width);

    for (int64_t i = 0; i < n * width; i++)
        data(P)[i] = sinusoid(i / width, i % width, width);
    return P;
}

void s0_6_formula(void)
{
    locant_tensor P = sinusoidal(0, 3, 8);
    locant_tensor published = /* P[2] */
        VECTOR(0.9092974268, -0.4161468365, 0.1986693308, 0.9800665778,
               0.0199986667, 0.9998000067, 0.0019999987, 0.9999980000);

    say("P[pos][2c] = sin(pos / 10000^(2c/d))");
    say("P[pos][2c+1] = cos(pos / 10000^(2c/d)), c = 0 .. d/2 - 1");
    show_matrix("P for d = 8", "%.10f", P);
    compare("P[2] against published numbers", row(P, 2), published, 6e-11);
    mistake_in_words("E-0.8", "what the letter i counts", "i is the dimension",
                     "i is the pair of dimensions",
                     "channel ch has the exponent 2 floor(ch/2) / d; if i were "
                     "the dimension, the slowest pair would rotate by about "
                     "10000^-2 per position");
}

void s0_7_merits(void)
{
    enum { N = 512, W = 64 };
    locant_tensor P = sinusoidal(0, N, W), far = sinusoidal(1000000, 1, W);
    double unique = INFINITY, shift;
    long long numbers = learned_numbers("sinusoidal", W, 4);

    for (int i = 0; i < N; i++)
        for (int j = 0; j < i; j++)
            unique = fmin(unique, distance(row(P, i), row(P, j)));
    shift = difference(moved(row(P, 5), 3), row(P, 8));
    say("Four merits, each as far as it goes, for d = %d:", W);
    say("1. unique: the two nearest of %d rows are %.4f apart", N, unique);
    say("2. relative: P[8] is P[5] with each pair rotated by a fixed angle, to "
        "%.1e; a linear layer can find a shift",
        shift);
    say("3. no end: a row exists at position 1000000, |P|^2 = %.6f",
        cosine(far, far) * W / 2);
    say("4. nothing to train: %lld parameters", numbers);
    claim("rows are apart", unique > 0.1);
    /* two entries times factors below 1, compared with a third entry */
    check("shift by 3", shift, 0, 3 * SINE);
    check("first channel at 1000000", entry(far, 0, 0), sin(1e6), SINE);
    check("parameters", numbers, 0, 0);
    mistake_in_words(
        "E-0.9", "third merit: extrapolation",
        "handles lengths not seen in training",
        "the rows exist, the model has not learned them",
        "models with this table get worse soon after the trained length (Press "
        "et al. 2022); 'locant tutorial S4.18' shows it");
}

/* forward(x)[b][t] = x[b][t] + P[t] */
void s0_8_class(void)
{
    enum { MAX = 5000, T = 20, W = 64 };
    locant_random r = random_stream(8);
    locant_tensor P = sinusoidal(0, MAX, W), odd = sinusoidal(1, 1, 5);
    locant_tensor x = NORMALS(&r, 2, T, W), y = plus(x, rows(P, 0, T));

    say("forward(x) = x + P[0 .. T-1]; get_encoding(T) = P[0 .. T-1]; the "
        "table is a constant, not a parameter.");
    show_shape("forward", y);
    show_count("rows the tutorial keeps", MAX);
    show_list("forward(x)[0][1][:4] - x[0][1][:4]", "%.7f",
              slice(minus(row(y, 1), row(x, 1)), 0, 4));
    /* the formula's product is rounded: 5000 x 2^-53, twice for the power */
    compare("the table", P, by_formula(MAX, W), SINE + 5000 * 0x1p-52);
    check("a row past the tutorial's last", *data(sinusoidal(MAX, 1, W)),
          sin(5000), SINE);
    show_list("P[1] for d = 5", "%.10f", odd);
    check("odd width, last channel", entry(odd, 0, 4), 0.0006309573, 6e-11);
    mistake_in_words(
        "E-0.8", "an odd width, and a sequence over 5000",
        "both fail with a message about shapes from inside torch",
        "an odd width ends with a sine alone; the table has no last row",
        "cosines fill one column less than sines, and the table is a function "
        "of the position, not a store of 5000 rows");
}

static void say_range(locant_tensor x)
{
    say("range: [%.3f, %.3f]", least(x), largest(x));
}

void s0_9_first_rows(void)
{
    enum { T = 20, W = 64 };
    locant_tensor P = sinusoidal(0, T, W);

    show_shape("first 20 of 100 rows", RESHAPED(P, 1, T, W));
    say_range(P);
    check("least", least(P), least(by_formula(T, W)), SINE);
    check("most: cos 0", largest(P), 1, 0);
}

enum { LENGTH = 50, DIM = 64, PAIRS = DIM / 2 };

static void waves(locant_tensor P)
{
    static const char *const labels[] = { "channel 0",  "channel 1",
                                          "channel 2",  "channel 3",
                                          "channel 10", "channel 20" };
    locant_tensor channels = INTEGERS(0, 1, 2, 3, 10, 20);
    locant_tensor y = picked(transposed(P), channels);

    part('b', "six channels over position");
    show_lists(labels, "%.3f", y, 8);
    for (int i = 0; i < 6; i++)
        check(labels[i], entry(y, i, 7),
              sinusoid(7, integer_data(channels)[i], DIM), SINE);
    curves('b', "Sinusoidal table, six channels", "position", "value", labels,
           y);
}

static void vectors(locant_tensor P)
{
    static const char *const labels[] = { "position 0", "position 5",
                                          "position 10", "position 15",
                                          "position 20" };
    locant_tensor y = picked(P, INTEGERS(0, 5, 10, 15, 20));

    part('c', "the vectors of five positions");
    show_lists(labels, "%.3f", y, 8);
    check("P[20][8]", entry(y, 4, 8), sinusoid(20, 8, DIM), SINE);
    curves('c', "Sinusoidal table, five positions", "channel", "value", labels,
           y);
}

/* Frequencies read from the table: P[1] has sin f and cos f of each pair. */
static void spectrum(locant_tensor P)
{
    locant_tensor frequency = ZEROS(PAIRS), logarithm = ZEROS(PAIRS);
    double *f = data(frequency), *logs = data(logarithm);

    part('d', "frequency of each pair, on a logarithmic axis");
    for (int c = 0; c < PAIRS; c++) {
        f[c] = atan2(entry(P, 1, 2 * c), entry(P, 1, 2 * c + 1));
        logs[c] = log10(f[c]);
    }
    show_list("frequencies, radians per position", "%.3g", frequency);
    check("first frequency", f[0], 1, SINE);
    check("last frequency", f[PAIRS - 1], pow(10000, -62. / 64),
          SINE * f[PAIRS - 1]);
    check("steps are even on the axis", logs[10] - logs[9], logs[31] - logs[30],
          1e-10);
    curves('d', "Frequency of each pair", "pair",
           "log10 of radians per position", NULL, logarithm);
}

void s0_10_visualise(void)
{
    locant_tensor P = sinusoidal(0, LENGTH, DIM);

    say("The table of %d positions x %d channels, drawn four ways.", LENGTH,
        DIM);
    part('a', "heat map, position across, channel down");
    say_range(P);
    compare("the table", P, by_formula(LENGTH, DIM), SINE);
    heat_map('a', "Sinusoidal table", "position", "channel", transposed(P));
    waves(P);
    vectors(P);
    spectrum(P);
}

/* cos(i, j) = P_i . P_j / (|P_i| |P_j|), and its mean over all pairs with
   j - i = d */
void s0_11_relative(void)
{
    enum { N = 20 };
    locant_tensor P = sinusoidal(0, N, DIM), c = ZEROS(N, N);
    locant_tensor by_distance = ZEROS(N);

    for (int i = 0; i < N * N; i++)
        data(c)[i] = cosine(row(P, i / N), row(P, i % N));
    for (int d = 0; d < N; d++) {
        for (int i = 0; i + d < N; i++)
            data(by_distance)[d] += entry(c, i, i + d);
        data(by_distance)[d] /= N - d;
    }
    part('a', "cosine between positions i and j");
    show_matrix("first five", "%.4f", slice(c, 0, 5));
    heat_map('a', "Cosine between positions", "position j", "position i", c);
    part('b', "mean cosine by distance");
    show_list("distance 0 ..", "%.4f", by_distance);
    say("It does not fall at every step: at distance 6 it is higher than at "
        "5.");
    claim("distance 6 is nearer than 5",
          data(by_distance)[6] > data(by_distance)[5]);
    curves('b', "Cosine by distance", "distance", "mean cosine", NULL,
           by_distance);
    part('c', "four pairs of positions");
    /* Published with ten digits. */
    expect("0 and 1", entry(c, 0, 1), 0.9661509894, 6e-11);
    expect("0 and 5", entry(c, 0, 5), 0.7344990878, 6e-11);
    expect("5 and 6", entry(c, 5, 6), 0.9661509894, 6e-11);
    expect("0 and 15", entry(c, 0, 15), 0.6084394693, 6e-11);
}
