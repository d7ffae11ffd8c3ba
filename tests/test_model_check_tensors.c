/* needs: lab */
/*
 * test_model_check_tensors.c - checks that look at tensors, alone, in two files
 * of one model, and in an adapter
 */
#define _GNU_SOURCE
#include "check_findings.h"
#include "gguf_bytes.h"
#include "tensors_bytes.h"
#include <math.h>

/* Heads of 8 channels, a model of 8. */
enum { H = 4, K = 2, d = 8, D = 8 };

/* ------------------------------------------------------------------- values */

/* Weights of q [H d, D], of k [K d, D], and of the norms of a head [d]. */
struct weights {
    float q[H * d * D], k[K * d * D], q_norm[d], k_norm[d];
};

static void fill(float *x, int n)
{
    locant_random r = { .seed = 7, .stream = (uint64_t)n };

    for (int i = 0; i < n; i++)
        x[i] = (float)locant_random_normal(&r);
}

static struct weights half_weights(void)
{
    struct weights w;

    fill(w.q, H * d * D);
    fill(w.k, K * d * D);
    fill(w.q_norm, d);
    fill(w.k_norm, d);
    return w;
}

/* Interleave the rows of heads of 'width' rows: row 2c of a head is row c, row
   2c + 1 is row c + width / 2. */
static void interleave(float *x, int rows, int width, int columns)
{
    float y[H * d * D];

    for (int i = 0; i < rows; i++) {
        const int j = i % width;
        const int from = i - j + (j % 2 ? j / 2 + width / 2 : j / 2);

        memcpy(y + i * columns, x + from * columns,
               (size_t)columns * sizeof *y);
    }
    memcpy(x, y, (size_t)(rows * columns) * sizeof *y);
}

static struct weights interleaved_weights(void)
{
    struct weights w = half_weights();

    interleave(w.q, H * d, d, D);
    interleave(w.k, K * d, d, D);
    interleave(w.q_norm, d, d, 1);
    interleave(w.k_norm, d, d, 1);
    return w;
}

/* ----------------------------------------------------------------- files */

/* A tensor of F32 that is written. */
struct tensor {
    const char *name;
    const float *data;
    int rows, columns; /* columns 0: a vector */
};

static size_t bytes_of(const struct tensor *t)
{
    return sizeof(float) * (size_t)(t->rows * (t->columns ? t->columns : 1));
}

/* Write safetensors with 'metadata', JSON members or "". */
static void write_tensors(const char *name, const char *metadata,
                          const struct tensor *t, int n)
{
    char header[4096];
    size_t at = 0, used = 0;

    used += (size_t)snprintf(header, sizeof header, "{\"__metadata__\":{%s}",
                             metadata);
    for (int i = 0; i < n; i++) {
        char columns[16] = "";

        if (t[i].columns > 0)
            snprintf(columns, sizeof columns, ",%d", t[i].columns);
        used += (size_t)snprintf(header + used, sizeof header - used,
                                 ",\"%s\":{\"dtype\":\"F32\",\"shape\":[%d%s],"
                                 "\"data_offsets\":[%zu,%zu]}",
                                 t[i].name, t[i].rows, columns, at,
                                 at + bytes_of(&t[i]));
        at += bytes_of(&t[i]);
    }
    CHECK(used + 1 < sizeof header);
    header[used++] = '}';
    start(used);
    raw(header, used);
    for (int i = 0; i < n; i++)
        raw(t[i].data, bytes_of(&t[i]));
    scratch_write(scratch_file(&dir, name), bytes, size);
    free(bytes);
    bytes = NULL;
    size = room = 0;
}

static void write_text(const char *name, const char *text)
{
    scratch_write(scratch_file(&dir, name), text, strlen(text));
}

/* A folder's config.json and model.safetensors of these weights. */
static void write_folder(const char *type, const char *metadata,
                         const struct weights *w)
{
    const struct tensor tensors[] = {
        { "model.layers.0.self_attn.k_norm.weight", w->k_norm, d, 0 },
        { "model.layers.0.self_attn.k_proj.weight", w->k, K * d, D },
        { "model.layers.0.self_attn.q_norm.weight", w->q_norm, d, 0 },
        { "model.layers.0.self_attn.q_proj.weight", w->q, H * d, D },
    };
    char text[512];

    snprintf(text, sizeof text,
             "{\"model_type\":\"%s\",\"hidden_size\":%d,"
             "\"num_attention_heads\":%d,\"num_key_value_heads\":%d,"
             "\"head_dim\":%d,\"num_hidden_layers\":1,"
             "\"max_position_embeddings\":2048,\"rope_theta\":10000.0}",
             type, D, H, K, d);
    write_text("config.json", text);
    write_tensors("model.safetensors", metadata, tensors, 4);
}

/* Values of a GGUF file in the order they are written. */
struct value {
    const char *key; /* after "<architecture>." */
    double number;
    bool real;
};

static void put_float(struct gguf_bytes *f, const float *x, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint32_t bits;

        memcpy(&bits, &x[i], 4);
        put_number(f, bits, 4);
    }
}

static void put_vector(struct gguf_bytes *f, const char *name, uint64_t n,
                       uint64_t offset)
{
    put_text(f, name);
    put_number(f, 1, 4);
    put_number(f, n, 8);
    put_number(f, 0, 4);
    put_number(f, offset, 8);
}

static void write_gguf(const char *name, const char *arch,
                       const struct value *v, int n_values,
                       const struct tensor *t, int n)
{
    static struct gguf_bytes f;
    uint64_t at = 0;

    put_header(&f, 3, (uint64_t)n, (uint64_t)n_values + 1);
    put_text(&f, "general.architecture");
    put_number(&f, 8, 4);
    put_text(&f, arch);
    for (int i = 0; i < n_values; i++) {
        const float real = (float)v[i].number;
        char key[96];
        uint32_t bits;

        snprintf(key, sizeof key, "%s.%s", arch, v[i].key);
        memcpy(&bits, &real, 4);
        put_value(&f, key, v[i].real ? 6 : 4,
                  v[i].real ? bits : (uint64_t)v[i].number, 4);
    }
    for (int i = 0; i < n; i++) {
        if (t[i].columns > 0)
            put_tensor(&f, t[i].name, (uint64_t)t[i].rows,
                       (uint64_t)t[i].columns, 0, at);
        else
            put_vector(&f, t[i].name, (uint64_t)t[i].rows, at);
        at += (bytes_of(&t[i]) + 31) / 32 * 32;
    }
    put_zeros(&f, 32);
    for (int i = 0; i < n; i++) {
        put_float(&f, t[i].data, bytes_of(&t[i]) / sizeof(float));
        put_zeros(&f, 32);
    }
    CHECK(f.size <= GGUF_ROOM);
    scratch_write(scratch_file(&dir, name), f.bytes, f.size);
}

static void write_pair(const char *arch, const struct weights *w)
{
    const struct value values[] = {
        { "attention.head_count", H, false },
        { "attention.head_count_kv", K, false },
        { "attention.key_length", d, false },
        { "embedding_length", D, false },
        { "context_length", 2048, false },
        { "rope.freq_base", 10000, true },
    };
    const struct tensor tensors[] = {
        { "blk.0.attn_k.weight", w->k, K * d, D },
        { "blk.0.attn_q.weight", w->q, H * d, D },
    };

    write_gguf("model.gguf", arch, values, LEN(values), tensors, 2);
}

/* --------------------------------------------------------------- two files */

IN_SCRATCH(rows_are_permuted_as_the_architecture_wants_them)
{
    struct weights half = half_weights(), w = interleaved_weights();

    /* the folder finds the one GGUF file that lies in it */
    write_folder("llama", "", &half);
    write_pair("llama", &w);
    finds(dir.path, NULL, "");
    write_pair("llama", &half);
    finds(dir.path, NULL, "G01");
    write_folder("qwen2", "", &half);
    write_pair("qwen2", &half);
    finds(dir.path, NULL, "");
    write_pair("qwen2", &w);
    finds(dir.path, NULL, "G01");
}

IN_SCRATCH(keys_permuted_with_the_heads_of_queries_are_found)
{
    struct weights half = half_weights(), w = interleaved_weights();
    locant_check_options o = LOCANT_CHECK_OPTIONS_INIT;

    memcpy(w.k, half.k, sizeof w.k);
    interleave(w.k, K * d, K * d / H, D);
    write_folder("llama", "", &half);
    write_pair("llama", &w);
    finds(dir.path, NULL, "G02");
    /* from the other side, too */
    o.other = dir.path;
    finds(scratch_file(&dir, "model.gguf"), &o, "G02");
}

IN_SCRATCH(rows_of_no_order_are_found_where_a_file_is_named)
{
    struct weights half = half_weights(), w = interleaved_weights();
    locant_check_options o = LOCANT_CHECK_OPTIONS_INIT;
    const char *gguf = scratch_file(&dir, "model.gguf");

    o.other = gguf;
    write_folder("llama", "", &half);
    write_pair("llama", &w);
    finds(dir.path, &o, "");
    memcpy(w.k, half.k, sizeof w.k); /* permuted as if one head had all rows */
    interleave(w.k, K * d, K * d, D);
    write_pair("llama", &w);
    finds(dir.path, &o, "G16");
    finds(dir.path, NULL, ""); /* a file may lie there by chance */
}

IN_SCRATCH(a_recorded_pairing_is_compared_with_the_readers)
{
    struct weights w = half_weights();

    write_folder("llama", "\"locant.pairing\":\"interleaved\"", &w);
    finds(dir.path, NULL, "G01");
    write_folder("llama", "\"locant.pairing\":\"half\"", &w);
    finds(dir.path, NULL, "");
    write_folder("cohere", "\"locant.pairing\":\"half\"", &w);
    finds(dir.path, NULL, "G01");
}

IN_SCRATCH(norms_move_with_the_rows)
{
    struct weights half = half_weights(), w = interleaved_weights();
    locant_check_options o = LOCANT_CHECK_OPTIONS_INIT;
    struct scratch other = scratch_make();
    char command[8192];

    write_folder("qwen3", "", &half);
    snprintf(command, sizeof command, "cp '%s'/* '%s'", dir.path, other.path);
    CHECK(system(command) == 0);
    o.other = other.path;
    /* G01: readers of qwen3 want halves */
    write_folder("qwen3", "\"locant.pairing\":\"interleaved\"", &w);
    finds(dir.path, &o, "G01");
    memcpy(w.q_norm, half.q_norm, sizeof w.q_norm);
    write_folder("qwen3", "\"locant.pairing\":\"interleaved\"", &w);
    finds(dir.path, &o, "A02 G01");
    scratch_remove(&other);
}

IN_SCRATCH(divisors_belong_to_the_original_length)
{
    const struct value values[] = {
        { "attention.head_count", 1, false },
        { "attention.key_length", 16, false },
        { "rope.freq_base", 500000, true },
    };
    static const double originals[] = { 8192, 4096 };
    locant_check_options o = LOCANT_CHECK_OPTIONS_INIT;

    write_text("c.json",
               "{\"model_type\":\"llama\",\"hidden_size\":16,"
               "\"num_attention_heads\":1,\"max_position_embeddings\":131072,"
               "\"rope_theta\":500000.0,\"rope_scaling\":{\"rope_type\":"
               "\"llama3\",\"factor\":8.0,\"low_freq_factor\":1.0,"
               "\"high_freq_factor\":4.0,"
               "\"original_max_position_embeddings\":4096}}");
    for (int i = 0; i < 2; i++) {
        float x[8];

        for (int c = 0; c < 8; c++) {
            const double turns =
                originals[i] / (2 * M_PI * pow(500000, 2 * c / 16.0));
            const double s = fmin(fmax((turns - 1) / 3, 0), 1);

            x[c] = (float)(1 / ((1 - s) / 8 + s));
        }
        write_gguf("m.gguf", "llama", values, LEN(values),
                   (const struct tensor[]){ { "rope_freqs.weight", x, 8, 0 } },
                   1);
        o.other = scratch_file(&dir, "m.gguf");
        finds(scratch_file(&dir, "c.json"), &o, i == 0 ? "L06" : "");
    }
}

IN_SCRATCH(an_adapter_has_the_pairing_of_its_base)
{
    struct weights w = interleaved_weights();
    float b[H * d * 2];
    const struct tensor tensor = {
        "base_model.model.model.layers.0.self_attn.q_proj.lora_B.weight", b,
        H * d, 2
    };
    locant_check_options o = LOCANT_CHECK_OPTIONS_INIT;

    fill(b, LEN(b));
    write_tensors("adapter_model.safetensors", "", &tensor, 1);
    o.adapter = dir.path;
    write_pair("llama", &w);
    finds(scratch_file(&dir, "model.gguf"), &o, "A01");
    write_pair("qwen2", &w);
    finds(scratch_file(&dir, "model.gguf"), &o, "");
    /* Command-R's weights are interleaved everywhere */
    write_pair("command-r", &w);
    finds(scratch_file(&dir, "model.gguf"), &o, "");
    write_tensors("adapter_model.safetensors",
                  "\"locant.pairing\":\"interleaved\"", &tensor, 1);
    write_pair("llama", &w);
    finds(scratch_file(&dir, "model.gguf"), &o, "");
}

/* ----------------------------------------------------------------- one file */

IN_SCRATCH(llama_3_1_needs_its_divisors)
{
    const struct value values[] = {
        { "attention.head_count", 1, false },
        { "attention.key_length", 16, false },
        { "context_length", 131072, false },
        { "rope.freq_base", 500000, true },
    };
    float x[8];
    struct tensor t = { "rope_freqs.weight", x, 8, 0 };
    const char *path = scratch_file(&dir, "m.gguf");

    fill(x, 8);
    write_gguf("m.gguf", "llama", values, LEN(values), &t, 0);
    finds(path, NULL, "G10");
    write_gguf("m.gguf", "llama", values, LEN(values), &t, 1);
    finds(path, NULL, "");
    t.rows = 7;
    write_gguf("m.gguf", "llama", values, LEN(values), &t, 1);
    finds(path, NULL, "G10");
    t.name = "rope_factors_long.weight";
    write_gguf("m.gguf", "phi3", values, LEN(values), &t, 1);
    finds(path, NULL, "L09");
}

IN_SCRATCH(a_longer_phi_3_needs_its_lists)
{
    const struct value values[] = {
        { "attention.head_count", 1, false },
        { "attention.key_length", 16, false },
        { "context_length", 131072, false },
        { "rope.scaling.original_context_length", 4096, false },
    };
    float x[8];
    const struct tensor t[] = { { "rope_factors_long.weight", x, 8, 0 },
                                { "rope_factors_short.weight", x, 8, 0 } };

    fill(x, 8);
    write_gguf("m.gguf", "phi3", values, LEN(values), t, 0);
    finds(scratch_file(&dir, "m.gguf"), NULL, "X06");
    write_gguf("m.gguf", "phi3", values, LEN(values), t, 2);
    finds(scratch_file(&dir, "m.gguf"), NULL, "");
}

IN_SCRATCH(key_length_is_that_of_the_rows)
{
    const struct value values[] = {
        { "attention.head_count", H, false },
        { "embedding_length", D, false },
        { "rope.freq_base", 1e6, true },
        { "attention.key_length", d, false },
    };
    struct weights w = half_weights();
    const struct tensor t = { "blk.0.attn_q.weight", w.q, H * d, D };

    write_gguf("m.gguf", "qwen3", values, 3, &t, 1);
    finds(scratch_file(&dir, "m.gguf"), NULL, "G14");
    write_gguf("m.gguf", "qwen3", values, 4, &t, 1);
    finds(scratch_file(&dir, "m.gguf"), NULL, "");
}

IN_SCRATCH(gpt_oss_has_a_sink_for_each_head)
{
    float x[4] = { 1, 2, 3, 4 };
    struct tensor t[] = {
        { "model.layers.0.self_attn.sinks", x, 4, 0 },
        { "model.layers.1.self_attn.sinks", x, 4, 0 },
    };

    write_text("config.json",
               "{\"model_type\":\"gpt_oss\",\"num_attention_heads\":4,"
               "\"num_key_value_heads\":4,"
               "\"num_hidden_layers\":2,\"rope_theta\":150000.0,"
               "\"rope_scaling\":{\"rope_type\":\"yarn\",\"factor\":32.0,"
               "\"original_max_position_embeddings\":4096}}");
    write_tensors("model.safetensors", "", t, 2);
    finds(dir.path, NULL, "");
    write_tensors("model.safetensors", "", t, 1);
    finds(dir.path, NULL, "P19");
    t[1].rows = 3;
    write_tensors("model.safetensors", "", t, 2);
    finds(dir.path, NULL, "P19");
}

IN_SCRATCH(the_learned_table_has_its_rows)
{
    float x[64] = { 0 };
    struct tensor t = { "roberta.embeddings.position_embeddings.weight", x, 14,
                        4 };

    write_text("config.json",
               "{\"model_type\":\"roberta\",\"max_position_embeddings\":14}");
    write_tensors("model.safetensors", "", &t, 1);
    finds(dir.path, NULL, "");
    t.rows = 12;
    write_tensors("model.safetensors", "", &t, 1);
    finds(dir.path, NULL, "P21");
    /* OPT has two rows before position 0 */
    t.name = "model.decoder.embed_positions.weight";
    t.rows = 14;
    write_tensors("model.safetensors", "", &t, 1);
    write_text("config.json",
               "{\"model_type\":\"opt\",\"max_position_embeddings\":12}");
    finds(dir.path, NULL, "");
    write_text("config.json",
               "{\"model_type\":\"opt\",\"max_position_embeddings\":14}");
    finds(dir.path, NULL, "P21");
}

IN_SCRATCH(widths_are_those_of_the_tensors)
{
    float x[64] = { 0 };
    struct tensor t = { "model.layers.0.self_attn.q_proj.weight", x, 32, 2 };
    const char *out = scratch_file(&dir, "out.json");
    locant_findings f;
    size_t fixed;

    write_tensors("model.safetensors", "", &t, 1);
    write_text("config.json",
               "{\"model_type\":\"qwen3\",\"hidden_size\":2,"
               "\"num_attention_heads\":2,\"num_key_value_heads\":2,"
               "\"rope_theta\":1e6}");
    CHECK_OK(locant_model_check(&f, dir.path, NULL));
    CHECK(f.n > 0 && strcmp(f.at[0].id, "W07") == 0);
    CHECK(f.at[0].severity == LOCANT_FINDING_ERROR && f.at[0].fixes);
    locant_findings_free(&f);
    CHECK_OK(locant_model_fix(&fixed, dir.path, out));
    CHECK(rename(out, scratch_file(&dir, "config.json")) == 0);
    finds(dir.path, NULL, "");

    /* the tower of sounds has heads of its own */
    t.name = "audio_tower.layers.0.self_attn.q_proj.weight";
    write_tensors("model.safetensors", "", &t, 1);
    write_text("config.json",
               "{\"model_type\":\"qwen3\",\"hidden_size\":16,"
               "\"num_attention_heads\":2,\"num_key_value_heads\":2,"
               "\"head_dim\":8,\"rope_theta\":1e6}");
    finds(dir.path, NULL, "");

    t.name = "model.layers.0.self_attn.kv_a_proj_with_mqa.weight";
    write_tensors("model.safetensors", "", &t, 1);
    write_text("config.json",
               "{\"model_type\":\"deepseek_v3\",\"kv_lora_rank\":24,"
               "\"qk_rope_head_dim\":8}");
    finds(dir.path, NULL, "");
    write_text("config.json",
               "{\"model_type\":\"deepseek_v3\",\"kv_lora_rank\":24,"
               "\"qk_rope_head_dim\":16}");
    finds(dir.path, NULL, "W14");
}

IN_SCRATCH(angles_in_16_bits_are_found)
{
    static const char header[] =
        "{\"model.rotary_emb.inv_freq\":{\"dtype\":\"%s\",\"shape\":[4],"
        "\"data_offsets\":[0,%d]}}";
    char text[256];

    write_text("config.json", "{\"model_type\":\"llama\",\"rope_theta\":1e4}");
    snprintf(text, sizeof text, header, "BF16", 8);
    make(text, 8);
    scratch_write(scratch_file(&dir, "model.safetensors"), bytes, size);
    finds(dir.path, NULL, "A03");
    snprintf(text, sizeof text, header, "F32", 16);
    make(text, 16);
    scratch_write(scratch_file(&dir, "model.safetensors"), bytes, size);
    finds(dir.path, NULL, "");
    free(bytes);
    bytes = NULL;
    size = room = 0;
}

IN_SCRATCH(the_tokenizer_may_name_another_length)
{
    write_text("config.json", "{\"model_type\":\"llama\",\"rope_theta\":1e4,"
                              "\"max_position_embeddings\":4096}");
    write_text("tokenizer_config.json", "{\"model_max_length\":2048}");
    finds(dir.path, NULL, "L22");
    write_text("tokenizer_config.json", "{\"model_max_length\":1e30}");
    finds(dir.path, NULL, "");
}

IN_SCRATCH(a_table_of_a_gguf_has_the_rows_that_file_wants)
{
    static float table[24 * D];
    const struct value values[] = { { "attention.head_count", H, false },
                                    { "embedding_length", D, false },
                                    { "context_length", 24, false } };
    struct tensor t = { "position_embd.weight", table, 24, D };

    write_gguf("m.gguf", "gpt2", values, LEN(values), &t, 1);
    finds(scratch_file(&dir, "m.gguf"), NULL, "");
    t.rows = 23;
    write_gguf("m.gguf", "gpt2", values, LEN(values), &t, 1);
    finds(scratch_file(&dir, "m.gguf"), NULL, "P21");
}
