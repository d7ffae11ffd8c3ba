/*
 * learned.c - a table of vectors, one for each position: Gehring et al. 2017,
 * arXiv:1705.03122, section 3.1.  Its gradient is a scatter-add.
 */
#include "oracle.h"
#include <stdio.h>
#include <string.h>

static int choose(struct oracle_choice *c, int i, int64_t D)
{
    static const int64_t lengths[] = { 200, 1, 37 };

    (void)D;
    memset(c, 0, sizeof(*c));
    if (i >= (int)LEN(lengths))
        return 0;
    c->length = lengths[i];
    snprintf(c->spec, sizeof(c->spec), "learned(length=%d)", (int)c->length);
    return 1;
}

static int64_t param_size(const struct oracle_choice *c, int k, int64_t heads,
                          int64_t D)
{
    (void)k;
    (void)heads;
    return c->length * D;
}

static void param_range(double *low, double *high,
                        const struct oracle_choice *c, int k)
{
    (void)c;
    (void)k;
    *low = -1;
    *high = 1;
}

static double row(const struct oracle_choice *c, int64_t pos, int64_t d,
                  int64_t D, const double *const *param)
{
    (void)c;
    return param[0][pos * D + d];
}

static void row_backward(double *const *dparam, const struct oracle_choice *c,
                         int64_t pos, const double *drow, int64_t D)
{
    (void)c;
    for (int64_t d = 0; d < D; d++)
        dparam[0][pos * D + d] += drow[d];
}

extern const struct oracle oracle_learned;
const struct oracle oracle_learned = {
    .name = "learned", .doors = LOCANT_DOOR_INPUT,
    .traits = LOCANT_TRAIT_LEARNED | LOCANT_TRAIT_LIMIT,
    .params = 1, .choose = choose, .param_size = param_size,
    .param_range = param_range, .row = row, .row_backward = row_backward,
};
