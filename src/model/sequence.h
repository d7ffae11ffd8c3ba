/*
 * sequence.h - rows of a batch that have several leaves: sequences.
 *
 * A leaf has one chunk of the tokens of its sequence, and its queries attend to
 * the keys of all chunks.  These are gathered in order of tokens: from leaves
 * of this process by copying, from those of other ranks by the group.  In a
 * backward pass every leaf makes gradients of all keys of the sequence.  Those
 * of its leaves are added by the tree of core/tree.h, and each rank gets the
 * sums of its own tokens.  So the bits do not depend on which rank has which
 * leaves.
 *
 * An array of a sequence has the keys of all tokens, then their values and, if
 * the encoding reads them, inputs.
 *
 * Where that takes too much memory, it has those of one block, a chunk, and one
 * block after another is gathered.  The state of queries is carried from block
 * to block, with the same bits (locant_attention_part).
 */
#ifndef LCT_MODEL_SEQUENCE_H
#define LCT_MODEL_SEQUENCE_H
#include "../core/tree.h"
#include "../group/group.h"
#include "model.h"

/* A sequence of which this rank has leaves. */
struct lct_sequence {
    int64_t row;         /* of the batch */
    int64_t first, last; /* the leaves of the sequence that this rank has */
    int64_t pass;        /* leaf 'first' is this leaf of the pass */
    real *tokens;        /* keys, values and inputs */
    real *sums;          /* arrays of their gradients */
    struct lct_subtree *subtrees; /* [count] of all ranks, by rising 'first':
                                     those of this rank are arrays of 'sums', of
                                     others there are only the tokens of this
                                     rank, leaf by leaf */
    int count;
};

/* Keys, values or inputs: 'width' numbers of each token, from 'first' on in an
   array of a sequence. */
struct lct_sequence_part {
    size_t first;
    int64_t width;
};

struct lct_sequences {
    int64_t leaves; /* of a sequence; 1: leaves have whole rows, and all else
                       is 0 */
    int64_t chunk;  /* tokens of a leaf */
    int64_t blocks; /* of a sequence: 1, or 'leaves' */
    int64_t block;  /* whose tokens the arrays have now */
    float *state;   /* [rows of the pass, heads, state_width]: carried */
    int64_t state_width;
    int64_t width; /* numbers of a token */
    int parts;
    struct lct_sequence_part part[3];
    struct lct_sequence *rows; /* [count] */
    int64_t count;
    struct lct_subtree *subtrees; /* of all sequences */
    real *numbers;                /* of all sequences */
    size_t bytes;                 /* of numbers */
    int64_t *index; /* [leaves of the pass, chunk] of a token in its sequence */
    void *positions; /* their positions, I64 or F64; 'index' if they are that */
    struct lct_group_list pieces; /* of an exchange */
    int64_t exchanges;            /* of this pass that have begun */
};

struct lct_model;

/* Refuse leaves that rows of so many tokens cannot have. */
locant_status lct_sequence_check(const struct lct_model_config *c,
                                 int64_t batch, int64_t length);

/* Set m->sequences, whose 'leaves' are set.  To be freed, also after a
   failure. */
locant_status lct_sequence_create(struct lct_model *m);
void lct_sequence_free(struct lct_model *m);

/* Copy positions that were drawn, [rows of the batch, length], to
   'positions'. */
void lct_sequence_set_positions(struct lct_model *m);

/* Whether this rank has all leaves of the sequence. */
static inline bool lct_sequence_is_whole(const struct lct_sequences *q,
                                         const struct lct_sequence *s)
{
    return s->last - s->first == q->leaves;
}

/* Numbers of a leaf in part p, and where they begin in an array. */
static inline size_t lct_sequence_size(const struct lct_sequences *q, int p)
{
    return (size_t)(q->chunk * q->part[p].width);
}
static inline size_t lct_sequence_begin(const struct lct_sequences *q, int p,
                                        int64_t leaf)
{
    const int64_t chunk = lct_leaf_chunk(leaf, q->leaves);

    return q->part[p].first +
           (size_t)(chunk % (q->leaves / q->blocks)) * lct_sequence_size(q, p);
}

/* Whether the block that the arrays have is, or includes, a leaf's chunk. */
static inline bool lct_sequence_in_block(const struct lct_sequences *q,
                                         int64_t leaf)
{
    return q->blocks == 1 || lct_leaf_chunk(leaf, q->leaves) == q->block;
}

/* The same in an array of some leaves, one after another, for the i-th; a block
   of one chunk has one of them. */
static inline size_t lct_sequence_begin_of(const struct lct_sequences *q, int p,
                                           int64_t i)
{
    const size_t before =
        q->part[p].first * (size_t)q->blocks / (size_t)q->leaves;

    return q->blocks > 1 ? before : (size_t)(i * q->chunk * q->width) + before;
}

/* Numbers of an array. */
static inline size_t lct_sequence_numbers(const struct lct_sequences *q)
{
    return (size_t)(q->leaves / q->blocks * q->chunk * q->width);
}

/* Whether this rank fills a subtree of a sequence. */
static inline bool lct_sequence_has(const struct lct_sequence *s,
                                    const struct lct_subtree *x)
{
    return x->first >= s->first && x->first < s->last;
}

/* Copy keys, values and inputs of this rank's leaves in the block, of a layer
   that has computed them, to 'tokens'. */
void lct_sequence_copy(const struct lct_model *m, int64_t layer,
                       const struct lct_sequence *s);

/* Add array 'from' of the sequence's sums to array 'from' - 1. */
void lct_sequence_add(struct lct_model *m, const struct lct_sequence *s,
                      int from);
/* Write d.k, d.v and d.read of this rank's tokens in the block from the sums of
   all leaves of a sequence. */
void lct_sequence_use_sums(struct lct_model *m, const struct lct_sequence *s);
#endif
