/*
 * attention.h - softmax attention with any positional encoding, forward and
 * backward, never an array of T x S.
 */
#ifndef LOCANT_ATTENTION_H
#define LOCANT_ATTENTION_H

#include "encoding.h"
#include <math.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Which keys a query sees; positions decide, not indices. */
typedef enum locant_mask {
    LOCANT_MASK_NONE   = 0,
    LOCANT_MASK_CAUSAL = 1 /* keys with k_pos <= q_pos */
} locant_mask;

/* For the member 'flags' of locant_attention. */
enum {
    LOCANT_ATTENTION_KEYS_TURNED = 1 /* k came through
        locant_encoding_rotate(.., LOCANT_ROTATE_KEY), as a cache may keep it:
        queries alone are turned, and dk is the gradient of k as given */
};

/* Let the scale be D^(-1/2). */
#define LOCANT_SCALE_AUTO ((double)HUGE_VAL)

/*
 * One attention problem.  With R the rotation, b the bias, tau the temperature
 * and f the content term of the encoding (identity, 0, 1 and identity where it
 * does not use that door), heads h of q read head h / (H / Hkv) of k and v:
 *
 *     s[i,j] = f(scale * tau(q_pos[i]) * <R(q_pos[i]) q[i], R(k_pos[j]) k[j]>
 *                + b(h, q_pos[i], k_pos[j]))
 *     (scale is the member times what the encoding multiplies scores by: with
 *     rope(scaling=yarn(score=yes,..)) the m^2 of DeepSeek, else 1)
 *     s[i,j] = softcap * tanh(s[i,j] / softcap)           if there is a softcap
 *     p[i,j] = exp(s[i,j]) / (exp(sinks[h]) + sum over the visible j of
 *                exp(s[i,j]));  exp(sinks[h]) is 0 without sinks
 *     o[i]   = sum_j p[i,j] v[j]
 *
 * A row that sees no key gives o = 0, log-sum-exp = the sink of its head or
 * -infinity, gradients 0, also of the sink.
 * Encodings of the input door act on embeddings, before attention: here they
 * do nothing.  The temperature warms the query itself, so f reads warm ones.
 * Each document of a row is as if it were alone.  An encoding with the trait
 * CAUSAL needs the causal mask where a key lies after a query of its document;
 * one with READS_X a key at each query's own position.  Nothing of padding is
 * read, be it positions, coordinates or channels.  What depends on the longest
 * position (LENGTH) counts that of the queries and keys of each document of a
 * row, or, where the spec says length=call, of the whole call, all batch rows,
 * as transformers does.
 *
 * q          F32, F16, BF16 or F64 [B, H, T, D]   last stride 1; so for k, v
 * k, v       dtype of q [B, Hkv, S, D]   Hkv divides H
 * q_pos      I64 [T] or [B, T]; NULL: query i sits at S - T + i
 * k_pos      I64 [S] or [B, S]; NULL: key j sits at j
 * encoding   NULL: none
 * params     the encoding's learned parameters in the order of
 *            locant_encoding_param(); NULL if it has none
 * x          dtype of q [B, S, W]   input of the layer, for encodings with the
 *            trait READS_X; NULL otherwise.  W is the width that sizes of
 *            parameters are asked for; H * D without x
 * q_coords   F64 [T, axes] or [B, T, axes]: real coordinates for an encoding of
 * k_coords   several axes, or of fractional positions; both or neither.  NULL:
 *            the encoding finds them from q_pos, k_pos.  Masks read positions,
 *            not coordinates
 * q_docs     I64 [T] or [B, T]: document of each token.  A query sees keys of
 * k_docs     its own document only; negative ids are padding: never seen, and
 *            seeing nothing.  Both or neither
 * window     0: none; else a query sees only keys at |q_pos - k_pos| < window,
 *            so with the causal mask the last 'window' ones, its own among
 *            them, as where others say sliding_window.  Tiles of keys that no
 *            query of a tile sees are skipped
 * softcap    0: none; else 2^-64 .. 2^64.  The cap comes last, after bias and
 *            content; a score of -infinity stays one
 * sinks      F32 (F64 where q is) [H], or NULL: a learned logit of each head
 *            that takes its share of the weights and has no value; -infinity:
 *            none of that head
 *
 * A cache in a ring: k_pos [S] is the position that each slot holds now.  A
 * paged cache: k and v are the pool of all pages as it lies, S rows of it, with
 * stride 0 along B; k_pos [B, S] has the position of each row in the sequence
 * of b, k_docs [B, S] is 0 on rows of its pages and -1 on all others, q_docs 0.
 *
 * Source: of the window Beltagy et al. 2020, arXiv:2004.05150v2, section 3.1,
 * and Jiang et al. 2023, arXiv:2310.06825v1, section 2; of the cap Gemma Team
 * 2024, arXiv:2408.00118, section 2; of sinks OpenAI 2025, arXiv:2508.10925,
 * and, all of them 0, Xiao et al. 2023, arXiv:2309.17453, section 3.3.
 */
typedef struct locant_attention {
    size_t                 struct_size; /* sizeof(locant_attention) */
    const locant_tensor   *q, *k, *v;
    const locant_tensor   *q_pos, *k_pos;
    const locant_encoding *encoding;
    const locant_tensor   *params;
    locant_mask            mask;
    double                 scale; /* finite, or LOCANT_SCALE_AUTO */
    const locant_tensor   *x;
    const locant_tensor   *q_coords, *k_coords;
    const locant_tensor   *q_docs, *k_docs;
    int                    flags; /* LOCANT_ATTENTION_* */
    int64_t                window;
    double                 softcap;
    const locant_tensor   *sinks;
} locant_attention;

#define LOCANT_ATTENTION_INIT \
    { .struct_size = sizeof(locant_attention), .scale = LOCANT_SCALE_AUTO }

/*
 * Bytes of scratch the two functions below need for this problem under the
 * present locant_threads().  It depends on the sizes and, for a bias, on how
 * far apart the positions lie: ask again when they change.  Errors: as those
 * functions.
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_attention_workspace(size_t *bytes, const locant_attention *a);

/*
 * out          dtype of q [B, H, T, D]   written; last stride 1
 * lse          F32 [B, H, T]             written: log of the sum that p
 *              (F64 where q is)          divides by; saved for backward
 * workspace    at least locant_attention_workspace() bytes
 *
 * The workspace must share no byte with any tensor.
 *
 * F32 accumulates in float with fused multiply-add where the CPU has it: the
 * relative L2 error against locant_attention_reference() is below 1e-6 for unit
 * scores; a score of n nats, biases included, carries an error of 2^-24 n. F16
 * and BF16 are storage: widened as they are read, the same sums in float,
 * rounded once as they are written. Where the CPU has dot products of BF16
 * (AVX-512), this function forms those of BF16 tensors with them, unless the
 * encoding reads content or maps rows other than by turning pairs: weights, and
 * q and k where they are turned, are then rounded to BF16 once, and the error
 * of out is below 2^-7 in the same sense. F64, and encodings of the content
 * door that are no products of rows (cope, dape) or whose positions lie far
 * apart, are computed in double, row by row.
 * Source: Vaswani et al. 2017, arXiv:1706.03762v7, eq. (1); the running softmax
 * of Milakov and Gimelshein 2018, arXiv:1805.02867v2, algorithm 3.
 * Errors: NULL, DTYPE, SHAPE, LAYOUT, PARAM, ALIAS, NOMEM, UNSUPPORTED.
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_attention_forward(locant_tensor *out, locant_tensor *lse,
                         const locant_attention *a, void *workspace,
                         size_t workspace_bytes);

/* Where the gradients go; a NULL member is not computed. */
typedef struct locant_attention_gradients {
    size_t         struct_size;
    locant_tensor *dq;      /* shape and dtype of q; written */
    locant_tensor *dk, *dv; /* of k, v; written */
    locant_tensor *dparams; /* array as 'params'; each added to */
    locant_tensor *dx;      /* shape and dtype of x; written: what flows
                               through the encoding alone */
    locant_tensor *dsinks;  /* F32 (F64 where q is) [H]; added to */
} locant_attention_gradients;

#define LOCANT_ATTENTION_GRADIENTS_INIT \
    { .struct_size = sizeof(locant_attention_gradients) }

/*
 * Gradients of a loss whose gradient with respect to 'out' is 'dout', by
 * recomputing p from lse.  In F32 each p carries the rounding of its lse, 2^-24
 * |lse|: nothing at ordinary scores, 1e-3 where a bias reaches -1e4 nats.
 *
 * dout, out    dtype of q [B, H, T, D]   out as forward wrote it
 * lse          F32 or F64 [B, H, T]      as forward wrote it
 *
 * Source: Dao et al. 2022, arXiv:2205.14135v2, appendix B.2.
 * Errors: as locant_attention_forward().
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_attention_backward(const locant_attention_gradients *gradients,
                          const locant_tensor *dout, const locant_tensor *out,
                          const locant_tensor *lse, const locant_attention *a,
                          void *workspace, size_t workspace_bytes);

/*
 * The same two maps in double, row by row, whatever the dtype of the tensors:
 * slow, plain, and what the fast ones are judged by.  out and lse may be F64
 * while q, k, v are F32.  The bias b and the angles of R are formed in double;
 * rotation uses the table that locant_encoding_rotate() uses for the dtype of
 * q: in double for F64, else exact to float32.
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_attention_reference(locant_tensor *out, locant_tensor *lse,
                           const locant_attention *a);
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_attention_reference_backward(
    const locant_attention_gradients *gradients, const locant_tensor *dout,
    const locant_tensor *out, const locant_tensor *lse,
    const locant_attention *a);

#ifdef __cplusplus
}
#endif
#endif /* LOCANT_ATTENTION_H */
