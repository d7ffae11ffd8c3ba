/*
 * probe_usage.c - how much queries and keys use each frequency of a rotation:
 * the mean norm of their channel pairs, as in Barbero et al. 2024,
 * arXiv:2410.06205, section 3.
 */
#include "probe.h"
#include "locant/rotate.h"
#include <math.h>
#include <string.h>

enum { WINDOWS = 8 };

double lct_angle_variance(double x)
{
    const double sinc = sin(x) / x;

    return .5 + sin(2 * x) / (4 * x) - sinc * sinc;
}

double lct_best_angle(void)
{
    /* golden-section search; 3 .. 4 has only the greatest maximum, at 0.58
       rotations */
    const double golden = (sqrt(5) - 1) / 2;
    double low = 3, high = 4;

    while (high - low > 1e-9) {
        const double a = high - golden * (high - low);
        const double b = low + golden * (high - low);

        if (lct_angle_variance(a) > lct_angle_variance(b))
            high = b;
        else
            low = a;
    }
    return (low + high) / 2;
}

double lct_predicted_pair(const double *frequency, int64_t pairs, double length)
{
    const double want = log(lct_best_angle() / length);

    for (int64_t i = 0; i + 1 < pairs; i++) {
        const double here = log(frequency[i]), next = log(frequency[i + 1]);

        if (here >= want && want > next)
            return (double)i + (here - want) / (here - next);
    }
    return NAN;
}

json_t *lct_predicted_json(const struct lct_pairs *pairs,
                           const struct lct_probe *p)
{
    return lct_real_json(
        lct_predicted_pair(pairs->frequency, pairs->n, (double)p->run.length));
}

/* ------------------------------------------------------------------- pairs */

enum { NO_PARTNER = -1, NO_PAIRS = -2 };

/*
 * The channel that is rotated together with channel 'c'; NO_PARTNER if c stays
 * as it is, NO_PAIRS if this is no rotation of pairs. 'rotated' is unit vector
 * 'c' rotated to position 1; *angle is set to the angle of the pair.
 */
static int64_t partner_of(double *angle, const double *rotated, int64_t dim,
                          int64_t c)
{
    int64_t other = NO_PARTNER;

    for (int64_t i = 0; i < dim; i++)
        if (i != c && rotated[i] != 0) {
            if (other >= 0)
                return NO_PAIRS;
            other = i;
        }
    *angle = other < 0 ? 0 : atan2(rotated[other], rotated[c]);
    /* within rounding in double; xpos and others also scale */
    if (fabs(hypot(rotated[c], other < 0 ? 0 : rotated[other]) - 1) > 1e-6)
        return NO_PAIRS;
    return other;
}

/* Rotate every unit vector of one head to position 1. */
static locant_status rotate_units(double *rotated, const locant_encoding *e,
                                  int64_t dim)
{
    const int64_t shape[2] = { 1, dim };
    const int64_t one = 1;
    int64_t at = 1;
    locant_tensor position = locant_dense(&at, LOCANT_I64, 1, &one);

    for (int64_t c = 0; c < dim; c++) {
        locant_tensor x = locant_dense(rotated + c * dim, LOCANT_F64, 2, shape);

        memset(rotated + c * dim, 0, (size_t)dim * sizeof *rotated);
        rotated[c * dim + c] = 1;
        LCT_TRY(locant_encoding_rotate(&x, &x, e, &position, NULL, 0));
    }
    return LOCANT_OK;
}

/* Find the pairs; out->n is 0 if the encoding does not rotate pairs by fixed
   angles. */
static locant_status find_pairs(struct lct_pairs *out, const locant_encoding *e,
                                int64_t dim)
{
    double *rotated;
    locant_status status;

    out->n = 0;
    LCT_TRY(lct_alloc_doubles(&rotated, dim * dim));
    status = rotate_units(rotated, e, dim);
    if (status != LOCANT_OK && status != LOCANT_ERR_NOMEM) {
        locant_release(rotated);
        return LOCANT_OK; /* the rotation depends on more than the position */
    }
    for (int64_t c = 0; c < dim && status == LOCANT_OK; c++) {
        double angle;
        const int64_t other = partner_of(&angle, rotated + c * dim, dim, c);

        if (other == NO_PAIRS) {
            out->n = 0;
            break;
        }
        if (other < 0 || angle < 0) /* not rotated, or the second channel of a
                                       pair */
            continue;
        out->first[out->n] = c;
        out->second[out->n] = other;
        out->frequency[out->n++] = angle;
    }
    locant_release(rotated);
    return status;
}

locant_status lct_probe_pairs(struct lct_pairs *out, const struct lct_probe *p)
{
    const struct lct_model_config *c = lct_model_config_of(p->model);
    const int64_t dim = c->width / c->heads;

    *out = (struct lct_pairs){ .n = 0 };
    if (!(locant_encoding_doors(p->encoding) & LOCANT_DOOR_ROTATE) ||
        locant_encoding_axes(p->encoding) > 1 ||
        locant_encoding_layer(NULL, p->encoding, 0) != p->encoding ||
        p->run.encoding_parameters > 0 ||
        locant_encoding_rotated_width(p->encoding, dim) != dim)
        return LOCANT_OK;
    out->first = locant_alloc(2 * (size_t)dim * sizeof *out->first);
    if (out->first == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "locant_probe: no memory");
    out->second = out->first + dim;
    LCT_TRY(lct_alloc_doubles(&out->frequency, dim));
    return find_pairs(out, p->encoding, dim);
}

void lct_pairs_free(struct lct_pairs *pairs)
{
    locant_release(pairs->first);
    locant_release(pairs->frequency);
}

/* -------------------------------------------------------------------- norms */

/* Mean norms of the pairs. */
struct usage {
    const struct lct_pairs *pairs;
    int64_t heads, kv_heads, dim;
    double count; /* tokens of all windows, by which sums are divided */
    double *q;    /* [layers, heads, pairs] */
    double *k;    /* [layers, kv_heads, pairs] */
};

/* Add the norms of x [rows, heads, dim] to mean [heads, pairs]. */
static void add_rows(double *mean, const real *x, int64_t rows, int64_t heads,
                     const struct usage *u)
{
    for (int64_t i = 0; i < rows * heads; i++)
        for (int64_t c = 0; c < u->pairs->n; c++)
            mean[i % heads * u->pairs->n + c] +=
                hypot((double)x[i * u->dim + u->pairs->first[c]],
                      (double)x[i * u->dim + u->pairs->second[c]]) /
                u->count;
}

static void add_layer(const struct lct_layer_state *seen, void *context)
{
    struct usage *u = context;
    const int64_t n = u->pairs->n;

    add_rows(u->q + seen->layer * u->heads * n, seen->q, seen->T, u->heads, u);
    add_rows(u->k + seen->layer * u->kv_heads * n, seen->k, seen->S,
             u->kv_heads, u);
}

static json_t *usage_json(const struct usage *u, const struct lct_probe *p)
{
    const int64_t n = u->pairs->n;
    json_t *heads = json_array();

    for (int64_t at = 0; at < p->layers * u->heads; at++) {
        const int64_t layer = at / u->heads, head = at % u->heads;
        const int64_t kv =
            layer * u->kv_heads + head / (u->heads / u->kv_heads);

        json_array_append_new(
            heads, json_pack("{s:I, s:I, s:o, s:o}", "layer", (json_int_t)layer,
                             "head", (json_int_t)head, "q",
                             lct_reals_json(u->q + at * n, n), "k",
                             lct_reals_json(u->k + kv * n, n)));
    }
    return heads;
}

static locant_status measure(json_t *out, struct lct_probe *p, struct usage *u)
{
    const struct lct_windows w = { 0, WINDOWS, p->length, 1, false };

    LCT_TRY(lct_probe_run_windows(p, &w, add_layer, u));
    return lct_probe_add_members(
        out,
        json_pack("{s:o, s:o, s:o}", "frequency",
                  lct_reals_json(u->pairs->frequency, u->pairs->n), "predicted",
                  lct_predicted_json(u->pairs, p), "heads", usage_json(u, p)));
}

/* Leave 'out' empty if no pairs are rotated by the same angles in all layers
   and heads. */
locant_status lct_probe_usage(json_t *out, struct lct_probe *p)
{
    const struct lct_model_config *c = lct_model_config_of(p->model);
    const int64_t dim = c->width / c->heads;
    struct lct_pairs pairs;
    struct usage u = { .pairs = &pairs,
                       .heads = c->heads,
                       .kv_heads = c->kv_heads,
                       .dim = dim,
                       .count = (double)(WINDOWS * p->length) };
    locant_status status = lct_probe_pairs(&pairs, p);

    if (status == LOCANT_OK && pairs.n > 0)
        status = lct_alloc_doubles(&u.q, 2 * p->layers * c->heads * dim);
    if (status == LOCANT_OK && pairs.n > 0) {
        u.k = u.q + p->layers * c->heads * dim;
        status = measure(out, p, &u);
    }
    lct_pairs_free(&pairs);
    locant_release(u.q);
    return status;
}
