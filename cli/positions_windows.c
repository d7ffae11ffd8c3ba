/* positions_windows.c - grids, segments, caches, groups, distances. */
#include <stdlib.h>

#include "positions.h"

/* ------------------------------------------------------- grids and M-RoPE */

/* Parses one number for all axes, or one for each of 'axes' axes. */
static int read_pretrained(locant_grid *g, const char *text, int axes)
{
    int64_t size[3];
    int n = positions_sizes(size, 3, text);

    if (n != 1 && n != axes)
        return cli_fail(CLI_USAGE,
                        "--pretrained '%s': should be N, or one "
                        "number for each axis of --size",
                        text);
    for (int a = 0; a < axes; a++)
        g->pretrained[3 - axes + a] = (double)size[n == 1 ? 0 : a];
    return CLI_OK;
}

int form_grid(struct positions_result *out, const struct cli *cli)
{
    const struct options *o = cli->options;
    locant_grid g = LOCANT_GRID_INIT;
    int64_t size[3], n;
    int axes, failed = pos_need(cli, "size", "HxW");

    if (failed)
        return failed;
    axes = positions_sizes(size, 3, o->size);
    if (axes < 2)
        return cli_fail(CLI_USAGE, "--size '%s': should be HxW or TxHxW",
                        o->size);
    g.kind = (locant_grid_kind)o->coordinates;
    g.merge = o->merge;
    g.prefix = o->prefix;
    g.frames = axes == 3 ? size[0] : 1;
    g.rows = size[axes - 2];
    g.cols = size[axes - 1];
    if (o->pretrained != NULL)
        failed = read_pretrained(&g, o->pretrained, axes);
    if (!failed && (__builtin_mul_overflow(g.rows, g.cols, &n) ||
                    __builtin_mul_overflow(n, g.frames, &n) ||
                    __builtin_add_overflow(n, g.prefix, &n)))
        failed = cli_fail(CLI_USAGE, "--size '%s': too many patches for memory",
                          o->size);
    if (!failed)
        failed = pos_make(out, LOCANT_F64, n, axes);
    if (!failed)
        failed = pos_status(locant_positions_from_grid(&out->array.tensor, &g));
    return failed;
}

int form_mrope(struct positions_result *out, const struct cli *cli)
{
    const struct options *o = cli->options;
    size_t n = cli->n_words - 1;
    locant_segment *segments = calloc(n + 1, sizeof *segments);
    int64_t tokens = 0;
    int failed = CLI_OK;

    if (segments == NULL)
        return cli_fail(CLI_INPUT, "out of memory");
    if (n == 0)
        failed = cli_fail(CLI_USAGE, "positions mrope: needs segments, such as "
                                     "text:3 image:2x3");
    for (size_t i = 0; i < n && !failed; i++)
        failed = positions_segment(&segments[i], cli->words[i + 1]);
    if (!failed)
        failed = pos_status(locant_mrope_tokens(&tokens, segments, n));
    if (!failed)
        failed = pos_make(out, LOCANT_I64, tokens, 3);
    if (!failed)
        failed = pos_status(locant_positions_from_segments(
            &out->array.tensor, &out->delta, segments, n,
            (locant_mrope_next)o->next));
    out->has_delta = 1;
    free(segments);
    return failed;
}

/* ---------------------------------------------------- caches and windows */

int form_streaming(struct positions_result *out, const struct cli *cli)
{
    const struct options *o = cli->options;
    locant_tensor tokens, places;
    int64_t kept = 0;
    int failed = pos_need(cli, "length", "T");

    if (!failed)
        failed = pos_need(cli, "window", "N");
    if (!failed)
        failed = pos_status(
            locant_streaming_kept(&kept, o->length, o->sinks, o->window));
    if (!failed)
        failed = pos_make(out, LOCANT_I64, 2, kept);
    if (failed)
        return failed;
    tokens = pos_row(out, 0);
    places = pos_row(out, 1);
    return pos_status(locant_positions_streaming(&tokens, &places, o->length,
                                                 o->sinks, o->window));
}

int form_selfextend(struct positions_result *out, const struct cli *cli)
{
    const struct options *o = cli->options;
    locant_array positions = { 0 };
    locant_tensor q, k;
    int failed = pos_need(cli, "window", "N");

    if (!failed)
        failed = pos_need(cli, "group", "N");
    if (!failed)
        failed = pos_read_or_count(&positions, cli);
    if (!failed && positions.tensor.shape[0] != 1)
        failed = cli_fail(CLI_INPUT, "--positions: %s: expected one row",
                          o->positions);
    if (!failed)
        failed = pos_make(out, LOCANT_I64, 2, positions.tensor.shape[1]);
    if (!failed) {
        const int64_t shape[] = { 1, positions.tensor.shape[1] };

        q = locant_dense(pos_row(out, 0).data, LOCANT_I64, 2, shape);
        k = locant_dense(pos_row(out, 1).data, LOCANT_I64, 2, shape);
        failed = pos_status_with(
            o->positions, locant_positions_selfextend(&q, &k, &positions.tensor,
                                                      o->group, o->window));
    }
    cli_free(&positions);
    return failed;
}

int form_longlora(struct positions_result *out, const struct cli *cli)
{
    const struct options *o = cli->options;
    int failed = pos_need(cli, "length", "T");

    if (!failed)
        failed = pos_need(cli, "group", "N");
    if (!failed)
        failed = pos_make(out, LOCANT_I64, 2, o->length);
    if (!failed)
        failed = pos_status(locant_positions_longlora(
            &out->array.tensor, o->group, (locant_longlora_form)o->cut));
    return failed;
}

int form_distance(struct positions_result *out, const struct cli *cli)
{
    const struct options *o = cli->options;
    const locant_distance_form form = { .kind =
                                            (locant_distance_kind)o->distance,
                                        .window = o->window,
                                        .group = o->group,
                                        .factor = o->factor,
                                        .sinks = o->sinks };
    locant_array q = { 0 }, k = { 0 };
    int failed = pos_need(cli, "window", "N");

    if (!failed)
        failed = pos_need(cli, "queries", "T");
    if (!failed)
        failed = pos_need(cli, "keys", "S");
    if (!failed)
        failed = cli_count(&q, o->keys - o->queries, o->queries);
    if (!failed)
        failed = cli_count(&k, 0, o->keys);
    if (!failed)
        failed = pos_make(out, LOCANT_F64, o->queries, o->keys);
    if (!failed)
        failed = pos_status(
            locant_distances(&out->array.tensor, &form, &q.tensor, &k.tensor));
    cli_free(&k);
    cli_free(&q);
    return failed;
}

int form_temperature(struct positions_result *out, const struct cli *cli)
{
    const struct options *o = cli->options;
    const locant_temperature_form form = {
        .kind = (locant_temperature_kind)o->temperature,
        .scale = o->scale,
        .length = o->trained
    };
    locant_array positions = { 0 };
    int failed = pos_read_or_count(&positions, cli);

    if (!failed)
        failed = pos_make(out, LOCANT_F64, positions.tensor.shape[0],
                          positions.tensor.shape[1]);
    for (int64_t b = 0; !failed && b < positions.tensor.shape[0]; b++) {
        const int64_t *T = positions.tensor.shape + 1;
        locant_tensor p = locant_dense((int64_t *)positions.memory + b * *T,
                                       LOCANT_I64, 1, T);
        locant_tensor x = locant_dense((double *)out->array.memory + b * *T,
                                       LOCANT_F64, 1, T);

        failed =
            pos_status_with(o->positions, locant_temperatures(&x, &form, &p));
    }
    cli_free(&positions);
    return failed;
}
