/* show_markdown.c - print a page of the catalogue, docs/encodings/NAME.md. */
#include <stdio.h>
#include <string.h>

#include "show.h"

/* The text with a backslash before each of the special characters. */
static const char *escaped(const char *text, const char *special)
{
    char out[4096];
    size_t n = 0;

    for (; *text != '\0' && n < sizeof out - 2; text++) {
        if (strchr(special, *text) != NULL)
            out[n++] = '\\';
        out[n++] = *text == '\n' ? ' ' : *text;
    }
    out[n] = '\0';
    return cli_text("%s", out);
}

static const char *plain(const char *text)
{
    return escaped(text, "|<*_");
}

static const char *code(const char *text)
{
    return cli_text("`%s`", escaped(text, "|"));
}

/* Print a section with one paragraph, unless the text is empty. */
static void print_section(const char *title, const char *text)
{
    if (text != NULL && text[0] != '\0')
        printf("\n## %s\n\n%s\n", title, plain(text));
}

static void print_keys(const char *name)
{
    locant_key_info key;

    for (int i = 0; locant_encoding_key(&key, name, i); i++) {
        if (i == 0)
            puts("\n## Keys\n\n| key | default | range | meaning |\n"
                 "|---|---|---|---|");
        printf("| %s | %s | %s: %s | %s |\n", code(key.name),
               key.fallback[0] ? code(key.fallback) : "derived", key.kind,
               plain(key.range), plain(key.doc));
    }
}

static void print_params(const locant_encoding *e)
{
    locant_param_info p;

    for (int i = 0; locant_encoding_param(&p, e, i, NULL); i++) {
        if (i == 0)
            puts("\n## Parameters\n\n| parameter | shape | meaning | from | "
                 "of |\n|---|---|---|---|---|");
        printf("| %s | %s | %s | %s | %s |\n", code(p.name), plain(p.dims),
               plain(p.doc), p.rate == 0 ? "not learned" : "learned",
               p.per_layer ? "each layer" : "all layers");
    }
}

static void print_users(const locant_encoding_info *info)
{
    printf("\n## Who uses it\n\n%s\n", plain(info->used_by));
    for (const locant_variant *v = info->variants; v && v->spec; v++)
        printf("%s| %s | %s | %s |\n",
               v == info->variants
                   ? "\n| spec | what | used by |\n|---|---|---|\n"
                   : "",
               code(v->spec), plain(v->title), plain(v->used_by));
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
