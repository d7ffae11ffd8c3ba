/* cmd_angles.c - locant angles: exact angles, and the errors of recipes. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli.h"
#include "language.h"

struct options {
    double base;
    int64_t dim;
    const char *positions, *out;
    int mode, compare, color;
};

static const struct cli_option options[] = {
    OPT_REAL("base", base, "B", "frequency i is B^(-2i/D) per position",
             .fallback = "10000"),
    OPT_INTEGER("dim", dim, "D", 1, 1 << 20, "channels, even",
                .fallback = "128"),
    OPT_FILE("positions", positions, "P.npy", "i64 [T], or f64 [T]"),
    OPT_CHOICE("mode", mode, "exact|hf|ggml",
               "exact, or what transformers (hf) or ggml computes",
               .fallback = "exact"),
    OPT_FILE("output", out, "OUT.npy",
             "write float32 [T, D/2, 2], cos and sin, instead of a picture",
             .letter = 'o'),
    OPT_CHOICE("compare", compare, "hf|ggml",
               "print the largest error of that recipe instead"),
    OPT_COLOR(color),
    OPT_END
};

static int compute(locant_tensor *out, const struct options *o,
                   const locant_tensor *positions, locant_angle_mode mode)
{
    const int64_t shape[] = { positions->shape[0], o->dim / 2, 2 };

    CLI_TRY(cli_new(out, LOCANT_F32, 3, shape));
    return cli_status(locant_angles(out, positions, o->base, mode));
}

/* ---------------------------------------------------------------- compare */

enum { DECADES = 20, WINDOW = 256 }; /* up to 10^19, above 2^63 */

/* Largest error and number of positions p with 10^(d-1) < |p| <= 10^d; d is at
   least 1, also for |p| <= 1. */
struct decades {
    double worst[DECADES];
    int64_t count[DECADES];
};

static int decade_of(double position)
{
    double limit = 10;
    int d = 1;

    for (; d < DECADES - 1 && fabs(position) > limit; d++)
        limit *= 10;
    return d;
}

static void gather(struct decades *out, const locant_tensor *positions,
                   const locant_tensor *exact, const locant_tensor *recipe)
{
    const float *x = exact->data, *y = recipe->data;
    int64_t row = exact->shape[1] * 2;

    for (int64_t t = 0; t < positions->shape[0]; t++) {
        int d = decade_of(cli_value(positions, t));

        out->count[d]++;
        for (int64_t c = t * row; c < (t + 1) * row; c++)
            out->worst[d] = fmax(out->worst[d], fabs((double)x[c] - y[c]));
    }
}

/* Positions 1 .. 100, then the last 256 up to each of 1000, 10000, .. 10^7. */
static int ends_of_decades(locant_tensor *out)
{
    const int64_t n = 100 + 5 * WINDOW;
    int64_t *p;

    CLI_TRY(cli_new(out, LOCANT_I64, 1, &n));
    p = out->data;
    for (int64_t i = 1; i <= 100; i++)
        *p++ = i;
    for (int64_t end = 1000; end <= 10000000; end *= 10) {
        for (int64_t i = 1; i <= WINDOW; i++)
            *p++ = end - WINDOW + i;
    }
    return CLI_OK;
}

static int print_json(const struct options *o, const struct decades *d)
{
    json_t *rows = json_array();

    for (int i = 0; i < DECADES; i++) {
        if (d->count[i] > 0)
            json_array_append_new(rows, json_pack("{s:f, s:I, s:f}", "up_to",
                                                  pow(10, i), "positions",
                                                  (json_int_t)d->count[i],
                                                  "max_error", d->worst[i]));
    }
    return cli_json(json_pack("{s:s, s:f, s:I, s:o}", "recipe",
                              o->compare ? "ggml" : "hf", "base", o->base,
                              "dim", (json_int_t)o->dim, "decades", rows));
}

static void print_text(const struct options *o, const struct decades *d)
{
    const char *title = "largest |cos or sin - exact| of the %s recipe, base "
                        "%g, dim %d";

    printf(cli_translate(title), o->compare ? "ggml" : "hf", o->base,
           (int)o->dim);
    printf("\n\n%s %s  %s\n", cli_padded(cli_translate("position up to"), 16),
           cli_translate("positions"), cli_translate("error"));
    for (int i = 0; i < DECADES; i++) {
        if (d->count[i] > 0)
            printf("1e%-14d %9" PRId64 "  %.1e\n", i, d->count[i], d->worst[i]);
    }
}

static int compare(const struct cli *cli, const locant_tensor *positions)
{
    const struct options *o = cli->options;
    locant_tensor exact, recipe;
    struct decades decades = { 0 };

    CLI_TRY(compute(&exact, o, positions, LOCANT_ANGLES_EXACT));
    CLI_TRY(compute(&recipe, o, positions,
                    o->compare ? LOCANT_ANGLES_GGML : LOCANT_ANGLES_HF));
    gather(&decades, positions, &exact, &recipe);
    if (cli->json)
        return print_json(o, &decades);
    print_text(o, &decades);
    return CLI_OK;
}

/* ----------------------------------------------------------------- picture */

enum { SHOWN = 20 }; /* positions from 0 on, unless some are given */

/* Number the rows by position if these are evenly spaced, else from 0. */
static void number_rows(locant_figure *f, const locant_tensor *positions)
{
    const int64_t n = positions->shape[0];
    const double first = n > 0 ? cli_value(positions, 0) : 0;
    const double step = n > 1 ? cli_value(positions, 1) - first : 1;
    int even = step > 0;

    for (int64_t i = 0; i < n; i++)
        even &= cli_value(positions, i) == first + (double)i * step;
    f->y_label = even ? "position" : "row of the positions";
    f->y_label_zh = even ? "位置" : "位置数组的行";
    f->y_first = even ? first : 0;
    f->y_step = even ? step : 0;
}

static int show(const struct cli *cli, const locant_tensor *positions,
                const locant_tensor *angles)
{
    const struct options *o = cli->options;
    const int64_t T = angles->shape[0], pairs = angles->shape[1];
    const float *cos_sin = angles->data;
    locant_figure f = LOCANT_FIGURE_INIT;
    locant_tensor cosines;

    CLI_TRY(cli_new(&cosines, LOCANT_F32, 2, (int64_t[]){ T, pairs }));
    for (int64_t i = 0; i < T * pairs; i++)
        ((float *)cosines.data)[i] = cos_sin[2 * i];
    f.title = "Cosine of the angle of each pair";
    f.title_zh = "每对维度的角度的余弦";
    f.x_label = "pair";
    f.x_label_zh = "维度对";
    number_rows(&f, positions);
    return cli_show_cells(cli, &f, &cosines, o->color);
}

/* --------------------------------------------------------------------- run */

static int check(const struct cli *cli)
{
    const struct options *o = cli->options;

    if (!(o->base > 0))
        return cli_refuse("--base '%g': should be above 0", o->base);
    if (o->dim % 2 != 0)
        return cli_refuse("--dim '%" PRId64 "': should be even", o->dim);
    if (cli_given(cli, "compare") && o->out != NULL)
        return cli_refuse("--compare prints a table and cannot be combined "
                          "with --output");
    if (cli_given(cli, "compare") && cli_given(cli, "mode"))
        return cli_refuse(
            "--compare computes the exact angles and those of the "
            "recipe; --mode cannot be combined with it");
    if (cli_given(cli, "compare") || o->out == NULL)
        return CLI_OK;
    CLI_TRY(cli_need(cli, "positions"));
    return cli_need(cli, "dim");
}

static int run(const struct cli *cli)
{
    const struct options *o = cli->options;
    locant_tensor positions, angles;

    CLI_TRY(check(cli));
    if (o->positions != NULL)
        CLI_TRY(cli_read_positions(&positions, o->positions));
    else
        CLI_TRY(cli_given(cli, "compare") ? ends_of_decades(&positions)
                                          : cli_range(&positions, 0, SHOWN));
    if (cli_given(cli, "compare"))
        return compare(cli, &positions);
    CLI_TRY(compute(&angles, o, &positions, (locant_angle_mode)o->mode));
    return o->out != NULL ? cli_write(cli, o->out, &angles)
                          : show(cli, &positions, &angles);
}

const struct cli_command cli_angles = {
    .name = "angles",
    .summary = "exact cos and sin, and the error of recipes",
    .usage = "[--base B] --dim D --positions P.npy\n"
             "       [--mode exact|hf|ggml] -o OUT.npy\n"
             "[--base B] [--dim D] [--positions P.npy]\n"
             "[--base B] [--dim D] --compare hf|ggml [--positions P.npy]",
    .doc = "The first form writes cos and sin of position x B^(-2i/D).  The "
           "second\ndraws the cosines in the terminal, at positions 0 to 19 or "
           "those of P.npy.\nThe third prints the largest error of a float32 "
           "recipe for each power of\nten: over the last 256 positions up to "
           "that power, or over those of P.npy.",
    .examples = "locant angles --base 10000 --dim 64 --positions P.npy "
                "-o A.npy\n"
                "locant angles --base 500000 --dim 64\n"
                "locant angles --compare hf\n"
                "locant angles --compare ggml --base 500000 --dim 128",
    CLI_OPTIONS,
    .computes = 1,
    .run = run
};
