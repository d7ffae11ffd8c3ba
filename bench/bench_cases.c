/* bench_cases.c - the table of families, and its expansion into cases */
#include "bench.h"
#include <stdlib.h>
#include <string.h>

const struct bench_title bench_titles[SUBJECTS] = {
    [SUBJECT_ANGLES] = { "angles", "Exact angles",
                         "at most 1.3 ns a pair with AVX-512, 2.0 with AVX2",
                         NULL },
    [SUBJECT_ROTATE] = { "rotate", "Rotation",
                         "0.90 of streaming; bf16, f16 0.75 from memory; to "
                         "another place 0.83 of in place",
                         "of in place" },
    [SUBJECT_INPUT] = { "input", "Adding positions to the input", NULL, NULL },
    [SUBJECT_FORWARD] = { "forward", "Attention, forward",
                          "0.80 of FMA; AVX2, D = 64: 0.74; a bias or RoPE "
                          "0.90 of plain, AVX2: 0.95",
                          "of plain" },
    [SUBJECT_BACKWARD] = { "backward", "Attention, backward",
                           "0.80 of FMA; AVX2: 0.74, a bias or RoPE 0.95 of "
                           "plain",
                           "of plain" },
    [SUBJECT_STORAGE] = { "storage", "Attention on 16-bit tensors",
                          "1.5 of f32 where the CPU has bfloat16 dot products",
                          "of f32" },
    [SUBJECT_DECODE] = { "decode", "One query against a long cache",
                         "0.85 of reading the keys and values", NULL },
    [SUBJECT_CACHES] = { "caches",
                         "Paged and quantised caches, packed sequences",
                         "paged 0.95 of one piece; quantised 1.5 of float16; "
                         "its bytes allow 1.94 (int8), 1.88 (q8_0), 2 (fp8)",
                         "of plain" },
    [SUBJECT_MASKS] = { "masks", "Windows and packed documents",
                        "only visible pairs count", NULL },
    [SUBJECT_PARTS] = { "parts",
                        "Attention by blocks of 1024 keys, with carried state",
                        "0.95 of one call", "of one call" },
    [SUBJECT_CONTENT] = { "content", "Content encodings, causal", NULL,
                          "of plain" },
    [SUBJECT_KERNELS] = { "kernels", "Kernels, operands in cache", NULL, NULL },
    [SUBJECT_TRAIN] = { "train",
                        "Training: S has 3 layers of 64, M 3 of 96, L 4 of 128",
                        NULL, NULL },
    [SUBJECT_MEMORY] = { "memory",
                         "Extra memory, forward and backward: peak RSS of a "
                         "child",
                         "at most 16 MiB beyond inputs and outputs", NULL },
    [SUBJECT_MODELS] = { "models",
                         "Checkpoints of random weights: the states of a "
                         "prompt, the next 64 tokens after it, memory, opening",
                         "prompt 0.80 of FMA or dot products; tokens 0.85 of "
                         "reading weights and cache; 10 % of memory beyond "
                         "both; 10 opens/s",
                         NULL },
};

#define ENCODINGS "none alibi(symmetric=yes) t5 kerple rope fire(length=2048)"
/* Encodings with other laws than a bias. */
#define LAWS                                                                   \
    "scale-invariant ssmax urpe stick-breaking "                               \
    "dual-chunk(chunk=1536,local=256)+rope"
/* kerple, as an expression */
#define FORMULA "formula(bias=-m*log1p(a*n),m=param(heads),a=param(heads))"
/* fox, and a law of scores, pair by pair */
#define FOX      "formula(bias=c.q-c.k,c=scan(heads,map=linear,law=logsigmoid))"
#define FORMULAS FOX " formula(bias=tanh(s*m)-n/16,m=param(heads))"
/* Rotations that differ by head, and rope for comparison; the rows of rotation
 * in place need an inverse, which fope has not. */
#define MAPS "rope rope-mixed rope-imaginary grape-m grape-m(planes=rank2)"
enum { BOTH = MASK_FULL | MASK_CAUSAL };

static const struct bench_shape qwen = { "qwen2", 24,   896,    14,  2,
                                         64,      4864, 151936, true };
static const struct bench_shape llama = { "llama", 16,   2048,   32,   8,
                                          64,      8192, 128256, false };

/* clang-format off */
#define MODEL(name, kind, sizes, type, fast)                                 \
    { SUBJECT_MODELS, name, &work_##kind, .fixed = true, .dtypes = type,     \
      .tokens = "512", .quick = fast, .dims = "64", .shape = &(sizes) }
/* clang-format on */

static const struct bench_family families[] = {
    { SUBJECT_ANGLES, "table", &work_angle, .tokens = "64", .quick = "64",
      .dims = "128" },
    { SUBJECT_ANGLES, "one row", &work_angle, .tokens = "1", .dims = "128" },
    { SUBJECT_ANGLES, "libm in double", &work_angle_libm, .tokens = "64",
      .quick = "64", .dims = "128" },

    { SUBJECT_ROTATE, "rotate", &work_rotate, "rope rope(pairing=interleaved)",
      .dtypes = "f32 bf16 f16", .tokens = "1024,4096", .quick = "1024",
      .dims = "128", .heads = 32 },
    { SUBJECT_ROTATE, "rotate", &work_rotate,
      "axes(widths=44:42:42) axes(widths=44:42:42,pairing=blocks)",
      .fixed = true, .dtypes = "f32 bf16", .tokens = "1024", .quick = "1024",
      .dims = "128", .heads = 32 },
    { SUBJECT_ROTATE, "rotate", &work_rotate, "rope", .longer = true,
      .tokens = "64", .quick = "64", .dims = "128", .heads = 8 },
    { SUBJECT_ROTATE, "rotate q and k", &work_rotate_qk, "rope",
      .tokens = "4096", .quick = "1024", .dims = "128", .heads = 32,
      .kv_heads = 8 },
    { SUBJECT_ROTATE, "rotate", &work_rotate, "rope", .longer = true,
      .dtypes = "bf16 f16", .tokens = "32768", .dims = "128", .heads = 32 },
    { SUBJECT_ROTATE, "rotate to another place", &work_rotate_elsewhere, "rope",
      .dtypes = "f32 bf16", .tokens = "32768", .quick = "1024", .dims = "128",
      .heads = 32 },
    { SUBJECT_ROTATE, "plain C loop", &work_rotate_naive, "rope", .fixed = true,
      .tokens = "1024", .dims = "128", .heads = 32 },
    { SUBJECT_ROTATE, "rerotate", &work_rerotate, "rope", .fixed = true,
      .tokens = "4096", .quick = "1024", .dims = "128", .heads = 8 },

    { SUBJECT_ROTATE, "rotate by head", &work_rotate, MAPS, .fixed = true,
      .tokens = "1024", .dims = "128", .heads = 8 },

    { SUBJECT_INPUT, "add", &work_input, "sinusoidal learned(length=4096)",
      .dtypes = "f32 bf16 f16", .tokens = "4096", .quick = "1024",
      .dims = "4096", .heads = 1 },
    { SUBJECT_INPUT, "add", &work_input, "sinusoidal learned(length=1024)",
      .longer = true, .dtypes = "f32 bf16 f16", .tokens = "1024",
      .quick = "1024", .dims = "1024", .heads = 16 },

    { SUBJECT_FORWARD, "forward", &work_forward, ENCODINGS " " FORMULA,
      .tokens = "2048", .quick = "512", .dims = "64,128", .heads = 8,
      .masks = BOTH },
    { SUBJECT_FORWARD, "forward", &work_forward, LAWS, .tokens = "2048",
      .quick = "512", .dims = "64,128", .heads = 8, .masks = MASK_CAUSAL },
    { SUBJECT_FORWARD, "forward", &work_forward, ENCODINGS, .longer = true,
      .tokens = "8192", .dims = "64,128", .heads = 2, .masks = BOTH },
    { SUBJECT_FORWARD, "forward, values of 128,", &work_forward, "none rope",
      .tokens = "2048", .quick = "512", .dims = "192", .heads = 8,
      .masks = BOTH, .values = 128 },
    { SUBJECT_BACKWARD, "backward, values of 128,", &work_backward, "none rope",
      .tokens = "2048", .quick = "512", .dims = "192", .heads = 4,
      .masks = BOTH, .values = 128 },
    { SUBJECT_BACKWARD, "backward", &work_backward, ENCODINGS " " FORMULA,
      .tokens = "2048", .quick = "512", .dims = "64,128", .heads = 4,
      .masks = BOTH },
    { SUBJECT_BACKWARD, "backward", &work_backward, LAWS, .tokens = "2048",
      .quick = "512", .dims = "64,128", .heads = 4, .masks = MASK_CAUSAL },
    { SUBJECT_FORWARD, "forward, dense bias,", &work_forward, "none",
      .fixed = true, .tokens = "2048", .quick = "512", .dims = "64,128",
      .heads = 8, .dense = DENSE_SHARED },
    { SUBJECT_FORWARD, "forward, dense bias by head,", &work_forward, "none",
      .fixed = true, .tokens = "2048", .quick = "512", .dims = "64,128",
      .heads = 8, .dense = DENSE_BY_HEAD },
    { SUBJECT_FORWARD, "forward, rotated by head", &work_forward,
      MAPS " fope(length=4096)", .fixed = true, .tokens = "2048",
      .dims = "64,128", .heads = 8, .masks = MASK_FULL },
    { SUBJECT_BACKWARD, "backward, rotated by head", &work_backward,
      MAPS " fope(length=4096)", .fixed = true, .tokens = "2048", .dims = "64",
      .heads = 4, .masks = MASK_FULL },
    { SUBJECT_FORWARD, "forward", &work_forward, "axes(widths=44:42:42)",
      .fixed = true, .tokens = "2048", .quick = "512", .dims = "128",
      .heads = 8, .masks = MASK_FULL },
    { SUBJECT_BACKWARD, "backward", &work_backward, ENCODINGS, .longer = true,
      .tokens = "8192", .dims = "64,128", .heads = 2, .masks = BOTH },

    { SUBJECT_BACKWARD, "backward, dense bias,", &work_backward, "none",
      .fixed = true, .tokens = "2048", .quick = "512", .dims = "64,128",
      .heads = 4, .dense = DENSE_SHARED },
    { SUBJECT_BACKWARD, "backward, dense bias by head,", &work_backward, "none",
      .fixed = true, .tokens = "2048", .quick = "512", .dims = "64,128",
      .heads = 4, .dense = DENSE_BY_HEAD },

    { SUBJECT_STORAGE, "forward", &work_forward, "none rope",
      .dtypes = "bf16 f16", .tokens = "2048", .quick = "512", .dims = "64,128",
      .heads = 8 },
    { SUBJECT_STORAGE, "backward", &work_backward, "none", .dtypes = "bf16 f16",
      .tokens = "2048", .quick = "512", .dims = "64", .heads = 4 },

    { SUBJECT_DECODE, "decode", &work_decode, "none", .tokens = "32768",
      .quick = "4096", .dims = "128", .heads = 8, .queries = 1 },
    { SUBJECT_DECODE, "decode", &work_decode, "none rope alibi",
      .tokens = "32768", .quick = "4096", .dims = "128", .heads = 32,
      .kv_heads = 8, .queries = 1 },
    { SUBJECT_DECODE, "decode, post-RoPE keys", &work_decode, "rope",
      .tokens = "32768", .quick = "4096", .dims = "128", .heads = 32,
      .kv_heads = 8, .queries = 1, .keys_rotated = true },
    { SUBJECT_DECODE, "decode", &work_decode, "none", .dtypes = "bf16 f16",
      .tokens = "32768", .quick = "4096", .dims = "128", .heads = 32,
      .kv_heads = 8, .queries = 1 },

    { SUBJECT_DECODE, "decode, values are 512 channels of keys,", &work_forward,
      "rope(dim=64,side=trailing)", .fixed = true, .dtypes = "f32 bf16",
      .tokens = "32768", .quick = "4096", .dims = "576", .heads = 16,
      .kv_heads = 1, .queries = 1, .keys_rotated = true, .values = 512,
      .of_keys = true },
    { SUBJECT_CACHES, "decode, blocks of 16,", &work_paged, "none rope",
      .dtypes = "f32 bf16 f16", .tokens = "32768", .quick = "4096",
      .dims = "128", .heads = 32, .kv_heads = 8, .queries = 1, .block = 16,
      .pool = 49152 },
    { SUBJECT_CACHES, "decode, blocks of 64,", &work_paged, "none",
      .dtypes = "f16", .tokens = "32768", .quick = "4096", .dims = "128",
      .heads = 32, .kv_heads = 8, .queries = 1, .block = 64, .pool = 49152 },
    { SUBJECT_CACHES, "decode, blocks of 1,", &work_paged, "none",
      .dtypes = "f16", .tokens = "32768", .quick = "4096", .dims = "128",
      .heads = 32, .kv_heads = 8, .queries = 1, .block = 1, .pool = 49152 },
    { SUBJECT_CACHES, "decode, blocks of 16, pool of 65536,", &work_paged,
      "none", .fixed = true, .dtypes = "f16", .tokens = "1024", .dims = "128",
      .heads = 32, .kv_heads = 8, .queries = 1, .block = 16, .pool = 65536 },

    { SUBJECT_CACHES, "decode, a state kept,", &work_paged,
      "path repo carope selective-rope fox " FOX, .fixed = true,
      .tokens = "4096", .quick = "1024", .dims = "64", .heads = 4, .queries = 1,
      .keeps = true },

    { SUBJECT_CACHES, "decode, int8,", &work_quant, "none rope",
      .dtypes = "f16", .tokens = "32768", .quick = "4096", .dims = "128",
      .heads = 32, .kv_heads = 8, .queries = 1, .quant = LOCANT_QUANT_INT8 },
    { SUBJECT_CACHES, "decode, q8_0,", &work_quant, "none", .dtypes = "f16",
      .tokens = "32768", .quick = "4096", .dims = "128", .heads = 32,
      .kv_heads = 8, .queries = 1, .quant = LOCANT_QUANT_Q8_0 },
    { SUBJECT_CACHES, "decode, e4m3,", &work_quant, "none", .dtypes = "f16",
      .tokens = "32768", .quick = "4096", .dims = "128", .heads = 32,
      .kv_heads = 8, .queries = 1, .quant = LOCANT_QUANT_E4M3 },
    { SUBJECT_CACHES, "decode, e5m2,", &work_quant, "none", .dtypes = "f16",
      .tokens = "32768", .quick = "4096", .dims = "128", .heads = 32,
      .kv_heads = 8, .queries = 1, .quant = LOCANT_QUANT_E5M2 },

    { SUBJECT_CACHES, "prefill, int8,", &work_pieces, "rope", .dtypes = "f16",
      .tokens = "4096", .quick = "1024", .dims = "128", .heads = 8,
      .queries = 512, .quant = LOCANT_QUANT_INT8 },
    { SUBJECT_CACHES, "prefill, q8_0,", &work_pieces, "rope", .dtypes = "f16",
      .tokens = "4096", .quick = "1024", .dims = "128", .heads = 8,
      .queries = 512, .quant = LOCANT_QUANT_Q8_0 },
    { SUBJECT_CACHES, "prefill, e4m3,", &work_pieces, "rope", .dtypes = "f16",
      .tokens = "4096", .quick = "1024", .dims = "128", .heads = 8,
      .queries = 512, .quant = LOCANT_QUANT_E4M3 },
    { SUBJECT_CACHES, "prefill, e5m2,", &work_pieces, "rope", .dtypes = "f16",
      .tokens = "4096", .quick = "1024", .dims = "128", .heads = 8,
      .queries = 512, .quant = LOCANT_QUANT_E5M2 },
    { SUBJECT_CACHES, "forward, 16 packed sequences,", &work_pieces, "rope",
      .tokens = "8192", .quick = "1024", .dims = "64", .heads = 4,
      .masks = MASK_CAUSAL, .documents = 16, .packed = true },

    { SUBJECT_CACHES, "append, blocks of 16,", &work_append, "rope",
      .fixed = true, .dtypes = "f32 f16", .tokens = "4096", .quick = "1024",
      .dims = "128", .heads = 8, .block = 16 },
    { SUBJECT_CACHES, "append, int8,", &work_append, "rope", .fixed = true,
      .dtypes = "f16", .tokens = "4096", .quick = "1024", .dims = "128",
      .heads = 8, .quant = LOCANT_QUANT_INT8 },
    { SUBJECT_CACHES, "append, q8_0,", &work_append, "rope", .fixed = true,
      .dtypes = "f16", .tokens = "4096", .quick = "1024", .dims = "128",
      .heads = 8, .quant = LOCANT_QUANT_Q8_0 },
    { SUBJECT_CACHES, "append, e4m3,", &work_append, "rope", .fixed = true,
      .dtypes = "f16", .tokens = "4096", .quick = "1024", .dims = "128",
      .heads = 8, .quant = LOCANT_QUANT_E4M3 },
    { SUBJECT_CACHES, "append, e5m2,", &work_append, "rope", .fixed = true,
      .dtypes = "f16", .tokens = "4096", .quick = "1024", .dims = "128",
      .heads = 8, .quant = LOCANT_QUANT_E5M2 },
    { SUBJECT_CACHES, "rerotate, int8,", &work_quant_rerotate, "rope",
      .fixed = true, .dtypes = "f16", .tokens = "4096", .quick = "1024",
      .dims = "128", .heads = 8, .quant = LOCANT_QUANT_INT8 },
    { SUBJECT_CACHES, "rerotate, q8_0,", &work_quant_rerotate, "rope",
      .fixed = true, .dtypes = "f16", .tokens = "4096", .quick = "1024",
      .dims = "128", .heads = 8, .quant = LOCANT_QUANT_Q8_0 },
    { SUBJECT_CACHES, "rerotate, e4m3,", &work_quant_rerotate, "rope",
      .fixed = true, .dtypes = "f16", .tokens = "4096", .quick = "1024",
      .dims = "128", .heads = 8, .quant = LOCANT_QUANT_E4M3 },
    { SUBJECT_CACHES, "rerotate, e5m2,", &work_quant_rerotate, "rope",
      .fixed = true, .dtypes = "f16", .tokens = "4096", .quick = "1024",
      .dims = "128", .heads = 8, .quant = LOCANT_QUANT_E5M2 },

    { SUBJECT_MASKS, "forward", &work_forward, "window(size=512)+rope",
      .fixed = true, .tokens = "8192", .quick = "1024", .dims = "64",
      .heads = 4, .masks = MASK_CAUSAL, .window = 512 },
    { SUBJECT_MASKS, "backward", &work_backward, "window(size=512)+rope",
      .fixed = true, .tokens = "8192", .dims = "64", .heads = 4,
      .masks = MASK_CAUSAL, .window = 512 },
    { SUBJECT_MASKS, "forward, 16 documents", &work_forward, "rope",
      .tokens = "8192", .quick = "1024", .dims = "64", .heads = 4,
      .masks = MASK_CAUSAL, .documents = 16 },
    { SUBJECT_MASKS, "backward, 16 documents", &work_backward, "rope",
      .tokens = "8192", .dims = "64", .heads = 4, .masks = MASK_CAUSAL,
      .documents = 16 },

    { SUBJECT_PARTS, "carried, forward", &work_pieces, "rope t5 alibi none",
      .tokens = "8192", .quick = "2048", .dims = "64", .heads = 4,
      .masks = MASK_CAUSAL, .parts = true },
    { SUBJECT_PARTS, "carried, backward", &work_pieces_backward,
      "rope t5 alibi none", .tokens = "8192", .dims = "64", .heads = 4,
      .masks = MASK_CAUSAL, .parts = true },

    { SUBJECT_CONTENT, "forward", &work_forward,
      "shaw music transformer-xl rerope fox cope tapa wavlm grape-a repo "
      "carope selective-rope path",
      .tokens = "256", .quick = "64", .dims = "64", .heads = 4,
      .masks = MASK_CAUSAL },
    { SUBJECT_CONTENT, "backward", &work_backward,
      "shaw music transformer-xl rerope fox cope tapa wavlm grape-a repo "
      "carope selective-rope path",
      .tokens = "256", .dims = "64", .heads = 4, .masks = MASK_CAUSAL },
    { SUBJECT_CONTENT, "forward", &work_forward, FORMULAS, .tokens = "256",
      .quick = "64", .dims = "64", .heads = 4, .masks = MASK_CAUSAL },
    { SUBJECT_CONTENT, "backward", &work_backward, FORMULAS, .tokens = "256",
      .dims = "64", .heads = 4, .masks = MASK_CAUSAL },
    { SUBJECT_CONTENT, "forward", &work_forward, "path", .fixed = true,
      .tokens = "2048", .dims = "64,128", .heads = 4, .masks = MASK_CAUSAL },
    { SUBJECT_CONTENT, "backward", &work_backward, "path", .fixed = true,
      .tokens = "2048", .dims = "64,128", .heads = 4, .masks = MASK_CAUSAL },

    { SUBJECT_TRAIN, "training step, S,", &work_train,
      "none rope alibi t5 kerple", .tokens = "128", .quick = "128",
      .dims = "16", .heads = 4, .layers = 3, .step = 2048 },
    { SUBJECT_TRAIN, "training step, M,", &work_train, "none rope alibi",
      .tokens = "128", .quick = "128", .dims = "24", .heads = 4, .layers = 3,
      .step = 2048 },
    { SUBJECT_TRAIN, "training step, L,", &work_train, "none rope alibi",
      .tokens = "128", .quick = "128", .dims = "32", .heads = 4, .layers = 4,
      .step = 2048 },
    { SUBJECT_TRAIN, "training step, S by length,", &work_train, "rope",
      .longer = true, .tokens = "128-4096*2", .quick = "128,1024", .dims = "16",
      .heads = 4, .layers = 3, .step = 4096, .grows = true },
    { SUBJECT_MEMORY, "forward and backward", &work_memory, "t5",
      .tokens = "32768", .dims = "64", .heads = 8, .masks = MASK_CAUSAL },

    /* rows of one checkpoint follow each other: it is written once */
    MODEL("prompt, Qwen2.5-0.5B,", prompt, qwen, "f32", "64"),
    MODEL("tokens, Qwen2.5-0.5B,", tokens, qwen, "f32", "64"),
    MODEL("memory, Qwen2.5-0.5B,", model_memory, qwen, "f32", NULL),
    MODEL("prompt, Qwen2.5-0.5B,", prompt, qwen, "bf16", "64"),
    MODEL("tokens, Qwen2.5-0.5B,", tokens, qwen, "bf16", "64"),
    MODEL("memory, Qwen2.5-0.5B,", model_memory, qwen, "bf16", NULL),
    MODEL("prompt, Llama-3.2-1B,", prompt, llama, "f32", NULL),
    MODEL("tokens, Llama-3.2-1B,", tokens, llama, "f32", NULL),
    MODEL("memory, Llama-3.2-1B,", model_memory, llama, "f32", NULL),
    MODEL("prompt, Llama-3.2-1B,", prompt, llama, "bf16", NULL),
    MODEL("tokens, Llama-3.2-1B,", tokens, llama, "bf16", NULL),
    MODEL("memory, Llama-3.2-1B,", model_memory, llama, "bf16", NULL),
    { SUBJECT_MODELS, "open, 5 GB, Llama-3.2-1B,", &work_open, .tokens = "1",
      .quick = "1", .dims = "64", .shape = &llama },
};

const struct bench_family *bench_family_at(int i)
{
    if (i < 0 || (size_t)i >= sizeof(families) / sizeof(families[0]))
        return NULL;
    return &families[i];
}

/* --------------------------------------------------------------- expanding */

struct expansion {
    const struct bench_options *o;
    struct bench_case *cases;
    int n, room;
    bool failed; /* no memory */
};

/* The next word of a list that is split at blanks; false at its end. */
static bool next_word(char *out, size_t size, const char **list)
{
    size_t n = strcspn(*list, " ");

    snprintf(out, size, "%.*s", (int)n, *list);
    *list += n + strspn(*list + n, " ");
    return n > 0;
}

static locant_dtype dtype_of(const char *name)
{
    for (int i = LOCANT_F32; i <= LOCANT_I64; i++)
        if (strcmp(locant_dtype_name((locant_dtype)i), name) == 0)
            return (locant_dtype)i;
    return LOCANT_F32;
}

static void name_sizes(char *out, size_t size, const struct bench_case *c)
{
    long long heads = (long long)c->heads, kv = (long long)c->kv_heads;
    long long tokens = (long long)c->tokens, dim = (long long)c->dim;

    if (c->family->shape != NULL)
        snprintf(out, size, "[1, %lld]", tokens);
    else if (c->family->heads == 0)
        snprintf(out, size, "[%lld, %lld]", tokens, dim);
    else if (c->family->queries > 0)
        snprintf(out, size, "[1, %lld, %lld, %lld] on [1, %lld, %lld, %lld]",
                 heads, (long long)c->queries, dim, kv, tokens, dim);
    else if (c->family->subject == SUBJECT_INPUT)
        snprintf(out, size, "[%lld, %lld, %lld]", heads, tokens, dim);
    else
        snprintf(out, size, "[%lld, %lld, %lld, %lld]", (long long)c->batch,
                 heads, tokens, dim);
}

static void set_name(struct bench_case *c)
{
    char sizes[128];
    bool typed = c->dtype != LOCANT_F32;

    name_sizes(sizes, sizeof(sizes), c);
    snprintf(c->name, sizeof(c->name), "%s%s%s%s%s%s %s", c->family->name,
             c->spec[0] ? " " : "", c->spec, typed ? " " : "",
             typed ? locant_dtype_name(c->dtype) : "",
             c->causal ? " causal" : "", sizes);
}

/* Whether --only, the key of a table or a part of a name, includes the case. */
static bool included(const struct bench_case *c, const char *only)
{
    for (int i = 0; only != NULL && i < SUBJECTS; i++)
        if (strcmp(bench_titles[i].key, only) == 0)
            return c->family->subject == (enum bench_subject)i;
    return only == NULL || strstr(c->name, only) != NULL;
}

static void add(struct expansion *x, const struct bench_case *c)
{
    if (!included(c, x->o->only))
        return;
    if (x->n == x->room) {
        int room = x->room == 0 ? 256 : 2 * x->room;
        struct bench_case *more =
            realloc(x->cases, (size_t)room * sizeof(*more));

        if (more == NULL) {
            x->failed = true;
            return;
        }
        x->cases = more;
        x->room = room;
    }
    x->cases[x->n++] = *c;
}

/* Adds the case with each mask that its family has. */
static void add_masks(struct expansion *x, struct bench_case *c)
{
    unsigned masks = c->family->masks == 0 ? MASK_FULL : c->family->masks;

    for (unsigned mask = MASK_FULL; mask <= MASK_CAUSAL; mask *= 2) {
        if (!(masks & mask))
            continue;
        c->causal = mask == MASK_CAUSAL;
        set_name(c);
        add(x, c);
    }
}

/* Parsing the table cannot fail: tests/test_bench.c parses all its lists. */
static struct bench_range sizes(const struct bench_range *given,
                                const char *text)
{
    struct bench_range r = { 0 };

    if (given->n > 0)
        return *given;
    (void)bench_range_parse(&r, text);
    return r;
}

static void add_sizes(struct expansion *x, struct bench_case *c)
{
    const struct bench_family *f = c->family;
    struct bench_range tokens =
        sizes(&x->o->tokens, x->o->quick ? f->quick : f->tokens);
    struct bench_range dims = sizes(&x->o->dims, f->dims);

    if (x->o->quick && x->o->dims.n == 0)
        dims.n = 1; /* only the first */
    for (int d = 0; d < dims.n; d++)
        for (int t = 0; t < tokens.n; t++) {
            c->tokens = tokens.at[t];
            c->batch = f->step > c->tokens ? f->step / c->tokens : 1;
            c->queries = f->queries > 0 ? f->queries : c->tokens;
            c->dim = dims.at[d];
            c->values = f->values;
            add_masks(x, c);
        }
}

/* Whether the encoding of -e fits this family.  An encoding without doors
   (none) fits families that take biases. */
static bool fits(const struct bench_family *f, const char *spec)
{
    locant_encoding *e = NULL;
    unsigned doors;

    if (f->fixed || f->specs == NULL ||
        locant_encoding_create(&e, spec) != LOCANT_OK)
        return false;
    doors = locant_encoding_doors(e);
    locant_encoding_free(e);
    if (f->subject == SUBJECT_CONTENT)
        return (doors & LOCANT_DOOR_CONTENT) != 0;
    return doors == 0 ? (f->work->doors & LOCANT_DOOR_SCORE) != 0
                      : (f->work->doors & doors) != 0;
}

static bool selected(const struct bench_family *f,
                     const struct bench_options *o)
{
    return (f->quick != NULL || !o->quick) &&
           (!f->longer || o->tokens.n == 0) &&
           ((f->layers == 0 && f->values == 0 && f->shape == NULL) ||
            o->dims.n == 0) &&
           (o->spec[0] == '\0' || fits(f, o->spec));
}

static void add_family(struct expansion *x, const struct bench_family *f)
{
    const char *specs = f->specs == NULL ? "" : f->specs;
    struct bench_case c = { .family = f,
                            .work = f->work,
                            .heads = f->heads,
                            .kv_heads = f->kv_heads,
                            .window = f->window,
                            .documents = f->documents,
                            .block = f->block,
                            .pool = f->pool,
                            .dense = f->dense,
                            .quant = f->quant,
                            .keeps = f->keeps,
                            .parts = f->parts,
                            .packed = f->packed,
                            .layers = f->layers };

    if (!selected(f, x->o))
        return;
    if (c.kv_heads == 0)
        c.kv_heads = c.heads;
    if (x->o->spec[0] != '\0')
        specs = x->o->spec;
    while (next_word(c.spec, sizeof(c.spec), &specs) || f->specs == NULL) {
        const char *dtypes = f->dtypes == NULL ? "f32" : f->dtypes;
        char dtype[8];

        while (next_word(dtype, sizeof(dtype), &dtypes)) {
            c.dtype = dtype_of(dtype);
            add_sizes(x, &c);
        }
        if (f->specs == NULL)
            break;
    }
}

static const struct bench_family kernels_family = { SUBJECT_KERNELS, "kernel",
                                                    NULL, .fixed = true };

static void add_kernels(struct expansion *x, const struct bench_kernels *of)
{
    for (const struct bench_kernel *k = of->rows; k->name != NULL; k++) {
        struct bench_case c = {
            .family = &kernels_family, .work = k->work, .of = of, .kernel = k
        };

        snprintf(c.name, sizeof(c.name), "%s", k->name);
        add(x, &c);
    }
}

/* By subject; insertion sort keeps the table's order within a subject. */
static void sort(struct bench_case *cases, int n)
{
    for (int i = 1; i < n; i++) {
        struct bench_case c = cases[i];
        int at = i;

        for (; at > 0 && cases[at - 1].family->subject > c.family->subject;
             at--)
            cases[at] = cases[at - 1];
        cases[at] = c;
    }
}

int bench_cases(struct bench_case **out, const struct bench_options *o)
{
    struct expansion x = { .o = o };
    const struct bench_family *f;

    for (int i = 0; (f = bench_family_at(i)) != NULL; i++)
        add_family(&x, f);
    /* kernels have fixed sizes and no encoding */
    if (o->tokens.n == 0 && o->dims.n == 0 && o->spec[0] == '\0') {
        add_kernels(&x, &bench_kernels);
        add_kernels(&x, &bench_nn);
    }
    sort(x.cases, x.n);
    *out = x.cases;
    if (x.failed) {
        free(x.cases);
        *out = NULL;
        return -1;
    }
    return x.n;
}
