/* store_files.c - the files of a run beside the database: checkpoints, lock */
#define _GNU_SOURCE
#include "store.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

locant_status lct_store_path(char **out, const locant_store *s,
                             const char *format, ...)
{
    const size_t start = strlen(s->directory) + 1, size = start + 128;
    va_list args;

    *out = locant_alloc(size);
    if (*out == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "%s: no memory for a path",
                           s->directory);
    snprintf(*out, size, "%s/", s->directory);
    va_start(args, format);
    vsnprintf(*out + start, size - start, format, args);
    va_end(args);
    return LOCANT_OK;
}

locant_status lct_store_run_path(char **out, const locant_store *s, int64_t id,
                                 const char *ending)
{
    return lct_store_path(out, s, "checkpoints/run-%" PRId64 ".%s", id, ending);
}

/* Refuse function fn: "<fn>: <what> by <holder>", as the lock file states
   it. */
static locant_status refuse_lock(int fd, const char *what, const char *fn)
{
    char who[128] = "";
    ssize_t n = pread(fd, who, sizeof who - 1, 0);

    who[n > 0 ? n : 0] = 0;
    who[strcspn(who, "\n")] = 0;
    return locant_fail(LOCANT_ERR_UNSUPPORTED, "%s: %s by %s", fn, what,
                       who[0] ? who : "another process");
}

/* Write process and host to the lock file. */
static locant_status write_holder(int fd, const char *path)
{
    char host[64] = "", text[128];
    int size, done = 0;

    gethostname(host, sizeof host - 1);
    size = snprintf(text, sizeof text, "process %ld on host %s\n",
                    (long)getpid(), host);
    if (ftruncate(fd, 0) != 0)
        return locant_fail(LOCANT_ERR_IO, "%s: %s", path, strerror(errno));
    while (done < size) {
        ssize_t n = pwrite(fd, text + done, (size_t)(size - done), done);

        if (n <= 0 && !(n < 0 && errno == EINTR))
            return locant_fail(LOCANT_ERR_IO, "%s: %s", path, strerror(errno));
        done += n > 0 ? (int)n : 0;
    }
    return LOCANT_OK;
}

/* Is 'path' still the file that fd is open on? Its holder may have removed it
   since open(). */
static bool same_file(int fd, const char *path)
{
    struct stat a, b;

    return fstat(fd, &a) == 0 && stat(path, &b) == 0 && a.st_ino == b.st_ino &&
           a.st_dev == b.st_dev;
}

static locant_status lock_path(int *fd, const char *path, const char *what,
                               const char *fn)
{
    const int flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
    locant_status status;

    for (;;) {
        *fd = open(path, flags, 0666);
        if (*fd < 0)
            return locant_fail(LOCANT_ERR_IO, "%s: %s", path, strerror(errno));
        if (flock(*fd, LOCK_EX | LOCK_NB) != 0) {
            status = errno == EWOULDBLOCK ? refuse_lock(*fd, what, fn)
                                          : locant_fail(LOCANT_ERR_IO, "%s: %s",
                                                        path, strerror(errno));
            break;
        }
        if (same_file(*fd, path)) {
            status = write_holder(*fd, path);
            break;
        }
        close(*fd);
    }
    if (status != LOCANT_OK)
        close(*fd);
    return status;
}

locant_status lct_store_lock_run(int *fd, const locant_store *s, int64_t id,
                                 const char *fn)
{
    locant_status status;
    char *path, what[64];

    LCT_TRY(lct_store_run_path(&path, s, id, "lock"));
    snprintf(what, sizeof what, "run %" PRId64 " is being trained", id);
    status = lock_path(fd, path, what, fn);
    locant_release(path);
    if (status != LOCANT_OK)
        *fd = -1;
    return status;
}

/* The file stays: removing it while another process waits for it would let two
   have it. */
locant_status lct_store_lock_alone(locant_store *s, const char *fn)
{
    locant_status status;
    char *path, what[256];

    LCT_TRY(lct_store_path(&path, s, "lock"));
    snprintf(what, sizeof what, "%.200s is used", s->directory);
    status = lock_path(&s->lock, path, what, fn);
    locant_release(path);
    if (status != LOCANT_OK)
        s->lock = -1;
    return status;
}

void lct_store_unlock_run(int fd, const locant_store *s, int64_t id)
{
    char *path;

    if (fd < 0)
        return;
    if (lct_store_run_path(&path, s, id, "lock") == LOCANT_OK) {
        unlink(path);
        locant_release(path);
    }
    close(fd);
}

void lct_store_drop_lock(const locant_store *s, int64_t id)
{
    char *path;
    int fd;

    if (lct_store_run_path(&path, s, id, "lock") != LOCANT_OK)
        return;
    fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0 && same_file(fd, path))
        unlink(path);
    if (fd >= 0)
        close(fd);
    locant_release(path);
}

/* ------------------------------------------------------------- checkpoints */

/* Paths of a run's checkpoints; all NULL when memory is short. */
struct paths {
    char *last, *previous, *temporary;
};

static struct paths paths_of(const locant_store *s, int64_t id)
{
    struct paths path = { 0 };

    if (lct_store_run_path(&path.last, s, id, "safetensors") != LOCANT_OK ||
        lct_store_run_path(&path.previous, s, id, "previous.safetensors") !=
            LOCANT_OK ||
        lct_store_run_path(&path.temporary, s, id,
                           "safetensors.previous.tmp") != LOCANT_OK) {
        locant_release(path.last);
        locant_release(path.previous);
        path = (struct paths){ 0 };
    }
    return path;
}

static void free_paths(struct paths *path)
{
    locant_release(path->last);
    locant_release(path->previous);
    locant_release(path->temporary);
}

/*
 * The second name is a hard link, so that there is a checkpoint at every
 * moment. On a file system without links the checkpoint is renamed, so only the
 * kept one exists until the next one is written. If this function fails, the
 * checkpoint stays and only the kept one may be missing.
 */
void lct_store_keep_previous(const locant_store *s, int64_t id)
{
    struct paths path = paths_of(s, id);

    if (path.last) {
        unlink(path.temporary);
        if (link(path.last, path.temporary) == 0)
            rename(path.temporary, path.previous);
        else if (errno != ENOENT)
            rename(path.last, path.previous);
        /* rename() between two names of one file does nothing, so both stay */
        unlink(path.temporary);
    }
    free_paths(&path);
}

bool lct_store_restore_previous(const locant_store *s, int64_t id)
{
    struct paths path = paths_of(s, id);
    const bool restored = path.last && rename(path.previous, path.last) == 0;

    free_paths(&path);
    return restored;
}

void lct_store_drop_previous(const locant_store *s, int64_t id)
{
    struct paths path = paths_of(s, id);

    if (path.last)
        unlink(path.previous);
    free_paths(&path);
}

void lct_store_clean_run(const locant_store *s, int64_t id, bool all)
{
    char *path, *name;
    const struct dirent *entry;
    DIR *folder;

    if (lct_store_run_path(&path, s, id, "safetensors") != LOCANT_OK)
        return;
    if (all) {
        unlink(path);
        lct_store_drop_previous(s, id);
    }
    name = strrchr(path, '/');
    *name++ = 0;
    folder = opendir(path);
    while (folder && (entry = readdir(folder)) != NULL) {
        size_t n = strlen(entry->d_name), stem = strlen(name);

        if (n > stem && strncmp(entry->d_name, name, stem) == 0 &&
            strcmp(entry->d_name + n - 4, ".tmp") == 0)
            unlinkat(dirfd(folder), entry->d_name, 0);
    }
    if (folder)
        closedir(folder);
    locant_release(path);
}

locant_status locant_store_remove(locant_store *store, int64_t id)
{
    struct lct_run_extra extra;
    locant_status status;
    int fd = -1;

    LCT_NOT_NULL(__func__, store);
    /* Refuse an unknown id. locant_store_run() would also refuse a run with bad
       values, which must be removable. */
    LCT_TRY(lct_store_read_run_extra(&extra, store, id));
    if (!store->readonly)
        LCT_TRY(lct_store_lock_run(&fd, store, id, __func__));
    status = lct_store_write(store, __func__, "DELETE FROM runs WHERE id = ?1",
                             "i", id);
    if (status == LOCANT_OK)
        lct_store_clean_run(store, id, true);
    lct_store_unlock_run(fd, store, id);
    return status;
}
