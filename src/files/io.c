/*
 * io.c - read whole files, and write them durably.
 *
 * A write that must survive a loss of power needs four steps: write a temporary
 * file in the same directory, fsync it, rename it over the old file, fsync the
 * directory (Pillai et al., "All File Systems Are Not Created Equal", OSDI
 * 2014).  A failed fsync is not repeated: the kernel may have dropped the
 * pages, and a second fsync would then succeed.
 */
#define _XOPEN_SOURCE 700
#include "io.h"
#include "path.h"
#include <locant/files.h>
#include "source.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Largest single write: below the kernel's own limit of 2^31 - 4096. */
static const size_t CHUNK = (size_t)1 << 30;

static size_t chunk(size_t n)
{
    return n < CHUNK ? n : CHUNK;
}

/* "<path>: <what>: No space left on device" */
locant_status lct_io_error(const char *path, const char *what, int error)
{
    char why[128] = "";

    if (strerror_r(error, why, sizeof why) != 0)
        snprintf(why, sizeof why, "error %d", error);
    return locant_fail(error == ENOMEM ? LOCANT_ERR_NOMEM : LOCANT_ERR_IO,
                       "%s: %s: %s", lct_path_tail(path), what, why);
}

static const char *kind_of(const struct stat *st)
{
    if (S_ISDIR(st->st_mode))
        return "a directory";
    if (S_ISFIFO(st->st_mode))
        return "a named pipe";
    if (S_ISCHR(st->st_mode) || S_ISBLK(st->st_mode))
        return "a device";
    return S_ISSOCK(st->st_mode) ? "a socket" : "a special file";
}

locant_status lct_check_regular(const char *path, const struct stat *st)
{
    if (S_ISREG(st->st_mode))
        return LOCANT_OK;
    return locant_fail(LOCANT_ERR_IO, "%s: is %s, a regular file is needed",
                       lct_path_tail(path), kind_of(st));
}

/* ------------------------------------------------------------------ reading */

static locant_status read_whole(void **out, size_t *size,
                                const struct lct_source *s, size_t limit)
{
    if (s->size > limit)
        return locant_fail(LOCANT_ERR_FORMAT,
                           "%s: has %zu bytes, at most %zu are read",
                           lct_path_tail(s->name), s->size, limit);
    *size = s->size;
    return lct_source_load(out, s, 0, s->size);
}

locant_status lct_read_file(void **out, size_t *size, const char *path,
                            size_t limit)
{
    struct lct_source s;
    locant_status status;

    LCT_TRY(lct_source_open(&s, path));
    status = read_whole(out, size, &s, limit);
    lct_source_close(&s);
    return status;
}

/* ------------------------------------------------------------------ writing */

static locant_status write_piece(int fd, const struct lct_piece *piece,
                                 const char *path)
{
    const char *data = piece->data;
    size_t left = piece->size;

    while (left > 0) {
        ssize_t n = write(fd, data, chunk(left));

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return lct_io_error(path, "cannot be written", n < 0 ? errno : EIO);
        data += n;
        left -= (size_t)n;
    }
    return LOCANT_OK;
}

/* Write and sync the temporary file; close it in any case. */
static locant_status write_and_close(int fd, const struct lct_piece *pieces,
                                     size_t n, const char *path)
{
    locant_status status = LOCANT_OK;

    for (size_t i = 0; i < n && status == LOCANT_OK; i++)
        status = write_piece(fd, &pieces[i], path);
    if (status == LOCANT_OK && fsync(fd) != 0)
        status = lct_io_error(path, "cannot be put on the disk", errno);
    if (close(fd) != 0 && status == LOCANT_OK && errno != EINTR)
        status = lct_io_error(path, "cannot be closed", errno);
    return status;
}

/* Make the rename itself durable. */
static locant_status sync_directory_of(const char *path)
{
    char directory[PATH_MAX];
    const char *slash = strrchr(path, '/');
    locant_status status = LOCANT_OK;
    int fd;

    if (slash == NULL)
        snprintf(directory, sizeof directory, ".");
    else
        snprintf(directory, sizeof directory, "%.*s",
                 slash == path ? 1 : (int)(slash - path), path);
    fd = open(directory, O_RDONLY | O_CLOEXEC | O_DIRECTORY);
    if (fd < 0)
        return lct_io_error(directory, "cannot be opened", errno);
    /* EINVAL: a file system that has no such operation */
    if (fsync(fd) != 0 && errno != EINVAL)
        status = lct_io_error(directory, "cannot be put on the disk", errno);
    close(fd);
    return status;
}

/* Create a file beside 'path' whose name is unique to this call; -1 and errno
   if that fails. */
static int create_beside(char temporary[PATH_MAX], const char *path,
                         mode_t mode)
{
    static atomic_uint serial;
    int fd = -1;

    for (int attempt = 0; attempt < 100; attempt++) {
        int n = snprintf(temporary, PATH_MAX, "%s.%ld-%u.tmp", path,
                         (long)getpid(), atomic_fetch_add(&serial, 1));

        if (n < 0 || n >= PATH_MAX) {
            errno = ENAMETOOLONG;
            return -1;
        }
        fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
        if (fd >= 0 || errno != EEXIST)
            break;
    }
    return fd;
}

/*
 * target = path, or where its symbolic links lead, so that the link itself is
 * not replaced.  The target need not exist.  Follows as many links as the
 * kernel.
 */
static locant_status resolve_links(char target[PATH_MAX], const char *path)
{
    enum { LINKS = 40 };
    char link[PATH_MAX];
    int error = ELOOP;

    if (strlen(path) >= PATH_MAX)
        return lct_io_error(path, "cannot be created", ENAMETOOLONG);
    memcpy(target, path, strlen(path) + 1);
    for (int i = 0; i <= LINKS && error == ELOOP; i++) {
        const ssize_t n = readlink(target, link, sizeof link - 1);
        const char *slash = strrchr(target, '/');
        size_t folder = slash == NULL ? 0 : (size_t)(slash - target) + 1;

        if (n < 0) /* not a link; other errors show on creation */
            return LOCANT_OK;
        link[n] = 0;
        if (link[0] == '/')
            folder = 0;
        if (folder + (size_t)n >= PATH_MAX)
            error = ENAMETOOLONG;
        else
            memcpy(target + folder, link, (size_t)n + 1);
    }
    return lct_io_error(path, "cannot be created", error);
}

/* mode 0 stands for the mode of the old file or, if there is none, 0666 without
   the umask's bits. */
static locant_status replace(const char *path, const struct lct_piece *pieces,
                             size_t n, mode_t mode)
{
    char target[PATH_MAX], temporary[PATH_MAX];
    struct stat st;
    locant_status status;
    bool exists;
    int fd;

    LCT_TRY(resolve_links(target, path));
    exists = stat(target, &st) == 0;
    if (exists)
        LCT_TRY(lct_check_regular(path, &st));
    if (mode == 0)
        mode = exists ? st.st_mode & 0777 : 0666;
    fd = create_beside(temporary, target, mode);
    if (fd < 0)
        return lct_io_error(path, "cannot be created", errno);
    status = write_and_close(fd, pieces, n, path);
    if (status == LOCANT_OK && rename(temporary, target) != 0)
        status = lct_io_error(path, "cannot be renamed", errno);
    if (status != LOCANT_OK) {
        unlink(temporary);
        return status;
    }
    return sync_directory_of(target);
}

locant_status locant_file_write(const char *path, const void *bytes,
                                size_t size)
{
    LCT_NOT_NULL("locant_file_write", path);
    LCT_NOT_NULL("locant_file_write", bytes);
    return lct_write_file(path, &(struct lct_piece){ bytes, size }, 1);
}

locant_status lct_write_file(const char *path, const struct lct_piece *pieces,
                             size_t n)
{
    return replace(path, pieces, n, 0);
}

locant_status lct_write_private(const char *path,
                                const struct lct_piece *pieces, size_t n)
{
    return replace(path, pieces, n, 0600);
}
