/*
 * tokenizer.h - the tokens, scores and merges of a tokenizer.json, as GGUF
 * files have them
 *
 * Source: the library 'tokenizers' (the format of tokenizer.json); gguf-py and
 * convert_hf_to_gguf.py of llama.cpp (types of tokens, WordPiece's spaces);
 * llama-vocab.cpp (what a reader does with them).
 */
#ifndef LCT_TOKENIZER_H
#define LCT_TOKENIZER_H
#include "../core/error.h"
#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

enum lct_tokenizer_kind {
    LCT_TOKENIZER_BYTES,    /* BPE of bytes, as of GPT-2: "gpt2" */
    LCT_TOKENIZER_PIECES,   /* BPE of characters, of SentencePiece: "llama" */
    LCT_TOKENIZER_UNIGRAM,  /* of SentencePiece: "t5" */
    LCT_TOKENIZER_WORDPIECE /* "bert" */
};

/* Types of tokens, by their number in GGUF files. */
enum lct_tokenizer_type {
    LCT_TOKEN_NORMAL = 1,
    LCT_TOKEN_UNKNOWN,
    LCT_TOKEN_CONTROL,
    LCT_TOKEN_USER,
    LCT_TOKEN_UNUSED,
    LCT_TOKEN_BYTE
};

enum lct_tokenizer_special {
    LCT_TOKEN_BOS,
    LCT_TOKEN_EOS,
    LCT_TOKEN_UNK,
    LCT_TOKEN_SEP,
    LCT_TOKEN_PAD,
    LCT_TOKEN_CLS,
    LCT_TOKEN_MASK,
    LCT_TOKEN_SPECIALS
};

struct lct_tokenizer {
    enum lct_tokenizer_kind kind;
    json_t *root, *settings; /* of tokenizer_config.json, or NULL */
    const json_t *model, *vocab, *merges;
    size_t n;                            /* ids */
    const char **tokens;                 /* [n]; NULL: no token has that id */
    int32_t *types;                      /* [n] */
    float *scores;                       /* [n]; only of PIECES and UNIGRAM */
    int64_t special[LCT_TOKEN_SPECIALS]; /* ids; -1: none */
    const char *pre; /* which splitter of llama.cpp this is; "default": not
                        known */
    bool add_bos, add_eos;
    bool space_prefix;       /* a text begins with a space */
    bool no_extra_spaces;    /* several spaces are one */
    unsigned char *charsmap; /* of Precompiled; NULL: none */
    size_t n_charsmap;
};

/* The texts of both files; 'settings' may be NULL. */
struct lct_tokenizer_text {
    const char *text, *settings;
    size_t size, settings_size;
    const char *name, *settings_name; /* for messages */
};

/*
 * Read a tokenizer of a model with 'rows' embeddings, all of whose ids must be
 * below that; with 0, below the number of its tokens.  Free it also after a
 * failure.  Errors: FORMAT, UNSUPPORTED (a kind that GGUF files have no name
 * for), NOMEM.
 */
locant_status lct_tokenizer_parse(struct lct_tokenizer *out,
                                  const struct lct_tokenizer_text *t,
                                  int64_t rows);
void lct_tokenizer_free(struct lct_tokenizer *t);

/* "gpt2", "llama", "t5", "bert" */
const char *lct_tokenizer_model(const struct lct_tokenizer *t);

/* The id of a token of the vocabulary or of the added ones; -1: there is
   none. */
int64_t lct_tokenizer_id(const struct lct_tokenizer *t, const char *token);

/* Merge i as its two parts.  False: it is no pair of texts. */
struct lct_tokenizer_merge {
    const char *left, *right;
    size_t n_left, n_right;
};
bool lct_tokenizer_merge(struct lct_tokenizer_merge *out,
                         const struct lct_tokenizer *t, size_t i);
#endif
