/* tokenizer.c - see tokenizer.h; tokenizer_parts.c reads what stands around the
   vocabulary */
#include "tokenizer.h"
#include "../core/quote.h"
#include "../files/document.h"
#include "../files/path.h"
#include "tokenizer_merges.h"
#include "tokenizer_parts.h"
#include <stdio.h>
#include <string.h>

/* Objects and arrays: Gemma 3 has 514,906 merges. */
enum { CONTAINERS = 1 << 21, SETTINGS = 100000, IDS = 1 << 24 };

struct reader {
    struct lct_tokenizer *t;
    const char *name, *settings;
    int64_t rows;
};

static const char *quoted(char out[LCT_QUOTE_BYTES], const char *text)
{
    return lct_quote(out, text, strlen(text));
}

/* -------------------------------------------------------------------- kind */

static locant_status find_kind(struct reader *r)
{
    struct lct_tokenizer *t = r->t;
    const char *type = json_string_value(json_object_get(t->model, "type"));
    char shown[LCT_QUOTE_BYTES];

    if (type == NULL) /* old files */
        type = t->merges != NULL ? "BPE" : "none";
    if (strcmp(type, "WordPiece") == 0) {
        t->kind = LCT_TOKENIZER_WORDPIECE;
        return lct_tokenizer_parts_prefix(t, "##", r->name);
    }
    if (strcmp(type, "Unigram") == 0) {
        t->kind = LCT_TOKENIZER_UNIGRAM;
        return LOCANT_OK;
    }
    if (strcmp(type, "BPE") != 0)
        return locant_fail(LOCANT_ERR_UNSUPPORTED,
                           "%s: model.type is '%s', BPE, Unigram or WordPiece "
                           "expected",
                           r->name, quoted(shown, type));
    LCT_TRY(lct_tokenizer_parts_prefix(t, "", r->name));
    if (lct_tokenizer_parts_has_bytes(t))
        t->kind = LCT_TOKENIZER_BYTES;
    else if (lct_tokenizer_parts_has_pieces(t))
        t->kind = LCT_TOKENIZER_PIECES;
    else
        return locant_fail(LOCANT_ERR_UNSUPPORTED,
                           "%s: its BPE is neither of bytes (ByteLevel) nor of "
                           "SentencePiece (Metaspace or byte_fallback)",
                           r->name);
    return LOCANT_OK;
}

/* ------------------------------------------------------------------ tokens */

static locant_status bad_id(const struct reader *r, const char *token,
                            const json_t *id)
{
    char shown[LCT_QUOTE_BYTES];

    if (!json_is_integer(id))
        return locant_fail(LOCANT_ERR_FORMAT,
                           "%s: the id of token '%s' is no whole number",
                           r->name, quoted(shown, token));
    return locant_fail(LOCANT_ERR_FORMAT,
                       "%s: the id of token '%s' is %lld, 0 to %lld expected",
                       r->name, quoted(shown, token),
                       (long long)json_integer_value(id),
                       (long long)(r->t->n > 0 ? r->t->n - 1 : 0));
}

/* The id of a token, which must be below t->n. */
static locant_status read_id(size_t *out, const struct reader *r,
                             const char *token, const json_t *id)
{
    const json_int_t value = json_integer_value(id);

    if (!json_is_integer(id) || value < 0 || (uint64_t)value >= r->t->n)
        return bad_id(r, token, id);
    *out = (size_t)value;
    return LOCANT_OK;
}

/* A vocabulary that is an object: {token: id}. */
static locant_status read_object(const struct reader *r)
{
    struct lct_tokenizer *t = r->t;
    char a[LCT_QUOTE_BYTES], b[LCT_QUOTE_BYTES];
    const char *token;
    json_t *id;
    size_t i;

    json_object_foreach((json_t *)(uintptr_t)t->vocab, token, id) {
        LCT_TRY(read_id(&i, r, token, id));
        if (t->tokens[i] != NULL)
            return locant_fail(LOCANT_ERR_FORMAT,
                               "%s: id %zu is that of both tokens '%s' and "
                               "'%s'",
                               r->name, i, quoted(a, t->tokens[i]),
                               quoted(b, token));
        t->tokens[i] = token;
        t->types[i] = LCT_TOKEN_NORMAL;
    }
    return LOCANT_OK;
}

/* One that is an array: [[token, score], ..]. */
static locant_status read_array(const struct reader *r)
{
    struct lct_tokenizer *t = r->t;

    for (size_t i = 0; i < json_array_size(t->vocab); i++) {
        const json_t *pair = json_array_get(t->vocab, i);
        const char *token = json_string_value(json_array_get(pair, 0));
        const json_t *score = json_array_get(pair, 1);

        if (token == NULL || !json_is_number(score))
            return locant_fail(LOCANT_ERR_FORMAT,
                               "%s: model.vocab[%zu] is no pair of a text and "
                               "a score",
                               r->name, i);
        t->tokens[i] = token;
        t->types[i] = LCT_TOKEN_NORMAL;
        t->scores[i] = (float)json_number_value(score);
    }
    return LOCANT_OK;
}

/* Added tokens have the last word on their text and their type. */
static locant_status read_added(const struct reader *r)
{
    enum { SCORE = -1000 }; /* of tokens that are never the best choice */
    struct lct_tokenizer *t = r->t;
    const json_t *list = json_object_get(t->root, "added_tokens");

    for (size_t k = 0; k < json_array_size(list); k++) {
        const json_t *item = json_array_get(list, k);
        const char *token = json_string_value(json_object_get(item, "content"));
        size_t i;

        if (token == NULL)
            return locant_fail(LOCANT_ERR_FORMAT,
                               "%s: added_tokens[%zu].content is no text",
                               r->name, k);
        LCT_TRY(read_id(&i, r, token, json_object_get(item, "id")));
        if (t->tokens[i] == NULL && t->kind == LCT_TOKENIZER_UNIGRAM)
            t->scores[i] = SCORE;
        t->tokens[i] = token;
        t->types[i] = json_is_true(json_object_get(item, "special"))
                          ? LCT_TOKEN_CONTROL
                          : LCT_TOKEN_USER;
    }
    return LOCANT_OK;
}

/* Tokens that are single bytes: "<0x0A>". */
static bool is_byte(const char *token)
{
    return strlen(token) == 6 && strncmp(token, "<0x", 3) == 0 &&
           strspn(token + 3, "0123456789ABCDEF") == 2 && token[5] == '>';
}

static void set_types(struct lct_tokenizer *t)
{
    enum { UNUSED = -10000 }; /* a score below those of all that are used */
    const bool bytes = json_is_true(json_object_get(t->model, "byte_fallback"));
    const int64_t unk = t->special[LCT_TOKEN_UNK];

    for (size_t i = 0; i < t->n; i++)
        if (t->tokens[i] == NULL) {
            t->types[i] = LCT_TOKEN_UNUSED;
            t->scores[i] = UNUSED;
        } else if (bytes && is_byte(t->tokens[i])) {
            t->types[i] = LCT_TOKEN_BYTE;
        }
    if (unk >= 0 &&
        (t->kind == LCT_TOKENIZER_PIECES || t->kind == LCT_TOKENIZER_UNIGRAM))
        t->types[unk] = LCT_TOKEN_UNKNOWN;
}

/* Added tokens that the vocabulary does not have; that of Unigram is not
   searched. */
static size_t count_added(const struct lct_tokenizer *t, const json_t *added)
{
    size_t n = 0;

    for (size_t k = 0; k < json_array_size(added); k++) {
        const char *token = json_string_value(
            json_object_get(json_array_get(added, k), "content"));

        n += token == NULL || json_object_get(t->vocab, token) == NULL;
    }
    return n;
}

/* How many ids there are: as many as embeddings, or as tokens. */
static locant_status count(struct reader *r)
{
    struct lct_tokenizer *t = r->t;
    const json_t *added = json_object_get(t->root, "added_tokens");
    const bool array = t->kind == LCT_TOKENIZER_UNIGRAM;
    const size_t n =
        array ? json_array_size(t->vocab) : json_object_size(t->vocab);

    if (array ? !json_is_array(t->vocab) : !json_is_object(t->vocab))
        return locant_fail(LOCANT_ERR_FORMAT,
                           "%s: model.vocab is no %s, as model.type says",
                           r->name, array ? "array" : "object");
    if (added != NULL && !json_is_array(added))
        return locant_fail(LOCANT_ERR_FORMAT, "%s: added_tokens is no array",
                           r->name);
    if (r->rows > IDS)
        return locant_fail(LOCANT_ERR_FORMAT,
                           "%s: the model has %lld embeddings, at most %d "
                           "expected",
                           r->name, (long long)r->rows, IDS);
    if (r->rows > 0 && n > (uint64_t)r->rows)
        return locant_fail(LOCANT_ERR_FORMAT,
                           "%s: %zu tokens, but the model has %lld embeddings",
                           r->name, n, (long long)r->rows);
    t->n = r->rows > 0 ? (size_t)r->rows : n + count_added(t, added);
    return t->n > 0
               ? LOCANT_OK
               : locant_fail(LOCANT_ERR_FORMAT, "%s: has no tokens", r->name);
}

static locant_status allocate(struct reader *r)
{
    struct lct_tokenizer *t = r->t;

    t->tokens = locant_alloc(t->n * sizeof *t->tokens);
    t->types = locant_alloc(t->n * sizeof *t->types);
    t->scores = locant_alloc(t->n * sizeof *t->scores);
    if (t->tokens == NULL || t->types == NULL || t->scores == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "%s: no memory for its tokens",
                           r->name);
    return LOCANT_OK;
}

/* ---------------------------------------------------------------- the whole */

int64_t lct_tokenizer_id(const struct lct_tokenizer *t, const char *token)
{
    const json_t *added = json_object_get(t->root, "added_tokens");
    const json_t *id = t->kind != LCT_TOKENIZER_UNIGRAM
                           ? json_object_get(t->vocab, token)
                           : NULL;

    for (size_t k = 0; k < json_array_size(added); k++) {
        const json_t *item = json_array_get(added, k);
        const char *text = json_string_value(json_object_get(item, "content"));

        if (text != NULL && strcmp(text, token) == 0)
            return json_integer_value(json_object_get(item, "id"));
    }
    for (size_t i = 0; t->kind == LCT_TOKENIZER_UNIGRAM && i < t->n; i++)
        if (t->tokens[i] != NULL && strcmp(t->tokens[i], token) == 0)
            return (int64_t)i;
    return id != NULL ? json_integer_value(id) : -1;
}

const char *lct_tokenizer_model(const struct lct_tokenizer *t)
{
    static const char *const names[] = { "gpt2", "llama", "t5", "bert" };

    return names[t->kind];
}

static locant_status read_tokens(struct reader *r)
{
    struct lct_tokenizer *t = r->t;

    LCT_TRY(find_kind(r));
    LCT_TRY(count(r));
    LCT_TRY(allocate(r));
    LCT_TRY(t->kind == LCT_TOKENIZER_UNIGRAM ? read_array(r) : read_object(r));
    LCT_TRY(read_added(r));
    LCT_TRY(lct_tokenizer_merges_read(t, r->name));
    LCT_TRY(lct_tokenizer_parts_specials(t, r->name, r->settings));
    set_types(t);
    return lct_tokenizer_parts_read(t, r->name);
}

locant_status lct_tokenizer_parse(struct lct_tokenizer *out,
                                  const struct lct_tokenizer_text *text,
                                  int64_t rows)
{
    struct reader r = { .t = out,
                        .name = lct_path_tail(text->name),
                        .settings = text->settings_name
                                        ? lct_path_tail(text->settings_name)
                                        : NULL,
                        .rows = rows };

    *out = (struct lct_tokenizer){ .pre = "default" };
    for (int i = 0; i < LCT_TOKEN_SPECIALS; i++)
        out->special[i] = -1;
    LCT_TRY(lct_document_parse(&out->root, text->text, text->size, text->name,
                               CONTAINERS));
    if (text->settings != NULL)
        LCT_TRY(lct_document_parse(&out->settings, text->settings,
                                   text->settings_size, text->settings_name,
                                   SETTINGS));
    out->model = json_object_get(out->root, "model");
    if (!json_is_object(out->model))
        return locant_fail(LOCANT_ERR_FORMAT, "%s: model is no object", r.name);
    out->vocab = json_object_get(out->model, "vocab");
    out->merges = json_object_get(out->model, "merges");
    return read_tokens(&r);
}

void lct_tokenizer_free(struct lct_tokenizer *t)
{
    locant_release(t->tokens);
    locant_release(t->types);
    locant_release(t->scores);
    locant_release(t->charsmap);
    json_decref(t->root);
    json_decref(t->settings);
    *t = (struct lct_tokenizer){ 0 };
}
