/*
 * vector_inputs.h - inputs of golden vectors: numbers of eight bits in -2 .. 2,
 * which every type holds exactly, so that the true values are those of all
 * types
 */
#ifndef LCT_VECTOR_INPUTS_H
#define LCT_VECTOR_INPUTS_H
#include "vector_groups.h"

enum lct_vector_input {
    LCT_VECTOR_Q,
    LCT_VECTOR_K,            /* rows to rotate */
    LCT_VECTOR_DOUT,         /* gradient of rotated queries */
    LCT_VECTOR_BUCKET_TABLE, /* [buckets, heads] */
    LCT_VECTOR_DBIAS,        /* gradient of biases */
    LCT_VECTOR_INPUTS
};

/* Element i of an input, whatever its shape. */
double lct_vector_inputs_at(enum lct_vector_input which, int64_t i);

/* Name of the tensor of that many elements: "input/q/576". */
void lct_vector_inputs_name(char *out, size_t size, enum lct_vector_input which,
                            int64_t n);
#endif
