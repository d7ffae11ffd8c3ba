/* cmd_resize.c - locant resize: a learned table for another length or grid. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli.h"

struct options {
    int64_t to, prefix;
    const char *grid, *from_grid, *out;
    int form, kind, align_corners, antialias;
    double offset;
};

static const struct cli_option options[] = {
    OPT_INTEGER("to", to, "N", 0, INT64_C(1) << 40,
                "number of new rows, without the prefix"),
    OPT_TEXT("grid", grid, "HxW", "new grid of rows x columns, row-major"),
    OPT_TEXT("from-grid", from_grid, "HxW",
             "grid of the table; a square if left out"),
    OPT_INTEGER("prefix", prefix, "P", 0, INT64_C(1) << 40,
                "rows at the start (class tokens) to copy"),
    OPT_CHOICE("form", form, "vit|hf|timm|dinov2|dinov2-reg|qwen3vl",
               "resize as that model's code does"),
    OPT_CHOICE("kind", kind, "linear|cubic", "interpolation",
               .fallback = "linear"),
    OPT_FLAG("align-corners", align_corners,
             "map end rows to end rows; otherwise half-pixel coordinates"),
    OPT_FLAG("antialias", antialias,
             "stretch the kernel when the table shrinks; cubic a = -0.5"),
    OPT_REAL("offset", offset, "X",
             "added to each new size in the coordinates, 0 to 1"),
    OPT_OUTPUT(out, "OUT.npy", "dtype of the table"),
    OPT_END
};

static int parse_grid(int64_t *rows, int64_t *columns, const char *option,
                      const char *text)
{
    char after;

    if (strspn(text, "0123456789x") == strlen(text) && strlen(text) < 20 &&
        sscanf(text, "%" SCNd64 "x%" SCNd64 "%c", rows, columns, &after) == 2 &&
        *rows > 0 && *columns > 0 && *rows < INT64_C(1) << 30 &&
        *columns < INT64_C(1) << 30)
        return CLI_OK;
    return cli_refuse("--%s '%s': should be ROWSxCOLUMNS, such as 14x14",
                      option, text);
}

/* A form sets these options itself, so they must not be given. */
static int check_form(const struct cli *cli)
{
    static const char *const names[] = { "kind", "align-corners", "antialias",
                                         "offset" };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (cli_given(cli, "form") && cli_given(cli, names[i]))
            return cli_refuse("--form already sets --%s; give only one of them",
                              names[i]);
    }
    return CLI_OK;
}

static int read_options(locant_resize *how, const struct cli *cli)
{
    const struct options *o = cli->options;

    CLI_TRY(check_form(cli));
    if (cli_given(cli, "to") == (o->grid != NULL))
        return cli_refuse("resize: give one of --to N and --grid HxW");
    if (o->from_grid != NULL && o->grid == NULL)
        return cli_refuse("--from-grid needs --grid");
    how->prefix = o->prefix;
    how->kind = (locant_resize_kind)o->kind;
    how->align_corners = o->align_corners;
    how->antialias = o->antialias;
    how->offset = o->offset;
    if (cli_given(cli, "form"))
        CLI_TRY(cli_status(
            locant_resize_set_form(how, (locant_resize_form)o->form)));
    if (o->grid != NULL)
        CLI_TRY(parse_grid(&how->rows, &how->columns, "grid", o->grid));
    if (o->from_grid != NULL)
        CLI_TRY(parse_grid(&how->from_rows, &how->from_columns, "from-grid",
                           o->from_grid));
    return CLI_OK;
}

static int run(const struct cli *cli)
{
    const struct options *o = cli->options;
    locant_resize how = LOCANT_RESIZE_INIT;
    locant_tensor table, out;
    locant_status s;
    int64_t shape[2];

    CLI_TRY(read_options(&how, cli));
    CLI_TRY(cli_read(&table, NULL, cli->words[0]));
    if (table.rank != 2)
        return cli_fail(CLI_INPUT, "%s: has shape %s, expected [rows, D]",
                        cli->words[0], cli_shape_text(&table));
    shape[0] = how.prefix + (o->grid != NULL ? how.rows * how.columns : o->to);
    shape[1] = table.shape[1];
    CLI_TRY(cli_new(&out, table.dtype, 2, shape));
    s = o->grid != NULL ? locant_resize_2d(&out, &table, &how)
                        : locant_resize_1d(&out, &table, &how);
    CLI_TRY(s == LOCANT_ERR_PARAM ? cli_status(s) : cli_status_input(s));
    return cli_write(cli, o->out, &out);
}

/* clang-format off */
const struct cli_command cli_resize = {
    .name = "resize", .summary = "a learned table for another length or grid",
    .usage = "TABLE.npy --to N [OPTIONS] -o OUT.npy\n"
             "TABLE.npy --grid HxW [--from-grid HxW] [OPTIONS] -o OUT.npy",
    .doc = "Interpolates the rows of a table of positions, f32 or f64.  A form "
           "does what\npublished code does at another image size:\n"
           "  vit         bilinear, ends on ends (JAX ViT)\n"
           "  hf          bicubic a = -0.75, half pixel (transformers, MAE)\n"
           "  timm        bicubic a = -0.5, antialias\n"
           "  dinov2      hf with an offset of 0.1\n"
           "  dinov2-reg  timm, as DINOv2's models with registers\n"
           "  qwen3vl     bilinear, ends on ends",
    .examples = "locant resize P.npy --to 2048 --align-corners -o P2048.npy\n"
                "locant resize P.npy --grid 24x32 --from-grid 14x14 --prefix 1 "
                "\\\n    --form hf -o P2.npy",
    CLI_OPTIONS,
    .min_words = 1, .max_words = 1, .computes = 1, .run = run
};
/* clang-format on */
