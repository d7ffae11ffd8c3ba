/* terminal.c - colours and columns of the terminal */
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli.h"
#include "language.h"

static int is_set(const char *name)
{
    const char *value = getenv(name);

    return value != NULL && value[0] != '\0';
}

static int contains(const char *name, const char *part)
{
    const char *value = getenv(name);

    return value != NULL && strstr(value, part) != NULL;
}

/* Whether the locale is UTF-8: the first variable that is set decides. */
static int is_utf8(void)
{
    static const char *const names[] = { "LC_ALL", "LC_CTYPE", "LANG" };

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (is_set(names[i]))
            return contains(names[i], "UTF-8") || contains(names[i], "utf8") ||
                   contains(names[i], "UTF8") || contains(names[i], "utf-8");
    return 0;
}

int cli_locale_is_chinese(void)
{
    static const char *const names[] = { "LC_ALL", "LC_MESSAGES", "LANG" };

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (is_set(names[i]))
            return strncmp(getenv(names[i]), "zh", 2) == 0 && is_utf8();
    return 0;
}

locant_terminal cli_colors(void)
{
    if (!isatty(STDOUT_FILENO) || is_set("NO_COLOR") || !is_utf8() ||
        !is_set("TERM") || strcmp(getenv("TERM"), "dumb") == 0)
        return LOCANT_TERMINAL_ASCII;
    if (contains("COLORTERM", "truecolor") || contains("COLORTERM", "24bit"))
        return LOCANT_TERMINAL_24;
    return contains("TERM", "256") ? LOCANT_TERMINAL_256 : LOCANT_TERMINAL_16;
}

int cli_width(int fd)
{
    struct winsize size;

    return ioctl(fd, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

int cli_columns(void)
{
    const char *typed = getenv("COLUMNS");
    long columns = typed != NULL ? strtol(typed, NULL, 10) : 0;

    if (columns <= 0)
        columns = cli_width(STDOUT_FILENO);
    if (columns <= 0)
        columns = 80;
    return columns < 40 ? 40 : columns > 1000 ? 1000 : (int)columns;
}

void cli_print_text(char *text, size_t size, const char *end)
{
    fwrite(text, 1, size, stdout);
    fputs(end, stdout);
    locant_release(text);
}

locant_status cli_show_figure(const locant_figure *f, int color,
                              const char *caption)
{
    locant_terminal colors =
        color == 0 ? cli_colors() : (locant_terminal)(color - 1);
    locant_figure shown = *f;
    locant_status s;
    char *text;
    size_t size;

    if (cli_figure_text(&shown) != CLI_OK)
        return LOCANT_ERR_NOMEM;
    if (cli_chinese() && colors == LOCANT_TERMINAL_ASCII)
        colors = LOCANT_TERMINAL_PLAIN;
    s = locant_figure_terminal(&text, &size, &shown, cli_columns(), colors);
    if (s != LOCANT_OK)
        return s;
    cli_print_text(text, size, "\n");
    if (caption != NULL && *caption != '\0') {
        cli_wrap(caption, 0, 0, (size_t)cli_columns());
        putchar('\n');
    }
    return LOCANT_OK;
}

int cli_show_cells(const struct cli *cli, const locant_figure *f,
                   const locant_tensor *t, int color)
{
    locant_figure shown = *f;
    const size_t n = cli_elements(t);
    double *cells = cli_alloc(n > 0 ? n : 1, sizeof *cells);
    locant_status s;
    char *text;
    size_t size;

    if (cells == NULL)
        return CLI_INPUT;
    for (size_t i = 0; i < n; i++)
        cells[i] = cli_value(t, (int64_t)i);
    shown.kind = LOCANT_FIGURE_HEATMAP;
    shown.cells = cells;
    shown.rows = t->shape[0];
    shown.cols = t->shape[1];
    shown.diverging = 1;
    if (!cli->json)
        return cli_status(cli_show_figure(&shown, color, NULL));
    s = locant_figure_json(&text, &size, &shown);
    if (s != LOCANT_OK)
        return cli_status(s);
    cli_print_text(text, size, "\n");
    return CLI_OK;
}
