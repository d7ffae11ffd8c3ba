/* scratch.h - a folder for one test, removed afterwards */
#ifndef SCRATCH_H
#define SCRATCH_H
#include "testing.h"
#include <ftw.h>
#include <limits.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

struct scratch {
    char path[PATH_MAX / 2];
};

static inline struct scratch scratch_make(void)
{
    const char *base = getenv("TMPDIR");
    struct scratch s;

    snprintf(s.path, sizeof s.path, "%s/locant-test-XXXXXX", base ? base : ".");
    assert_non_null(mkdtemp(s.path));
    return s;
}

/*
 * Permissions do not bind root: give up, in this process, the right to ignore
 * them.  Becoming another user does not work, since only root may be allowed to
 * enter the folder of the build.  Returns 0 if permissions bind from here on.
 */
static inline int scratch_obey_permissions(void)
{
    struct __user_cap_header_struct header = {
        .version = _LINUX_CAPABILITY_VERSION_3
    };
    struct __user_cap_data_struct data[2];
    const unsigned rights = 1u << CAP_DAC_OVERRIDE | 1u << CAP_DAC_READ_SEARCH;

    if (geteuid() != 0)
        return 0;
    if (syscall(SYS_capget, &header, data) != 0)
        return -1;
    data[0].effective &= ~rights;
    data[0].permitted &= ~rights;
    return (int)syscall(SYS_capset, &header, data);
}

/* path/name; the text lives until the fourth call after. */
static inline const char *scratch_file(const struct scratch *s,
                                       const char *name)
{
    static char text[4][PATH_MAX];
    static int next;

    next = (next + 1) % 4;
    snprintf(text[next], sizeof text[next], "%s/%s", s->path, name);
    return text[next];
}

static inline int scratch_unlink(const char *path, const struct stat *st,
                                 int kind, struct FTW *ftw)
{
    (void)st;
    (void)kind;
    (void)ftw;
    return remove(path);
}

static inline void scratch_remove(const struct scratch *s)
{
    assert_int_equal(nftw(s->path, scratch_unlink, 16, FTW_DEPTH | FTW_PHYS),
                     0);
}

/* The bytes of a file, in memory of malloc(). */
static inline char *scratch_read(const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    char *bytes;

    assert_non_null(f);
    assert_int_equal(fseek(f, 0, SEEK_END), 0);
    *size = (size_t)ftell(f);
    rewind(f);
    bytes = malloc(*size + 1);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, *size, f), *size);
    fclose(f);
    return bytes;
}

static inline void scratch_write(const char *path, const void *bytes,
                                 size_t size)
{
    FILE *f = fopen(path, "wb");

    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, size, f), size);
    assert_int_equal(fclose(f), 0);
}
#endif
