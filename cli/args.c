/* args.c - options from their tables. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

/* clang-format off */
const struct cli_option cli_common_options[] = {
    { .name = "json", .kind = CLI_FLAG, .offset = offsetof(struct cli, json),
      .doc = "print the result as JSON" },
    { .name = "help", .letter = 'h', .kind = CLI_FLAG,
      .offset = offsetof(struct cli, help), .doc = "print this" },
    { .name = "threads", .kind = CLI_INTEGER, .max = 1024,
      .offset = offsetof(struct cli, threads), .value = "N",
      .doc = "threads; 0: as many as the process may use" },
    { .name = "isa", .kind = CLI_TEXT, .offset = offsetof(struct cli, isa),
      .value = "NAME", .doc = "instruction set to use; the best if left out" },
    OPT_END
};
/* clang-format on */
enum { COMMON_OF_ALL = 2, COMMON = 4 }; /* the others: commands that compute */

static size_t common_count(const struct cli_command *c)
{
    return c->computes ? COMMON : COMMON_OF_ALL;
}

static int parse_integer(int64_t *out, const struct cli_option *o,
                         const char *text)
{
    char *end;
    long long n;

    errno = 0;
    n = strtoll(text, &end, 10);
    if (end != text && *end == '\0' && errno == 0 && text[0] > ' ' &&
        n >= o->min && n <= o->max) {
        *out = n;
        return 0;
    }
    if (o->max == INT64_MAX && o->min == INT64_MIN)
        return cli_fail(CLI_USAGE, "--%s '%s': should be a whole number",
                        o->name, text);
    if (o->max == INT64_MAX)
        return cli_fail(CLI_USAGE,
                        "--%s '%s': should be a whole number of at "
                        "least %lld",
                        o->name, text, (long long)o->min);
    return cli_fail(CLI_USAGE,
                    "--%s '%s': should be a whole number from %lld "
                    "to %lld",
                    o->name, text, (long long)o->min, (long long)o->max);
}

static int parse_real(double *out, const struct cli_option *o, const char *text)
{
    char *end;
    double x = strtod(text, &end);

    if (end == text || *end != '\0' || !isfinite(x) || text[0] <= ' ')
        return cli_fail(CLI_USAGE, "--%s '%s': should be a finite number",
                        o->name, text);
    *out = x;
    return 0;
}

static int parse_choice(int *out, const struct cli_option *o, const char *text)
{
    const char *at = o->value;
    size_t n = strlen(text);

    for (int i = 0; *at != '\0'; i++) {
        size_t word = strcspn(at, "|");

        if (word == n && strncmp(at, text, n) == 0) {
            *out = i;
            return 0;
        }
        at += word + (at[word] == '|');
    }
    fprintf(stderr, "locant: --%s '%s': should be one of ", o->name,
            cli_safe(text));
    for (at = o->value; *at != '\0'; at++) {
        if (*at == '|')
            fputs(", ", stderr);
        else
            fputc(*at, stderr);
    }
    fputc('\n', stderr);
    return CLI_USAGE;
}

static int append(struct cli_list *list, const char *text)
{
    const char **more =
        realloc(list->items, (list->n + 1) * sizeof *list->items);

    if (more == NULL)
        return cli_fail(CLI_INPUT, "out of memory");
    list->items = more;
    list->items[list->n++] = text;
    return 0;
}

static int store(void *base, const struct cli_option *o, const char *text)
{
    void *at = (char *)base + o->offset;

    switch (o->kind) {
    case CLI_FLAG: *(int *)at = 1; return 0;
    case CLI_FILE:
        if (text[0] == '\0' || strcmp(text, "-") == 0)
            return cli_fail(CLI_USAGE,
                            "--%s '%s': should be the name of a "
                            "file",
                            o->name, text);
        *(const char **)at = text;
        return 0;
    case CLI_TEXT: *(const char **)at = text; return 0;
    case CLI_INTEGER: return parse_integer(at, o, text);
    case CLI_REAL: return parse_real(at, o, text);
    case CLI_CHOICE: return parse_choice(at, o, text);
    case CLI_LIST:
    case CLI_MANY: break;
    }
    return append(at, text);
}

/* ---------------------------------------------------------- finding options */

static int is_named(const struct cli_option *o, const char *name, size_t n,
                    char letter)
{
    if (letter != 0)
        return o->letter == letter;
    return strlen(o->name) == n && memcmp(o->name, name, n) == 0;
}

/* Finds the option called 'name' (n bytes) or 'letter'. *base is the struct
   that the option writes to. */
static const struct cli_option *find(struct cli *cli, void **base,
                                     const char *name, size_t n, char letter)
{
    const struct cli_option *own = cli->command->options;

    for (size_t i = 0; own != NULL && own[i].name != NULL; i++) {
        if (is_named(&own[i], name, n, letter)) {
            *base = cli->options;
            cli->given |= UINT64_C(1) << i;
            return &own[i];
        }
    }
    *base = cli;
    for (size_t i = 0; i < common_count(cli->command); i++) {
        const struct cli_option *o = &cli_common_options[i];

        if (is_named(o, name, n, letter))
            return o;
    }
    return NULL;
}

static int unknown_option(const struct cli *cli, const char *arg)
{
    const char *names[80];
    char word[64];
    size_t n = 0;
    const struct cli_option *own = cli->command->options;
    const char *near;

    for (size_t i = 0; own != NULL && own[i].name != NULL && n < 70; i++)
        names[n++] = own[i].name;
    for (size_t i = 0; i < common_count(cli->command); i++)
        names[n++] = cli_common_options[i].name;
    names[n] = NULL;
    snprintf(word, sizeof word, "%.*s", (int)strcspn(arg, "="), arg);
    near = cli_nearest(word + strspn(word, "-"), names);
    if (near != NULL && word[1] == '-')
        return cli_fail(CLI_USAGE, "unknown option %s; did you mean --%s?",
                        word, near);
    return cli_fail(CLI_USAGE,
                    "unknown option %s; 'locant %s --help' lists "
                    "the options",
                    word, cli->command->name);
}

/* ---------------------------------------------------------------- parsing */

/*
 * A word that starts with '-' is a value if the option takes a number, or if a
 * digit follows, as in '--positions -1,0': no option begins with a digit.
 */
static int is_value(const struct cli_option *o, const char *word)
{
    return word[0] != '-' || word[1] == '\0' || o->kind == CLI_INTEGER ||
           o->kind == CLI_REAL || (word[1] >= '0' && word[1] <= '9');
}

/* Stores the value of option 'o', which argv[*i] names.  'inline_value' is the
   text after '=', or NULL. */
static int take(void *base, const struct cli_option *o,
                const char *inline_value, int argc, char **argv, int *i)
{
    const char *value = inline_value;
    int failed;

    if (o->kind == CLI_FLAG && value != NULL)
        return cli_fail(CLI_USAGE, "--%s '%s': takes no value", o->name, value);
    if (o->kind == CLI_FLAG)
        return store(base, o, "");
    if (value == NULL && *i + 1 < argc && is_value(o, argv[*i + 1]))
        value = argv[++*i];
    if (value == NULL)
        return cli_fail(CLI_USAGE, "--%s: needs a value, %s", o->name,
                        o->value);
    failed = store(base, o, value);
    while (!failed && o->kind == CLI_MANY && *i + 1 < argc &&
           is_value(o, argv[*i + 1]))
        failed = store(base, o, argv[++*i]);
    return failed;
}

static int parse_one(struct cli *cli, int argc, char **argv, int *i)
{
    const char *arg = argv[*i], *value = NULL;
    const struct cli_option *o;
    void *base;

    if (arg[1] == '-') {
        size_t n = strcspn(arg + 2, "=");

        o = find(cli, &base, arg + 2, n, 0);
        if (arg[2 + n] == '=')
            value = arg + 2 + n + 1;
    } else {
        o = find(cli, &base, NULL, 0, arg[1]);
        if (arg[2] != '\0')
            value = arg + 2 + (arg[2] == '=');
    }
    if (o == NULL)
        return unknown_option(cli, arg);
    return take(base, o, value, argc, argv, i);
}

/* The default may lie outside the range: -1, for example, means "not given". */
static int store_fallback(void *base, const struct cli_option *o)
{
    struct cli_option any = *o;

    any.min = INT64_MIN;
    any.max = INT64_MAX;
    return o->fallback != NULL ? store(base, &any, o->fallback) : 0;
}

static int store_fallbacks(void *base, const struct cli_option *options)
{
    for (; options != NULL && options->name != NULL; options++) {
        int failed = store_fallback(base, options);

        if (failed)
            return failed;
    }
    return 0;
}

/* Checks that all required words and options are there, and no more words. */
static int check_complete(const struct cli *cli)
{
    const struct cli_command *c = cli->command;
    char usage[512];

    cli_usage(usage, sizeof usage, c->usage);
    if (cli->n_words < c->min_words)
        return cli_fail(CLI_USAGE, "%s: needs %.*s; usage: locant %s %s",
                        c->name, (int)strcspn(c->usage, " \n"), c->usage,
                        c->name, usage);
    if (cli->n_words > c->max_words)
        return cli_fail(CLI_USAGE,
                        "%s: unexpected argument '%s'; usage: "
                        "locant %s %s",
                        c->name, cli->words[c->max_words], c->name, usage);
    for (size_t i = 0; c->options != NULL && c->options[i].name != NULL; i++) {
        const struct cli_option *o = &c->options[i];

        if (o->required && !(cli->given >> i & 1))
            return cli_fail(CLI_USAGE, "%s: --%s %s is missing (%s)", c->name,
                            o->name, o->value, o->doc);
    }
    return 0;
}

int cli_parse(struct cli *cli, const struct cli_command *command, int argc,
              char **argv)
{
    int failed, only_words = 0;

    *cli = (struct cli){ .command = command };
    cli->words = calloc((size_t)argc + 1, sizeof *cli->words);
    cli->options = calloc(1, command->options_size + 1);
    if (cli->words == NULL || cli->options == NULL)
        return cli_fail(CLI_INPUT, "out of memory");
    failed = store_fallbacks(cli->options, command->options);
    for (int i = 0; i < argc && !failed; i++) {
        if (!only_words && strcmp(argv[i], "--") == 0)
            only_words = 1;
        else if (only_words || argv[i][0] != '-' || argv[i][1] == '\0')
            cli->words[cli->n_words++] = argv[i];
        else
            failed = parse_one(cli, argc, argv, &i);
    }
    if (failed || cli->help)
        return failed;
    return check_complete(cli);
}

void cli_release(struct cli *cli)
{
    const struct cli_option *o = cli->command ? cli->command->options : NULL;

    for (; cli->options != NULL && o != NULL && o->name != NULL; o++) {
        if (o->kind == CLI_LIST || o->kind == CLI_MANY) {
            void *at = (char *)cli->options + o->offset;

            free(((struct cli_list *)at)->items);
        }
    }
    free(cli->options);
    free(cli->words);
}

int cli_given(const struct cli *cli, const char *option)
{
    const struct cli_option *o = cli->command->options;

    for (size_t i = 0; o != NULL && o[i].name != NULL; i++) {
        if (strcmp(o[i].name, option) == 0)
            return (int)(cli->given >> i & 1);
    }
    return 0;
}
