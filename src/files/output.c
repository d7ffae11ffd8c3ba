/* output.c - see output.h */
#define _GNU_SOURCE
#include "output.h"
#include "io.h"
#include "path.h"
#include "source.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BUFFER = 1 << 20 };

static locant_status no_memory(const char *path)
{
    return locant_fail(LOCANT_ERR_NOMEM, "%s: no memory to write it",
                       lct_path_tail(path));
}

/* a, b and c in memory of their own. */
static locant_status join(char **out, const char *a, const char *b,
                          const char *c)
{
    const size_t n = strlen(a) + strlen(b) + strlen(c) + 1;

    locant_release(*out);
    *out = locant_alloc(n);
    if (*out == NULL)
        return no_memory(a);
    snprintf(*out, n, "%s%s%s", a, b, c);
    return LOCANT_OK;
}

static bool is_dot(const char *name)
{
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

/* Fail unless nothing is there, or an empty folder. */
static locant_status check_target(const char *path)
{
    struct stat st;
    struct dirent *entry;
    bool empty = true;
    DIR *dir;

    if (lstat(path, &st) != 0)
        return errno == ENOENT ? LOCANT_OK
                               : lct_io_error(path, "cannot be created", errno);
    dir = S_ISDIR(st.st_mode) ? opendir(path) : NULL;
    while (dir != NULL && (entry = readdir(dir)) != NULL)
        empty = empty && is_dot(entry->d_name);
    if (dir != NULL)
        closedir(dir);
    if (dir == NULL || !empty)
        return locant_fail(LOCANT_ERR_IO,
                           "%s: is there already, a new folder expected",
                           lct_path_tail(path));
    return LOCANT_OK;
}

locant_status lct_output_begin(struct lct_output *o, const char *folder)
{
    size_t n = strlen(folder);
    mode_t mask;

    *o = (struct lct_output){ .fd = -1 };
    LCT_TRY(join(&o->target, folder, "", ""));
    while (n > 1 && o->target[n - 1] == '/')
        o->target[--n] = 0;
    LCT_TRY(check_target(o->target));
    o->buffer = locant_alloc(BUFFER);
    if (o->buffer == NULL)
        return no_memory(folder);
    LCT_TRY(join(&o->temporary, o->target, ".XXXXXX", ""));
    if (mkdtemp(o->temporary) == NULL) {
        const int error = errno;

        locant_release(o->temporary);
        o->temporary = NULL;
        return lct_io_error(folder, "cannot be created", error);
    }
    mask = umask(0);
    umask(mask);
    if (chmod(o->temporary, 0777 & ~mask) != 0)
        return lct_io_error(folder, "cannot be created", errno);
    return LOCANT_OK;
}

/* Write bytes past the buffer. */
static locant_status write_all(struct lct_output *o, const unsigned char *data,
                               size_t n)
{
    while (n > 0) {
        const ssize_t done = write(o->fd, data, n < 1u << 30 ? n : 1u << 30);

        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return lct_io_error(o->file, "cannot be written",
                                done < 0 ? errno : EIO);
        data += done;
        n -= (size_t)done;
    }
    return LOCANT_OK;
}

locant_status lct_output_write(struct lct_output *o, const void *data, size_t n)
{
    o->written += n;
    if (n > BUFFER - o->used) {
        LCT_TRY(write_all(o, o->buffer, o->used));
        o->used = 0;
        if (n >= BUFFER)
            return write_all(o, data, n);
    }
    if (n > 0)
        memcpy(o->buffer + o->used, data, n);
    o->used += n;
    return LOCANT_OK;
}

locant_status lct_output_flush(struct lct_output *o)
{
    locant_status status;
    int fd = o->fd;

    if (fd < 0)
        return LOCANT_OK;
    status = write_all(o, o->buffer, o->used);
    o->used = 0;
    if (status == LOCANT_OK && fsync(fd) != 0)
        status = lct_io_error(o->file, "cannot be put on the disk", errno);
    o->fd = -1;
    if (close(fd) != 0 && status == LOCANT_OK && errno != EINTR)
        status = lct_io_error(o->file, "cannot be closed", errno);
    return status;
}

locant_status lct_output_file(struct lct_output *o, const char *name)
{
    LCT_TRY(lct_output_flush(o));
    LCT_TRY(join(&o->file, o->temporary, "/", name));
    o->written = 0;
    o->fd = open(o->file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (o->fd < 0)
        return lct_io_error(o->file, "cannot be created", errno);
    return LOCANT_OK;
}

locant_status lct_output_copy(struct lct_output *o, const char *name,
                              const char *from)
{
    enum { PART = 1 << 16 };
    struct lct_source s;
    locant_status status;
    unsigned char *part;

    LCT_TRY(lct_source_open(&s, from));
    part = locant_alloc(PART);
    status = part ? lct_output_file(o, name) : no_memory(from);
    for (size_t at = 0; at < s.size && status == LOCANT_OK;) {
        const size_t n = s.size - at < PART ? s.size - at : PART;

        status = lct_source_copy(part, &s, at, n);
        if (status == LOCANT_OK)
            status = lct_output_write(o, part, n);
        at += n;
    }
    locant_release(part);
    lct_source_close(&s);
    return status;
}

static void release(struct lct_output *o)
{
    locant_release(o->target);
    locant_release(o->temporary);
    locant_release(o->file);
    locant_release(o->buffer);
    *o = (struct lct_output){ .fd = -1 };
}

/* Make the names of the folder durable. */
static locant_status sync_folder(const char *path)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_DIRECTORY);
    locant_status status = LOCANT_OK;

    if (fd < 0)
        return lct_io_error(path, "cannot be opened", errno);
    if (fsync(fd) != 0 && errno != EINVAL)
        status = lct_io_error(path, "cannot be put on the disk", errno);
    close(fd);
    return status;
}

locant_status lct_output_commit(struct lct_output *o)
{
    LCT_TRY(lct_output_flush(o));
    LCT_TRY(sync_folder(o->temporary));
    if (rename(o->temporary, o->target) != 0)
        return lct_io_error(o->target, "cannot be created", errno);
    release(o);
    return LOCANT_OK;
}

/* Remove the files of the temporary folder, and the folder. */
static void remove_folder(const char *path)
{
    DIR *dir = opendir(path);
    struct dirent *entry;

    while (dir != NULL && (entry = readdir(dir)) != NULL)
        if (!is_dot(entry->d_name))
            unlinkat(dirfd(dir), entry->d_name, 0);
    if (dir != NULL)
        closedir(dir);
    rmdir(path);
}

void lct_output_abort(struct lct_output *o)
{
    if (o->fd >= 0)
        close(o->fd);
    if (o->temporary != NULL)
        remove_folder(o->temporary);
    release(o);
}
