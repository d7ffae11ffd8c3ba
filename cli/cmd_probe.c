/* cmd_probe.c - locant probe RUN: what a trained model does with positions. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli.h"
#include "locant/probe.h"

struct options {
    const char *dir;
};

static const struct cli_option options[] = { OPT_DIR(dir), OPT_END };

/* --------------------------------------------------------------------- text */

/* The number from[key], or from[key][sub]; NAN if there is none. */
static double number_at(const json_t *from, const char *key, const char *sub)
{
    const json_t *value = json_object_get(from, key);

    if (sub != NULL)
        value = json_object_get(value, sub);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

static void print_number(int width, int decimals, double x)
{
    if (isfinite(x))
        printf(" %*.*f", width, decimals, x);
    else
        printf(" %*s", width, "-");
}

static void print_head(const json_t *head)
{
    printf("%5.0f %4.0f", number_at(head, "layer", NULL),
           number_at(head, "head", NULL));
    print_number(8, 3, number_at(head, "entropy", NULL));
    print_number(6, 2, number_at(head, "slope", NULL));
    print_number(9, 1, number_at(head, "distance", NULL));
    print_number(6, 3, number_at(head, "within", "8"));
    print_number(6, 3, number_at(head, "within", "32"));
    print_number(6, 3, number_at(head, "sink", NULL));
    print_number(6, 3, number_at(head, "self", NULL));
    print_number(6, 3, number_at(head, "previous", NULL));
    putchar('\n');
}

static void print_heads(const json_t *attention, const char *which,
                        const char *title)
{
    const json_t *sweep = json_object_get(attention, which), *head;
    size_t i;

    if (sweep == NULL)
        return;
    printf("\n%s, windows of %.0f bytes\n%5s %4s %8s %6s %9s %6s %6s %6s %6s "
           "%6s\n",
           title, number_at(sweep, "length", NULL), "layer", "head", "entropy",
           "slope", "distance", "<8", "<32", "first", "own", "prev");
    json_array_foreach(json_object_get(sweep, "heads"), i, head)
        print_head(head);
}

static void print_attention(const json_t *attention)
{
    const json_t *sinks = json_object_get(attention, "sinks");

    print_heads(attention, "initial", "Attention before training");
    print_heads(attention, "trained", "Attention");
    print_heads(attention, "long", "Attention of sampled queries");
    if (sinks != NULL)
        printf("\nHeads whose first key has more than %.1f of the weight, at "
               "%.0f bytes: %.0f %%\nof text, %.0f %% of one byte repeated\n",
               number_at(sinks, "threshold", NULL),
               number_at(sinks, "length", NULL),
               100 * number_at(sinks, "share", NULL),
               100 * number_at(sinks, "share_repeated", NULL));
}

/* The receptive field, and the loss with a shorter context. */
static void print_field(const json_t *field)
{
    static const char *const lengths[] = { "trained", "long", NULL };
    const json_t *less = json_object_get(field, "truncation"), *length;
    size_t i;

    for (const char *const *name = lengths; *name != NULL; name++) {
        const json_t *at = json_object_get(field, *name);

        if (at != NULL)
            printf("Effective receptive field in %.0f bytes: %.1f hold 90 %% "
                   "of the gradient, %.1f 99 %%\n",
                   number_at(at, "length", NULL),
                   number_at(at, "width_90", NULL),
                   number_at(at, "width_99", NULL));
    }
    puts("Loss of the same targets, nats per byte, after");
    json_array_foreach(json_object_get(less, "lengths"), i, length) {
        printf("%7.0f bytes ", json_number_value(length));
        print_number(8, 4,
                     json_number_value(
                         json_array_get(json_object_get(less, "loss"), i)));
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
        print_number(7, 2, json_number_value(error));
        putchar('\n');
    }
    printf("  guessing%8.2f\n", number_at(states, "chance", NULL));
}

/* The loss when fewer and fewer pairs rotate. */
static void print_partial(const json_t *partial)
{
    const json_t *last;
    size_t i;

    if (json_object_size(partial) == 0)
        return;
    printf("Loss with only the fastest pairs rotating, nats per byte, at %.0f "
           "and %.0f bytes\n(predicted to carry most of the position: pair",
           number_at(partial, "length", NULL), number_at(partial, "far", NULL));
    print_number(0, 1, number_at(partial, "predicted", NULL));
    puts(", counted from 0)");
    json_array_foreach(json_object_get(partial, "last"), i, last) {
        if (json_integer_value(last) < 0)
            printf("  none       ");
        else
            printf("  0 to %2.0f    ", json_number_value(last));
        print_number(8, 4,
                     json_number_value(
                         json_array_get(json_object_get(partial, "loss"), i)));
        print_number(8, 4,
                     json_number_value(json_array_get(
                         json_object_get(partial, "loss_far"), i)));
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

/* Means over heads at each step that was probed. */
static void print_training(const json_t *training)
{
    static const char *const keys[] = { "entropy", "sink", "self_bias",
                                        "previous_bias" };
    const json_t *step;
    size_t i;

    if (json_array_size(training) == 0)
        return;
    puts("During training, means over heads; own and prev less uniform ones\n"
         "  step  entropy  first    own   prev");
    json_array_foreach(training, i, step) {
        printf("%6.0f", number_at(step, "step", NULL));
        for (int k = 0; k < 4; k++)
            print_number(k == 0 ? 8 : 6, 3,
                         mean_of(json_object_get(step, keys[k])));
        putchar('\n');
    }
}

static int print(const json_t *probe)
{
    printf("run %.0f: %s seed %.0f, trained at %.0f\n",
           number_at(probe, "run", NULL),
           cli_safe(json_string_value(json_object_get(probe, "encoding"))),
           number_at(probe, "seed", NULL),
           number_at(probe, "trained_length", NULL));
    print_attention(json_object_get(probe, "attention"));
    putchar('\n');
    print_field(json_object_get(probe, "field"));
    print_states(json_object_get(probe, "states"));
    print_partial(json_object_get(probe, "partial"));
    print_training(json_object_get(probe, "training"));
    return CLI_OK;
}

/* ---------------------------------------------------------------------- run */

static int measure(const struct cli *cli, int64_t id, locant_store *store)
{
    json_t *probe;
    char *text = NULL;
    locant_status s;
    int status;

    cli_catch_signals();
    s = locant_probe(&text, store, id, cli_progress, NULL);
    cli_progress_end();
    if (s != LOCANT_OK)
        return cli_job_status(s);
    probe = json_loads(text, 0, NULL);
    locant_release(text);
    if (probe == NULL)
        return cli_fail(CLI_INPUT, "probe: out of memory");
    if (cli->json)
        return cli_json(probe);
    status = print(probe);
    json_decref(probe);
    return status;
}

static int run(const struct cli *cli)
{
    const struct options *o = cli->options;

    return cli_with_run(cli, "probe", o->dir, measure);
}

/* clang-format off */
const struct cli_command cli_probe = {
    .name = "probe", .summary = "what a trained model does with positions",
    .usage = "RUN [--dir DIR] [--json]",
    .doc = "Evaluates a finished run on generated text, whatever it was "
           "trained on, and\nprints what each head attends to: entropy in nats "
           "and its slope against the\nlogarithm of the number of keys (1: "
           "uniform), mean distance, the weight of keys\nnearer than 8 and 32, "
           "of the first key, of the query's own key and of the one\nbefore.  "
           "The store keeps the results; 'locant figure' draws them.",
    .examples = "locant probe 3\nlocant probe 3 --json --dir lab\n"
                "locant figure entropy 3",
    .options = options, .options_size = sizeof(struct options),
    .min_words = 1, .max_words = 1, .computes = 1, .run = run
};
/* clang-format on */
