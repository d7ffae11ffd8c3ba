/* arrays.c - read, make and write arrays. */
#define _GNU_SOURCE
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"

int cli_read(locant_tensor *out, const char *option, const char *path)
{
    locant_array array;
    const locant_status s = locant_npy_read(&array, path);

    if (s != LOCANT_OK && option != NULL)
        return cli_fail(CLI_INPUT, "--%s: %s", option, locant_last_error());
    CLI_TRY(cli_status_input(s));
    *out = array.tensor;
    return cli_at_end(locant_release, array.memory);
}

/* Write names such as "i64 or f64" of a set of dtypes. */
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

int cli_read_as(locant_tensor *out, const char *option, const char *path,
                unsigned dtypes)
{
    char list[64] = "";

    CLI_TRY(cli_read(out, option, path));
    if (dtypes & CLI_DTYPE(out->dtype))
        return CLI_OK;
    list_dtypes(list, sizeof list, dtypes);
    return cli_fail(CLI_INPUT, "--%s: %s: has dtype %s, expected %s", option,
                    path, locant_dtype_name(out->dtype), list);
}

/* Bytes of the array; SIZE_MAX if the number does not fit. */
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

int cli_new(locant_tensor *out, locant_dtype dtype, int rank,
            const int64_t *shape)
{
    const double bytes = (double)count_bytes(dtype, rank, shape);
    void *memory;

    *out = locant_dense(NULL, dtype, rank, shape);
    /* Linux grants more memory than there is, and kills the process later. */
    if (bytes > cli_memory())
        return cli_refuse("an array %s of %s would take %.3g GiB; this machine "
                          "has %.3g GiB",
                          cli_shape_text(out), locant_dtype_name(dtype),
                          bytes / 0x1p30, cli_memory() / 0x1p30);
    memory = locant_alloc((size_t)bytes);
    if (memory == NULL && bytes > 0)
        return cli_fail(CLI_INPUT, "no memory for an array %s of %s",
                        cli_shape_text(out), locant_dtype_name(dtype));
    out->data = memory;
    return cli_at_end(locant_release, memory);
}

size_t cli_elements(const locant_tensor *t)
{
    size_t n = 1;

    for (int i = 0; i < t->rank; i++)
        n *= (size_t)t->shape[i];
    return n;
}

double cli_value(const locant_tensor *t, int64_t i)
{
    switch (t->dtype) {
    case LOCANT_I64: return (double)((const int64_t *)t->data)[i];
    case LOCANT_I32: return ((const int32_t *)t->data)[i];
    case LOCANT_F32: return (double)((const float *)t->data)[i];
    default: return ((const double *)t->data)[i];
    }
}

int64_t cli_not_finite(const locant_tensor *t)
{
    const int64_t n = (int64_t)cli_elements(t);

    for (int64_t i = 0; i < n; i++)
        if (!isfinite(cli_value(t, i)))
            return i;
    return -1;
}

int cli_range(locant_tensor *out, int64_t first, int64_t n)
{
    int64_t last;

    if (__builtin_add_overflow(first, n, &last))
        return cli_refuse("--offset %lld: %lld positions from there exceed "
                          "2^63",
                          (long long)first, (long long)n);
    CLI_TRY(cli_new(out, LOCANT_I64, 1, &n));
    for (int64_t i = 0; i < n; i++)
        ((int64_t *)out->data)[i] = first + i;
    return CLI_OK;
}

/* -------------------------------------------------------------- positions */

int cli_read_positions(locant_tensor *out, const char *path)
{
    int64_t i;

    CLI_TRY(cli_read_as(out, "positions", path,
                        CLI_DTYPE(LOCANT_I64) | CLI_DTYPE(LOCANT_F64)));
    if (out->rank != 1 && !(out->rank == 2 && out->dtype == LOCANT_F64))
        return cli_fail(CLI_INPUT,
                        "--positions: %s: has shape %s, expected [T], or f64 "
                        "[T, axes]",
                        path, cli_shape_text(out));
    i = cli_not_finite(out);
    if (i >= 0)
        return cli_fail(CLI_INPUT,
                        "--positions: %s: position %lld is %g, expected a "
                        "finite number",
                        path, (long long)i, cli_value(out, i));
    return CLI_OK;
}

/* ------------------------------------------------------------------ output */

/* Check that the folder of 'path' is writable. */
static int check_parent(const char *path)
{
    const char *slash = strrchr(path, '/');
    const size_t n = slash ? (size_t)(slash - path) + (slash == path) : 1;
    const char *folder = cli_text("%.*s", (int)n, slash ? path : ".");
    struct stat st;

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

    if (stat(path, &st) == 0 && !S_ISREG(st.st_mode))
        return cli_fail(CLI_INPUT, "%s: is a %s, expected a file", path,
                        S_ISDIR(st.st_mode) ? "folder" : "device or a pipe");
    return check_parent(path);
}

int cli_check_folder(const char *path)
{
    struct stat st;
    size_t n = strlen(path);

    while (n > 1 && path[n - 1] == '/')
        n--;
    if (stat(path, &st) != 0)
        return check_parent(cli_text("%.*s", (int)n, path));
    if (!S_ISDIR(st.st_mode))
        return cli_fail(CLI_INPUT, "%s: is a file, expected a folder", path);
    return CLI_OK;
}

int cli_write(const struct cli *cli, const char *path, const locant_tensor *t)
{
    const struct cli_output one = { path, t };

    return cli_write_all(cli, &one, 1);
}

static json_t *describe(const struct cli_output *o)
{
    return json_pack("{s:s, s:s, s:o}", "output", o->path, "dtype",
                     locant_dtype_name(o->tensor->dtype), "shape",
                     cli_shape(o->tensor));
}

int cli_write_all(const struct cli *cli, const struct cli_output *list,
                  size_t n)
{
    struct cli_json_rows rows = { 0 };

    for (size_t i = 0; n > 1 && i < n; i++)
        CLI_TRY(cli_check_output(list[i].path));
    for (size_t i = 0; i < n; i++)
        CLI_TRY(
            cli_status_input(locant_npy_write(list[i].path, list[i].tensor)));
    if (cli->json && n == 1)
        return cli_json(describe(list));
    for (size_t i = 0; i < n; i++) {
        const locant_tensor *t = list[i].tensor;

        if (cli->json)
            cli_json_add(&rows, describe(&list[i]));
        else
            fprintf(stderr, "wrote %s: %s %s\n", cli_safe(list[i].path),
                    locant_dtype_name(t->dtype), cli_shape_text(t));
    }
    return cli->json ? cli_json_print(&rows, CLI_OK) : CLI_OK;
}

int cli_report_file(const struct cli *cli, const char *path)
{
    if (cli->json)
        return cli_json(json_pack("{s:s}", "output", path));
    fprintf(stderr, "wrote %s\n", cli_safe(path));
    return CLI_OK;
}
