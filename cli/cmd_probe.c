/* cmd_probe.c - locant probe RUN: what a trained model does with positions. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli.h"
#include "job.h"
#include "locant/probe.h"

struct options {
    const char *dir;
};

static const struct cli_option options[] = { OPT_DIR(dir), OPT_END };

/* --------------------------------------------------------------------- text */

/* The number object[key]; NAN if there is none. */
static double number_at(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);

    return json_is_number(value) ? json_number_value(value) : NAN;
}

/* The number object[key][i]; NAN if there is none. */
static double item_at(const json_t *object, const char *key, size_t i)
{
    const json_t *value = json_array_get(json_object_get(object, key), i);

    return json_is_number(value) ? json_number_value(value) : NAN;
}

static void print_number(int width, int decimals, double x)
{
    if (isfinite(x))
        printf(" %*.*f", width, decimals, x);
    else
        printf(" %*s", width, "-");
}

/* The columns of the table of heads. */
static const struct column {
    const char *in, *key, *title; /* head[in][key], or head[key] */
    int width, decimals;
} columns[] = {
    { NULL, "entropy", "entropy", 8, 3 },   { NULL, "slope", "slope", 6, 2 },
    { NULL, "distance", "distance", 9, 1 }, { "within", "8", "<8", 6, 3 },
    { "within", "32", "<32", 6, 3 },        { NULL, "sink", "first", 6, 3 },
    { NULL, "self", "own", 6, 3 },          { NULL, "previous", "prev", 6, 3 },
};
enum { COLUMNS = sizeof columns / sizeof *columns };

static void print_heads(const json_t *attention, const char *which,
                        const char *title, const char *unit)
{
    const json_t *sweep = json_object_get(attention, which), *head;
    size_t i;

    if (sweep == NULL)
        return;
    printf("\n%s, windows of %.0f %ss\n%5s %4s", title,
           number_at(sweep, "length"), unit, "layer", "head");
    for (const struct column *c = columns; c < columns + COLUMNS; c++)
        printf(" %*s", c->width, c->title);
    putchar('\n');
    json_array_foreach(json_object_get(sweep, "heads"), i, head) {
        printf("%5.0f %4.0f", number_at(head, "layer"),
               number_at(head, "head"));
        for (const struct column *c = columns; c < columns + COLUMNS; c++)
            print_number(
                c->width, c->decimals,
                number_at(c->in ? json_object_get(head, c->in) : head, c->key));
        putchar('\n');
    }
}

static void print_attention(const json_t *attention, const char *unit)
{
    const json_t *sinks = json_object_get(attention, "sinks");

    print_heads(attention, "initial", "Attention before training", unit);
    print_heads(attention, "trained", "Attention", unit);
    print_heads(attention, "long", "Attention of sampled queries", unit);
    if (sinks != NULL)
        printf("\nHeads whose first key has more than %.1f of the weight, at "
               "%.0f %ss: %.0f %%\nof text, %.0f %% of one %s repeated\n",
               number_at(sinks, "threshold"), number_at(sinks, "length"), unit,
               100 * number_at(sinks, "share"),
               100 * number_at(sinks, "share_repeated"), unit);
}

/* Print the receptive field, and the loss with a shorter context. */
static void print_field(const json_t *field, const char *unit)
{
    static const char *const lengths[] = { "trained", "long", NULL };
    const json_t *truncation = json_object_get(field, "truncation"), *length;
    size_t i;

    for (const char *const *name = lengths; *name != NULL; name++) {
        const json_t *at = json_object_get(field, *name);

        if (at != NULL)
            printf("Effective receptive field in %.0f %ss: %.1f hold 90 %% "
                   "of the gradient, %.1f 99 %%\n",
                   number_at(at, "length"), unit, number_at(at, "width_90"),
                   number_at(at, "width_99"));
    }
    puts("Loss of the same targets, nats per byte, after");
    json_array_foreach(json_object_get(truncation, "lengths"), i, length) {
        printf("%7.0f %ss ", json_number_value(length), unit);
        print_number(8, 4, item_at(truncation, "loss", i));
        putchar('\n');
    }
}

static void print_states(const json_t *states)
{
    const json_t *error;
    size_t i;

    puts("Position predicted from the state, mean error after");
    json_array_foreach(json_object_get(states, "error"), i, error) {
        printf("  layer %zu ", i);
        print_number(7, 2,
                     json_is_number(error) ? json_number_value(error) : NAN);
        putchar('\n');
    }
    printf("  guessing%8.2f\n", number_at(states, "chance"));
}

/* Print the loss when fewer and fewer pairs rotate. */
static void print_partial(const json_t *partial, const char *unit)
{
    const json_t *last;
    size_t i;

    if (json_object_size(partial) == 0)
        return;
    printf("Loss with only the fastest pairs rotating, nats per byte, at %.0f "
           "and %.0f %ss\n(predicted to carry most of the position: pair",
           number_at(partial, "length"), number_at(partial, "far"), unit);
    print_number(0, 1, number_at(partial, "predicted"));
    puts(", counted from 0)");
    json_array_foreach(json_object_get(partial, "last"), i, last) {
        if (json_integer_value(last) < 0)
            printf("  none       ");
        else
            printf("  0 to %2.0f    ", json_number_value(last));
        print_number(8, 4, item_at(partial, "loss", i));
        print_number(8, 4, item_at(partial, "loss_far", i));
        putchar('\n');
    }
}

/* Mean of absolute values, because biases have both signs. */
static double mean_of(const json_t *list)
{
    const json_t *value;
    double sum = 0;
    size_t i;

    json_array_foreach(list, i, value)
        sum += json_is_number(value) ? fabs(json_number_value(value)) : NAN;
    return sum / (double)json_array_size(list);
}

/* Print means over heads at each step that was probed. */
static void print_training(const json_t *training)
{
    static const char *const keys[] = { "entropy", "sink", "self_bias",
                                        "previous_bias" };
    const json_t *step;
    size_t i;

    if (json_array_size(training) == 0)
        return;
    puts("During training, means over heads (own, prev: |excess over"
         " uniform|)\n"
         "  step  entropy  first    own   prev");
    json_array_foreach(training, i, step) {
        printf("%6.0f", number_at(step, "step"));
        for (int k = 0; k < 4; k++)
            print_number(k == 0 ? 8 : 6, 3,
                         mean_of(json_object_get(step, keys[k])));
        putchar('\n');
    }
}

static void print(const json_t *probe)
{
    const char *unit = json_object_get(probe, "spans") ? "token" : "byte";

    printf("run %.0f: %s seed %.0f, trained at %.0f\n", number_at(probe, "run"),
           cli_safe(json_string_value(json_object_get(probe, "encoding"))),
           number_at(probe, "seed"), number_at(probe, "trained_length"));
    print_attention(json_object_get(probe, "attention"), unit);
    putchar('\n');
    print_field(json_object_get(probe, "field"), unit);
    print_states(json_object_get(probe, "states"));
    print_partial(json_object_get(probe, "partial"), unit);
    print_training(json_object_get(probe, "training"));
}

/* ---------------------------------------------------------------------- run */

static int run(const struct cli *cli)
{
    const struct options *o = cli->options;
    locant_store *store;
    json_t *probe;
    char *text = NULL;
    int64_t id;

    CLI_TRY(cli_open_run(&store, &id, cli, o->dir));
    cli_catch_signals();
    CLI_TRY(cli_job_status(locant_probe(&text, store, id, cli_progress, NULL)));
    probe = json_loads(text, 0, NULL);
    locant_release(text);
    if (probe == NULL)
        return cli_fail(CLI_INPUT, "probe: out of memory");
    if (cli->json)
        return cli_json(probe);
    print(probe);
    json_decref(probe);
    return CLI_OK;
}

/* clang-format off */
const struct cli_command cli_probe = {
    .name = "probe", .summary = "what a trained model does with positions",
    .usage = "RUN [--dir DIR] [--json]",
    .doc = "Evaluates a finished run on generated text, whatever it was "
           "trained on, and\nprints what each head attends to: entropy in "
           "nats and its slope against the\nlogarithm of the number of keys "
           "(1: uniform), mean distance, the weight of keys\nnearer than 8 "
           "and 32, of the first key, of the query's own key and of the key\n"
           "before it.  The store keeps the results; 'locant figure' draws "
           "them.",
    .examples = "locant probe 3\nlocant probe 3 --json --dir lab\n"
                "locant figure entropy 3",
    CLI_OPTIONS,
    .min_words = 1, .max_words = 1, .computes = 1, .run = run
};
/* clang-format on */
