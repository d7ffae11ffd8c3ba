/* needs: lab */
/* test_convert_latent.c - latent attention: kv_b in two tensors, and in one */
#define _GNU_SOURCE
#include "../src/families/convert_latent.h"
#include "../src/files/gguf_write.h"
#include "convert_case.h"
#include <dirent.h>

#define L "model.layers.0."

/* clang-format off */
static const char config[] =
    "{\"model_type\":\"deepseek_v3\",\"num_hidden_layers\":1,"
    "\"hidden_size\":8,\"num_attention_heads\":2,\"num_key_value_heads\":2,"
    "\"q_lora_rank\":null,\"kv_lora_rank\":6,\"qk_nope_head_dim\":3,"
    "\"qk_rope_head_dim\":4,\"v_head_dim\":5,\"max_position_embeddings\":64,"
    "\"rope_scaling\":{\"rope_type\":\"yarn\",\"factor\":4.0,\"mscale\":"
    "0.707,\"mscale_all_dim\":0.707,\"original_max_position_embeddings\":"
    "16},\"rms_norm_eps\":1e-06}";
/* clang-format on */

static const struct checkpoint_tensor tensors[] = {
    { "model.embed_tokens.weight", "BF16", { 16, 8 } },
    { L "self_attn.q_proj.weight", "BF16", { 14, 8 } },
    { L "self_attn.kv_a_proj_with_mqa.weight", "BF16", { 10, 8 } },
    { L "self_attn.kv_a_layernorm.weight", "F32", { 6 } },
    { L "self_attn.kv_b_proj.weight", "BF16", { 16, 6 } },
    { L "mlp.gate.e_score_correction_bias", "F32", { 4 } },
    { "model.layers.1.self_attn.kv_b_proj.weight", "BF16", { 16, 6 } },
    { "model.layers.1.eh_proj.weight", "BF16", { 8, 16 } },
};
enum { OWN = LEN(tensors) - 2 }; /* the others predict further tokens */

static double number(const struct lct_weight *t, int64_t i)
{
    double x;

    CHECK(t != NULL);
    lct_weight_doubles(&x, t, i, 1);
    return x;
}

/* k_b [H, rank, nope] and v_b [H, v, rank] by their definition. */
IN_SCRATCH(halves_are_those_of_each_head)
{
    enum { HEADS = 2, NOPE = 3, VALUES = 5, RANK = 6 };
    const struct lct_weight *kv, *k, *v;
    struct lct_weights *a, *b;

    checkpoint_write(scratch_file(&dir, "a"), config, tensors, OWN, NULL);
    converted("a", "b", LOCANT_MODEL_GGUF, LOCANT_MODEL_UNSAID);
    CHECK_OK(lct_weights_open(&a, scratch_file(&dir, "a")));
    CHECK_OK(lct_weights_open(&b, scratch_file(&dir, "b")));
    kv = lct_weights_find(a, L "self_attn.kv_b_proj.weight");
    k = lct_weights_find(b, "blk.0.attn_k_b.weight");
    v = lct_weights_find(b, "blk.0.attn_v_b.weight");
    CHECK(k->rank == 3 && k->shape[1] == RANK && k->shape[2] == NOPE);
    CHECK(v->rank == 3 && v->shape[1] == VALUES && v->shape[2] == RANK);
    CHECK(strcmp(k->type->name, "BF16") == 0);
    for (int h = 0; h < HEADS; h++)
        for (int r = 0; r < RANK; r++) {
            const int row = h * (NOPE + VALUES);

            for (int c = 0; c < NOPE; c++)
                CHECK(number(k, (h * RANK + r) * NOPE + c) ==
                      number(kv, (row + c) * RANK + r));
            for (int c = 0; c < VALUES; c++)
                CHECK(number(v, (h * VALUES + c) * RANK + r) ==
                      number(kv, (row + NOPE + c) * RANK + r));
        }
    CHECK(lct_weights_find(b, "blk.0.attn_kv_b.weight") == NULL);
    CHECK(lct_weights_find(b, "blk.0.exp_probs_b.bias") != NULL);
    lct_weights_close(a);
    lct_weights_close(b);
}

/* transformers repeats keys of fewer heads, and GGUF counts one. */
IN_SCRATCH(models_come_back_from_gguf)
{
    struct lct_config c;
    int64_t heads = 0;

    checkpoint_write(scratch_file(&dir, "a"), config, tensors, OWN, NULL);
    converted("a", "b", LOCANT_MODEL_GGUF, LOCANT_MODEL_UNSAID);
    converted("b", "c", LOCANT_MODEL_SAFETENSORS, LOCANT_MODEL_INTERLEAVED);
    check_same("a", "c");
    check_positions("a", "c");
    CHECK_OK(lct_config_read(&c, scratch_file(&dir, "c")));
    CHECK(lct_config_integer(&heads, c.root, "num_key_value_heads") ==
          LCT_RIGHT);
    CHECK(heads == 2);
    lct_config_free(&c);
}

/* What llama.cpp does not run is counted, not written. */
IN_SCRATCH(predictors_of_further_tokens_are_left_out)
{
    locant_convert_options o = LOCANT_CONVERT_OPTIONS_INIT;
    locant_conversion done;
    struct lct_weights *w;

    o.format = LOCANT_MODEL_GGUF;
    checkpoint_write(scratch_file(&dir, "a"), config, tensors, LEN(tensors),
                     NULL);
    CHECK_OK(locant_model_convert(&done, scratch_file(&dir, "a"),
                                  scratch_file(&dir, "b"), &o));
    CHECK(done.lost == 2 && strcmp(done.tokenizer, "none") == 0);
    CHECK_OK(lct_weights_open(&w, scratch_file(&dir, "b")));
    for (size_t i = 0; lct_weights_at(w, i) != NULL; i++)
        CHECK(strncmp(lct_weights_at(w, i)->name, "blk.1.", 6) != 0);
    lct_weights_close(w);
}

/* Write a copy of b/model.gguf as c/model.gguf, without the tensor 'half', or
   with kv_b of 'a' in place of both halves if it is NULL. */
static void write_older(const char *half)
{
    struct lct_gguf_write w = { 0 };
    const struct lct_weight *list[16], *t;
    struct lct_weights *a, *b;
    unsigned char *header;
    char path[PATH_MAX];
    size_t n = 0, size;
    FILE *file;

    CHECK_OK(lct_weights_open(&a, scratch_file(&dir, "a")));
    CHECK_OK(lct_weights_open(&b, scratch_file(&dir, "b")));
    for (size_t i = 0; i < lct_weights_gguf(b)->n_values; i++)
        lct_gguf_write_value(&w, lct_weights_gguf(b),
                             &lct_weights_gguf(b)->values[i]);
    for (size_t i = 0; (t = lct_weights_at(b, i)) != NULL; i++)
        if (half != NULL ? strcmp(t->name, half) != 0
                         : strstr(t->name, "_b.weight") == NULL) {
            lct_gguf_write_tensor(&w, t->name, t->type, t->rank, t->shape);
            list[n++] = t;
        }
    t = lct_weights_find(a, L "self_attn.kv_b_proj.weight");
    if (half == NULL) {
        lct_gguf_write_tensor(&w, "blk.0.attn_kv_b.weight", t->type, t->rank,
                              t->shape);
        list[n++] = t;
    }
    CHECK_OK(lct_gguf_write_header(&header, &size, &w));
    mkdir(scratch_file(&dir, "c"), 0777);
    snprintf(path, sizeof path, "%s/model.gguf", scratch_file(&dir, "c"));
    file = fopen(path, "wb");
    CHECK(file != NULL && fwrite(header, 1, size, file) == size);
    for (size_t i = 0; i < n; i++) {
        static const unsigned char zeros[LCT_GGUF_ALIGNMENT];

        CHECK(fwrite(list[i]->data, 1, list[i]->bytes, file) == list[i]->bytes);
        size = (LCT_GGUF_ALIGNMENT - list[i]->bytes % LCT_GGUF_ALIGNMENT) %
               LCT_GGUF_ALIGNMENT;
        CHECK(fwrite(zeros, 1, size, file) == size);
    }
    CHECK(fclose(file) == 0);
    lct_weights_close(a);
    lct_weights_close(b);
    locant_release(header);
    lct_gguf_write_free(&w);
}

IN_SCRATCH(older_files_with_the_whole_matrix_come_back)
{
    checkpoint_write(scratch_file(&dir, "a"), config, tensors, OWN, NULL);
    converted("a", "b", LOCANT_MODEL_GGUF, LOCANT_MODEL_UNSAID);
    write_older(NULL);
    converted("c", "d", LOCANT_MODEL_SAFETENSORS, LOCANT_MODEL_INTERLEAVED);
    check_same("a", "d");
    check_positions("a", "d");
}

IN_SCRATCH(half_a_matrix_is_refused)
{
    static const char *const halves[] = { "attn_k_b", "attn_v_b" };
    locant_convert_options o = LOCANT_CONVERT_OPTIONS_INIT;
    locant_conversion done;

    checkpoint_write(scratch_file(&dir, "a"), config, tensors, OWN, NULL);
    converted("a", "b", LOCANT_MODEL_GGUF, LOCANT_MODEL_UNSAID);
    o.format = LOCANT_MODEL_SAFETENSORS;
    o.pairing = LOCANT_MODEL_INTERLEAVED;
    for (int i = 0; i < 2; i++) {
        char name[32], want[160];

        snprintf(name, sizeof name, "blk.0.%s.weight", halves[i]);
        snprintf(want, sizeof want,
                 "model.gguf: tensor 'blk.0.%s.weight': is half of a matrix "
                 "whose other half, %s, is absent",
                 halves[1 - i], halves[i]);
        write_older(name);
        CHECK(locant_model_convert(&done, scratch_file(&dir, "c"),
                                   scratch_file(&dir, "d"),
                                   &o) == LOCANT_ERR_UNSUPPORTED);
        CHECK(strstr(locant_last_error(), want) != NULL);
        CHECK(access(scratch_file(&dir, "d"), F_OK) != 0);
    }
}

/* mscale and mscale_all_dim that differ are in no key. */
IN_SCRATCH(refuses_factors_that_no_key_says)
{
    static const char with[] = "\"mscale\":0.707";
    static const char without[] = "\"mscale\":0.5  ";
    locant_convert_options o = LOCANT_CONVERT_OPTIONS_INIT;
    locant_conversion done;
    char changed[sizeof config];

    memcpy(changed, config, sizeof config);
    memcpy(strstr(changed, with), without, strlen(with));
    checkpoint_write(scratch_file(&dir, "a"), changed, tensors, OWN, NULL);
    o.format = LOCANT_MODEL_GGUF;
    CHECK(locant_model_convert(&done, scratch_file(&dir, "a"),
                               scratch_file(&dir, "b"),
                               &o) == LOCANT_ERR_UNSUPPORTED);
    CHECK(strstr(locant_last_error(), "no key of GGUF says the positions") !=
          NULL);
    CHECK(access(scratch_file(&dir, "b"), F_OK) != 0);
}

static int entries(void)
{
    DIR *folder = opendir(dir.path);
    int n = 0;

    CHECK(folder != NULL);
    while (readdir(folder) != NULL)
        n++;
    closedir(folder);
    return n;
}

/* Whichever allocation fails, on either way: nothing leaks, and no folder is
   left behind. */
static void check_memory(const char *from, const char *to,
                         const locant_convert_options *o)
{
    char a[PATH_MAX], b[PATH_MAX];
    const int before = entries();
    locant_conversion done;
    locant_status status;

    snprintf(a, sizeof a, "%s", scratch_file(&dir, from));
    snprintf(b, sizeof b, "%s", scratch_file(&dir, to));
    for (long k = 1;; k++) {
        test_memory_fail(k);
        status = locant_model_convert(&done, a, b, o);
        if (status == LOCANT_OK)
            break;
        if (status != LOCANT_ERR_NOMEM)
            FAIL("allocation %ld: %s\n", k, locant_last_error());
        CHECK(test_memory_held() == 0 && entries() == before);
    }
    test_memory_end();
}

IN_SCRATCH(survives_lack_of_memory)
{
    static const char tokenizer[] =
        "{\"model\":{\"type\":\"BPE\",\"byte_fallback\":true,\"vocab\":{"
        "\"a\":0,\"b\":1,\"ab\":2},\"merges\":[\"a b\"]}}";
    locant_convert_options o = LOCANT_CONVERT_OPTIONS_INIT;
    char folder[PATH_MAX];

    checkpoint_write(scratch_file(&dir, "a"), config, tensors, OWN, NULL);
    snprintf(folder, sizeof folder, "%s", scratch_file(&dir, "a"));
    checkpoint_put(folder, "tokenizer.json", tokenizer, strlen(tokenizer));
    checkpoint_put(folder, "tokenizer_config.json", "{}", 2);
    o.format = LOCANT_MODEL_GGUF;
    check_memory("a", "b", &o);
    o.format = LOCANT_MODEL_SAFETENSORS;
    o.pairing = LOCANT_MODEL_INTERLEAVED;
    check_memory("b", "c", &o);
}
