/* help.c - print help from the tables, and find the word nearest to a typo. */
#include <stdio.h>
#include <string.h>

#include "cli.h"
#include "language.h"

enum {
    LONGEST = 63,   /* longer words are not compared */
    WIDTH = 80,     /* columns of a line of help */
    DOC_COLUMN = 30 /* where the help of an option begins */
};

/* The least number of edits from a to b (Levenshtein 1966). */
static size_t distance(const char *a, const char *b)
{
    size_t row[LONGEST + 1], n = strlen(b);

    if (n > LONGEST || strlen(a) > LONGEST)
        return LONGEST;
    for (size_t j = 0; j <= n; j++)
        row[j] = j;
    for (size_t i = 0; a[i] != '\0'; i++) {
        size_t diagonal = row[0];

        row[0] = i + 1;
        for (size_t j = 0; j < n; j++) {
            size_t best = diagonal + (a[i] != b[j]);

            diagonal = row[j + 1];
            if (row[j] + 1 < best)
                best = row[j] + 1;
            if (diagonal + 1 < best)
                best = diagonal + 1;
            row[j + 1] = best;
        }
    }
    return row[n];
}

const char *cli_nearest(const char *word, const char *const *names)
{
    const char *best = NULL;
    size_t least = 3; /* more than two edits make another word */

    for (; *names != NULL; names++) {
        size_t d = distance(word, *names);

        /* replacing every letter makes another word, too */
        if (d < least && d < strlen(*names)) {
            least = d;
            best = *names;
        }
    }
    return best;
}

int cli_unknown(const char *what, const char *word, const char *const *names,
                const char *lister)
{
    const char *nearest = cli_nearest(word, names);

    if (nearest != NULL)
        return cli_refuse("unknown %s '%s'; did you mean %s?", what, word,
                          nearest);
    return cli_refuse("unknown %s '%s'; '%s' lists them", what, word, lister);
}

/* The command of 'list' whose name ends with 'word', after 'skip' bytes. */
static int find_in(const struct cli_command **out,
                   const struct cli_command *const *list, size_t skip,
                   const char *word, const char *lister)
{
    const char *names[64] = { NULL };

    for (size_t i = 0; i < 63 && list[i] != NULL; i++) {
        names[i] = list[i]->name + skip;
        if (strcmp(names[i], word) == 0) {
            *out = list[i];
            return CLI_OK;
        }
    }
    return cli_unknown(skip > 0 ? "verb" : "command", word, names, lister);
}

int cli_find(const struct cli_command **out, int *used, int n,
             const char *const *words)
{
    *used = 1;
    CLI_TRY(find_in(out, cli_commands, 0, words[0], "locant --help"));
    if ((*out)->verbs == NULL || n < 2 || words[1][0] == '-')
        return CLI_OK;
    *used = 2;
    return find_in(out, (*out)->verbs, strlen((*out)->name) + 1, words[1],
                   cli_text("locant %s --help", (*out)->name));
}

size_t cli_wrap(const char *text, size_t at, size_t indent, size_t width)
{
    size_t blank = 1;

    while (*text != '\0') {
        const size_t n = cli_piece(text);
        const size_t columns = cli_text_columns(text, n);

        if (at > indent && at + blank + columns > width) {
            putchar('\n');
            at = 0;
        }
        blank = at < indent ? indent - at : at > 0 ? blank : 0;
        printf("%*s%.*s", (int)blank, "", (int)n, text);
        at += blank + columns;
        text += n;
        blank = *text == ' ';
        text += strspn(text, " ");
    }
    return at;
}

/* The first paragraph of a text. */
static const char *paragraph(const char *text)
{
    const char *end = strstr(text, "\n\n");

    return end == NULL ? text : cli_text("%.*s", (int)(end - text), text);
}

/* Print paragraphs: English lines are as in the table, Chinese ones filled. */
static void print_doc(const char *text)
{
    while (*text != '\0') {
        const char *english = paragraph(text);
        const char *shown = cli_translate(english);

        if (shown == english)
            fputs(shown, stdout);
        else
            cli_wrap(shown, 0, 0, WIDTH);
        text += strlen(english);
        fputs(*text != '\0' ? "\n\n" : "\n", stdout);
        text += strspn(text, "\n");
    }
}

void cli_help(void)
{
    const char *usage = cli_translate("usage:");
    const int pad = (int)cli_text_columns(usage, strlen(usage));

    printf("locant - %s\n\n",
           cli_translate("positional encodings for Transformers"));
    printf("%s locant COMMAND [ARGUMENTS]\n%*s locant help COMMAND\n"
           "%*s locant --version\n\n%s\n",
           usage, pad, "", pad, "", cli_translate("commands:"));
    for (size_t i = 0; cli_commands[i] != NULL; i++)
        printf("  %-11s %s\n", cli_commands[i]->name,
               cli_translate(cli_commands[i]->summary));
    printf("\n%s\n  locant report --preset smoke      %s\n"
           "  locant show rope                  %s\n"
           "  locant bias alibi --heads 8 --queries 64 --keys 64 -o B.npy\n\n",
           cli_translate("examples:"),
           cli_translate("compare encodings into one page"),
           cli_translate("what an encoding is"));
    print_doc("Every command takes --json, --lang en|zh and --help.  Results "
              "go to stdout,\nmessages to stderr; error messages and JSON are "
              "in English.  Exit status: 0 yes,\n1 no or a check failed, 2 bad "
              "usage, 3 bad input or I/O, 75 stopped and\nresumable.");
}

static void print_option(const struct cli_option *o)
{
    const char *value = o->value ? o->value : "";
    size_t at = (size_t)printf(
        "  %s--%s%s%s", o->letter ? cli_text("-%c, ", o->letter) : "    ",
        o->name, *value ? " " : "", value);

    if (at >= DOC_COLUMN) {
        putchar('\n');
        at = 0;
    }
    at = cli_wrap(cli_translate(o->doc), at, DOC_COLUMN, WIDTH);
    /* A default of 0 is not printed; one below 0 means "not given". */
    if (o->fallback != NULL && strcmp(o->fallback, "0") != 0 &&
        o->fallback[0] != '-')
        cli_wrap(cli_text("(%s)", o->fallback), at, DOC_COLUMN, WIDTH);
    putchar('\n');
}

static void print_indented(const char *text, const char *prefix)
{
    for (const char *at = text; *at != '\0';) {
        size_t n = strcspn(at, "\n");

        printf("%s%.*s\n", prefix, (int)n, at);
        at += n + (at[n] == '\n');
    }
}

size_t cli_usage_first(char *out, size_t size, const char *usage)
{
    size_t n = 0, used = 0;

    while (usage[n] != '\0' && (usage[n] != '\n' || usage[n + 1] == ' ')) {
        int skip = usage[n] == '\n';

        n += skip;
        while (skip && usage[n] == ' ' && usage[n + 1] == ' ')
            n++;
        if (used + 1 < size)
            out[used++] = usage[n];
        n++;
    }
    out[used] = '\0';
    return n;
}

/* A line that begins with a blank continues the one before. */
static void print_usage(const struct cli_command *c)
{
    const char *lead = cli_translate("usage:"), *at = c->usage;
    const int pad = (int)cli_text_columns(lead, strlen(lead));

    while (*at != '\0') {
        size_t n = strcspn(at, "\n");

        if (*at == ' ')
            printf("%*s     %.*s\n", pad, "", (int)(n - strspn(at, " ")),
                   at + strspn(at, " "));
        else
            printf("%s locant %s %.*s\n", lead, c->name, (int)n, at);
        lead = cli_text("%*s", pad, "");
        at += n + (at[n] == '\n');
    }
}

/* The help of a command that has commands of its own. */
static void help_verbs(const struct cli_command *c)
{
    const size_t skip = strlen(c->name) + 1;

    printf("locant %s - %s\n\n%s locant %s VERB [ARGUMENTS]\n\n", c->name,
           cli_translate(c->summary), cli_translate("usage:"), c->name);
    print_doc(c->doc);
    printf("\n%s\n", cli_translate("verbs:"));
    for (size_t i = 0; c->verbs[i] != NULL; i++)
        printf("  %-11s %s\n", c->verbs[i]->name + skip,
               cli_translate(c->verbs[i]->summary));
    printf("\n%s\n", cli_translate("examples:"));
    print_indented(c->examples, "  ");
}

void cli_help_command(const struct cli_command *c)
{
    const struct cli_option *o;

    if (c->verbs != NULL) {
        help_verbs(c);
        return;
    }
    /* Commands that students do not need have English help alone. */
    if (cli_find_chinese(paragraph(c->doc)) == NULL)
        cli_set_language(0);
    printf("locant %s - %s\n\n", c->name, cli_translate(c->summary));
    print_usage(c);
    putchar('\n');
    print_doc(c->doc);
    printf("\n%s\n", cli_translate("options:"));
    for (size_t i = 0; (o = cli_option_at(c, i)) != NULL; i++)
        print_option(o);
    printf("\n%s\n", cli_translate("examples:"));
    print_indented(c->examples, "  ");
}
