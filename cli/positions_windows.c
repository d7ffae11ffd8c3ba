/* positions_windows.c - forms for grids, segments, caches and distances. */
#include "positions.h"

/* ------------------------------------------------------- grids and M-RoPE */

/* Parse one size for all axes, or one for each. */
static int parse_pretrained(locant_grid *g, const char *text, int axes)
{
    int64_t size[3];
    int n = pos_parse_sizes(size, 3, text);

    if (n != 1 && n != axes)
        return cli_refuse("--pretrained '%s': should be N, or one number for "
                          "each axis of --size",
                          text);
    for (int a = 0; a < axes; a++)
        g->pretrained[3 - axes + a] = (double)size[n == 1 ? 0 : a];
    return CLI_OK;
}

int form_grid(const struct cli *cli)
{
    const struct options *o = cli->options;
    locant_grid g = LOCANT_GRID_INIT;
    locant_tensor out;
    int64_t size[3], n;
    int axes;

    CLI_TRY(cli_need(cli, "size"));
    axes = pos_parse_sizes(size, 3, o->size);
    if (axes < 2)
        return cli_refuse("--size '%s': should be HxW or TxHxW", o->size);
    g.kind = (locant_grid_kind)o->coordinates;
    g.merge = o->merge;
    g.prefix = o->prefix;
    g.frames = axes == 3 ? size[0] : 1;
    g.rows = size[axes - 2];
    g.cols = size[axes - 1];
    if (o->pretrained != NULL)
        CLI_TRY(parse_pretrained(&g, o->pretrained, axes));
    if (__builtin_mul_overflow(g.rows, g.cols, &n) ||
        __builtin_mul_overflow(n, g.frames, &n) ||
        __builtin_add_overflow(n, g.prefix, &n))
        return cli_refuse("--size '%s': too many patches for memory", o->size);
    CLI_TRY(pos_new(&out, LOCANT_F64, n, axes));
    CLI_TRY(cli_status(locant_positions_from_grid(&out, &g)));
    return pos_write_matrix(cli, &out, NULL);
}

/* Parse the words after the form; 'out' is of the pool that main() frees. */
static int parse_segments(locant_segment **out, size_t *n,
                          const struct cli *cli)
{
    *n = cli->n_words - 1;
    *out = cli_alloc(*n + 1, sizeof **out);
    if (*out == NULL)
        return CLI_INPUT;
    if (*n == 0)
        return cli_refuse("positions %s: needs segments, such as text:3 "
                          "image:2x3",
                          cli->words[0]);
    for (size_t i = 0; i < *n; i++)
        CLI_TRY(pos_parse_segment(*out + i, cli->words[i + 1]));
    return CLI_OK;
}

int form_mrope(const struct cli *cli)
{
    const struct options *o = cli->options;
    locant_segment *segments;
    int64_t tokens = 0, delta;
    locant_tensor out;
    double real;
    size_t n;

    CLI_TRY(parse_segments(&segments, &n, cli));
    CLI_TRY(cli_status(locant_mrope_tokens(&tokens, segments, n)));
    CLI_TRY(pos_new(&out, LOCANT_I64, tokens, 3));
    CLI_TRY(cli_status(locant_positions_from_segments(
        &out, &delta, segments, n, (locant_mrope_next)o->next)));
    real = (double)delta;
    return pos_write_matrix(cli, &out, &real);
}

int form_ids(const struct cli *cli)
{
    const struct options *o = cli->options;
    locant_ids ids = LOCANT_IDS_INIT;
    locant_segment *segments;
    int64_t tokens = 0, lanes = 0;
    locant_tensor out;
    double delta;
    size_t n;

    ids.scheme = (locant_ids_scheme)o->scheme;
    ids.delta = o->delta;
    ids.rate = o->rate;
    ids.chunk = o->chunk;
    ids.first_image = o->first_image;
    CLI_TRY(parse_segments(&segments, &n, cli));
    CLI_TRY(cli_status(locant_ids_shape(&tokens, &lanes, &ids, segments, n)));
    CLI_TRY(pos_new(&out,
                    ids.scheme == LOCANT_IDS_VIDEO &&
                            ids.delta != (double)(int64_t)ids.delta
                        ? LOCANT_F64
                        : LOCANT_I64,
                    tokens, lanes));
    CLI_TRY(cli_status(
        locant_positions_multimodal(&out, &delta, &ids, segments, n)));
    return pos_write_matrix(cli, &out,
                            ids.scheme < LOCANT_IDS_FLUX ? &delta : NULL);
}

/* ---------------------------------------------------- caches and windows */

int form_streaming(const struct cli *cli)
{
    const struct options *o = cli->options;
    locant_tensor out, tokens, positions;
    int64_t kept = 0;

    CLI_TRY(cli_need(cli, "length"));
    CLI_TRY(cli_need(cli, "window"));
    CLI_TRY(cli_status(
        locant_streaming_kept(&kept, o->length, o->sinks, o->window)));
    CLI_TRY(pos_new(&out, LOCANT_I64, 2, kept));
    tokens = pos_row(&out, 0);
    positions = pos_row(&out, 1);
    CLI_TRY(cli_status(locant_positions_streaming(
        &tokens, &positions, o->length, o->sinks, o->window)));
    return pos_write_matrix(cli, &out, NULL);
}

int form_selfextend(const struct cli *cli)
{
    const struct options *o = cli->options;
    locant_tensor positions, out, q, k;

    CLI_TRY(cli_need(cli, "window"));
    CLI_TRY(cli_need(cli, "group"));
    CLI_TRY(pos_read_or_range(&positions, cli));
    if (positions.shape[0] != 1)
        return cli_fail(CLI_INPUT, "--positions: %s: expected one row",
                        o->positions);
    CLI_TRY(pos_new(&out, LOCANT_I64, 2, positions.shape[1]));
    q = locant_dense(pos_row(&out, 0).data, LOCANT_I64, 2, positions.shape);
    k = locant_dense(pos_row(&out, 1).data, LOCANT_I64, 2, positions.shape);
    CLI_TRY(pos_status(
        o->positions,
        locant_positions_selfextend(&q, &k, &positions, o->group, o->window)));
    return pos_write_matrix(cli, &out, NULL);
}

int form_longlora(const struct cli *cli)
{
    const struct options *o = cli->options;
    locant_tensor out;

    CLI_TRY(cli_need(cli, "length"));
    CLI_TRY(cli_need(cli, "group"));
    CLI_TRY(pos_new(&out, LOCANT_I64, 2, o->length));
    CLI_TRY(cli_status(locant_positions_longlora(
        &out, o->group, (locant_longlora_form)o->cut)));
    return pos_write_matrix(cli, &out, NULL);
}

int form_distance(const struct cli *cli)
{
    const struct options *o = cli->options;
    const locant_distance_form form = { .kind =
                                            (locant_distance_kind)o->distance,
                                        .window = o->window,
                                        .group = o->group,
                                        .factor = o->factor,
                                        .sinks = o->sinks };
    locant_tensor q, k, out;

    CLI_TRY(cli_need(cli, "window"));
    CLI_TRY(cli_need(cli, "queries"));
    CLI_TRY(cli_need(cli, "keys"));
    CLI_TRY(cli_range(&q, o->keys - o->queries, o->queries));
    CLI_TRY(cli_range(&k, 0, o->keys));
    CLI_TRY(pos_new(&out, LOCANT_F64, o->queries, o->keys));
    CLI_TRY(cli_status(locant_distances(&out, &form, &q, &k)));
    return pos_write_matrix(cli, &out, NULL);
}

int form_temperature(const struct cli *cli)
{
    const struct options *o = cli->options;
    const locant_temperature_form form = {
        .kind = (locant_temperature_kind)o->temperature,
        .scale = o->scale,
        .length = o->trained
    };
    locant_tensor positions, out;

    CLI_TRY(pos_read_or_range(&positions, cli));
    CLI_TRY(pos_new(&out, LOCANT_F64, positions.shape[0], positions.shape[1]));
    for (int64_t b = 0; b < positions.shape[0]; b++) {
        const locant_tensor p = pos_row(&positions, b);
        locant_tensor x = pos_row(&out, b);

        CLI_TRY(pos_status(o->positions, locant_temperatures(&x, &form, &p)));
    }
    return pos_write(cli, &out);
}
