/*
 * content_backward.c - one tile: gradients of what the content door adds.
 *
 * Forward gathers rows of a window to pairs, so backward scatters the pairs'
 * gradients to rows of a window; those that no later tile of keys will meet
 * leave it through two products, for queries and for vectors.
 */
#include "content_window.h"
#include <string.h>

/* ----------------------------------------------------------------- windows */

/* Rows from .. to - 1 of a head's gradient += what s->rows of own holds. */
static void add_rows(const struct lct_problem *p, const struct lct_tile *t,
                     const struct lct_content_table *term, const float *rows,
                     const struct lct_content_gradients *job, int64_t from,
                     int64_t n)
{
    int64_t owner = term->heads == 1 ? t->h / (p->H / p->Hkv) : t->h;
    double *to = term->dtable +
                 ((job->chunk_row * term->owners + owner) * term->rows + from) *
                     p->D;

    for (int64_t r = 0; r < n; r++, rows += p->padded, to += p->D)
        for (int64_t d = 0; d < p->D; d++)
            to[d] += (double)rows[d];
}

/*
 * Rows from .. to - 1 leave the window: forward was s += y A^T, so
 * dy += ds A (not for weights, which meet no query) and dA += ds^T y.
 */
static void let_go(const struct lct_problem *p, const struct lct_tile *t,
                   struct lct_scratch *s, int n, int64_t from, int64_t to,
                   const struct lct_content_gradients *job)
{
    const struct lct_content_table *term = &p->terms.term[n];
    struct lct_content_scratch *own = lct_content_of(p, s);
    const struct lct_content_window *w = &own->gradient[n];
    const float *ds = w->held + (from - w->low) * (int64_t)t->lanes;
    struct lct_product x = { .c_row = (size_t)p->padded, .a = ds,
                             .b_row = (size_t)p->padded,
                             .n = (size_t)p->padded };

    if (from >= to)
        return;
    if (term->v.meets == LCT_MEETS_QUERY) {
        x.c = own->dy[n];
        x.a_row = 1;
        x.a_col = t->lanes;
        x.b = lct_content_window_table(p, term, t->h) + from * p->padded;
        x.m = (size_t)t->rows;
        x.k = (size_t)(to - from);
        x.add = true;
        lct_multiply(p->kernels, &x, !term->finite);
    }
    if (!job->learns)
        return;
    x.c = own->rows;
    x.a_row = t->lanes;
    x.a_col = 1;
    x.b = term->v.meets == LCT_MEETS_WEIGHT ? s->dout
          : term->v.added >= 0              ? own->y[n]
                                            : s->q;
    x.m = (size_t)(to - from);
    x.k = (size_t)t->rows;
    x.add = false;
    lct_multiply(p->kernels, &x, true);
    add_rows(p, t, term, own->rows, job, from, to - from);
}

/* Move the window of gradients to rows low .. high - 1. */
static void move(const struct lct_problem *p, const struct lct_tile *t,
                 struct lct_scratch *s, int n, int64_t low, int64_t high,
                 const struct lct_content_gradients *job)
{
    struct lct_content_window *w = &lct_content_of(p, s)->gradient[n];
    int64_t from = low > w->low ? low : w->low;
    int64_t to = high < w->high ? high : w->high;
    size_t row = t->lanes * sizeof(*w->held);

    if (low >= w->low && high <= w->high)
        return;
    if (from >= to)
        from = to = w->high;
    let_go(p, t, s, n, w->low, from, job);
    let_go(p, t, s, n, to, w->high, job);
    if (from < to)
        memmove(w->held + (from - low) * (int64_t)t->lanes,
                w->held + (from - w->low) * (int64_t)t->lanes,
                (size_t)(to - from) * row);
    else
        from = to = low;
    memset(w->held, 0, (size_t)(from - low) * row);
    memset(w->held + (to - low) * (int64_t)t->lanes, 0,
           (size_t)(high - to) * row);
    w->low = low;
    w->high = high;
}

/* Gradients of pairs, 'from' [keys, lanes], to the rows they picked. */
static void scatter_rows(const struct lct_problem *p, const struct lct_tile *t,
                         struct lct_scratch *s, int n,
                         const struct lct_content_picks *x, const float *from,
                         const struct lct_content_gradients *job)
{
    const struct lct_content_table *term = &p->terms.term[n];
    struct lct_content_window *w = &lct_content_of(p, s)->gradient[n];

    if (term->rows <= LCT_CONTENT_WINDOW)
        move(p, t, s, n, 0, term->rows, job);
    for (int64_t at = x->low, end; at <= x->high; at = end) {
        end = lct_content_window_end(x, at);
        move(p, t, s, n, at, end, job);
        lct_content_window_scatter(from, t, x, w);
        if (x->low >= w->low && x->high < w->high)
            return;
    }
}

/* ------------------------------------------------------------------ values */

/* forward: o += p V: dp += dout V^T, dV += p^T dout */
static void through_value_rows(const struct lct_problem *p,
                               const struct lct_tile *t, struct lct_scratch *s,
                               int n, const struct lct_content_gradients *job)
{
    const struct lct_content_table *term = &p->terms.term[n];
    struct lct_content_scratch *own = lct_content_of(p, s);
    struct lct_content_picks x = lct_content_window_picks(p, t, term, own->at);
    struct lct_content_window *w = &own->product[n];

    if (term->rows <= LCT_CONTENT_WINDOW)
        lct_content_window_hold(p, t, term, w, s->dout_cols, 0, term->rows);
    for (int64_t at = x.low, end; at <= x.high; at = end) {
        end = lct_content_window_end(&x, at);
        lct_content_window_hold(p, t, term, w, s->dout_cols, at, end);
        lct_content_window_gather(s->ds, t, &x, w);
        if (x.low >= w->low && x.high < w->high)
            break;
    }
    if (job->learns)
        scatter_rows(p, t, s, n, &x, s->s, job);
}

void lct_content_values_backward(const struct lct_problem *p,
                                 const struct lct_tile *t,
                                 struct lct_scratch *s,
                                 const struct lct_content_gradients *job)
{
    for (int n = 0; n < p->terms.terms.count; n++)
        if (p->terms.term[n].v.meets == LCT_MEETS_WEIGHT)
            through_value_rows(p, t, s, n, job);
}

/* ------------------------------------------------------------------ scores */

/* Rows of s->rows of own to the gradients of the tile's keys. */
static void add_to_keys(const struct lct_problem *p, const struct lct_tile *t,
                        const float *rows,
                        const struct lct_content_gradients *job)
{
    for (int64_t j = 0; j < t->keys; j++)
        for (int64_t d = 0; d < p->D; d++)
            job->dk[j * (int64_t)job->dk_row + d] += rows[j * p->padded + d];
}

/* forward: s += k K^T: dk += ds K, dK += ds^T k */
static void through_key_rows(const struct lct_problem *p,
                             const struct lct_tile *t, struct lct_scratch *s,
                             const struct lct_content_table *term,
                             const struct lct_content_gradients *job)
{
    struct lct_content_scratch *own = lct_content_of(p, s);
    struct lct_content_picks x = lct_content_window_picks(p, t, term, own->at);
    bool whole = x.high - x.low < LCT_CONTENT_WINDOW;
    size_t wide = (size_t)p->padded;

    for (int64_t from = x.low, end; from <= x.high; from = end) {
        end = lct_content_window_end(&x, from);
        memset(own->keys, 0, (size_t)(t->keys * LCT_CONTENT_WINDOW) *
               sizeof(*own->keys));
        for (int64_t j = 0; j < t->keys; j++) {
            const int32_t *at = lct_content_window_picks_of(&x, t, j);
            const float *ds = s->ds + j * (int64_t)t->lanes;
            float *to = own->keys + j * LCT_CONTENT_WINDOW;

            for (int64_t i = 0; whole && i < t->rows; i++)
                to[at[i] - from] += ds[i];
            for (int64_t i = 0; !whole && i < t->rows; i++)
                if (at[i] >= from && at[i] < end)
                    to[at[i] - from] += ds[i];
        }
        if (job->dk != NULL) {
            lct_multiply(p->kernels, &(struct lct_product){
                .c = own->rows, .c_row = wide, .a = own->keys,
                .a_row = LCT_CONTENT_WINDOW, .a_col = 1,
                .b = lct_content_window_table(p, term, t->h) + from * p->padded,
                .b_row = wide, .m = (size_t)t->keys, .n = wide,
                .k = (size_t)(end - from) }, !term->finite);
            add_to_keys(p, t, own->rows, job);
        }
        if (!job->learns)
            continue;
        lct_multiply(p->kernels, &(struct lct_product){
            .c = own->rows, .c_row = wide, .a = own->keys, .a_row = 1,
            .a_col = LCT_CONTENT_WINDOW, .b = job->keys, .b_row = job->key_row,
            .m = (size_t)(end - from), .n = wide, .k = (size_t)t->keys },
            true);
        add_rows(p, t, term, own->rows, job, from, end - from);
    }
}

void lct_content_scores_backward(const struct lct_problem *p,
                                 const struct lct_tile *t,
                                 struct lct_scratch *s,
                                 const struct lct_content_gradients *job)
{
    const struct lct_content_plan *plan = &p->terms;
    float factor = (float)plan->terms.factor;

    for (int64_t n = 0; factor != 1 && n < t->keys * (int64_t)t->lanes; n++)
        s->ds[n] *= factor;
    for (int n = 0; n < plan->terms.count; n++) {
        const struct lct_content_table *term = &plan->term[n];
        struct lct_content_picks x;

        if (term->v.meets == LCT_MEETS_KEY)
            through_key_rows(p, t, s, term, job);
        if (term->v.meets != LCT_MEETS_QUERY)
            continue;
        x = lct_content_window_picks(p, t, term, lct_content_of(p, s)->at);
        scatter_rows(p, t, s, n, &x, s->ds, job);
    }
    if (plan->terms.gate_weight >= 0)
        lct_content_gates_scores_backward(p, t, s);
}

/* ----------------------------------------------------------------- queries */

/* The gradient of a vector += scale times the sum of rows dy. */
static void add_vector(const struct lct_problem *p, const struct lct_tile *t,
                       double *to, const float *dy,
                       const struct lct_content_gradients *job)
{
    to += (job->chunk_row * p->H + t->h) * p->D;
    for (int64_t i = 0; i < t->rows; i++)
        for (int64_t d = 0; d < p->D; d++)
            to[d] += p->scale * (double)dy[i * p->padded + d];
}

/* forward: y = q + scale a met vectors, q + scale u met keys */
void lct_content_close(const struct lct_problem *p, const struct lct_tile *t,
                       struct lct_scratch *s,
                       const struct lct_content_gradients *job)
{
    const struct lct_content_plan *plan = &p->terms;
    struct lct_content_scratch *own = lct_content_of(p, s);

    if (plan->terms.near_far)
        lct_content_far_close(p, t, s);
    if (plan->terms.u >= 0 && job->learns)
        add_vector(p, t, plan->dvector[0], s->out, job);
    for (int n = 0; n < plan->terms.count; n++) {
        struct lct_content_window *w = &own->gradient[n];

        let_go(p, t, s, n, w->low, w->high, job);
        w->low = w->high = 0;
        if (plan->term[n].v.meets != LCT_MEETS_QUERY)
            continue;
        if (plan->term[n].v.added >= 0 && job->learns)
            add_vector(p, t, plan->dvector[1 + n], own->dy[n], job);
        for (int64_t i = 0; i < t->rows * p->padded; i++)
            s->out[i] += own->dy[n][i];
    }
}
