/* resources.c - releases what a row holds; leaves a row early. */
#define _GNU_SOURCE
#include "resources.h"

#include <ftw.h>
#include <stdlib.h>
#include <string.h>

struct resource {
    void (*release)(void *);
    void *what;
    struct resource *next;
};

void must(locant_status status)
{
    if (status == LOCANT_OK)
        return;
    running->status = status;
    longjmp(running->leave, 1);
}

const char *refusal(locant_status status)
{
    if (status == LOCANT_OK)
        must(locant_fail(LOCANT_ERR_PARAM, "a call was expected to fail, but "
                                           "succeeded"));
    return locant_last_error();
}

void defer(void (*release)(void *), void *what)
{
    struct resource *r = locant_alloc(sizeof *r);

    if (r == NULL) {
        release(what);
        must(locant_fail(LOCANT_ERR_NOMEM, "out of memory"));
    }
    *r = (struct resource){ release, what, running->resources };
    running->resources = r;
}

void release_all(struct tutorial *t)
{
    while (t->resources != NULL) {
        struct resource *r = t->resources;

        t->resources = r->next;
        r->release(r->what);
        locant_release(r);
    }
}

void *memory(int64_t n, size_t size)
{
    size_t bytes;
    void *p = NULL;

    if (!__builtin_mul_overflow((size_t)n, size, &bytes))
        p = locant_alloc(bytes ? bytes : 1);
    if (p == NULL)
        must(locant_fail(LOCANT_ERR_NOMEM,
                         "no memory for %lld elements of %zu bytes",
                         (long long)n, size));
    defer(locant_release, p);
    return p;
}

const char *joined(const char *const *names, int n)
{
    size_t size = 1;
    char *text;

    for (int i = 0; i < n; i++)
        size += strlen(names[i]) + strlen(", ");
    text = memory((int64_t)size, 1);
    for (int i = 0; i < n; i++)
        strcat(strcat(text, i > 0 ? ", " : ""), names[i]);
    return text;
}

static int remove_entry(const char *path, const struct stat *st, int kind,
                        struct FTW *where)
{
    (void)st, (void)kind, (void)where;
    return remove(path);
}

/* Remove a folder and all it contains; do not follow links. */
static void remove_folder(void *path)
{
    nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
    locant_release(path);
}

const char *temporary_folder(void)
{
    const char *parent = getenv("TMPDIR");
    char *path = locant_alloc(4096);

    if (parent == NULL || *parent == '\0')
        parent = P_tmpdir;
    if (path != NULL)
        snprintf(path, 4096, "%s/locant-tutorial-XXXXXX", parent);
    if (path == NULL || mkdtemp(path) == NULL) {
        locant_release(path);
        must(locant_fail(LOCANT_ERR_IO, "cannot make a folder in %s", parent));
    }
    defer(remove_folder, path);
    return path;
}
