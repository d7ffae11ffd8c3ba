/*
 * formula_tokens.c - arrays of tokens that a formula reads.
 *
 * A number of a token and head is law(y), where y is a channel of the layer's
 * input x or, with map=linear, <weight, x> + bias.  Arrays without a map take
 * the first channels of x in the order of their declarations, one for each head
 * or one for all.  A scan sums the numbers of the document's tokens up to the
 * token, in double and in order of position.
 */
#include "formula_tokens.h"
#include "formula_laws.h"

static const struct lct_formula *formula_of(const struct lct_call *c)
{
    return c->e->state;
}

static bool is_array(const struct lct_formula_name *n)
{
    return n->kind >= LCT_FORMULA_TOKEN;
}

/* Rows of its map, or channels of x. */
static int64_t rows_of(const struct lct_formula_name *n,
                       const struct lct_call *c)
{
    return n->heads ? c->heads : 1;
}

static int64_t count(const struct lct_call *c)
{
    return formula_of(c)->tokens;
}

static int64_t first_sum(const struct lct_call *c)
{
    return formula_of(c)->tokens - formula_of(c)->scans;
}

/* The first channel of declaration i; of one past the last: their number. */
static int64_t channel_of(const struct lct_call *c, int i)
{
    const struct lct_formula *f = formula_of(c);
    int64_t channel = 0;

    for (int k = 0; k < i; k++)
        if (is_array(&f->name[k]) && !f->name[k].linear)
            channel += rows_of(&f->name[k], c);
    return channel;
}

static int64_t channels(const struct lct_call *c)
{
    return channel_of(c, formula_of(c)->names);
}

/* y of one row of declaration i */
static double input_of(const struct lct_call *c, const struct lct_inputs *t,
                       int i, int64_t row)
{
    const struct lct_formula_name *n = &formula_of(c)->name[i];

    if (!n->linear)
        return t->x[0][channel_of(c, i) + row];
    return lct_dot(c->param[n->param] + row * c->width, t->x[0], c->width) +
           c->param[n->param + 1][row];
}

static void numbers(double *out, const struct lct_call *c,
                    const struct lct_inputs *t)
{
    const struct lct_formula *f = formula_of(c);

    for (int i = 0; i < f->names; i++) {
        const struct lct_formula_name *n = &f->name[i];
        double value = 0;

        if (!is_array(n))
            continue;
        for (int64_t h = 0; h < c->heads; h++) {
            if (h < rows_of(n, c))
                value = lct_formula_laws_value(n->law, input_of(c, t, i, h));
            out[h * f->tokens + n->number] = value;
        }
    }
}

/* forward: number = law(y), y = x[channel], or <weight, x> + bias */
static void row_backward(double *const *dparam, double dout,
                         const struct lct_call *c, const struct lct_inputs *t,
                         int i, int64_t row)
{
    const struct lct_formula_name *n = &formula_of(c)->name[i];
    double dy = dout * lct_formula_laws_slope(n->law, input_of(c, t, i, row));

    if (!n->linear) {
        t->dx[0][channel_of(c, i) + row] += dy;
        return;
    }
    lct_accumulate(dparam[n->param] + row * c->width, dy, t->x[0], c->width);
    dparam[n->param + 1][row] += dy;
    lct_accumulate(t->dx[0], dy, c->param[n->param] + row * c->width, c->width);
}

static void backward(double *const *dparam, const double *dout,
                     const struct lct_call *c, const struct lct_inputs *t)
{
    const struct lct_formula *f = formula_of(c);

    for (int i = 0; i < f->names; i++) {
        const struct lct_formula_name *n = &f->name[i];
        double sum = 0;

        if (!is_array(n))
            continue;
        for (int64_t h = 0; h < c->heads; h++) {
            double d = dout[h * f->tokens + n->number];

            sum += d;
            if (n->heads && d != 0)
                row_backward(dparam, d, c, t, i, h);
        }
        if (!n->heads && sum != 0)
            row_backward(dparam, sum, c, t, i, 0);
    }
}

const struct lct_token_angles lct_formula_tokens_hooks = {
    .count = count,
    .sums = true,
    .first_sum = first_sum,
    .channels = channels,
    .reach = 1,
    .numbers = numbers,
    .backward = backward,
};

void lct_formula_tokens_gather(struct lct_formula_tokens *out,
                               const struct lct_content *c, int64_t head,
                               int64_t own, int64_t j, size_t n)
{
    for (int64_t t = 0; t < c->count; t++) {
        out->query[t] = c->numbers[lct_token_at(c, head, own) + t];
        for (size_t i = 0; i < n; i++)
            out->key[t][i] =
                c->numbers[lct_token_at(c, head, j + (int64_t)i) + t];
    }
}

/* forward: lct_formula_tokens_gather() */
void lct_formula_tokens_scatter(double *dnumbers,
                                const struct lct_formula_tokens *d,
                                const struct lct_content *c, int64_t head,
                                int64_t own, int64_t j, size_t n)
{
    for (int64_t t = 0; t < c->count; t++) {
        dnumbers[lct_token_at(c, head, own) + t] += d->query[t];
        for (size_t i = 0; i < n; i++)
            dnumbers[lct_token_at(c, head, j + (int64_t)i) + t] += d->key[t][i];
    }
}
