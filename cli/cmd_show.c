/* cmd_show.c - locant show ENC: one encoding, all the registry knows. */
#include <stdio.h>
#include <string.h>

#include "cli.h"

static json_t *keys_json(const char *name)
{
    locant_key_info key;
    json_t         *rows = json_array();

    for (int i = 0; locant_encoding_key(&key, name, i); i++)
        json_array_append_new(rows, json_pack(
            "{s:s, s:s, s:s, s:s, s:s}", "name", key.name, "kind", key.kind,
            "default", key.fallback, "range", key.range, "doc", key.doc));
    return rows;
}

static json_t *params_json(const locant_encoding *e)
{
    locant_param_info p;
    json_t           *rows = json_array();

    for (int i = 0; locant_encoding_param(&p, e, i, 0, 0); i++)
        json_array_append_new(rows, json_pack("{s:s, s:s, s:s}", "name",
                                              p.name, "dims", p.dims, "doc",
                                              p.doc));
    return rows;
}

static int print_json(const locant_encoding *e)
{
    const locant_encoding_info *info = locant_encoding_info_of(e);
    char doors[64], traits[96];

    cli_doors(doors, sizeof doors, info->doors);
    cli_traits(traits, sizeof traits, info->traits);
    return cli_json(json_pack(
        "{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:o, s:o}",
        "name", info->name, "spec", locant_encoding_spec(e),
        "title", info->title, "formula", info->formula, "doors", doors,
        "traits", traits, "source", info->source, "used_by", info->used_by,
        "traps", info->traps, "keys", keys_json(info->name),
        "parameters", params_json(e)));
}

/* "label    text", the further lines of text under the first. */
static void print_field(const char *label, const char *text)
{
    while (*text != '\0') {
        size_t n = strcspn(text, "\n");

        printf("%-11s %.*s\n", label, (int)n, text);
        text += n + (text[n] == '\n');
        label = "";
    }
}

static void print_keys(const char *name)
{
    locant_key_info key;

    for (int i = 0; locant_encoding_key(&key, name, i); i++) {
        char left[96];

        snprintf(left, sizeof left, "%s=%s", key.name,
                 key.fallback[0] ? key.fallback : "(derived)");
        printf("%-11s %-22s %s: %s; %s\n", i == 0 ? "keys" : "", left,
               key.kind, key.range, key.doc);
    }
}

static void print_text(const locant_encoding *e)
{
    const locant_encoding_info *info = locant_encoding_info_of(e);
    locant_param_info p;
    char doors[64], traits[96];

    cli_doors(doors, sizeof doors, info->doors);
    cli_traits(traits, sizeof traits, info->traits);
    printf("%s - %s\n\n", locant_encoding_spec(e), info->title);
    print_field("formula", info->formula);
    print_field("doors", doors);
    print_field("traits", traits);
    print_keys(info->name);
    for (int i = 0; locant_encoding_param(&p, e, i, 0, 0); i++)
        printf("%-11s %s %s: %s\n", i == 0 ? "parameters" : "", p.name, p.dims,
               p.doc);
    print_field("source", info->source);
    print_field("used by", info->used_by);
    print_field("traps", info->traps);
}

static int run(const struct cli *cli)
{
    locant_encoding *e = NULL;
    locant_status    s = locant_encoding_create(&e, cli->words[0]);
    int              status = CLI_OK;

    if (s != LOCANT_OK)
        return cli_error(s);
    if (cli->json)
        status = print_json(e);
    else
        print_text(e);
    locant_encoding_free(e);
    return status;
}

const struct cli_command cli_show = {
    .name = "show",
    .summary = "one encoding: formula, keys, parameters, source",
    .usage = "SPEC [--json]",
    .doc = "What the registry knows about an encoding: its formula, the doors "
           "it\nuses, the keys of its spec with their ranges, the learned "
           "parameters\nand their shapes, the paper, who uses it, and the "
           "traps.",
    .examples = "locant show rope\nlocant show t5\n"
                "locant show 'rope(base=500000,pairing=interleaved)'",
    .min_words = 1, .max_words = 1, .run = run
};
