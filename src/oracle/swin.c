/*
 * swin.c - Liu et al. 2021, arXiv:2103.14030v2, eq. (4): one learned number
 * for each head and each (dy, dx) of a window; and BEiT (arXiv:2106.08254v2,
 * its code), which adds the class token at position 0 and three more numbers:
 * class to patch, patch to class, class to itself.
 */
#include "oracle.h"

static const struct oracle_spec specs[] = {
    { .text = "swin(height=2,width=3)", .high = 5 },
    { .text = "swin(height=4,width=2)", .high = 7 },
    { .text = "swin", .high = 48 },
    { 0 }
};

static const struct oracle_spec beit_specs[] = {
    { .text = "beit(height=2,width=3)", .high = 6 },
    { .text = "beit(height=3,width=2)", .high = 6 },
    { .text = "beit(height=1,width=1)", .high = 1 },
    { 0 }
};

/* Row of the table for two places of a window. */
static int64_t row_of(int64_t q, int64_t k, int64_t height, int64_t width)
{
    int64_t dy = q / width - k / width, dx = q % width - k % width;

    return (dy + height - 1) * (2 * width - 1) + dx + width - 1;
}

static cx bias(const struct oracle_call *call, int64_t b, int64_t h, int64_t i,
               int64_t j)
{
    int64_t height = (int64_t)oracle_number(call->spec, "height", 7);
    int64_t width = (int64_t)oracle_number(call->spec, "width", 7);

    return call
        ->param[0][row_of(oracle_position(call, 0, b, i),
                          oracle_position(call, 1, b, j), height, width) *
                       call->H +
                   h];
}

static cx bias_beit(const struct oracle_call *call, int64_t b, int64_t h,
                    int64_t i, int64_t j)
{
    int64_t height = (int64_t)oracle_number(call->spec, "height", 14);
    int64_t width = (int64_t)oracle_number(call->spec, "width", 14);
    int64_t q = oracle_position(call, 0, b, i),
            k = oracle_position(call, 1, b, j);
    int64_t rows = (2 * height - 1) * (2 * width - 1) + 3, row;

    if (q == 0 && k == 0)
        row = rows - 1;
    else if (k == 0)
        row = rows - 2;
    else if (q == 0)
        row = rows - 3;
    else
        row = row_of(q - 1, k - 1, height, width);
    return call->param[0][row * call->H + h];
}

const struct oracle swin_oracle = {
    .name = "swin",
    .specs = specs,
    .bias = bias,
};
const struct oracle beit_oracle = {
    .name = "beit",
    .specs = beit_specs,
    .bias = bias_beit,
};
