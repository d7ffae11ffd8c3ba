/* needs: lab */
/* test_model_check_sentences.c - what findings say, and to whom */
#include "../src/encodings/yarn.h"
#include "../src/families/check.h"
#include "testing.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* A finding of the base with these keys has these texts in its sentence. */
static void says(const char *id, const char *keys, locant_stack stack,
                 const char *a, const char *b)
{
    locant_check_options o = LOCANT_CHECK_OPTIONS_INIT;
    locant_findings f;
    char text[2048];
    bool found = false;

    snprintf(text, sizeof text,
             "{\"model_type\":\"llama\",\"hidden_size\":4096,"
             "\"num_attention_heads\":32,\"num_key_value_heads\":8,"
             "\"head_dim\":128,\"num_hidden_layers\":32,"
             "\"max_position_embeddings\":131072,\"rope_theta\":500000,%s}",
             keys);
    o.stack = stack;
    CHECK_OK(locant_model_check_text(&f, text, strlen(text), "x", &o));
    for (size_t i = 0; i < f.n; i++) {
        if (strcmp(f.at[i].id, id) != 0)
            continue;
        found = true;
        if (strstr(f.at[i].sentence, a) == NULL ||
            (b != NULL && strstr(f.at[i].sentence, b) == NULL))
            FAIL("%s: %s\n", id, f.at[i].sentence);
    }
    locant_findings_free(&f);
    if (found != (a[0] != '\0'))
        FAIL("%s for stack %d: %s\n", id, (int)stack,
             found ? "found" : "missing");
}

TEST(a_sentence_states_the_numbers)
{
    says("L01", "\"rope_scaling\":{\"rope_type\":\"yarn\",\"factor\":4}",
         LOCANT_STACK_TRUE,
         "transformers 4 and 5: takes 131072 without a warning: the ramp lies "
         "at pairs 31 to 49",
         "MLX: takes 4096: the ramp lies at pairs 14 to 32");
    says("L02",
         "\"rope_scaling\":{\"rope_type\":\"yarn\",\"factor\":8,"
         "\"original_max_position_embeddings\":32768}",
         LOCANT_STACK_TRUE, "MLX: the factor: amplitude 1.207944",
         "take the ratio 4: amplitude 1.138629");
    says("D08",
         "\"rope_scaling\":{\"rope_type\":\"yarn\",\"factor\":4,"
         "\"original_max_position_embeddings\":32768,"
         "\"attn_factor\":0.8782488562869419}",
         LOCANT_STACK_TRUE,
         "vLLM: multiplied by 1.138629 x 0.878249 = 1.000000",
         "cosine and sine are multiplied by 1.138629");
}

TEST(a_stack_keeps_what_concerns_it)
{
    static const char yarn[] =
        "\"rope_scaling\":{\"rope_type\":\"yarn\",\"factor\":4}";

    says("L01", yarn, LOCANT_STACK_VLLM, " vLLM: KeyError.", NULL);
    says("L01", yarn, LOCANT_STACK_HF5, " transformers 5: takes 131072", NULL);
    /* a key of GGUF conversion does not concern transformers */
    says("G03", "\"quantization_config\":{\"quant_algo\":\"NVFP4\"}",
         LOCANT_STACK_LLAMACPP, "#22611", NULL);
    says("G03", "\"quantization_config\":{\"quant_algo\":\"NVFP4\"}",
         LOCANT_STACK_HF5, "", NULL);
}

/* Of 200 letters a third differs from any name. */
TEST(a_long_key_is_no_misspelling)
{
    char keys[512], want[512], as[201];

    memset(as, 'a', 200);
    as[200] = 0;
    snprintf(keys, sizeof keys,
             "\"rope_scaling\":{\"type\":\"linear\",\"factor\":2,\"%s\":1}",
             as);
    snprintf(want, sizeof want, "no stack knows a key '%.80s...' here.", as);
    says("X02", keys, LOCANT_STACK_TRUE, want, NULL);
}

/* Numbers that transformers 5.23 computes. */
TEST(ramps_and_amplitudes_are_those_of_transformers)
{
    static const struct {
        double rot, base, original;
        int low, high;
    } ramps[] = {
        { 128, 5e5, 4096, 14, 32 },  { 128, 5e5, 8192, 18, 35 },
        { 128, 5e5, 32768, 24, 42 }, { 128, 5e5, 131072, 31, 49 },
        { 128, 1e6, 32768, 23, 40 }, { 128, 1e6, 131072, 30, 47 },
        { 64, 1e4, 4096, 10, 23 },
    };
    static const double amplitudes[][2] = {
        { 4, 1.138629 },  { 8, 1.207944 },  { 16, 1.277259 },
        { 32, 1.346574 }, { 40, 1.368888 }, { 64, 1.415888 },
    };

    for (size_t i = 0; i < LEN(ramps); i++) {
        const struct lct_ramp r = lct_check_ramp(ramps[i].rot, ramps[i].base,
                                                 ramps[i].original, 32, 1);

        CHECK(r.low == ramps[i].low && r.high == ramps[i].high);
    }
    /* half of the last printed digit */
    for (size_t i = 0; i < LEN(amplitudes); i++)
        CHECK(fabs(lct_yarn_gain(amplitudes[i][0], 1) - amplitudes[i][1]) <
              0.5e-6);
    CHECK(fabs(pow(lct_yarn_gain(40, 0.707), 2) - 1.589626) < 0.5e-6);
    CHECK(fabs(pow(lct_yarn_gain(64, 1), 2) - 2.004740) < 0.5e-6);
}
