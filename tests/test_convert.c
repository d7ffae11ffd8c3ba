/* needs: lab */
/* test_convert.c - weights of another pairing: rows moved, scores unchanged */
#define _GNU_SOURCE
#include "../src/families/convert_verify.h"
#include "checkpoint_folder.h"
#include "locant/models.h"
#include "scratch_case.h"
#include <dirent.h>
#include <math.h>

static const char *const pairings[] = { "half", "interleaved" };

static struct lct_weights *opened(const char *folder)
{
    struct lct_weights *w;

    CHECK_OK(lct_weights_open(&w, folder));
    return w;
}

/* Convert folder 'from' into folder 'to', both of the scratch folder. */
static locant_conversion converted(const char *from, const char *to,
                                   locant_model_pairing pairing)
{
    locant_convert_options o = LOCANT_CONVERT_OPTIONS_INIT;
    locant_conversion done;

    o.pairing = pairing;
    o.verify = 1;
    CHECK_OK(locant_model_convert(&done, scratch_file(&dir, from),
                                  scratch_file(&dir, to), &o));
    return done;
}

static void refused(const char *from, const locant_convert_options *o,
                    locant_status status, const char *sentence)
{
    const char *to = scratch_file(&dir, "refused");
    locant_conversion done;
    char want[8192];

    snprintf(want, sizeof want, "%s/%s", dir.path, sentence);
    CHECK_REFUSED(locant_model_convert(&done, scratch_file(&dir, from), to, o),
                  status, *sentence == ' ' ? sentence + 1 : want);
    CHECK(access(to, F_OK) != 0);
}

/* Do two checkpoints have the same bytes? */
static bool same(const struct lct_weights *a, const struct lct_weights *b)
{
    const struct lct_weight *t, *u;

    for (size_t i = 0; (t = lct_weights_at(a, i)) != NULL; i++) {
        u = lct_weights_find(b, t->name);
        if (u == NULL || u->bytes != t->bytes ||
            memcmp(u->data, t->data, t->bytes) != 0)
            return false;
    }
    return true;
}

/* pi(2c) = c, pi(2c + 1) = c + r/2, the others stay. */
static int64_t pi_of(int64_t j, int64_t first, int64_t r)
{
    const int64_t k = j - first;

    return k < 0 || k >= r ? j : first + (k % 2 ? k / 2 + r / 2 : k / 2);
}

/* ------------------------------------------------------------------- models */

#define SIZES                                                                  \
    "\"num_hidden_layers\":1,\"hidden_size\":12,\"num_attention_heads\":4,"    \
    "\"num_key_value_heads\":2,\"head_dim\":6,\"max_position_embeddings\":64"
#define L "model.layers.0.self_attn."

/* A model: how many of its tensors move, and the first of them. */
struct model {
    const char *config;
    int64_t moved;
    struct checkpoint_tensor tensors[10];
};

static const struct model models[] = {
    { "{\"model_type\":\"llama\"," SIZES "}",
      5,
      { { L "q_proj.weight", "BF16", { 24, 12 } },
        { L "k_proj.weight", "BF16", { 12, 12 } },
        { L "v_proj.weight", "BF16", { 12, 12 } },
        { L "q_proj.bias", "F32", { 24 } },
        { L "k_proj.bias", "F32", { 12 } },
        { "model.layers.1.self_attn.k_proj.weight", "F16", { 12, 12 } } } },
    /* quantised rows and their scales: one for each row, one for all */
    { "{\"model_type\":\"llama\"," SIZES "}",
      4,
      { { L "q_proj.weight", "F8_E4M3", { 24, 12 } },
        { L "q_proj.weight_scale", "F32", { 24, 1 } },
        { L "k_proj.weight", "I8", { 12, 12 } },
        { L "k_proj.weight_scale", "BF16", { 12 } },
        { L "k_proj.input_scale", "F32", { 1 } } } },
    /* blocks of 6 rows with one scale: heads stay within */
    { "{\"model_type\":\"llama\"," SIZES "}",
      2,
      { { L "q_proj.weight", "F8_E4M3", { 24, 12 } },
        { L "q_proj.weight_scale_inv", "F32", { 4, 2 } },
        { L "k_proj.weight", "F8_E5M2", { 12, 12 } },
        { L "k_proj.weight_scale_inv", "F32", { 2, 2 } } } },
    { "{\"model_type\":\"qwen3\"," SIZES "}",
      4,
      { { L "q_proj.weight", "F32", { 24, 12 } },
        { L "k_proj.weight", "F32", { 12, 12 } },
        { L "q_norm.weight", "F32", { 6 } },
        { L "k_norm.weight", "F32", { 6 } } } },
    { "{\"model_type\":\"olmo2\"," SIZES "}",
      4,
      { { L "q_proj.weight", "F32", { 24, 12 } },
        { L "k_proj.weight", "F32", { 12, 12 } },
        { L "q_norm.weight", "F32", { 24 } },
        { L "k_norm.weight", "F32", { 12 } } } },
    { "{\"model_type\":\"cohere\",\"use_qk_norm\":true," SIZES "}",
      4,
      { { L "q_proj.weight", "F64", { 24, 12 } },
        { L "k_proj.weight", "F64", { 12, 12 } },
        { L "q_norm.weight", "F32", { 4, 6 } },
        { L "k_norm.weight", "F32", { 2, 6 } } } },
    { "{\"model_type\":\"phi3\"," SIZES "}",
      1,
      { { L "qkv_proj.weight", "F16", { 48, 12 } },
        { L "o_proj.weight", "F16", { 12, 24 } } } },
    { "{\"model_type\":\"gpt_neox\",\"rotary_pct\":0.67,"
      "\"num_hidden_layers\":1,\"hidden_size\":24,"
      "\"num_attention_heads\":4}",
      2,
      { { "gpt_neox.layers.0.attention.query_key_value.weight",
          "F16",
          { 72, 24 } },
        { "gpt_neox.layers.0.attention.query_key_value.bias",
          "F32",
          { 72 } } } },
    { "{\"dim\":24,\"n_layers\":1,\"n_heads\":4,\"n_kv_heads\":2,"
      "\"norm_eps\":1e-5,\"multiple_of\":4,\"vocab_size\":16}",
      2,
      { { "layers.0.attention.wq.weight", "BF16", { 24, 24 } },
        { "layers.0.attention.wk.weight", "BF16", { 12, 24 } } } },
    { "{\"model_type\":\"gptj\",\"n_layer\":1,\"n_head\":4,\"n_embd\":24,"
      "\"n_positions\":64,\"rotary_dim\":4}",
      2,
      { { "transformer.h.0.attn.q_proj.weight", "F16", { 24, 24 } },
        { "transformer.h.0.attn.k_proj.weight", "F16", { 24, 24 } },
        { "transformer.h.0.attn.v_proj.weight", "F16", { 24, 24 } } } },
    { "{\"model_type\":\"deepseek_v3\",\"qk_rope_head_dim\":4,"
      "\"qk_nope_head_dim\":6,\"v_head_dim\":6,\"kv_lora_rank\":8,"
      "\"q_lora_rank\":8,\"num_hidden_layers\":1,\"num_attention_heads\":4,"
      "\"num_key_value_heads\":4,\"hidden_size\":12}",
      2,
      { { L "q_a_proj.weight", "F32", { 8, 12 } },
        { L "q_b_proj.weight", "F32", { 40, 8 } },
        { L "kv_a_proj_with_mqa.weight", "F32", { 12, 12 } },
        { L "kv_b_proj.weight", "F32", { 48, 8 } } } },
};

static void write_model(const struct model *m, const char *folder)
{
    checkpoint_write(scratch_file(&dir, folder), m->config, m->tensors,
                     LEN(m->tensors), NULL);
}

/* Each kind of tensor: there and back is the identity to the bit, and scores
   are those of before, which is what 'verify' is asked for. */
IN_SCRATCH(there_and_back_is_the_identity)
{
    for (size_t i = 0; i < LEN(models); i++) {
        char names[3][32];
        struct lct_weights *w[3];
        locant_conversion done;
        locant_model_pairing usual;

        for (int k = 0; k < 3; k++)
            snprintf(names[k], sizeof names[k], "%zu.%d", i, k);
        write_model(&models[i], names[0]);
        done = converted(names[0], names[1],
                         strstr(models[i].config, "deepseek") ||
                                 strstr(models[i].config, "gptj") ||
                                 strstr(models[i].config, "n_kv_heads") ||
                                 strstr(models[i].config, "cohere")
                             ? LOCANT_MODEL_HALF
                             : LOCANT_MODEL_INTERLEAVED);
        usual = done.from;
        CHECK(done.assumed && done.from != done.to);
        CHECK(done.moved == models[i].moved);
        CHECK(done.worst >= 0 && done.worst <= 1e-6);
        done = converted(names[1], names[2], usual);
        CHECK(!done.assumed && done.to == usual && done.from != done.to);
        for (int k = 0; k < 3; k++)
            w[k] = opened(scratch_file(&dir, names[k]));
        CHECK(!same(w[0], w[1]) && same(w[0], w[2]));
        CHECK(strcmp(lct_weights_metadata(w[2], LCT_WEIGHTS_PAIRING),
                     pairings[usual == LOCANT_MODEL_INTERLEAVED]) == 0);
        CHECK(strcmp(lct_weights_metadata(w[1], "format"), "pt") == 0);
        for (int k = 0; k < 3; k++)
            lct_weights_close(w[k]);
    }
}

/* Row r of q holds r: each row is where the definition says. */
IN_SCRATCH(rows_of_queries_go_where_they_should)
{
    struct lct_weights *a, *b;
    const struct lct_weight *q, *old;

    write_model(&models[0], "a");
    converted("a", "b", LOCANT_MODEL_INTERLEAVED);
    a = opened(scratch_file(&dir, "a"));
    b = opened(scratch_file(&dir, "b"));
    old = lct_weights_find(a, L "q_proj.weight");
    q = lct_weights_find(b, L "q_proj.weight");
    for (int64_t row = 0; row < 24; row++) {
        const int64_t from = row / 6 * 6 + pi_of(row % 6, 0, 6);

        CHECK(memcmp(q->data + 24 * row, old->data + 24 * from, 24) == 0);
    }
    q = lct_weights_find(b, L "v_proj.weight");
    CHECK(memcmp(q->data, lct_weights_find(a, q->name)->data, q->bytes) == 0);
    lct_weights_close(a);
    lct_weights_close(b);
}

IN_SCRATCH(plans_honour_what_is_recorded)
{
    struct lct_position_plan p;

    write_model(&models[0], "a");
    CHECK_OK(lct_position_plan_read(&p, scratch_file(&dir, "a")));
    CHECK(!p.interleaved && p.pairing_assumed);
    CHECK(strstr(p.towers[0].layers[0].spec, "interleaved") == NULL);
    lct_position_plan_free(&p);
    converted("a", "b", LOCANT_MODEL_INTERLEAVED);
    CHECK_OK(lct_position_plan_read(&p, scratch_file(&dir, "b")));
    CHECK(p.interleaved && !p.pairing_assumed);
    CHECK(strstr(p.towers[0].layers[0].spec, "pairing=interleaved") != NULL);
    CHECK(strcmp(locant_encoding_spec(p.towers[0].layers[0].encoding),
                 p.towers[0].layers[0].spec) == 0);
    lct_position_plan_free(&p);
}

/* ---------------------------------------------------------------- verifying */

/* Compare the scores of two folders, whose pairings are half and interleaved.
 */
static locant_status verified(const char *a, const char *b)
{
    struct lct_position_plan plan;
    struct lct_weights *w[2];
    struct lct_convert_parts parts[2];
    locant_status status;
    double worst;

    CHECK_OK(lct_position_plan_read(&plan, scratch_file(&dir, a)));
    for (int i = 0; i < 2; i++) {
        w[i] = opened(scratch_file(&dir, i ? b : a));
        CHECK_OK(lct_convert_parts_find(&parts[i], w[i], &plan.towers[0],
                                        "llama", false));
    }
    status = lct_convert_verify(
        &worst, &plan.towers[0],
        &(struct lct_convert_side){ &parts[0], false, false },
        &(struct lct_convert_side){ &parts[1], true, false });
    for (int i = 0; i < 2; i++) {
        lct_convert_parts_free(&parts[i]);
        lct_weights_close(w[i]);
    }
    lct_position_plan_free(&plan);
    return status;
}

/* In folder 'to' the tensor has the bytes that it has in 'from'. */
static void leave_behind(const char *to, const char *from, const char *tensor)
{
    struct lct_weights *a = opened(scratch_file(&dir, from));
    struct lct_weights *b = opened(scratch_file(&dir, to));
    const struct lct_weight *old = lct_weights_find(a, tensor);
    const struct lct_weight *new = lct_weights_find(b, tensor);
    size_t size, at;
    FREED_BY(free_memory) char *bytes = scratch_read(new->file, &size);
    char path[PATH_MAX];

    for (at = 0; memcmp(bytes + at, new->data, new->bytes) != 0; at++)
        CHECK(at + new->bytes < size);
    memcpy(bytes + at, old->data, old->bytes);
    snprintf(path, sizeof path, "%s", new->file);
    lct_weights_close(a);
    lct_weights_close(b);
    scratch_write(path, bytes, size);
}

/* Rows or norms of q or k that were left as they were are seen. */
IN_SCRATCH(tensors_left_behind_are_detected)
{
    static const struct {
        int model;
        const char *tensor;
    } rows[] = { { 0, L "k_proj.weight" },       { 0, L "q_proj.bias" },
                 { 1, L "q_proj.weight_scale" }, { 3, L "q_norm.weight" },
                 { 4, L "k_norm.weight" },       { 5, L "q_norm.weight" } };

    for (size_t i = 0; i < LEN(rows); i++) {
        char a[32], b[32];

        snprintf(a, sizeof a, "a%zu", i);
        snprintf(b, sizeof b, "b%zu", i);
        write_model(&models[rows[i].model], a);
        converted(a, b, LOCANT_MODEL_HALF);
        snprintf(b, sizeof b, "c%zu", i);
        converted(a, b, LOCANT_MODEL_INTERLEAVED);
        snprintf(a, sizeof a, "b%zu", i);
        CHECK_OK(verified(a, b));
        leave_behind(b, a, rows[i].tensor);
        CHECK(verified(a, b) == LOCANT_ERR_FORMAT);
        CHECK(strstr(locant_last_error(), "the scores of positions") != NULL);
    }
}

/* ----------------------------------------------------------------- adapters */

#define P "base_model.model." L

IN_SCRATCH(adapters_need_the_model_they_are_for)
{
    static const struct checkpoint_tensor adapter[] = {
        { P "q_proj.lora_A.weight", "F32", { 2, 12 } },
        { P "q_proj.lora_B.weight", "F32", { 24, 2 } },
        { P "k_proj.lora_A.weight", "F32", { 2, 12 } },
        { P "k_proj.lora_B.weight", "F32", { 12, 2 } },
        { P "q_proj.lora_magnitude_vector", "F32", { 24 } },
    };
    locant_convert_options o = LOCANT_CONVERT_OPTIONS_INIT;
    locant_conversion done;
    struct lct_weights *a, *b;
    char base[PATH_MAX];

    write_model(&models[0], "base");
    checkpoint_write(scratch_file(&dir, "lora"), NULL, adapter, LEN(adapter),
                     "{\"base_model_name_or_path\":\"nobody/none\"}");
    o.pairing = LOCANT_MODEL_INTERLEAVED;
    o.verify = 1;
    refused("lora", &o, LOCANT_ERR_PARAM,
            " locant_model_convert: base: needed for an adapter whose "
            "base_model_name_or_path 'nobody/none' is no folder here");
    snprintf(base, sizeof base, "%s", scratch_file(&dir, "base"));
    o.base = base;
    CHECK_OK(locant_model_convert(&done, scratch_file(&dir, "lora"),
                                  scratch_file(&dir, "out"), &o));
    CHECK(done.moved == 3 && done.worst >= 0);
    a = opened(scratch_file(&dir, "lora"));
    b = opened(scratch_file(&dir, "out"));
    CHECK(memcmp(lct_weights_find(a, adapter[0].name)->data,
                 lct_weights_find(b, adapter[0].name)->data, 96) == 0);
    CHECK(memcmp(lct_weights_find(a, adapter[1].name)->data + 8,
                 lct_weights_find(b, adapter[1].name)->data + 16, 8) == 0);
    lct_weights_close(a);
    lct_weights_close(b);
    CHECK(access(scratch_file(&dir, "out/adapter_config.json"), F_OK) == 0);
}

/* ----------------------------------------------------------------- refusals */

struct bad {
    const char *config;
    struct checkpoint_tensor tensors[4];
    locant_status status;
    const char *sentence;
};

IN_SCRATCH(refuses_what_it_cannot_convert)
{
    static const struct bad rows[] = {
        { "{\"model_type\":\"llama\"," SIZES "}",
          { { L "q_proj.weight", "F32", { 20, 12 } } },
          LOCANT_ERR_FORMAT,
          "model.safetensors: tensor '" L
          "q_proj.weight': 20 rows, 4 heads of 6 expected" },
        { "{\"model_type\":\"llama\"," SIZES "}",
          { { L "q_proj.weight", "F32", { 24, 12 } } },
          LOCANT_ERR_FORMAT,
          "model.safetensors: layer 0 rotates, but no tensor of its keys is "
          "known" },
        { "{\"model_type\":\"llama\"," SIZES "}",
          { { L "q_proj.qweight", "I32", { 24, 12 } } },
          LOCANT_ERR_UNSUPPORTED,
          "model.safetensors: tensor '" L
          "q_proj.qweight': the order of its rows is not known; convert the "
          "model before it is quantised" },
        { "{\"model_type\":\"llama\"," SIZES "}",
          { { L "q_proj.weight", "F8_E4M3", { 24, 12 } },
            { L "q_proj.weight_scale_inv", "F32", { 8, 4 } } },
          LOCANT_ERR_UNSUPPORTED,
          "model.safetensors: tensor '" L
          "q_proj.weight_scale_inv': row 1 would leave its block of 3 rows "
          "with one scale" },
        { "{\"model_type\":\"gpt2\"}",
          { { "wte.weight", "F32", { 2, 2 } } },
          LOCANT_ERR_UNSUPPORTED,
          "config.json: GPT-2 does not rotate pairs of channels of queries and "
          "keys, so that its weights have no pairing" },
    };
    locant_convert_options o = LOCANT_CONVERT_OPTIONS_INIT;

    o.pairing = LOCANT_MODEL_INTERLEAVED;
    for (size_t i = 0; i < LEN(rows); i++) {
        char folder[32], want[1024];

        snprintf(folder, sizeof folder, "m%zu", i);
        checkpoint_write(scratch_file(&dir, folder), rows[i].config,
                         rows[i].tensors, LEN(rows[i].tensors), NULL);
        snprintf(want, sizeof want, "%s/%s", folder, rows[i].sentence);
        refused(folder, &o, rows[i].status, want);
    }
}

IN_SCRATCH(leaves_what_is_there_alone)
{
    locant_convert_options o = LOCANT_CONVERT_OPTIONS_INIT;
    locant_conversion done;
    char want[4096];

    o.pairing = LOCANT_MODEL_INTERLEAVED;
    write_model(&models[0], "a");
    snprintf(want, sizeof want, "%s/a: is there already, a new folder expected",
             dir.path);
    CHECK_REFUSED(locant_model_convert(&done, scratch_file(&dir, "a"),
                                       scratch_file(&dir, "a"), &o),
                  LOCANT_ERR_IO, want);
    CHECK_OK(locant_model_convert(&done, scratch_file(&dir, "a"),
                                  scratch_file(&dir, "b"), &o));
    CHECK(access(scratch_file(&dir, "b/config.json"), F_OK) == 0);
    CHECK(access(scratch_file(&dir, "b/generation_config.json"), F_OK) == 0);
    CHECK(access(scratch_file(&dir, "b/old.bin"), F_OK) != 0);
}

/* transformers reads the pairing of DeepSeek V3 from the configuration. */
IN_SCRATCH(configurations_that_know_the_pairing_say_it)
{
    struct lct_config c;
    bool interleaved = true;

    write_model(&models[LEN(models) - 1], "a");
    converted("a", "b", LOCANT_MODEL_HALF);
    CHECK_OK(lct_config_read(&c, scratch_file(&dir, "b/config.json")));
    CHECK(lct_config_bool(&interleaved, c.text, "rope_interleave") ==
          LCT_RIGHT);
    CHECK(!interleaved);
    lct_config_free(&c);
    converted("b", "c", LOCANT_MODEL_INTERLEAVED);
    CHECK_OK(lct_config_read(&c, scratch_file(&dir, "c/config.json")));
    CHECK(lct_config_bool(&interleaved, c.text, "rope_interleave") ==
          LCT_RIGHT);
    CHECK(interleaved);
    lct_config_free(&c);
}

/* ------------------------------------------------------------------- shards */

IN_SCRATCH(shards_stay_or_become_one_file)
{
    static const char index[] =
        "{\"weight_map\":{\"" L "q_proj.weight\":\"1.safetensors\",\"" L
        "k_proj.weight\":\"2.safetensors\"}}";
    static const struct checkpoint_tensor q = { L "q_proj.weight",
                                                "F32",
                                                { 24, 12 } },
                                          k = { L "k_proj.weight",
                                                "F16",
                                                { 12, 12 } };
    locant_convert_options o = LOCANT_CONVERT_OPTIONS_INIT;
    locant_conversion done;
    struct lct_weights *w[2];

    checkpoint_write(scratch_file(&dir, "a"), models[0].config, &q, 1, NULL);
    rename(scratch_file(&dir, "a/model.safetensors"),
           scratch_file(&dir, "a/1.safetensors"));
    checkpoint_write(scratch_file(&dir, "a"), models[0].config, &k, 1, NULL);
    rename(scratch_file(&dir, "a/model.safetensors"),
           scratch_file(&dir, "a/2.safetensors"));
    scratch_write(scratch_file(&dir, "a/model.safetensors.index.json"), index,
                  strlen(index));
    o.pairing = LOCANT_MODEL_INTERLEAVED;
    for (int i = 0; i < 2; i++) {
        o.one_file = i;
        o.verify = 1;
        CHECK_OK(locant_model_convert(&done, scratch_file(&dir, "a"),
                                      scratch_file(&dir, i ? "c" : "b"), &o));
        CHECK(done.moved == 2 && done.tensors == 2);
    }
    w[0] = opened(scratch_file(&dir, "b"));
    w[1] = opened(scratch_file(&dir, "c/model.safetensors"));
    CHECK(same(w[0], w[1]));
    CHECK(access(scratch_file(&dir, "b/2.safetensors"), F_OK) == 0);
    CHECK(access(scratch_file(&dir, "c/2.safetensors"), F_OK) != 0);
    lct_weights_close(w[0]);
    lct_weights_close(w[1]);
}

/* ------------------------------------------------------------------- memory */

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

/* Whichever allocation fails: nothing leaks, and no folder is left behind. */
IN_SCRATCH(survives_lack_of_memory)
{
    locant_convert_options o = LOCANT_CONVERT_OPTIONS_INIT;
    locant_conversion done;
    locant_status status;
    char from[PATH_MAX], to[PATH_MAX];
    int before;

    write_model(&models[3], "a");
    snprintf(from, sizeof from, "%s", scratch_file(&dir, "a"));
    snprintf(to, sizeof to, "%s", scratch_file(&dir, "b"));
    before = entries();
    o.pairing = LOCANT_MODEL_INTERLEAVED;
    o.verify = 1;
    for (long k = 1;; k++) {
        test_memory_fail(k);
        status = locant_model_convert(&done, from, to, &o);
        if (status == LOCANT_OK)
            break;
        if (status != LOCANT_ERR_NOMEM)
            FAIL("allocation %ld: %s\n", k, locant_last_error());
        CHECK(test_memory_held() == 0 && entries() == before);
    }
    test_memory_end();
}
