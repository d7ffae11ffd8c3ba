/* cmd_list.c - locant list: the catalogue. */
#include <stdio.h>

#include "cli.h"

static int print_json(void)
{
    const locant_encoding_info *info;
    json_t *rows = json_array();

    for (int i = 0; (info = locant_encoding_at(i)) != NULL; i++) {
        char doors[64], traits[96];

        cli_doors(doors, sizeof doors, info->doors);
        cli_traits(traits, sizeof traits, info->traits);
        json_array_append_new(rows, json_pack(
            "{s:s, s:s, s:s, s:s, s:s}", "name", info->name, "title",
            info->title, "doors", doors, "traits", traits, "source",
            info->source));
    }
    return cli_json(rows);
}

static int run(const struct cli *cli)
{
    const locant_encoding_info *info;

    if (cli->json)
        return print_json();
    printf("%-14s %-12s %s\n", "encoding", "doors", "what it is");
    for (int i = 0; (info = locant_encoding_at(i)) != NULL; i++) {
        char doors[64];

        cli_doors(doors, sizeof doors, info->doors);
        printf("%-14s %-12s %s%s\n", info->name, doors, info->title,
               info->traits & LOCANT_TRAIT_LEARNED ? " (learned)" : "");
    }
    return CLI_OK;
}

const struct cli_command cli_list = {
    .name = "list", .summary = "the encodings, one line each",
    .usage = "[--json]",
    .doc = "Every encoding of this build with the doors it enters a "
           "Transformer\nthrough: input (added to embeddings), rotate (turns "
           "queries and keys),\nscore (added to scores), content.",
    .examples = "locant list\nlocant list --json",
    .run = run
};
