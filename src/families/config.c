/* config.c - see config.h; config_gguf.c reads the keys of GGUF */
#define _GNU_SOURCE
#include "config.h"
#include "../files/document.h"
#include "../files/io.h"
#include "../files/path.h"
#include "config_gguf.h"
#include "pairing.h"
#include "weights.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* Quantisation settings may list thousands of modules; a layer map is one
   array.  A tree of so many empty objects takes 20 MB. */
enum { CONTAINERS = 100000 };

/* --------------------------------------------------------------- the text */

/* Where multimodal files keep the configuration of their text part. */
static const char *const nests[][2] = {
    { "text_config", NULL },
    { "llm_config", NULL },
    { "language_config", NULL },
    { "thinker_config", "text_config" },
};

static const json_t *find_text(const json_t *root)
{
    for (size_t i = 0; i < sizeof nests / sizeof *nests; i++) {
        const json_t *nest = json_object_get(root, nests[i][0]);

        if (nests[i][1])
            nest = json_object_get(nest, nests[i][1]);
        if (json_is_object(nest))
            return nest;
    }
    return root;
}

static bool has(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);

    return value != NULL && !json_is_null(value);
}

/* The model of a params.json; NULL if the object is none. */
static const char *params_model(enum lct_dialect *dialect, const json_t *root)
{
    if (!has(root, "dim") || !has(root, "n_layers") || !has(root, "n_heads"))
        return NULL;
    *dialect = has(root, "hidden_dim") || has(root, "head_dim")
                   ? LCT_DIALECT_MISTRAL
                   : LCT_DIALECT_META;
    if (*dialect == LCT_DIALECT_META)
        return "llama";
    return has(root, "moe") ? "mixtral" : "mistral";
}

static locant_status find_model(struct lct_config *c)
{
    static const char key[] = "model_type";
    enum lct_found found = lct_config_text(&c->model_type, c->text, key);
    const char *params = NULL;
    char shown[LCT_CONFIG_SHOWN];

    if (found == LCT_ABSENT)
        found = lct_config_text(&c->model_type, c->root, key);
    if (found == LCT_ABSENT)
        params = params_model(&c->dialect, c->root);
    if (found == LCT_RIGHT)
        return LOCANT_OK;
    if (found == LCT_WRONG) {
        const json_t *value = json_object_get(c->text, key);

        return locant_fail(
            LOCANT_ERR_FORMAT, "%s: model_type: %s, a text expected", c->file,
            lct_config_show(shown,
                            value ? value : json_object_get(c->root, key)));
    }
    c->model_type = params;
    return params ? LOCANT_OK
                  : locant_fail(LOCANT_ERR_FORMAT,
                                "%s: has no model_type, nor dim, n_layers and "
                                "n_heads as a params.json has",
                                c->file);
}

static void set_file(struct lct_config *c, const char *path)
{
    snprintf(c->file, sizeof c->file, "%s", lct_path_tail(path));
}

/* ------------------------------------------------------------------- GGUF */

static locant_status take_pairing(struct lct_config *c)
{
    const json_t *value = json_object_get(c->root, LCT_WEIGHTS_PAIRING);

    return lct_pairing_of(&c->pairing, json_string_value(value), c->file);
}

static locant_status take_gguf(struct lct_config *c, const struct lct_gguf *g)
{
    static const char key[] = "general.architecture";
    char shown[LCT_CONFIG_SHOWN];

    LCT_TRY(lct_config_gguf(&c->root, g));
    c->dialect = LCT_DIALECT_GGUF;
    c->text = c->root;
    switch (lct_config_text(&c->model_type, c->root, key)) {
    case LCT_RIGHT: return take_pairing(c);
    case LCT_ABSENT:
        return locant_fail(LOCANT_ERR_FORMAT, "%s: has no %s", c->file, key);
    default:
        return locant_fail(
            LOCANT_ERR_FORMAT, "%s: %s: %s, a text expected", c->file, key,
            lct_config_show(shown, json_object_get(c->root, key)));
    }
}

static locant_status parse_gguf(struct lct_config *c, const char *bytes,
                                size_t n, const char *name)
{
    struct lct_gguf *g;
    locant_status status;

    LCT_TRY(lct_gguf_parse(&g, bytes, n, name));
    status = take_gguf(c, g);
    lct_gguf_close(g);
    return status;
}

/* ------------------------------------------------------------------- read */

/* The dialect of transformers: by the keys of a rotation, or, where there are
   none, by the version that wrote the file. */
static enum lct_dialect dialect_of(const struct lct_config *c)
{
    static const char *const old[] = { "rope_scaling", "rope_theta" };
    const char *version =
        json_string_value(json_object_get(c->root, "transformers_version"));

    if (has(c->text, "rope_parameters") || has(c->root, "rope_parameters"))
        return LCT_DIALECT_HF5;
    for (size_t i = 0; i < sizeof old / sizeof *old; i++)
        if (has(c->text, old[i]) || has(c->root, old[i]))
            return LCT_DIALECT_HF4;
    return version != NULL && strncmp(version, "5.", 2) == 0 ? LCT_DIALECT_HF5
                                                             : LCT_DIALECT_HF4;
}

/* Take what the object c->root says. */
static locant_status take(struct lct_config *c)
{
    c->text = find_text(c->root);
    c->dialect = dialect_of(c);
    return find_model(c);
}

locant_status lct_config_parse(struct lct_config *out, const char *text,
                               size_t n, const char *name)
{
    *out = (struct lct_config){ 0 };
    set_file(out, name);
    if (lct_gguf_is(text, n))
        return parse_gguf(out, text, n, name);
    LCT_TRY(lct_document_parse(&out->root, text, n, name, CONTAINERS));
    return take(out);
}

static locant_status read_file(struct lct_config *out, struct lct_weights **w,
                               const char *path)
{
    bool gguf;

    set_file(out, path);
    LCT_TRY(lct_gguf_is_file(&gguf, path));
    if (gguf) {
        LCT_TRY(lct_weights_open(w, path));
        return take_gguf(out, lct_weights_gguf(*w));
    }
    LCT_TRY(lct_document_read(&out->root, path, CONTAINERS));
    return take(out);
}

/* Read a file of that folder if it is there. */
static locant_status try_file(bool *found, struct lct_config *out,
                              struct lct_weights **w, const char *folder,
                              const char *name)
{
    char path[4096];
    struct stat st;

    if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path)
        return locant_fail(LOCANT_ERR_IO, "%s: its path is too long",
                           lct_path_tail(folder));
    *found = stat(path, &st) == 0;
    return *found ? read_file(out, w, path) : LOCANT_OK;
}

/* The pairing that the weights of a folder record.  A folder may have none, or
   not all of them yet; what is there must not be damaged. */
static locant_status read_pairing(struct lct_config *c, struct lct_weights **w,
                                  const char *folder)
{
    const locant_status status = lct_weights_open(w, folder);

    if (status == LOCANT_ERR_IO || status == LOCANT_ERR_UNSUPPORTED)
        return LOCANT_OK;
    if (status != LOCANT_OK)
        return status;
    return lct_pairing_of(
        &c->pairing, lct_weights_metadata(*w, LCT_WEIGHTS_PAIRING), folder);
}

static bool holds_weights(const char *path)
{
    static const char end[] = ".safetensors";
    const size_t n = strlen(path), m = sizeof end - 1;

    return n > m && strcmp(path + n - m, end) == 0;
}

static locant_status read_both(struct lct_config *out, struct lct_weights **w,
                               const char *path)
{
    static const char *const names[] = { "config.json", "params.json",
                                         "model.gguf" };
    struct stat st;
    bool found = false;

    if (stat(path, &st) != 0)
        return lct_io_error(path, "cannot be opened", errno);
    if (!S_ISDIR(st.st_mode) && holds_weights(path))
        return locant_fail(LOCANT_ERR_FORMAT,
                           "%s: has weights alone, expected the folder that "
                           "has its config.json, too",
                           lct_path_tail(path));
    if (!S_ISDIR(st.st_mode))
        return read_file(out, w, path);
    for (size_t i = 0; i < sizeof names / sizeof *names && !found; i++)
        LCT_TRY(try_file(&found, out, w, path, names[i]));
    if (!found)
        return locant_fail(LOCANT_ERR_IO,
                           "%s: has no config.json and no params.json",
                           lct_path_tail(path));
    return out->dialect == LCT_DIALECT_GGUF ? LOCANT_OK
                                            : read_pairing(out, w, path);
}

locant_status lct_config_read_both(struct lct_config *out,
                                   struct lct_weights **weights,
                                   const char *path)
{
    locant_status status;

    *out = (struct lct_config){ 0 };
    *weights = NULL;
    status = read_both(out, weights, path);
    if (status != LOCANT_OK) {
        lct_weights_close(*weights);
        *weights = NULL;
    }
    return status;
}

locant_status lct_config_read(struct lct_config *out, const char *path)
{
    struct lct_weights *w;
    const locant_status status = lct_config_read_both(out, &w, path);

    lct_weights_close(w);
    return status;
}

void lct_config_free(struct lct_config *c)
{
    json_decref(c->root);
    *c = (struct lct_config){ 0 };
}
