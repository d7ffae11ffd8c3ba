/* cmd_positions.c - locant positions: ids as models number their tokens. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "positions.h"

enum { MOST_PRINTED = 4096 };

#define MOST INT64_MAX

static const struct cli_option options[] = {
    OPT_TEXT("mask", mask, "LIST",
             "mask: 1 token, 0 pad; numbers with commas, or FILE.npy [B, S]",
             .of = "mask"),
    OPT_CHOICE("style", style, "hf5|hf4|opt|plain",
               "mask: ids of pads are 0, 1, 1 or -1; opt starts at 2",
               .fallback = "hf5", .of = "mask"),
    OPT_TEXT("tokens", tokens, "LIST", "tokens: token ids", .of = "tokens"),
    OPT_INTEGER("pad-token", pad_token, "N", 0, INT32_MAX,
                "tokens: id of padding", .fallback = "1", .of = "tokens"),
    OPT_INTEGER("first", first, "N", INT64_MIN, MOST,
                "mask, tokens: id of the first token", .of = "mask|tokens"),
    OPT_INTEGER("pad", pad, "N", INT64_MIN, MOST, "mask, tokens: id of pads",
                .of = "mask|tokens"),
    OPT_TEXT("lengths", lengths, "LIST", "documents: tokens of each",
             .of = "documents"),
    OPT_FLAG("documents", documents,
             "documents: write document ids instead of positions",
             .of = "documents"),
    OPT_TEXT("positions", positions, "LIST",
             "packing, selfextend, temperature: true positions",
             .of = "packing|selfextend|temperature"),
    OPT_INTEGER("length", length, "T", 0, MOST, "tokens of a row",
                .of = "documents|randomized|spaced|pose|cape|streaming|"
                      "selfextend|longlora|temperature"),
    OPT_INTEGER("batch", batch, "B", 0, MOST, "number of random rows",
                .fallback = "1", .of = "randomized|spaced|pose|cape"),
    OPT_INTEGER("seed", seed, "N", 0, MOST,
                "seed of random positions; without it cape adds none",
                .of = "randomized|pose|cape"),
    OPT_INTEGER("range", range, "N", 0, MOST,
                "randomized, spaced, pose: ids are below N",
                .of = "randomized|spaced|pose"),
    OPT_INTEGER("chunks", chunks, "N", 1, MOST,
                "pose: chunks with a skip between them", .fallback = "2",
                .of = "pose"),
    OPT_REAL("step", step, "X", "cape: distance between neighbours",
             .fallback = "1", .of = "cape"),
    OPT_REAL("global", global, "X", "cape: largest shift of a row",
             .of = "cape"),
    OPT_REAL("local", local, "X", "cape: largest shift of a token, in steps",
             .of = "cape"),
    OPT_REAL("max-scale", max_scale, "X", "cape: largest stretch of a row",
             .fallback = "1", .of = "cape"),
    OPT_TEXT("size", size, "HxW", "grid: patches, HxW or TxHxW", .of = "grid"),
    OPT_CHOICE("coordinates", coordinates, "integer|centres|pretrained",
               "grid: i, (2i + 1 - n) / n, or i * N / n", .fallback = "integer",
               .of = "grid"),
    OPT_TEXT("pretrained", pretrained, "N",
             "grid: size trained at, N or HxW or TxHxW", .of = "grid"),
    OPT_INTEGER("merge", merge, "N", 1, MOST,
                "grid: patches come in blocks of N x N", .fallback = "1",
                .of = "grid"),
    OPT_INTEGER("prefix", prefix, "N", 0, MOST,
                "grid: tokens before the patches", .of = "grid"),
    OPT_CHOICE("next", next, "max|grid",
               "mrope: after a video continue at its start + max(H, W), as in "
               "transformers 5, or at the largest id + 1, as in the paper and "
               "transformers 4",
               .fallback = "grid", .of = "mrope"),
    OPT_INTEGER("sinks", sinks, "N", 0, MOST, "streaming: first tokens kept",
                .fallback = "4", .of = "streaming|distance"),
    OPT_INTEGER("window", window, "N", 1, MOST,
                "true distances below N; streaming: last tokens kept",
                .of = "streaming|selfextend|distance"),
    OPT_INTEGER("group", group, "N", 1, MOST,
                "selfextend, longlora: tokens of a group", .fallback = "1",
                .of = "selfextend|longlora|distance"),
    OPT_FLAG("cut", cut,
             "longlora: half groups at both ends instead of one rolled around",
             .of = "longlora"),
    OPT_CHOICE("distance", distance, "rerope|leaky|selfextend|streaming",
               "distance: which scheme", .fallback = "rerope",
               .of = "distance"),
    OPT_REAL("factor", factor, "X", "leaky: steps beyond the window count 1/X",
             .fallback = "2", .of = "distance"),
    OPT_INTEGER("queries", queries, "T", 0, MOST,
                "distance: query i is at S - T + i", .of = "distance"),
    OPT_INTEGER("keys", keys, "S", 0, MOST, "distance: key j is at j",
                .of = "distance"),
    OPT_CHOICE("temperature", temperature, "llama4|ministral|logn|inkling",
               "temperature: which model", .fallback = "llama4",
               .of = "temperature"),
    OPT_REAL("scale", scale, "X", "temperature: factor of the logarithm",
             .fallback = "0.1", .of = "temperature"),
    OPT_INTEGER("trained", trained, "L", 1, MOST, "temperature: trained length",
                .fallback = "8192", .of = "temperature"),
    OPT_FILE(
        "output", out, "OUT.npy",
        "i64, or f64 where coordinates are real; without it they are printed",
        .letter = 'o'),
    OPT_END
};

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

static json_t *to_json(const locant_tensor *t, const char *form,
                       const int64_t *delta)
{
    json_t *values = t->rank == 1 ? json_row(t, 0) : json_array(), *all;

    for (int64_t b = 0; t->rank == 2 && b < t->shape[0]; b++)
        json_array_append_new(values, json_row(t, b));
    all = json_pack("{s:s, s:s, s:o, s:o}", "form", form, "dtype",
                    locant_dtype_name(t->dtype), "shape", cli_shape(t),
                    "values", values);
    if (delta != NULL && all != NULL)
        json_object_set_new(all, "delta", json_integer(*delta));
    return all;
}

int pos_write_matrix(const struct cli *cli, const locant_tensor *t,
                     const int64_t *delta)
{
    const struct options *o = cli->options;
    const int64_t n = rows_of(t) * columns_of(t);

    if (o->out != NULL) {
        CLI_TRY(cli_write(cli, o->out, t));
    } else if (n > MOST_PRINTED) {
        return cli_refuse("positions %s: %" PRId64 " numbers are too many to "
                          "print; write them with --output OUT.npy",
                          cli->words[0], n);
    } else if (cli->json) {
        return cli_json(to_json(t, cli->words[0], delta));
    } else {
        print_text(t);
    }
    if (delta != NULL)
        fprintf(stderr, "delta %" PRId64 "\n", *delta);
    return CLI_OK;
}

int pos_write(const struct cli *cli, const locant_tensor *t)
{
    const locant_tensor row = pos_row(t, 0);

    return pos_write_matrix(cli, t->shape[0] == 1 ? &row : t, NULL);
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
    CLI_OPTIONS,
    .min_words = 1,
    .actions = positions_forms,
};
