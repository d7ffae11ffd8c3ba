/*
 * learned.c - learned positions, and positions beyond the table: S2.7 .. S2.11
 */
#include "../tutorial.h"
#include "locant/resize.h"

enum { LONG = 1024, WIDE = 512, N = LONG * WIDE, BATCH = 2, LENGTH = 10 };

static const char *const LEARNED = "learned(length=1024)";

/* The loss: mean square of x + P. */
static double loss_of(locant_tensor x, locant_tensor P)
{
    locant_tensor sum = added(x, COPY(data(P), LENGTH, WIDE));

    return dot(data(sum), data(sum), count(sum)) / count(sum);
}

/* The gradient that reaches the table, which the tutorial's code discards. */
static const double *gradient_of(locant_tensor x, locant_tensor P)
{
    locant_tensor sum = added(x, COPY(data(P), LENGTH, WIDE));
    locant_tensor up = ZEROS(BATCH * LENGTH, WIDE);
    locant_tensor at = positions(0, BATCH * LENGTH);

    for (int64_t i = 0; i < BATCH * LENGTH; i++)
        ((int64_t *)at.data)[i] = i % LENGTH;
    for (int64_t i = 0; i < count(sum); i++)
        data(up)[i] = 2 * data(sum)[i] / count(sum);
    return data(table_gradient(LEARNED, P, up, at));
}

/* S2.7 */
void s2_learned(void)
{
    const double step = 1e-6;
    locant_random r = draws(1);
    locant_tensor P = SCALED_NORMALS(&r, 0.02, LONG, WIDE);
    locant_tensor x = NORMALS(&r, BATCH, LENGTH, WIDE);
    const double *d = gradient_of(x, P);
    double before = loss_of(x, P), after, slope;
    double *entry = data(P) + 3 * WIDE; /* of row 3, for the difference */

    *entry += step;
    slope = (loss_of(x, P) - before) / step;
    *entry -= step;
    for (int i = 0; i < N; i++)
        data(P)[i] -= 100 * d[i];
    after = loss_of(x, P);
    say("pos_embeddings begins as N(0, 0.02), 1024 x 512; forward(x) adds its "
        "first rows.  A step down the gradient of the mean square of the "
        "sums:");
    expect_count("learned numbers", learned_numbers(LEARNED, WIDE, 8),
                 1024 * 512);
    show("loss before", before);
    show("loss after", after);
    mistake("E-2.2", "largest gradient of the table", 0, largest(d, N),
            "The tutorial wraps getValue().slice() in a new Variable: the "
            "graph ends there, the table never learns.");
    /* the loss is quadratic: the difference errs by step / n, plus rounding */
    check("gradient of an entry, by differences", d[3 * WIDE], slope, 1e-8);
    check("gradient of a row not used", d[LENGTH * WIDE], 0, 0);
    claim("the step lowers the loss", after < before);
}

/* S2.8 */
void s2_merits(void)
{
    long long fixed = learned_numbers("sinusoidal", WIDE, 8);
    long long learned = learned_numbers(LEARNED, WIDE, 8);

    table("merits", "|fixed|learned");
    table_row("longer input|defined at any position|ends at the table");
    table_row("cost|one addition|one addition and a gather");
    table_row("learned numbers (1024 x 512)|%lld|%lld", fixed, learned);
    table_row("same numbers in every run|yes|no");
    table_row("fits the task|no|yes");
    table_row("bound to the shape of a sine|yes|no");
    table_row("improves with training|no|yes");
    mistake_in_words("E-0.9", "fixed positions beyond training",
                     "can be handled", "only defined",
                     "Perplexity rises soon "
                     "after the trained length all the same; S4.18 measures "
                     "it.");
    check("learned numbers of the fixed table", fixed, 0, 0);
    check("learned numbers of the learned table", learned, 524288, 0);
    claim("only one has a length limit",
          !(info("sinusoidal")->traits & LOCANT_TRAIT_LIMIT) &&
              (info(LEARNED)->traits & LOCANT_TRAIT_LIMIT));
}

/* S2.9 */
void s2_compare(void)
{
    locant_random r = draws(2);
    locant_tensor L = SCALED_NORMALS(&r, 0.02, LONG, WIDE);
    locant_tensor P = table_rows("sinusoidal", 0, LONG, WIDE, NULL);
    const char *spec[] = { "sinusoidal", LEARNED };

    table("encodings", "encoding|rows|width|learned numbers|mean|std|length of "
                       "row 0|cosine of rows 0, 1");
    for (int i = 0; i < 2; i++) {
        const double *x = i ? data(L) : data(P);

        table_row("%s|%d|%d|%lld|%.4f|%.4f|%.4f|%.4f",
                  i ? "learned_pe" : "fixed_pe", LONG, WIDE,
                  learned_numbers(spec[i], WIDE, 8), mean(x, N),
                  deviation(x, N), norm(x, WIDE), cosine(x, x + WIDE, WIDE));
    }
    say("The learned table is untrained: its numbers show how it begins.  "
        "Position 1024:");
    expect("fixed_pe, first channel",
           *data(table_rows(spec[0], LONG, 1, WIDE, NULL)), sin(1024), FLOAT);
    show_text("learned_pe", table_refusal(LEARNED, LONG, &L));
    /* |P|^2 = 512/2 in every row; 512 entries to 2^-25: below 2^-20 */
    check("length of a row of fixed_pe", norm(data(P), WIDE), 16, 1e-6);
    /* 524288 draws: 0.02 / sqrt(2n) = 2e-5; five of those */
    check("deviation of learned_pe", deviation(data(L), N), 0.02, 1e-4);
}

enum { FAR = 100000, CHUNK = 1000 };

/*
 * The smallest distance of a row P[first] .. P[FAR] from P[0] = (0, 1, 0, 1,
 * ..); *where is its position.
 */
static double nearest_return(int64_t first, int64_t *where)
{
    locant_tensor P = ZEROS(CHUNK, WIDE);
    double best = INFINITY;

    for (int64_t from = first; from < FAR; from += CHUNK) {
        locant_tensor at = positions(from, CHUNK);

        must(locant_encoding_table(&P, encoding("sinusoidal"), &at, NULL));
        for (int64_t i = 0; i < CHUNK; i++) {
            double sum = 0;

            for (int64_t c = 1; c < WIDE; c += 2)
                sum += 2 - 2 * data(P)[i * WIDE + c];
            *where = sum < best ? from + i : *where;
            best = fmin(best, sum);
        }
    }
    return sqrt(best);
}

/* S2.10 */
void s2_repetition(void)
{
    int64_t where = 0, later = 0;
    double nearest = nearest_return(1, &where);
    double far = nearest_return(1000, &later);

    say("Width 512, positions up to 100000.  Every channel repeats; does a "
        "whole vector?");
    show("shortest wavelength", wavelength(10000, 0, WIDE));
    expect("longest wavelength", wavelength(10000, WIDE / 2 - 1, WIDE),
           60611.48, 5e-3);
    show("least distance from position 0", nearest);
    expect_count("at position", where, 1);
    show("least distance beyond 1000", far);
    show_count("found at", later);
    mistake_in_words("E-2.3", "why long sequences are a problem",
                     "patterns repeat at very long positions",
                     "far combinations of phases were never seen",
                     "Each channel does repeat, after its own wavelength, at "
                     "short positions too; no two vectors up to here are the "
                     "same.");
    claim("no far position is as near as a neighbour", far > nearest);
}

/* The four rows resized to eight by the library. */
static locant_tensor stretched(const double *x, int align_corners)
{
    locant_tensor from = COPY(x, 4, 1), to = ZEROS(8, 1);
    locant_resize how = LOCANT_RESIZE_INIT;

    how.align_corners = align_corners;
    must(locant_resize_1d(&to, &from, &how));
    return to;
}

/* S2.11 */
void s2_interpolate(void)
{
    static const double x[] = { 0, 10, 20, 40 };
    static const double ends[] = { 0,
                                   4.2857142857,
                                   8.5714285714,
                                   12.8571428571,
                                   17.1428571429,
                                   22.8571428571,
                                   31.4285714286,
                                   40 };
    static const double cells[] = { 0, 2.5, 7.5, 12.5, 17.5, 25, 35, 40 };
    locant_tensor a = stretched(x, 1), b = stretched(x, 0);

    say("A table of four positions stretched to eight, channel by channel.  "
        "The tutorial leaves open how: end rows on end rows, or rows as cells "
        "whose centres are spread.");
    show_list("four rows", "%g", x, 4);
    expect_list("eight, ends on ends", "%.4f", data(a), 8, ends, TEN_DIGITS);
    expect_list("eight, centres of cells", "%.4f", data(b), 8, cells, 0);
    mistake_in_words("E-2.4", "how rows are placed", "not said",
                     "named: align_corners, or half a cell",
                     "Both are in use and give other tables, as row 1 shows; "
                     "a model trained for one does not fit the other.");
    check("position 7 of learned(length=8)",
          *data(table_rows("learned(length=8)", 7, 1, 1, &a)), 40, 0);
}
