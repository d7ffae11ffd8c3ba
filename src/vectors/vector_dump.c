/* vector_dump.c - the tensors of another implementation */
#define _POSIX_C_SOURCE 200809L
#include "vector_dump.h"
#include "../files/io.h"
#include "oracle/case.h"
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { PATH_ROOM = 4096 };

static int is_safetensors(const struct dirent *entry)
{
    static const char suffix[] = ".safetensors";
    size_t n = strlen(entry->d_name), m = sizeof suffix - 1;

    return n > m && strcmp(entry->d_name + n - m, suffix) == 0;
}

static locant_status join(char path[PATH_ROOM], const char *folder,
                          const char *name, const char *suffix)
{
    int n = snprintf(path, PATH_ROOM, "%s/%s%s", folder, name, suffix);

    return n < PATH_ROOM
               ? LOCANT_OK
               : locant_fail(LOCANT_ERR_IO, "%.100s..: the path is too long",
                             folder);
}

static locant_status open_file(struct lct_vector_dump *d, const char *path)
{
    if (d->n_files == LCT_VECTOR_FILES)
        return locant_fail(LOCANT_ERR_UNSUPPORTED,
                           "%.200s: more than %d safetensors files", d->path,
                           LCT_VECTOR_FILES);
    LCT_TRY(locant_tensors_read(&d->file[d->n_files], path));
    d->n_files++;
    return LOCANT_OK;
}

static locant_status open_folder(struct lct_vector_dump *d)
{
    struct dirent **entries;
    int n = scandir(d->path, &entries, is_safetensors, alphasort);
    locant_status s = LOCANT_OK;

    if (n < 0)
        return lct_io_error(d->path, "cannot be read", errno);
    for (int i = 0; i < n; i++) {
        char path[PATH_ROOM];

        if (s == LOCANT_OK)
            s = join(path, d->path, entries[i]->d_name, "");
        if (s == LOCANT_OK)
            s = open_file(d, path);
        free(entries[i]);
    }
    free(entries);
    return s;
}

locant_status lct_vector_dump_open(struct lct_vector_dump *out,
                                   const char *path)
{
    struct stat st;
    locant_status s;

    memset(out, 0, sizeof *out);
    out->path = path;
    if (stat(path, &st) != 0)
        return lct_io_error(path, "cannot be read", errno);
    out->is_folder = S_ISDIR(st.st_mode);
    s = out->is_folder ? open_folder(out) : open_file(out, path);
    if (s != LOCANT_OK)
        lct_vector_dump_close(out);
    return s;
}

void lct_vector_dump_close(struct lct_vector_dump *d)
{
    for (size_t i = 0; i < d->n_files; i++)
        locant_tensors_free(d->file[i]);
    locant_array_free(&d->array);
    memset(d, 0, sizeof *d);
}

locant_status lct_vector_dump_find(const locant_tensor **out,
                                   struct lct_vector_dump *d, const char *name)
{
    char path[PATH_ROOM];
    struct stat st;

    *out = NULL;
    for (size_t i = 0; i < d->n_files && *out == NULL; i++)
        *out = locant_tensors_find(d->file[i], name);
    if (*out != NULL || !d->is_folder)
        return LOCANT_OK;
    LCT_TRY(join(path, d->path, name, ".npy"));
    if (stat(path, &st) != 0)
        return LOCANT_OK;
    locant_array_free(&d->array);
    memset(&d->array, 0, sizeof d->array);
    LCT_TRY(locant_npy_read(&d->array, path));
    *out = &d->array.tensor;
    return LOCANT_OK;
}

const char *lct_vector_dump_name(const struct lct_vector_dump *d, size_t i)
{
    const char *name;

    for (size_t f = 0; f < d->n_files; f++)
        for (size_t k = 0; locant_tensors_at(d->file[f], k, &name); k++)
            if (i-- == 0)
                return name;
    return NULL;
}

double lct_vector_dump_value(const locant_tensor *t, size_t i)
{
    switch (t->dtype) {
    case LOCANT_I32: return ((const int32_t *)t->data)[i];
    case LOCANT_I64: return (double)((const int64_t *)t->data)[i];
    case LOCANT_U8: return ((const uint8_t *)t->data)[i];
    default: return oracle_get(t, i);
    }
}
