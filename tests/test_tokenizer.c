/* needs: lab */
/* test_tokenizer.c - tokenizer.json as keys of GGUF: kinds, types, scores,
   merges, special tokens, splitters, refusals */
#define _GNU_SOURCE
#include "../src/families/tokenizer_put.h"
#include "testing.h"
#include <string.h>

/* clang-format off */
#define ADDED                                                              \
    "\"added_tokens\":[{\"id\":0,\"content\":\"<s>\",\"special\":true},"     \
    "{\"id\":1,\"content\":\"</s>\",\"special\":true},"                      \
    "{\"id\":6,\"content\":\"<x>\",\"special\":false}],"
#define VOCAB                                                              \
    "\"vocab\":{\"<s>\":0,\"</s>\":1,\"a\":2,\"b\":3,\"ab\":4,\"aba\":5}"
#define MERGES "\"merges\":[\"a b\",[\"ab\",\"a\"]]"
#define LEVEL "{\"type\":\"ByteLevel\",\"add_prefix_space\":false}"
#define BYTES                                                              \
    "{" ADDED "\"pre_tokenizer\":" LEVEL ",\"model\":{\"type\":\"BPE\","     \
    VOCAB "," MERGES "}}"
#define PIECES                                                             \
    "{" ADDED "\"normalizer\":{\"type\":\"Prepend\",\"prepend\":\"_\"},"     \
    "\"model\":{\"byte_fallback\":true,\"unk_token\":\"a\"," VOCAB ","       \
    MERGES "}}"
static const char unigram[] =
    "{\"added_tokens\":[{\"id\":0,\"content\":\"<s>\",\"special\":true}],"
    "\"normalizer\":{\"type\":\"Sequence\",\"normalizers\":[{\"type\":"
    "\"Precompiled\",\"precompiled_charsmap\":\"AAEC\"},{\"type\":"
    "\"Replace\",\"pattern\":{\"Regex\":\" {2,}\"},\"content\":\" \"}]},"
    "\"pre_tokenizer\":{\"type\":\"Metaspace\",\"prepend_scheme\":"
    "\"always\"},\"model\":{\"type\":\"Unigram\",\"unk_id\":1,\"vocab\":"
    "[[\"<s>\",0],[\"<unk>\",0.0],[\"a\",-1.5]]}}";
#define WORDS                                                              \
    "{\"post_processor\":{\"type\":\"BertProcessing\"},\"model\":{"          \
    "\"type\":\"WordPiece\",\"unk_token\":\"[UNK]\",\"vocab\":{"             \
    "\"[UNK]\":0,\"walk\":1,\"##ing\":2,\"[\":3,\"##]\":4}}}"
#define SETTINGS                                                           \
    "{\"bos_token\":\"<s>\",\"eos_token\":{\"content\":\"</s>\"},"           \
    "\"unk_token\":null}"
/* clang-format on */

static locant_status parse(struct lct_tokenizer *t, const char *text,
                           const char *settings, int64_t rows)
{
    const struct lct_tokenizer_text both = {
        .text = text,
        .size = strlen(text),
        .settings = settings,
        .settings_size = settings ? strlen(settings) : 0,
        .name = "tokenizer.json",
        .settings_name = "tokenizer_config.json",
    };

    return lct_tokenizer_parse(t, &both, rows);
}

TEST(byte_level_has_merges_and_types)
{
    static const int32_t types[] = { 3, 3, 1, 1, 1, 1, 4, 5 };
    struct lct_tokenizer_merge m;
    struct lct_tokenizer t;

    CHECK_OK(parse(&t, BYTES, SETTINGS, 8));
    CHECK(strcmp(lct_tokenizer_model(&t), "gpt2") == 0 && t.n == 8);
    CHECK(memcmp(t.types, types, sizeof types) == 0);
    CHECK(strcmp(t.tokens[5], "aba") == 0 && t.tokens[7] == NULL);
    CHECK(strcmp(t.tokens[6], "<x>") == 0);
    CHECK(lct_tokenizer_merge(&m, &t, 1) && m.n_left == 2 &&
          memcmp(m.left, "ab", 2) == 0 && strcmp(m.right, "a") == 0);
    CHECK(t.special[LCT_TOKEN_BOS] == 0 && t.special[LCT_TOKEN_EOS] == 1);
    CHECK(t.special[LCT_TOKEN_UNK] == -1 && !t.add_bos && !t.add_eos);
    CHECK(strcmp(t.pre, "gpt-2") == 0);
    lct_tokenizer_free(&t);
}

/* llama.cpp joins the pair whose token has the largest score: the first merge
   must beat the second, and both all tokens that no merge makes. */
TEST(scores_of_pieces_are_in_the_order_of_merges)
{
    struct lct_tokenizer t;

    CHECK_OK(parse(&t, PIECES, SETTINGS, 0));
    CHECK(strcmp(lct_tokenizer_model(&t), "llama") == 0 && t.n == 7);
    CHECK(t.scores[4] == 0 && t.scores[5] == -1);
    CHECK(t.scores[2] == -2 && t.scores[3] == -2);
    CHECK(t.types[2] == LCT_TOKEN_UNKNOWN && t.special[LCT_TOKEN_UNK] == 2);
    CHECK(t.space_prefix && strcmp(t.pre, "default") == 0);
    lct_tokenizer_free(&t);
}

TEST(unigram_has_its_scores_and_map)
{
    struct lct_tokenizer t;

    CHECK_OK(parse(&t, unigram, NULL, 4));
    CHECK(strcmp(lct_tokenizer_model(&t), "t5") == 0);
    CHECK(t.scores[2] == -1.5F && t.types[1] == LCT_TOKEN_UNKNOWN);
    CHECK(t.scores[3] == -10000 && t.types[3] == LCT_TOKEN_UNUSED);
    CHECK(t.space_prefix && t.no_extra_spaces && t.n_charsmap == 3);
    CHECK(t.charsmap[0] == 0 && t.charsmap[1] == 1 && t.charsmap[2] == 2);
    lct_tokenizer_free(&t);
}

/* Text i of the key. */
static void check_text(const struct lct_gguf *g, const char *key, uint64_t i,
                       const char *want)
{
    const struct lct_gguf_value *v = lct_gguf_find(g, key);
    struct lct_text text;

    CHECK(v != NULL && lct_gguf_text(&text, g, v, i));
    if (text.n != strlen(want) || memcmp(text.bytes, want, text.n) != 0)
        FAIL("%s[%d]: %.*s, %s expected\n", key, (int)i, (int)text.n,
             text.bytes, want);
}

static struct lct_gguf *written(const char *text, const char *settings,
                                int64_t rows, unsigned char **bytes)
{
    struct lct_gguf_write w = { 0 };
    struct lct_tokenizer t;
    struct lct_gguf *g;
    size_t size;

    CHECK_OK(parse(&t, text, settings, rows));
    lct_tokenizer_put(&w, &t);
    CHECK_OK(lct_gguf_write_header(bytes, &size, &w));
    CHECK_OK(lct_gguf_parse(&g, *bytes, size, "x"));
    lct_tokenizer_free(&t);
    lct_gguf_write_free(&w);
    return g;
}

/* WordPiece marks what continues a word, GGUF what begins one. */
TEST(words_begin_with_a_space)
{
    static const char *const want[] = { "[UNK]", "\xe2\x96\x81walk",
                                        "ing",   "\xe2\x96\x81[",
                                        "]",     "[PAD5]" };
    unsigned char *bytes;
    struct lct_gguf *g = written(WORDS, NULL, 6, &bytes);
    int64_t add = 0;

    for (uint64_t i = 0; i < LEN(want); i++)
        check_text(g, "tokenizer.ggml.tokens", i, want[i]);
    check_text(g, "tokenizer.ggml.model", 0, "bert");
    CHECK(lct_gguf_integer(
        &add, g, lct_gguf_find(g, "tokenizer.ggml.add_bos_token"), 0));
    CHECK(add == 1 && !lct_gguf_find(g, "tokenizer.ggml.merges"));
    lct_gguf_close(g);
    locant_release(bytes);
}

TEST(merges_are_pairs_with_a_space)
{
    unsigned char *bytes;
    struct lct_gguf *g = written(BYTES, SETTINGS, 8, &bytes);

    check_text(g, "tokenizer.ggml.merges", 0, "a b");
    check_text(g, "tokenizer.ggml.merges", 1, "ab a");
    CHECK(!lct_gguf_find(g, "tokenizer.ggml.scores"));
    lct_gguf_close(g);
    locant_release(bytes);
}

/* clang-format off */
#define SPLIT(pattern)                                                     \
    "{\"type\":\"Split\",\"behavior\":\"Isolated\",\"invert\":false,"        \
    "\"pattern\":{\"Regex\":\"" pattern "\"}},"
#define CUT                                                                \
    "{\"type\":\"ByteLevel\",\"add_prefix_space\":false,\"use_regex\":false}"
#define DIGITS "{\"type\":\"Digits\",\"individual_digits\":true},"
#define BY_DIGITS(digits)                                                  \
    "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\\\r\\\\n\\\\p{L}\\\\p{N}]?\\\\p{L}+|"  \
    digits "| ?[^\\\\s\\\\p{L}\\\\p{N}]+[\\\\r\\\\n]*|\\\\s*[\\\\r\\\\n]+|"  \
    "\\\\s+(?!\\\\S)|\\\\s+"
#define HAN "[\\u4e00-\\u9fa5\\u3040-\\u309f\\u30a0-\\u30ff]+"
#define MARKS                                                              \
    "[!\\\"#$%&'()*+,\\\\-./:;<=>?@\\\\[\\\\\\\\\\\\]^_`{|}~][A-Za-z]+|"     \
    "[^\\r\\n\\\\p{L}\\\\p{P}\\\\p{S}]?[\\\\p{L}\\\\p{M}]+| ?[\\\\p{P}"      \
    "\\\\p{S}]+[\\r\\n]*|\\\\s*[\\r\\n]+|\\\\s+(?!\\\\S)|\\\\s+"
/* clang-format on */

/* The patterns as llama-vocab.cpp quotes them from tokenizer.json. */
static const struct {
    const char *parts, *ignore, *clean, *pre;
} splitters[] = {
    { SPLIT(BY_DIGITS("\\\\p{N}{1,3}")) CUT, "true", "true", "llama-bpe" },
    { SPLIT(BY_DIGITS("\\\\p{N}{1,3}")) CUT, "false", "true", "dbrx" },
    { SPLIT(BY_DIGITS("\\\\p{N}")) CUT, "false", "true", "qwen2" },
    { SPLIT("\\\\p{N}{1,3}") SPLIT(HAN) SPLIT(MARKS) CUT, "false", "true",
      "deepseek-v3" },
    { LEVEL, "false", "true", "gpt-2" },
    { DIGITS LEVEL, "false", "true", "starcoder" },
    { DIGITS LEVEL, "false", "false", "command-r" },
    { SPLIT(BY_DIGITS("\\\\p{N}")) CUT, "true", "true", "default" },
    { SPLIT(BY_DIGITS("\\\\p{N}")) LEVEL, "false", "true", "default" },
    { SPLIT(BY_DIGITS("\\\\p{N}{2}")) CUT, "false", "true", "default" },
    { SPLIT(HAN) SPLIT("\\\\p{N}{1,3}") SPLIT(MARKS) CUT, "false", "true",
      "default" },
    { SPLIT("\\\\p{N}{1,3}") SPLIT(HAN) CUT, "false", "true", "default" },
    { LEVEL "," LEVEL, "false", "true", "default" },
    { CUT, "false", "true", "default" },
};

TEST(splitters_are_known_by_their_whole_pattern)
{
    for (size_t i = 0; i < LEN(splitters); i++) {
        struct lct_tokenizer t;
        char text[2048], settings[128];

        snprintf(text, sizeof text,
                 "{" ADDED "\"pre_tokenizer\":{\"type\":\"Sequence\","
                 "\"pretokenizers\":[%s]},\"decoder\":" LEVEL ",\"model\":{"
                 "\"type\":\"BPE\",\"ignore_merges\":%s," VOCAB "," MERGES "}}",
                 splitters[i].parts, splitters[i].ignore);
        snprintf(settings, sizeof settings,
                 "{\"clean_up_tokenization_spaces\":%s}", splitters[i].clean);
        CHECK_OK(parse(&t, text, settings, 8));
        if (strcmp(t.pre, splitters[i].pre) != 0)
            FAIL("%d: %s, %s expected\n", (int)i, t.pre, splitters[i].pre);
        lct_tokenizer_free(&t);
    }
}

/* A template says what is added, unless a switch does. */
TEST(templates_and_switches_add_tokens)
{
    static const char text[] =
        "{" ADDED "\"decoder\":" LEVEL ",\"post_processor\":{\"type\":"
        "\"Sequence\",\"processors\":[" LEVEL ",{\"type\":"
        "\"TemplateProcessing\",\"single\":[{\"SpecialToken\":{}},"
        "{\"Sequence\":{}}]}]},\"model\":{\"type\":\"BPE\"," VOCAB "," MERGES
        "}}";
    struct lct_tokenizer t;

    CHECK_OK(parse(&t, text, NULL, 8));
    CHECK(t.add_bos && !t.add_eos);
    lct_tokenizer_free(&t);
    CHECK_OK(
        parse(&t, text, "{\"add_bos_token\":false,\"add_eos_token\":true}", 8));
    CHECK(!t.add_bos && t.add_eos);
    lct_tokenizer_free(&t);
}

#define MODEL(text) "{\"decoder\":{\"type\":\"ByteLevel\"},\"model\":" text "}"

static const struct {
    const char *text;
    locant_status status;
    const char *sentence;
} hostile[] = {
    { "{}", LOCANT_ERR_FORMAT, "model is no object" },
    { "{\"model\":{\"type\":\"WordLevel\"}}", LOCANT_ERR_UNSUPPORTED,
      "model.type is 'WordLevel', BPE, Unigram or WordPiece expected" },
    { "{\"model\":{\"type\":\"BPE\",\"merges\":[]}}", LOCANT_ERR_UNSUPPORTED,
      "its BPE is neither of bytes (ByteLevel) nor of SentencePiece "
      "(Metaspace or byte_fallback)" },
    { MODEL("{\"type\":\"BPE\",\"end_of_word_suffix\":\"</w>\"}"),
      LOCANT_ERR_UNSUPPORTED,
      "model.end_of_word_suffix is '</w>', '' expected" },
    { MODEL("{\"type\":\"BPE\",\"vocab\":[]}"), LOCANT_ERR_FORMAT,
      "model.vocab is no object, as model.type says" },
    { MODEL("{\"type\":\"Unigram\",\"vocab\":{}}"), LOCANT_ERR_FORMAT,
      "model.vocab is no array, as model.type says" },
    { MODEL("{\"type\":\"Unigram\",\"vocab\":[[\"a\"]]}"), LOCANT_ERR_FORMAT,
      "model.vocab[0] is no pair of a text and a score" },
    { MODEL("{\"type\":\"BPE\",\"vocab\":{\"a\":8},\"merges\":[]}"),
      LOCANT_ERR_FORMAT, "the id of token 'a' is 8, 0 to 7 expected" },
    { MODEL("{\"type\":\"BPE\",\"vocab\":{\"a\":-1},\"merges\":[]}"),
      LOCANT_ERR_FORMAT, "the id of token 'a' is -1, 0 to 7 expected" },
    { MODEL("{\"type\":\"BPE\",\"vocab\":{\"a\":0.5},\"merges\":[]}"),
      LOCANT_ERR_FORMAT, "the id of token 'a' is no whole number" },
    { MODEL("{\"type\":\"BPE\",\"vocab\":{\"a\":1,\"b\":1}}"),
      LOCANT_ERR_FORMAT, "id 1 is that of both tokens 'a' and 'b'" },
    { MODEL("{\"type\":\"BPE\",\"vocab\":{\"a\":1}}"), LOCANT_ERR_FORMAT,
      "model.merges is no array" },
    { MODEL("{\"type\":\"BPE\",\"vocab\":{\"a\":1},\"merges\":[\"aa\"]}"),
      LOCANT_ERR_FORMAT, "model.merges[0] is no pair of texts" },
    { MODEL("{\"type\":\"BPE\",\"vocab\":{\"a\":1},\"merges\":[\"a a\"]}"),
      LOCANT_ERR_FORMAT, "model.merges[0]: 'aa' is no token" },
    { MODEL("{\"type\":\"BPE\",\"vocab\":{\" \":1,\"  \":2},"
            "\"merges\":[[\" \",\" \"]]}"),
      LOCANT_ERR_UNSUPPORTED,
      "model.merges[0]: a space within a part, which GGUF files cannot "
      "say" },
    { MODEL("{\"type\":\"BPE\",\"vocab\":{\"a\":1},\"merges\":[],"
            "\"unk_token\":\"?\"}"),
      LOCANT_ERR_FORMAT, "model.unk_token is '?', which is no token" },
    { MODEL("{\"type\":\"Unigram\",\"unk_id\":9,\"vocab\":[]}"),
      LOCANT_ERR_FORMAT, "model.unk_id is 9, 0 to 7 expected" },
    { "{\"added_tokens\":[{\"id\":99,\"content\":\"<s>\"}],\"model\":"
      "{\"type\":\"WordPiece\",\"vocab\":{}}}",
      LOCANT_ERR_FORMAT, "the id of token '<s>' is 99, 0 to 7 expected" },
    { "{\"added_tokens\":[{\"id\":1}],\"model\":{\"type\":\"WordPiece\","
      "\"vocab\":{}}}",
      LOCANT_ERR_FORMAT, "added_tokens[0].content is no text" },
    { "{\"normalizer\":{\"type\":\"Precompiled\",\"precompiled_charsmap\":"
      "\"?\"},\"model\":{\"type\":\"Unigram\",\"vocab\":[]}}",
      LOCANT_ERR_FORMAT, "normalizer.precompiled_charsmap is no base64" },
};

TEST(refuses_hostile_files)
{
    for (size_t i = 0; i < LEN(hostile); i++) {
        struct lct_tokenizer t;
        char want[256];

        snprintf(want, sizeof want, "tokenizer.json: %s", hostile[i].sentence);
        CHECK_REFUSED(parse(&t, hostile[i].text, NULL, 8), hostile[i].status,
                      want);
        lct_tokenizer_free(&t);
    }
}

/* One id more than the model has rows of embeddings. */
TEST(refuses_more_tokens_than_embeddings)
{
    struct lct_tokenizer t;

    CHECK_REFUSED(parse(&t, BYTES, NULL, 5), LOCANT_ERR_FORMAT,
                  "tokenizer.json: 6 tokens, but the model has 5 embeddings");
    lct_tokenizer_free(&t);
    CHECK_REFUSED(parse(&t, BYTES, NULL, 6), LOCANT_ERR_FORMAT,
                  "tokenizer.json: the id of token '<x>' is 6, 0 to 5 "
                  "expected");
    lct_tokenizer_free(&t);
    CHECK_REFUSED(parse(&t, BYTES, NULL, (1 << 24) + 1), LOCANT_ERR_FORMAT,
                  "tokenizer.json: the model has 16777217 embeddings, at most "
                  "16777216 expected");
    lct_tokenizer_free(&t);
}

TEST(survives_lack_of_memory)
{
    static const char *const texts[] = { BYTES, PIECES, unigram, WORDS };

    for (size_t i = 0; i < LEN(texts); i++)
        for (long k = 1;; k++) {
            struct lct_tokenizer t;
            locant_status status;

            test_memory_fail(k);
            status = parse(&t, texts[i], NULL, 8);
            lct_tokenizer_free(&t);
            if (status == LOCANT_OK)
                break;
            if (status != LOCANT_ERR_NOMEM)
                FAIL("allocation %ld: %s\n", k, locant_last_error());
            CHECK(test_memory_held() == 0);
        }
    test_memory_end();
}
