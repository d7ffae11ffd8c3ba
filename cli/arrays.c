/* arrays.c - read, make and write arrays. */
#define _GNU_SOURCE
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"

int cli_read(locant_array *out, const char *option, const char *path)
{
    locant_status s;

    memset(out, 0, sizeof *out);
    s = locant_npy_read(out, path);
    if (s == LOCANT_OK)
        return CLI_OK;
    return cli_fail(CLI_INPUT, "--%s: %s", option, locant_last_error());
}

/* "i64 or f64" */
static void list_dtypes(char *out, size_t size, unsigned dtypes)
{
    size_t n = 0;

    for (int d = 0; dtypes != 0 && n < size; d++, dtypes >>= 1) {
        if (dtypes & 1)
            n += (size_t)snprintf(out + n, size - n, "%s%s",
                                  n == 0        ? ""
                                  : dtypes == 1 ? " or "
                                                : ", ",
                                  locant_dtype_name((locant_dtype)d));
    }
}

int cli_read_as(locant_array *out, const char *option, const char *path,
                unsigned dtypes)
{
    int failed = cli_read(out, option, path);
    char list[64] = "";

    if (failed || dtypes & CLI_IS(out->tensor.dtype))
        return failed;
    list_dtypes(list, sizeof list, dtypes);
    return cli_fail(CLI_INPUT, "--%s: %s: has dtype %s, expected %s", option,
                    path, locant_dtype_name(out->tensor.dtype), list);
}

/* Bytes of the array, or SIZE_MAX when they cannot be counted. */
static size_t count_bytes(locant_dtype dtype, int rank, const int64_t *shape)
{
    size_t bytes = locant_dtype_size(dtype);

    for (int i = 0; i < rank; i++) {
        if (__builtin_mul_overflow(bytes, (size_t)shape[i], &bytes))
            return SIZE_MAX;
    }
    return bytes;
}

double cli_memory(void)
{
    return (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
}

int cli_new(locant_array *out, locant_dtype dtype, int rank,
            const int64_t *shape)
{
    double bytes = (double)count_bytes(dtype, rank, shape);
    char text[160];
    locant_tensor t = locant_dense(NULL, dtype, rank, shape);

    memset(out, 0, sizeof *out);
    cli_shape_text(text, sizeof text, &t);
    /* Linux would allocate it now, and kill a process when it is used. */
    if (bytes > cli_memory())
        return cli_fail(CLI_USAGE,
                        "an array %s of %s would take %.3g GiB; "
                        "this machine has %.3g GiB",
                        text, locant_dtype_name(dtype), bytes / 0x1p30,
                        cli_memory() / 0x1p30);
    out->memory = locant_alloc((size_t)bytes);
    if (out->memory == NULL && bytes > 0)
        return cli_fail(CLI_INPUT, "no memory for an array %s of %s", text,
                        locant_dtype_name(dtype));
    out->tensor = locant_dense(out->memory, dtype, rank, shape);
    return CLI_OK;
}

void cli_free(locant_array *array)
{
    locant_release(array->memory);
    memset(array, 0, sizeof *array);
}

size_t cli_elements(const locant_tensor *t)
{
    size_t n = 1;

    for (int i = 0; i < t->rank; i++)
        n *= (size_t)t->shape[i];
    return n;
}

int cli_count(locant_array *out, int64_t first, int64_t n)
{
    int64_t last;
    int64_t *positions;
    int failed;

    memset(out, 0, sizeof *out);
    if (__builtin_add_overflow(first, n, &last))
        return cli_fail(CLI_USAGE,
                        "--offset %lld: %lld positions from there "
                        "exceed 2^63",
                        (long long)first, (long long)n);
    failed = cli_new(out, LOCANT_I64, 1, &n);
    if (failed)
        return failed;
    positions = out->memory;
    for (int64_t i = 0; i < n; i++)
        positions[i] = first + i;
    return CLI_OK;
}

/* -------------------------------------------------------------- positions */

static int check_finite(const char *path, const locant_tensor *t)
{
    const double *p = t->data;

    for (int64_t i = 0; i < t->shape[0]; i++) {
        if (!isfinite(p[i]))
            return cli_fail(CLI_INPUT,
                            "--positions: %s: position %lld is %g, "
                            "expected a finite number",
                            path, (long long)i, p[i]);
    }
    return CLI_OK;
}

int cli_read_positions(locant_array *out, const char *path)
{
    const locant_tensor *t = &out->tensor;
    char shape[160];
    int failed = cli_read_as(out, "positions", path,
                             CLI_IS(LOCANT_I64) | CLI_IS(LOCANT_F64));

    if (failed)
        return failed;
    cli_shape_text(shape, sizeof shape, t);
    if (t->rank != 1 && !(t->rank == 2 && t->dtype == LOCANT_F64))
        return cli_fail(CLI_INPUT,
                        "--positions: %s: has shape %s, expected "
                        "[T], or f64 [T, axes]",
                        path, shape);
    return t->dtype == LOCANT_F64 ? check_finite(path, t) : CLI_OK;
}

/* ------------------------------------------------------------------ output */

/* Checks that a file can be made at 'path': its folder is writable. */
static int check_parent(const char *path)
{
    char folder[4096];
    const char *slash = strrchr(path, '/');
    struct stat st;

    snprintf(folder, sizeof folder, "%.*s",
             slash ? (int)(slash - path) + (slash == path) : 1,
             slash ? path : ".");
    if (stat(folder, &st) != 0 || access(folder, W_OK | X_OK) != 0)
        return cli_fail(CLI_INPUT, "%s: its folder %s: %s", path, folder,
                        strerror(errno));
    if (!S_ISDIR(st.st_mode))
        return cli_fail(CLI_INPUT, "%s: %s is not a folder", path, folder);
    return CLI_OK;
}

int cli_check_output(const char *path)
{
    struct stat st;

    if (stat(path, &st) != 0)
        return check_parent(path);
    if (S_ISDIR(st.st_mode))
        return cli_fail(CLI_INPUT, "%s: is a folder, expected a file", path);
    if (!S_ISREG(st.st_mode))
        return cli_fail(CLI_INPUT,
                        "%s: is a device or a pipe, expected a "
                        "file",
                        path);
    return check_parent(path);
}

int cli_check_folder(const char *path)
{
    struct stat st;
    char bare[4096];
    size_t n = strlen(path);

    while (n > 1 && path[n - 1] == '/')
        n--;
    snprintf(bare, sizeof bare, "%.*s", (int)n, path);
    if (stat(path, &st) != 0)
        return check_parent(bare);
    if (!S_ISDIR(st.st_mode))
        return cli_fail(CLI_INPUT, "%s: is a file, expected a folder", path);
    return CLI_OK;
}

int cli_write(const struct cli *cli, const char *path, const locant_tensor *t)
{
    locant_status s = locant_npy_write(path, t);
    char shape[160];

    if (s != LOCANT_OK)
        return cli_error_input(s);
    if (cli->json)
        return cli_json(json_pack("{s:s, s:s, s:o}", "output", path, "dtype",
                                  locant_dtype_name(t->dtype), "shape",
                                  cli_shape(t)));
    cli_shape_text(shape, sizeof shape, t);
    fprintf(stderr, "wrote %s: %s %s\n", cli_safe(path),
            locant_dtype_name(t->dtype), shape);
    return CLI_OK;
}
