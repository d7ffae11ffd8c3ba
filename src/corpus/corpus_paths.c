/*
 * corpus_paths.c - the paths of a corpus as JSON, so that it can be made again.
 *
 * Paths are made absolute, but symbolic links are not resolved: the hash of a
 * text depends on names below the given folders, not on where the folders are.
 */
#define _GNU_SOURCE
#include "../core/text.h"
#include "corpus.h"
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Append a path, made absolute. Set *good to false if it is not UTF-8, or if
   there is no current folder. */
static locant_status append(bool *good, json_t *list, const char *path)
{
    char *here = *path == '/' ? strdup("") : getcwd(NULL, 0), *joined = NULL;

    if (here != NULL)
        joined = locant_alloc(strlen(here) + strlen(path) + 2);
    if (here != NULL && joined == NULL) {
        free(here);
        return locant_fail(LOCANT_ERR_NOMEM, "no memory for the path %s", path);
    }
    if (joined != NULL)
        stpcpy(stpcpy(stpcpy(joined, here), *path == '/' ? "" : "/"), path);
    *good =
        joined != NULL && json_array_append_new(list, json_string(joined)) == 0;
    free(here);
    locant_release(joined);
    return LOCANT_OK;
}

locant_status lct_recipe_paths(char **out, const locant_corpus_options *o)
{
    size_t n = o->kind == LOCANT_CORPUS_FILES ? o->n_paths : 0;
    json_t *list = json_array();
    locant_status status = LOCANT_OK;
    bool good = list != NULL;
    char *text = NULL;

    *out = NULL;
    for (size_t i = 0; i < n && good && status == LOCANT_OK; i++)
        status = append(&good, list, o->paths[i]);
    if (good && status == LOCANT_OK)
        text = json_dumps(list, JSON_COMPACT);
    if (text != NULL && (*out = lct_copy_text(text, strlen(text))) == NULL)
        status = locant_fail(LOCANT_ERR_NOMEM, "no memory for the list of "
                                               "paths");
    free(text);
    json_decref(list);
    return status;
}
