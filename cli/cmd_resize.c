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
                "new rows, after the prefix"),
    OPT_TEXT("grid", grid, "HxW", "new grid of rows x columns, row-major"),
    OPT_TEXT("from-grid", from_grid, "HxW",
             "grid of the table; a square if left out"),
    OPT_INTEGER("prefix", prefix, "P", 0, INT64_C(1) << 40,
                "rows at the start (class tokens) to copy"),
    OPT_CHOICE("form", form, "vit|hf|timm|dinov2|dinov2-reg|qwen3vl",
               "do what that code does"),
    OPT_CHOICE("kind", kind, "linear|cubic", "interpolation",
               .fallback = "linear"),
    OPT_FLAG("align-corners", align_corners,
             "end rows stay ends; otherwise half-pixel coordinates"),
    OPT_FLAG("antialias", antialias,
             "stretch the kernel when the table shrinks; cubic a = -0.5"),
    OPT_REAL("offset", offset, "X",
             "added to each new size in the coordinates, 0 to 1"),
    OPT_FILE("output", out, "OUT.npy", "dtype of the table", .letter = 'o',
             .required = 1),
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
    return cli_fail(CLI_USAGE,
                    "--%s '%s': should be ROWSxCOLUMNS, such as "
                    "14x14",
                    option, text);
}

/* A form sets these options itself, so they must not be given. */
static int check_form(const struct cli *cli)
{
    static const char *const parts[] = { "kind", "align-corners", "antialias",
                                         "offset" };

    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (cli_given(cli, "form") && cli_given(cli, parts[i]))
            return cli_fail(CLI_USAGE,
                            "--form already sets --%s; give only "
                            "one of them",
                            parts[i]);
    }
    return CLI_OK;
}

static int read_options(locant_resize *how, const struct cli *cli)
{
    const struct options *o = cli->options;
    int failed = check_form(cli);

    if (failed)
        return failed;
    if (cli_given(cli, "to") == (o->grid != NULL))
        return cli_fail(CLI_USAGE, "resize: give one of --to N and --grid HxW");
    if (o->from_grid != NULL && o->grid == NULL)
        return cli_fail(CLI_USAGE, "--from-grid needs --grid");
    how->prefix = o->prefix;
    how->kind = (locant_resize_kind)o->kind;
    how->align_corners = o->align_corners;
    how->antialias = o->antialias;
    how->offset = o->offset;
    if (cli_given(cli, "form")) {
        locant_status s =
            locant_resize_set_form(how, (locant_resize_form)o->form);

        if (s != LOCANT_OK)
            return cli_error(s);
    }
    if (o->grid != NULL)
        failed = parse_grid(&how->rows, &how->columns, "grid", o->grid);
    if (!failed && o->from_grid != NULL)
        failed = parse_grid(&how->from_rows, &how->from_columns, "from-grid",
                            o->from_grid);
    return failed;
}

static int write_resized(const struct cli *cli, const locant_tensor *table,
                         const locant_resize *how)
{
    const struct options *o = cli->options;
    int64_t n = o->grid != NULL ? how->rows * how->columns : o->to;
    const int64_t shape[] = { how->prefix + n, table->shape[1] };
    locant_array out;
    locant_status s;
    int status = cli_new(&out, table->dtype, 2, shape);

    if (status != CLI_OK)
        return status;
    s = o->grid != NULL ? locant_resize_2d(&out.tensor, table, how)
                        : locant_resize_1d(&out.tensor, table, how);
    if (s == LOCANT_OK)
        status = cli_write(cli, o->out, &out.tensor);
    else
        status = s == LOCANT_ERR_PARAM ? cli_error(s) : cli_error_input(s);
    cli_free(&out);
    return status;
}

static int run(const struct cli *cli)
{
    locant_resize how = LOCANT_RESIZE_INIT;
    locant_array table;
    locant_status s;
    char shape[160];
    int status = read_options(&how, cli);

    if (status != CLI_OK)
        return status;
    s = locant_npy_read(&table, cli->words[0]);
    if (s != LOCANT_OK)
        return cli_error_input(s);
    cli_shape_text(shape, sizeof shape, &table.tensor);
    if (table.tensor.rank != 2)
        status = cli_fail(CLI_INPUT, "%s: has shape %s, expected [rows, D]",
                          cli->words[0], shape);
    else
        status = write_resized(cli, &table.tensor, &how);
    locant_array_free(&table);
    return status;
}

/* clang-format off */
const struct cli_command cli_resize = {
    .name = "resize", .summary = "a learned table for another length or grid",
    .usage = "TABLE.npy --to N [OPTIONS] -o OUT.npy\n"
             "TABLE.npy --grid HxW [--from-grid HxW] [OPTIONS] -o OUT.npy",
    .doc = "Interpolates the rows of a table of positions, f32 or f64.  A form "
           "is what\na published code does at another image size:\n"
           "  vit         bilinear, ends on ends (JAX ViT)\n"
           "  hf          bicubic a = -0.75, half pixel (transformers, MAE)\n"
           "  timm        bicubic a = -0.5, antialias\n"
           "  dinov2      hf with an offset of 0.1\n"
           "  dinov2-reg  timm, as DINOv2's models with registers\n"
           "  qwen3vl     bilinear, ends on ends",
    .examples = "locant resize P.npy --to 2048 --align-corners -o P2048.npy\n"
                "locant resize P.npy --grid 24x32 --from-grid 14x14 --prefix 1 "
                "\\\n    --form hf -o P2.npy",
    .options = options, .options_size = sizeof(struct options),
    .min_words = 1, .max_words = 1, .computes = 1, .run = run
};
/* clang-format on */
