/*
 * dual_chunk.c - dual chunk attention: distances beyond a chunk stay those of
 * training.
 *
 * An et al.: Training-Free Long-Context Scaling of Large Language Models. 2024.
 * arXiv:2402.17463, section 3; HKUNLP/ChunkLlama.  With s = chunk - local, a
 * query and a key are rotated by
 *
 *     key      p_j mod s
 *     query    p_i mod s                    keys of its own s tokens
 *              min(p_i mod s + s, chunk)    keys of the s tokens before them
 *              min(2 s - 1, chunk)          older keys
 *
 * so a key is rotated once.  The code clamps at chunk, the paper at chunk - 1;
 * here the code is followed.  Its factor of cos and sin beyond the trained
 * length, which the paper does not have, is left out.  This encoding has no
 * door: it is added to one that rotates pairs by a position.
 */
#include "../positions/distance.h"
#include "encoding.h"

enum { CHUNK, LOCAL };
enum { OWN, PREVIOUS, OLDER };

/* clang-format off */
static const struct lct_key keys[] = {
    { .name = "chunk", .kind = LCT_INTEGER, .def = 3072, .min = 2,
      .max = 1 << 30, .doc = "no distance is larger; 3/4 of the trained length "
      "is usual" },
    { .name = "local", .kind = LCT_INTEGER, .def = 512, .min = 1,
      .max = 1 << 30, .doc = "keys before a border that stay near to the "
      "queries after it; less than the chunk" },
    { 0 }
};
/* clang-format on */

static locant_status check(const locant_encoding *e)
{
    if (e->value[LOCAL] >= e->value[CHUNK])
        return LCT_REFUSE("local of dual-chunk is %g, expected less than its "
                          "chunk, %g",
                          e->value[LOCAL], e->value[CHUNK]);
    return LOCANT_OK;
}

static int64_t stride(const locant_encoding *e)
{
    return (int64_t)e->value[CHUNK] - (int64_t)e->value[LOCAL];
}

/* Keys after the query, which the causal mask hides, count as its own. */
static int relation_of(int64_t chunks)
{
    return chunks <= 0 ? OWN : chunks == 1 ? PREVIOUS : OLDER;
}

static void classify(char *out, const locant_encoding *e, const int64_t *q_pos,
                     size_t n, int64_t k_pos)
{
    int64_t s = stride(e), key = lct_floor_div(k_pos, s);

    for (size_t i = 0; i < n; i++)
        out[i] = (char)relation_of(lct_floor_div(q_pos[i], s) - key);
}

static unsigned classify_range(const locant_encoding *e, struct lct_span q,
                               struct lct_span k)
{
    int64_t s = stride(e);
    int64_t least = lct_floor_div(q.low, s) - lct_floor_div(k.high, s);
    int64_t most = lct_floor_div(q.high, s) - lct_floor_div(k.low, s);
    unsigned seen = 0;

    for (int r = relation_of(least); r <= relation_of(most); r++)
        seen |= 1u << r;
    return seen;
}

static int64_t in_chunk(const locant_encoding *e, int64_t pos)
{
    int64_t s = stride(e);

    return pos - lct_floor_div(pos, s) * s;
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t place(const locant_encoding *e, int relation, int64_t pos)
{
    int64_t s = stride(e), chunk = (int64_t)e->value[CHUNK];

    switch (relation) {
    case PREVIOUS: return least(in_chunk(e, pos) + s, chunk);
    case OLDER: return least(2 * s - 1, chunk);
    default: return in_chunk(e, pos);
    }
}

static const locant_variant variants[] = {
    { "dual-chunk(chunk=3072,local=512)+rope", "a trained length of 4096",
      "ChunkLlama with Llama 2" },
    { "dual-chunk(chunk=262144,local=8192)+rope(base=10000000)",
      "dual_chunk_attention_config, without its sparse part",
      "Qwen2.5-7B-Instruct-1M" },
    { 0 }
};

const struct lct_encoding lct_enc_dual_chunk = {
    .info = {
        .name = "dual-chunk",
        .title = "Dual chunk attention",
        .formula = "rope at d = p_i - p_j in one stretch of s = chunk - local "
                   "tokens; d = min(p_i mod s + s, chunk) - p_j mod s one "
                   "stretch on; d = min(2 s - 1, chunk) - p_j mod s beyond",
        .gradient = "as rope at d; dq sums those of its three rotations",
        .source = "An et al. 2024, arXiv:2402.17463v2, section 3; "
                  "HKUNLP/ChunkLlama, chunkllama_attn_replace.py",
        .used_by = "Qwen2.5-1M, Llama 2 without fine-tuning",
        .pitfalls = "Alone it has no effect: it needs a rotation by position "
                    "beside it.  Keys in a cache are rotated at p mod s and "
                    "stay as they are.  The grid of chunks begins at position "
                    "0, so a shift of all positions changes scores unless it "
                    "is a multiple of s.",
        .variants = variants,
        /* In a sum with a rotation it is not relative. */
        .traits = LOCANT_TRAIT_CAUSAL | LOCANT_TRAIT_RELATIVE,
    },
    .keys = keys,
    .check = check,
    .relations = {
        .classify = classify,
        .classify_range = classify_range,
        .place = place,
        .key_place = in_chunk,
    },
};
