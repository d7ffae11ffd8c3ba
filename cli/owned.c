/* owned.c - release what a command opened or allocated when it ends. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"

static struct {
    void (*release)(void *);
    void *object;
} * owned;
static size_t n_owned, room;

int cli_at_end(void (*release)(void *), void *object)
{
    if (n_owned == room) {
        const size_t larger = room ? 2 * room : 64;
        void *memory = realloc(owned, larger * sizeof *owned);

        if (memory == NULL) {
            release(object);
            return cli_fail(CLI_INPUT, "out of memory");
        }
        owned = memory;
        room = larger;
    }
    owned[n_owned].release = release;
    owned[n_owned++].object = object;
    return CLI_OK;
}

void cli_end(void)
{
    while (n_owned > 0) {
        n_owned--;
        owned[n_owned].release(owned[n_owned].object);
    }
    free(owned);
}

void *cli_alloc(size_t n, size_t size)
{
    void *memory = locant_alloc(n * size);

    if (memory == NULL)
        cli_fail(CLI_INPUT, "out of memory");
    else if (cli_at_end(locant_release, memory) != CLI_OK)
        memory = NULL;
    return memory;
}

char *cli_copy(const char *text, size_t n)
{
    char *copy = cli_alloc(n + 1, 1);

    return copy != NULL ? memcpy(copy, text, n) : NULL;
}

static void free_encoding(void *e)
{
    locant_encoding_free(e);
}

int cli_encoding_create(locant_encoding **out, const char *spec)
{
    CLI_TRY(cli_status(locant_encoding_create(out, spec)));
    return cli_at_end(free_encoding, *out);
}

int cli_encoding_resolve(locant_encoding **out, const locant_encoding *e,
                         int64_t length)
{
    CLI_TRY(cli_status(locant_encoding_resolve(out, e, length)));
    return cli_at_end(free_encoding, *out);
}

/* ------------------------------------------------------------------ stores */

static void close_store(void *store)
{
    locant_store_close(store);
}

bool cli_has_store(const char *dir)
{
    return access(cli_text("%s/runs.db", dir), F_OK) == 0;
}

int cli_check_store(const char *dir)
{
    if (cli_has_store(dir))
        return CLI_OK;
    return cli_fail(CLI_INPUT,
                    "%s: there is no run store; 'locant train' and 'locant "
                    "report' make one, --dir chooses a folder",
                    dir);
}

int cli_store_make(locant_store **out, const char *dir)
{
    CLI_TRY(cli_status(locant_store_open(out, dir)));
    return cli_at_end(close_store, *out);
}

int cli_store_open(locant_store **out, const char *dir, enum cli_access access)
{
    CLI_TRY(cli_check_store(dir));
    if (access == CLI_WRITE)
        return cli_store_make(out, dir);
    CLI_TRY(cli_status(locant_store_open_readonly(out, dir)));
    return cli_at_end(close_store, *out);
}
