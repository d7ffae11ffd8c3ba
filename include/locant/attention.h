/*
 * attention.h - softmax attention with any positional encoding, forward and
 * backward, in memory that does not grow with T x S.
 */
#ifndef LOCANT_ATTENTION_H
#define LOCANT_ATTENTION_H

#include "encoding.h"
#include <math.h>

LOCANT_BEGIN_DECLS

/* Which keys a query sees; positions decide, not indices. */
typedef enum locant_mask {
    LOCANT_MASK_NONE   = 0,
    LOCANT_MASK_CAUSAL = 1 /* keys with k_pos <= q_pos */
} locant_mask;

/* For the member 'flags' of locant_attention. */
enum {
    LOCANT_ATTENTION_KEYS_ROTATED = 1 /* k is already rotated, by
        locant_encoding_rotate(.., LOCANT_ROTATE_KEY), as in a cache of rotated
        keys: only queries are rotated, and dk is the gradient of k as given */
};

/* The scale is D^(-1/2). */
#define LOCANT_SCALE_AUTO ((double)HUGE_VAL)

/*
 * One attention problem.  R is the rotation of the encoding, b its bias, tau
 * its temperature, a and w its factors of scores and weights, and f its content
 * term; without one of these, R and f are the identity, b is 0, and tau, a and
 * w are 1.  Head h of q reads head h / (H / Hkv) of k and v:
 *
 *     s[i,j] = f(a(h, q_pos[i], k_pos[j]) * c * scale * tau(i) *
 *                <R(q_pos[i]) q[i], R(k_pos[j]) k[j]> + b(h, q_pos[i],
 *                k_pos[j]))
 *              with c = DeepSeek's m^2 for rope(scaling=yarn(score=yes,..)),
 *              1 for every other encoding; tau depends on q_pos[i] or, for
 *              ssmax, on h and the number of keys that query i sees
 *     s[i,j] = softcap * tanh(s[i,j] / softcap)           if there is a softcap
 *     p[i,j] = exp(s[i,j]) / (exp(sinks[h]) + sum over the visible j of
 *                exp(s[i,j]));  exp(sinks[h]) is 0 without sinks
 *     o[i]   = sum_j p[i,j] w(h, q_pos[i], k_pos[j]) v[j]
 *
 * For a row that sees no key, o is 0, the log-sum-exp is the sink of its head
 * or -infinity, and all gradients are 0, also that of the sink.
 * stick-breaking has other weights: from the highest k_pos to the lowest,
 * p[i,j] = sigmoid(s[i,j]) (1 - the sum of p so far).  With rest=value, (1 -
 * the sum of all p) v of the key at q_pos[i] is added to o[i], also where the
 * query sees no key.  Its log-sum-exp is the logarithm of that rest, at least
 * ln 2^-126, or -infinity for padding.  Sinks are refused.
 * Encodings of the input door act on embeddings before attention and do nothing
 * here.  An encoding's temperature multiplies q before any of the above.
 * Several documents in one row of the batch give the same results as a call for
 * each of them.  An encoding with the trait
 * CAUSAL requires the causal mask where a key lies after a query of its
 * document; one with READS_X requires a key at the position of each query.
 * Positions, coordinates and channels of padding are not read.  An encoding
 * with the trait LENGTH uses the longest position among the queries and keys of
 * each document of a row or, with length=call in its spec, of all rows of the
 * batch, as transformers does.
 *
 * q          F32, F16, BF16 or F64 [B, H, T, D]   last stride 1; so for k, v
 * k, v       dtype of q [B, Hkv, S, D]   Hkv divides H
 * q_pos      I64 [T] or [B, T]; NULL: query i sits at S - T + i
 * k_pos      I64 [S] or [B, S]; NULL: key j sits at j
 * encoding   NULL: none
 * params     the encoding's learned parameters in the order of
 *            locant_encoding_param(); NULL if it has none
 * x          dtype of q [B, S, W]   input of the layer, for encodings with the
 *            trait READS_X; NULL otherwise.  W is the model width that the
 *            shapes of parameters depend on; without x it is H * D
 * q_coords   F64 [T, axes] or [B, T, axes]: real coordinates, for an encoding
 * k_coords   of several axes or of fractional positions; both or neither.
 *            NULL: derived from q_pos and k_pos.  Masks read positions, not
 *            coordinates
 * q_docs     I64 [T] or [B, T]: document of each query and key.  A query sees
 * k_docs     only keys of its own document.  A negative id marks padding, which
 *            sees nothing and is never seen.  Both or neither
 * window     0: none; else a query sees only keys with |q_pos - k_pos| <
 *            window: with the causal mask the last 'window' keys, its own
 *            included, like sliding_window of transformers.  Tiles of keys that
 *            no query of a tile sees are skipped
 * softcap    0: none; else 2^-64 .. 2^64.  Applied last, after bias and content
 *            term; a score of -infinity stays -infinity
 * sinks      F32 (F64 if q is F64) [H], or NULL: a learned logit of each head
 *            that takes part in the softmax and has no value; -infinity: no
 *            sink for that head
 *
 * Ring cache: k_pos [S] is the position that each slot holds now.
 * Paged cache: k and v are the pool of all pages, S rows, with stride 0 along
 * B; k_pos [B, S] is the position of each row in sequence b, k_docs [B, S] is 0
 * on rows of the pages of sequence b and -1 on all others, q_docs is 0.
 *
 * Source: of the window Beltagy et al. 2020, arXiv:2004.05150v2, section 3.1,
 * and Jiang et al. 2023, arXiv:2310.06825v1, section 2; of the cap Gemma Team
 * 2024, arXiv:2408.00118, section 2; of sinks OpenAI 2025, arXiv:2508.10925;
 * of sinks that are all 0 Xiao et al. 2023, arXiv:2309.17453, section 3.3.
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
 * Bytes of workspace that the two functions below need for this problem and the
 * present locant_threads().  They depend on the sizes and, with a bias, on the
 * range of the positions: call it again when these change.  Errors: as those
 * functions.
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_attention_workspace(size_t *bytes, const locant_attention *a);

/*
 * out          dtype of q [B, H, T, D]   written; last stride 1
 * lse          F32 [B, H, T]             written: log of the denominator of p;
 *              (F64 if q is F64)         saved for backward
 * workspace    at least locant_attention_workspace() bytes, which no tensor may
 *              overlap
 *
 * Accuracy by dtype of q, as relative L2 error of out against
 * locant_attention_reference():
 *
 *   F32        below 1e-6 for scores of order 1; a score of n nats, biases
 *              included, carries an error of 2^-24 n.  Sums are in float, with
 *              fused multiply-add where the CPU has it
 *   F16, BF16  widened to float when read, rounded once when written.  If the
 *              CPU multiplies pairs of BF16 (AVX-512 BF16), forward does so for
 *              BF16 tensors, unless the encoding has a content term or a map of
 *              rows other than plain rotation: weights, and rotated q and k,
 *              are then rounded to BF16 once, and the error is below 2^-7
 *   F64        in double, row by row.  For any dtype, content terms that are
 *              not products of rows (cope, dape), and content terms at
 *              positions that lie far apart, are computed in this way too
 *
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
    locant_tensor *dx;      /* shape and dtype of x; written: the part of the
                               gradient that flows through the encoding */
    locant_tensor *dsinks;  /* F32 (F64 if q is F64) [H]; added to */
} locant_attention_gradients;

#define LOCANT_ATTENTION_GRADIENTS_INIT \
    { .struct_size = sizeof(locant_attention_gradients) }

/*
 * Gradients of a loss whose gradient with respect to 'out' is 'dout'.  p is
 * recomputed from lse, so in F32 each p carries the rounding error of its lse,
 * 2^-24 |lse|: negligible at ordinary scores, 1e-3 where a bias reaches -1e4
 * nats.
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
 * The same two functions in double, row by row, for any dtype of the tensors:
 * slow and plain, the reference for the fast ones.  out and lse may be F64 when
 * q, k, v are F32.  The bias is formed in double; rotation uses the same table
 * of cosines and sines as locant_encoding_rotate() for the dtype of q.
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_attention_reference(locant_tensor *out, locant_tensor *lse,
                           const locant_attention *a);
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_attention_reference_backward(
    const locant_attention_gradients *gradients, const locant_tensor *dout,
    const locant_tensor *out, const locant_tensor *lse,
    const locant_attention *a);

LOCANT_END_DECLS
#endif /* LOCANT_ATTENTION_H */
