/* errors.c - error messages on stderr, and their exit statuses. */
#include <errno.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

/*
 * Once an allocation has failed, the exit status is CLI_INPUT, even if a check
 * failed or arguments were wrong.  The library's error messages say what the
 * memory was for.  Jansson has no messages, and its calls are not all checked:
 * once it has run out of memory, "out of memory" replaces every message.
 */
static atomic_bool no_memory, no_memory_for_json, message_printed;

/* Of a hushed process: it keeps its last message. */
static bool hushed;
static char kept[8192];

static void *observed_malloc(size_t bytes, void *failed)
{
    void *memory = malloc(bytes);

    if (memory == NULL)
        no_memory = *(atomic_bool *)failed = true;
    return memory;
}

static void *json_malloc(size_t bytes)
{
    return observed_malloc(bytes, &no_memory_for_json);
}

static void release(void *memory, void *context)
{
    (void)context;
    free(memory);
}

void cli_observe_memory(void)
{
    const locant_allocator observed = { observed_malloc, release, &no_memory };

    json_set_alloc_funcs(json_malloc, free);
    locant_set_allocator(&observed);
}

bool cli_no_memory(void)
{
    return no_memory;
}

int cli_fail(int status, const char *format, ...)
{
    char text[8192]; /* longer than any message that contains a path */
    va_list args;

    if (no_memory_for_json && message_printed)
        return CLI_INPUT;
    message_printed = true;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    snprintf(kept, sizeof kept, "%s",
             no_memory_for_json ? "out of memory" : cli_safe(text));
    if (!hushed)
        cli_speak(kept);
    return no_memory ? CLI_INPUT : status;
}

void cli_speak(const char *text)
{
    fprintf(stderr, "locant: %s\n", text);
}

void cli_note(const char *format, ...)
{
    char text[8192];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (!hushed)
        cli_speak(cli_safe(text));
}

void cli_hush(void)
{
    hushed = true;
}

const char *cli_hushed(void)
{
    return hushed ? kept : NULL;
}

/* A function name, as in "locant_npy_read: ", does not help users of the
   command. */
const char *cli_message(void)
{
    const char *text = locant_last_error();
    size_t n = strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_");

    if ((strncmp(text, "locant_", 7) == 0 || strncmp(text, "lct_", 4) == 0) &&
        text[n] == ':' && text[n + 1] == ' ')
        return text + n + 2;
    return text;
}

int cli_status(locant_status s)
{
    int exit_status = CLI_USAGE;

    if (s == LOCANT_OK)
        return CLI_OK;
    if (s == LOCANT_ERR_IO || s == LOCANT_ERR_FORMAT || s == LOCANT_ERR_NOMEM)
        exit_status = CLI_INPUT;
    if (s == LOCANT_ERR_INTERRUPTED)
        exit_status = CLI_RESUMABLE;
    return cli_fail(exit_status, "%s", cli_message());
}

int cli_status_input(locant_status s)
{
    if (s == LOCANT_OK || s == LOCANT_ERR_UNSUPPORTED ||
        s == LOCANT_ERR_INTERRUPTED)
        return cli_status(s);
    return cli_fail(CLI_INPUT, "%s", cli_message());
}

int cli_finish(int status)
{
    if (no_memory)
        return message_printed ? CLI_INPUT
                               : cli_fail(CLI_INPUT, "out of memory");
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout))
        return status;
    if (errno == EPIPE) /* a reader such as head(1) stopped early: no error */
        return status;
    return cli_fail(CLI_INPUT, "standard output: %s",
                    errno ? strerror(errno) : "could not be written");
}
