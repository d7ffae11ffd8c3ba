/* cmd_list.c - locant list: the catalogue. */
#include <stdio.h>

#include "language.h"
#include "show.h"

struct options {
    int markdown;
};

static const struct cli_option options[] = {
    OPT_FLAG("markdown", markdown,
             "print the index of the catalogue (docs/encodings/README.md)"),
    OPT_END
};

/* Add an encoding or a variant of one. */
static int add_json(struct cli_json_rows *rows, const char *spec,
                    const char *title, const char *used_by)
{
    const locant_encoding_info *info;
    locant_encoding *e;
    unsigned traits;

    CLI_TRY(cli_encoding_create(&e, spec));
    info = locant_encoding_info_of(e);
    traits = locant_encoding_traits(e);
    cli_json_add(rows,
                 json_pack("{s:s, s:s, s:s, s:s, s:s, s:o, s:b, s:s, s:s}",
                           "name", info->name, "spec", spec, "title", title,
                           "doors", cli_doors(locant_encoding_doors(e)),
                           "traits", cli_traits(traits), "parameters",
                           show_params_json(e, SHOW_NO_DOC), "learned",
                           (traits & LOCANT_TRAIT_LEARNED) != 0, "source",
                           info->source, "models", used_by));
    return CLI_OK;
}

static int add_all(struct cli_json_rows *rows)
{
    const locant_encoding_info *info;

    for (int i = 0; (info = locant_encoding_at(i)) != NULL; i++) {
        CLI_TRY(add_json(rows, info->name, info->title, info->used_by));
        for (const locant_variant *v = info->variants; v && v->spec; v++)
            CLI_TRY(add_json(rows, v->spec, v->title, v->used_by));
    }
    return CLI_OK;
}

/* List the encodings with this door or, for 0, those without a door. */
static void print_door(const char *title, unsigned door)
{
    const locant_encoding_info *info;

    printf("\n## %s\n\n", title);
    for (int i = 0; (info = locant_encoding_at(i)) != NULL; i++) {
        if (door == 0 ? info->doors != 0 : !(info->doors & door))
            continue;
        printf("- [%s](%s.md): %s%s\n", info->name, info->name, info->title,
               info->traits & LOCANT_TRAIT_LEARNED ? " (learned)" : "");
    }
}

static void print_markdown(void)
{
    const locant_encoding_info *info;
    int n = 0;

    while ((info = locant_encoding_at(n)) != NULL)
        n++;
    printf("# Encodings\n\nThe %d encodings of the registry, by the door "
           "through which they enter a Transformer.\nWritten by "
           "`scripts/catalogue`, not by hand; `locant show NAME` prints a "
           "page.\n",
           n);
    print_door("Input: added to embeddings", LOCANT_DOOR_INPUT);
    print_door("Rotate: rotates queries and keys", LOCANT_DOOR_ROTATE);
    print_door("Score: added to scores", LOCANT_DOOR_SCORE);
    print_door("Content: reads queries, keys or scores", LOCANT_DOOR_CONTENT);
    print_door("No door: positions, masks, temperatures, layers", 0);
}

static void print_text(void)
{
    const locant_encoding_info *info;

    printf("%s %s %s\n", cli_padded(cli_translate("encoding"), 16),
           cli_padded(cli_translate("door"), 8), cli_translate("what it is"));
    for (int i = 0; (info = locant_encoding_at(i)) != NULL; i++) {
        printf("%-16s %s %s%s\n", info->name,
               cli_padded(cli_translate_list(cli_doors(info->doors)), 8),
               cli_translate(info->title),
               info->traits & LOCANT_TRAIT_LEARNED ? cli_translate(" (learned)")
                                                   : "");
        for (const locant_variant *v = info->variants; v && v->spec; v++)
            printf("  %-23s %s\n", v->spec, cli_translate(v->title));
    }
}

static int run(const struct cli *cli)
{
    const struct options *o = cli->options;
    struct cli_json_rows rows = { 0 };

    if (cli->json)
        return cli_json_print(&rows, add_all(&rows));
    if (o->markdown) {
        print_markdown();
        return CLI_OK;
    }
    print_text();
    return CLI_OK;
}

const struct cli_command cli_list = {
    .name = "list",
    .summary = "the encodings, one line each",
    .usage = "[--json | --markdown]",
    .doc = "Prints every encoding of this build, and the doors by which it "
           "enters a\nTransformer: input (added to embeddings), rotate "
           "(rotates queries and keys),\nscore (added to scores), content "
           "(reads queries, keys or scores).  Below each\nencoding stand its "
           "variants that have names of their own.",
    .examples = "locant list\nlocant list --json",
    CLI_OPTIONS,
    .run = run
};
