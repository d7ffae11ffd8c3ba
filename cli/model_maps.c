/* model_maps.c - what 'locant model probe' measures, as two heat maps */
#include <math.h>

#include "model_maps.h"

static double item(const json_t *list, size_t i)
{
    const json_t *value = json_array_get(list, i);

    return json_is_number(value) ? json_number_value(value) : NAN;
}

/* Values of a head by column, as a list: [bins], or the shares of its pairs. */
static const json_t *values_of(const json_t *head, int pairs)
{
    return pairs ? json_object_get(json_object_get(head, "pairs"), "share")
                 : json_object_get(head, "bins");
}

size_t model_maps_columns(const json_t *layers, int pairs)
{
    const json_t *layer, *head;
    size_t most = 0, i, j, n;

    json_array_foreach(layers, i, layer)
        json_array_foreach(json_object_get(layer, "heads"), j, head) {
            n = json_array_size(values_of(head, pairs));
            most = n > most ? n : most;
        }
    return most;
}

struct map {
    locant_figure figure;
    double *cells; /* [layers, columns]; NAN: none */
    double largest;
    const char **names; /* [columns], or NULL */
};

/* Means over heads; shares of pairs as multiples of an even share. */
static void fill_row(double *row, size_t columns, const json_t *heads,
                     int pairs)
{
    const json_t *head;
    size_t j;

    for (size_t c = 0; c < columns; c++) {
        double sum = 0;

        json_array_foreach(heads, j, head) {
            const json_t *values = values_of(head, pairs);

            sum +=
                item(values, c) * (pairs ? (double)json_array_size(values) : 1);
        }
        row[c] = sum / (double)json_array_size(heads);
    }
}

/* No columns: there is nothing to draw. */
static int make_map(struct map *m, const json_t *probe, int pairs)
{
    const json_t *layers = json_object_get(probe, "layers");
    const json_t *bins = json_object_get(probe, "bins");
    const size_t rows = json_array_size(layers);
    const size_t n = model_maps_columns(layers, pairs);

    *m = (struct map){ .figure = LOCANT_FIGURE_INIT };
    m->cells = cli_alloc(rows * n + 1, sizeof *m->cells);
    m->names = cli_alloc(n + 1, sizeof *m->names);
    if (m->cells == NULL || m->names == NULL)
        return CLI_INPUT;
    for (size_t i = 0; i < rows; i++)
        fill_row(m->cells + i * n, n,
                 json_object_get(json_array_get(layers, i), "heads"), pairs);
    for (size_t i = 0; i < rows * n; i++)
        m->largest = fmax(m->largest, m->cells[i]);
    for (size_t c = 0; !pairs && c < n; c++)
        m->names[c] = cli_text("%.0f", item(bins, c));
    m->figure.kind = LOCANT_FIGURE_HEATMAP;
    m->figure.title = pairs ? "|q| |k| of each pair, as multiples of an even "
                              "share"
                            : "Attention weight by distance";
    m->figure.x_label = pairs ? "pair" : "distance";
    m->figure.y_label = "layer";
    m->figure.cells = m->cells;
    m->figure.rows = (int64_t)rows;
    m->figure.cols = (int64_t)n;
    m->figure.y_first =
        json_number_value(json_object_get(json_array_get(layers, 0), "layer"));
    m->figure.y_step = 1;
    m->figure.col_names = pairs ? NULL : m->names;
    m->figure.y_max = m->largest;
    return CLI_OK;
}

/* Both on one scale: relative to the largest cell of each. */
static int write_maps(struct map *maps, const char *path)
{
    locant_figure panels[2], figure = LOCANT_FIGURE_INIT;

    for (int k = 0; k < 2; k++) {
        struct map *m = &maps[k];

        for (int64_t i = 0; i < m->figure.rows * m->figure.cols; i++)
            m->cells[i] /= m->largest;
        if (k == 1)
            m->figure.title = "|q| |k| by pair of channels";
        if (m->figure.cols > 0)
            panels[figure.n_panels++] = m->figure;
    }
    figure.kind = LOCANT_FIGURE_PANELS;
    figure.title = "Relative to the largest cell of each map";
    figure.y_max = 1;
    figure.panels = panels;
    return cli_status_input(locant_figure_write(&figure, path));
}

int model_maps_draw(const json_t *probe, const char *path, int color)
{
    struct map maps[2];

    for (int k = 0; k < 2; k++)
        CLI_TRY(make_map(&maps[k], probe, k));
    if (path != NULL)
        return write_maps(maps, path);
    for (int k = 0; k < 2; k++) {
        if (maps[k].figure.cols == 0)
            continue;
        putchar('\n');
        CLI_TRY(cli_status(cli_show_figure(&maps[k].figure, color, NULL)));
    }
    return CLI_OK;
}
