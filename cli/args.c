/* args.c - parse a command line by the table of its command. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

/* clang-format off */
/* Every command has the first COMMON_OF_ALL options; the others belong to
   commands that compute. */
static const struct cli_option common[] = {
    { .name = "json", .kind = CLI_FLAG, .offset = offsetof(struct cli, json),
      .doc = "print the result as JSON" },
    { .name = "help", .letter = 'h', .kind = CLI_FLAG,
      .offset = offsetof(struct cli, help), .doc = "print this help" },
    { .name = "lang", .kind = CLI_CHOICE, .value = "en|zh",
      .offset = offsetof(struct cli, lang),
      .doc = "language of help, texts and figures; without it what the locale "
             "says" },
    { .name = "threads", .kind = CLI_INTEGER, .max = 1024,
      .offset = offsetof(struct cli, threads), .value = "N",
      .doc = "number of threads; 0: as many as the process may use" },
    { .name = "isa", .kind = CLI_TEXT, .offset = offsetof(struct cli, isa),
      .value = "NAME", .doc = "instruction set to use; the best if left out" },
    OPT_END
};
/* clang-format on */
enum { COMMON_OF_ALL = 3, COMMON = 5 };

const struct cli_option *cli_option_at(const struct cli_command *c, size_t i)
{
    const struct cli_option *own = c->options;

    for (; own->name != NULL; own++)
        if (i-- == 0)
            return own;
    return i < (c->computes ? COMMON : COMMON_OF_ALL) ? &common[i] : NULL;
}

int cli_parse_whole(int64_t *out, const char *text, int64_t min, int64_t max)
{
    char *end;
    long long n;

    errno = 0;
    n = strtoll(text, &end, 10);
    if (end == text || *end != '\0' || errno != 0 || n < min || n > max)
        return 0;
    *out = n;
    return 1;
}

static int parse_integer(int64_t *out, const struct cli_option *o,
                         const char *text)
{
    const char *range = "";

    if (text[0] > ' ' && cli_parse_whole(out, text, o->min, o->max))
        return CLI_OK;
    if (o->max != INT64_MAX)
        range = cli_text(" from %lld to %lld", (long long)o->min,
                         (long long)o->max);
    else if (o->min != INT64_MIN)
        range = cli_text(" of at least %lld", (long long)o->min);
    return cli_refuse("--%s '%s': should be a whole number%s", o->name, text,
                      range);
}

static int parse_real(double *out, const struct cli_option *o, const char *text)
{
    char *end;
    double x = strtod(text, &end);

    if (end == text || *end != '\0' || !isfinite(x) || text[0] <= ' ')
        return cli_refuse("--%s '%s': should be a finite number", o->name,
                          text);
    *out = x;
    return CLI_OK;
}

static int parse_choice(int *out, const struct cli_option *o, const char *text)
{
    const char *list = "";

    *out = 0;
    for (const char *at = o->value, *end; *at != '\0';
         at = end + (*end == '|')) {
        const char *word;

        end = at + strcspn(at, "|");
        word = cli_text("%.*s", (int)(end - at), at);
        if (strcmp(word, text) == 0)
            return CLI_OK;
        list = cli_join(list, word);
        ++*out;
    }
    return cli_refuse("--%s '%s': should be one of %s", o->name, text, list);
}

/* Append to a list, which gets room for all words of the command line. */
static int append(struct cli_list *list, const char *text, int argc)
{
    if (list->items == NULL)
        list->items = cli_alloc((size_t)argc, sizeof *list->items);
    if (list->items == NULL)
        return CLI_INPUT;
    list->items[list->n++] = text;
    return CLI_OK;
}

/* The address of the option's value. */
static void *address_of(struct cli *cli, const struct cli_option *o)
{
    for (size_t i = 0; i < COMMON; i++)
        if (o == &common[i])
            return (char *)cli + o->offset;
    return (char *)cli->options + o->offset;
}

static int store(struct cli *cli, const struct cli_option *o, const char *text)
{
    void *at = address_of(cli, o);

    switch (o->kind) {
    case CLI_FLAG: *(int *)at = 1; return CLI_OK;
    case CLI_FILE:
        if (text[0] == '\0' || strcmp(text, "-") == 0)
            return cli_refuse("--%s '%s': should be the name of a file",
                              o->name, text);
        *(const char **)at = text;
        return CLI_OK;
    case CLI_TEXT: *(const char **)at = text; return CLI_OK;
    case CLI_INTEGER: return parse_integer(at, o, text);
    case CLI_REAL: return parse_real(at, o, text);
    case CLI_CHOICE: return parse_choice(at, o, text);
    case CLI_LIST:
    case CLI_MANY: break;
    }
    return append(at, text, cli->argc);
}

/* Store the defaults.  One may lie outside the range: -1 for "not given". */
static int store_fallbacks(struct cli *cli)
{
    const struct cli_option *o = cli->command->options;

    for (; o->name != NULL; o++) {
        struct cli_option any = *o;

        any.min = INT64_MIN;
        any.max = INT64_MAX;
        if (o->fallback != NULL)
            CLI_TRY(store(cli, &any, o->fallback));
    }
    return CLI_OK;
}

/* ---------------------------------------------------------- finding options */

/* Find the option called 'name' (n bytes), or 'letter' if that is not 0, and
   record that it was given. */
static const struct cli_option *find(struct cli *cli, const char *name,
                                     size_t n, char letter)
{
    const struct cli_option *o;

    for (size_t i = 0; (o = cli_option_at(cli->command, i)) != NULL; i++) {
        if (letter != 0 ? o->letter == letter
                        : strlen(o->name) == n && !memcmp(o->name, name, n)) {
            cli->given |= UINT64_C(1) << i;
            break;
        }
    }
    return o;
}

int cli_given(const struct cli *cli, const char *option)
{
    const struct cli_option *o = cli->command->options;

    for (size_t i = 0; o[i].name != NULL; i++) {
        if (strcmp(o[i].name, option) == 0)
            return (int)(cli->given >> i & 1);
    }
    return 0;
}

/* "runs list": the command and its action. */
static const char *full_name(const struct cli *cli)
{
    return cli->action == NULL
               ? cli->command->name
               : cli_text("%s %s", cli->command->name, cli->action->name);
}

int cli_need(const struct cli *cli, const char *option)
{
    const struct cli_option *o = cli->command->options;

    if (cli_given(cli, option))
        return CLI_OK;
    while (strcmp(o->name, option) != 0)
        o++;
    return cli_refuse("%s: --%s %s is missing", full_name(cli), option,
                      o->value);
}

static int unknown_option(const struct cli *cli, const char *arg)
{
    const char *names[80] = { NULL };
    const char *word = cli_text("%.*s", (int)strcspn(arg, "="), arg), *near;
    const struct cli_option *o;

    for (size_t i = 0; i < 79 && (o = cli_option_at(cli->command, i)); i++)
        names[i] = o->name;
    near = cli_nearest(word + strspn(word, "-"), names);
    if (near != NULL && word[1] == '-')
        return cli_refuse("unknown option %s; did you mean --%s?", word, near);
    return cli_refuse("unknown option %s; 'locant %s --help' lists the options",
                      word, cli->command->name);
}

/* ---------------------------------------------------------------- parsing */

/*
 * Whether the word after option 'o' is its value.  A word that starts with '-'
 * is one if the option takes a number, or if a digit follows, as in '-1,0': no
 * option begins with a digit.
 */
static int is_value(const struct cli_option *o, const char *word)
{
    return word[0] != '-' || word[1] == '\0' || o->kind == CLI_INTEGER ||
           o->kind == CLI_REAL || (word[1] >= '0' && word[1] <= '9');
}

/* Store the value of option 'o', named by argv[*i].  'value' is the text after
   '='; if it is NULL, the value is the next word, and *i moves on. */
static int store_value(struct cli *cli, const struct cli_option *o,
                       const char *value, char **argv, int *i)
{
    if (o->kind == CLI_FLAG && value != NULL)
        return cli_refuse("--%s '%s': takes no value", o->name, value);
    if (o->kind == CLI_FLAG)
        return store(cli, o, "");
    if (value == NULL && *i + 1 < cli->argc && is_value(o, argv[*i + 1]))
        value = argv[++*i];
    if (value == NULL)
        return cli_refuse("--%s: needs a value, %s", o->name, o->value);
    CLI_TRY(store(cli, o, value));
    while (o->kind == CLI_MANY && *i + 1 < cli->argc &&
           is_value(o, argv[*i + 1]))
        CLI_TRY(store(cli, o, argv[++*i]));
    return CLI_OK;
}

static int parse_one(struct cli *cli, char **argv, int *i)
{
    const char *arg = argv[*i], *value = NULL;
    const struct cli_option *o;

    if (arg[1] == '-') {
        size_t n = strcspn(arg + 2, "=");

        o = find(cli, arg + 2, n, 0);
        if (arg[2 + n] == '=')
            value = arg + 2 + n + 1;
    } else {
        o = find(cli, NULL, 0, arg[1]);
        if (arg[2] != '\0')
            value = arg + 2 + (arg[2] == '=');
    }
    return o == NULL ? unknown_option(cli, arg)
                     : store_value(cli, o, value, argv, i);
}

/* Whether 'word' is in a list such as "list|show|rm". */
static int is_one_of(const char *word, const char *list)
{
    return strstr(cli_text("|%s|", list), cli_text("|%s|", word)) != NULL;
}

/* Find the action that the first word names. */
static int find_action(struct cli *cli)
{
    const struct cli_action *a = cli->command->actions;
    const char *names[32] = { NULL }, *all = "", *near;

    for (size_t i = 0; a[i].name != NULL; i++) {
        if (cli->n_words == 0 || strcmp(a[i].name, cli->words[0]) == 0) {
            cli->action = &a[i];
            return CLI_OK;
        }
        names[i] = a[i].name;
        all = cli_join(all, a[i].name);
    }
    near = cli_nearest(cli->words[0], names);
    if (near != NULL)
        return cli_refuse("%s: '%s' is unknown; did you mean %s?",
                          cli->command->name, cli->words[0], near);
    return cli_refuse("%s: '%s': should be one of %s", cli->command->name,
                      cli->words[0], all);
}

/* Check the number of arguments, of which the action has names separated by
   blanks, such as "A B", "[ID]", "RUN..."; or NULL. */
static int check_arguments(const struct cli *cli)
{
    const char *name = cli->action->argument;
    size_t n = 1; /* the action itself */

    while (name != NULL && *name != '\0') {
        const size_t length = strcspn(name, " ");

        if (name[0] != '[' && cli->n_words <= n)
            return cli_refuse("%s: %.*s is missing", full_name(cli),
                              (int)length, name);
        n++;
        name += length + (name[length] == ' ');
    }
    if (cli->n_words > n && (cli->action->argument == NULL ||
                             strstr(cli->action->argument, "...") == NULL))
        return cli_refuse("%s: unexpected argument '%s'", full_name(cli),
                          cli->words[cli->n_words - 1]);
    return CLI_OK;
}

/* Check the arguments, and that each option is for this action. */
static int check_action(const struct cli *cli)
{
    const struct cli_option *o = cli->command->options;

    CLI_TRY(check_arguments(cli));
    for (size_t i = 0; o[i].name != NULL; i++)
        if (cli->given >> i & 1 && o[i].actions != NULL &&
            !is_one_of(cli->action->name, o[i].actions))
            return cli_refuse("%s: --%s is for '%s %s'", full_name(cli),
                              o[i].name, cli->command->name, o[i].actions);
    return CLI_OK;
}

/* Check that no word or required option is missing, and no word is too many. */
static int check_complete(const struct cli *cli)
{
    const struct cli_command *c = cli->command;
    const struct cli_option *o = c->options;
    char usage[512];

    cli_usage_first(usage, sizeof usage, c->usage);
    if (cli->n_words < c->min_words)
        return cli_refuse("%s: needs %.*s; usage: locant %s %s", c->name,
                          (int)strcspn(c->usage, " \n"), c->usage, c->name,
                          usage);
    if (c->actions == NULL && cli->n_words > c->max_words)
        return cli_refuse("%s: unexpected argument '%s'; usage: locant %s %s",
                          c->name, cli->words[c->max_words], c->name, usage);
    for (size_t i = 0; o[i].name != NULL; i++)
        if (o[i].required && !(cli->given >> i & 1))
            return cli_refuse("%s: --%s %s is missing (%s)", c->name, o[i].name,
                              o[i].value, o[i].doc);
    return CLI_OK;
}

int cli_parse(struct cli *cli, const struct cli_command *command, int argc,
              char **argv)
{
    int only_words = 0;

    *cli = (struct cli){ .command = command, .argc = argc, .lang = -1 };
    cli->words = cli_alloc((size_t)argc + 1, sizeof *cli->words);
    cli->options = cli_alloc(1, command->options_size + 1);
    if (cli->words == NULL || cli->options == NULL)
        return CLI_INPUT;
    CLI_TRY(store_fallbacks(cli));
    for (int i = 0; i < argc; i++) {
        if (!only_words && strcmp(argv[i], "--") == 0)
            only_words = 1;
        else if (only_words || argv[i][0] != '-' || argv[i][1] == '\0')
            cli->words[cli->n_words++] = argv[i];
        else
            CLI_TRY(parse_one(cli, argv, &i));
    }
    if (cli->help)
        return CLI_OK;
    CLI_TRY(check_complete(cli));
    if (command->actions == NULL)
        return CLI_OK;
    CLI_TRY(find_action(cli));
    return check_action(cli);
}
