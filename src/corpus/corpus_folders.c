/*
 * corpus_folders.c - the folders that the headers of a corpus came from,
 * largest first. If two machines get different losses, their folders show how
 * the texts differ.
 */
#include "corpus.h"
#include <stdlib.h>
#include <string.h>

/*
 * Length of the folder name in a path: it ends with the folder below "include"
 * ("/usr/include/linux" of "/usr/include/linux/can/raw.h"), or with "include"
 * if the file lies directly in it.
 */
static size_t folder_length(const char *path)
{
    static const char include[] = "/include/";
    const char *found = strstr(path, include), *last = strrchr(path, '/');
    const char *below = found ? found + sizeof include - 1 : path;
    const char *slash = strchr(below, '/');

    if (slash != NULL)
        return (size_t)(slash - path);
    return last ? (size_t)(last - path) : 0;
}

locant_status lct_folders_add(struct lct_folders *f, const char *path,
                              size_t bytes)
{
    struct lct_folder own = { .bytes = bytes };
    size_t size = folder_length(path);
    void *at = f->at;

    memcpy(own.name, path, size < sizeof own.name ? size : sizeof own.name - 1);
    for (size_t i = 0; i < f->n; i++)
        if (strcmp(f->at[i].name, own.name) == 0) {
            f->at[i].bytes += bytes;
            return LOCANT_OK;
        }
    if (!lct_reserve(&at, &f->room, f->n, 1, sizeof own))
        return locant_fail(LOCANT_ERR_NOMEM, "locant_corpus_create: no memory "
                                             "for the list of folders");
    f->at = at;
    f->at[f->n++] = own;
    return LOCANT_OK;
}

static int by_size(const void *a, const void *b)
{
    const struct lct_folder *x = a, *y = b;

    return x->bytes != y->bytes ? (x->bytes < y->bytes) - (x->bytes > y->bytes)
                                : strcmp(x->name, y->name);
}

void lct_folders_keep(locant_corpus *c, struct lct_folders *f)
{
    if (f->n > 0)
        qsort(f->at, f->n, sizeof *f->at, by_size);
    c->n_folders = f->n < LCT_FOLDERS ? f->n : LCT_FOLDERS;
    for (size_t i = 0; i < c->n_folders; i++)
        c->folders[i] = f->at[i];
}

size_t lct_corpus_folders(struct lct_folder out[LCT_FOLDERS],
                          const locant_corpus *corpus)
{
    memcpy(out, corpus->folders, sizeof corpus->folders);
    return corpus->n_folders;
}
