/* model_waves.c - the wavelengths of a position plan, as a picture */
#include <math.h>

#include "model_waves.h"

enum { SERIES = 8, PAIRS = 4096 };

/* The curve of one group: log10 of the wavelength by pair. */
static void curve(locant_series *s, const json_t *g, double *x, double *y)
{
    const json_t *waves =
        json_object_get(json_object_get(g, "rotation"), "wavelengths");
    const json_t *numbers = json_object_get(g, "layers");

    s->n = json_array_size(waves) < PAIRS ? json_array_size(waves) : PAIRS;
    for (size_t i = 0; i < s->n; i++) {
        x[i] = (double)i;
        y[i] = json_is_null(json_array_get(waves, i))
                   ? NAN
                   : log10(json_number_value(json_array_get(waves, i)));
    }
    s->x = x;
    s->y = y;
    s->color = -1;
    s->label =
        cli_text("layer %lld%s",
                 (long long)json_integer_value(json_array_get(numbers, 0)),
                 json_array_size(numbers) > 1 ? " and others" : "");
}

/* Equal lists of wavelengths are drawn once. */
static bool drawn(const json_t *groups, size_t g)
{
    const json_t *waves = json_object_get(
        json_object_get(json_array_get(groups, g), "rotation"), "wavelengths");

    for (size_t i = 0; i < g; i++)
        if (json_equal(waves, json_object_get(
                                  json_object_get(json_array_get(groups, i),
                                                  "rotation"),
                                  "wavelengths")))
            return true;
    return json_array_size(waves) == 0;
}

int model_waves_draw(const json_t *plan, const char *path, int color)
{
    const json_t *groups = json_object_get(
        json_array_get(json_object_get(plan, "towers"), 0), "groups");
    const double length = json_number_value(
        json_object_get(json_object_get(plan, "length"), "trained"));
    locant_figure f = LOCANT_FIGURE_INIT;
    locant_series series[SERIES + 1] = { { 0 } };
    double ends[2] = { 0, 0 }, level[2];
    double *room = cli_alloc(2 * SERIES, PAIRS * sizeof *room);

    if (room == NULL)
        return CLI_INPUT;
    for (size_t g = 0; g < json_array_size(groups) && f.n_series < SERIES; g++)
        if (!drawn(groups, g)) {
            double *x = room + 2 * f.n_series * PAIRS;
            locant_series *s = &series[f.n_series++];

            curve(s, json_array_get(groups, g), x, x + PAIRS);
            ends[1] = fmax(ends[1], (double)(s->n - 1));
        }
    if (f.n_series == 0)
        return path != NULL
                   ? cli_refuse("--figure: no layer of the first tower rotates")
                   : CLI_OK;
    if (length > 0) {
        level[0] = level[1] = log10(length);
        series[f.n_series++] = (locant_series){ .label = "trained length",
                                                .n = 2,
                                                .x = ends,
                                                .y = level,
                                                .dashed = 1,
                                                .color = -1 };
    }
    f.title = "Wavelengths by pair, positions";
    f.x_label = "pair";
    f.y_label = "log10 of the wavelength";
    f.series = series;
    f.width = 480;
    f.height = 320;
    if (path == NULL) {
        putchar('\n');
        return cli_status(cli_show_figure(&f, color, NULL));
    }
    return cli_status_input(locant_figure_write(&f, path));
}
