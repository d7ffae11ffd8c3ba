/*
 * ragged.h - attention of sequences of different lengths, packed without
 * padding: forward and backward.
 */
#ifndef LOCANT_RAGGED_H
#define LOCANT_RAGGED_H

#include "attention.h"

LOCANT_BEGIN_DECLS

/*
 * Where the sequences begin.  The members of 'a' and all other tensors are
 * those of attention.h with B = 1 and the tokens of n sequences one after
 * another in place of T and S.  'state' is NULL: it is of one text.
 *
 * cu_q   I64 or I32 [n + 1]   cumulative lengths: sequence s has the queries
 *        cu_q[s] .. cu_q[s + 1] - 1; the first entry is 0, none is below the
 *        one before it, and the last is T
 * cu_k   I64 or I32 [n + 1]   the same for keys, the last is S
 *
 * Results are those of a call for each sequence in turn, with its slices of q,
 * k, v, positions, coordinates, documents, x, bias, visible, out and lse, bit
 * for bit, also for gradients of parameters and sinks, which each call adds to.
 * A bias or mask of size 1 in T or S is shared by the sequences, and dbias is
 * NULL if it is of size 1 in both.  If q_pos is NULL, query i of a sequence of
 * T' queries and S' keys sits at S' - T' + i.
 *
 * With a block table (attention.h), cu_k is NULL, sequence s has row s of
 * block_table and lengths, and arguments of keys have a row for each sequence
 * or one for all.
 *
 * Workspace: what the longest call needs; locant_attention_ragged_workspace()
 * tells.  Errors: as the functions of attention.h, before anything is written;
 * a message about one sequence counts from its first token.
 */
typedef struct locant_ragged {
    const locant_tensor *cu_q, *cu_k;
} locant_ragged;

LOCANT_API LOCANT_MUST_CHECK locant_status
locant_attention_ragged_workspace(size_t *bytes, const locant_attention *a,
                                  const locant_ragged *lengths);

LOCANT_API LOCANT_MUST_CHECK locant_status
locant_attention_ragged_forward(locant_tensor *out, locant_tensor *lse,
                                const locant_attention *a,
                                const locant_ragged *lengths, void *workspace,
                                size_t workspace_bytes);

LOCANT_API LOCANT_MUST_CHECK locant_status
locant_attention_ragged_backward(const locant_attention_gradients *gradients,
                                 const locant_tensor *dout,
                                 const locant_tensor *out,
                                 const locant_tensor *lse,
                                 const locant_attention *a,
                                 const locant_ragged *lengths, void *workspace,
                                 size_t workspace_bytes);

LOCANT_END_DECLS
#endif /* LOCANT_RAGGED_H */
