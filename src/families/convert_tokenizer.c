/* convert_tokenizer.c - see convert_tokenizer.h */
#include "convert_tokenizer.h"
#include "../files/document.h"
#include "../files/io.h"
#include "convert_path.h"
#include "tokenizer_put.h"
#include <string.h>
#include <sys/stat.h>

static const char *const special_keys[LCT_TOKEN_SPECIALS] = {
    "tokenizer.ggml.bos_token_id",     "tokenizer.ggml.eos_token_id",
    "tokenizer.ggml.unknown_token_id", "tokenizer.ggml.seperator_token_id",
    "tokenizer.ggml.padding_token_id", "tokenizer.ggml.cls_token_id",
    "tokenizer.ggml.mask_token_id"
};

/* ----------------------------------------------------------- special tokens */

/* Of the tokenizer, or of the configuration: a number, or the first of a
   list. */
static int64_t special_of(const struct lct_tokenizer *t,
                          const struct lct_convert *c,
                          enum lct_tokenizer_special i)
{
    static const char *const keys[LCT_TOKEN_SPECIALS] = {
        [LCT_TOKEN_BOS] = "bos_token_id",
        [LCT_TOKEN_EOS] = "eos_token_id",
        [LCT_TOKEN_PAD] = "pad_token_id",
    };
    const json_t *value =
        keys[i] != NULL ? json_object_get(c->config.text, keys[i]) : NULL;
    const bool begins =
        i == LCT_TOKEN_BOS && t != NULL && t->kind == LCT_TOKENIZER_WORDPIECE;

    if (begins) /* a text of BERT begins with its class */
        i = LCT_TOKEN_CLS;
    if (t != NULL && t->special[i] >= 0)
        return t->special[i];
    if (json_is_array(value))
        value = json_array_get(value, 0);
    return json_is_integer(value) && json_integer_value(value) <= UINT32_MAX
               ? json_integer_value(value)
               : -1;
}

static void put_specials(struct lct_gguf_write *w,
                         const struct lct_tokenizer *t,
                         const struct lct_convert *c)
{
    for (int i = 0; i < LCT_TOKEN_SPECIALS; i++) {
        const int64_t id = special_of(t, c, (enum lct_tokenizer_special)i);

        if (id >= 0)
            lct_gguf_write_u32(w, special_keys[i], (uint32_t)id);
    }
}

/* -------------------------------------------------------------------- files */

/* The text of a file of the folder; NULL: there is none. */
static locant_status read_file(void **text, size_t *size, char **path,
                               const struct lct_convert *c, const char *name)
{
    struct stat st;

    *text = NULL;
    *size = 0;
    *path = lct_convert_path(c->folder, name);
    if (*path == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "%s: no memory to read it", name);
    return stat(*path, &st) == 0
               ? lct_read_file(text, size, *path, LCT_DOCUMENT_MAX)
               : LOCANT_OK;
}

static locant_status put_files(struct lct_gguf_write *w, struct lct_convert *c,
                               const struct lct_tokenizer_text *text,
                               int64_t rows)
{
    struct lct_tokenizer t;
    const locant_status status = lct_tokenizer_parse(&t, text, rows);

    if (status == LOCANT_OK) {
        lct_tokenizer_put(w, &t);
        put_specials(w, &t, c);
        c->tokenizer = lct_tokenizer_model(&t);
        c->pre = t.pre;
    }
    lct_tokenizer_free(&t);
    return status;
}

locant_status lct_convert_tokenizer(struct lct_gguf_write *w,
                                    struct lct_convert *c, int64_t rows)
{
    void *text = NULL, *settings = NULL;
    char *names[2] = { NULL, NULL };
    size_t sizes[2];
    locant_status status =
        read_file(&text, &sizes[0], &names[0], c, "tokenizer.json");

    if (status == LOCANT_OK)
        status = read_file(&settings, &sizes[1], &names[1], c,
                           "tokenizer_config.json");
    if (status == LOCANT_OK && text != NULL) {
        const struct lct_tokenizer_text both = {
            .text = text,
            .settings = settings,
            .size = sizes[0],
            .settings_size = sizes[1],
            .name = names[0],
            .settings_name = names[1],
        };

        status = put_files(w, c, &both, rows);
    } else if (status == LOCANT_OK) { /* programs are to take token ids */
        c->tokenizer = "none";
        lct_gguf_write_text(w, "tokenizer.ggml.model", "none");
        put_specials(w, NULL, c);
    }
    for (int i = 0; i < 2; i++)
        locant_release(names[i]);
    locant_release(text);
    locant_release(settings);
    return status;
}
