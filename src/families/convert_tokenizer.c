/* convert_tokenizer.c - see convert_tokenizer.h */
#include "convert_tokenizer.h"
#include "../files/document.h"
#include "../files/io.h"
#include "../files/path.h"
#include "../files/utf8.h"
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

enum { TOKENIZER, SETTINGS, TEMPLATE, FILES };

struct file {
    char *path;
    void *text; /* NULL: there is no such file */
    size_t size;
};

static locant_status read_file(struct file *f, const struct lct_convert *c,
                               const char *name)
{
    struct stat st;

    f->path = lct_convert_path(c->folder, name);
    if (f->path == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "%s: no memory to read it", name);
    return stat(f->path, &st) == 0
               ? lct_read_file(&f->text, &f->size, f->path, LCT_DOCUMENT_MAX)
               : LOCANT_OK;
}

/* How a chat is written as one text: of tokenizer_config.json, or the file that
   transformers 5 writes. */
static locant_status put_template(struct lct_gguf_write *w,
                                  const struct lct_tokenizer *t,
                                  const struct file *f)
{
    const char *text =
        json_string_value(json_object_get(t->settings, "chat_template"));

    if (text == NULL && f->text != NULL) {
        text = f->text;
        if (memchr(text, 0, f->size) || !lct_is_utf8_bytes(text, f->size))
            return locant_fail(LOCANT_ERR_FORMAT,
                               "%s: is not UTF-8 without zero bytes",
                               lct_path_tail(f->path));
    }
    if (text != NULL)
        lct_gguf_write_text(w, "tokenizer.chat_template", text);
    return LOCANT_OK;
}

static locant_status put_files(struct lct_gguf_write *w, struct lct_convert *c,
                               const struct file *files, int64_t rows)
{
    const struct lct_tokenizer_text text = {
        .text = files[TOKENIZER].text,
        .size = files[TOKENIZER].size,
        .name = files[TOKENIZER].path,
        .settings = files[SETTINGS].text,
        .settings_size = files[SETTINGS].size,
        .settings_name = files[SETTINGS].path,
    };
    struct lct_tokenizer t;
    locant_status status = lct_tokenizer_parse(&t, &text, rows);

    if (status == LOCANT_OK)
        status = put_template(w, &t, &files[TEMPLATE]);
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
    static const char *const names[FILES] = { "tokenizer.json",
                                              "tokenizer_config.json",
                                              "chat_template.jinja" };
    struct file files[FILES] = { { 0 } };
    locant_status status = LOCANT_OK;

    for (int i = 0; i < FILES && status == LOCANT_OK; i++)
        status = read_file(&files[i], c, names[i]);
    if (status == LOCANT_OK && files[TOKENIZER].text != NULL) {
        status = put_files(w, c, files, rows);
    } else if (status == LOCANT_OK) { /* programs are to take token ids */
        c->tokenizer = "none";
        lct_gguf_write_text(w, "tokenizer.ggml.model", "none");
        put_specials(w, NULL, c);
    }
    for (int i = 0; i < FILES; i++) {
        locant_release(files[i].path);
        locant_release(files[i].text);
    }
    return status;
}
