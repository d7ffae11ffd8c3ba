/* effect.c - attention over one repeated token: S0.16. */
#include <math.h>
#include <stdio.h>

#include "rows.h"

enum { WIDTH = 64, HEADS = 4, TOKENS = 8 };

/* Mean over rows of -sum p ln(p + floor); floor 0 is the definition. */
static double entropy(const double *p, double floor)
{
    double sum = 0;

    for (int64_t i = 0; i < TOKENS * TOKENS; i++) {
        if (p[i] > 0)
            sum -= p[i] * log(p[i] + floor);
    }
    return sum / TOKENS;
}

static double diagonal(const double *p)
{
    double sum = 0;

    for (int64_t i = 0; i < TOKENS; i++)
        sum += p[i * TOKENS + i];
    return sum / TOKENS;
}

/* The heads side by side, a blank column between them. */
static void draw_heads(struct seed *s, char letter, const char *title,
                       const double *p)
{
    enum { COLS = HEADS * (TOKENS + 1) - 1 };
    double *cells = seed_reals(s, TOKENS * COLS);

    for (int64_t i = 0; i < TOKENS * COLS; i++) {
        int64_t row = i / COLS, h = i % COLS / (TOKENS + 1);
        int64_t col = i % COLS % (TOKENS + 1);

        cells[i] = col == TOKENS ? NAN
                   : p[(h * TOKENS + row) * TOKENS + col];
    }
    seed_heat(s, letter, &(struct seed_map){
        .title = title, .x_label = "key, heads 1 to 4", .y_label = "query",
        .cells = cells, .rows = TOKENS, .cols = COLS });
}

static void print_heads(struct seed *s, const char *which, const double *p)
{
    char name[64];

    for (int h = 0; h < HEADS; h++) {
        snprintf(name, sizeof name, "head %d %s", h + 1, which);
        seed_matrix(s, name, "%.2f", p + h * TOKENS * TOKENS, TOKENS, TOKENS);
    }
}

/* Weights of the same layer without and with the table added. */
static void attend(struct seed *s, locant_tensor w[2])
{
    locant_random   r = seed_random(s, 16);
    struct seed_mha m = seed_mha_new(s, &r, WIDTH, HEADS, 1);
    locant_tensor   x = SEED_F64(s, 1, TOKENS, WIDTH);
    locant_tensor   out = SEED_F64(s, 1, TOKENS, WIDTH);
    locant_tensor   p = seed_table_rows(s, seed_encoding(s, "sinusoidal"), 0,
                                        TOKENS, WIDTH, NULL);
    double         *in = x.data;

    seed_fill_normal(in, WIDTH, 1, &r);
    for (int64_t i = WIDTH; i < TOKENS * WIDTH; i++)
        in[i] = in[i - WIDTH];
    seed_shape(s, "input, one vector repeated", &x);
    seed_mha(s, &out, &w[0], &m, &x);
    for (int64_t i = 0; i < TOKENS * WIDTH; i++)
        in[i] += ((double *)p.data)[i];
    seed_mha(s, &out, &w[1], &m, &x);
}

static void entropies(struct seed *s, const double *none, const double *with)
{
    const double uniform = log(TOKENS);

    seed_part(s, 'b', "entropy of the weights, mean over queries, in nats");
    seed_columns(s, "entropy", "head|without|with|change|of the most");
    for (int h = 0; h < HEADS; h++) {
        double a = entropy(none + h * TOKENS * TOKENS, 0);
        double b = entropy(with + h * TOKENS * TOKENS, 0);

        seed_cells(s, "%d|%.3f|%.3f|%.3f|%.3f", h + 1, a, b, b - a,
                   b / uniform);
        seed_check(s, "entropy without positions: ln 8", a, uniform, 1e-14);
        seed_claim(s, "positions lower it", b < a);
    }
    seed_table_end(s);
    seed_wrong(s, "E-0.10", "entropy of eight equal weights",
               entropy(none, 1e-9), entropy(none, 0), "the seed adds 1e-9 "
               "inside the logarithm; 0 ln 0 is 0 and needs no help.  What it "
               "prints as an increase is a fall, of random weights");
}

void s0_effect(struct seed *s)
{
    locant_tensor w[2];
    const double *none, *with;

    attend(s, w);
    none = w[0].data;
    with = w[1].data;
    seed_say(s, "The same content everywhere: only positions differ.");
    seed_part(s, 'a', "weights, queries down, keys across");
    print_heads(s, "without positions", none);
    print_heads(s, "with positions", with);
    draw_heads(s, 'a', "Weights without positions", none);
    draw_heads(s, 'b', "Weights with sinusoidal positions", with);
    seed_check(s, "least weight without positions",
               seed_min(none, HEADS * TOKENS * TOKENS), 0.125, 1e-15);
    seed_check(s, "largest", seed_max(none, HEADS * TOKENS * TOKENS), 0.125,
               1e-15);
    entropies(s, none, with);
    seed_part(s, 'c', "weight of each query on itself, mean");
    seed_columns(s, "diagonal", "head|without|with");
    for (int h = 0; h < HEADS; h++) {
        double a = diagonal(none + h * TOKENS * TOKENS);
        double b = diagonal(with + h * TOKENS * TOKENS);

        seed_cells(s, "%d|%.3f|%.3f", h + 1, a, b);
        seed_check(s, "diagonal without positions", a, 0.125, 1e-15);
        seed_claim(s, "diagonal is a weight", b > 0 && b < 1);
    }
    seed_table_end(s);
}
