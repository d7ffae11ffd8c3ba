/* learned.c - learned positions, and beyond their table: S2.7 .. S2.11. */
#include "../tutorial.h"
#include "locant/resize.h"

enum { LONG = 1024, WIDE = 512, BATCH = 2, LENGTH = 10 };

static const char *const LEARNED = "learned(length=1024)";

/* x + P: every sequence of x plus the first rows of the table. */
static locant_tensor with_positions(locant_tensor x, locant_tensor P)
{
    return plus(x, rows(P, 0, LENGTH));
}

/* The loss L: the mean square of x + P. */
static double loss_of(locant_tensor x, locant_tensor P)
{
    locant_tensor sum = with_positions(x, P);

    return dot(sum, sum) / count(sum);
}

/* dL/dP, which the tutorial's code discards: row t of P gets dL/d(x + P) =
   2 (x + P) / n of token t of each sequence. */
static locant_tensor gradient_of(locant_tensor x, locant_tensor P)
{
    locant_tensor sum = with_positions(x, P), up = ZEROS(BATCH * LENGTH, WIDE);
    locant_tensor at = RESHAPED(batch_positions(BATCH, LENGTH), BATCH * LENGTH);

    for (int64_t i = 0; i < count(sum); i++)
        data(up)[i] = 2 * data(sum)[i] / count(sum);
    return lookup_gradient(P, up, at);
}

void s2_7_learned(void)
{
    const double step = 1e-6;
    locant_random r = random_stream(1);
    locant_tensor P = SCALED_NORMALS(&r, 0.02, LONG, WIDE);
    locant_tensor x = NORMALS(&r, BATCH, LENGTH, WIDE);
    locant_tensor gradient = gradient_of(x, P);
    double before = loss_of(x, P), after, slope;
    double *changed = data(row(P, 3)); /* the first number of row 3 */

    *changed += step;
    slope = (loss_of(x, P) - before) / step;
    *changed -= step;
    for (int i = 0; i < count(P); i++)
        data(P)[i] -= 100 * data(gradient)[i];
    after = loss_of(x, P);
    say("pos_embeddings begins as N(0, 0.02), 1024 x 512; forward(x) adds its "
        "first rows.  A step down the gradient of the mean square of the "
        "sums:");
    expect_count("learned numbers", learned_numbers(LEARNED, WIDE, 8),
                 1024 * 512);
    show("loss before", before);
    show("loss after", after);
    mistake("E-2.2", "largest gradient of the table", 0, largest(gradient),
            "The tutorial wraps getValue().slice() in a new Variable: the "
            "graph ends there, the table never learns.");
    /* the loss is quadratic: the difference errs by step / n, plus rounding */
    check("gradient of an entry, by differences", entry(gradient, 3, 0), slope,
          1e-8);
    check("gradient of a row not used", entry(gradient, LENGTH, 0), 0, 0);
    claim("the step lowers the loss", after < before);
}

void s2_8_merits(void)
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
                     "Perplexity rises soon after the trained length all the "
                     "same; S4.18 measures it.");
    check("learned numbers of the fixed table", fixed, 0, 0);
    check("learned numbers of the learned table", learned, 524288, 0);
    claim("only one has a length limit",
          !has_trait("sinusoidal", LOCANT_TRAIT_LIMIT) &&
              has_trait(LEARNED, LOCANT_TRAIT_LIMIT));
}

static void compare_row(const char *name, const char *spec, locant_tensor P)
{
    table_row("%s|%d|%d|%lld|%.4f|%.4f|%.4f|%.4f", name, LONG, WIDE,
              learned_numbers(spec, WIDE, 8), mean(P), deviation(P),
              norm(row(P, 0)), cosine(row(P, 0), row(P, 1)));
}

void s2_9_compare(void)
{
    locant_random r = random_stream(2);
    locant_tensor learned = SCALED_NORMALS(&r, 0.02, LONG, WIDE);
    locant_tensor fixed = sinusoidal(0, LONG, WIDE);

    table("encodings", "encoding|rows|width|learned numbers|mean|std|length of "
                       "row 0|cosine of rows 0, 1");
    compare_row("fixed_pe", "sinusoidal", fixed);
    compare_row("learned_pe", LEARNED, learned);
    say("The learned table is untrained: its numbers show how it begins.  "
        "Position 1024:");
    expect("fixed_pe, first channel", *data(sinusoidal(LONG, 1, WIDE)),
           sin(1024), FLOAT);
    show_text("learned_pe", lookup_refusal(learned, LONG));
    /* |P|^2 = 512/2 in every row; 512 entries to 2^-25: below 2^-20 */
    check("length of a row of fixed_pe", norm(row(fixed, 0)), 16, 1e-6);
    /* 524288 draws: 0.02 / sqrt(2n) = 2e-5; five of those */
    check("deviation of learned_pe", deviation(learned), 0.02, 1e-4);
}

enum { FAR = 100000, CHUNK = 1000 };

/*
 * The smallest distance of a row P[first] .. P[FAR] from P[0] = (0, 1, 0, 1,
 * ..); *where is its position.  All rows have the length of P[0], so that
 * |P[p] - P[0]|^2 = 2 |P[0]|^2 - 2 P[p] . P[0] = sum of 2 - 2 cos.
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
                sum += 2 - 2 * entry(P, i, c);
            *where = sum < best ? from + i : *where;
            best = fmin(best, sum);
        }
    }
    return sqrt(best);
}

void s2_10_repetition(void)
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
    mistake_in_words(
        "E-2.3", "why long sequences are a problem",
        "patterns repeat at very long positions",
        "far combinations of phases were never seen",
        "Each channel does repeat, after its own wavelength, at short "
        "positions too; no two vectors up to here are the same.");
    claim("no far position is as near as a neighbour", far > nearest);
}

/* The rows of x [4] resized to eight by the library. */
static locant_tensor stretched(locant_tensor x, int align_corners)
{
    locant_tensor from = RESHAPED(x, 4, 1), to = ZEROS(8, 1);
    locant_resize how = LOCANT_RESIZE_INIT;

    how.align_corners = align_corners;
    must(locant_resize_1d(&to, &from, &how));
    return to;
}

/* Row i of m is read from n rows at i (n - 1) / (m - 1) if the end rows stay,
   at (i + 1/2) n / m - 1/2 if rows are cells. */
void s2_11_interpolate(void)
{
    locant_tensor x = VECTOR(0, 10, 20, 40);
    locant_tensor on_ends =
        VECTOR(0, 4.2857142857, 8.5714285714, 12.8571428571, 17.1428571429,
               22.8571428571, 31.4285714286, 40);
    locant_tensor of_cells = VECTOR(0, 2.5, 7.5, 12.5, 17.5, 25, 35, 40);
    locant_tensor aligned = stretched(x, 1);

    say("A table of four positions stretched to eight, channel by channel.  "
        "The tutorial does not say how.  The first and the last row may stay "
        "the first and the last, or each row may stand for a cell and be "
        "placed at its centre.");
    show_list("four rows", "%g", x);
    expect_list("eight, ends on ends", "%.4f", aligned, on_ends, TEN_DIGITS);
    expect_list("eight, centres of cells", "%.4f", stretched(x, 0), of_cells,
                0);
    mistake_in_words("E-2.4", "how rows are placed", "not said",
                     "named: align_corners, or half a cell",
                     "Both are in use and give other tables, as row 1 shows; a "
                     "model trained for one does not fit the other.");
    check("position 7 of learned(length=8)",
          *data(looked_up(aligned, positions(7, 1))), 40, 0);
}
