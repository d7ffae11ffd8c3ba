/*
 * s2_learned.c - seed 002: learned positions, and what to do beyond the table.
 */
#include "s2.h"

#include <math.h>
#include <string.h>

#include "layers.h"
#include "locant/resize.h"

enum { LONG = 1024, WIDE = 512, BATCH = 2, LENGTH = 10 };

/* ------------------------------------------------------------------ S2.7 */

/* Mean square of x + P, and its gradient with respect to each sum. */
static double loss_of(double *dsum, const double *x, const double *P)
{
    const int64_t n = BATCH * LENGTH * WIDE;
    double loss = 0;

    for (int64_t i = 0; i < n; i++) {
        double sum = x[i] + P[i % (LENGTH * WIDE)];

        loss += sum * sum / (double)n;
        if (dsum)
            dsum[i] = 2 * sum / (double)n;
    }
    return loss;
}

/* The gradient that reaches the table: what the seed's forward() cuts off. */
static locant_tensor table_gradient(struct seed *s, const locant_encoding *e,
                                    const locant_tensor *table,
                                    const double *x)
{
    locant_tensor dsum = SEED_F64(s, BATCH * LENGTH, WIDE);
    locant_tensor pos = SEED_I64(s, BATCH * LENGTH);
    locant_tensor dtable = SEED_F64(s, LONG, WIDE);

    for (int64_t i = 0; i < BATCH * LENGTH; i++)
        ((int64_t *)pos.data)[i] = i % LENGTH;
    loss_of(dsum.data, x, table->data);
    seed_try(s, locant_encoding_table_backward(&dtable, &dsum, e, &pos, table));
    return dtable;
}

void s2_learned(struct seed *s)
{
    const locant_encoding *e = seed_encoding(s, "learned(length=1024)");
    locant_random r = seed_random(s, 1);
    locant_tensor table = SEED_F64(s, LONG, WIDE), dtable;
    double *x = seed_reals(s, BATCH * LENGTH * WIDE), *P = table.data, *d;
    double before, after, slope;
    const double step = 1e-6;

    seed_fill_normal(P, LONG * WIDE, 0.02, &r);
    seed_fill_normal(x, BATCH * LENGTH * WIDE, 1, &r);
    dtable = table_gradient(s, e, &table, x);
    d = dtable.data;
    before = loss_of(NULL, x, P);
    P[3 * WIDE] += step; /* one entry of row 3, by differences */
    slope = (loss_of(NULL, x, P) - before) / step;
    P[3 * WIDE] -= step;
    for (int64_t i = 0; i < LONG * WIDE; i++)
        P[i] -= 100 * d[i];
    after = loss_of(NULL, x, P);
    seed_say(s, "pos_embeddings begins as N(0, 0.02), 1024 x 512; forward(x) "
             "adds its first rows.  A step down the gradient of the mean "
             "square of the sums:");
    seed_integer(s, "learned numbers", seed_parameters(e, WIDE, 8));
    seed_real(s, "loss before", before);
    seed_real(s, "loss after", after);
    seed_wrong(s, "E-2.2", "largest gradient of the table", 0,
               seed_max(d, LONG * WIDE), "The seed wraps getValue().slice() in "
               "a new Variable: the graph ends there, the table never learns.");
    seed_check(s, "learned numbers", (double)seed_parameters(e, WIDE, 8),
               1024. * 512, 0);
    /* the loss is quadratic: the difference errs by step / n plus rounding */
    seed_check(s, "gradient of an entry, by differences", d[3 * WIDE], slope,
               1e-8);
    seed_check(s, "gradient of a row not used", d[LENGTH * WIDE], 0, 0);
    seed_claim(s, "the step lowers the loss", after < before);
}

/* ------------------------------------------------------------------ S2.8 */

void s2_merits(struct seed *s)
{
    const locant_encoding *fixed = seed_encoding(s, "sinusoidal");
    const locant_encoding *learned = seed_encoding(s, "learned(length=1024)");

    seed_columns(s, "merits", "|fixed|learned");
    seed_cells(s, "longer input|defined at any position|ends at the table");
    seed_cells(s, "cost|one addition|one addition and a gather");
    seed_cells(s, "learned numbers (1024 x 512)|%lld|%lld",
               (long long)seed_parameters(fixed, WIDE, 8),
               (long long)seed_parameters(learned, WIDE, 8));
    seed_cells(s, "same numbers in every run|yes|no");
    seed_cells(s, "fits the task|no|yes");
    seed_cells(s, "bound to the shape of a sine|yes|no");
    seed_cells(s, "improves with training|no|yes");
    seed_table_end(s);
    seed_wrong_text(s, "E-0.9", "fixed positions beyond training",
                    "can be handled", "only defined",
                    "Perplexity rises soon after the trained length all the "
                    "same; S4.18 measures it.");
    seed_check(s, "learned numbers of the fixed table",
               (double)seed_parameters(fixed, WIDE, 8), 0, 0);
    seed_check(s, "learned numbers of the learned table",
               (double)seed_parameters(learned, WIDE, 8), 524288, 0);
    seed_claim(s, "only one has a wall",
               !(locant_encoding_info_of(fixed)->traits & LOCANT_TRAIT_LIMIT) &&
               (locant_encoding_info_of(learned)->traits & LOCANT_TRAIT_LIMIT));
}

/* ------------------------------------------------------------------ S2.9 */

static double row_norm(const double *row)
{
    double sum = 0;

    for (int c = 0; c < WIDE; c++)
        sum += row[c] * row[c];
    return sqrt(sum);
}

void s2_compare(struct seed *s)
{
    const locant_encoding *fixed = seed_encoding(s, "sinusoidal");
    const locant_encoding *learned = seed_encoding(s, "learned(length=1024)");
    locant_random r = seed_random(s, 2);
    locant_tensor P = seed_table_rows(s, fixed, 0, LONG, WIDE, NULL);
    locant_tensor L = SEED_F64(s, LONG, WIDE), wall = SEED_F64(s, 1, WIDE);
    locant_tensor pos = seed_positions(s, LONG, 1);
    const locant_tensor *both[] = { &P, &L };
    static const char *const names[] = { "fixed_pe", "learned_pe" };

    seed_fill_normal(L.data, LONG * WIDE, 0.02, &r);
    seed_columns(s, "encodings", "encoding|rows|width|learned numbers|mean|std|"
                 "length of row 0|cosine of rows 0, 1");
    for (int i = 0; i < 2; i++) {
        const double *x = both[i]->data;

        seed_cells(s, "%s|%d|%d|%lld|%.4f|%.4f|%.4f|%.4f", names[i], LONG, WIDE,
                   (long long)seed_parameters(i ? learned : fixed, WIDE, 8),
                   seed_mean(x, LONG * WIDE), seed_deviation(x, LONG * WIDE),
                   row_norm(x), seed_cosine(x, x + WIDE, WIDE));
    }
    seed_table_end(s);
    seed_say(s, "The learned table is untrained: its numbers show how it "
             "begins.  Position 1024:");
    seed_try(s, locant_encoding_table(&wall, fixed, &pos, NULL));
    seed_real(s, "fixed_pe, first channel", ((double *)wall.data)[0]);
    seed_text(s, "learned_pe", layer_refusal(s,
              locant_encoding_table(&wall, learned, &pos, &L)));
    /* |P|^2 = 512/2 for every row; 512 entries to 2^-25: below 2^-20 */
    seed_check(s, "length of a row of fixed_pe", row_norm(P.data), 16, 1e-6);
    seed_check(s, "fixed_pe at 1024, first channel",
               ((double *)wall.data)[0], sin(1024), LAYER_TABLE);
    /* of 524288 draws: 0.02 / sqrt(2 n) = 2e-5; five of them */
    seed_check(s, "deviation of learned_pe",
               seed_deviation(L.data, LONG * WIDE), 0.02, 1e-4);
}

/* ----------------------------------------------------------------- S2.10 */

enum { FAR = 100000, CHUNK = 1000 };

/*
 * Distances of P[1], P[2], .. P[FAR] from P[0], which is (0, 1, 0, 1, ..): the
 * least, from 'first' on, and where.
 */
static double nearest_return(struct seed *s, int64_t first, int64_t *where)
{
    const locant_encoding *e = seed_encoding(s, "sinusoidal");
    locant_tensor P = SEED_F64(s, CHUNK, WIDE), pos = SEED_I64(s, CHUNK);
    int64_t *p = pos.data;
    double least = INFINITY;

    for (int64_t from = first; from < FAR; from += CHUNK) {
        const double *x = P.data;

        for (int64_t i = 0; i < CHUNK; i++)
            p[i] = from + i;
        seed_try(s, locant_encoding_table(&P, e, &pos, NULL));
        for (int64_t i = 0; i < CHUNK; i++) {
            double sum = 0;

            for (int64_t c = 1; c < WIDE; c += 2)
                sum += 2 - 2 * x[i * WIDE + c];
            if (sum < least) {
                least = sum;
                *where = from + i;
            }
        }
    }
    return sqrt(least);
}

void s2_repetition(struct seed *s)
{
    int64_t where, later;
    double nearest = nearest_return(s, 1, &where);
    double far = nearest_return(s, 1000, &later);
    double longest = layer_wavelength(10000, WIDE / 2 - 1, WIDE);

    seed_say(s, "Width 512, positions up to 100000.  Every channel repeats; "
             "does a whole vector?");
    seed_real(s, "shortest wavelength", layer_wavelength(10000, 0, WIDE));
    seed_real(s, "longest wavelength", longest);
    seed_real(s, "least distance from position 0", nearest);
    seed_integer(s, "at position", where);
    seed_real(s, "least distance beyond 1000", far);
    seed_integer(s, "found at", later);
    seed_wrong_text(s, "E-2.3", "why long sequences are a problem",
                    "patterns repeat at very long positions",
                    "far combinations of phases were never seen",
                    "Each channel does repeat, after its own wavelength, at "
                    "short positions too; no two vectors up to here are the "
                    "same.");
    /* encodings.md 1.1 */
    seed_check(s, "longest wavelength", longest, 60611.48, 5e-3);
    seed_check(s, "the nearest position to 0", (double)where, 1, 0);
    seed_claim(s, "no far position is as near as a neighbour", far > nearest);
}

/* ----------------------------------------------------------------- S2.11 */

/* The four rows stretched to eight by the library. */
static void resize(struct seed *s, double *out, const double *x, int align)
{
    const int64_t from[] = { 4, 1 }, to[] = { 8, 1 };
    double        copy[4];
    locant_resize how = LOCANT_RESIZE_INIT;
    locant_tensor table = locant_dense(copy, LOCANT_F64, 2, from);
    locant_tensor stretched = locant_dense(out, LOCANT_F64, 2, to);

    memcpy(copy, x, sizeof copy);
    how.align_corners = align;
    seed_try(s, locant_resize_1d(&stretched, &table, &how));
}

void s2_interpolate(struct seed *s)
{
    static const double x[] = { 0, 10, 20, 40 };
    static const double ends[] = { /* encodings.md 2.1 */
        0, 4.2857142857, 8.5714285714, 12.8571428571, 17.1428571429,
        22.8571428571, 31.4285714286, 40
    };
    static const double cells[] = { 0, 2.5, 7.5, 12.5, 17.5, 25, 35, 40 };
    const locant_encoding *e = seed_encoding(s, "learned(length=8)");
    locant_tensor table = SEED_F64(s, 8, 1), row;
    double a[8], b[8];

    resize(s, a, x, 1);
    resize(s, b, x, 0);
    memcpy(table.data, a, sizeof a);
    row = seed_table_rows(s, e, 7, 1, 1, &table);
    seed_say(s, "A table of four positions stretched to eight, channel by "
             "channel.  The seed leaves open how: end rows on end rows, or "
             "rows as cells whose centres are spread.");
    seed_numbers(s, "four rows", "%g", x, 4);
    seed_numbers(s, "eight, ends on ends", "%.4f", a, 8);
    seed_numbers(s, "eight, centres of cells", "%.4f", b, 8);
    seed_wrong_text(s, "E-2.4", "how rows are placed", "not said",
                    "named: align_corners, or half a cell",
                    "Both are in use and give other tables, as row 1 shows; a "
                    "model trained for one does not fit the other.");
    seed_check(s, "ends on ends", seed_max_difference(a, ends, 8), 0,
               LAYER_KNOWN);
    seed_check(s, "centres of cells", seed_max_difference(b, cells, 8), 0, 0);
    seed_check(s, "position 7 of learned(length=8)", ((double *)row.data)[0],
               40, 0);
}
