/* cmd_positions.c - locant positions: options, help, and output of results. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "positions.h"

enum { MAX_PRINTED = 4096 };

#define MAX INT64_MAX

static const struct cli_option options[] = {
    OPT_TEXT("mask", mask, "LIST",
             "mask: 1 for tokens, 0 for pads; 0,0,1,.. or FILE.npy [B, S]",
             .actions = "mask"),
    OPT_CHOICE("style", style, "hf5|hf4|opt|plain",
               "mask: pads have id 0, 1, 1 or -1; tokens start at 0 (opt: 2)",
               .fallback = "hf5", .actions = "mask"),
    OPT_TEXT("tokens", tokens, "LIST", "tokens: token ids",
             .actions = "tokens"),
    OPT_INTEGER("pad-token", pad_token, "N", 0, INT32_MAX,
                "tokens: id of padding", .fallback = "1", .actions = "tokens"),
    OPT_INTEGER("first", first, "N", INT64_MIN, MAX,
                "mask, tokens: id of the first token",
                .actions = "mask|tokens"),
    OPT_INTEGER("pad", pad, "N", INT64_MIN, MAX, "mask, tokens: id of pads",
                .actions = "mask|tokens"),
    OPT_TEXT("lengths", lengths, "LIST", "documents: tokens of each document",
             .actions = "documents"),
    OPT_FLAG("documents", documents,
             "documents: write document ids instead of positions",
             .actions = "documents"),
    OPT_TEXT("positions", positions, "LIST",
             "packing, selfextend, temperature: true positions",
             .actions = "packing|selfextend|temperature"),
    OPT_INTEGER("length", length, "T", 0, MAX, "tokens of a row",
                .actions = "documents|randomized|spaced|pose|cape|streaming|"
                           "selfextend|longlora|temperature"),
    OPT_INTEGER("batch", batch, "B", 0, MAX, "number of random rows",
                .fallback = "1", .actions = "randomized|spaced|pose|cape"),
    OPT_INTEGER("seed", seed, "N", 0, MAX,
                "seed of random positions; without it cape is not random",
                .actions = "randomized|pose|cape"),
    OPT_INTEGER("range", range, "N", 0, MAX,
                "randomized, spaced, pose: ids are below N",
                .actions = "randomized|spaced|pose"),
    OPT_INTEGER("chunks", chunks, "N", 1, MAX, "pose: chunks of a row",
                .fallback = "2", .actions = "pose"),
    OPT_REAL("step", step, "X", "cape: distance between neighbours",
             .fallback = "1", .actions = "cape"),
    OPT_REAL("global", global, "X", "cape: largest shift of a row",
             .actions = "cape"),
    OPT_REAL("local", local, "X", "cape: largest shift of a token, in steps",
             .actions = "cape"),
    OPT_REAL("max-scale", max_scale, "X", "cape: largest stretch of a row",
             .fallback = "1", .actions = "cape"),
    OPT_TEXT("size", size, "HxW", "grid: patches, HxW or TxHxW",
             .actions = "grid"),
    OPT_CHOICE("coordinates", coordinates,
               "integer|centres|pretrained|longer|shorter",
               "grid: i, (2i + 1 - n) / n, i * N / n; longer, shorter: centres "
               "divided by that side",
               .fallback = "integer", .actions = "grid"),
    OPT_TEXT("pretrained", pretrained, "N",
             "grid: size trained at, N or HxW or TxHxW", .actions = "grid"),
    OPT_INTEGER("merge", merge, "N", 1, MAX,
                "grid: patches come in blocks of N x N", .fallback = "1",
                .actions = "grid"),
    OPT_INTEGER("prefix", prefix, "N", 0, MAX,
                "grid: tokens before the patches", .actions = "grid"),
    OPT_CHOICE("next", next, "max|grid",
               "mrope: after a video continue at the largest id + 1 (max: the "
               "paper, transformers 4) or at its start + max(H, W) (grid: "
               "transformers 5)",
               .fallback = "grid", .actions = "mrope"),
    OPT_CHOICE("scheme", scheme, "qwen3-vl|tm|xd|video|flux|flux2|qwen-image",
               "ids: the model that numbers so (tm: Qwen2.5-Omni, xd: "
               "HunYuan-VL, video: VideoRoPE and HoPE)",
               .fallback = "qwen3-vl", .actions = "ids"),
    OPT_REAL("delta", delta, "X", "ids video: from frame to frame",
             .fallback = "2", .actions = "ids"),
    OPT_REAL("rate", rate, "X", "ids tm: ids per second", .fallback = "25",
             .actions = "ids"),
    OPT_REAL("chunk", chunk, "X", "ids tm: seconds of video and audio in turn",
             .fallback = "2", .actions = "ids"),
    OPT_INTEGER("first-image", first_image, "N", 0, MAX,
                "ids xd: images before, in the batch", .fallback = "0",
                .actions = "ids"),
    OPT_INTEGER("sinks", sinks, "N", 0, MAX,
                "streaming, distance: first tokens kept", .fallback = "4",
                .actions = "streaming|distance"),
    OPT_INTEGER("window", window, "N", 1, MAX,
                "distances below N stay true; streaming: last tokens kept",
                .actions = "streaming|selfextend|distance"),
    OPT_INTEGER("group", group, "N", 1, MAX,
                "selfextend, longlora, distance: tokens of a group",
                .fallback = "1", .actions = "selfextend|longlora|distance"),
    OPT_FLAG(
        "cut", cut,
        "longlora: half groups at both ends, not a group that wraps around",
        .actions = "longlora"),
    OPT_CHOICE("distance", distance, "rerope|leaky|selfextend|streaming",
               "distance: which scheme", .fallback = "rerope",
               .actions = "distance"),
    OPT_REAL("factor", factor, "X",
             "distance leaky: steps beyond the window count 1/X",
             .fallback = "2", .actions = "distance"),
    OPT_INTEGER("queries", queries, "T", 0, MAX,
                "distance: query i is at S - T + i", .actions = "distance"),
    OPT_INTEGER("keys", keys, "S", 0, MAX, "distance: key j is at j",
                .actions = "distance"),
    OPT_CHOICE("temperature", temperature, "llama4|ministral|logn|inkling",
               "temperature: which model", .fallback = "llama4",
               .actions = "temperature"),
    OPT_REAL("scale", scale, "X", "temperature: factor of the logarithm",
             .fallback = "0.1", .actions = "temperature"),
    OPT_INTEGER("trained", trained, "L", 1, MAX, "temperature: trained length",
                .fallback = "8192", .actions = "temperature"),
    OPT_FILE("output", out, "OUT.npy",
             "the result, i64 or, for real numbers, f64; printed if left out",
             .letter = 'o'),
    OPT_END
};

/* ---------------------------------------------------------------- printing */

/* Of a result [columns] or [rows, columns]. */
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

static int is_whole(double x)
{
    return x == (double)(int64_t)x;
}

static json_t *to_json(const locant_tensor *t, const char *form,
                       const double *delta)
{
    json_t *values = t->rank == 1 ? json_row(t, 0) : json_array(), *all;

    for (int64_t b = 0; t->rank == 2 && b < t->shape[0]; b++)
        json_array_append_new(values, json_row(t, b));
    all = json_pack("{s:s, s:s, s:o, s:o}", "form", form, "dtype",
                    locant_dtype_name(t->dtype), "shape", cli_shape(t),
                    "values", values);
    if (delta != NULL && all != NULL)
        json_object_set_new(all, "delta",
                            is_whole(*delta) ? json_integer((int64_t)*delta)
                                             : cli_real(*delta));
    return all;
}

int pos_write_matrix(const struct cli *cli, const locant_tensor *t,
                     const double *delta)
{
    const struct options *o = cli->options;
    const int64_t n = rows_of(t) * columns_of(t);

    if (o->out != NULL) {
        CLI_TRY(cli_write(cli, o->out, t));
    } else if (n > MAX_PRINTED) {
        return cli_refuse("positions %s: %" PRId64 " numbers are too many to "
                          "print; write them with --output OUT.npy",
                          cli->words[0], n);
    } else if (cli->json) {
        return cli_json(to_json(t, cli->words[0], delta));
    } else {
        print_text(t);
    }
    if (delta != NULL && is_whole(*delta))
        fprintf(stderr, "delta %" PRId64 "\n", (int64_t)*delta);
    else if (delta != NULL)
        fprintf(stderr, "delta %.17g\n", *delta);
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
             "mrope SEGMENT... [--next max|grid] [-o OUT.npy]\n"
             "ids SEGMENT... [--scheme MODEL] [-o OUT.npy]",
    .doc =
        "  mask        ids of tokens and pads, from an attention mask\n"
        "  tokens      the same, from token ids and the id of padding\n"
        "  documents   positions in packed documents, or document ids\n"
        "  packing     documents that transformers infers from positions;\n"
        "              exit 1 if there is only one\n"
        "  grid        coordinates of patches [patches, axes]\n"
        "  mrope       ids (t, h, w) of text:N, image:HxW,\n"
        "              video:TxHxW[@INTERVAL], frames:TxHxW[+BEFORE[+AFTER]]\n"
        "  ids         ids of other models, also audio:N and\n"
        "              clip:TxHxW@SECONDS+AUDIO[+BEFORE[+AFTER]]\n"
        "  randomized  random ids below --range, distinct and increasing\n"
        "  spaced      evenly spaced ids below --range\n"
        "  pose        chunks with random skips between them\n"
        "  cape        real positions, centred; with --seed also augmented\n"
        "  streaming   tokens kept, and their positions in the cache\n"
        "  selfextend  grouped positions of queries, and of keys\n"
        "  longlora    group of each token in either half of the heads\n"
        "  distance    distance that each query uses for each key\n"
        "  temperature factor of the query at each position",
    .examples =
        "locant positions mask --mask 0,0,1,1,1 --style opt\n"
        "locant positions mrope text:3 image:2x3 text:2\n"
        "locant positions ids --scheme video text:2 video:2x2x3 text:1\n"
        "locant positions distance --distance selfextend --window 4 "
        "\\\n    --group 2 --queries 1 --keys 8",
    CLI_OPTIONS,
    .min_words = 1,
    .actions = pos_forms,
};
