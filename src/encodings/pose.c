/*
 * pose.c - positional skip-wise training: a short sequence is cut into chunks
 * whose positions skip ahead, as if they stood in a long one.
 *
 * Zhu et al.: PoSE: Efficient Context Window Extension of LLMs via Positional
 * Skip-wise Training. 2024. arXiv:2309.10400, section 3.2; the authors'
 * src/train_pose.py (43b43b3).
 *
 *     p_t = t + u_c in chunk c,  u_0 = 0,  u_c uniform in u_(c-1) .. length - T
 *
 * Two chunks are cut as the authors do: the first has 1 .. (T + 1) / 2 tokens.
 * More chunks are cut at distinct places, all choices equally likely.
 * Evaluation does not skip, at any length.  This encoding has no door: it is
 * added to another one, mostly RoPE with a scaling.
 */
#include "draw.h"
#include "encoding.h"

enum { LENGTH, CHUNKS };
enum { MOST_CHUNKS = 64 };

/* clang-format off */
static const struct lct_key keys[] = {
    { .name = "length", .kind = LCT_INTEGER, .def = 2048, .min = 1,
      .max = 1 << 30, .doc = "the context length to learn" },
    { .name = "chunks", .kind = LCT_INTEGER, .def = 2, .min = 1,
      .max = MOST_CHUNKS, .doc = "pieces of a sequence; the first stays" },
    { 0 }
};
/* clang-format on */

/* cut[c] = first token of chunk c + 1, 2 <= chunks <= n */
static void draw_cuts(int64_t *cut, int64_t chunks, int64_t n, locant_random *r)
{
    if (chunks == 2) {
        cut[0] = 1 + (int64_t)locant_random_below(r, ((uint64_t)n + 1) / 2);
        return;
    }
    lct_draw_set(cut, chunks - 1, n - 1, r);
    for (int64_t c = 0; c < chunks - 1; c++)
        cut[c]++;
}

static void choose(int64_t *out, double *reals, const locant_encoding *e,
                   int64_t n, locant_random *r)
{
    int64_t chunks = (int64_t)e->value[CHUNKS], cut[MOST_CHUNKS];
    int64_t room = (int64_t)e->value[LENGTH] - n, skip = 0, t = 0;

    (void)reals;
    chunks = chunks < n ? chunks : n;
    if (r == NULL)
        chunks = 1;
    if (chunks > 1)
        draw_cuts(cut, chunks, n, r);
    for (int64_t c = 0; c < chunks || t < n; c++) {
        int64_t end = c < chunks - 1 ? cut[c] : n;

        if (c > 0)
            skip +=
                (int64_t)locant_random_below(r, (uint64_t)(room - skip) + 1);
        for (; t < end; t++)
            out[t] = t + skip;
    }
}

static int64_t longest(const locant_encoding *e)
{
    return (int64_t)e->value[LENGTH];
}

static const locant_variant variants[] = {
    { "pose(length=16384)+rope", "2048 tokens stand for 16384",
      "PoSE, Llama 2" },
    { "pose(length=8192,chunks=3)+rope", "three chunks",
      "the paper's ablation" },
    { 0 }
};

const struct lct_encoding lct_enc_pose = {
    .info = {
        .name = "pose",
        .title = "Positional skip-wise training (PoSE)",
        .formula = "p_t = t + u_c in chunk c, u_0 = 0, u_c ~ U(u_(c-1) .. "
                   "length - T)",
        .gradient = "",
        .source = "Zhu et al. 2024, arXiv:2309.10400v3, section 3.2; "
                  "dwzhu-pku/PoSE, src/train_pose.py",
        .used_by = "context extension of Llama, Baichuan, GPT-J",
        .pitfalls = "Meant for fine-tuning together with a scaling of RoPE; an "
                    "older version of the authors' code moved the first chunk "
                    "too.",
        .variants = variants,
        .traits = LOCANT_TRAIT_RELATIVE,
    },
    .keys = keys,
    .positions = { .choose = choose, .longest = longest },
};
