/*
 * sinusoid.c - seed 004: what the chapter is, why positions, the sinusoid.
 */
#include "rows.h"

#include <math.h>
#include <string.h>

#include "../layers.h"

enum { LENGTH = 100, WIDTH = 512 };

void s4_header(struct seed *s)
{
    seed_text(s, "course", "AI Engineer Toolbox");
    seed_text(s, "stage", "3, the core of the Transformer (第三阶段)");
    seed_text(s, "chapter", "11, position encoding (位置编码)");
    seed_text(s, "time", "4 to 6 hours");
    seed_text(s, "languages", "Chinese and English; here English");
}

void s4_goals(struct seed *s)
{
    static const struct layer_entry goals[] = {
        { "why a Transformer does not know the order of tokens", "S4.3" },
        { "how sinusoidal, RoPE and ALiBi work and are made", "S4.4" },
        { "absolute against relative", "S4.13" },
        { "write an encoding and draw it", "S4.15" },
    };

    layer_index(s, "objective", goals, 4);
}

/* ------------------------------------------------------------------ S4.3 */

void s4_why(struct seed *s)
{
    enum { W = 16, N = 3 * W };
    static const int64_t order[] = { 2, 1, 0 };
    locant_random r = seed_random(s, 1);
    struct seed_mha m = seed_mha_new(s, &r, W, 2, 0);
    locant_tensor x = SEED_F64(s, 1, 3, W), y = SEED_F64(s, 1, 3, W);
    locant_tensor ox = SEED_F64(s, 1, 3, W), oy = SEED_F64(s, 1, 3, W);
    double moved[N], as_they_are, as_sets;

    seed_fill_normal(x.data, N, 1, &r);
    layer_reorder(y.data, x.data, order, 3, W);
    seed_mha(s, &ox, NULL, &m, &x);
    seed_mha(s, &oy, NULL, &m, &y);
    layer_reorder(moved, ox.data, order, 3, W);
    as_they_are = seed_max_difference(ox.data, oy.data, N);
    as_sets = seed_max_difference(moved, oy.data, N);
    seed_say(s, "Cat, catches, mouse as random vectors of width 16, one "
             "attention layer without positions: 猫抓老鼠 and 老鼠抓猫.");
    seed_real(s, "outputs compared word by word", as_sets);
    seed_real(s, "outputs compared place by place", as_they_are);
    seed_wrong(s, "E-4.6", "change of the output", 0, as_they_are,
               "The seed calls the sentences equal for attention: each word "
               "gets the same vector, but it stands where the word stands.");
    seed_say(s, "So positions must be told: each token gets its own.");
    seed_check(s, "each word keeps its vector", as_sets, 0, LAYER_DOUBLE);
    seed_claim(s, "the places change", as_they_are > 1e-3);
}

/* ------------------------------------------------------------ S4.4, S4.5 */

static const double *table_of(struct seed *s, locant_tensor *out)
{
    *out = seed_table_rows(s, seed_encoding(s, "sinusoidal"), 0, LENGTH, WIDTH,
                           NULL);
    return out->data;
}

void s4_formula(struct seed *s)
{
    const locant_encoding *e = seed_encoding(s, "sinusoidal");
    locant_tensor P = seed_table_rows(s, e, 1, 1, 8, NULL);
    int falling = 1;

    seed_text(s, "formula", locant_encoding_info_of(e)->formula);
    seed_columns(s, "pairs", "pair of width 8|frequency|positions per turn|sin "
                 "and cos at position 1");
    for (int c = 0; c < 4; c++) {
        const double *x = (double *)P.data + 2 * c;

        seed_cells(s, "%d|%g|%.2f|%.6f %.6f", c, pow(10000, -c / 4.),
                   layer_wavelength(10000, c, 8), x[0], x[1]);
        falling &= c == 0 || x[0] < x[-2];
    }
    seed_table_end(s);
    seed_say(s, "Three ideas: waves of different frequencies, slower along the "
             "channels, and distances that can be read off them.");
    seed_check(s, "second sine", ((double *)P.data)[2], 0.0998334166,
               LAYER_TABLE);
    seed_check(s, "last cosine", ((double *)P.data)[7], 0.9999995, LAYER_TABLE);
    seed_claim(s, "frequencies fall", falling);
}

void s4_function(struct seed *s)
{
    locant_tensor table;
    const double *P = table_of(s, &table);

    seed_shape(s, "PE", &table);
    seed_numbers(s, "PE[0, :8]", "%.4f", P, 8);
    seed_numbers(s, "PE[1, :8]", "%.4f", P + WIDTH, 8);
    seed_wrong(s, "E-4.5", "10000^(2i/d) for i = 1, d = 512, as the comment "
               "computes it", exp(2 * -log(10000) / WIDTH),
               pow(10000, 2. / WIDTH), "The comment leaves out that the "
               "exponential is the inverse; the code is right.");
    seed_check(s, "PE[1, 0]", P[WIDTH], 0.8414709848, LAYER_TABLE);
    seed_check(s, "PE[1, 1]", P[WIDTH + 1], 0.5403023059, LAYER_TABLE);
    /* channel 2 of width 512: sin(10000^(-2/512)) */
    seed_check(s, "PE[1, 2]", P[WIDTH + 2], sin(pow(10000, -2. / WIDTH)),
               LAYER_TABLE);
}

/* ----------------------------------------------------------- S4.6, S4.15 */

void s4_heat(struct seed *s)
{
    locant_tensor table;
    locant_figure figure = LOCANT_FIGURE_INIT;

    figure.kind = LOCANT_FIGURE_HEATMAP;
    figure.title = "Sinusoidal Position Encoding";
    figure.x_label = "Dimension";
    figure.y_label = "Position";
    figure.cells = table_of(s, &table);
    figure.rows = LENGTH;
    figure.cols = WIDTH;
    figure.width = 864; /* 12 x 6 inches */
    figure.height = 432;
    seed_say(s, "The table [100, 512] as a heat map, 12 x 6 inches, with its "
             "scale beside it (seed: sinusoidal_pe.png).");
    seed_shape(s, "cells", &table);
    seed_real(s, "scale from", seed_min(table.data, LENGTH * WIDTH));
    seed_real(s, "scale to", seed_max(table.data, LENGTH * WIDTH));
    seed_figure(s, 0, &figure);
    seed_check(s, "highest value", seed_max(table.data, LENGTH * WIDTH), 1, 0);
}

void s4_homework_1(struct seed *s)
{
    enum { ROWS = 50, COLS = 64 };
    locant_tensor table;
    const double *P = table_of(s, &table);
    double cells[ROWS * COLS], by_hand = 0;

    for (int p = 0; p < ROWS; p++)
        for (int c = 0; c < COLS; c++) {
            double angle = p / pow(10000, c / 2 * 2. / WIDTH);

            cells[p * COLS + c] = c % 2 ? cos(angle) : sin(angle);
            by_hand = fmax(by_hand,
                           fabs(cells[p * COLS + c] - P[p * WIDTH + c]));
        }
    seed_say(s, "Positions 0 to 49, the first 64 of 512 channels, by hand; "
             "compared with locant's table:");
    seed_real(s, "largest difference", by_hand);
    seed_columns(s, "waves", "channels|positions per turn");
    for (int c = 0; c < COLS; c += 16)
        seed_cells(s, "%d, %d|%.2f", c, c + 1,
                   layer_wavelength(10000, c / 2, WIDTH));
    seed_table_end(s);
    seed_heat(s, 0, &(struct seed_map){
        .title = "Sinusoidal encoding, 50 positions, 64 channels",
        .x_label = "dimension", .y_label = "position", .cells = cells,
        .rows = ROWS, .cols = COLS, .diverging = 1 });
    seed_check(s, "by hand less library", by_hand, 0, LAYER_TABLE);
}

/* ------------------------------------------------------------------ S4.7 */

/* numpy's allclose: |x - y| <= 1e-8 + 1e-5 |y| everywhere */
static int all_close(const double *x, const double *y, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        if (fabs(x[i] - y[i]) > 1e-8 + 1e-5 * fabs(y[i]))
            return 0;
    return 1;
}

static int alike(const double *P)
{
    int n = 0;

    for (int a = 0; a < LENGTH; a++)
        for (int b = 0; b < a; b++)
            n += all_close(P + a * WIDTH, P + b * WIDTH, WIDTH);
    return n;
}

/* Largest |M_k P[p] - P[p + k]| over all positions of the table. */
static double shift_error(const double *P, int k)
{
    double worst = 0;

    for (int p = 0; p + k < LENGTH; p++)
        for (int c = 0; c < WIDTH; c += 2) {
            const double *x = P + p * WIDTH + c, *y = x + k * WIDTH;
            double t = k * pow(10000, -c / (double)WIDTH);

            worst = fmax(worst, fabs(cos(t) * x[0] + sin(t) * x[1] - y[0]));
            worst = fmax(worst, fabs(cos(t) * x[1] - sin(t) * x[0] - y[1]));
        }
    return worst;
}

void s4_properties(struct seed *s)
{
    locant_tensor table;
    const double *P = table_of(s, &table);
    double low = seed_min(P, LENGTH * WIDTH), high = seed_max(P, LENGTH *
                                                              WIDTH);

    seed_text(s, "unique: PE[0] == PE[1]",
              all_close(P, P + WIDTH, WIDTH) ? "true" : "false");
    seed_integer(s, "equal pairs among all 4950", alike(P));
    seed_real(s, "relative: largest |M_5 PE[p] - PE[p + 5]|",
              shift_error(P, 5));
    seed_real(s, "bounded: least value", low);
    seed_real(s, "bounded: highest value", high);
    seed_say(s, "M_5 turns each pair by five steps; it is the same matrix for "
             "every p, which is what relative means here.");
    seed_check(s, "equal pairs", alike(P), 0, 0);
    seed_check(s, "the same turn at every position", shift_error(P, 5), 0,
               3 * 0x1p-25);
    seed_claim(s, "within [-1, 1]", low >= -1 && high <= 1);
}
