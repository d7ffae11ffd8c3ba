/*
 * learned.c - Gehring et al. 2017, arXiv:1705.03122v3, section 3.1; rows that
 * begin at an offset as in OPT and RoBERTa: P[pos] = table[pos + offset].
 */
#include "oracle.h"

static const struct oracle_spec specs[] = {
    { .text = "learned(length=9)", .high = 8 },
    { .text = "learned(length=6,offset=2)", .high = 5 },
    { 0 }
};

static cx entry(const struct oracle_call *call, double pos, int64_t d)
{
    int64_t row =
        (int64_t)pos + (int64_t)oracle_number(call->spec, "offset", 0);

    return call->param[0][row * call->W + d];
}

const struct oracle learned_oracle = {
    .name = "learned",
    .specs = specs,
    .entry = entry,
};
