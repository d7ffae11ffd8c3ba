/* model_compare.c - locant model compare: are the positions the same? */
#include <inttypes.h>
#include <stdio.h>

#include "locant/models.h"
#include "model.h"
#include "model_plan.h"

struct options {
    int as;
    int64_t length;
};

static const struct cli_option options[] = {
    OPT_CHOICE("as", as, MODEL_STACKS,
               "the program that reads B, or A if there is no B; true: what "
               "the files mean",
               .fallback = "true"),
    OPT_INTEGER("length", length, "N", 1, INT64_C(1) << 31,
                "positions over which differences of frequencies are judged; "
                "left out: the longer of the models'"),
    OPT_END
};

static const char *const verdicts[] = { "same", "different", "undecided" };

/* -------------------------------------------------------------------- JSON */

static json_t *difference_json(const locant_model_difference *d)
{
    return json_pack("{s:s, s:s, s:I, s:I, s:I, s:I, s:f, s:s, s:s}", "field",
                     d->field, "tower", d->tower, "layer", (json_int_t)d->layer,
                     "layers", (json_int_t)d->layers, "pair",
                     (json_int_t)d->pair, "position", (json_int_t)d->position,
                     "amount", d->amount, "a", d->a, "b", d->b);
}

static int print_json(const locant_comparison *c)
{
    json_t *rows = json_array();

    for (int i = 0; i < c->n; i++)
        json_array_append_new(rows, difference_json(&c->differences[i]));
    return cli_json(json_pack("{s:s, s:b, s:I, s:I, s:f, s:I, s:o, s:s}",
                              "verdict", verdicts[c->verdict], "exact",
                              c->exact, "length", (json_int_t)c->length,
                              "layers", (json_int_t)c->layers, "apart",
                              c->apart, "carries", (json_int_t)c->carries,
                              "differences", rows, "note", c->note));
}

/* -------------------------------------------------------------------- text */

static void print_place(const locant_model_difference *d)
{
    printf("  %s", d->tower);
    if (d->layer >= 0)
        printf(" layer %" PRId64, d->layer);
    if (d->layers > 1)
        printf(" and %" PRId64 " more", d->layers - 1);
    if (d->pair >= 0)
        printf(", pair %" PRId64, d->pair);
    printf(": %s\n", d->field);
}

static void print_difference(const locant_model_difference *d, int64_t length)
{
    print_place(d);
    printf("    A %s\n    B %s\n", cli_safe(d->a), cli_safe(d->b));
    if (d->pair >= 0)
        printf("    %.3g radians apart at %" PRId64 " positions", d->amount,
               length);
    if (d->pair >= 0 && d->position >= 0)
        printf("; beyond 0.001 from position %" PRId64, d->position);
    else if (d->position >= 0)
        printf("    from position %" PRId64, d->position);
    if (d->pair >= 0 || d->position >= 0)
        printf("\n");
}

/* How far schedules that differ by rounding carry. */
static void print_distance(const locant_comparison *c)
{
    if (c->exact || c->verdict == LOCANT_DIFFERENT)
        return;
    if (c->apart > 0)
        printf("frequencies differ as float32 rounds them: %.2g radians at "
               "%" PRId64 " positions, beyond 0.001 from position %" PRId64
               "\n",
               c->apart, c->length, c->carries);
}

static void print_text(const locant_comparison *c)
{
    printf("%s", verdicts[c->verdict]);
    if (c->verdict == LOCANT_SAME && c->exact)
        printf(" at all positions");
    if (c->verdict == LOCANT_SAME && !c->exact)
        printf(" within 0.001 radians over %" PRId64 " positions", c->length);
    printf(" (%" PRId64 " layers)\n", c->layers);
    for (int i = 0; i < c->n; i++)
        print_difference(&c->differences[i], c->length);
    print_distance(c);
    if (c->note[0] != 0) {
        cli_wrap(c->note, 0, 0, 79);
        printf("\n");
    }
}

static int run(const struct cli *cli)
{
    const struct options *o = cli->options;
    const char *b = cli->n_words > 1 ? cli->words[1] : NULL;
    locant_comparison c;

    if (b == NULL && o->as == 0)
        return cli_refuse("one model, expected a second one or --as");
    CLI_TRY(cli_model_status(locant_models_compare(
        &c, cli->words[0], b, (locant_stack)o->as, o->length)));
    if (cli->json)
        CLI_TRY(print_json(&c));
    else
        print_text(&c);
    return c.verdict == LOCANT_SAME ? CLI_OK : CLI_NO;
}

const struct cli_command cli_model_compare = {
    .name = "model compare",
    .summary = "whether two models have the same positions",
    .usage = "A B [--as STACK] [--length N]\n"
             "A --as STACK [--length N]",
    .doc =
        "A and B are each a MODEL, or a spec such as 'rope(base=500000)'.  "
        "Decides\nwhether both compute the same function of positions, "
        "whatever the order of the\nchannels that their weights carry, or "
        "names for each field that differs the\nfirst layer, pair and "
        "position, and by how much.\n\nEqual specs are equal at all positions. "
        " Frequencies that are not equal are\njudged by their difference times "
        "N positions and by the first position at which\nan angle is off by "
        "0.001 radians.  If they differ by no more than float32 rounds\nbut "
        "pass that within N positions, the answer is 'undecided'.  The factors "
        "on\nscores are compared as their products on rotated and on other "
        "channels, dialects\nof ALiBi up to a constant of each query.\n\nWith "
        "--as, B is read as that program reads it, mistakes included.\n\n"
        "Exit status: 0 the same, 1 different or undecided, 3 bad input.",
    .examples = "locant model compare mine/config.json mine.gguf\n"
                "locant model compare config.json 'rope(base=500000)'\n"
                "locant model compare config.json --as vllm\n"
                "locant model compare old.json new.json --length 32768 --json",
    CLI_OPTIONS,
    .min_words = 1,
    .max_words = 2,
    .run = run
};
