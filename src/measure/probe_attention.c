/* probe_attention.c - what the heads of a model attend to */
#include "probe.h"
#include <math.h>

enum {
    WINDOWS = 8,     /* windows of the trained length */
    FEW_WINDOWS = 2, /* the same, in probes during training */
    FAR_WINDOWS = 2, /* windows of the longest length */
    FAR_ROWS = 48    /* queries of each window of the longest length */
};

/* Attention of some queries, summed over windows. The caller sets the members
   up to n. */
struct sweep {
    int64_t length, windows;
    bool repeated; /* fill each window with its first byte */
    int64_t n;     /* number of queries; 0: all, set by run_sweep() */
    int64_t *t;    /* [n] positions of the queries */
    struct lct_head_sums *heads; /* [layers * heads] */
    double *entropy;             /* [layers * heads, n] mean over windows */
    real *weight;                /* [heads, n, length] of one layer */
    struct lct_probe *p;
    locant_status status;
};

static void release(struct sweep *s)
{
    locant_release(s->t);
    locant_release(s->heads);
    locant_release(s->entropy);
    locant_release(s->weight);
}

static locant_status reserve(struct sweep *s, struct lct_probe *p)
{
    const size_t heads = (size_t)(p->layers * p->heads), n = (size_t)s->n;

    s->p = p;
    s->t = locant_alloc(n * sizeof *s->t);
    s->heads = locant_alloc(heads * sizeof *s->heads);
    s->entropy = locant_alloc(heads * n * sizeof *s->entropy);
    s->weight =
        locant_alloc((size_t)(p->heads * s->length) * n * sizeof *s->weight);
    if (!s->t || !s->heads || !s->entropy || !s->weight)
        return locant_fail(LOCANT_ERR_NOMEM,
                           "locant_probe: no memory for %zu "
                           "rows of attention",
                           n);
    return LOCANT_OK;
}

static void add_layer(const struct lct_layer_state *seen, void *context)
{
    struct sweep *s = context;
    const int64_t heads = s->p->heads;

    if (s->status == LOCANT_OK)
        s->status = lct_model_attention_rows(s->p->model, seen->layer, s->t,
                                             s->n, s->weight);
    if (s->status != LOCANT_OK)
        return;
    for (int64_t h = 0; h < heads; h++)
        for (int64_t i = 0; i < s->n; i++) {
            const int64_t at = seen->layer * heads + h;
            const real *w = s->weight + (h * s->n + i) * s->length;

            lct_head_add(&s->heads[at], w, s->t[i]);
            s->entropy[at * s->n + i] +=
                lct_row_entropy(w, s->t[i]) / (double)s->windows;
        }
}

/* Choose all queries, or n different ones from 1 to the last, evenly spaced in
   the logarithm of their number of keys. */
static void choose_queries(struct sweep *s)
{
    const double step = log((double)s->length / 2) / (double)(s->n - 1);

    for (int64_t i = 0; i < s->n; i++) {
        if (s->n == s->length) {
            s->t[i] = i;
            continue;
        }
        s->t[i] = llround(2 * exp(step * (double)i)) - 1;
        if (i > 0 && s->t[i] <= s->t[i - 1])
            s->t[i] = s->t[i - 1] + 1;
    }
}

/* Sum the attention of the queries over the windows. */
static locant_status run_sweep(struct sweep *s, struct lct_probe *p)
{
    const struct lct_windows w = { 0, s->windows, s->length, 1, s->repeated };

    if (s->n == 0)
        s->n = s->length;
    LCT_TRY(reserve(s, p));
    choose_queries(s);
    LCT_TRY(lct_probe_run_windows(p, &w, add_layer, s));
    return s->status;
}

/* --------------------------------------------------------------------- JSON */

static json_t *head_json(const struct sweep *s, int64_t at)
{
    const struct lct_head_sums *h = &s->heads[at];
    double bin[LCT_PROBE_BINS], share[LCT_PROBE_SHARES];

    for (int k = 0; k < LCT_PROBE_BINS; k++)
        bin[k] = h->bin[k] / h->rows;
    for (int k = 0; k < LCT_PROBE_SHARES; k++)
        share[k] = h->share[k] / h->rows;
    return json_pack(
        "{s:I, s:I, s:o, s:o, s:o, s:{s:o, s:o, s:o}, s:o, s:o, s:o, s:o, s:o,"
        " s:o, s:o, s:o}",
        "layer", (json_int_t)(at / s->p->heads), "head",
        (json_int_t)(at % s->p->heads), "entropy",
        lct_real_json(h->entropy / h->rows), "slope",
        lct_real_json(lct_entropy_slope(h)), "distance",
        lct_real_json(h->distance / h->rows), "within", "8",
        lct_real_json(h->within[0] / h->rows), "32",
        lct_real_json(h->within[1] / h->rows), "128",
        lct_real_json(h->within[2] / h->rows), "sink",
        lct_real_json(h->sink / h->rows), "self",
        lct_real_json(h->self / h->rows), "previous",
        lct_real_json(h->previous / h->rows), "self_bias",
        lct_real_json(h->self_bias / h->rows), "previous_bias",
        lct_real_json(h->previous_bias / h->rows), "bins",
        lct_reals_json(bin, LCT_PROBE_BINS), "shares",
        lct_reals_json(share, LCT_PROBE_SHARES), "entropies",
        lct_reals_json(s->entropy + at * s->n, s->n));
}

static json_t *sweep_json(const struct sweep *s)
{
    json_t *rows = json_array(), *heads = json_array();

    for (int64_t i = 0; i < s->n; i++)
        json_array_append_new(rows, json_integer((json_int_t)s->t[i]));
    for (int64_t at = 0; at < s->p->layers * s->p->heads; at++)
        json_array_append_new(heads, head_json(s, at));
    return json_pack("{s:I, s:I, s:o, s:o}", "length", (json_int_t)s->length,
                     "windows", (json_int_t)s->windows, "rows", rows, "heads",
                     heads);
}

static locant_status add_sweep(json_t *out, const char *name,
                               struct lct_probe *p, struct sweep s)
{
    locant_status status = run_sweep(&s, p);

    if (status == LOCANT_OK)
        json_object_set_new(out, name, sweep_json(&s));
    release(&s);
    return status;
}

/* ---------------------------------------------------------- during training */

/* Value k of 'names' in add_lists(). Attention is causal, so queries before
   LCT_PROBE_SINK see what they would in a window that ends there. */
static double value_of(const struct lct_head_sums *h, int k)
{
    const double values[] = {
        h->entropy / h->rows,
        lct_entropy_slope(h),
        h->sink / h->rows,
        h->self_bias / h->rows,
        h->previous_bias / h->rows,
        h->distance / h->rows,
        h->early_sink / h->early_rows,
    };

    return values[k];
}

static void add_lists(json_t *out, const struct sweep *s)
{
    static const char *const names[] = { "entropy",       "slope",
                                         "sink",          "self_bias",
                                         "previous_bias", "distance",
                                         "early_sink" };

    for (int k = 0; k < 7; k++) {
        json_t *list = json_array();

        for (int64_t i = 0; i < s->p->layers * s->p->heads; i++)
            json_array_append_new(list,
                                  lct_real_json(value_of(&s->heads[i], k)));
        json_object_set_new(out, names[k], list);
    }
}

locant_status lct_probe_measure_heads(json_t *out, struct lct_probe *p)
{
    struct sweep s = { .length = p->length, .windows = FEW_WINDOWS };
    locant_status status = run_sweep(&s, p);

    if (status == LOCANT_OK)
        add_lists(out, &s);
    release(&s);
    return status;
}

/* -------------------------------------------------------------------- sinks */

static int64_t sink_length(const struct lct_probe *p)
{
    return p->length < LCT_PROBE_SINK ? p->length : LCT_PROBE_SINK;
}

/* weight[layers * heads]: mean weight of the first key. */
static locant_status find_sinks(double *weight, struct lct_probe *p,
                                bool repeated)
{
    struct sweep s = {
        .length = sink_length(p),
        .windows = WINDOWS,
        .repeated = repeated,
    };
    locant_status status = run_sweep(&s, p);

    for (int64_t i = 0; status == LOCANT_OK && i < p->layers * p->heads; i++)
        weight[i] = s.heads[i].sink / s.heads[i].rows;
    release(&s);
    return status;
}

static double share_of_sinks(const double *weight, int64_t n)
{
    double sinks = 0;

    for (int64_t i = 0; i < n; i++)
        sinks += weight[i] > lct_sink_threshold;
    return sinks / (double)n;
}

static locant_status add_sinks(json_t *out, struct lct_probe *p)
{
    const int64_t n = p->layers * p->heads;
    double *text, *repeated; /* weights on the text, on one byte repeated */
    locant_status status;

    LCT_TRY(lct_alloc_doubles(&text, 2 * n));
    repeated = text + n;
    status = find_sinks(text, p, false);
    if (status == LOCANT_OK)
        status = find_sinks(repeated, p, true);
    if (status == LOCANT_OK)
        json_object_set_new(out, "sinks",
                            json_pack("{s:I, s:f, s:o, s:o, s:f, s:f}",
                                      "length", (json_int_t)sink_length(p),
                                      "threshold", lct_sink_threshold, "text",
                                      lct_reals_json(text, n), "repeated",
                                      lct_reals_json(repeated, n), "share",
                                      share_of_sinks(text, n), "share_repeated",
                                      share_of_sinks(repeated, n)));
    locant_release(text);
    return status;
}

/* --------------------------------------------------------------------- part */

locant_status lct_probe_attention(json_t *out, struct lct_probe *p)
{
    const struct sweep usual = { .length = p->length, .windows = WINDOWS };
    const struct sweep far = { .length = p->longest,
                               .windows = FAR_WINDOWS,
                               .n = FAR_ROWS };
    locant_status status = LOCANT_OK;

    LCT_TRY(add_sweep(out, "trained", p, usual));
    if (p->longest > p->length)
        LCT_TRY(add_sweep(out, "long", p, far));
    LCT_TRY(add_sinks(out, p));
    if (p->run.parent == 0) {
        LCT_TRY(lct_probe_set_initial(p));
        status = add_sweep(out, "initial", p, usual);
        lct_probe_set_trained(p);
    }
    return status;
}
