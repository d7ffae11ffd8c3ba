/* errors.c - every sentence on stderr, and the exit status it comes with. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cli.h"

int cli_fail(int status, const char *format, ...)
{
    va_list args;

    fputs("locant: ", stderr);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    return status;
}

/*
 * "locant_npy_read: " or "lct_model_create: " tells a programmer where; here
 * the command is known.
 */
static const char *sentence(void)
{
    const char *text = locant_last_error();
    size_t      n = strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_");

    if ((strncmp(text, "locant_", 7) == 0 || strncmp(text, "lct_", 4) == 0) &&
        text[n] == ':' && text[n + 1] == ' ')
        return text + n + 2;
    return text;
}

int cli_error(locant_status s)
{
    int exit_status = CLI_USAGE;

    if (s == LOCANT_ERR_IO || s == LOCANT_ERR_FORMAT || s == LOCANT_ERR_NOMEM)
        exit_status = CLI_INPUT;
    if (s == LOCANT_ERR_INTERRUPTED)
        exit_status = CLI_RESUMABLE;
    return cli_fail(exit_status, "%s", sentence());
}

int cli_error_busy(void)
{
    return cli_fail(CLI_INPUT, "%s", sentence());
}

int cli_error_input(locant_status s)
{
    if (s == LOCANT_ERR_UNSUPPORTED || s == LOCANT_ERR_INTERRUPTED)
        return cli_error(s);
    return cli_fail(CLI_INPUT, "%s", sentence());
}

int cli_error_file(const char *path)
{
    return cli_fail(CLI_INPUT, "%s: %s", path, sentence());
}

int cli_finish(int status)
{
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout))
        return status;
    /* A reader that has seen enough, as head(1), is no failure. */
    if (errno == EPIPE)
        return status;
    return cli_fail(CLI_INPUT, "standard output: %s",
                    errno ? strerror(errno) : "could not be written");
}
