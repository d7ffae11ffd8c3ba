/* tokenizer_put.c - see tokenizer_put.h */
#include "tokenizer_put.h"
#include <stdio.h>
#include <string.h>

/* The space of SentencePiece, U+2581. */
#define SPACE "\xe2\x96\x81"

/* The text of id i, which is that of no token. */
static const char *unused(char room[32], size_t i)
{
    snprintf(room, 32, "[PAD%zu]", i);
    return room;
}

/*
 * WordPiece marks what continues a word, GGUF what begins one: "##ing" is
 * "ing", and "walk" is "_walk" with SPACE.  Names in brackets stay.
 */
static void put_word(struct lct_gguf_write *w, const char *token)
{
    const size_t n = strlen(token);
    const char *parts[2] = { SPACE, token };
    size_t sizes[2] = { strlen(SPACE), n };

    if (strncmp(token, "##", 2) == 0) {
        parts[1] += 2;
        sizes[1] -= 2;
    }
    if (parts[1] != token || (n > 1 && token[0] == '[' && token[n - 1] == ']'))
        sizes[0] = 0;
    lct_gguf_write_next_text(w, parts, sizes, 2);
}

static void put_tokens(struct lct_gguf_write *w, const struct lct_tokenizer *t)
{
    char room[32];

    lct_gguf_write_texts(w, "tokenizer.ggml.tokens", t->n);
    for (size_t i = 0; i < t->n; i++) {
        const char *token = t->tokens[i] ? t->tokens[i] : unused(room, i);

        if (t->kind == LCT_TOKENIZER_WORDPIECE && t->tokens[i] != NULL)
            put_word(w, token);
        else
            lct_gguf_write_next_text(w, &token, (size_t[1]){ strlen(token) },
                                     1);
    }
    lct_gguf_write_array(w, "tokenizer.ggml.token_type", LCT_GGUF_I32, t->types,
                         t->n);
}

static void put_merges(struct lct_gguf_write *w, const struct lct_tokenizer *t)
{
    const size_t n = json_array_size(t->merges);
    struct lct_tokenizer_merge m;

    lct_gguf_write_texts(w, "tokenizer.ggml.merges", n);
    for (size_t i = 0; i < n; i++) {
        lct_tokenizer_merge(&m, t, i);
        lct_gguf_write_next_text(w, (const char *[3]){ m.left, " ", m.right },
                                 (size_t[3]){ m.n_left, 1, m.n_right }, 3);
    }
}

void lct_tokenizer_put(struct lct_gguf_write *w, const struct lct_tokenizer *t)
{
    const bool pieces =
        t->kind == LCT_TOKENIZER_PIECES || t->kind == LCT_TOKENIZER_UNIGRAM;

    lct_gguf_write_text(w, "tokenizer.ggml.model", lct_tokenizer_model(t));
    lct_gguf_write_text(w, "tokenizer.ggml.pre", t->pre);
    put_tokens(w, t);
    if (pieces)
        lct_gguf_write_array(w, "tokenizer.ggml.scores", LCT_GGUF_F32,
                             t->scores, t->n);
    if (t->kind == LCT_TOKENIZER_BYTES)
        put_merges(w, t);
    lct_gguf_write_bool(w, "tokenizer.ggml.add_bos_token", t->add_bos);
    lct_gguf_write_bool(w, "tokenizer.ggml.add_eos_token", t->add_eos);
    if (pieces)
        lct_gguf_write_bool(w, "tokenizer.ggml.add_space_prefix",
                            t->space_prefix);
    if (t->kind == LCT_TOKENIZER_UNIGRAM)
        lct_gguf_write_bool(w, "tokenizer.ggml.remove_extra_whitespaces",
                            t->no_extra_spaces);
    if (t->charsmap != NULL)
        lct_gguf_write_array(w, "tokenizer.ggml.precompiled_charsmap",
                             LCT_GGUF_U8, t->charsmap, t->n_charsmap);
}
