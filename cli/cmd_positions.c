/* cmd_positions.c - locant positions: ids as models number their tokens. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "positions.h"

enum { MOST_PRINTED = 4096 };

#define MOST INT64_MAX

static const struct cli_option options[] = {
    OPT_TEXT("mask", mask, "LIST",
             "mask: 1 token, 0 pad; numbers with commas, or FILE.npy [B, S]"),
    OPT_CHOICE("style", style, "hf5|hf4|opt|plain",
               "mask: ids of pads are 0, 1, 1 or -1; opt starts at 2",
               .fallback = "hf5"),
    OPT_TEXT("tokens", tokens, "LIST", "tokens: token ids"),
    OPT_INTEGER("pad-token", pad_token, "N", 0, INT32_MAX,
                "tokens: id of padding", .fallback = "1"),
    OPT_INTEGER("first", first, "N", INT64_MIN, MOST,
                "mask, tokens: id of the first token"),
    OPT_INTEGER("pad", pad, "N", INT64_MIN, MOST, "mask, tokens: id of pads"),
    OPT_TEXT("lengths", lengths, "LIST", "documents: tokens of each"),
    OPT_FLAG("documents", documents,
             "documents: write document ids instead of positions"),
    OPT_TEXT("positions", positions, "LIST",
             "packing, selfextend, temperature: true positions"),
    OPT_INTEGER("length", length, "T", 0, MOST, "tokens of a row"),
    OPT_INTEGER("batch", batch, "B", 0, MOST, "number of random rows",
                .fallback = "1"),
    OPT_INTEGER("seed", seed, "N", 0, MOST,
                "seed of random positions; without it cape adds none"),
    OPT_INTEGER("range", range, "N", 0, MOST,
                "randomized, spaced, pose: ids are below N"),
    OPT_INTEGER("chunks", chunks, "N", 1, MOST,
                "pose: chunks with a skip between them", .fallback = "2"),
    OPT_REAL("step", step, "X", "cape: distance between neighbours",
             .fallback = "1"),
    OPT_REAL("global", global, "X", "cape: largest shift of a row"),
    OPT_REAL("local", local, "X", "cape: largest shift of a token, in steps"),
    OPT_REAL("max-scale", max_scale, "X", "cape: largest stretch of a row",
             .fallback = "1"),
    OPT_TEXT("size", size, "HxW", "grid: patches, HxW or TxHxW"),
    OPT_CHOICE("coordinates", coordinates, "integer|centres|pretrained",
               "grid: i, (2i + 1 - n) / n, or i * N / n",
               .fallback = "integer"),
    OPT_TEXT("pretrained", pretrained, "N",
             "grid: size trained at, N or HxW or TxHxW"),
    OPT_INTEGER("merge", merge, "N", 1, MOST,
                "grid: patches come in blocks of N x N", .fallback = "1"),
    OPT_INTEGER("prefix", prefix, "N", 0, MOST,
                "grid: tokens before the patches"),
    OPT_CHOICE("next", next, "max|grid",
               "mrope: after a video continue at its start + max(H, W), as in "
               "transformers 5, or at the largest id + 1, as in the paper and "
               "transformers 4",
               .fallback = "grid"),
    OPT_INTEGER("sinks", sinks, "N", 0, MOST, "streaming: first tokens kept",
                .fallback = "4"),
    OPT_INTEGER("window", window, "N", 1, MOST,
                "true distances below N; streaming: last tokens kept"),
    OPT_INTEGER("group", group, "N", 1, MOST,
                "selfextend, longlora: tokens of a group", .fallback = "1"),
    OPT_FLAG("cut", cut,
             "longlora: half groups at both ends instead of one rolled around"),
    OPT_CHOICE("distance", distance, "rerope|leaky|selfextend|streaming",
               "distance: which scheme", .fallback = "rerope"),
    OPT_REAL("factor", factor, "X", "leaky: steps beyond the window count 1/X",
             .fallback = "2"),
    OPT_INTEGER("queries", queries, "T", 0, MOST,
                "distance: query i is at S - T + i"),
    OPT_INTEGER("keys", keys, "S", 0, MOST, "distance: key j is at j"),
    OPT_CHOICE("temperature", temperature, "llama4|ministral|logn|inkling",
               "temperature: which model", .fallback = "llama4"),
    OPT_REAL("scale", scale, "X", "temperature: factor of the logarithm",
             .fallback = "0.1"),
    OPT_INTEGER("trained", trained, "L", 1, MOST, "temperature: trained length",
                .fallback = "8192"),
    OPT_FILE(
        "output", out, "OUT.npy",
        "i64, or f64 where coordinates are real; without it they are printed",
        .letter = 'o'),
    OPT_END
};

/* ------------------------------------------------------------------- forms */

static int unknown_form(const char *word)
{
    const char *names[32] = { NULL };

    for (size_t n = 0; positions_forms[n].name != NULL; n++)
        names[n] = positions_forms[n].name;
    return cli_unknown("form", word, names, "locant positions --help");
}

/* Refuse options that do nothing for this form. */
static int check_options(const struct cli *cli,
                         const struct positions_form *form)
{
    char word[32];

    for (size_t i = 0; options[i].name != NULL; i++) {
        snprintf(word, sizeof word, " %s ", options[i].name);
        if (cli_given(cli, options[i].name) && options[i].letter == 0 &&
            strstr(form->takes, word) == NULL)
            return cli_fail(CLI_USAGE,
                            "--%s is not an option of 'positions "
                            "%s'",
                            options[i].name, form->name);
    }
    if (cli->n_words > 1 && strcmp(form->name, "mrope") != 0)
        return cli_fail(CLI_USAGE, "positions %s: unexpected argument '%s'",
                        form->name, cli->words[1]);
    return CLI_OK;
}

static int find_form(const struct positions_form **out, const struct cli *cli)
{
    for (*out = positions_forms; (*out)->name != NULL; ++*out) {
        if (strcmp((*out)->name, cli->words[0]) == 0)
            return check_options(cli, *out);
    }
    return unknown_form(cli->words[0]);
}

/* ---------------------------------------------------------------- printing */

/* The columns of a result [columns] or [rows, columns]. */
static int64_t columns_of(const locant_tensor *t)
{
    return t->shape[t->rank - 1];
}

static int64_t rows_of(const locant_tensor *t)
{
    return t->rank == 1 ? 1 : t->shape[0];
}

static void print_text(const locant_tensor *t)
{
    int64_t columns = columns_of(t);

    for (int64_t i = 0; i < rows_of(t) * columns; i++) {
        const char *end = i % columns == columns - 1 ? "\n" : " ";

        if (t->dtype == LOCANT_I64)
            printf("%" PRId64 "%s", ((const int64_t *)t->data)[i], end);
        else
            printf("%.12g%s", ((const double *)t->data)[i], end);
    }
}

static json_t *json_row(const locant_tensor *t, int64_t row)
{
    json_t *out = json_array();

    for (int64_t c = 0; c < columns_of(t); c++) {
        int64_t i = row * columns_of(t) + c;

        json_array_append_new(out,
                              t->dtype == LOCANT_I64
                                  ? json_integer(((const int64_t *)t->data)[i])
                                  : cli_real(((const double *)t->data)[i]));
    }
    return out;
}

static int print_json(const struct positions_result *r, const char *form)
{
    const locant_tensor *t = &r->array.tensor;
    json_t *values = t->rank == 1 ? json_row(t, 0) : json_array(), *all;

    for (int64_t b = 0; t->rank == 2 && b < t->shape[0]; b++)
        json_array_append_new(values, json_row(t, b));
    all = json_pack("{s:s, s:s, s:o, s:o}", "form", form, "dtype",
                    locant_dtype_name(t->dtype), "shape", cli_shape(t),
                    "values", values);
    if (r->has_delta && all != NULL)
        json_object_set_new(all, "delta", json_integer(r->delta));
    return cli_json(all);
}

static int print(const struct cli *cli, const struct positions_result *r)
{
    int64_t n = rows_of(&r->array.tensor) * columns_of(&r->array.tensor);

    if (n > MOST_PRINTED)
        return cli_fail(CLI_USAGE,
                        "positions %s: %" PRId64 " numbers are too many to "
                        "print; write them with --output OUT.npy",
                        cli->words[0], n);
    if (cli->json)
        return print_json(r, cli->words[0]);
    print_text(&r->array.tensor);
    return CLI_OK;
}

/* --------------------------------------------------------------------- run */

static int run(const struct cli *cli)
{
    const struct options *o = cli->options;
    const struct positions_form *form;
    struct positions_result r = { .status = CLI_OK };
    int status = find_form(&form, cli);

    if (status == CLI_OK)
        status = form->make(&r, cli);
    if (status == CLI_OK && !form->is_matrix && r.array.tensor.shape[0] == 1)
        r.array.tensor = locant_dense(r.array.memory, r.array.tensor.dtype, 1,
                                      r.array.tensor.shape + 1);
    if (status == CLI_OK)
        status = o->out != NULL ? cli_write(cli, o->out, &r.array.tensor)
                                : print(cli, &r);
    if (status == CLI_OK && r.has_delta && !(cli->json && o->out == NULL))
        fprintf(stderr, "delta %" PRId64 "\n", r.delta);
    cli_free(&r.array);
    return status == CLI_OK ? r.status : status;
}

const struct cli_command cli_positions = {
    .name = "positions",
    .summary = "position ids, numbered as models do",
    .usage = "FORM [options] [-o OUT.npy]\n"
             "mrope SEGMENT... [--next max|grid] [-o OUT.npy]",
    .doc =
        "  mask        ids of tokens among pads, from an attention mask\n"
        "  tokens      the same from token ids and the id of padding\n"
        "  documents   positions, or document ids, of packed documents\n"
        "  packing     documents as transformers finds them in ids; exit 1\n"
        "              if there is only one\n"
        "  grid        coordinates of patches [patches, axes]\n"
        "  mrope       ids (t, h, w) of text:N, image:HxW,\n"
        "              video:TxHxW[@INTERVAL], frames:TxHxW[+BEFORE[+AFTER]]\n"
        "  randomized  distinct ids below --range, rising; spaced: evenly\n"
        "  pose        chunks with random skips between them\n"
        "  cape        real positions, centred; with --seed augmented\n"
        "  streaming   tokens kept, and their positions in the cache\n"
        "  selfextend  grouped positions of queries, and of keys\n"
        "  longlora    groups of the first half of the heads, of the second\n"
        "  distance    effective distance of each query from each key\n"
        "  temperature factor of the query at each position",
    .examples = "locant positions mask --mask 0,0,1,1,1 --style opt\n"
                "locant positions mrope text:3 image:2x3 text:2\n"
                "locant positions distance --distance selfextend --window 4 "
                "\\\n    --group 2 --queries 1 --keys 8",
    .options = options,
    .options_size = sizeof(struct options),
    .min_words = 1,
    .max_words = SIZE_MAX,
    .run = run
};
