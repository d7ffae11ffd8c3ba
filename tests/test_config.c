/* needs: lab */
/* test_config.c - configurations of models: dialects, text parts, bad files */
#define _GNU_SOURCE
#include "../src/families/config.h"
#include "../src/files/gguf.h"
#include "gguf_bytes.h"
#include "scratch_case.h"
#include <math.h>

static struct lct_config parsed(const char *text)
{
    struct lct_config c;

    CHECK_OK(lct_config_parse(&c, text, strlen(text), "x"));
    return c;
}

static void refused(const char *text, const char *sentence)
{
    struct lct_config c;
    char want[512];

    snprintf(want, sizeof want, "x: %s", sentence);
    CHECK_REFUSED(lct_config_parse(&c, text, strlen(text), "x"),
                  LOCANT_ERR_FORMAT, want);
    lct_config_free(&c);
}

struct dialect {
    const char *text, *model;
    enum lct_dialect dialect;
    bool nested;
};

TEST(knows_the_dialects)
{
    static const struct dialect rows[] = {
        { "{\"model_type\":\"llama\",\"rope_theta\":1}", "llama",
          LCT_DIALECT_HF4, false },
        { "{\"model_type\":\"qwen2\",\"rope_parameters\":{}}", "qwen2",
          LCT_DIALECT_HF5, false },
        { "{\"model_type\":\"gemma3\",\"text_config\":{\"model_type\":"
          "\"gemma3_text\",\"rope_parameters\":{}}}",
          "gemma3_text", LCT_DIALECT_HF5, true },
        { "{\"model_type\":\"internvl\",\"llm_config\":{}}", "internvl",
          LCT_DIALECT_HF4, true },
        { "{\"model_type\":\"a\",\"language_config\":{\"model_type\":\"b\"}}",
          "b", LCT_DIALECT_HF4, true },
        { "{\"model_type\":\"o\",\"thinker_config\":{\"text_config\":"
          "{\"model_type\":\"t\"}}}",
          "t", LCT_DIALECT_HF4, true },
        { "{\"model_type\":\"a\",\"text_config\":null}", "a", LCT_DIALECT_HF4,
          false },
        { "{\"dim\":8,\"n_layers\":1,\"n_heads\":2,\"multiple_of\":4}", "llama",
          LCT_DIALECT_META, false },
        { "{\"dim\":8,\"n_layers\":1,\"n_heads\":2,\"hidden_dim\":4}",
          "mistral", LCT_DIALECT_MISTRAL, false },
        { "{\"dim\":8,\"n_layers\":1,\"n_heads\":2,\"hidden_dim\":4,"
          "\"moe\":{}}",
          "mixtral", LCT_DIALECT_MISTRAL, false },
    };

    for (size_t i = 0; i < LEN(rows); i++) {
        struct lct_config c = parsed(rows[i].text);

        CHECK(c.dialect == rows[i].dialect);
        CHECK(strcmp(c.model_type, rows[i].model) == 0);
        CHECK((c.text != c.root) == rows[i].nested);
        CHECK(strcmp(c.file, "x") == 0);
        lct_config_free(&c);
    }
}

TEST(values_have_types)
{
    struct lct_config c =
        parsed("{\"model_type\":\"m\",\"i\":4,\"r\":0.5,\"t\":\"a\",\"b\":true,"
               "\"n\":null,\"inf\":-Infinity,"
               "\"nan\":[NaN,Infinity],\"text\":\"NaN \\\" Infinity\"}");
    const char *text;
    int64_t i;
    double r;
    bool b;

    CHECK(lct_config_integer(&i, c.text, "i") == LCT_RIGHT && i == 4);
    CHECK(lct_config_integer(&i, c.text, "r") == LCT_WRONG);
    CHECK(lct_config_integer(&i, c.text, "n") == LCT_ABSENT);
    CHECK(lct_config_integer(&i, c.text, "none") == LCT_ABSENT);
    CHECK(lct_config_real(&r, c.text, "i") == LCT_RIGHT && r == 4);
    CHECK(lct_config_real(&r, c.text, "r") == LCT_RIGHT && r == 0.5);
    CHECK(lct_config_real(&r, c.text, "t") == LCT_WRONG);
    CHECK(lct_config_real(&r, c.text, "inf") == LCT_ABSENT);
    CHECK(lct_config_bool(&b, c.text, "b") == LCT_RIGHT && b);
    CHECK(lct_config_bool(&b, c.text, "i") == LCT_WRONG);
    CHECK(lct_config_bool(&b, c.text, "n") == LCT_ABSENT);
    CHECK(lct_config_text(&text, c.text, "t") == LCT_RIGHT && *text == 'a');
    CHECK(lct_config_text(&text, c.text, "i") == LCT_WRONG);
    CHECK(lct_config_text(&text, c.text, "n") == LCT_ABSENT);
    CHECK(lct_config_text(&text, c.text, "text") == LCT_RIGHT);
    CHECK(strcmp(text, "NaN \" Infinity") == 0);
    lct_config_free(&c);
}

TEST(values_are_shown)
{
    static const char *const rows[][2] = {
        { "\"yarn\"", "the text 'yarn'" },
        { "-4", "-4" },
        { "0.5", "0.5" },
        { "[1,2]", "an array of 2" },
        { "{}", "an object" },
        { "true", "true" },
        { "false", "false" },
        { "null", "null" },
    };
    char shown[LCT_CONFIG_SHOWN];

    for (size_t i = 0; i < LEN(rows); i++) {
        json_t *value = json_loads(rows[i][0], JSON_DECODE_ANY, NULL);

        CHECK(strcmp(lct_config_show(shown, value), rows[i][1]) == 0);
        json_decref(value);
    }
    CHECK(strcmp(lct_config_show(shown, NULL), "absent") == 0);
}

TEST(refuses_bad_texts)
{
    static char deep[100002];

    refused("", "line 1, column 0: '[' or '{' expected near end of file");
    refused("[]", "is an array, an object is required");
    refused("{\"a\":1,\"a\":2}",
            "line 1, column 10: duplicate object key near '\"a\"'");
    refused("{\"a\":\n1", "line 2, column 1: '}' expected near end of file");
    refused("{}", "has no model_type, nor dim, n_layers and n_heads as a "
                  "params.json has");
    refused("{\"model_type\":3}", "model_type: 3, a text expected");
    refused("{\"model_type\":\"a\",\"text_config\":{\"model_type\":[]}}",
            "model_type: an array of 0, a text expected");
    refused("{\"model_type\":\"\xff\"}",
            "line 1, column 15: unable to decode byte 0xff near '\"'");
    memset(deep, '[', sizeof deep - 1);
    refused(deep, "has 100001 objects and arrays, at most 100000 allowed");
}

static struct gguf_bytes file;

static void put_array(const char *key, int type, uint64_t n)
{
    put_value(&file, key, LCT_GGUF_ARRAY, (uint64_t)type, 4);
    put_number(&file, n, 8);
}

static void make_gguf(int architecture)
{
    put_header(&file, 3, 0, 9);
    if (architecture == LCT_GGUF_TEXT) {
        put_value(&file, "general.architecture", LCT_GGUF_TEXT, 5, 8);
        put_bytes(&file, "llama", 5);
    } else {
        put_value(&file, "general.architecture", architecture, 5, 4);
    }
    put_value(&file, "llama.rope.freq_base", LCT_GGUF_F32, 0x47c35000, 4);
    put_value(&file, "big", LCT_GGUF_U64, UINT64_MAX, 8);
    put_value(&file, "nan", LCT_GGUF_F32, 0x7fc00000, 4);
    put_array("flags", LCT_GGUF_BOOL, 2);
    put_number(&file, 1, 2);
    put_array("words", LCT_GGUF_TEXT, 3);
    put_text(&file, "a");
    put_text(&file, "\xff");
    put_text(&file, "c");
    put_array("heads", LCT_GGUF_I32, 2);
    put_number(&file, 0x800000020, 8);
    put_value(&file, "n", LCT_GGUF_I8, 0xff, 1);
    put_value(&file, "zero", LCT_GGUF_TEXT, 3, 8);
    put_bytes(&file, "a\0b", 3);
    put_zeros(&file, 32);
}

IN_SCRATCH(keys_of_gguf_are_an_object)
{
    struct lct_config c;
    const json_t *array;
    const char *text;
    int64_t n;
    double r;

    make_gguf(LCT_GGUF_TEXT);
    scratch_write(scratch_file(&dir, "m.gguf"), file.bytes, file.size);
    CHECK_OK(lct_config_read(&c, scratch_file(&dir, "m.gguf")));
    CHECK(c.dialect == LCT_DIALECT_GGUF && strcmp(c.model_type, "llama") == 0);
    CHECK(lct_config_real(&r, c.text, "llama.rope.freq_base") == LCT_RIGHT);
    CHECK(r == 1e5);
    CHECK(lct_config_integer(&n, c.text, "n") == LCT_RIGHT && n == -1);
    CHECK(lct_config_integer(&n, c.text, "big") == LCT_ABSENT);
    CHECK(lct_config_real(&r, c.text, "nan") == LCT_ABSENT);
    CHECK(lct_config_text(&text, c.text, "zero") == LCT_WRONG);
    CHECK(json_is_true(json_array_get(json_object_get(c.text, "flags"), 0)));
    CHECK(json_is_false(json_array_get(json_object_get(c.text, "flags"), 1)));
    array = json_object_get(c.text, "words");
    CHECK(json_array_size(array) == 3);
    CHECK(strcmp(json_string_value(json_array_get(array, 0)), "a") == 0);
    CHECK(json_is_null(json_array_get(array, 1)));
    CHECK(strcmp(json_string_value(json_array_get(array, 2)), "c") == 0);
    array = json_object_get(c.text, "heads");
    CHECK(json_integer_value(json_array_get(array, 0)) == 32);
    CHECK(json_integer_value(json_array_get(array, 1)) == 8);
    lct_config_free(&c);
}

/* A float32 of a short decimal number is that number; any other is itself. */
IN_SCRATCH(reals_of_gguf_are_as_they_were_written)
{
    static const struct {
        uint32_t bits;
        double want;
    } rows[] = {
        { 0x358637bd, 1e-6 },   /* 9.99999997e-07 */
        { 0x3d90cb29, 0.0707 }, /* 0.0706999972 */
        { 0x35800000, 0x1p-20 }, { 0x3eaaaaab, (double)(1.0F / 3) },
        { 0xc0200000, -2.5 },
    };
    struct lct_config c;
    double x = 0;

    for (size_t i = 0; i < LEN(rows); i++) {
        put_header(&file, 3, 0, 2);
        put_value(&file, "general.architecture", LCT_GGUF_TEXT, 5, 8);
        put_bytes(&file, "llama", 5);
        put_value(&file, "x", LCT_GGUF_F32, rows[i].bits, 4);
        scratch_write(scratch_file(&dir, "m.gguf"), file.bytes, file.size);
        CHECK_OK(lct_config_read(&c, scratch_file(&dir, "m.gguf")));
        CHECK(lct_config_real(&x, c.root, "x") == LCT_RIGHT);
        CHECK(x == rows[i].want);
        lct_config_free(&c);
    }
}

TEST(refuses_gguf_without_architecture)
{
    struct lct_config c;

    make_gguf(LCT_GGUF_U32);
    CHECK_REFUSED(lct_config_parse(&c, (char *)file.bytes, file.size, "x"),
                  LOCANT_ERR_FORMAT,
                  "x: general.architecture: 5, a text expected");
    lct_config_free(&c);
    put_header(&file, 3, 0, 1);
    put_value(&file, "a", LCT_GGUF_U32, 1, 4);
    put_zeros(&file, 32);
    CHECK_REFUSED(lct_config_parse(&c, (char *)file.bytes, file.size, "x"),
                  LOCANT_ERR_FORMAT, "x: has no general.architecture");
    lct_config_free(&c);
    put_header(&file, 3, 0, 1);
    put_value(&file, "\xff", LCT_GGUF_U32, 1, 4);
    put_zeros(&file, 32);
    CHECK_REFUSED(lct_config_parse(&c, (char *)file.bytes, file.size, "x"),
                  LOCANT_ERR_FORMAT,
                  "x: key '\\xff': is not UTF-8 without zero bytes");
    lct_config_free(&c);
}

/* A vocabulary would only cost memory. */
TEST(long_arrays_of_gguf_are_left_out)
{
    static unsigned char bytes[200000];
    struct lct_config c;

    put_header(&file, 3, 0, 3);
    put_value(&file, "general.architecture", LCT_GGUF_TEXT, 1, 8);
    put_bytes(&file, "a", 1);
    put_array("short", LCT_GGUF_U8, 65536);
    memcpy(bytes, file.bytes, file.size);
    {
        size_t at = file.size + 65536;

        file.size = 0;
        put_array("long", LCT_GGUF_U8, 65537);
        memcpy(bytes + at, file.bytes, file.size);
    }
    CHECK_OK(lct_config_parse(&c, (char *)bytes, sizeof bytes, "x"));
    CHECK(json_array_size(json_object_get(c.text, "short")) == 65536);
    CHECK(json_object_get(c.text, "long") == NULL);
    lct_config_free(&c);
}

IN_SCRATCH(folders_have_a_configuration)
{
    static const char hf[] = "{\"model_type\":\"llama\"}";
    static const char meta[] = "{\"dim\":1,\"n_layers\":1,\"n_heads\":1}";
    struct lct_config c;
    char want[4096];

    snprintf(want, sizeof want, "%s: has no config.json and no params.json",
             dir.path);
    CHECK_REFUSED(lct_config_read(&c, dir.path), LOCANT_ERR_IO, want);
    scratch_write(scratch_file(&dir, "params.json"), meta, strlen(meta));
    CHECK_OK(lct_config_read(&c, dir.path));
    CHECK(c.dialect == LCT_DIALECT_META);
    lct_config_free(&c);
    scratch_write(scratch_file(&dir, "config.json"), hf, strlen(hf));
    CHECK_OK(lct_config_read(&c, dir.path));
    CHECK(c.dialect == LCT_DIALECT_HF4);
    lct_config_free(&c);
    CHECK_OK(lct_config_read(&c, scratch_file(&dir, "params.json")));
    CHECK(c.dialect == LCT_DIALECT_META);
    lct_config_free(&c);
}

TEST(survives_lack_of_memory)
{
    static const char text[] = "{\"model_type\":\"a\"}";
    struct lct_config c;
    locant_status status;

    make_gguf(LCT_GGUF_TEXT);
    for (int gguf = 0; gguf < 2; gguf++)
        for (long k = 1;; k++) {
            test_memory_fail(k);
            status =
                gguf ? lct_config_parse(&c, (char *)file.bytes, file.size, "x")
                     : lct_config_parse(&c, text, strlen(text), "x");
            lct_config_free(&c);
            if (status == LOCANT_OK) {
                test_memory_end();
                break;
            }
            CHECK(status == LOCANT_ERR_NOMEM && test_memory_held() == 0);
        }
}
