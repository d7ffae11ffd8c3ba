/*
 * source.c - see source.h
 *
 * Files are read by pread(), not mapped, so that a file that becomes shorter
 * meanwhile gives an error and not SIGBUS.
 */
#define _GNU_SOURCE
#include "source.h"
#include "io.h"
#include "path.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    /* Largest single read: below the kernel's limit of 2^31 - 4096. */
    CHUNK = 1 << 30,
    /*
     * At least one byte in SPARSE of a range that is loaded must be on the
     * disk, so that a sparse file does not claim any amount of memory.  Other
     * holes are allowed: copies by `rsync -S` and `tar -S` have them where the
     * file has zeros, as in unused rows or moments of the optimiser.
     */
    SPARSE = 16,
    SPARSE_BYTES = 1 << 20 /* smaller ranges are not checked */
};

locant_status lct_source_open(struct lct_source *out, const char *path)
{
    /* Without O_NONBLOCK, opening a pipe waits for a writer. */
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    locant_status status;
    struct stat st;

    if (fd < 0)
        return lct_io_error(path, "cannot be opened", errno);
    if (fstat(fd, &st) != 0)
        status = lct_io_error(path, "cannot be read", errno);
    else
        status = lct_check_regular(path, &st);
    if (status != LOCANT_OK) {
        close(fd);
        return status;
    }
    *out = (struct lct_source){ path, NULL, fd, (size_t)st.st_size };
    return LOCANT_OK;
}

void lct_source_close(struct lct_source *s)
{
    if (s->bytes == NULL)
        close(s->fd);
}

locant_status lct_source_copy(void *out, const struct lct_source *s, size_t at,
                              size_t n)
{
    size_t done = 0;

    if (s->bytes != NULL && n > 0)
        memcpy(out, s->bytes + at, n);
    while (s->bytes == NULL && done < n) {
        size_t left = n - done;
        ssize_t got = pread(s->fd, (char *)out + done,
                            left < CHUNK ? left : CHUNK, (off_t)(at + done));

        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return lct_io_error(s->name, "cannot be read", errno);
        if (got == 0)
            return locant_fail(LOCANT_ERR_IO,
                               "%s: became shorter while it was "
                               "read: %zu of %zu bytes",
                               lct_path_tail(s->name), at + done, s->size);
        done += (size_t)got;
    }
    return LOCANT_OK;
}

/* Bytes of the range that are on the disk, counted up to 'enough'. */
static size_t present(int fd, size_t at, size_t n, size_t enough)
{
    const off_t end = (off_t)(at + n);
    size_t found = 0;
    off_t data = (off_t)at;

    while (found < enough && data < end) {
        off_t hole;

        data = lseek(fd, data, SEEK_DATA);
        if (data < 0)
            return errno == ENXIO ? found : n; /* n: not supported here */
        hole = lseek(fd, data, SEEK_HOLE);
        if (hole < 0)
            return n;
        if (data < end)
            found += (size_t)((hole < end ? hole : end) - data);
        data = hole;
    }
    return found;
}

static locant_status no_memory(const struct lct_source *s, size_t n)
{
    return locant_fail(LOCANT_ERR_NOMEM, "%s: no memory for %zu bytes of it",
                       lct_path_tail(s->name), n);
}

locant_status lct_source_check(const struct lct_source *s, size_t at, size_t n)
{
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    size_t found;

    if (pages > 0 && page > 0 && n / (size_t)page >= (size_t)pages)
        return no_memory(s, n);
    if (s->bytes != NULL || n < SPARSE_BYTES)
        return LOCANT_OK;
    found = present(s->fd, at, n, n / SPARSE);
    if (found < n / SPARSE)
        return locant_fail(LOCANT_ERR_FORMAT,
                           "%s: is a sparse file: of bytes %zu to %zu the disk "
                           "holds %zu, at least 1 in %d is needed",
                           lct_path_tail(s->name), at, at + n - 1, found,
                           SPARSE);
    return LOCANT_OK;
}

locant_status lct_source_load(void **out, const struct lct_source *s, size_t at,
                              size_t n)
{
    locant_status status;
    void *memory;

    LCT_TRY(lct_source_check(s, at, n));
    memory = n < SIZE_MAX ? locant_alloc(n + 1) : NULL;
    if (memory == NULL)
        return no_memory(s, n);
    status = lct_source_copy(memory, s, at, n);
    if (status != LOCANT_OK) {
        locant_release(memory);
        return status;
    }
    *out = memory;
    return LOCANT_OK;
}
