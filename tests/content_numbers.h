/*
 * content_numbers.h - the problem of the numbers computed from formulas: 5
 * tokens, 2 heads of 4 channels, causal, scale 1/2, rotations by base 100, and
 *
 *     q[h,i,d] = sin(0.1 i + 0.3 d + 0.7 h)
 *     k[h,j,d] = cos(0.2 j - 0.4 d + 0.5 h)
 *     v[h,j,d] = sin(0.5 j + 0.7 d + 0.2 h)
 *     x[t,c] = sin(0.3 t + 0.5 c)
 *     dout[h,i,d] = cos(0.1 i + 0.2 d + 0.3 h)
 *
 * Numbers have ten digits; derivatives among them agree with complex steps.
 */
#ifndef CONTENT_NUMBERS_H
#define CONTENT_NUMBERS_H
#include "content_case.h"

enum { L = 5, H = 2, D = 4 };

static const double printed = 6e-11, exact = 1e-13;

/* Channel c of x at token t. */
static inline double x_at(int64_t t, int64_t c)
{
    return sin(0.3 * (double)t + 0.5 * (double)c);
}

static inline void fill_heads(double *to, double by_token, double by_channel,
                              double by_head, int is_cos)
{
    for (int h = 0; h < H; h++)
        for (int t = 0; t < L; t++)
            for (int d = 0; d < D; d++) {
                double at = by_token * t + by_channel * d + by_head * h;

                *to++ = is_cos ? cos(at) : sin(at);
            }
}

/* The problem; x is 'width' wide, its channels repeat after D. */
static inline struct content_case *numbers_case(const char *spec, int64_t width)
{
    struct content_case *c =
        case_open(spec, (const int64_t[6]){ H, H, L, L, D, width });

    fill_heads(c->q, 0.1, 0.3, 0.7, 0);
    fill_heads(c->k, 0.2, -0.4, 0.5, 1);
    fill_heads(c->v, 0.5, 0.7, 0.2, 0);
    fill_heads(c->dout, 0.1, 0.2, 0.3, 1);
    for (int64_t t = 0; t < L; t++)
        for (int64_t w = 0; w < width; w++)
            c->x[t * width + w] = x_at(t, w % D);
    return c;
}

/* The output of query i of head h. */
static inline void check_out(struct content_case *c, int h, int i,
                             const double want[D])
{
    case_run(c);
    case_near(c->out + (h * L + i) * D, want, D, printed, "out");
}

/* What content adds to the scores s [H, L, L] of the plain problem. */
static inline void added(double *s, struct content_case *c)
{
    struct content_case *plain = numbers_case("none", D);
    double without[H * L * L];

    case_scores(s, c);
    case_scores(without, plain);
    for (int i = 0; i < H * L * L; i++)
        s[i] -= without[i];
    case_close(plain);
}
#endif
