/*
 * fuzz_tokenizer.c - any texts of tokenizer.json and, behind a zero,
 * tokenizer_config.json: rejected with an error message, or tokens whose keys
 * a GGUF file holds and gives back.
 */
#include "../src/families/tokenizer_put.h"
#include "fuzz.h"
#include <string.h>

static void read_back(const struct lct_tokenizer *t)
{
    static const char *const lists[] = { "tokenizer.ggml.tokens",
                                         "tokenizer.ggml.token_type" };
    struct lct_gguf_write w = { 0 };
    unsigned char *bytes;
    struct lct_gguf *g;
    size_t size;

    lct_tokenizer_put(&w, t);
    HOLDS(lct_gguf_write_header(&bytes, &size, &w) == LOCANT_OK);
    HOLDS(lct_gguf_parse(&g, bytes, size, "fuzz") == LOCANT_OK);
    for (int i = 0; i < 2; i++) {
        const struct lct_gguf_value *v = lct_gguf_find(g, lists[i]);

        HOLDS(v != NULL && v->array && v->count == t->n);
    }
    lct_gguf_close(g);
    lct_gguf_write_free(&w);
    locant_release(bytes);
}

static void check(const struct lct_tokenizer *t)
{
    struct lct_tokenizer_merge m;

    HOLDS(t->n > 0 && t->pre != NULL);
    for (size_t i = 0; i < t->n; i++)
        HOLDS(t->types[i] >= LCT_TOKEN_NORMAL && t->types[i] <= LCT_TOKEN_BYTE);
    for (int i = 0; i < LCT_TOKEN_SPECIALS; i++)
        HOLDS(t->special[i] >= -1 && t->special[i] < (int64_t)t->n);
    for (size_t i = 0;
         t->kind <= LCT_TOKENIZER_PIECES && i < json_array_size(t->merges); i++)
        HOLDS(lct_tokenizer_merge(&m, t, i));
    read_back(t);
}

/* Read them for a model of so many embeddings. */
static void parse(const struct lct_tokenizer_text *text, int64_t rows)
{
    struct lct_tokenizer t;

    if (lct_tokenizer_parse(&t, text, rows) == LOCANT_OK) {
        check(&t);
    } else {
        HOLDS(strncmp(locant_last_error(), "fuzz: ", 6) == 0);
        fuzz_sentence();
    }
    lct_tokenizer_free(&t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *zero = size > 0 ? memchr(data, 0, size) : NULL;
    struct lct_tokenizer_text text = { .text = (const char *)data,
                                       .size = size,
                                       .name = "fuzz",
                                       .settings_name = "fuzz" };

    if (zero != NULL) {
        text.size = (size_t)(zero - data);
        text.settings = (const char *)zero + 1;
        text.settings_size = size - text.size - 1;
    }
    json_set_alloc_funcs(fuzz_malloc, fuzz_free);
    fuzz_begin();
    parse(&text, 0);
    parse(&text, 64);
    /* jansson takes up to 200 bytes for the "[]," of an array */
    fuzz_end(100 * size + 64 * 1024);
    return 0;
}
