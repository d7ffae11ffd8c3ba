/* ragged_tensors.h - the tensors of packed sequences, and their checks */
#ifndef LCT_ATTENTION_RAGGED_TENSORS_H
#define LCT_ATTENTION_RAGGED_TENSORS_H
#include "locant/ragged.h"
#include "plan.h"

/* The arguments of a call of locant_attention_forward() or _backward(). */
struct lct_ragged_call {
    locant_attention a;
    const locant_tensor *out, *lse, *dout; /* dout: backward only */
    locant_attention_gradients g;          /* backward only */
};

/* The arguments of one public call. */
struct lct_ragged {
    const char *fn;
    const locant_ragged *lengths;
    const locant_tensor *cu_q, *cu_k; /* of 'lengths' */
    int64_t n;                        /* sequences */
    enum lct_pass pass;
    struct lct_ragged_call all; /* all sequences; the check sets 'a' */
};

/* The pass that writes a tensor; READ: none. */
enum lct_ragged_written {
    LCT_RAGGED_READ,
    LCT_RAGGED_FORWARD,
    LCT_RAGGED_BACKWARD
};

/* [1, H or 1, T or 1, S or 1]: cut in two dimensions */
enum { LCT_RAGGED_DENSE = -1 };

/* A tensor of a call, and by which lengths and in which dimension it is cut. */
struct lct_ragged_tensor {
    const char *name;
    size_t member; /* of struct lct_ragged_call */
    int from_last; /* dimensions after that of the tokens; LCT_RAGGED_DENSE */
    bool keys;
    enum lct_ragged_written written;
};

/* All tensors that have a dimension of tokens; others than these two are found
 * by 'member'. */
enum { LCT_RAGGED_OUT, LCT_RAGGED_LSE, LCT_RAGGED_TENSORS = 22 };
extern const struct lct_ragged_tensor lct_ragged_tensors[LCT_RAGGED_TENSORS];

/* That of a call; NULL: not given. */
const locant_tensor *
lct_ragged_tensors_given(const struct lct_ragged_call *c,
                         const struct lct_ragged_tensor *part);

/* Check the lengths, the sizes of tensors, and that those of different
 * sequences do not overlap; what belongs to one sequence its call checks. */
locant_status lct_ragged_tensors_check(struct lct_ragged *r,
                                       const locant_attention *a);
#endif
