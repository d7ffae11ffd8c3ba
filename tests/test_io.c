/* needs: lab */
/*
 * test_io.c - files in and out when the operating system does not help.
 *
 * write, pread, fsync, rename and close are defined here in front of the C
 * library's, so that any one of them can fail at any call; what they do when
 * they do not fail is the real thing.
 */
#define _GNU_SOURCE
#include "scratch_case.h"
#include "files/io.h"
#include <locant/files.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

enum call { WRITE, PREAD, FSYNC, RENAME, CLOSE, CALLS };

/* What a call does at its n-th use: fail with 'error', or move few bytes. */
static struct {
    int n[CALLS];  /* uses so far */
    int at[CALLS]; /* the use that fails, 0: none */
    int error;
    size_t few;    /* most bytes one write or pread moves, 0: any */
    int interrupt; /* every second write and pread fails with EINTR */
} fault;

static bool fails(enum call c)
{
    fault.n[c]++;
    if ((c == WRITE || c == PREAD) && fault.interrupt && fault.n[c] % 2 == 1) {
        errno = EINTR;
        return true;
    }
    if (fault.n[c] != fault.at[c])
        return false;
    errno = fault.error;
    return true;
}

static size_t few(size_t n)
{
    return fault.few > 0 && n > fault.few ? fault.few : n;
}

ssize_t write(int fd, const void *data, size_t n)
{
    return fails(WRITE) ? -1 : syscall(SYS_write, fd, data, few(n));
}

ssize_t pread(int fd, void *data, size_t n, off_t at)
{
    return fails(PREAD) ? -1 : syscall(SYS_pread64, fd, data, few(n), at);
}

int fsync(int fd)
{
    return fails(FSYNC) ? -1 : (int)syscall(SYS_fsync, fd);
}

int rename(const char *from, const char *to)
{
    return fails(RENAME)
               ? -1
               : (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}

int close(int fd)
{
    int done = (int)syscall(SYS_close, fd);

    return fails(CLOSE) ? -1 : done;
}

/* ------------------------------------------------------- one scratch place */

/* Number of entries; removes them when asked to. */
static int entries(bool and_remove)
{
    DIR *d = opendir(dir.path);
    struct dirent *e;
    int n = 0;

    while ((e = readdir(d)) != NULL) {
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
            continue;
        n++;
        if (and_remove)
            CHECK(remove(scratch_file(&dir, e->d_name)) == 0);
    }
    closedir(d);
    return n;
}

static int start(void **state)
{
    (void)state;
    memset(&fault, 0, sizeof fault);
    entries(true);
    return 0;
}

static locant_status put(const char *path, const char *text)
{
    size_t half = strlen(text) / 2;
    struct lct_piece pieces[] = { { text, half },
                                  { NULL, 0 },
                                  { text + half, strlen(text) - half } };

    return lct_write_file(path, pieces, 3);
}

static void holds(const char *path, const char *want)
{
    void *bytes;
    size_t size;

    memset(&fault, 0, sizeof fault);
    CHECK_OK(lct_read_file(&bytes, &size, path, 1000));
    CHECK(size == strlen(want) && strcmp(bytes, want) == 0);
    locant_release(bytes);
}

/* ------------------------------------------------------------------ claims */

TEST_WITH(start, NULL, what_is_written_is_read)
{
    const char *path = scratch_file(&dir, "a");

    CHECK_OK(put(path, "first"));
    holds(path, "first");
    CHECK_OK(put(path, "the second, longer"));
    holds(path, "the second, longer");
    CHECK_OK(put(path, ""));
    holds(path, "");
    CHECK(entries(false) == 1);
}

TEST_WITH(start, NULL, callers_replace_whole_files)
{
    const char *path = scratch_file(&dir, "a");

    CHECK_OK(locant_file_write(path, "first\n", 6));
    CHECK_OK(locant_file_write(path, "", 0));
    holds(path, "");
    fault.at[RENAME] = 1;
    fault.error = EIO;
    CHECK(locant_file_write(path, "second", 6) == LOCANT_ERR_IO);
    holds(path, "");
    CHECK(entries(false) == 1);
    CHECK(locant_file_write(NULL, "", 0) == LOCANT_ERR_NULL);
    CHECK(locant_file_write(path, NULL, 0) == LOCANT_ERR_NULL);
    CHECK(strstr(locant_last_error(), "bytes is NULL") != NULL);
}

TEST_WITH(start, NULL, works_in_the_current_directory)
{
    char here[600];

    CHECK(getcwd(here, sizeof here) != NULL);
    CHECK(chdir(dir.path) == 0);
    CHECK_OK(put("plain", "text"));
    holds("plain", "text");
    CHECK(chdir(here) == 0);
    holds(scratch_file(&dir, "plain"), "text");
}

TEST_WITH(start, NULL, finishes_short_and_interrupted_calls)
{
    const char *path = scratch_file(&dir, "a");
    void *bytes;
    size_t size;

    fault.few = 1;
    fault.interrupt = 1;
    CHECK_OK(put(path, "one byte at a time"));
    CHECK(fault.n[WRITE] == 36);
    CHECK_OK(lct_read_file(&bytes, &size, path, 100));
    CHECK(fault.n[PREAD] == 36);
    CHECK(size == 18 && memcmp(bytes, "one byte at a time", 19) == 0);
    locant_release(bytes);
}

TEST_WITH(start, NULL, keeps_the_old_file_when_a_call_fails)
{
    static const struct {
        enum call call;
        int at, error;
        const char *sentence;
    } cases[] = {
        { WRITE, 1, ENOSPC, "/a: cannot be written: No space left on device" },
        { WRITE, 2, EIO, "/a: cannot be written: Input/output error" },
        { FSYNC, 1, EIO, "/a: cannot be put on the disk: Input/output error" },
        { CLOSE, 1, EDQUOT, "/a: cannot be closed: Disk quota exceeded" },
        { RENAME, 1, EACCES, "/a: cannot be renamed: Permission denied" },
    };
    const char *path = scratch_file(&dir, "a");

    CHECK_OK(put(path, "old"));
    for (size_t i = 0; i < LEN(cases); i++) {
        const char *end;

        memset(&fault, 0, sizeof fault);
        fault.at[cases[i].call] = cases[i].at;
        fault.error = cases[i].error;
        CHECK(put(path, "new") == LOCANT_ERR_IO);
        end = strstr(locant_last_error(), "/a: ");
        CHECK(end != NULL && strcmp(end, cases[i].sentence) == 0);
        /* A failed fsync is not tried again. */
        CHECK(fault.n[FSYNC] <= 1);
        holds(path, "old");
        CHECK(entries(false) == 1);
    }
}

/* The new file stands, but the caller hears that it may not survive. */
TEST_WITH(start, NULL, reports_a_directory_that_cannot_be_synced)
{
    const char *path = scratch_file(&dir, "a");

    fault.at[FSYNC] = 2;
    fault.error = EIO;
    CHECK(put(path, "new") == LOCANT_ERR_IO);
    CHECK(strstr(locant_last_error(), "cannot be put on the disk") != NULL);
    holds(path, "new");
    fault.at[FSYNC] = 2;
    fault.error = EINVAL;
    CHECK_OK(put(path, "newer"));
    CHECK(entries(false) == 1);
}

TEST_WITH(start, NULL, survives_a_limit_on_the_size_of_files)
{
    const char *path = scratch_file(&dir, "a");
    struct rlimit before, limit;
    static char text[20000];

    CHECK_OK(put(path, "old"));
    memset(text, 'x', sizeof text - 1);
    CHECK(getrlimit(RLIMIT_FSIZE, &before) == 0);
    limit = before;
    limit.rlim_cur = 4096;
    signal(SIGXFSZ, SIG_IGN);
    CHECK(setrlimit(RLIMIT_FSIZE, &limit) == 0);
    CHECK(put(path, text) == LOCANT_ERR_IO);
    CHECK(setrlimit(RLIMIT_FSIZE, &before) == 0);
    signal(SIGXFSZ, SIG_DFL);
    CHECK(strstr(locant_last_error(), "/a: cannot be written: File too large"));
    holds(path, "old");
    CHECK(entries(false) == 1);
}

static void make_socket(const char *path)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);

    CHECK(strlen(path) < sizeof address.sun_path);
    memcpy(address.sun_path, path, strlen(path) + 1);
    CHECK(bind(fd, (struct sockaddr *)&address, sizeof address) == 0);
    close(fd);
}

static void both_refuse(const char *path, const char *kind)
{
    char want[700];
    void *bytes = NULL;
    size_t size;

    snprintf(want, sizeof want, "%s: is %s, a regular file is needed", path,
             kind);
    CHECK_REFUSED(put(path, "x"), LOCANT_ERR_IO, want);
    if (strcmp(kind, "a socket") != 0) /* these cannot even be opened */
        CHECK_REFUSED(lct_read_file(&bytes, &size, path, 1000), LOCANT_ERR_IO,
                      want);
    CHECK(bytes == NULL);
}

TEST_WITH(start, NULL, takes_nothing_but_regular_files)
{
    char here[600];

    CHECK(getcwd(here, sizeof here) != NULL);
    CHECK(chdir(dir.path) == 0);
    CHECK(mkfifo("pipe", 0600) == 0);
    make_socket("socket");
    both_refuse("pipe", "a named pipe");
    both_refuse("socket", "a socket");
    both_refuse(".", "a directory");
    both_refuse("/dev/full", "a device");
    both_refuse("/dev/zero", "a device");
    CHECK(chdir(here) == 0);
    CHECK(entries(false) == 2);
}

TEST_WITH(start, NULL, names_what_cannot_be_opened)
{
    static char longest[5000];
    void *bytes;
    size_t size;

    CHECK_REFUSED(lct_read_file(&bytes, &size, "no/such/file", 10),
                  LOCANT_ERR_IO,
                  "no/such/file: cannot be opened: No such file or directory");
    CHECK_REFUSED(put("no/such/file", "x"), LOCANT_ERR_IO,
                  "no/such/file: cannot be created: No such file or directory");
    memset(longest, 'n', sizeof longest - 1);
    CHECK(put(longest, "x") == LOCANT_ERR_IO);
    CHECK(strstr(locant_last_error(), "n: cannot be created: ") != NULL);
}

TEST_WITH(start, NULL, reads_at_most_the_limit)
{
    const char *path = scratch_file(&dir, "a");
    void *bytes = NULL;
    size_t size;

    CHECK_OK(put(path, "12345"));
    CHECK(lct_read_file(&bytes, &size, path, 4) == LOCANT_ERR_FORMAT);
    CHECK(strstr(locant_last_error(), "/a: has 5 bytes, at most 4 are read"));
    CHECK(bytes == NULL);
    CHECK_OK(lct_read_file(&bytes, &size, path, 5));
    locant_release(bytes);
}

TEST_WITH(start, NULL, reports_errors_of_reading)
{
    const char *path = scratch_file(&dir, "a");
    void *bytes = NULL;
    size_t size;

    CHECK_OK(put(path, "12345"));
    fault.few = 2;
    fault.at[PREAD] = 2;
    fault.error = EIO;
    CHECK(lct_read_file(&bytes, &size, path, 10) == LOCANT_ERR_IO);
    CHECK(strstr(locant_last_error(), "/a: cannot be read: Input/output"));
    CHECK(bytes == NULL);
}

/* A link stays a link, and a file keeps its permissions. */
TEST_WITH(start, NULL, keeps_links_and_permissions)
{
    const char *path = scratch_file(&dir, "real");
    struct stat st;

    CHECK_OK(put(path, "old"));
    CHECK(chmod(path, 0640) == 0);
    CHECK(symlink("real", scratch_file(&dir, "link")) == 0);
    CHECK_OK(put(scratch_file(&dir, "link"), "new"));
    holds(path, "new");
    CHECK(lstat(scratch_file(&dir, "link"), &st) == 0 && S_ISLNK(st.st_mode));
    CHECK(stat(path, &st) == 0 && (st.st_mode & 0777) == 0640);
    CHECK(entries(false) == 2);
}

/* A link to a file that is not there yet: the file is made, the link stays. */
TEST_WITH(start, NULL, creates_what_a_link_leads_to)
{
    struct stat st;

    CHECK(symlink("second", scratch_file(&dir, "first")) == 0);
    CHECK(symlink("./real", scratch_file(&dir, "second")) == 0);
    CHECK_OK(put(scratch_file(&dir, "first"), "new"));
    holds(scratch_file(&dir, "real"), "new");
    CHECK(lstat(scratch_file(&dir, "real"), &st) == 0 && S_ISREG(st.st_mode));
    CHECK(lstat(scratch_file(&dir, "first"), &st) == 0 && S_ISLNK(st.st_mode));
    CHECK(lstat(scratch_file(&dir, "second"), &st) == 0 && S_ISLNK(st.st_mode));
    CHECK(entries(false) == 3);
}

TEST_WITH(start, NULL, refuses_links_that_lead_nowhere)
{
    static const struct {
        const char *link, *sentence;
    } cases[] = {
        { "a", "/a: cannot be created: Too many levels of symbolic links" },
        { "no/such", "/a: cannot be created: No such file or directory" },
        { "/dev/full", "/a: is a device, a regular file is needed" },
    };

    for (size_t i = 0; i < LEN(cases); i++) {
        const char *path = scratch_file(&dir, "a"), *end;
        struct stat st;

        CHECK(symlink(cases[i].link, path) == 0);
        CHECK(put(path, "new") == LOCANT_ERR_IO);
        end = strstr(locant_last_error(), "/a: ");
        if (end == NULL || strcmp(end, cases[i].sentence) != 0)
            FAIL("%s\n", locant_last_error());
        CHECK(lstat(path, &st) == 0 && S_ISLNK(st.st_mode));
        CHECK(entries(true) == 1);
    }
}

TEST_WITH(start, NULL, reports_missing_memory)
{
    const char *path = scratch_file(&dir, "a");
    void *bytes = NULL;
    size_t size;

    CHECK_OK(put(path, "12345"));
    test_memory_fail_from(1);
    CHECK(lct_read_file(&bytes, &size, path, 10) == LOCANT_ERR_NOMEM);
    test_memory_end();
    CHECK(strstr(locant_last_error(), "/a: no memory for 5 bytes of it"));
    CHECK(bytes == NULL);
}

TEST_GROUP(make_dir, remove_dir)
