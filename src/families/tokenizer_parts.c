/* tokenizer_parts.c - see tokenizer_parts.h */
#include "tokenizer_parts.h"
#include "../core/quote.h"
#include "../files/base64.h"
#include <string.h>

/* ------------------------------------------------------------------- parts */

/*
 * Part k, of this type unless it is NULL, of a member of the file that is one
 * part, or a Sequence of several; NULL past the last one.
 */
static const json_t *part(const struct lct_tokenizer *t, const char *member,
                          const char *type, size_t k)
{
    static const char *const lists[] = { "pretokenizers", "normalizers",
                                         "decoders", "processors" };
    const json_t *whole = json_object_get(t->root, member), *list = NULL;

    for (size_t i = 0; i < sizeof lists / sizeof *lists && list == NULL; i++)
        list = json_object_get(whole, lists[i]);
    for (size_t i = 0;; i++) {
        const json_t *item = list != NULL ? json_array_get(list, i)
                             : i == 0     ? whole
                                          : NULL;
        const char *is = json_string_value(json_object_get(item, "type"));

        if (item == NULL)
            return NULL;
        if (type != NULL && (is == NULL || strcmp(is, type) != 0))
            continue;
        if (k-- == 0)
            return item;
    }
}

static bool is_text(const json_t *value, const char *text)
{
    return json_is_string(value) && strcmp(json_string_value(value), text) == 0;
}

bool lct_tokenizer_parts_has_bytes(const struct lct_tokenizer *t)
{
    return part(t, "pre_tokenizer", "ByteLevel", 0) != NULL ||
           part(t, "decoder", "ByteLevel", 0) != NULL;
}

bool lct_tokenizer_parts_has_pieces(const struct lct_tokenizer *t)
{
    return json_is_true(json_object_get(t->model, "byte_fallback")) ||
           part(t, "pre_tokenizer", "Metaspace", 0) != NULL;
}

locant_status lct_tokenizer_parts_prefix(const struct lct_tokenizer *t,
                                         const char *prefix, const char *name)
{
    static const char *const keys[] = { "continuing_subword_prefix",
                                        "end_of_word_suffix" };
    char shown[LCT_QUOTE_BYTES];

    for (int i = 0; i < 2; i++) {
        const char *text =
            json_string_value(json_object_get(t->model, keys[i]));
        const char *expected = i == 0 ? prefix : "";

        if (text == NULL) /* that of WordPiece has a default */
            text = expected;
        if (strcmp(text, expected) != 0)
            return locant_fail(
                LOCANT_ERR_UNSUPPORTED, "%s: model.%s is '%s', '%s' expected",
                name, keys[i], lct_quote(shown, text, strlen(text)), expected);
    }
    return LOCANT_OK;
}

/* ----------------------------------------------------------------- specials */

/* The text of a token: "<s>", or {"content": "<s>"}. */
static const char *text_of(const json_t *value)
{
    return json_string_value(
        json_is_object(value) ? json_object_get(value, "content") : value);
}

/* *id = that of a token if there is one. */
static locant_status find(int64_t *id, const struct lct_tokenizer *t,
                          const char *token, const char *key, const char *name)
{
    char shown[LCT_QUOTE_BYTES];

    if (token == NULL)
        return LOCANT_OK;
    *id = lct_tokenizer_id(t, token);
    if (*id >= 0 && (uint64_t)*id < t->n)
        return LOCANT_OK;
    return locant_fail(LOCANT_ERR_FORMAT, "%s: %s is '%s', which is no token",
                       name, key, lct_quote(shown, token, strlen(token)));
}

locant_status lct_tokenizer_parts_specials(struct lct_tokenizer *t,
                                           const char *name,
                                           const char *settings)
{
    static const char *const keys[LCT_TOKEN_SPECIALS] = {
        "bos_token", "eos_token", "unk_token", "sep_token",
        "pad_token", "cls_token", "mask_token"
    };
    const json_t *unk = json_object_get(t->model, "unk_id");

    for (int i = 0; i < LCT_TOKEN_SPECIALS; i++)
        LCT_TRY(find(&t->special[i], t,
                     text_of(json_object_get(t->settings, keys[i])), keys[i],
                     settings));
    LCT_TRY(find(&t->special[LCT_TOKEN_UNK], t,
                 text_of(json_object_get(t->model, "unk_token")),
                 "model.unk_token", name));
    if (!json_is_integer(unk))
        return LOCANT_OK;
    t->special[LCT_TOKEN_UNK] = json_integer_value(unk);
    return t->special[LCT_TOKEN_UNK] >= 0 &&
                   (uint64_t)t->special[LCT_TOKEN_UNK] < t->n
               ? LOCANT_OK
               : locant_fail(LOCANT_ERR_FORMAT,
                             "%s: model.unk_id is %lld, 0 to %zu expected",
                             name, (long long)t->special[LCT_TOKEN_UNK],
                             t->n - 1);
}

/* Does a template begin or end with a token that is added? */
static bool adds(const struct lct_tokenizer *t, bool end)
{
    const json_t *p, *single;

    if (part(t, "post_processor", "BertProcessing", 0) != NULL ||
        part(t, "post_processor", "RobertaProcessing", 0) != NULL)
        return true;
    p = part(t, "post_processor", "TemplateProcessing", 0);
    single = json_object_get(p, "single");
    if (json_array_size(single) == 0)
        return false;
    return json_object_get(
               json_array_get(single, end ? json_array_size(single) - 1 : 0),
               "SpecialToken") != NULL;
}

/* A switch of tokenizer_config.json, or what the template does. */
static bool is_added(const struct lct_tokenizer *t, const char *key, bool end)
{
    const json_t *said = json_object_get(t->settings, key);

    return json_is_boolean(said) ? json_is_true(said) : adds(t, end);
}

/* ---------------------------------------------------------------- splitter */

/* clang-format off */
/* Contractions, and what follows the digits, of patterns that llama.cpp knows
   by a name. */
#define WORDS "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|"
#define REST "| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+"
/* Han, Hiragana and Katakana; punctuation before letters. */
#define HAN "[\xe4\xb8\x80-\xe9\xbe\xa5\xe3\x81\x80-\xe3\x82\x9f" \
            "\xe3\x82\xa0-\xe3\x83\xbf]+"
#define MARKS                                                           \
    "[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|"             \
    "[^\r\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+| ?[\\p{P}\\p{S}]+[\r\n]*|" \
    "\\s*[\r\n]+|\\s+(?!\\S)|\\s+"

enum { PATTERNS = 3 };

/* What comes before ByteLevel, which has a pattern of its own if none does. */
static const struct splitter {
    const char *name, *patterns[PATTERNS];
    bool digits;        /* each digit by itself, then the pattern of its own */
    bool ignore_merges; /* a word that is a token is not merged */
    bool clean;         /* with digits: spaces before marks are removed */
} splitters[] = {
    { .name = "gpt-2" },
    { .name = "starcoder", .digits = true, .clean = true },
    { .name = "command-r", .digits = true },
    { "llama-bpe", { WORDS "\\p{N}{1,3}" REST }, .ignore_merges = true },
    { "dbrx", { WORDS "\\p{N}{1,3}" REST }, .digits = false },
    { "qwen2", { WORDS "\\p{N}" REST }, .digits = false },
    { "deepseek-v3", { "\\p{N}{1,3}", HAN, MARKS }, .digits = false },
};
/* clang-format on */

/* Is it a Split by this pattern that keeps all? */
static bool is_split(const json_t *p, const char *pattern)
{
    return is_text(json_object_get(p, "type"), "Split") &&
           is_text(json_object_get(p, "behavior"), "Isolated") &&
           !json_is_true(json_object_get(p, "invert")) &&
           is_text(json_object_get(json_object_get(p, "pattern"), "Regex"),
                   pattern);
}

/* Is it a ByteLevel that begins a text as it is, with its own pattern or
   without? */
static bool is_level(const json_t *p, bool own)
{
    const json_t *regex = json_object_get(p, "use_regex");

    return is_text(json_object_get(p, "type"), "ByteLevel") &&
           json_is_false(json_object_get(p, "add_prefix_space")) &&
           (regex == NULL || json_is_true(regex)) == own;
}

static bool is_splitter(const struct lct_tokenizer *t, const struct splitter *s)
{
    const json_t *p = part(t, "pre_tokenizer", NULL, 0);
    const json_t *clean =
        json_object_get(t->settings, "clean_up_tokenization_spaces");
    size_t k = 0;

    if (json_is_true(json_object_get(t->model, "ignore_merges")) !=
            s->ignore_merges ||
        (s->digits && json_is_true(clean) != s->clean))
        return false;
    if (s->digits) {
        if (!is_text(json_object_get(p, "type"), "Digits") ||
            !json_is_true(json_object_get(p, "individual_digits")))
            return false;
        p = part(t, "pre_tokenizer", NULL, ++k);
    }
    for (int i = 0; i < PATTERNS && s->patterns[i] != NULL; i++) {
        if (!is_split(p, s->patterns[i]))
            return false;
        p = part(t, "pre_tokenizer", NULL, ++k);
    }
    return is_level(p, s->patterns[0] == NULL) &&
           part(t, "pre_tokenizer", NULL, k + 1) == NULL;
}

static const char *find_splitter(const struct lct_tokenizer *t)
{
    for (size_t i = 0; i < sizeof splitters / sizeof *splitters; i++)
        if (is_splitter(t, &splitters[i]))
            return splitters[i].name;
    return "default";
}

/* ------------------------------------------------------------------ spaces */

/* Does Metaspace, or a normalizer, put a space before a text? */
static bool has_prefix(const struct lct_tokenizer *t)
{
    const json_t *meta = part(t, "pre_tokenizer", "Metaspace", 0);
    const json_t *scheme = json_object_get(meta, "prepend_scheme");
    const json_t *old = json_object_get(meta, "add_prefix_space");

    if (part(t, "normalizer", "Prepend", 0) != NULL)
        return true;
    if (meta == NULL)
        return false;
    return scheme != NULL ? !is_text(scheme, "never")
                          : old == NULL || json_is_true(old);
}

/* Does a normalizer make one space of several? */
static bool joins_spaces(const struct lct_tokenizer *t)
{
    const json_t *p;

    for (size_t k = 0; (p = part(t, "normalizer", "Replace", k)) != NULL; k++)
        if (is_text(json_object_get(json_object_get(p, "pattern"), "Regex"),
                    " {2,}"))
            return true;
    return false;
}

static locant_status read_charsmap(struct lct_tokenizer *t, const char *name)
{
    const json_t *p = part(t, "normalizer", "Precompiled", 0);
    const json_t *text = json_object_get(p, "precompiled_charsmap");
    const size_t n = json_string_length(text);

    if (!json_is_string(text) || t->kind != LCT_TOKENIZER_UNIGRAM)
        return LOCANT_OK;
    t->charsmap = locant_alloc(n / 4 * 3 + 1);
    if (t->charsmap == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "%s: no memory", name);
    if (!lct_base64_read(t->charsmap, &t->n_charsmap, json_string_value(text),
                         n))
        return locant_fail(LOCANT_ERR_FORMAT,
                           "%s: normalizer.precompiled_charsmap is no base64",
                           name);
    return LOCANT_OK;
}

locant_status lct_tokenizer_parts_read(struct lct_tokenizer *t,
                                       const char *name)
{
    if (t->kind == LCT_TOKENIZER_BYTES)
        t->pre = find_splitter(t);
    t->add_bos = is_added(t, "add_bos_token", false);
    t->add_eos = is_added(t, "add_eos_token", true);
    t->space_prefix = has_prefix(t);
    t->no_extra_spaces = joins_spaces(t);
    return read_charsmap(t, name);
}
