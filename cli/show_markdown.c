/* show_markdown.c - one page of the catalogue, docs/encodings/NAME.md. */
#include <stdio.h>
#include <string.h>

#include "show.h"

/* Prints a table cell, and escapes the special characters of Markdown. */
static void print_cell(const char *text)
{
    for (; *text != '\0'; text++) {
        if (strchr("|<*_", *text) != NULL)
            putchar('\\');
        putchar(*text == '\n' ? ' ' : *text);
    }
}

static void print_code(const char *text)
{
    putchar('`');
    for (; *text != '\0'; text++) {
        if (*text == '|')
            putchar('\\');
        putchar(*text);
    }
    putchar('`');
}

/* Prints a paragraph of plain text. */
static void print_section(const char *title, const char *text)
{
    if (text == NULL || text[0] == '\0')
        return;
    printf("\n## %s\n\n", title);
    print_cell(text);
    putchar('\n');
}

static void print_keys(const char *name)
{
    locant_key_info key;

    for (int i = 0; locant_encoding_key(&key, name, i); i++) {
        if (i == 0)
            puts("\n## Keys\n\n| key | default | range | meaning |\n"
                 "|---|---|---|---|");
        printf("| ");
        print_code(key.name);
        printf(" | ");
        if (key.fallback[0])
            print_code(key.fallback);
        else
            printf("derived");
        printf(" | %s: ", key.kind);
        print_cell(key.range);
        printf(" | ");
        print_cell(key.doc);
        puts(" |");
    }
}

static void print_params(const locant_encoding *e)
{
    locant_param_info p;

    for (int i = 0; locant_encoding_param(&p, e, i, NULL); i++) {
        if (i == 0)
            puts("\n## Parameters\n\n| parameter | shape | meaning | from | "
                 "of |\n|---|---|---|---|---|");
        printf("| ");
        print_code(p.name);
        printf(" | ");
        print_cell(p.dims);
        printf(" | ");
        print_cell(p.doc);
        printf(" | %s | %s |\n", p.rate == 0 ? "given" : "learned",
               p.per_layer ? "each layer" : "all layers");
    }
}

static void print_users(const locant_encoding_info *info)
{
    printf("\n## Who uses it\n\n");
    print_cell(info->used_by);
    putchar('\n');
    for (const locant_variant *v = info->variants; v && v->spec; v++) {
        if (v == info->variants)
            puts("\n| spec | what | used by |\n|---|---|---|");
        printf("| ");
        print_code(v->spec);
        printf(" | ");
        print_cell(v->title);
        printf(" | ");
        print_cell(v->used_by);
        puts(" |");
    }
}

static void print_block(const struct show_block *b)
{
    printf("\n%s%s\n", b->what, b->rows > 0 ? ":" : ".");
    if (b->rows > 0)
        printf("\n```\n");
    if (b->command != NULL)
        printf("$ %s\n", b->command);
    show_rows(b, "");
    if (b->rows > 0)
        puts("```");
}

static int print_checks(const locant_encoding *e)
{
    static struct show_block blocks[SHOW_BLOCKS];
    int n;

    CLI_TRY(show_checks(blocks, &n, e));
    printf("\n## Check values\n\n`locant show %s` prints them.\n",
           locant_encoding_info_of(e)->name);
    for (int i = 0; i < n; i++)
        print_block(&blocks[i]);
    return CLI_OK;
}

int show_markdown(const locant_encoding *e)
{
    const locant_encoding_info *info = locant_encoding_info_of(e);

    printf("# %s\n\n`%s`: made by `locant show %s --markdown`, not by hand.\n",
           info->title, locant_encoding_spec(e), locant_encoding_spec(e));
    printf("\n```\n%s\n```\n\n- doors: %s\n- traits: %s\n", info->formula,
           cli_doors(locant_encoding_doors(e)),
           cli_traits(locant_encoding_traits(e)));
    print_keys(info->name);
    print_params(e);
    print_section("Gradient", info->gradient);
    print_users(info);
    print_section("Pitfalls", info->pitfalls);
    CLI_TRY(print_checks(e));
    print_section("Source", info->source);
    printf("\n## Picture\n\n![%s](%s.svg)\n", info->title, info->name);
    return CLI_OK;
}
