/* test_nn.c - each layer's backward, in double, against differences */
/* needs: model_f64 */
#include "test_nn_gradient.h"

#include "nn/adamw.h"
#include "nn/nn.h"

enum { MOST = 512 };

/* One operation y = op(x, w) and a random weighting of y as the loss. */
struct op {
    void (*forward)(struct op *o);
    double x[MOST], w[MOST], y[MOST], dy[MOST], stat[MOST];
    double dx[MOST], dw[MOST], scratch[MOST], packed[MOST], turned[MOST];
    int32_t words[MOST];
    int64_t rows, in, out;
    size_t nx, nw, ny;
    int kind;
};

static double loss_of(void *data)
{
    struct op *o = data;
    double sum = 0.0;

    o->forward(o);
    for (size_t i = 0; i < o->ny; i++)
        sum += o->dy[i] * o->y[i];
    return sum;
}

/* Fill, and leave in dx, dw what backward must add to or overwrite. */
static void make(struct op *o, int64_t rows, int64_t in, int64_t out)
{
    memset(o, 0, sizeof(*o));
    o->rows = rows;
    o->in = in;
    o->out = out;
    for (size_t i = 0; i < MOST; i++) {
        o->x[i] = 2.0 * test_uniform();
        o->w[i] = test_uniform();
        o->dy[i] = test_uniform();
    }
}

/* ----------------------------------------------------------------- linear */

static void linear(struct op *o)
{
    const struct lct_linear s = { o->rows, o->in, o->out };

    lct_linear_pack(o->packed, o->turned, o->w, s.in, s.out);
    lct_linear_forward(o->y, o->x, o->packed, &s);
}

TEST(linear_backward_is_the_gradient)
{
    static const int64_t sizes[][3] = {
        { 1, 1, 1 },   { 5, 7, 3 },   { 16, 8, 32 }, { 33, 1, 9 },
        { 3, 17, 16 }, { 2, 130, 3 }, { 2, 3, 131 }, /* more than one tile */
    };

    for (size_t i = 0; i < LEN(sizes); i++) {
        const struct lct_linear s = { sizes[i][0], sizes[i][1], sizes[i][2] };
        struct op o;

        make(&o, s.rows, s.in, s.out);
        o.forward = linear;
        o.ny = (size_t)(s.rows * s.out);
        linear(&o);
        lct_linear_backward_input(o.dx, o.dy, o.turned, &s, false);
        for (int64_t tile = 0; tile < lct_linear_tiles(s.in, s.out); tile++)
            lct_linear_backward_weight(o.dw, o.dy, o.x, &s, tile);
        check_gradient("linear x", loss_of, &o, o.x, o.dx,
                       (size_t)(s.rows * s.in));
        check_gradient("linear w", loss_of, &o, o.w, o.dw,
                       (size_t)(s.in * s.out));
    }
}

/* dW is added to. */
TEST(gradients_of_weights_add_up)
{
    const struct lct_linear s = { 6, 4, 5 };
    struct op o;
    double twice[MOST];

    make(&o, 6, 4, 5);
    lct_linear_backward_weight(o.dw, o.dy, o.x, &s, 0);
    memcpy(twice, o.dw, sizeof(twice));
    lct_linear_backward_weight(twice, o.dy, o.x, &s, 0);
    for (size_t i = 0; i < 20; i++)
        CHECK(fabs(twice[i] - 2.0 * o.dw[i]) <= 0x1p-50 * 12.0);
}

/* ------------------------------------------------------------------- norm */

static void norm(struct op *o)
{
    lct_norm_forward(o->y, o->stat, o->x, o->w, o->rows, o->in,
                     (enum lct_norm)o->kind);
}

TEST(norm_backward_is_the_gradient)
{
    static const int64_t sizes[][2] = {
        { 1, 1 }, { 3, 2 }, { 5, 31 }, { 4, 32 }, { 2, 33 }, { 2, 100 },
    };

    for (size_t i = 0; i < 2 * LEN(sizes); i++) {
        struct op o;
        struct lct_norm_saved saved;
        double more[MOST];

        make(&o, sizes[i / 2][0], sizes[i / 2][1], 0);
        o.forward = norm;
        o.kind = i % 2 ? LCT_RMS_NORM : LCT_LAYER_NORM;
        o.ny = (size_t)(o.rows * o.in);
        norm(&o);
        saved = (struct lct_norm_saved){ o.x, o.stat, o.rows, o.in,
                                         (enum lct_norm)o.kind };
        lct_norm_backward(o.dx, NULL, o.scratch, o.dy, o.w, &saved);
        lct_norm_backward_weight(o.dw, o.scratch, 1, o.in);
        check_gradient("norm x", loss_of, &o, o.x, o.dx, o.ny);
        check_gradient("norm w", loss_of, &o, o.w, o.dw, (size_t)o.in);
        lct_norm_backward(more, o.x, o.scratch, o.dy, o.w, &saved);
        for (size_t k = 0; k < o.ny; k++)
            CHECK(more[k] == o.x[k] + o.dx[k]);
    }
}

/* Rows of mean 0 and deviation 1 but for epsilon = 1e-5 in the root. */
TEST(norm_matches_definition)
{
    struct op o;

    for (int kind = 0; kind < 2; kind++) {
        make(&o, 4, 37, 0);
        o.kind = kind;
        norm(&o);
        for (int64_t r = 0; r < 4; r++) {
            double mean = 0.0, square = 0.0;
            const double *x = o.x + r * 37;

            for (int i = 0; i < 37; i++)
                mean += kind == LCT_LAYER_NORM ? x[i] / 37.0 : 0.0;
            for (int i = 0; i < 37; i++)
                square += (x[i] - mean) * (x[i] - mean) / 37.0;
            for (int i = 0; i < 37; i++) {
                double want = (x[i] - mean) / sqrt(square + 1e-5) * o.w[i];

                /* some forty roundings, of values below 4 */
                CHECK(fabs(o.y[r * 37 + i] - want) <= 200 * 0x1p-53);
            }
        }
    }
}

/* ------------------------------------------------------------------- gelu */

static void gelu(struct op *o)
{
    lct_gelu_forward(o->y, o->x, o->ny);
}

TEST(gelu_backward_is_the_gradient)
{
    struct op o;

    make(&o, 0, 0, 0);
    o.forward = gelu;
    o.ny = 67;
    for (size_t i = 0; i < o.ny; i++)
        o.x[i] *= 3.0;
    memcpy(o.dx, o.dy, sizeof(o.dx));
    lct_gelu_backward(o.dx, o.x, o.ny);
    check_gradient("gelu", loss_of, &o, o.x, o.dx, o.ny);
}

TEST(gelu_matches_paper)
{
    for (double x = -6.0; x <= 6.0; x += 0.0625) {
        const double root = sqrt(2.0 / 3.14159265358979323846);
        double want = 0.5 * x * (1.0 + tanh(root * (x + 0.044715 * x * x * x)));
        double got;

        lct_gelu_forward(&got, &x, 1);
        /* 1 + tanh loses digits, 2^-53 absolute, near -1 */
        CHECK(fabs(got - want) <= 16 * 0x1p-53 * (fabs(x) + 1.0));
    }
}

/* -------------------------------------------------------------- embedding */

static void embedding(struct op *o)
{
    lct_embedding_forward(o->y, o->w, o->words, o->rows, o->in);
    lct_positions_forward(o->y, o->x, 0.75, 2, o->rows / 2, o->in);
}

TEST(embedding_backward_is_the_gradient)
{
    enum { ROWS = 24, VOCAB = 9, WIDTH = 5 };
    int32_t first[VOCAB], next[ROWS];
    double sum[WIDTH];
    const struct lct_embedding_scratch lists = { first, next, sum };
    struct op o;

    make(&o, ROWS, WIDTH, VOCAB);
    o.forward = embedding;
    o.ny = ROWS * WIDTH;
    for (int i = 0; i < ROWS; i++) /* word 8 never occurs, 0 often */
        o.words[i] = i % 2 ? 0 : (int32_t)test_range(0, 7);
    lct_embedding_backward(o.dw, o.dy, o.words, ROWS, VOCAB, WIDTH, &lists);
    lct_positions_backward(o.dx, o.dy, 0.75, 2, ROWS / 2, WIDTH, o.scratch);
    check_gradient("embedding", loss_of, &o, o.w, o.dw, VOCAB * WIDTH);
    check_gradient("positions", loss_of, &o, o.x, o.dx, ROWS / 2 * WIDTH);
    for (int i = 0; i < WIDTH; i++)
        CHECK(o.dw[8 * WIDTH + i] == 0.0);
}

/* ------------------------------------------------------------------- loss */

static void cross_entropy(struct op *o)
{
    lct_loss_forward(o->y, o->stat, o->x, o->words, o->rows, o->in);
}

TEST(loss_backward_is_the_gradient)
{
    static const int64_t sizes[][2] = { { 1, 1 }, { 4, 33 }, { 3, 100 } };

    for (size_t i = 0; i < LEN(sizes); i++) {
        struct op o;

        make(&o, sizes[i][0], sizes[i][1], 0);
        o.forward = cross_entropy;
        o.ny = (size_t)o.rows;
        for (size_t r = 0; r < o.ny; r++) {
            o.words[r] = (int32_t)test_range(0, o.in - 1);
            o.dy[r] = 0.3;
        }
        cross_entropy(&o);
        memcpy(o.dx, o.x, sizeof(o.dx));
        lct_loss_backward(o.dx, o.stat, o.words, o.rows, o.in, 0.3);
        check_gradient("loss", loss_of, &o, o.x, o.dx, (size_t)(o.rows * o.in));
    }
}

/* Logits of a thousand neither overflow nor lose the answer. */
TEST(loss_survives_large_logits)
{
    double x[3] = { 1000.0, 999.0, -1000.0 }, loss, stat[2];
    const int32_t target = 1;

    lct_loss_forward(&loss, stat, x, &target, 1, 3);
    CHECK(fabs(loss - (1.0 + log1p(exp(-1.0)))) <= 4 * 0x1p-53);
}

/* -------------------------------------------------------------- optimiser */

TEST(adamw_matches_algorithm)
{
    double p = 0.5, m = 0.0, v = 0.0, want = 0.5, wm = 0.0, wv = 0.0;

    for (int step = 1; step <= 20; step++) {
        const struct lct_adamw o = { 1e-2, 0.9, 0.95, 1e-8, 0.1, step };
        double g = test_uniform();

        lct_adamw_step(&p, &m, &v, &g, 1, step % 2 == 0, &o);
        wm = 0.9 * wm + 0.1 * g;
        wv = 0.95 * wv + 0.05 * g * g;
        want -= 1e-2 * (wm / (1.0 - pow(0.9, step)) /
                            (sqrt(wv / (1.0 - pow(0.95, step))) + 1e-8) +
                        (step % 2 == 0 ? 0.1 * want : 0.0));
        /* a dozen roundings per step; 1 - 0.9 and 1 - 0.95 lose 4 bits */
        CHECK(fabs(p - want) <= step * 100 * 0x1p-53);
    }
}

/* The first step moves by the rate, whatever the size of the gradient. */
TEST(adamw_first_step_is_the_rate)
{
    const struct lct_adamw o = { 1e-3, 0.9, 0.95, 1e-8, 0.1, 1 };
    double p[2] = { 0.0, 0.0 }, m[2] = { 0 }, v[2] = { 0 };
    const double g[2] = { 3.0, -200.0 };

    lct_adamw_step(p, m, v, g, 2, false, &o);
    CHECK(fabs(p[0] + 1e-3) <= 1e-3 * 1e-8);
    CHECK(fabs(p[1] - 1e-3) <= 1e-3 * 1e-8);
}

TEST(learning_rate_warms_up_and_decays)
{
    CHECK(lct_learning_rate(0, 600, 60, 3e-3, 0.1) == 0.0);
    CHECK(lct_learning_rate(30, 600, 60, 3e-3, 0.1) == 3e-3 * 30.0 / 60.0);
    CHECK(lct_learning_rate(60, 600, 60, 3e-3, 0.1) == 3e-3);
    CHECK(fabs(lct_learning_rate(330, 600, 60, 3e-3, 0.1) - 1.65e-3) < 1e-17);
    CHECK(lct_learning_rate(600, 600, 60, 3e-3, 0.1) == 3e-3 * 0.1);
    CHECK(lct_learning_rate(700, 600, 60, 3e-3, 0.1) == 3e-3 * 0.1);
    for (int s = 60; s < 600; s++)
        CHECK(lct_learning_rate(s + 1, 600, 60, 3e-3, 0.1) <
              lct_learning_rate(s, 600, 60, 3e-3, 0.1));
}

TEST(clipping_limits_the_norm)
{
    double g[3] = { 3.0, 0.0, -4.0 };

    CHECK(lct_clip_norm(g, 3, 10.0) == 5.0);
    CHECK(g[0] == 3.0 && g[1] == 0.0 && g[2] == -4.0);
    CHECK(lct_clip_norm(g, 3, 1.0) == 5.0);
    CHECK(fabs(g[0] - 0.6) <= 0x1p-53 && fabs(g[2] + 0.8) <= 0x1p-53);
}

/* NaN must reach the caller, not be clipped away. */
TEST(clipping_reports_nan)
{
    double g[2] = { 1.0, NAN };

    CHECK(isnan(lct_clip_norm(g, 2, 1.0)));
    CHECK(g[0] == 1.0);
}
