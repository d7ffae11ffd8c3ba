/* model_inspect.c - locant model inspect: the position plan of a model */
#include <string.h>

#include "model.h"
#include "model_plan.h"
#include "model_waves.h"

struct options {
    const char *figure, *verify;
    int layers, as, color, plain;
};

static const struct cli_option options[] = {
    OPT_FLAG("layers", layers, "also one line for each layer"),
    OPT_CHOICE("as", as, MODEL_STACKS,
               "the program that reads the configuration; true: what it means",
               .fallback = "true"),
    OPT_FILE("verify", verify, "PASSPORT",
             "is this the model's passport? a file of --json, or 64 digits"),
    OPT_FILE("figure", figure, "FILE",
             "draw the wavelengths: .svg, .png, .pdf"),
    OPT_FLAG("no-picture", plain, "no picture on the terminal"),
    OPT_COLOR(color),
    OPT_END
};

/* ------------------------------------------------------------------- verify */

static bool is_hash(const char *text)
{
    return strlen(text) == 64 &&
           strspn(text, "0123456789abcdef") == strlen(text);
}

/* The hash that a file of --json holds, or the 64 digits themselves. */
static int passport(char out[65], const char *word)
{
    json_error_t e;
    json_t *root;
    const char *hash;

    if (is_hash(word)) {
        memcpy(out, word, 65);
        return CLI_OK;
    }
    root = json_load_file(word, 0, &e);
    hash = json_string_value(json_object_get(root, "hash"));
    if (root == NULL || hash == NULL || !is_hash(hash)) {
        const char *why = root != NULL
                              ? "has no key hash with 64 hexadecimal digits"
                              : cli_safe(e.text);

        why = cli_text("%s: %s", cli_safe(word), why);
        json_decref(root);
        return cli_fail(CLI_INPUT, "%s", why);
    }
    memcpy(out, hash, 65);
    json_decref(root);
    return CLI_OK;
}

static int verify(const struct cli *cli, const json_t *plan, const char *word)
{
    const char *got = json_string_value(json_object_get(plan, "hash"));
    char want[65];
    bool same;

    CLI_TRY(passport(want, word));
    same = strcmp(got, want) == 0;
    if (cli->json)
        CLI_TRY(cli_json(json_pack("{s:b, s:s, s:s}", "same", same, "hash", got,
                                   "expected", want)));
    else if (same)
        printf("the passport is that of %s\n", cli_safe(cli->words[0]));
    else
        printf("%s has another passport\n  %s, expected\n  %s\n",
               cli_safe(cli->words[0]), got, want);
    return same ? CLI_OK : CLI_NO;
}

/* ---------------------------------------------------------------------- run */

static void release(void *plan)
{
    json_decref(plan);
}

static int run(const struct cli *cli)
{
    const struct options *o = cli->options;
    json_t *plan;

    if (o->figure != NULL)
        CLI_TRY(cli_check_output(o->figure));
    CLI_TRY(model_plan_read(&plan, cli->words[0], o->as));
    CLI_TRY(cli_at_end(release, plan));
    if (o->verify != NULL)
        return verify(cli, plan, o->verify);
    if (o->figure != NULL)
        CLI_TRY(model_waves_draw(plan, o->figure, 0));
    if (cli->json)
        return cli_json(json_incref(plan));
    model_plan_print(plan, o->layers != 0);
    return o->plain ? CLI_OK : model_waves_draw(plan, NULL, o->color);
}

const struct cli_command cli_model_inspect = {
    .name = "model inspect",
    .summary = "how each layer of a model uses positions",
    .usage = "MODEL [--layers] [--as PROGRAM] [--figure FILE]\n"
             "MODEL --verify PASSPORT",
    .doc =
        "Prints the position plan of a model: the spec of its layers, equal "
        "layers\nonce, with windows, factors, norms of queries and keys, what "
        "multiplies the\nscores and why; the shortest and longest wavelength "
        "and how many turns they\nmake in the trained length; and where each "
        "value came from: a key of the file,\nthe default of its class, or "
        "derived.\n\nNo file says which channels make a pair: without "
        "locant.pairing in the metadata\nit is what is usual in the family.  "
        "--as reads the same file as another program\ndoes, mistakes included "
        "(docs/guide/models).\n\nThe passport is the SHA-256 of all that the "
        "model computes with positions.  Put\nthe file of --json beside a "
        "model card; --verify says later whether a file still\nhas that "
        "passport: exit 1 if not.",
    .examples = "locant model inspect ~/models/mine\n"
                "locant model inspect config.json --layers --as vllm\n"
                "locant model inspect mine.gguf --json > passport.json\n"
                "locant model inspect mine --verify passport.json",
    CLI_OPTIONS,
    .min_words = 1,
    .max_words = 1,
    .run = run
};
