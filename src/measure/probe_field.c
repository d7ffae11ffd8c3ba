/*
 * probe_field.c - how far back a model reads: gradients of one loss with
 * respect to the input, and losses of the same targets with less context.
 */
#include "probe.h"
#include <math.h>
#include <string.h>

enum {
    TARGETS = 64,
    FAR_TARGETS = 32,
    WIDTHS = 12, /* entries of within[]: the last 1, 2, 4, .. tokens */
};

int64_t lct_receptive_width(const double *g, int64_t t, double q)
{
    double all = 0, sum = 0;
    int64_t w = 0;

    for (int64_t j = 0; j <= t; j++)
        all += g[j];
    if (!(all > 0))
        return 0;
    while (w <= t && sum < q * all)
        sum += g[t - w++];
    return w;
}

/* The least loss that any model has on a target after the length of index
   'length'. */
static double least_loss(const struct lct_context_losses *x, int64_t length,
                         int64_t target)
{
    double least = INFINITY;

    for (int64_t m = 0; m < x->models; m++)
        least = fmin(least,
                     x->loss[(m * x->lengths + length) * x->targets + target]);
    return least;
}

int64_t lct_effective_context(const struct lct_context_losses *x, int64_t m,
                              double threshold)
{
    int64_t c = 0;

    for (; c + 1 < x->lengths; c++) {
        const double *next = x->loss + (m * x->lengths + c + 1) * x->targets;
        double before = 0, after = 0;

        for (int64_t t = 0; t < x->targets; t++) {
            const double least = least_loss(x, c, t);

            before += least;
            after += next[t] < least ? next[t] : least;
        }
        if (!(1 - after / before >= threshold))
            break;
    }
    return c;
}

/* -------------------------------------------------------------- gradients */

/* Means over targets, for windows of one length. */
struct field {
    int64_t length, targets, rows; /* rows: windows of a pass */
    double receptive[2];           /* receptive widths of q = .9, .99 */
    double within[WIDTHS];         /* share of g in the last 2^k tokens */
    int32_t *tokens, *wanted;      /* [rows, length] each, one allocation */
    real *gradient;                /* [rows, length, width] */
    double *g;                     /* [length] norms of one gradient */
};

static void release(struct field *f)
{
    locant_release(f->tokens);
    locant_release(f->gradient);
    locant_release(f->g);
}

static locant_status reserve(struct field *f, int64_t width)
{
    const size_t n = (size_t)(f->rows * f->length);

    f->tokens = locant_alloc(2 * n * sizeof *f->tokens);
    f->gradient = locant_alloc(n * (size_t)width * sizeof *f->gradient);
    LCT_TRY(lct_alloc_doubles(&f->g, f->length));
    if (!f->tokens || !f->gradient)
        return locant_fail(LOCANT_ERR_NOMEM,
                           "locant_probe: no memory for "
                           "gradients of %zu tokens",
                           n);
    f->wanted = f->tokens + n;
    return LOCANT_OK;
}

/* Position of a target in its window. Targets are spread evenly over the second
   halves of windows. */
static int64_t position_of(const struct field *f, int64_t target)
{
    const int64_t half = f->length / 2;

    return f->length - 1 - target * half / f->targets;
}

static void add_target(struct field *f, const real *gradient, int64_t width,
                       int64_t t)
{
    static const double q[2] = { .9, .99 };
    double all = 0, sum = 0;

    for (int64_t j = 0; j < f->length; j++) {
        double square = 0;

        for (int64_t c = 0; c < width; c++)
            square += (double)gradient[j * width + c] *
                      (double)gradient[j * width + c];
        f->g[j] = sqrt(square);
        all += j <= t ? f->g[j] : 0;
    }
    for (int k = 0; k < 2; k++)
        f->receptive[k] +=
            (double)lct_receptive_width(f->g, t, q[k]) / (double)f->targets;
    for (int64_t k = 0, w = 0; k < WIDTHS; k++) {
        for (; w < (int64_t)1 << k && w <= t; w++)
            sum += f->g[t - w];
        f->within[k] += all > 0 ? sum / all / (double)f->targets : 0;
    }
}

static locant_status find_field(struct field *f, struct lct_probe *p)
{
    const int64_t width = lct_model_config_of(p->model)->width;
    const int64_t T = f->length;

    for (int64_t first = 0; first < f->targets; first += f->rows) {
        for (int64_t r = 0; r < f->rows; r++) {
            int32_t window[LCT_PROBE_LONG + 1];
            const int64_t t = position_of(f, first + r);

            lct_probe_copy_window(window, p, first + r, T + 1);
            memcpy(f->tokens + r * T, window, (size_t)T * sizeof *window);
            for (int64_t i = 0; i < T; i++)
                f->wanted[r * T + i] = i == t ? window[i + 1] : -1;
        }
        LCT_TRY(lct_model_forward(p->model, f->tokens, f->wanted, f->rows, T,
                                  NULL, NULL));
        LCT_TRY(lct_model_backward(p->model));
        LCT_TRY(lct_model_input_gradient(p->model, f->gradient));
        for (int64_t r = 0; r < f->rows; r++)
            add_target(f, f->gradient + r * T * width, width,
                       position_of(f, first + r));
    }
    return LOCANT_OK;
}

/* Windows of a pass: the largest power of two that fits, at most one for
   each target. */
static int64_t rows_of(int64_t length, int64_t targets)
{
    int64_t rows = 1;

    while (2 * rows <= targets && 2 * rows * length <= LCT_PROBE_LONG)
        rows *= 2;
    return rows;
}

static locant_status add_field(json_t *out, const char *name,
                               struct lct_probe *p, int64_t length,
                               int64_t targets)
{
    struct field f = { .length = length, .targets = targets };
    locant_status status;
    int64_t widths = 1;

    f.rows = rows_of(length, targets);
    while (widths < WIDTHS && (int64_t)1 << (widths - 1) < length)
        widths++;
    status = reserve(&f, lct_model_config_of(p->model)->width);
    if (status == LOCANT_OK)
        status = find_field(&f, p);
    if (status == LOCANT_OK)
        json_object_set_new(out, name,
                            json_pack("{s:I, s:I, s:o, s:o, s:o}", "length",
                                      (json_int_t)length, "targets",
                                      (json_int_t)targets, "width_90",
                                      lct_real_json(f.receptive[0]), "width_99",
                                      lct_real_json(f.receptive[1]), "within",
                                      lct_reals_json(f.within, widths)));
    release(&f);
    return status;
}

/* ------------------------------------------------------------- truncation */

/* Put the losses per byte of the same targets, and their means, after only the
   last C tokens of context, C = 1, 2, 4, .. length. */
static locant_status add_truncation(json_t *out, struct lct_probe *p,
                                    int64_t length)
{
    /* every context ends at 'end', so all encodings have the same targets */
    const int64_t end = LCT_PROBE_FAR * p->length;
    const double bytes = lct_probe_bytes(p, TARGETS, end + 1, 1);
    json_t *lengths = json_array(), *means = json_array();
    json_t *losses = json_array();
    locant_status status = LOCANT_OK;

    json_object_set_new(out, "truncation",
                        json_pack("{s:I, s:o, s:o, s:o}", "targets",
                                  (json_int_t)TARGETS, "lengths", lengths,
                                  "loss", means, "losses", losses));
    for (int64_t C = 1; C <= length && status == LOCANT_OK; C *= 2) {
        double sum = 0, loss[TARGETS] = { 0 };

        for (int64_t k = 0; k < TARGETS && status == LOCANT_OK; k++) {
            int32_t window[LCT_PROBE_LONG + 1], wanted[LCT_PROBE_LONG];

            lct_probe_copy_window(window, p, k, end + 1);
            for (int64_t i = 0; i < C; i++)
                wanted[i] = i == C - 1 ? window[end] : -1;
            status = lct_model_forward(p->model, window + end - C, wanted, 1, C,
                                       NULL, &loss[k]);
            loss[k] /= bytes;
            sum += loss[k];
        }
        json_array_append_new(lengths, json_integer((json_int_t)C));
        json_array_append_new(means, lct_real_json(sum / TARGETS));
        json_array_append_new(losses, lct_reals_json(loss, TARGETS));
    }
    return status;
}

locant_status lct_probe_field(json_t *out, struct lct_probe *p)
{
    const int64_t far = lct_probe_far(p);

    LCT_TRY(add_field(out, "trained", p, p->length, TARGETS));
    if (far > p->length)
        LCT_TRY(add_field(out, "long", p, far, FAR_TARGETS));
    return add_truncation(out, p, far);
}
