/* needs: lab */
/* test_plan_gguf.c - plans of GGUF files: keys, defaults, tensors, pairing */
#define _GNU_SOURCE
#include "gguf_bytes.h"
#include "locant/encoding.h"
#include "locant/models.h"
#include "scratch.h"
#include "testing.h"
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static struct gguf_bytes file;
static uint64_t values, tensors;
static struct gguf_bytes header, data;

static void begin(const char *architecture)
{
    file.size = header.size = data.size = 0;
    values = 1;
    tensors = 0;
    put_text(&file, "general.architecture");
    put_number(&file, 8, 4);
    put_text(&file, architecture);
}

static void whole(const char *key, uint64_t n)
{
    put_value(&file, key, 4, n, 4);
    values++;
}

static void real(const char *key, float x)
{
    uint32_t bits;

    memcpy(&bits, &x, 4);
    put_value(&file, key, 6, bits, 4);
    values++;
}

static void word(const char *key, const char *text)
{
    put_text(&file, key);
    put_number(&file, 8, 4);
    put_text(&file, text);
    values++;
}

/* A tensor of floats in a row. */
static void floats(const char *name, const float *x, uint64_t n)
{
    put_text(&header, name);
    put_number(&header, 1, 4);
    put_number(&header, n, 8);
    put_number(&header, 0, 4);
    put_number(&header, data.size, 8);
    put_bytes(&data, x, n * sizeof *x);
    put_zeros(&data, 32);
    tensors++;
}

/* The sizes of a small model of an architecture. */
static void sizes(const char *arch, uint64_t layers, uint64_t width)
{
    static const char *const keys[] = { "block_count", "embedding_length",
                                        "attention.head_count",
                                        "attention.head_count_kv",
                                        "context_length" };
    const uint64_t n[] = { layers, 4 * width, 4, 2, 131072 };

    begin(arch);
    for (int i = 0; i < 5; i++) {
        char key[64];

        snprintf(key, sizeof key, "%s.%s", arch, keys[i]);
        whole(key, n[i]);
    }
}

/* Write the file and read its plan. */
static locant_status written(locant_plan **out, locant_stack as)
{
    FREED_BY(scratch_remove) struct scratch s = scratch_make();
    char path[PATH_MAX];
    struct gguf_bytes start;
    FILE *f;
    locant_status status;

    snprintf(path, sizeof path, "%s/model.gguf", s.path);
    put_header(&start, 3, tensors, values);
    f = fopen(path, "wb");
    CHECK(f != NULL);
    put_bytes(&start, file.bytes, file.size);
    put_bytes(&start, header.bytes, header.size);
    put_zeros(&start, 32);
    fwrite(start.bytes, 1, start.size, f);
    fwrite(data.bytes, 1, data.size, f);
    fclose(f);
    status = locant_plan_read(out, path, as);
    return status;
}

/* The file is refused; the message ends with 'want'. */
static void gguf_refused(locant_status status, const char *want)
{
    locant_plan *p;
    const char *got;

    CHECK(written(&p, LOCANT_STACK_TRUE) == status && p == NULL);
    got = strstr(locant_last_error(), "model.gguf");
    assert_string_equal(got, want);
}

static void gguf_is(const char *want)
{
    locant_plan *p;
    locant_encoding *e;

    CHECK_OK(written(&p, LOCANT_STACK_TRUE));
    CHECK_OK(locant_encoding_create(&e, want));
    assert_string_equal(locant_plan_spec(p, 0), locant_encoding_spec(e));
    locant_encoding_free(e);
    locant_plan_free(p);
}

TEST(gguf_takes_the_pairing_of_its_architecture)
{
    sizes("llama", 2, 64);
    real("llama.rope.freq_base", 500000);
    gguf_is("rope(base=500000,pairing=interleaved)");
    sizes("qwen2", 2, 64);
    gguf_is("rope");
    sizes("llama", 2, 64);
    word("locant.pairing", "half");
    gguf_is("rope");
}

/* The note of a value says which key of the file it came from. */
static void note_is(const json_t *notes, const char *field, const char *key,
                    const char *origin)
{
    const json_t *note;
    size_t i;

    json_array_foreach(notes, i, note) {
        if (strcmp(json_string_value(json_object_get(note, "field")), field))
            continue;
        if (key == NULL)
            assert_false(json_is_string(json_object_get(note, "key")));
        else
            assert_string_equal(json_string_value(json_object_get(note, "key")),
                                key);
        assert_string_equal(json_string_value(json_object_get(note, "origin")),
                            origin);
        return;
    }
    FAIL("there is no note of %s", field);
}

TEST(gguf_notes_name_the_keys_of_the_file)
{
    const json_t *notes;
    locant_plan *p;
    json_t *plan;
    char *text;

    sizes("qwen3", 2, 64);
    real("qwen3.rope.freq_base", 500000);
    CHECK_OK(written(&p, LOCANT_STACK_TRUE));
    CHECK_OK(locant_plan_json(&text, NULL, p));
    plan = json_loads(text, 0, NULL);
    notes = json_object_get(json_array_get(json_object_get(plan, "towers"), 0),
                            "notes");
    note_is(notes, "layers", "qwen3.block_count", "given");
    note_is(notes, "base", "qwen3.rope.freq_base", "given");
    note_is(notes, "rope_type", "qwen3.rope.scaling.type", "default");
    note_is(notes, "use_sliding_window", NULL, "derived");
    json_decref(plan);
    locant_release(text);
    locant_plan_free(p);
}

TEST(gguf_scales_linearly_unless_a_type_is_given)
{
    sizes("qwen2", 2, 64);
    real("qwen2.rope.scaling.factor", 4);
    gguf_is("rope(scaling=linear(factor=4))");
    sizes("qwen2", 2, 64);
    real("qwen2.rope.scaling.factor", 4);
    word("qwen2.rope.scaling.type", "yarn");
    whole("qwen2.rope.scaling.original_context_length", 32768);
    gguf_is("rope(scaling=yarn(factor=4,original=32768))");
    real("qwen2.rope.scaling.yarn_ext_factor", 0);
    gguf_is("rope(scaling=linear(factor=4))");
}

/* What the converter of llama.cpp writes for Llama 3.1, in float32. */
TEST(gguf_divisors_of_llama_3_are_known)
{
    float x[32];

    for (int c = 0; c < 32; c++) {
        float wave = 2 * 3.14159265f * powf(500000, (float)c / 32);
        float smooth = (8192 / wave - 1) / 3;

        x[c] = wave < 2048   ? 1
               : wave > 8192 ? 32
                             : 1 / ((1 - smooth) / 32 + smooth);
    }
    sizes("llama", 2, 64);
    real("llama.rope.freq_base", 500000);
    floats("rope_freqs.weight", x, 32);
    gguf_is("rope(base=500000,pairing=interleaved,scaling=llama3(factor=32))");
    sizes("llama", 2, 8);
    floats("rope_freqs.weight", (float[]){ 1, 1, 2, 4 }, 4);
    gguf_is("rope(pairing=interleaved,freqs=list(values="
            "1:0.1:0.005:0.00025))");
}

/* The original length is that of the file, not 4096 of Phi-3's class. */
TEST(gguf_lists_of_longrope)
{
    static const int originals[] = { 4096, 1024 };

    for (size_t i = 0; i < LEN(originals); i++) {
        char want[128];

        sizes("phi3", 2, 8);
        whole("phi3.rope.scaling.original_context_length",
              (uint64_t)originals[i]);
        real("phi3.rope.scaling.attn_factor", 1.25f);
        floats("rope_factors_long.weight", (float[]){ 1, 2, 4, 8 }, 4);
        floats("rope_factors_short.weight", (float[]){ 1, 1, 1, 2 }, 4);
        snprintf(want, sizeof want,
                 "rope(scaling=longrope(original=%d,attention=1.25,"
                 "short=1:1:1:2,long=1:2:4:8))",
                 originals[i]);
        gguf_is(want);
    }
}

TEST(gguf_of_gemma_3_scales_full_layers_alone)
{
    sizes("gemma3", 6, 64);
    whole("gemma3.attention.sliding_window", 512);
    real("gemma3.rope.freq_base", 1000000);
    real("gemma3.rope.scaling.factor", 8);
    gguf_is("layers(local=window(size=512)+rope,"
            "global=rope(base=1000000,scaling=linear(factor=8)),period=6)");
}

TEST(gguf_of_deepseek_has_its_factor_on_scores)
{
    sizes("deepseek2", 2, 64);
    whole("deepseek2.attention.key_length", 192);
    whole("deepseek2.attention.value_length", 128);
    whole("deepseek2.rope.dimension_count", 64);
    word("deepseek2.rope.scaling.type", "yarn");
    real("deepseek2.rope.scaling.factor", 40);
    whole("deepseek2.rope.scaling.original_context_length", 4096);
    real("deepseek2.rope.scaling.yarn_log_multiplier", 0.125f);
    gguf_is("rope(dim=64,side=trailing,pairing=interleaved,scaling=yarn("
            "factor=40,original=4096,mscale=1.25,mscale-all=1.25,"
            "score=yes))");
}

TEST(gguf_refuses_what_it_cannot_mean)
{
    locant_plan *p;

    sizes("llama", 2, 64);
    word("llama.rope.freq_base", "big");
    gguf_refused(LOCANT_ERR_FORMAT,
                 "model.gguf: llama.rope.freq_base is the text 'big', "
                 "expected a number");
    begin("lama");
    CHECK(written(&p, LOCANT_STACK_TRUE) == LOCANT_ERR_UNSUPPORTED);
    CHECK(strstr(locant_last_error(), "did you mean 'llama'?") != NULL);
    sizes("llama", 2, 64);
    floats("rope_freqs.weight", (float[]){ 1, 1, 3, 4 }, 4);
    gguf_refused(LOCANT_ERR_FORMAT,
                 "model.gguf: rope_freqs.weight has 4 numbers, expected 32, "
                 "one for each pair");
    sizes("phi3", 2, 8);
    floats("rope_factors_long.weight", (float[]){ 1, 2, 4, 8 }, 4);
    floats("rope_factors_short.weight", (float[]){ 1, 0, 1, 2 }, 4);
    gguf_refused(LOCANT_ERR_FORMAT,
                 "model.gguf: rope_factors_short.weight[1] is 0, expected a "
                 "number above 0");
    sizes("llama", 2, 64);
    word("locant.pairing", "both");
    gguf_refused(LOCANT_ERR_FORMAT,
                 "model.gguf: locant.pairing is 'both', expected half or "
                 "interleaved");
}
