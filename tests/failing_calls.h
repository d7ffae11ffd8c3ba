/* failing_calls.h - calls that write, which fail on demand; for one program's
   only source file */
#ifndef FAILING_CALLS_H
#define FAILING_CALLS_H
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * These stand before those of libc, also for SQLite's library.  Armed, the
 * n-th call fails, or all from the n-th on, or the process is killed there.
 * fsync() does nothing else: no loss of power will question it here.
 */
static struct {
    bool armed, forever, halves, kills;
    int left;   /* calls until the failure */
    int failed; /* calls that failed */
    int odd;
} fault;

static bool fails(void)
{
    if (!fault.armed || fault.halves)
        return false;
    if (fault.left > 0) {
        fault.left--;
        return false;
    }
    if (!fault.forever && fault.failed > 0)
        return false;
    fault.failed++;
    if (fault.kills)
        raise(SIGKILL);
    return true;
}

static ssize_t wrong(int error)
{
    errno = error;
    return -1;
}

/* Every second write is interrupted, the others take half. */
static bool cut_short(size_t *n)
{
    if (!fault.armed || !fault.halves)
        return false;
    fault.failed++;
    *n = (*n + 1) / 2;
    return fault.odd++ % 2 == 0;
}

#define SHOWN __attribute__((visibility("default")))

SHOWN ssize_t write(int fd, const void *bytes, size_t n)
{
    if (cut_short(&n))
        return wrong(EINTR);
    return fails() ? wrong(ENOSPC) : syscall(SYS_write, fd, bytes, n);
}

SHOWN ssize_t pwrite(int fd, const void *bytes, size_t n, off_t at)
{
    if (cut_short(&n))
        return wrong(EINTR);
    return fails() ? wrong(ENOSPC) : syscall(SYS_pwrite64, fd, bytes, n, at);
}

SHOWN ssize_t pwrite64(int fd, const void *bytes, size_t n, off_t at)
{
    return pwrite(fd, bytes, n, at);
}

SHOWN int fsync(int fd)
{
    (void)fd;
    return fails() ? (int)wrong(EIO) : 0;
}

SHOWN int fdatasync(int fd)
{
    return fsync(fd);
}

SHOWN int rename(const char *from, const char *to)
{
    return fails()
               ? (int)wrong(EIO)
               : (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}

SHOWN int link(const char *from, const char *to)
{
    return fails() ? (int)wrong(EPERM)
                   : (int)syscall(SYS_linkat, AT_FDCWD, from, AT_FDCWD, to, 0);
}

/* Closed it is, all the same: what the disk refused may come late. */
SHOWN int close(int fd)
{
    int result = (int)syscall(SYS_close, fd);

    return fails() ? (int)wrong(EIO) : result;
}
#endif
