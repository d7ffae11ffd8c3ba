/* cmd_show.c - locant show SPEC: what the registry knows about an encoding. */
#include <stdio.h>
#include <string.h>

#include "language.h"
#include "show.h"

struct options {
    int markdown;
    const char *out;
};

static const struct cli_option options[] = {
    OPT_FLAG("markdown", markdown,
             "print the page of the catalogue (docs/encodings)"),
    OPT_FILE("output", out, "PICTURE",
             "draw what the encoding does: .svg, .png or .pdf", .letter = 'o'),
    OPT_END
};

static json_t *keys_json(const char *name)
{
    locant_key_info key;
    json_t *rows = json_array();

    for (int i = 0; locant_encoding_key(&key, name, i); i++)
        json_array_append_new(
            rows, json_pack("{s:s, s:s, s:s, s:s, s:s}", "name", key.name,
                            "kind", key.kind, "default", key.fallback, "range",
                            key.range, "doc", key.doc));
    return rows;
}

json_t *show_params_json(const locant_encoding *e, enum show_doc doc)
{
    locant_param_info p;
    json_t *rows = json_array();

    for (int i = 0; locant_encoding_param(&p, e, i, NULL); i++)
        json_array_append_new(
            rows,
            json_pack("{s:s, s:s, s:s*, s:b, s:b}", "name", p.name, "dims",
                      p.dims, "doc", doc == SHOW_DOC ? p.doc : NULL, "learned",
                      p.rate != 0, "per_layer", p.per_layer));
    return rows;
}

static json_t *variants_json(const locant_variant *v)
{
    json_t *rows = json_array();

    for (; v != NULL && v->spec != NULL; v++)
        json_array_append_new(rows, json_pack("{s:s, s:s, s:s}", "spec",
                                              v->spec, "title", v->title,
                                              "used_by", v->used_by));
    return rows;
}

static int print_json(const locant_encoding *e)
{
    const locant_encoding_info *info = locant_encoding_info_of(e);

    return cli_json(json_pack(
        "{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:o, s:o, s:o, "
        "s:o}",
        "name", info->name, "spec", locant_encoding_spec(e), "title",
        info->title, "formula", info->formula, "doors",
        cli_doors(locant_encoding_doors(e)), "traits",
        cli_traits(locant_encoding_traits(e)), "source", info->source,
        "used_by", info->used_by, "pitfalls", info->pitfalls, "gradient",
        info->gradient ? info->gradient : "", "keys", keys_json(info->name),
        "parameters", show_params_json(e, SHOW_DOC), "layers",
        show_layers_json(e), "variants", variants_json(info->variants)));
}

/* The label of a line, in its column. */
static const char *label_of(const char *english)
{
    return cli_padded(cli_translate(english), 11);
}

/* Print "label       text"; all lines of text are aligned. */
static void print_field(const char *label, const char *text)
{
    text = cli_translate(text);
    while (*text != '\0') {
        size_t n = strcspn(text, "\n");

        printf("%s %.*s\n", label_of(label), (int)n, text);
        text += n + (text[n] == '\n');
        label = "";
    }
}

static void print_keys(const char *name)
{
    locant_key_info key;

    for (int i = 0; locant_encoding_key(&key, name, i); i++)
        printf(
            "%s %s %s\n", label_of(i == 0 ? "keys" : ""),
            cli_padded(cli_text("%s=%s", key.name,
                                key.fallback[0] ? key.fallback
                                                : cli_translate("(derived)")),
                       22),
            cli_text(cli_translate("%s: %s; %s"), cli_translate(key.kind),
                     cli_translate(key.range), cli_translate(key.doc)));
}

/* Print what the values are, the command, and rows of numbers. */
static int print_checks(const locant_encoding *e)
{
    static struct show_block blocks[SHOW_BLOCKS];
    int n;

    CLI_TRY(show_checks(blocks, &n, e));
    for (int k = 0; k < n; k++) {
        printf("%s %s\n", label_of(k == 0 ? "check" : ""), blocks[k].what);
        if (blocks[k].command != NULL)
            printf("%-11s %s\n", "", blocks[k].command);
        show_rows(&blocks[k], "              ");
    }
    return CLI_OK;
}

static void print_params(const locant_encoding *e)
{
    locant_param_info p;

    for (int i = 0; locant_encoding_param(&p, e, i, NULL); i++)
        printf("%s %s%s%s\n", label_of(i == 0 ? "parameters" : ""),
               cli_text(cli_translate("%s %s: %s"), p.name, p.dims,
                        cli_translate(p.doc)),
               p.rate == 0 ? cli_translate(" (not learned)") : "",
               p.per_layer ? cli_translate(" (one for each layer)") : "");
}

static void print_layers(int first, const char *text)
{
    printf("%s %s\n", label_of(first ? "layers" : ""), text);
}

static void print_variants(const locant_variant *first)
{
    for (const locant_variant *v = first; v && v->spec; v++)
        printf("%s %s%s%s%s%s\n", label_of(v == first ? "variants" : ""),
               v->spec, cli_translate(": "), cli_translate(v->title),
               v->title[0] && v->used_by[0] ? cli_translate("; ") : "",
               cli_translate(v->used_by));
}

static int print_text(const locant_encoding *e)
{
    const locant_encoding_info *info = locant_encoding_info_of(e);

    printf("%s - %s\n\n", locant_encoding_spec(e), cli_translate(info->title));
    print_field("formula", info->formula);
    print_field("doors",
                cli_translate_list(cli_doors(locant_encoding_doors(e))));
    print_field("traits",
                cli_translate_list(cli_traits(locant_encoding_traits(e))));
    print_keys(info->name);
    show_layers(e, print_layers);
    print_params(e);
    if (info->gradient != NULL)
        print_field("gradient", info->gradient);
    print_variants(info->variants);
    print_field("source", info->source);
    print_field("used by", info->used_by);
    print_field("pitfalls", info->pitfalls);
    return print_checks(e);
}

static int run(const struct cli *cli)
{
    const struct options *o = cli->options;
    locant_encoding *e;

    CLI_TRY(cli_encoding_create(&e, cli->words[0]));
    if (o->out != NULL) {
        CLI_TRY(cli_check_output(o->out));
        CLI_TRY(cli_figure_font());
        return show_picture(cli, e, o->out);
    }
    if (o->markdown) {
        cli_set_language(0); /* the catalogue is in English */
        return show_markdown(e);
    }
    return cli->json ? print_json(e) : print_text(e);
}

const struct cli_command cli_show = {
    .name = "show",
    .summary = "one encoding: formula, keys, parameters, check values",
    .usage = "SPEC [--json | --markdown]\nSPEC -o PICTURE",
    .doc = "Prints what the registry knows about an encoding: its formula, "
           "the doors it\nuses, the keys of its spec with their ranges, the "
           "learned parameters and their\nshapes, the paper, who uses it, its "
           "pitfalls, and what the library computes\nfrom a few small "
           "inputs.  -o draws the table that is added, the similarity of\n"
           "rotated vectors, the bias of heads, or the attention of random "
           "queries.",
    .examples = "locant show rope\nlocant show t5 -o t5.svg\n"
                "locant show 'rope(base=500000,pairing=interleaved)'",
    CLI_OPTIONS,
    .min_words = 1,
    .max_words = 1,
    .run = run
};
