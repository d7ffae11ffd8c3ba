/* model_extend.c - locant model extend: settings for longer texts */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "locant/models.h"
#include "model.h"

struct options {
    int64_t to, trained, dim;
    double base;
    const char *method, *out, *figure;
    int color;
};

static const struct cli_option options[] = {
    OPT_INTEGER("to", to, "N", 2, INT64_C(1) << 30,
                "positions that the model should read", .required = 1),
    OPT_INTEGER("trained", trained, "T", 1, INT64_C(1) << 30,
                "positions it was trained on, if the file does not say it"),
    OPT_TEXT("method", method, "NAME",
             "pi, ntk, dynamic, yarn, longrope, llama3 or selfextend; left "
             "out: all"),
    OPT_REAL("base", base, "B", "without a model: the base of its rope",
             .fallback = "10000"),
    OPT_INTEGER("dim", dim, "R", 4, 2048,
                "without a model: rotated channels of a head"),
    OPT_FILE("output", out, "FILE.json",
             "write the config.json with the extension by --method",
             .letter = 'o'),
    OPT_FILE("figure", figure, "PICTURE",
             "draw the wavelengths into a file: .svg, .png or .pdf"),
    OPT_COLOR(color),
    OPT_END
};

static const char *text_of(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

static int64_t whole_of(const json_t *object, const char *key)
{
    return (int64_t)json_integer_value(json_object_get(object, key));
}

static double real_of(const json_t *object, const char *key)
{
    return json_number_value(json_object_get(object, key));
}

/* ------------------------------------------------------------- wavelengths */

enum { SERIES = 9, PAIRS = 1024 };

struct picture {
    locant_figure figure;
    locant_series series[SERIES + 2];
    double pair[PAIRS], log2_of[SERIES][PAIRS];
    double ends[2], lengths[2][2];
};

static void add_curve(struct picture *p, const char *label,
                      const json_t *wavelengths)
{
    size_t n = json_array_size(wavelengths), at = p->figure.n_series;
    locant_series *s = &p->series[at];

    if (n == 0)
        return;
    for (size_t c = 0; c < n; c++) {
        const json_t *w = json_array_get(wavelengths, c);

        p->pair[c] = (double)c;
        p->log2_of[at][c] =
            json_is_number(w) ? log2(json_number_value(w)) : NAN;
    }
    *s = (locant_series){
        .label = label, .n = n, .x = p->pair, .y = p->log2_of[at], .color = -1
    };
    p->figure.n_series++;
}

/* A level line at a number of positions. */
static void add_length(struct picture *p, int i, const char *label,
                       int64_t length)
{
    p->lengths[i][0] = p->lengths[i][1] = log2((double)length);
    p->series[p->figure.n_series++] = (locant_series){ .label = label,
                                                       .n = 2,
                                                       .x = p->ends,
                                                       .y = p->lengths[i],
                                                       .dashed = 2 - i,
                                                       .color = -1 };
}

static struct picture *picture_of(const json_t *result)
{
    struct picture *p = cli_alloc(1, sizeof *p);
    const json_t *methods = json_object_get(result, "methods"), *m;
    size_t i;

    if (p == NULL)
        return NULL;
    p->figure = (locant_figure)LOCANT_FIGURE_INIT;
    p->figure.series = p->series;
    p->figure.title = "Wavelengths of the pairs";
    p->figure.x_label = "pair";
    p->figure.y_label = "log2 of the wavelength in positions";
    add_curve(p, "as trained", json_object_get(result, "wavelengths"));
    json_array_foreach(methods, i, m)
        add_curve(p, text_of(m, "method"), json_object_get(m, "wavelengths"));
    p->ends[1] = real_of(result, "rotated") / 2 - 1;
    add_length(p, 0, "trained length", whole_of(result, "trained"));
    add_length(p, 1, "extended length", whole_of(result, "to"));
    return p;
}

/* -------------------------------------------------------------------- text */

enum { LONG = 700 }; /* lists of LongRoPE are printed by --method alone */

static void print_settings(const json_t *settings, int all)
{
    const char *key;
    json_t *value;

    json_object_foreach((json_t *)(uintptr_t)settings, key, value) {
        const char *text = json_string_value(value);

        if (text == NULL)
            text = "has no setting for it";
        else if (!all && strlen(text) > LONG)
            text = "(long lists; --method longrope prints them)";
        printf("  %-16s %s\n", key, cli_safe(text));
    }
}

static void print_numbers(const json_t *m)
{
    const json_t *pairs = json_object_get(m, "pairs");
    double attention = real_of(m, "attention_factor");

    if (pairs != NULL)
        printf("  %-16s %" PRId64 " kept, %" PRId64 " between, %" PRId64
               " divided by the factor\n",
               "pairs", whole_of(pairs, "kept"), whole_of(pairs, "between"),
               whole_of(pairs, "divided"));
    if (attention != 1)
        printf("  %-16s %.5g\n", "attention factor", attention);
}

static void print_method(const json_t *m, int all)
{
    const char *spec = text_of(m, "spec");
    const json_t *note;
    size_t i;

    printf("\n%s: %s\n", text_of(m, "method"), text_of(m, "change"));
    printf("  %-16s %s\n", "spec",
           !all && strlen(spec) > LONG ? "(long lists)" : cli_safe(spec));
    print_numbers(m);
    if (text_of(m, "passport") != NULL)
        printf("  %-16s %s\n", "passport", text_of(m, "passport"));
    print_settings(json_object_get(m, "settings"), all);
    json_array_foreach(json_object_get(m, "notes"), i, note)
        printf("  %-16s %s\n", "note", json_string_value(note));
}

static int print_result(const struct cli *cli, const json_t *result,
                        struct picture *p)
{
    const struct options *o = cli->options;
    const char *model = text_of(result, "model");
    const json_t *m, *warning;
    size_t i;

    printf("%s%sbase %.10g, %" PRId64 " rotated channels, trained on %" PRId64
           " positions, to %" PRId64 ": factor %.6g%s\n",
           model ? cli_safe(model) : "", model ? ": " : "",
           real_of(result, "base"), whole_of(result, "rotated"),
           whole_of(result, "trained"), whole_of(result, "to"),
           real_of(result, "factor"),
           json_is_true(json_object_get(result, "full_layers_only"))
               ? "; layers with a window stay as they are"
               : "");
    CLI_TRY(cli_status(cli_show_figure(&p->figure, o->color, NULL)));
    json_array_foreach(json_object_get(result, "methods"), i, m)
        print_method(m, o->method != NULL);
    json_array_foreach(json_object_get(result, "warnings"), i, warning)
        printf("%swarning: %s\n", i == 0 ? "\n" : "",
               json_string_value(warning));
    return CLI_OK;
}

/* --------------------------------------------------------------------- run */

static int check(const struct cli *cli)
{
    const struct options *o = cli->options;

    if (cli->n_words > 0 && (cli_given(cli, "base") || cli_given(cli, "dim")))
        return cli_refuse("--base and --dim are those of the model");
    if (cli->n_words == 0) {
        CLI_TRY(cli_need(cli, "dim"));
        CLI_TRY(cli_need(cli, "trained"));
    }
    if (o->out != NULL && (cli->n_words == 0 || o->method == NULL))
        return cli_refuse("--output writes the config of a model, and needs "
                          "MODEL and --method");
    if (o->out != NULL)
        CLI_TRY(cli_check_output(o->out));
    if (o->figure != NULL)
        CLI_TRY(cli_check_output(o->figure));
    return CLI_OK;
}

static void release(void *text)
{
    locant_release(text);
}

static void release_json(void *json)
{
    json_decref(json);
}

/* What cannot be read is bad input, what cannot be extended a wrong request. */
static int check_model(const char *path)
{
    locant_plan *p;

    CLI_TRY(cli_model_status(locant_plan_read(&p, path, LOCANT_STACK_TRUE)));
    locant_plan_free(p);
    return CLI_OK;
}

static int run(const struct cli *cli)
{
    const struct options *o = cli->options;
    locant_extend_options e = LOCANT_EXTEND_OPTIONS_INIT;
    struct picture *p;
    locant_status s;
    json_t *result;
    char *text;

    CLI_TRY(check(cli));
    e.model = cli->n_words > 0 ? cli->words[0] : NULL;
    if (e.model != NULL)
        CLI_TRY(check_model(e.model));
    e.to = o->to;
    e.trained = o->trained;
    e.base = o->base;
    e.dim = o->dim;
    e.method = o->method;
    e.config_out = o->out;
    s = locant_model_extend(&text, NULL, &e);
    if (s == LOCANT_ERR_PARAM || s == LOCANT_ERR_UNSUPPORTED)
        return cli_refuse("%s", cli_message());
    CLI_TRY(cli_status_input(s));
    CLI_TRY(cli_at_end(release, text));
    result = json_loads(text, 0, NULL);
    if (result == NULL)
        return cli_fail(CLI_INPUT, "out of memory");
    CLI_TRY(cli_at_end(release_json, result));
    p = picture_of(result);
    if (p == NULL)
        return CLI_INPUT;
    if (o->figure != NULL)
        CLI_TRY(cli_status_input(locant_figure_write(&p->figure, o->figure)));
    if (cli->json)
        return cli_json(json_incref(result));
    return print_result(cli, result, p);
}

const struct cli_command cli_model_extend = {
    .name = "model extend",
    .summary = "settings that let a model read longer texts",
    .usage = "MODEL --to N [--trained T] [--method NAME]\n"
             "       [--figure PICTURE] [-o FILE.json]\n"
             "--base B --dim R --trained T --to N\n"
             "       [--method NAME] [--figure PICTURE]",
    .doc = "Prints, for each method of extending a rotary embedding, its spec, "
           "what it does\nto the pairs, and settings to paste into "
           "transformers 4 and 5, vLLM, llama.cpp\nand MLX-LM; and draws the "
           "wavelengths.  Of a MODEL also the passport of the\nextended plan; "
           "-o writes its config.json.\n\nOnly rotated layers without a window "
           "are extended.  A model that is scaled\nalready is refused, but for "
           "a linear scaling, whose factor is multiplied.",
    .examples = "locant model extend ~/models/mine --to 131072\n"
                "locant model extend mine/config.json --to 131072 --method "
                "yarn -o yarn.json\n"
                "locant model extend --base 10000 --dim 128 --trained 4096 "
                "--to 16384",
    CLI_OPTIONS,
    .max_words = 1,
    .run = run
};
