/* effect.c - attention over one repeated token: S0.16. */
#include "../tutorial.h"

enum { WIDTH = 64, HEADS = 4, TOKENS = 8 };

/* The weights [TOKENS, TOKENS] of one head. */
static locant_tensor head(locant_tensor w, int h)
{
    return rows(w, h * TOKENS, TOKENS);
}

static double mean_diagonal(locant_tensor w)
{
    double sum = 0;

    for (int i = 0; i < TOKENS; i++)
        sum += entry(w, i, i);
    return sum / TOKENS;
}

/* Two rows of panels, without and with positions, one for each head.  The scale
   begins at the least weight, or small differences would not be seen. */
static void draw_heads(locant_tensor none, locant_tensor with)
{
    locant_figure panels[2 * HEADS];
    char titles[2 * HEADS][64];

    for (int i = 0; i < 2 * HEADS; i++) {
        const int h = i % HEADS, has = i / HEADS;

        snprintf(titles[i], sizeof titles[i], "Head %d, %s positions", h,
                 has ? "with" : "without");
        panels[i] =
            heat_map_of(titles[i], NULL, NULL, head(has ? with : none, h));
        panels[i].numbers = 3;
    }
    draw(0, (locant_figure){ .kind = LOCANT_FIGURE_PANELS,
                             .title = "Attention weights over eight copies of "
                                      "one token",
                             .x_label = "key",
                             .y_label = "query",
                             .width = 980,
                             .height = 540,
                             .y_min = least(with),
                             .y_max = largest(with),
                             .panels = panels,
                             .n_panels = 2 * HEADS,
                             .panel_cols = HEADS });
}

static void print_heads(const char *which, locant_tensor w)
{
    char name[64];

    for (int h = 0; h < HEADS; h++) {
        snprintf(name, sizeof name, "head %d %s", h, which);
        show_matrix(name, "%.3f", head(w, h));
    }
}

/* x[t] = e for all t, then x[t] = e + P[t]; entropy = -sum of p ln p */
void s0_16_effect(void)
{
    locant_random r = random_stream(16);
    struct mha m = mha_new(&r, WIDTH, HEADS, WITH_BIAS);
    locant_tensor token = NORMALS(&r, WIDTH);
    locant_tensor x = plus(ZEROS(1, TOKENS, WIDTH), token);
    locant_tensor none = mha_weights(&m, x);
    locant_tensor with = mha_weights(&m, plus(x, sinusoidal(0, TOKENS, WIDTH)));

    show_shape("input, one vector repeated", x);
    say("The same content everywhere: only positions differ.");
    part('a', "weights, queries down, keys across");
    print_heads("without positions", none);
    print_heads("with positions", with);
    draw_heads(none, with);
    check("least weight without positions", least(none), 0.125, 1e-15);
    check("largest", largest(none), 0.125, 1e-15);

    part('b', "entropy of the weights, mean over queries, in nats");
    table("entropy", "head|without|with|change|of the most");
    for (int h = 0; h < HEADS; h++) {
        double a = entropy(head(none, h), 0), b = entropy(head(with, h), 0);

        table_row("%d|%.3f|%.3f|%.3f|%.3f", h, a, b, b - a, b / log(TOKENS));
        check("entropy without positions: ln 8", a, log(TOKENS), 1e-14);
        claim("positions lower it", b < a);
    }
    mistake(
        "E-0.10", "entropy of eight equal weights",
        entropy(head(none, 0), 1e-9), entropy(head(none, 0), 0),
        "the tutorial adds 1e-9 inside the logarithm; 0 ln 0 is 0 and needs no "
        "help.  What it prints as an increase is a fall, of random weights");

    part('c', "weight of each query on itself, mean");
    table("diagonal", "head|without|with");
    for (int h = 0; h < HEADS; h++) {
        double a = mean_diagonal(head(none, h));
        double b = mean_diagonal(head(with, h));

        table_row("%d|%.3f|%.3f", h, a, b);
        check("diagonal without positions", a, 0.125, 1e-15);
        claim("diagonal is a weight", b > 0 && b < 1);
    }
}
