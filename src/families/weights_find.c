/* weights_find.c - see weights_find.h */
#define _GNU_SOURCE
#include "weights_find.h"
#include "../core/text.h"
#include "../files/gguf.h"
#include "../files/io.h"
#include "../files/path.h"
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

/* The first that is there is taken, as transformers does. */
static const struct {
    const char *name;
    enum lct_weights_kind kind;
} names[] = {
    { "model.safetensors", LCT_WEIGHTS_SINGLE },
    { "model.safetensors.index.json", LCT_WEIGHTS_INDEX },
    { "consolidated.safetensors", LCT_WEIGHTS_SINGLE },
    { "consolidated.safetensors.index.json", LCT_WEIGHTS_INDEX },
    { "adapter_model.safetensors", LCT_WEIGHTS_SINGLE },
    { "model.gguf", LCT_WEIGHTS_GGUF },
};

/* Files of other formats, which are named when there is nothing to read. */
static const char *const others[] = {
    "pytorch_model.bin", "pytorch_model.bin.index.json", "consolidated.00.pth",
    "tf_model.h5",       "flax_model.msgpack",
};

/* folder/name, in memory of its own. */
static locant_status join(char **out, const char *folder, const char *name)
{
    const size_t n = strlen(folder), m = strlen(name);
    const size_t slash = n > 0 && m > 0 && folder[n - 1] != '/';

    *out = locant_alloc(n + slash + m + 1);
    if (*out == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "%s: no memory to open it",
                           lct_path_tail(folder));
    memcpy(*out, folder, n);
    if (slash)
        (*out)[n] = '/';
    memcpy(*out + n + slash, name, m + 1);
    return LOCANT_OK;
}

/* Is there a file of that name?  *path is then its path. */
static locant_status look(char **path, const char *folder, const char *name)
{
    struct stat st;

    LCT_TRY(join(path, folder, name));
    if (stat(*path, &st) == 0)
        return LOCANT_OK;
    locant_release(*path);
    *path = NULL;
    return LOCANT_OK;
}

static locant_status nothing(const char *folder)
{
    char *path = NULL;

    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        LCT_TRY(look(&path, folder, others[i]));
        if (path == NULL)
            continue;
        locant_release(path);
        return locant_fail(LOCANT_ERR_UNSUPPORTED,
                           "%s: has its weights in %s; save them as "
                           "model.safetensors first",
                           lct_path_tail(folder), others[i]);
    }
    return locant_fail(LOCANT_ERR_IO,
                       "%s: has no weights, model.safetensors or "
                       "model.safetensors.index.json expected",
                       lct_path_tail(folder));
}

static locant_status find_in_folder(char **out, enum lct_weights_kind *kind,
                                    const char *folder)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        LCT_TRY(look(out, folder, names[i].name));
        *kind = names[i].kind;
        if (*out != NULL)
            return LOCANT_OK;
    }
    return nothing(folder);
}

static locant_status kind_of_file(enum lct_weights_kind *kind, const char *path)
{
    bool gguf;

    *kind = LCT_WEIGHTS_INDEX;
    if (lct_ends_with(path, ".index.json"))
        return LOCANT_OK;
    if (lct_ends_with(path, ".json"))
        return locant_fail(LOCANT_ERR_FORMAT,
                           "%s: has no weights; name its folder",
                           lct_path_tail(path));
    LCT_TRY(lct_gguf_is_file(&gguf, path));
    *kind = gguf ? LCT_WEIGHTS_GGUF : LCT_WEIGHTS_SINGLE;
    return LOCANT_OK;
}

locant_status lct_weights_find_file(char **out, enum lct_weights_kind *kind,
                                    const char *path)
{
    struct stat st;

    *out = NULL;
    if (stat(path, &st) != 0)
        return lct_io_error(path, "cannot be opened", errno);
    if (S_ISDIR(st.st_mode))
        return find_in_folder(out, kind, path);
    LCT_TRY(kind_of_file(kind, path));
    return join(out, path, "");
}
