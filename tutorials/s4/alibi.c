/* alibi.c - ALiBi's slopes, their use, and their range: S4.11, S4.12, S4.17. */
#include "../tutorial.h"

/* The tutorial's get_alibi_slopes(), with i * base instead of base^i. */
static locant_tensor their_slopes(int heads)
{
    locant_tensor slopes = ZEROS(heads);
    double *m = data(slopes), base;
    int closest = 1;

    while (2 * closest <= heads)
        closest *= 2;
    base = pow(2, -pow(2, -(log2(closest) - 3)));
    for (int i = 1; i <= heads; i++)
        m[i - 1] = i <= closest ? i * base : m[i - closest - 1] / 2;
    return slopes;
}

/* m_h = 2^(-8h/H) for h = 1 .. H, if H is a power of two */
void s4_11_slopes(void)
{
    locant_tensor right = alibi_slopes(8), theirs = their_slopes(8);
    locant_tensor right_12 = alibi_slopes(12), theirs_12 = their_slopes(12);

    show_list("8 heads, as the tutorial", "%.6g", theirs);
    show_list("8 heads, right", "%.6g", right);
    mistake("E-4.1", "slope of head 7 of 8", data(theirs)[7], data(right)[7],
            "The code has i * base for base ** i: slopes rise along a line "
            "instead of falling as powers of 1/2.");
    show_list("12 heads, as the tutorial", "%.6g", theirs_12);
    show_list("12 heads, right", "%.6g", right_12);
    mistake("E-4.2", "slope of head 8 of 12", data(theirs_12)[8],
            data(right_12)[8],
            "The heads beyond a power of two take every other slope of the "
            "next one (16), not halves of the first.");
    for (int h = 0; h < 8; h++)
        check("slope is 2^-(h+1)", data(right)[h], ldexp(1, -h - 1), 0);
    compare("the last four of 12", slice(right_12, 8, 4),
            VECTOR(0.7071067812, 0.3535533906, 0.1767766953, 0.0883883476),
            TEN_DIGITS);
    check("the tutorial's head 7", data(theirs)[7], 4, 0);
}

static void show_range(const char *name, locant_tensor x)
{
    char text[64];

    snprintf(text, sizeof text, "[%.2f, %.2f]", least(x), largest(x));
    show_text(name, text);
}

/* score(i, j) - slope |i - j| */
void s4_12_alibi(void)
{
    enum { BATCH = 2, HEADS = 8, T = 10 };
    const char *spec = "alibi(symmetric=yes)";
    locant_random r = random_stream(1);
    locant_tensor x = NORMALS(&r, BATCH, HEADS, T, T);
    locant_tensor b = bias(spec, HEADS, T), wrong = zeros_like(b);
    locant_tensor slopes = their_slopes(HEADS), zero = ZEROS(1, HEADS, 4, 4);
    locant_tensor w = weights((locant_attention){
        .q = &zero, .k = &zero, .encoding = encoding(spec) });

    for (int i = 0; i < count(wrong); i++)
        data(wrong)[i] =
            -data(slopes)[i / (T * T)] * fabs((double)(i / T % T - i % T));
    say("Scores [2, 8, 10, 10] of N(0, 1), less slope x |i - j|:");
    show_range("scores", x);
    show_range("with the tutorial's slopes", plus(x, wrong));
    show_range("right", plus(x, b));
    show_matrix("bias of head 0, first four tokens", "%.2f",
                rows(bias(spec, HEADS, 4), 0, 4));
    mistake_in_words(
        "E-4.3", "a farther key's bias", "\"negative, larger\"",
        "more negative: its size grows",
        "The tutorial's |i - j| is the two-sided form for "
        "encoders; a decoder masks j > i, where both forms agree.  "
        "Its block also uses math without importing it.");
    expect_list("weights of token 1 of 4, equal scores, head 0", "%.6f",
                row(w, 1),
                VECTOR(0.2350037122, 0.3874556190, 0.2350037122, 0.1425369566),
                TEN_DIGITS);
    check("bias of head 0 at (0, 9)", entry(b, 0, 9), -4.5, 0);
    check("symmetric: (9, 0)", entry(b, 9, 0), entry(b, 0, 9), 0);
    check("head 7 at (0, 9)", entry(b, 7 * T, 9), -9. / 256, 0);
}

void s4_17_homework_3(void)
{
    static const int heads[] = { 8, 12, 16 };
    static const char *const labels[] = { "8 heads", "12 heads", "16 heads" };
    locant_tensor slope[3], y[3], x = as_double(positions(0, 16));
    locant_series drawn[3];

    table("slopes", "heads|largest|smallest|ratio of neighbours|half of a "
                    "key's weight is lost after (first, last head)");
    for (int k = 0; k < 3; k++) {
        int n = heads[k];
        const double *m = data(slope[k] = alibi_slopes(n));

        y[k] = zeros_like(slope[k]);
        for (int h = 0; h < n; h++)
            data(y[k])[h] = log2(m[h]);
        drawn[k] = (locant_series){ .label = labels[k],
                                    .n = n,
                                    .x = data(x),
                                    .y = data(y[k]),
                                    .marks = 1,
                                    .color = k,
                                    .dashed = k == 1 }; /* to show the first */
        table_row("%d|%.6f|%.6f|%.4f|%.1f, %.1f", n, largest(slope[k]),
                  least(slope[k]), m[1] / m[0], log(2) / m[0],
                  log(2) / m[n - 1]);
    }
    say("Slopes fall geometrically: the first heads look at neighbours, the "
        "last nearly everywhere.  With 12 heads, the last four begin again at "
        "0.71, and their other slopes lie between those of the first heads.");
    draw(0, (locant_figure){ .title = "ALiBi slopes",
                             .x_label = "head",
                             .y_label = "log2 of the slope",
                             .series = drawn,
                             .n_series = 3 });
    check("ratio, 8 heads", data(slope[0])[1] / data(slope[0])[0], 0.5, 0);
    /* two powers, a quotient, a root */
    check("ratio, 16 heads", data(slope[2])[1] / data(slope[2])[0], sqrt(.5),
          4 * 0x1p-53);
    check("smallest, 16 heads", data(slope[2])[15], 1. / 256, 0);
    check("head 8 of 12", data(slope[1])[8], 0.7071067812, TEN_DIGITS);
}
