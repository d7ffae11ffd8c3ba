/*
 * attention.h - softmax attention with any positional encoding, forward and
 * backward, in memory that does not grow with T x S.
 */
#ifndef LOCANT_ATTENTION_H
#define LOCANT_ATTENTION_H

#include "cache.h"
#include "encoding.h"
#include <math.h>

LOCANT_BEGIN_DECLS

/* Which keys a query sees; positions decide, not indices. */
typedef enum locant_mask {
    LOCANT_MASK_NONE   = 0,
    LOCANT_MASK_CAUSAL = 1 /* keys with k_pos <= q_pos */
} locant_mask;

/* For the member 'flags' of locant_attention; a sum of them. */
enum {
    LOCANT_ATTENTION_KEYS_ROTATED = 1, /* k is already rotated, by
        locant_encoding_rotate(.., LOCANT_ROTATE_KEY), as in a cache of rotated
        keys: only queries are rotated, and dk is the gradient of k as given */
    LOCANT_ATTENTION_VALUES_OF_KEYS = 2, /* v is a view of the first Dv channels
        of k: the same data and strides.  dk is the gradient of k as given in
        both of its roles, and dv must be NULL.  The values are k as given: not
        rotated if attention rotates the keys, rotated with KEYS_ROTATED */
    LOCANT_ATTENTION_ROTATE_VALUES = 4 /* values rotate like keys, and outputs
        back: o[i] = R(q_pos[i])^T sum_j p[i,j] R(k_pos[j]) v[j], so values
        too depend on k_pos[j] - q_pos[i].  With KEYS_ROTATED v is given
        rotated.  With VALUES_OF_KEYS k rotates in both roles.  The encoding
        must be a rotation of pairs (not pope, xpos, rope-mixed or rerope),
        whose rotated channels v has.  A factor m in its cosines, as of YaRN,
        multiplies outputs by m^2 */
};

/* The scale is D^(-1/2), D the channels of q and k. */
#define LOCANT_SCALE_AUTO ((double)HUGE_VAL)

/*
 * One attention problem.  R is the rotation of the encoding, b its bias, tau
 * its temperature, a and w its factors of scores and weights, and f its content
 * term; without one of these, R and f are the identity, b is 0, and tau, a and
 * w are 1.  B is the caller's dense bias, or 0.  Head h of q reads head
 * h / (H / Hkv) of k and v:
 *
 *     s[i,j] = f(a(h, q_pos[i], k_pos[j]) * c * scale * tau(i) *
 *                <R(q_pos[i]) q[i], R(k_pos[j]) k[j]> + b(h, q_pos[i],
 *                k_pos[j]))
 *              with c = DeepSeek's m^2 for rope(scaling=yarn(score=yes,..)),
 *              1 for every other encoding; tau depends on q_pos[i] or, for
 *              ssmax, on h and the number of keys that query i sees
 *     s[i,j] = softcap * tanh(s[i,j] / softcap)           if there is a softcap
 *     s[i,j] = s[i,j] + B[b,h,i,j]                        if there is a bias
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
 * k          dtype of q [B, Hkv, S, D]   Hkv divides H
 * v          dtype of q [B, Hkv, S, Dv]   any Dv, e.g. D = 192 and Dv = 128 of
 *            DeepSeek V3.  May be k itself or part of its channels, as in
 *            multi-head latent attention with absorbed weights (D = 576, Dv =
 *            512); dk and dv are then gradients of the two roles, unless
 *            LOCANT_ATTENTION_VALUES_OF_KEYS asks for their sum.  An encoding
 *            that adds vectors to values (shaw(values=yes)) needs Dv = D
 * q_pos      I64 [T] or [B, T]; NULL: query i sits at S - T + i
 * k_pos      I64 [S] or [B, S]; NULL: key j sits at j
 * encoding   NULL: none
 * params     the encoding's learned parameters in the order of
 *            locant_encoding_param(); NULL if it has none
 * x          dtype of q [B, S, W]   input of the layer, for encodings with the
 *            trait READS_X, or numbers of tokens for formula(..); NULL
 *            otherwise.  W is the model width that the shapes of parameters
 *            depend on; without x it is H * D
 * q_coords   F64 [T, axes] or [B, T, axes]: real coordinates, for an encoding
 * k_coords   of several axes or of fractional positions; both or neither.  Or
 *            of each head [B, H, T, axes] and [B, Hkv, S, axes], unless
 *            frequencies depend on the longest position.  NULL: derived from
 *            q_pos and k_pos.  Rotations read them and, of one axis, biases and
 *            factors of pairs that are functions of real positions: alibi
 *            (dialect press or bloom), kerple, fire, dpb, sandwich,
 *            scale-invariant, formula(..) without tokens, future=hide and
 *            expressions that are constant between whole positions, and sums
 *            of these.  In sums with other biases or content terms all of
 *            them read positions.  So do masks; factors of a query
 *            (temperature) read a coordinate of one axis, rounded down, unless
 *            heads have their own.  Biases at coordinates are computed pair by
 *            pair, not from a table
 * q_docs     I64 [T] or [B, T]: document of each query and key.  A query sees
 * k_docs     only keys of its own document.  A negative id marks padding, which
 *            sees nothing and is never seen.  Both or neither
 * window     0: none; else a query sees only keys with |q_pos - k_pos| <
 *            window: with the causal mask the last 'window' keys, its own
 *            included, like sliding_window of transformers.  Tiles of keys that
 *            no query of a tile sees are skipped
 * softcap    0: none; else 2^-64 .. 2^64.  Applied after the encoding's bias
 *            and content term, before the dense bias; a score of -infinity
 *            stays -infinity
 * sinks      F32 (F64 if q is F64) [H], or NULL: a learned logit of each head
 *            that takes part in the softmax and has no value; -infinity: no
 *            sink for that head
 * bias       F32, F16, BF16 (also F64 if q is F64) [B or 1, H or 1, T or 1, S
 *            or 1], or NULL: a dense bias.  Any strides, also 0 and of the last
 *            dimension; a size of 1 is broadcast.  It is added last, like
 *            attn_mask of PyTorch: the cap does not bound it, content terms do
 *            not see it.  -infinity hides a key, whatever its score; NaN and
 *            +infinity are not allowed, and the reference refuses them
 * visible    U8 [B or 1, H or 1, T or 1, S or 1], or NULL: a dense mask, read
 *            like 'bias'.  A query does not see a key where it is 0, in
 *            addition to what all other masks hide; content terms that sum over
 *            the visible keys leave the key out.  Tiles of keys that it hides
 *            from a whole tile of queries are skipped
 *
 * Ring cache: k_pos [S] is the position that each slot holds now.
 *
 * Paged cache: k and v are pools of N blocks of P rows each, [N, Hkv, P, D];
 * strides make a pool that is stored as [N, P, Hkv, D] such a view.
 *
 * block_table I64 or I32 [B, M]   key j of sequence b is row j % P of block
 *             block_table[b, j / P], which is below N.  Sequences may share
 *             blocks.  NULL: no paged cache
 * lengths     I64 or I32 [B]   keys of each sequence, 0 to M P; of block_table
 *             only the entries of these keys are read.  Both or neither
 *
 * There S is M P in the shapes of k_pos, k_coords, k_docs and x, of whose rows
 * the first lengths[b] are read.  If q_pos is NULL, query i of sequence b sits
 * at lengths[b] - T + i, and is padding where that is negative: sequences with
 * fewer than T new tokens have these last.  A call costs the keys of its
 * sequences, whatever N, and gives each the bits of a call without a table for
 * the same rows in order.  There is no backward.
 *
 * Quantised cache: k and v are U8, and their last dimension is the bytes of a
 * row of D channels (cache.h).  Rows are dequantised to float32 as tiles of
 * them are read, so results are those of a call for F32 copies of k and v, with
 * the accuracy of F32 whatever the dtype of q.  There is no backward.
 *
 * state      NULL, or U8 [bytes] of locant_attention_state_begin(): what
 *            decoding keeps between calls, of path (without forget), of keys
 *            that their inputs rotate (repo, carope, selective-rope), of gates
 *            (fox with both=no) or of tokens (formula).  Written by forward,
 *            although 'a' is const.  The T queries are the newest tokens; what
 *            it knows of the S - T tokens before them is taken as it is, so
 *            their k must be that of the calls before, and x is read of the
 *            tokens that it does not know and 128 before them only.  A smaller
 *            S goes back.  Results have the bits of calls without it.
 *            Positions are 0 .. S - 1
 *
 * leaves     0, or a power of two up to 256: how backward adds what it sums
 *            over queries, dk, dv, dx, dparams, dsinks and dk_coords.  With 0
 *            they are one chain in the order of queries.  Else leaf l of L has
 *            the tiles of 64 queries from floor(l n / L) to before
 *            floor((l + 1) n / L), n = ceil(T / 64).  Each leaf is summed from
 *            zero, in F32 (F64 if q is F64; dk_coords in F64), and the leaves
 *            are added by the full binary tree S(a, 1) = leaf a, S(a, 2s) =
 *            S(a, s) + S(a + s, s), element by element.  If every query sits
 *            between the first and the last position of the keys, out, lse, dq,
 *            dbias and dq_coords have the bits of leaves = 0; and a call with
 *            leaves = 1 for the queries of one leaf, at their positions, and
 *            all keys gives the sums of that leaf and its rows of out, lse and
 *            dq to the bit.  The workspace also has log2(L) + 1 arrays with the
 *            elements of k, v, x, params, sinks and k_coords.  The reference
 *            has one chain
 *
 * Source: of values that are part of the keys DeepSeek-AI 2024,
 * arXiv:2405.04434v5, section 2.1 and appendix C; of the window Beltagy et al.
 * 2020, arXiv:2004.05150v2, section 3.1, and Jiang et al. 2023,
 * arXiv:2310.06825v1, section 2; of the cap Gemma Team 2024, arXiv:2408.00118,
 * section 2; of sinks OpenAI 2025, arXiv:2508.10925; of sinks that are all 0
 * Xiao et al. 2023, arXiv:2309.17453, section 3.3; of the paged cache Kwon et
 * al. 2023, arXiv:2309.06180v1, section 4.1.
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
    const locant_tensor   *bias, *visible;
    const locant_tensor   *block_table, *lengths; /* of a paged cache */
    locant_quant           quant; /* of k and v; NONE: dtype of q */
    int64_t                quant_group;
    int64_t                leaves; /* of the gradients' sums; 0: one chain */
    locant_tensor         *state; /* of decoding */
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
 * out          dtype of q [B, H, T, Dv]  written; last stride 1
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
 *              not products of rows (cope, dape; fox with 'visible'), and
 *              content terms at positions that lie far apart, are computed in
 *              this way too
 *
 * Source: Vaswani et al. 2017, arXiv:1706.03762v7, eq. (1); the running softmax
 * of Milakov and Gimelshein 2018, arXiv:1805.02867v2, algorithm 3.
 * Errors: NULL, DTYPE, SHAPE, LAYOUT, PARAM, ALIAS, NOMEM, UNSUPPORTED.
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_attention_forward(locant_tensor *out, locant_tensor *lse,
                         const locant_attention *a, void *workspace,
                         size_t workspace_bytes);

/*
 * What attention can keep between steps of decoding, for 'capacity' tokens: of
 * path the maps of tokens, and keys taken to the end of their group of 256
 * tokens; of repo, carope and selective-rope the positions or sums of angles of
 * tokens, and keys rotated by them; of fox sums of gates; of a formula its
 * arrays of tokens and their sums.  A step then costs a pass over the keys, and
 * not all that follows from the inputs of all tokens.
 *
 * bytes      written: the size of such a state for calls like 'a', whose own
 *            'state' is not read; 0 if there is nothing to keep
 * state      U8 [at least bytes]   written: a state that knows no token.  Do
 *            not move it; free it whenever you like
 *
 * Source: Yang et al. 2025, arXiv:2505.16381, section 3.2.
 * Errors: as locant_attention_forward(); PARAM (capacity), UNSUPPORTED (nothing
 * to keep).
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_attention_state_bytes(size_t *bytes, const locant_attention *a,
                             int64_t capacity);
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_attention_state_begin(locant_tensor *state, const locant_attention *a,
                             int64_t capacity);

/* Where the gradients go; a NULL member is not computed. */
typedef struct locant_attention_gradients {
    size_t         struct_size;
    locant_tensor *dq;      /* shape and dtype of q; written */
    locant_tensor *dk, *dv; /* of k, v; written */
    locant_tensor *dparams; /* array as 'params'; each added to */
    locant_tensor *dx;      /* shape and dtype of x; written: the part of the
                               gradient that flows through the encoding */
    locant_tensor *dsinks;  /* F32 (F64 if q is F64) [H]; added to */
    locant_tensor *dbias;   /* shape of bias, its dtype or F32; written */
    locant_tensor *dq_coords, *dk_coords; /* F64, shapes of q_coords, k_coords;
                               written: the part of the gradient that flows
                               through biases and factors of pairs */
} locant_attention_gradients;

#define LOCANT_ATTENTION_GRADIENTS_INIT \
    { .struct_size = sizeof(locant_attention_gradients) }

/*
 * Gradients of a loss whose gradient with respect to 'out' is 'dout'.  p is
 * recomputed from lse, so in F32 each p carries the rounding error of its lse,
 * 2^-24 |lse|: negligible at ordinary scores, 1e-3 where a bias reaches -1e4
 * nats.
 *
 * dout, out    dtype of q [B, H, T, Dv]  out as forward wrote it
 * lse          F32 or F64 [B, H, T]      as forward wrote it
 *
 * dbias is the gradient of the scores after the cap, summed over the
 * dimensions in which bias has size 1, in the order of batch rows, then heads.
 * Any strides that keep its elements apart; 0 where no query sees a key.  A
 * bias of size 1 in T is summed over all queries, of size 1 in S over all keys,
 * which gives 0 up to rounding if there is no sink.  Sums are in double and
 * rounded once; by rows (F64, and the content terms named above), sums over
 * batch rows and heads of a bias [.., T, S] are rounded to dbias after each
 * term.  For a bias [.., T, S] that several heads or batch rows share, scores
 * and weights are computed once more.
 *
 * dq_coords and dk_coords are sums of dS[i,j] db/dp over the keys of a query
 * and over the queries of a key, and so for the factors a and w; then over the
 * heads and batch rows that share a coordinate, in order.  Sums are in double.
 * For biases of q - k both together sum to 0 up to rounding.  They are 0 where
 * biases read positions.  locant_coordinates_backward() (multimodal.h) adds
 * what flows through a rotation, for q and dq, and for k and dk.
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
 * Attention over some of the keys.  The problem 'a' is that of the whole call,
 * with 'keys' for S everywhere, but k and v hold only n keys of it:
 *
 *     keys      0 .. 1023   1024 .. 2047   2048 .. 2111     S = 2112
 *     first     0           1024           2048
 *     last      0           0              1
 *
 * One call after another takes the next keys of the same queries, in rising
 * order, and 'state' carries what each query has so far.  Then out, lse, dq, dk
 * and dv have the bits of one call for all keys.  Keys that no query sees may
 * be left out, also the last ones: the last call may have n = 0.  Queries may
 * be cut at any place, since no query depends on another.
 *
 * k, v       [B, Hkv, n, D or Dv]: keys first, first + 1, ..; n is 0 or more, a
 *            multiple of 1024 unless first + n = keys
 * k_pos, k_docs, k_coords, x, bias, visible   of all keys
 * q_pos      NULL: query i sits at keys - T + i
 *
 * Every encoding whose scores tiles can compute takes parts, also if it depends
 * on the longest position or on the number of visible keys.  Refused are
 * stick-breaking, which goes from the newest key to the oldest, path, content
 * that is computed row by row (cope, dape, tapa, wavlm), F64, paged and
 * quantised caches, a state of decoding, and in backward all encodings with the
 * content door.
 */
typedef struct locant_attention_part {
    size_t         struct_size;
    int64_t        first; /* of k and v in the whole call; multiple of 1024 */
    int64_t        keys;  /* S of the whole call; at most 2^40 */
    int            last;  /* 1: no more keys follow; results are written */
    locant_tensor *state; /* F32 [B, H, T, width]  zeros at the first part; read
                             and written.  It may be cut or moved by queries.
                             width is Dv + 2 in forward: of each query the
                             output before it is divided by the sum of weights,
                             the highest score, and that sum */
} locant_attention_part;

#define LOCANT_ATTENTION_PART_INIT \
    { .struct_size = sizeof(locant_attention_part) }

/*
 * bytes      written: workspace that the two functions below need
 * dq_width   written, or NULL: width of the state of backward, D for most
 *            encodings: more for maps that widen keys (pope), and three times D
 *            with dual-chunk, whose queries are rotated in three ways
 *
 * part->state is not read.  Errors: as locant_attention_forward_part().
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_attention_part_workspace(size_t *bytes, int64_t *dq_width,
                                const locant_attention *a,
                                const locant_attention_part *part);

/*
 * out, lse   as in locant_attention_forward(), written by the last part; NULL
 *            in the others
 *
 * With m and z the highest score and the sum of weights of a query so far, and
 * o its output times z, 1024 keys with their own m', z' and o' (from scores s)
 * are merged as
 *
 *     m'' = max(m, m')
 *     z'' = exp(m - m'') z + exp(m' - m'') z',   z' = sum_j exp(s[j] - m')
 *     o'' = exp(m - m'') o + exp(m' - m'') o',   o' = sum_j exp(s[j] - m') v[j]
 *
 * and in the end out = o / z, lse = m + log(z); a sink is added there.
 *
 * Source: Milakov and Gimelshein 2018, arXiv:1805.02867v2, section 3.1; among
 * processes Liu, Zaharia and Abbeel 2023, arXiv:2310.01889v4, section 3.
 * Errors: as locant_attention_forward(); PARAM (first, keys, last), SHAPE (n),
 * UNSUPPORTED (above).
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_attention_forward_part(locant_tensor *out, locant_tensor *lse,
                              const locant_attention *a,
                              const locant_attention_part *part,
                              void *workspace, size_t workspace_bytes);

/*
 * dout, out, lse   of the queries, as in locant_attention_backward(): after the
 *                  last part of forward
 * gradients        dk, dv: shapes of k and v; written: the gradients of these
 *                  keys.  dq, written by the last part, NULL in the others.
 *                  dsinks: added to by the last part.  dparams: each part adds
 *                  its own keys' share, so their sum is that of one call up to
 *                  rounding, in another order.  dx, dbias, dq_coords and
 *                  dk_coords must be NULL
 *
 * The state is the sum over keys of ds[i,j] R(k_pos[j]) k[j], before it is
 * scaled and rotated back.  With a.leaves, dk and dv are trees over leaves of
 * queries as there.
 * Errors: as locant_attention_forward_part().
 */
LOCANT_API LOCANT_MUST_CHECK locant_status locant_attention_backward_part(
    const locant_attention_gradients *gradients, const locant_tensor *dout,
    const locant_tensor *out, const locant_tensor *lse,
    const locant_attention *a, const locant_attention_part *part,
    void *workspace, size_t workspace_bytes);

/*
 * Forward and backward of a whole call in double, row by row, for any dtype of
 * the tensors: slow and plain, the reference for the fast ones.  out and lse
 * may be F64 when q, k, v are F32, and so may gradients.  An encoding's bias is
 * formed in double; rotation uses the same table of cosines and sines as
 * locant_encoding_rotate() for the dtype of q.
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
