/* model_probe.c - locant model probe: attention and frequencies of a text */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"
#include "model_input.h"
#include "model_maps.h"

struct options {
    struct cli_model_files files;
    const char *figure;
    int64_t layer, head;
    int dtype, color, plain;
};

static const struct cli_option options[] = {
    OPT_MODEL_TOKENS(files),
    OPT_MODEL_MORE_TOKENS(files),
    OPT_MODEL_POSITIONS(files),
    OPT_INTEGER("layer", layer, "L", 0, INT64_MAX, "this layer only",
                .fallback = "-1"),
    OPT_INTEGER("head", head, "H", 0, INT64_MAX, "this head of each layer only",
                .fallback = "-1"),
    OPT_MODEL_DTYPE(dtype, "compute in this type"),
    OPT_FILE("figure", figure, "PICTURE",
             "draw both heat maps into a file: .svg, .png or .pdf"),
    OPT_FLAG("no-picture", plain, "no pictures on the terminal"),
    OPT_COLOR(color),
    OPT_END
};

static double number(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);

    return json_is_number(value) ? json_number_value(value) : NAN;
}

/* ------------------------------------------------------------------- table */

/* Means over the heads of a layer. */
static const struct column {
    const char *in, *key, *title; /* head[in][key], or head[key] */
    int width, decimals;
} columns[] = {
    { NULL, "entropy", "entropy", 8, 3 },
    { NULL, "distance", "distance", 9, 1 },
    { NULL, "first", "first", 6, 3 },
    { NULL, "own", "own", 6, 3 },
    { NULL, "previous", "prev", 6, 3 },
    { "within", "8", "<8", 6, 3 },
    { "within", "128", "<128", 6, 3 },
};
enum { COLUMNS = sizeof columns / sizeof *columns };

static double mean_of(const json_t *layer, const struct column *c)
{
    const json_t *heads = json_object_get(layer, "heads"), *head;
    double sum = 0;
    size_t i;

    json_array_foreach(heads, i, head)
        sum +=
            number(c->in != NULL ? json_object_get(head, c->in) : head, c->key);
    return sum / (double)json_array_size(heads);
}

static void print_titles(void)
{
    printf("%5s", "layer");
    for (const struct column *c = columns; c < columns + COLUMNS; c++)
        printf(" %*s", c->width, c->title);
}

/* The number of a layer, and the means of its heads or of those in an object
   within it. */
static void print_means(const json_t *layer, const json_t *heads)
{
    printf("%5.0f", number(layer, "layer"));
    for (const struct column *c = columns; c < columns + COLUMNS; c++)
        printf(" %*.*f", c->width, c->decimals, mean_of(heads, c));
}

static void print_layer(const json_t *layer)
{
    const json_t *pairs = json_object_get(layer, "pairs");
    const size_t n = json_array_size(json_object_get(pairs, "frequency"));

    print_means(layer, layer);
    if (n == 0)
        printf("%8s %8s\n", "-", "-");
    else
        printf("%8s %8s\n",
               cli_text("%zu/%zu",
                        json_array_size(json_object_get(pairs, "unused")), n),
               cli_text("%.0f/%zu", number(pairs, "incomplete"), n));
}

static void print_layers(const json_t *layers)
{
    const json_t *layer;
    size_t i;

    print_titles();
    printf("%8s %8s\n", "unused", "<1 turn");
    json_array_foreach(layers, i, layer)
        print_layer(layer);
}

static void print_cross(const json_t *layers)
{
    const json_t *layer;
    size_t i;

    puts("\nAttention to the tokens of the encoder, by their numbers");
    print_titles();
    putchar('\n');
    json_array_foreach(layers, i, layer) {
        print_means(layer, json_object_get(layer, "cross"));
        putchar('\n');
    }
}

/* -------------------------------------------------------------------- heads */

static const struct {
    const char *name, *what;
} classes[] = {
    { "previous", "attend to the previous token" },
    { "next", "to the next token" },
    { "own", "to their own token" },
    { "first", "to the first token" },
    { "local", "to distances below 8" },
    { "even", "to all keys evenly" },
};
enum { CLASSES = sizeof classes / sizeof *classes };

static const json_t *heads_of(const json_t *layer, bool cross)
{
    return json_object_get(cross ? json_object_get(layer, "cross") : layer,
                           "heads");
}

/* Words of layer.head, in lines of 80 columns; are there any? */
static bool print_class(const json_t *layers, int c, bool cross)
{
    const json_t *layer, *head;
    size_t i, j;
    int column = 0;

    json_array_foreach(layers, i, layer)
        json_array_foreach(heads_of(layer, cross), j, head) {
            const char *class =
                json_string_value(json_object_get(head, "class"));
            const char *word = cli_text("%.0f.%.0f", number(layer, "layer"),
                                        number(head, "head"));

            if (class == NULL || strcmp(class, classes[c].name) != 0)
                continue;
            if (column == 0)
                column = printf("  %-9s %s:", classes[c].name, classes[c].what);
            if (column + 1 + (int)strlen(word) > 79)
                column = printf("\n%11s", "") - 1;
            column += printf(" %s", word);
        }
    if (column > 0)
        putchar('\n');
    return column > 0;
}

static void print_classes(const json_t *layers, bool cross)
{
    bool any = false;

    printf("\nHeads that stand out, as layer.head%s\n",
           cross ? ", over the encoder" : "");
    for (int c = 0; c < CLASSES; c++)
        any = print_class(layers, c, cross) || any;
    if (!any)
        puts("  none");
}

static void print(const json_t *probe)
{
    const json_t *layers = json_object_get(probe, "layers");
    const json_t *first = json_array_get(layers, 0);

    printf("%s: %.0f text%s of %.0f tokens; means over queries and heads\n\n",
           cli_safe(json_string_value(json_object_get(probe, "model_type"))),
           number(probe, "texts"), number(probe, "texts") == 1 ? "" : "s",
           number(probe, "length"));
    print_layers(layers);
    if (model_maps_columns(layers, 1) > 0)
        puts(
            "\nunused: pairs of channels with less than a tenth of an even "
            "share in |q| |k|,\nin every head; <1 turn: pairs that complete no "
            "turn in these texts");
    print_classes(layers, false);
    if (json_is_object(json_object_get(first, "cross"))) {
        print_cross(layers);
        print_classes(layers, true);
    }
}

/* ---------------------------------------------------------------------- run */

static int probe_of(json_t **out, const struct cli *cli)
{
    const struct options *o = cli->options;
    struct cli_model_input in;
    locant_model *model;
    char *text;

    if (o->files.ids == NULL)
        return cli_refuse("--input IDS.npy is missing (ids of tokens)");
    CLI_TRY(cli_model_begin(&model, &in, &o->files, cli->words[0],
                            cli_model_dtype(o->dtype)));
    CLI_TRY(cli_status_input(
        locant_model_probe(&text, NULL, model, &in.input, o->layer, o->head)));
    *out = json_loads(text, 0, NULL);
    locant_release(text);
    return *out != NULL ? CLI_OK
                        : cli_fail(CLI_INPUT, "model probe: no memory");
}

static void release(void *probe)
{
    json_decref(probe);
}

static int run(const struct cli *cli)
{
    const struct options *o = cli->options;
    json_t *probe;

    if (o->figure != NULL)
        CLI_TRY(cli_check_output(o->figure));
    CLI_TRY(probe_of(&probe, cli));
    CLI_TRY(cli_at_end(release, probe));
    if (o->figure != NULL)
        CLI_TRY(model_maps_draw(probe, o->figure, 0));
    if (cli->json)
        return cli_json(json_incref(probe));
    print(probe);
    return o->plain ? CLI_OK : model_maps_draw(probe, NULL, o->color);
}

const struct cli_command cli_model_probe = {
    .name = "model probe",
    .summary = "what heads attend to, and which frequencies they use",
    .usage = "MODEL -i IDS.npy [--mask M.npy] [--layer L] [--head H]\n"
             "       [--dtype f32|f64|bf16] [--figure PICTURE]",
    .doc =
        "Runs a checkpoint on your own tokens and measures, by layer and "
        "head:\n\n"
        "  attention  the mean weight by distance, of the first token, the "
        "query's\n"
        "             own one and the one before it, entropy in nats, mean "
        "distance\n"
        "  pairs      of rotated channels: the mean norms |q| and |k| of each, "
        "its\n"
        "             wavelength, the turns that it completes in the text\n\n"
        "Heads are called previous, next, own or local if more than half of "
        "what even\nweights would leave goes there, first if more than 0.3 of "
        "it does, and even if\ntheir entropy is above 0.9 of that of even "
        "weights.  A pair is unused if its\nshare in |q| |k| is below a tenth "
        "of an even one.  The definitions are those of\n'locant probe'; "
        "docs/guide/models/probe.md has the schema of --json.",
    .examples = "locant model probe ~/models/mine -i ids.npy\n"
                "locant model probe mine.gguf -i ids.npy --layer 5 --json\n"
                "locant model probe mine -i ids.npy --figure heads.svg",
    CLI_OPTIONS,
    .min_words = 1,
    .max_words = 1,
    .computes = 1,
    .run = run
};
