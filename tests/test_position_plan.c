/* needs: lab */
/*
 * test_position_plan.c - rules by which keys become a plan: the order of
 * transformers, params.json, other programs; passports and refusals
 */
#include "../src/families/plan_spec.h"
#include "../src/families/position_plan.h"
#include "locant/models.h"
#include "testing.h"
#include <jansson.h>
#include <stdio.h>
#include <string.h>

/* Llama 3 without its rotary keys; rows end the object. */
#define LLAMA                                                                  \
    "{\"model_type\":\"llama\",\"hidden_size\":4096,"                          \
    "\"num_attention_heads\":32,\"num_hidden_layers\":2,"                      \
    "\"max_position_embeddings\":131072"

static locant_plan *parsed(const char *text, locant_stack as)
{
    locant_plan *p;

    CHECK_OK(locant_plan_parse(&p, text, strlen(text), "config.json", as));
    return p;
}

/* The spec of the first tower, as another program reads the text. */
static void is_as(const char *text, locant_stack as, const char *want)
{
    locant_plan *p = parsed(text, as);
    locant_encoding *e;

    CHECK_OK(locant_encoding_create(&e, want));
    assert_string_equal(locant_plan_spec(p, 0), locant_encoding_spec(e));
    locant_encoding_free(e);
    locant_plan_free(p);
}

static void is(const char *text, const char *want)
{
    is_as(text, LOCANT_STACK_TRUE, want);
}

static void refused(const char *text, locant_status status, const char *want)
{
    locant_plan *p = (locant_plan *)text;

    CHECK_REFUSED(locant_plan_parse(&p, text, strlen(text), "config.json",
                                    LOCANT_STACK_TRUE),
                  status, want);
    CHECK(p == NULL);
}

/* -------------------------------------------------- the order of resolution */

TEST(rope_scaling_replaces_rope_parameters)
{
    is(LLAMA ",\"rope_scaling\":{\"rope_type\":\"linear\",\"factor\":2},"
             "\"rope_parameters\":{\"rope_theta\":700000}}",
       "rope(scaling=linear(factor=2))");
    is(LLAMA ",\"rope_scaling\":{},\"rope_parameters\":{\"rope_theta\":"
             "700000}}",
       "rope(base=700000)");
}

TEST(the_inner_base_wins)
{
    is(LLAMA ",\"rope_theta\":500000,\"rope_parameters\":{\"rope_theta\":"
             "1000000}}",
       "rope(base=1000000)");
    is(LLAMA ",\"rope_theta\":500000,\"rope_scaling\":{\"type\":\"linear\","
             "\"factor\":4}}",
       "rope(base=500000,scaling=linear(factor=4))");
}

TEST(rope_type_wins_over_type)
{
    is(LLAMA ",\"rope_scaling\":{\"type\":\"linear\",\"rope_type\":\"yarn\","
             "\"factor\":4,\"original_max_position_embeddings\":32768}}",
       "rope(scaling=yarn(factor=4,original=32768))");
    is_as(LLAMA ",\"rope_scaling\":{\"type\":\"linear\",\"rope_type\":"
                "\"yarn\",\"factor\":4,"
                "\"original_max_position_embeddings\":32768}}",
          LOCANT_STACK_MLX, "rope(scaling=linear(factor=4))");
}

TEST(the_outer_original_length_wins)
{
    is(LLAMA ",\"original_max_position_embeddings\":8192,\"rope_scaling\":{"
             "\"type\":\"yarn\",\"factor\":4,"
             "\"original_max_position_embeddings\":32768}}",
       "rope(scaling=yarn(factor=4,original=8192))");
    is(LLAMA ",\"rope_scaling\":{\"type\":\"yarn\",\"factor\":4}}",
       "rope(scaling=yarn(factor=4,original=131072))");
}

TEST(a_nested_dictionary_of_a_flat_class_is_ignored)
{
    is(LLAMA ",\"rope_parameters\":{\"full_attention\":{\"rope_theta\":"
             "700000}}}",
       "rope");
}

TEST(a_flat_dictionary_of_a_nested_class_is_lost)
{
    is("{\"model_type\":\"gemma3_text\",\"sliding_window\":512,"
       "\"rope_parameters\":{\"rope_theta\":700000}}",
       "layers(local=window(size=512)+rope,global=rope(base=1000000),"
       "period=6)");
}

TEST(partial_factors_count_only_where_the_class_reads_them)
{
    is(LLAMA ",\"partial_rotary_factor\":0.5}", "rope");
    is("{\"model_type\":\"phi\",\"partial_rotary_factor\":0.25}",
       "rope(dim=16)");
    is("{\"model_type\":\"phi\",\"partial_rotary_factor\":0.25,"
       "\"rope_parameters\":{\"partial_rotary_factor\":0.75}}",
       "rope(dim=48)");
    is("{\"model_type\":\"minimax_m2\",\"rotary_dim\":32}",
       "rope(base=5000000,dim=32)");
    is("{\"model_type\":\"minimax_m2\",\"rotary_dim\":32,"
       "\"partial_rotary_factor\":0.5}",
       "rope(base=5000000,dim=64)");
}

TEST(mscale_counts_in_pairs_alone)
{
    is(LLAMA ",\"rope_scaling\":{\"type\":\"yarn\",\"factor\":40,"
             "\"original_max_position_embeddings\":4096,"
             "\"mscale_all_dim\":1}}",
       "rope(scaling=yarn(factor=40,original=4096))");
    is(LLAMA ",\"rope_scaling\":{\"type\":\"yarn\",\"factor\":40,"
             "\"original_max_position_embeddings\":4096,\"mscale\":0.5,"
             "\"mscale_all_dim\":1}}",
       "rope(scaling=yarn(factor=40,original=4096,mscale=0.5,"
       "mscale-all=1))");
}

TEST(windows_of_qwen_2_begin_at_a_layer)
{
    is("{\"model_type\":\"qwen2\",\"num_hidden_layers\":4,"
       "\"use_sliding_window\":true,\"sliding_window\":64,"
       "\"max_window_layers\":2}",
       "layers(local=rope,global=window(size=64)+rope,"
       "map=list(local:local:global:global))");
    is("{\"model_type\":\"qwen2\",\"sliding_window\":64}", "rope");
    is("{\"model_type\":\"mistral\"}", "window(size=4096)+rope");
}

TEST(layers_share_keys_with_the_last_of_their_kind)
{
    struct lct_position_plan p;
    struct lct_config c;
    static const char text[] =
        "{\"model_type\":\"gemma3n_text\",\"num_hidden_layers\":15,"
        "\"num_kv_shared_layers\":5}";

    CHECK_OK(lct_config_parse(&c, text, strlen(text), "x"));
    CHECK_OK(lct_position_plan_of(&p, &c));
    CHECK(p.towers[0].layers[9].keys_of == -1);
    CHECK(p.towers[0].layers[10].keys_of == 8);
    CHECK(p.towers[0].layers[14].keys_of == 9);
    lct_position_plan_free(&p);
    lct_config_free(&c);
}

/* ---------------------------------------------------------- other programs */

TEST(transformers_4_reads_the_top_level)
{
    is_as(LLAMA ",\"rope_theta\":500000,\"rope_parameters\":{\"rope_theta\":"
                "1000000}}",
          LOCANT_STACK_HF4, "rope(base=500000)");
    is_as(LLAMA ",\"rope_scaling\":{\"type\":\"yarn\",\"factor\":8,"
                "\"original_max_position_embeddings\":32768}}",
          LOCANT_STACK_HF4, "rope(scaling=yarn(factor=8,original=32768))");
    is_as(LLAMA ",\"original_max_position_embeddings\":8192,"
                "\"rope_scaling\":{\"type\":\"yarn\",\"factor\":8}}",
          LOCANT_STACK_HF4, "rope(scaling=yarn(factor=8,original=131072))");
    is_as("{\"model_type\":\"olmo3\",\"sliding_window\":null}",
          LOCANT_STACK_HF4, "rope");
}

#define YARN(keys)                                                             \
    LLAMA ",\"rope_scaling\":{\"type\":\"yarn\",\"factor\":4" keys "}}"

TEST(vllm_reads_more_names)
{
    static const locant_stack vllm = LOCANT_STACK_VLLM;
    locant_plan *p;
    static const char none[] = YARN("");

    is_as(LLAMA ",\"rope_scaling\":{\"type\":\"ntk\",\"factor\":2}}", vllm,
          "rope(scaling=ntk(factor=2))");
    is_as(LLAMA ",\"partial_rotary_factor\":0.5}", vllm, "rope(dim=64)");
    is_as(LLAMA ",\"rotary_pct\":0.25,\"rotary_emb_base\":500000}", vllm,
          "rope(base=500000,dim=32)");
    CHECK_REFUSED(locant_plan_parse(&p, none, strlen(none), "x", vllm),
                  LOCANT_ERR_FORMAT,
                  "x: rope_scaling.original_max_position_embeddings is "
                  "missing, expected a length, without which vLLM fails");
    /* 0.5 (0.1 ln 4 + 1) */
    is_as(YARN(",\"original_max_position_embeddings\":32768,"
               "\"attn_factor\":0.5"),
          vllm,
          "rope(scaling=yarn(factor=4,original=32768,"
          "attention=0.56931471805599454))");
}

TEST(llama_cpp_writes_no_base_of_some_and_no_window_of_most)
{
    static const locant_stack llama_cpp = LOCANT_STACK_LLAMACPP;

    is_as("{\"model_type\":\"phi\",\"rope_theta\":500000}", llama_cpp,
          "rope(dim=32)");
    is_as("{\"model_type\":\"mistral\",\"sliding_window\":64}", llama_cpp,
          "rope");
    is_as("{\"model_type\":\"falcon\",\"alibi\":true}", llama_cpp, "rope");
    is_as(LLAMA ",\"rope_scaling\":{\"type\":\"dynamic\",\"factor\":2}}",
          llama_cpp, "rope");
    is_as(YARN(",\"truncate\":false,"
               "\"original_max_position_embeddings\":32768"),
          llama_cpp, "rope(scaling=yarn(factor=4,original=32768))");
}

TEST(mlx_has_a_default_original_length_and_one_list)
{
    static const locant_stack mlx = LOCANT_STACK_MLX;

    is_as(YARN(""), mlx, "rope(scaling=yarn(factor=4,original=4096))");
    is_as("{\"model_type\":\"qwen2_vl_text\"}", mlx, "rope(base=1000000)");
    is_as("{\"model_type\":\"phi3\",\"head_dim\":4,"
          "\"max_position_embeddings\":4096,\"rope_scaling\":{\"type\":"
          "\"longrope\",\"short_factor\":[1,2],\"long_factor\":[3,4]}}",
          mlx, "rope(scaling=longrope(original=4096,short=3:4,long=3:4))");
}

TEST(transformers_4_left_a_factor_out)
{
    static const char text[] =
        "{\"model_type\":\"deepseek_v2\",\"max_position_embeddings\":"
        "163840,\"rope_scaling\":{\"type\":\"yarn\",\"factor\":40,"
        "\"original_max_position_embeddings\":4096,\"mscale\":0.707,"
        "\"mscale_all_dim\":0.707}}";

    is_as(text, LOCANT_STACK_HF4,
          "rope(dim=64,side=trailing,pairing=interleaved,scaling=yarn("
          "factor=40,original=4096,mscale=0.707,mscale-all=0.707))");
    is_as(text, LOCANT_STACK_HF5,
          "rope(dim=64,side=trailing,pairing=interleaved,scaling=yarn("
          "factor=40,original=4096,mscale=0.707,mscale-all=0.707,"
          "score=yes))");
}

TEST(transformers_5_loses_the_type_of_a_nested_class)
{
    static const char text[] =
        "{\"model_type\":\"olmo3\",\"rope_scaling\":{\"type\":\"linear\","
        "\"factor\":2}}";

    is(text, "layers(local=window(size=4096)+rope(base=500000),"
             "global=rope(base=500000,scaling=linear(factor=2)),period=4)");
    is_as(text, LOCANT_STACK_HF5,
          "layers(local=window(size=4096)+rope(base=500000),"
          "global=rope(base=500000),period=4)");
}

TEST(transformers_4_lacks_new_classes)
{
    locant_plan *p;
    static const char text[] = "{\"model_type\":\"gemma4_text\"}";

    CHECK_REFUSED(
        locant_plan_parse(&p, text, strlen(text), "x", LOCANT_STACK_HF4),
        LOCANT_ERR_UNSUPPORTED,
        "x: transformers 4 has no class for 'gemma4_text'");
}

TEST(mpt_has_its_own_maximum_but_in_transformers)
{
    static const char text[] =
        "{\"model_type\":\"mpt\",\"attn_config\":{\"alibi_bias_max\":16}}";

    is(text, "alibi(dialect=mpt,max=16)");
    is_as(text, LOCANT_STACK_HF5, "alibi(dialect=mpt)");
}

/* ------------------------------------------------------------- params.json */

TEST(params_json_is_interleaved)
{
    is("{\"dim\":4096,\"n_layers\":32,\"n_heads\":32,\"norm_eps\":1e-5}",
       "rope(pairing=interleaved)");
    is("{\"dim\":4096,\"n_layers\":32,\"n_heads\":32,\"n_kv_heads\":8,"
       "\"rope_theta\":500000.0,\"use_scaled_rope\":true}",
       "rope(base=500000,pairing=interleaved,scaling=llama3)");
    is("{\"dim\":2048,\"n_layers\":16,\"n_heads\":32,\"n_kv_heads\":8,"
       "\"rope_theta\":500000.0,\"use_scaled_rope\":true}",
       "rope(base=500000,pairing=interleaved,scaling=llama3(factor=32))");
    is("{\"dim\":4096,\"n_layers\":2,\"n_heads\":32,\"n_kv_heads\":8,"
       "\"head_dim\":128,\"hidden_dim\":14336,\"sliding_window\":4096}",
       "window(size=4096)+rope(pairing=interleaved)");
    is("{\"dim\":4096,\"n_layers\":2,\"n_heads\":32,\"n_kv_heads\":8,"
       "\"head_dim\":128,\"hidden_dim\":14336,\"rope_theta\":1000000.0,"
       "\"yarn\":{\"factor\":16,\"beta\":32,\"alpha\":1,"
       "\"original_max_position_embeddings\":16384},"
       "\"llama_4_scaling\":{\"beta\":0.1}}",
       "temperature(kind=ministral,floor=16384)+rope(base=1000000,"
       "pairing=interleaved,scaling=yarn(factor=16,original=16384,mscale=1,"
       "mscale-all=1))");
}

/* The keys of the notes of a plan, in their order. */
static void notes_are(const char *text, const char *want)
{
    locant_plan *p = parsed(text, LOCANT_STACK_TRUE);
    char *json, got[512] = "";
    const json_t *notes, *note;
    json_t *plan;
    size_t i, n = 0;

    CHECK_OK(locant_plan_json(&json, NULL, p));
    plan = json_loads(json, 0, NULL);
    notes = json_object_get(json_array_get(json_object_get(plan, "towers"), 0),
                            "notes");
    json_array_foreach(notes, i, note) {
        const char *key = json_string_value(json_object_get(note, "key"));

        n += (size_t)snprintf(got + n, sizeof got - n, "%s%s", n > 0 ? " " : "",
                              key != NULL ? key : "-");
    }
    assert_string_equal(got, want);
    json_decref(plan);
    locant_release(json);
    locant_plan_free(p);
}

/* A word of 66 letters, longer than the keys of plans. */
#define LONG                                                                   \
    "abcdefghijklmnopqrstuvabcdefghijklmnopqrstuvabcdefghijklmnopqrstuv"

TEST(params_json_is_told_by_its_own_keys)
{
    notes_are("{\"dim\":2048,\"n_layers\":16,\"n_heads\":32,\"n_kv_heads\":8,"
              "\"rope_theta\":500000.0,\"use_scaled_rope\":true}",
              "n_layers dim n_heads use_scaled_rope n_kv_heads - "
              "use_scaled_rope rope_theta use_scaled_rope use_scaled_rope");
    notes_are("{\"dim\":4096,\"n_layers\":2,\"n_heads\":32,\"n_kv_heads\":8,"
              "\"head_dim\":128,\"hidden_dim\":14336,\"max_seq_len\":65536,"
              "\"yarn\":{\"factor\":16,\"beta\":32,\"alpha\":1,"
              "\"original_max_position_embeddings\":16384}}",
              "n_layers dim n_heads max_seq_len n_kv_heads head_dim "
              "yarn rope_theta "
              "yarn.original_max_position_embeddings yarn.factor");
    refused("{\"dim\":4096,\"n_layers\":32,\"n_heads\":7,\"n_kv_heads\":2}",
            LOCANT_ERR_FORMAT,
            "config.json: n_heads is 7 and n_kv_heads 2, expected a multiple "
            "of it");
    refused(
        "{\"dim\":\"4096\",\"n_layers\":32,\"n_heads\":8}", LOCANT_ERR_FORMAT,
        "config.json: dim is the text '4096', expected a whole number of 1 to "
        "1099511627776");
    refused("{\"dim\":\"" LONG "\",\"n_layers\":32,\"n_heads\":8}",
            LOCANT_ERR_FORMAT,
            "config.json: dim is the text '" LONG "', expected a whole number "
            "of 1 to 1099511627776");
}

/* --------------------------------------------------------------- passports */

static void same_passport(const char *a, const char *b, bool same)
{
    locant_plan *p = parsed(a, LOCANT_STACK_TRUE);
    locant_plan *q = parsed(b, LOCANT_STACK_TRUE);

    CHECK((strcmp(locant_plan_hash(p), locant_plan_hash(q)) == 0) == same);
    locant_plan_free(p);
    locant_plan_free(q);
}

TEST(a_passport_is_of_what_is_computed)
{
    same_passport(LLAMA ",\"rope_theta\":500000}",
                  LLAMA ",\"rope_parameters\":{\"rope_theta\":500000.0,"
                        "\"rope_type\":\"default\"}}",
                  true);
    same_passport(LLAMA "}", LLAMA ",\"rope_theta\":10001}", false);
    same_passport("{\"model_type\":\"granite\",\"attention_multiplier\":1}",
                  "{\"model_type\":\"granite\",\"attention_multiplier\":2}",
                  false);
}

/* ------------------------------------------------------------------ images */

/* The tower of a config without keys of images: its layers, their head, what is
   added to patches, and which of the first 8 layers have windows. */
static void tower_is(const char *type, int64_t layers, int64_t head,
                     const char *input, const char *windows)
{
    struct lct_position_plan p;
    struct lct_config c;
    char text[128], found[9] = "";

    snprintf(text, sizeof text, "{\"model_type\":\"%s\",\"vision_config\":{}}",
             type);
    CHECK_OK(lct_config_parse(&c, text, strlen(text), "config.json"));
    CHECK_OK(lct_position_plan_of(&p, &c));
    CHECK(p.n_towers == 2 && p.towers[1].n_layers == layers);
    CHECK(p.towers[1].layers[0].qk_dim == head);
    assert_string_equal(p.towers[1].input, input);
    for (int i = 0; i < 8; i++)
        found[i] = p.towers[1].layers[i].grid_window == 8 ? 'w' : '.';
    assert_string_equal(found, windows);
    lct_position_plan_free(&p);
    lct_config_free(&c);
}

TEST(towers_for_images_have_the_values_of_their_classes)
{
    tower_is("qwen2_vl", 32, 80, "none", "........");
    tower_is("qwen2_5_vl", 32, 224, "none", "wwwwwww.");
    tower_is("qwen3_vl", 27, 72, "learned(length=2304)", "........");
    tower_is("qwen3_vl_moe", 27, 72, "learned(length=2304)", "........");
}

TEST(mrope_has_the_pairing_of_its_files)
{
    static const char text[] = "{\"model_type\":\"qwen2_vl\"}";
    struct lct_position_plan p;
    struct lct_config c;

    CHECK_OK(lct_config_parse(&c, text, strlen(text), "config.json"));
    c.pairing = LCT_PAIRING_INTERLEAVED; /* as its weights record */
    CHECK_OK(lct_position_plan_of(&p, &c));
    assert_string_equal(p.towers[0].layers[0].spec,
                        "mrope(base=1000000,pairing=interleaved)");
    lct_position_plan_free(&p);
    lct_config_free(&c);
}

/* A change of the hash makes every published passport invalid. */
TEST(the_passport_of_llama_3_1_stays)
{
    locant_plan *p = parsed(
        LLAMA ",\"rope_theta\":500000.0,\"rope_scaling\":{\"factor\":8.0,"
              "\"low_freq_factor\":1.0,\"high_freq_factor\":4.0,"
              "\"original_max_position_embeddings\":8192,"
              "\"rope_type\":\"llama3\"}}",
        LOCANT_STACK_TRUE);

    assert_string_equal(locant_plan_hash(p),
                        "5b37a3ee13701a9e72729a802d427193"
                        "2603c26327f1fd5a2d5812daf1634ddd");
    locant_plan_free(p);
}

/* ---------------------------------------------------------------- refusals */

TEST(refuses_wrong_keys)
{
    refused(LLAMA ",\"rope_theta\":\"10000\"}", LOCANT_ERR_FORMAT,
            "config.json: rope_theta is the text '10000', expected a number "
            "above 0");
    refused(LLAMA ",\"rope_scaling\":[]}", LOCANT_ERR_FORMAT,
            "config.json: rope_scaling is an array of 0, expected an object "
            "of keys and values");
    refused(LLAMA ",\"rope_scaling\":{\"type\":\"ntk\",\"factor\":2}}",
            LOCANT_ERR_FORMAT,
            "config.json: rope_scaling.rope_type is the text 'ntk', which "
            "transformers 5 refuses in this class, expected default, linear, "
            "dynamic, yarn, longrope, llama3 or proportional");
    refused(LLAMA ",\"rope_scaling\":{\"type\":\"linear\",\"factor\":-1}}",
            LOCANT_ERR_FORMAT,
            "config.json: rope_scaling.factor is -1, expected a number above "
            "0");
    refused(LLAMA ",\"num_key_value_heads\":5}", LOCANT_ERR_FORMAT,
            "config.json: num_attention_heads is 32 and num_key_value_heads "
            "5, expected a multiple of it");
    refused("{\"model_type\":\"llama\",\"num_hidden_layers\":32.5}",
            LOCANT_ERR_FORMAT,
            "config.json: num_hidden_layers is 32.5, expected a whole number "
            "of 1 to 1099511627776");
    refused("{\"model_type\":\"swin\",\"num_heads\":[3,400,12,24]}",
            LOCANT_ERR_FORMAT,
            "config.json: num_heads is an array of 4, expected no more heads "
            "than the 192 channels of stage 2");
    refused("{\"model_type\":\"llama\",\"num_hidden_layers\":5000}",
            LOCANT_ERR_FORMAT,
            "config.json: num_hidden_layers is 5000, expected at most 4096 "
            "layers");
    refused("{\"model_type\":\"stablelm\",\"head_dim\":30,"
            "\"partial_rotary_factor\":0.3}",
            LOCANT_ERR_FORMAT,
            "config.json: 0.3 of the 30 channels of a head are rotated, which "
            "is 9 channels, expected an even number, at least 2");
    refused("{\"model_type\":\"llama4_text\",\"num_hidden_layers\":4,"
            "\"no_rope_layers\":[3,1,1,0]}",
            LOCANT_ERR_FORMAT,
            "config.json: no_rope_layers is 3, expected 0 or 1, where 1 means "
            "rotated, as its entry 0");
}

TEST(names_the_nearest_family)
{
    locant_plan *p;
    static const char text[] = "{\"model_type\":\"lama\"}";

    CHECK(locant_plan_parse(&p, text, strlen(text), "config.json",
                            LOCANT_STACK_TRUE) == LOCANT_ERR_UNSUPPORTED);
    CHECK(strstr(locant_last_error(),
                 "config.json: model_type is 'lama', which is no known "
                 "family; did you mean 'llama'? known: albert, ") != NULL);
}

TEST(refuses_bad_arguments)
{
    locant_plan *p;

    REFUSES(NULL, locant_plan_parse(NULL, "", 0, "x", LOCANT_STACK_TRUE),
            "out is NULL");
    REFUSES(PARAM, locant_plan_parse(&p, "", 0, "x", (locant_stack)9),
            "as is 9, expected a LOCANT_STACK_*");
}

TEST(survives_lack_of_memory)
{
    static const char text[] =
        "{\"model_type\":\"gemma3_text\",\"num_hidden_layers\":7}";
    locant_plan *p;
    locant_status status;

    for (long k = 1;; k++) {
        test_memory_fail(k);
        status =
            locant_plan_parse(&p, text, strlen(text), "x", LOCANT_STACK_TRUE);
        if (status == LOCANT_OK)
            break;
        CHECK(status == LOCANT_ERR_NOMEM && p == NULL);
        CHECK(test_memory_held() == 0);
    }
    locant_plan_free(p);
    test_memory_end();
}
