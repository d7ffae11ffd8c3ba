/* model_plan.c - a position plan, printed for people */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "language.h"
#include "model.h"
#include "model_plan.h"

int model_plan_read(json_t **out, const char *path, int as)
{
    locant_plan *p;
    locant_status s;
    char *text;
    size_t n;

    *out = NULL;
    s = locant_plan_read(&p, path, (locant_stack)as);
    CLI_TRY(cli_model_status(s));
    s = locant_plan_json(&text, &n, p);
    locant_plan_free(p);
    CLI_TRY(cli_status_input(s));
    *out = json_loadb(text, n, 0, NULL);
    locant_release(text);
    return *out != NULL ? CLI_OK : cli_fail(CLI_INPUT, "no memory");
}

/* ----------------------------------------------------------- access to JSON */

static const char *text(const json_t *o, const char *key)
{
    const char *t = json_string_value(json_object_get(o, key));

    return t != NULL ? cli_safe(t) : "";
}

static int64_t whole(const json_t *o, const char *key)
{
    return json_integer_value(json_object_get(o, key));
}

static double real(const json_t *o, const char *key)
{
    return json_number_value(json_object_get(o, key));
}

static bool yes(const json_t *o, const char *key)
{
    return json_is_true(json_object_get(o, key));
}

/* One line: a name, and what follows it in lines of at most 80 columns. */
static void line(const char *name, const char *value)
{
    printf("%-12s", name);
    cli_wrap(value, 12, 12, 80);
    putchar('\n');
}

/* ------------------------------------------------------------------ the top */

static const char *dialect(const json_t *plan)
{
    static const char *const names[][2] = {
        { "hf4", "config.json of transformers 4" },
        { "hf5", "config.json of transformers 5" },
        { "meta", "params.json of Meta" },
        { "mistral", "params.json of Mistral" },
    };

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(text(plan, "dialect"), names[i][0]) == 0)
            return names[i][1];
    return "GGUF";
}

/* Does some layer turn pairs of channels? */
static bool is_rotated(const json_t *plan)
{
    const json_t *tower, *group;
    size_t i, k;

    json_array_foreach(json_object_get(plan, "towers"), i, tower)
        json_array_foreach(json_object_get(tower, "groups"), k, group)
            if (json_is_object(json_object_get(group, "rotation")))
                return true;
    return false;
}

static void print_top(const json_t *plan)
{
    const json_t *length = json_object_get(plan, "length");
    const int64_t config = whole(length, "config"),
                  trained = whole(length, "trained"),
                  tables = whole(length, "tables");

    printf("%s: %s (%s)\n\n", text(plan, "file"), text(plan, "title"),
           text(plan, "family"));
    line("format", dialect(plan));
    if (strcmp(text(plan, "as"), "true") != 0)
        line("as read by", text(plan, "as"));
    line("passport", text(plan, "hash"));
    if (is_rotated(plan) || !yes(plan, "pairing_assumed"))
        line("pairing",
             cli_text("%s%s", text(plan, "pairing"),
                      yes(plan, "pairing_assumed") ? ", as usual in this family"
                                                   : ", by locant.pairing"));
    if (config > 0 && trained != config)
        line("length", cli_text("%" PRId64 ", first trained on %" PRId64,
                                config, trained));
    else if (config > 0)
        line("length", cli_text("%" PRId64, config));
    if (tables > 0)
        line("table", cli_text("%" PRId64 " rows", tables));
}

/* ------------------------------------------------------------------- groups */

/* "0-4, 6-10": the numbers of layers as ranges. */
static const char *ranges(const json_t *numbers)
{
    const size_t n = json_array_size(numbers);
    const char *out = "";
    size_t i = 0;

    while (i < n) {
        const json_int_t first = json_integer_value(json_array_get(numbers, i));
        json_int_t last = first;

        while (++i < n &&
               json_integer_value(json_array_get(numbers, i)) == last + 1)
            last++;
        out = cli_text(last > first ? "%s%s%lld-%lld" : "%s%s%lld", out,
                       *out ? ", " : "", (long long)first, (long long)last);
    }
    return out;
}

static void print_attention(const json_t *g)
{
    const char *out = cli_text(
        "%s, %" PRId64 " heads, %" PRId64 " of keys, %" PRId64 " channels%s",
        text(g, "mask"), whole(g, "heads"), whole(g, "kv_heads"),
        whole(g, "qk_dim"),
        strcmp(text(g, "attention"), "softmax") != 0 ? ", linear" : "");

    if (whole(g, "v_dim") != whole(g, "qk_dim"))
        out = cli_text("%s, %" PRId64 " of values", out, whole(g, "v_dim"));
    if (whole(g, "chunk") > 0)
        out = cli_text("%s, chunks of %" PRId64, out, whole(g, "chunk"));
    if (whole(g, "grid_window") > 0)
        out = cli_text("%s, windows of %" PRId64 " patches a side", out,
                       whole(g, "grid_window"));
    if (json_is_integer(json_object_get(g, "keys_of")))
        out = cli_text("%s, keys of layer %" PRId64, out, whole(g, "keys_of"));
    line("  attention", out);
}

static void print_scores(const json_t *g)
{
    const json_t *norm = json_object_get(g, "qk_norm");
    const char *out =
        cli_text("times %.6g = %s", real(g, "scale"), text(g, "scale_from"));

    if (real(g, "score_factor") != 1)
        out = cli_text("%s, %.6g with the factor of the spec", out,
                       real(g, "scale") * real(g, "score_factor"));
    if (real(g, "softcap") > 0)
        out = cli_text("%s; soft-cap %.6g", out, real(g, "softcap"));
    if (yes(g, "sinks"))
        out = cli_text("%s; sinks", out);
    line("  scores", out);
    if (json_is_object(norm))
        line("  qk-norm",
             cli_text("%s over %s, %s rotation%s", text(norm, "kind"),
                      strcmp(text(norm, "over"), "all") == 0
                          ? "all heads at once"
                      : strcmp(text(norm, "over"), "each") == 0
                          ? "each head, with weights of its own"
                          : "each head",
                      yes(norm, "after_rotation") ? "after" : "before",
                      yes(norm, "plus_one") ? ", times 1 + weight" : ""));
}

/* Wavelengths and how many turns they make in the trained length. */
static void print_waves(const json_t *g, int64_t length)
{
    const json_t *r = json_object_get(g, "rotation");
    const json_t *waves = json_object_get(r, "wavelengths");
    const size_t n = json_array_size(waves);
    double shortest = INFINITY, longest = 0;
    size_t never = 0, still = 0;

    for (size_t i = 0; i < n; i++) {
        double w = json_number_value(json_array_get(waves, i));

        if (w == 0) { /* null: a pair of frequency 0 */
            still++;
            continue;
        }
        shortest = fmin(shortest, w);
        longest = fmax(longest, w);
        never += w > (double)length;
    }
    if (still == n)
        return;
    line("  rotated",
         cli_text("%" PRId64 " channels from %" PRId64 ", %s%s%s",
                  whole(r, "channels"), whole(r, "first"), text(r, "pairing"),
                  real(r, "factor") != 1
                      ? cli_text(", cos and sin times %.6g", real(r, "factor"))
                      : "",
                  yes(r, "by_length") ? ", by the length of the call" : ""));
    line("  waves",
         cli_text("%.4g to %.4g positions%s", shortest, longest,
                  still > 0
                      ? cli_text("; %zu of %zu pairs do not turn", still, n)
                      : ""));
    if (length > 0)
        line("  turns",
             cli_text("%.4g to %.2g in %" PRId64
                      " positions; %zu of %zu pairs complete none",
                      (double)length / shortest, (double)length / longest,
                      length, never, n - still));
}

static void print_group(const json_t *g, int64_t length, bool only)
{
    const json_t *numbers = json_object_get(g, "layers");

    putchar('\n');
    line(json_array_size(numbers) == 1 ? "layer" : "layers",
         only
             ? cli_text("all %zu", json_array_size(numbers))
             : cli_text("%s (%zu)", ranges(numbers), json_array_size(numbers)));
    line("  spec", text(g, "spec"));
    print_attention(g);
    print_scores(g);
    print_waves(g, length);
}

/* ------------------------------------------------------------------- towers */

static void print_layers(const json_t *tower)
{
    const json_t *groups = json_object_get(tower, "groups");
    const int64_t n = whole(tower, "layers");

    putchar('\n');
    for (int64_t l = 0; l < n; l++)
        for (size_t i = 0; i < json_array_size(groups); i++) {
            const json_t *g = json_array_get(groups, i);
            const json_t *numbers = json_object_get(g, "layers");

            for (size_t k = 0; k < json_array_size(numbers); k++)
                if (json_integer_value(json_array_get(numbers, k)) == l)
                    line(cli_text("layer %" PRId64, l), text(g, "spec"));
        }
}

static const char *ids_of(const json_t *tower)
{
    const char *ids = text(tower, "ids");

    if (strcmp(ids, "mask") == 0)
        return "count the attention mask";
    if (strcmp(ids, "pad") == 0)
        return cli_text("count tokens that are not padding, from %" PRId64,
                        whole(tower, "pad") + 1);
    if (strcmp(ids, "mrope") == 0)
        return "time, row and column of each token";
    return strcmp(ids, "grid") == 0 ? "cells of a grid" : "0, 1, 2, ..";
}

/* Where each value came from. */
static void print_notes(const json_t *tower)
{
    const json_t *notes = json_object_get(tower, "notes");

    printf("\n%-24s%-14s%s\n", "value of", "", "from");
    for (size_t i = 0; i < json_array_size(notes); i++) {
        const json_t *n = json_array_get(notes, i);
        const char *origin = text(n, "origin");

        printf("  %-21s %-13s %s%s\n", text(n, "field"), text(n, "value"),
               strcmp(origin, "default") == 0   ? "default of "
               : strcmp(origin, "derived") == 0 ? "derived"
                                                : "",
               text(n, "key"));
    }
}

void model_plan_print(const json_t *plan, bool layers)
{
    const json_t *towers = json_object_get(plan, "towers");
    const json_t *length = json_object_get(plan, "length");
    const int64_t trained = whole(length, "trained");

    print_top(plan);
    for (size_t i = 0; i < json_array_size(towers); i++) {
        const json_t *t = json_array_get(towers, i);
        const json_t *groups = json_object_get(t, "groups");

        printf("\n%s, %" PRId64 " layers\n\n", text(t, "name"),
               whole(t, "layers"));
        if (*text(t, "spec") != '\0')
            line("spec", text(t, "spec"));
        line("input", text(t, "input"));
        if (real(t, "input_scale") != 1)
            line("embeddings", cli_text("times %.6g", real(t, "input_scale")));
        line("positions", ids_of(t));
        for (size_t g = 0; g < json_array_size(groups); g++)
            print_group(json_array_get(groups, g),
                        strcmp(text(t, "name"), "vision") == 0 ? 0 : trained,
                        json_array_size(groups) == 1);
        if (layers)
            print_layers(t);
        print_notes(t);
    }
}
