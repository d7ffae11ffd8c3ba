/*
 * bench_checkpoint.c - checkpoints of random weights in a temporary folder.
 *
 * Matrices are uniform with the deviation 0.02 of transformers' first weights,
 * norms are ones.  A sparse file has the header and the size of a checkpoint,
 * and holes instead of weights.
 */
#define _XOPEN_SOURCE 700
#include "bench.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char config_name[] = "config.json";
static const char weights_name[] = "model.safetensors";

/* ----------------------------------------------------------------- tensors */

struct tensor {
    char name[64];
    int64_t rows, columns; /* columns 0: a vector */
    bool ones;
};

struct tensors {
    struct tensor *at;
    int n, room;
};

static int64_t numbers(const struct tensor *t)
{
    return t->rows * (t->columns > 0 ? t->columns : 1);
}

static void add(struct tensors *list, const struct tensor *t)
{
    if (list->n < list->room)
        list->at[list->n] = *t;
    list->n++;
}

/* A linear map of layer i, with a bias if 'bias'. */
static void add_linear(struct tensors *list, int64_t i, const char *name,
                       const int64_t shape[2], bool bias)
{
    struct tensor t = { .rows = shape[0], .columns = shape[1] };

    snprintf(t.name, sizeof(t.name), "model.layers.%d.%s.weight", (int)i, name);
    add(list, &t);
    t.columns = 0;
    snprintf(t.name, sizeof(t.name), "model.layers.%d.%s.bias", (int)i, name);
    if (bias)
        add(list, &t);
}

static void add_norm(struct tensors *list, int64_t i, const char *name,
                     int64_t width)
{
    struct tensor t = { .rows = width, .ones = true };

    snprintf(t.name, sizeof(t.name), "model.layers.%d.%s.weight", (int)i, name);
    add(list, &t);
}

static void list_layer(struct tensors *list, int64_t i,
                       const struct bench_shape *s)
{
    const int64_t D = s->width, q = s->heads * s->dim, k = s->kv_heads * s->dim;
    const int64_t wide[2] = { s->ff, D };

    add_norm(list, i, "input_layernorm", D);
    add_linear(list, i, "self_attn.q_proj", (int64_t[2]){ q, D }, s->biases);
    add_linear(list, i, "self_attn.k_proj", (int64_t[2]){ k, D }, s->biases);
    add_linear(list, i, "self_attn.v_proj", (int64_t[2]){ k, D }, s->biases);
    add_linear(list, i, "self_attn.o_proj", (int64_t[2]){ D, q }, false);
    add_norm(list, i, "post_attention_layernorm", D);
    add_linear(list, i, "mlp.gate_proj", wide, false);
    add_linear(list, i, "mlp.up_proj", wide, false);
    add_linear(list, i, "mlp.down_proj", (int64_t[2]){ D, s->ff }, false);
}

/* Fill the list as far as it has room; n is how many there are. */
static void list_all(struct tensors *list, const struct bench_shape *s)
{
    add(list, &(struct tensor){ "model.embed_tokens.weight", s->vocab, s->width,
                                false });
    for (int64_t i = 0; i < s->layers; i++)
        list_layer(list, i, s);
    add(list, &(struct tensor){ "model.norm.weight", s->width, 0, true });
}

/* ----------------------------------------------------------------- writing */

static void write_config(FILE *f, const struct bench_shape *s)
{
    fprintf(f,
            "{\"model_type\": \"%s\", \"hidden_size\": %lld,\n"
            " \"num_hidden_layers\": %lld, \"num_attention_heads\": %lld,\n"
            " \"num_key_value_heads\": %lld, \"head_dim\": %lld,\n"
            " \"intermediate_size\": %lld, \"vocab_size\": %lld,\n"
            " \"max_position_embeddings\": 32768, \"rope_theta\": 1000000.0,\n"
            " \"rms_norm_eps\": 1e-06, \"hidden_act\": \"silu\",\n"
            " \"tie_word_embeddings\": true}\n",
            s->model_type, (long long)s->width, (long long)s->layers,
            (long long)s->heads, (long long)s->kv_heads, (long long)s->dim,
            (long long)s->ff, (long long)s->vocab);
}

/* The length of the header, and the header; returns the bytes of all data. */
static int64_t write_header(FILE *f, const struct tensors *list,
                            locant_dtype dtype)
{
    const int64_t item = (int64_t)locant_dtype_size(dtype);
    int64_t from = 0, to;
    uint64_t length = 0;
    long end;

    fwrite(&length, sizeof(length), 1, f);
    for (int i = 0; i < list->n; i++, from = to) {
        const struct tensor *t = &list->at[i];

        to = from + numbers(t) * item;
        fprintf(f, "%s\"%s\":{\"dtype\":\"%s\",\"shape\":[%lld",
                i == 0 ? "{" : ",", t->name,
                dtype == LOCANT_BF16 ? "BF16" : "F32", (long long)t->rows);
        if (t->columns > 0)
            fprintf(f, ",%lld", (long long)t->columns);
        fprintf(f, "],\"data_offsets\":[%lld,%lld]}", (long long)from,
                (long long)to);
    }
    fputc('}', f);
    while (ftell(f) % 8 != 0)
        fputc(' ', f);
    end = ftell(f);
    length = (uint64_t)end - sizeof(length);
    fseek(f, 0, SEEK_SET);
    fwrite(&length, sizeof(length), 1, f); /* little-endian machines only */
    fseek(f, end, SEEK_SET);
    return from;
}

/* Four numbers of 16 bits from a counter (splitmix64, Steele et al. 2014). */
static void draw(float out[4], uint64_t *counter)
{
    const float scale = 0.035f / 32768; /* deviation 0.02 */
    uint64_t z = (*counter += 0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    z ^= z >> 31;
    for (int i = 0; i < 4; i++)
        out[i] = scale * (float)(int16_t)(z >> 16 * i);
}

/* Write 'count' numbers; 'state' is the counter of random ones. */
static void write_numbers(FILE *f, int64_t count, bool ones, locant_dtype dtype,
                          uint64_t *state)
{
    enum { CHUNK = 4096 };
    float chunk[CHUNK];
    uint16_t half[CHUNK];

    for (int64_t done = 0; done < count; done += CHUNK) {
        const size_t n =
            (size_t)(count - done < CHUNK ? count - done : (int64_t)CHUNK);

        for (int i = 0; i < CHUNK; i += 4)
            draw(chunk + i, state);
        for (size_t i = 0; ones && i < n; i++)
            chunk[i] = 1;
        for (size_t i = 0; dtype == LOCANT_BF16 && i < n; i++) {
            uint32_t bits;

            memcpy(&bits, &chunk[i], sizeof(bits));
            half[i] = (uint16_t)(bits >> 16);
        }
        if (dtype == LOCANT_BF16)
            fwrite(half, sizeof(*half), n, f);
        else
            fwrite(chunk, sizeof(*chunk), n, f);
    }
}

static bool write_weights(FILE *f, const struct tensors *list,
                          locant_dtype dtype, bool sparse)
{
    const int64_t bytes = write_header(f, list, dtype);
    uint64_t state = 1;

    if (sparse)
        return fflush(f) == 0 && ftruncate(fileno(f), ftell(f) + bytes) == 0;
    for (int i = 0; i < list->n; i++)
        write_numbers(f, numbers(&list->at[i]), list->at[i].ones, dtype,
                      &state);
    return true;
}

static FILE *open_file(const char *folder, const char *name)
{
    char path[256];

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    return fopen(path, "wb");
}

static bool close_file(FILE *f, bool good)
{
    good = !ferror(f) && good;
    return fclose(f) == 0 && good;
}

static bool write_folder(const char *folder, const struct bench_shape *s,
                         locant_dtype dtype, bool sparse)
{
    struct tensors list = { 0 };
    bool good;
    FILE *f;

    list_all(&list, s);
    list = (struct tensors){ .room = list.n,
                             .at = malloc((size_t)list.n * sizeof(*list.at)) };
    if (list.at == NULL)
        return false;
    list_all(&list, s);
    f = open_file(folder, config_name);
    good = f != NULL;
    if (f != NULL) {
        write_config(f, s);
        good = close_file(f, true);
    }
    f = good ? open_file(folder, weights_name) : NULL;
    good = f != NULL;
    if (f != NULL)
        good = close_file(f, write_weights(f, &list, dtype, sparse));
    free(list.at);
    return good;
}

/* ----------------------------------------------------------------- keeping */

/* The last one, which further rows may use. */
static struct {
    char folder[64]; /* "": there is none */
    struct bench_shape shape;
    locant_dtype dtype;
    bool sparse;
} kept;

void bench_checkpoint_release(void)
{
    static const char *const names[] = { config_name, weights_name };
    char path[256];

    for (size_t i = 0; kept.folder[0] != '\0' && i < 2; i++) {
        snprintf(path, sizeof(path), "%s/%s", kept.folder, names[i]);
        (void)remove(path);
    }
    if (kept.folder[0] != '\0')
        (void)rmdir(kept.folder);
    kept.folder[0] = '\0';
}

static bool same_shape(const struct bench_shape *a, const struct bench_shape *b)
{
    return strcmp(a->model_type, b->model_type) == 0 && a->width == b->width &&
           a->layers == b->layers && a->vocab == b->vocab;
}

const char *bench_checkpoint(const struct bench_shape *shape,
                             locant_dtype dtype, bool sparse)
{
    if (kept.folder[0] != '\0' && same_shape(&kept.shape, shape) &&
        kept.dtype == dtype && kept.sparse == sparse)
        return kept.folder;
    bench_checkpoint_release();
    snprintf(kept.folder, sizeof(kept.folder), P_tmpdir "/locant-bench-XXXXXX");
    if (mkdtemp(kept.folder) == NULL) {
        kept.folder[0] = '\0';
        return NULL;
    }
    kept.shape = *shape;
    kept.dtype = dtype;
    kept.sparse = sparse;
    if (write_folder(kept.folder, shape, dtype, sparse))
        return kept.folder;
    bench_checkpoint_release();
    return NULL;
}
