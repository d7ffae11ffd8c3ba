/* convert_others.c - the files beside the weights that a conversion copies */
#define _GNU_SOURCE
#include "convert.h"
#include "../core/text.h"
#include "../files/io.h"
#include "../files/path.h"
#include "convert_path.h"
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum {
    FILE_MAX = 256 << 20, /* bytes of a file that is copied */
    CONFIG_MAX = 64 << 20
};

/* Weights, in one format or another. */
static const char weights[] =
    ".safetensors .safetensors.index.json .bin .bin.index.json .pt .pth .gguf "
    ".h5 .msgpack .onnx .npz .ckpt";

/* ------------------------------------------------------------- config.json */

/* Where the value of a key of a JSON text begins; NULL: the key is absent. */
static const char *find_value(const char *text, const char *key)
{
    const char *at = strstr(text, key);

    if (at == NULL)
        return NULL;
    at += strlen(key);
    at += strspn(at, " \t\r\n");
    if (*at != ':')
        return NULL;
    return at + 1 + strspn(at + 1, " \t\r\n");
}

/* Write the text with 'put' in place of 'n' bytes at 'at'. */
static locant_status write_changed(struct lct_convert *c, const char *name,
                                   const char *text, const char *at, size_t n,
                                   const char *put)
{
    LCT_TRY(lct_output_file(&c->output, name));
    LCT_TRY(lct_output_write(&c->output, text, (size_t)(at - text)));
    LCT_TRY(lct_output_write(&c->output, put, strlen(put)));
    return lct_output_write(&c->output, at + n, strlen(at + n));
}

/*
 * rope_interleave says the pairing of DeepSeek's weights to transformers; an
 * absent one is true.  The rest of the text is kept as it is.
 */
static locant_status write_config(struct lct_convert *c, const char *name,
                                  const char *path, const char *text)
{
    static const char type[] = "\"deepseek_v3\"";
    const char *value = find_value(text, "\"rope_interleave\"");
    const char *place = strstr(text, type);

    if (value != NULL &&
        (strncmp(value, "true", 4) == 0 || strncmp(value, "false", 5) == 0))
        return write_changed(c, name, text, value, *value == 't' ? 4 : 5,
                             c->to ? "true" : "false");
    if (place != NULL && strcmp(c->config.model_type, "deepseek_v3") == 0)
        return write_changed(c, name, text, place + strlen(type), 0,
                             c->to ? ", \"rope_interleave\": true"
                                   : ", \"rope_interleave\": false");
    return lct_output_copy(&c->output, name, path);
}

static locant_status copy_config(struct lct_convert *c, const char *name,
                                 const char *path)
{
    locant_status status;
    size_t size;
    void *text;

    LCT_TRY(lct_read_file(&text, &size, path, CONFIG_MAX));
    status = strlen(text) == size ? write_config(c, name, path, text)
                                  : lct_output_copy(&c->output, name, path);
    locant_release(text);
    return status;
}

/* -------------------------------------------------------------- the folder */

/* Is the file one that is copied as it is, or config.json? */
static bool is_copied(const char *name, const char *path)
{
    struct stat st;
    char end[32];

    if (name[0] == '.' || stat(path, &st) != 0 || !S_ISREG(st.st_mode) ||
        st.st_size > FILE_MAX)
        return false;
    for (const char *at = weights; lct_next_word(end, sizeof end, &at);)
        if (lct_ends_with(name, end))
            return false;
    return true;
}

static locant_status copy_other(struct lct_convert *c, const char *name)
{
    const bool config =
        strcmp(name, "config.json") == 0 || strcmp(name, "params.json") == 0;
    char *path = lct_convert_path(c->folder, name);
    locant_status status = LOCANT_OK;

    if (path == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "%s: no memory to copy it", name);
    /* A GGUF holds the configuration: another one beside it would contradict
       its pairing, and that of safetensors made of it is written anew. */
    if (is_copied(name, path) && !(config && (c->gguf_in || c->gguf_out)))
        status = config ? copy_config(c, name, path)
                        : lct_output_copy(&c->output, name, path);
    locant_release(path);
    return status;
}

static int order(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

locant_status lct_convert_write_others(struct lct_convert *c)
{
    locant_status status = LOCANT_OK;
    struct dirent **names = NULL;
    const int n = scandir(c->folder, &names, NULL, order);

    if (n < 0)
        return lct_io_error(c->folder, "cannot be read", errno);
    for (int i = 0; i < n; i++) {
        if (status == LOCANT_OK)
            status = copy_other(c, names[i]->d_name);
        free(names[i]);
    }
    free(names);
    return status;
}
