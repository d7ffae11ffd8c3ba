/*
 * test_rope_maps.c - the rotate door's maps that are no plain rotation (xpos,
 * pope, rope-mixed) against central differences and their inverses; and sums.
 */
#include "oracle/near.h"
#include <math.h>
#include <string.h>

enum { B = 2, H = 3, T = 4, D = 8, MOST = B * H * T * 2 * D };

/* x [B,H,T,D] and what its map needs. */
struct map {
    locant_encoding *e;
    double x[MOST], y[MOST], dy[MOST], dx[MOST];
    double value[2][H * D], dvalue[2][H * D];
    int64_t pos[T], shape[4], wide[4], tokens;
    locant_tensor tx, ty, tdy, tdx, p, params[2], dparams[2];
    int n;
};

static void make(struct map *m, const char *spec, int64_t width)
{
    const locant_sizes sizes = {
        .width = H * D, .heads = H, .kv_heads = H, .head_dim = D
    };
    const int64_t shape[4] = { B, H, T, D };
    locant_param_info info;

    memset(m, 0, sizeof(*m));
    m->e = test_create(spec);
    m->tokens = T;
    m->tx = locant_dense(m->x, LOCANT_F64, 4, shape);
    m->tdx = locant_dense(m->dx, LOCANT_F64, 4, shape);
    m->ty = DENSE(F64, m->y, B, H, T, width);
    m->tdy = DENSE(F64, m->dy, B, H, T, width);
    m->p = DENSE(I64, m->pos, m->tokens);
    for (int i = 0; i < MOST; i++) {
        m->x[i] = test_normal();
        m->dy[i] = test_normal();
    }
    for (int t = 0; t < T; t++)
        m->pos[t] = test_range(0, 300);
    for (; locant_encoding_param(&info, m->e, m->n, &sizes); m->n++) {
        m->params[m->n] =
            locant_dense(m->value[m->n], LOCANT_F64, info.rank, info.shape);
        m->dparams[m->n] =
            locant_dense(m->dvalue[m->n], LOCANT_F64, info.rank, info.shape);
        CHECK_OK(locant_encoding_param_init(&m->params[m->n], m->e, m->n, 7));
    }
}

/* sum_i dy_i y_i */
static double objective(struct map *m, int flags)
{
    CHECK_OK(
        locant_encoding_rotate(&m->ty, &m->tx, m->e, &m->p, m->params, flags));
    return near_dot(m->y, m->dy, MOST);
}

/* h = 1e-5: the third derivative leaves 1e-10 of (300 f)^3-sized terms where
 * a frequency is differentiated, hence 'scale'. */
static void compare(struct map *m, double *at, double got, int flags,
                    double scale)
{
    double keep = *at, h = 1e-5 / scale, high, low;

    *at = keep + h;
    high = objective(m, flags);
    *at = keep - h;
    low = objective(m, flags);
    *at = keep;
    if (!(fabs((high - low) / (2 * h) - got) <=
          1e-7 * (scale + fabs(got)) + 1e-9))
        FAIL("%s: got %.12g, want %.12g", locant_encoding_spec(m->e), got,
             (high - low) / (2 * h));
}

static void check_gradient(const char *spec, int64_t width, int flags,
                           double scale)
{
    static struct map m;

    make(&m, spec, width);
    for (int k = 0; k < m.n; k++)
        for (int i = 0; i < H * D / 2; i++)
            m.value[k][i] -= 0.3 + 0.2 * test_uniform();
    for (size_t i = (size_t)(B * H * T) * (size_t)width; i < MOST; i++)
        m.dy[i] = m.y[i] = 0;
    CHECK_OK(locant_encoding_rotate_backward(&m.tdx, m.dparams, &m.tdy, &m.tx,
                                             m.e, &m.p, m.params, flags));
    for (int i = 0; i < B * H * T * D; i++)
        compare(&m, &m.x[i], m.dx[i], flags, 1);
    for (int k = 0; k < m.n; k++)
        for (size_t i = 0;
             i < (size_t)(m.params[k].shape[0] * m.params[k].shape[1]); i++)
            compare(&m, &m.value[k][i], m.dvalue[k][i], flags, scale);
    locant_encoding_free(m.e);
}

TEST(gradients_are_those_of_differences)
{
    check_gradient("xpos", D, 0, 1);
    check_gradient("xpos(gamma=1,scale=100,center=150)", D, LOCANT_ROTATE_KEY,
                   1);
    check_gradient("pope", 2 * D, 0, 1);
    check_gradient("pope(base=100)", 2 * D, LOCANT_ROTATE_KEY, 1);
    check_gradient("rope-mixed", D, 0, 300);
    check_gradient("rope-mixed(width=5)", D, LOCANT_ROTATE_KEY, 300);
    check_gradient("rope-imaginary(heads=upper)", D, 0, 1);
    check_gradient("grape-m(heads=each,kappa=1)", D, 0, 300);
    check_gradient("grape-m(planes=rank2,heads=each,omega=0.01)", D,
                   LOCANT_ROTATE_KEY, 300);
}

/* Nothing of a query reaches the phases of keys; gradients add up. */
TEST(gradients_of_parameters_add_up)
{
    static struct map m;
    double first[H * D];

    make(&m, "pope", 2 * D);
    CHECK_OK(locant_encoding_rotate_backward(&m.tdx, m.dparams, &m.tdy, &m.tx,
                                             m.e, &m.p, m.params, 0));
    for (int i = 0; i < H * D; i++)
        CHECK(m.dvalue[0][i] == 0);
    for (int n = 0; n < 2; n++) {
        CHECK_OK(locant_encoding_rotate_backward(&m.tdx, m.dparams, &m.tdy,
                                                 &m.tx, m.e, &m.p, m.params,
                                                 LOCANT_ROTATE_KEY));
        if (n == 0)
            memcpy(first, m.dvalue[0], sizeof(first));
    }
    for (int i = 0; i < H * D; i++)
        CHECK(m.dvalue[0][i] == 2 * first[i] && first[i] != 0);
    CHECK_OK(locant_encoding_rotate_backward(&m.tdx, NULL, &m.tdy, &m.tx, m.e,
                                             &m.p, m.params, 0));
    locant_encoding_free(m.e);
}

/* Products and sums in double: a few 2^-53 of what x is scaled by. */
TEST(inverses_undo)
{
    static const char *const specs[] = { "xpos",
                                         "xpos(center=100)",
                                         "rope-mixed(width=3)",
                                         "rope-imaginary",
                                         "grape-m(heads=each)",
                                         "grape-m(planes=rank2,omega=0.1)" };

    for (size_t i = 0; i < LEN(specs); i++)
        for (int flags = 0; flags <= LOCANT_ROTATE_KEY;
             flags += LOCANT_ROTATE_KEY) {
            static struct map m;

            make(&m, specs[i], D);
            CHECK_OK(locant_encoding_rotate(&m.ty, &m.tx, m.e, &m.p, m.params,
                                            flags));
            CHECK_OK(locant_encoding_rotate(&m.ty, &m.ty, m.e, &m.p, m.params,
                                            flags | LOCANT_ROTATE_INVERSE));
            /* polynomials of sine and cosine keep norms to 2^-43.6 */
            near_all(m.y, m.x, B * H * T * D, 1e-12 * 8);
            locant_encoding_free(m.e);
        }
}

/* -------------------------------------------------------------- rope-mixed */

/* x turns by x_c X + y_c Y, by hand; another head has other frequencies. */
TEST(mixed_frequencies_turn_by_both_axes)
{
    static struct map m;

    make(&m, "rope-mixed(width=16)", D);
    CHECK_OK(locant_encoding_rotate(&m.ty, &m.tx, m.e, &m.p, m.params, 0));
    for (int row = 0; row < B * H * T; row++)
        for (int c = 0; c < D / 2; c++) {
            int h = row / T % H;
            int64_t pos = m.pos[row % T];
            double f = m.value[0][h * D / 2 + c] * (double)(pos % 16) +
                       m.value[1][h * D / 2 + c] * (double)(pos / 16);
            const double *x = m.x + row * D + 2 * c, *y = m.y + row * D + 2 * c;

            CHECK(fabs(y[0] - (x[0] * cos(f) - x[1] * sin(f))) <= 1e-14 * 8);
            CHECK(fabs(y[1] - (x[0] * sin(f) + x[1] * cos(f))) <= 1e-14 * 8);
        }
    locant_encoding_free(m.e);
}

/* Two bands at right angles, both of magnitude base^(-4c/D). */
TEST(mixed_frequencies_start_as_turned_axial_ones)
{
    static struct map m;

    make(&m, "rope-mixed(base=16)", D);
    for (int h = 0; h < H; h++) {
        const double *x = m.value[0] + h * D / 2, *y = m.value[1] + h * D / 2;

        for (int c = 0; c < D / 4; c++) {
            double size = pow(16, -4.0 * c / D);

            CHECK(fabs(hypot(x[c], y[c]) - size) <= 1e-15);
            CHECK(fabs(x[c + D / 4] - -y[c]) <= 1e-15);
            CHECK(fabs(y[c + D / 4] - x[c]) <= 1e-15);
        }
        if (h > 0)
            CHECK(x[0] != x[-D / 2]);
    }
    locant_encoding_free(m.e);
}

/* ---------------------------------------------------------------- the door */

/* Of a sum, the part that turns, and its parameters among all. */
TEST(sums_turn_by_their_part)
{
    static struct map m, n;
    locant_tensor params[3], dparams[3];
    double slope[2][H], dslope[2][H] = { { 0 } };

    make(&m, "pope", 2 * D);
    n = m;
    n.ty.data = n.y;
    n.tx.data = m.x;
    n.e = test_create("kerple+pope");
    for (int k = 0; k < 2; k++) {
        params[k] = DENSE(F64, slope[k], H);
        dparams[k] = DENSE(F64, dslope[k], H);
    }
    params[2] = m.params[0];
    dparams[2] = m.dparams[0];
    CHECK_OK(locant_encoding_rotate(&m.ty, &m.tx, m.e, &m.p, m.params,
                                    LOCANT_ROTATE_KEY));
    CHECK_OK(locant_encoding_rotate(&n.ty, &n.tx, n.e, &m.p, params,
                                    LOCANT_ROTATE_KEY));
    CHECK(memcmp(m.y, n.y, sizeof(m.y)) == 0);
    CHECK_OK(locant_encoding_rotate_backward(
        &m.tdx, dparams, &m.tdy, &m.tx, n.e, &m.p, params, LOCANT_ROTATE_KEY));
    CHECK(m.dvalue[0][0] != 0 && dslope[0][0] == 0);
    locant_encoding_free(m.e);
    locant_encoding_free(n.e);
}

/* Every dtype is the double map rounded once. */
TEST(storage_rounds_once)
{
    static struct map m;
    float x[B * H * T * D], y[B * H * T * D];

    make(&m, "rope-mixed", D);
    for (int i = 0; i < B * H * T * D; i++)
        m.x[i] = x[i] = (float)m.x[i];
    CHECK_OK(locant_encoding_rotate(VIEW(F32, y, B, H, T, D),
                                    VIEW(F32, x, B, H, T, D), m.e, &m.p,
                                    m.params, 0));
    CHECK_OK(locant_encoding_rotate(&m.ty, &m.tx, m.e, &m.p, m.params, 0));
    for (int i = 0; i < B * H * T * D; i++)
        CHECK(y[i] == (float)m.y[i]);
    locant_encoding_free(m.e);
}

TEST(calls_that_do_not_fit_are_refused)
{
    static struct map m;

    make(&m, "pope", 2 * D);
    REFUSES(UNSUPPORTED,
            locant_encoding_rotate(&m.ty, &m.tx, m.e, &m.p, m.params,
                                   LOCANT_ROTATE_INVERSE),
            "pope has no inverse");
    REFUSES(NULL, locant_encoding_rotate(&m.ty, &m.tx, m.e, &m.p, NULL, 0),
            "pope has a learned parameter 'phase' [kv_heads, head_dim], none "
            "was given");
    REFUSES(SHAPE,
            locant_encoding_rotate(&m.tdx, &m.tx, m.e, &m.p, m.params, 0),
            "out has size 8 in dimension 3, expected 16");
    REFUSES(PARAM, locant_encoding_rotate(&m.ty, &m.tx, m.e, &m.p, m.params, 4),
            "flags are 0x4, expected LOCANT_ROTATE_* only");
    m.params[0].shape[0] = 2;
    REFUSES(SHAPE,
            locant_encoding_rotate(&m.ty, &m.tx, m.e, &m.p, m.params,
                                   LOCANT_ROTATE_KEY),
            "x has 3 heads, 'phase' of pope has 2");
    m.params[0].shape[0] = 1; /* queries of three heads, one key head */
    CHECK_OK(locant_encoding_rotate(&m.ty, &m.tx, m.e, &m.p, m.params, 0));
    locant_encoding_free(m.e);
    make(&m, "xpos", D);
    REFUSES(UNSUPPORTED,
            locant_encoding_rotate_backward(&m.tdx, NULL, &m.tdy, &m.tx, m.e,
                                            &m.p, NULL, LOCANT_ROTATE_INVERSE),
            "no gradient of the inverse of xpos");
    REFUSES(NULL,
            locant_encoding_rotate_backward(&m.tdx, NULL, &m.tdy, NULL, m.e,
                                            &m.p, NULL, 0),
            "x is NULL");
    locant_encoding_free(m.e);
}
