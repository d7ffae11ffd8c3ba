/* model_check.c - locant model check: what is wrong with a model's positions */
#include <stdio.h>
#include <string.h>

#include "locant/models.h"
#include "model.h"

struct options {
    int stack, strict, fix;
    int64_t length;
    const char *out, *other, *adapter, *positions;
};

static const struct cli_option options[] = {
    OPT_CHOICE("for", stack, "every|hf4|hf5|vllm|llama.cpp|mlx",
               "only what concerns this stack", .fallback = "every"),
    OPT_FLAG("strict", strict, "warnings make the exit status 1, too"),
    OPT_FLAG("fix", fix, "write a corrected configuration beside the old one"),
    OPT_FILE("output", out, "FILE", "of --fix, instead of config.fixed.json",
             .letter = 'o'),
    OPT_FILE("against", other, "OTHER",
             "the same model as another file: compare pairing and windows"),
    OPT_FILE("adapter", adapter, "FOLDER",
             "a LoRA adapter that is to be used with MODEL"),
    OPT_FILE("positions", positions, "P.npy",
             "position ids that are to be used: int64 [B, T] or [A, B, T]"),
    OPT_INTEGER("length", length, "N", 0, INT64_MAX,
                "tokens of a text that is to be read", .fallback = "0"),
    OPT_END
};

enum { STACKS = LOCANT_STACK_MLX + 1 };

static const char *const stack_names[STACKS] = { "every", "hf4",       "hf5",
                                                 "vllm",  "llama.cpp", "mlx" };
static const char *const severity_names[] = { "note", "warning", "error" };

/* ----------------------------------------------------------------- printing */

static json_t *stacks_json(const locant_finding *f)
{
    json_t *list = json_array();

    for (int i = 0; i < STACKS; i++)
        if (f->stacks >> i & 1)
            json_array_append_new(list, json_string(stack_names[i]));
    return list;
}

/* What each stack computes, for those that the finding speaks of. */
static json_t *computes_json(const locant_finding *f)
{
    const char *const texts[STACKS] = { "",      f->hf4,       f->hf5,
                                        f->vllm, f->llama_cpp, f->mlx };
    json_t *object = json_object();

    for (int i = 0; i < STACKS; i++)
        if (texts[i][0] != '\0')
            json_object_set_new(object, stack_names[i], json_string(texts[i]));
    return object;
}

static int print_json(const locant_findings *findings)
{
    json_t *list = json_array();

    for (size_t i = 0; i < findings->n; i++) {
        const locant_finding *f = &findings->at[i];

        json_array_append_new(
            list, json_pack("{s:s, s:s, s:s, s:s, s:o, s:o, s:s, s:b}", "id",
                            f->id, "severity", severity_names[f->severity],
                            "key", f->key, "sentence", f->sentence, "stacks",
                            stacks_json(f), "computes", computes_json(f),
                            "mend", f->mend, "fixes", f->fixes));
    }
    return cli_json(list);
}

static void print_finding(const locant_finding *f)
{
    const size_t width = (size_t)cli_columns();
    const char *head =
        cli_text("%s %s %s:", severity_names[f->severity], f->id, f->key);

    printf("%s\n", cli_safe(head));
    cli_wrap(cli_safe(f->sentence), 0, 4, width);
    if (f->mend[0] != '\0') {
        putchar('\n');
        cli_wrap(cli_text("Mend: %s.", cli_safe(f->mend)), 0, 4, width);
    }
    putchar('\n');
}

static size_t count(const locant_findings *f, locant_severity severity)
{
    size_t n = 0;

    for (size_t i = 0; i < f->n; i++)
        n += f->at[i].severity == severity;
    return n;
}

static const char *plural(size_t n, const char *word)
{
    return cli_text("%zu %s%s", n, word, n == 1 ? "" : "s");
}

static void print_text(const locant_findings *findings)
{
    for (size_t i = 0; i < findings->n; i++) {
        print_finding(&findings->at[i]);
        putchar('\n');
    }
    if (findings->n == 0) {
        printf("%s: nothing found\n", cli_safe(findings->checked));
        return;
    }
    printf("%s: %s, %s, %s\n", cli_safe(findings->checked),
           plural(count(findings, LOCANT_FINDING_ERROR), "error"),
           plural(count(findings, LOCANT_FINDING_WARNING), "warning"),
           plural(count(findings, LOCANT_FINDING_NOTE), "note"));
}

/* ---------------------------------------------------------------- checking */

static void free_findings(void *findings)
{
    locant_findings_free(findings);
}

static bool ends_with(const char *text, const char *end)
{
    const size_t n = strlen(text), m = strlen(end);

    return n >= m && strcmp(text + n - m, end) == 0;
}

/* "a/config.json" -> "a/config.fixed.json", "a" -> "a/config.fixed.json" */
static const char *fixed_name(const char *model)
{
    if (ends_with(model, ".json"))
        return cli_text("%.*s.fixed.json", (int)(strlen(model) - 5), model);
    return cli_text("%s%sconfig.fixed.json", model,
                    ends_with(model, "/") ? "" : "/");
}

static int fix(const struct cli *cli, const char *model)
{
    const struct options *o = cli->options;
    const char *out = o->out ? o->out : fixed_name(model);
    size_t n;

    CLI_TRY(cli_status_input(locant_model_fix(&n, model, out)));
    if (n == 0)
        fprintf(stderr, "locant: nothing that can be mended without a choice; "
                        "no file is written\n");
    else
        fprintf(stderr, "locant: %s: %s mended\n", cli_safe(out),
                plural(n, "finding"));
    return CLI_OK;
}

static int run(const struct cli *cli)
{
    static locant_findings findings;
    const struct options *o = cli->options;
    locant_check_options asked = LOCANT_CHECK_OPTIONS_INIT;
    locant_tensor positions;

    if (o->out != NULL && !o->fix)
        return cli_refuse("model check: --output is where --fix writes, and "
                          "--fix was not given");
    asked.stack = (locant_stack)o->stack;
    asked.length = o->length;
    asked.other = o->other;
    asked.adapter = o->adapter;
    if (o->positions != NULL) {
        CLI_TRY(cli_read_as(&positions, "positions", o->positions,
                            CLI_DTYPE(LOCANT_I64)));
        asked.positions = &positions;
    }
    CLI_TRY(
        cli_model_status(locant_model_check(&findings, cli->words[0], &asked)));
    CLI_TRY(cli_at_end(free_findings, &findings));
    if (o->fix)
        CLI_TRY(fix(cli, cli->words[0]));
    if (cli->json)
        CLI_TRY(print_json(&findings));
    else
        print_text(&findings);
    return count(&findings, LOCANT_FINDING_ERROR) > 0 ||
                   (o->strict && count(&findings, LOCANT_FINDING_WARNING) > 0)
               ? CLI_NO
               : CLI_OK;
}

const struct cli_command cli_model_check = {
    .name = "model check",
    .summary = "what is wrong with the positions of a model",
    .usage = "MODEL [--for STACK] [--strict] [--fix [-o FILE]]\n"
             "MODEL --against OTHER\n"
             "MODEL --adapter FOLDER",
    .doc = "Looks for faults in how a model's files say its positions: bases "
           "and\ndictionaries that a program does not read, scalings whose "
           "lengths do not fit,\nwidths and sections, windows, pairings.  Each "
           "finding says what is wrong, what\ntransformers 4 and 5, vLLM, "
           "llama.cpp and MLX compute, and how to mend it.\nErrors are wrong "
           "numbers or a failure somewhere; warnings, keys about which\nstacks "
           "disagree or that have no effect; notes are worth knowing on right "
           "models\ntoo.  The exit status is 1 if there is an error."
           "\n\nMODEL is a folder with config.json, a config.json or "
           "params.json alone, or a\n.gguf.  A key of a wrong type is a "
           "finding; a file that cannot be read is exit\nstatus 3.  Of weights "
           "beside the configuration names and shapes are compared\nwith what "
           "it asks for."
           "\n\n--fix changes only what a check mends without a choice, and "
           "writes\nconfig.fixed.json beside config.json.  --against compares "
           "the rows of q and k,\nnorms, divisors and windows of two files of "
           "one model; a folder that holds one\n.gguf beside its config.json "
           "is compared with it.",
    .examples = "locant model check ~/models/mine\n"
                "locant model check config.json --for vllm --strict\n"
                "locant model check config.json --fix -o better.json\n"
                "locant model check ~/models/mine --against mine.gguf",
    CLI_OPTIONS,
    .min_words = 1,
    .max_words = 1,
    .run = run
};
