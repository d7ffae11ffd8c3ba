/*
 * rope_imaginary.c - Liu et al. 2025, arXiv:2512.07525: odd query heads are
 * rotated by a quarter turn less than their keys.
 */
#include "pairs.h"

static const struct oracle_spec specs[] = {
    { .text = "rope-imaginary" },
    { .text = "rope-imaginary(base=50,pairing=interleaved)" },
    { .text = "rope-imaginary(heads=upper)" },
    { 0 }
};

static cx rotated(const struct oracle_call *call, int key, int64_t b, int64_t h,
                  int64_t t, const cx *x, int64_t d)
{
    double p = oracle_coord(call, key, b, t, 0,
                            (double)oracle_position(call, key, b, t));
    struct oracle_pair pair = oracle_pair_of(
        d, call->D, oracle_word(call->spec, "pairing", "interleaved", 0));
    double angle = p * pow(oracle_number(call->spec, "base", 10000),
                           -2.0 * (double)pair.c / (double)call->D);
    int imaginary = oracle_word(call->spec, "heads", "upper", 0)
                        ? 2 * h >= call->H
                        : h % 2 == 1;

    if (!key && imaginary)
        angle -= acos(-1) / 2;
    return oracle_rotate_pair(x, d, pair, cos(angle), sin(angle));
}

const struct oracle rope_imaginary_oracle = {
    .name = "rope-imaginary",
    .specs = specs,
    .D_step = 2,
    .rotated = rotated,
    .real = 1,
};
