/* net_adaptive.c - embeddings and logits by frequency of the tokens
   (Transformer-XL) */
#include "net_adaptive.h"
#include "net_family_keys.h"
#include "net_math.h"
#include <inttypes.h>
#include <math.h>

/* ---------------------------------------------------------------- binding */

/* What the configuration says beside the clusters. */
struct keys {
    int64_t embed, divisor;
    bool tied;
    const json_t *tied_maps;
};

static locant_status bad_cutoffs(const struct lct_net *n)
{
    return locant_fail(LOCANT_ERR_FORMAT,
                       "%s: cutoffs are not at most %d numbers of tokens that "
                       "grow, below vocab_size",
                       n->config.file, LCT_NET_CLUSTERS - 1);
}

static locant_status read_cutoffs(struct lct_net_adaptive *a,
                                  const struct lct_net *n)
{
    static const int64_t usual[3] = { 20000, 40000, 200000 };
    const json_t *list = json_object_get(n->config.text, "cutoffs");
    const size_t count = list != NULL ? json_array_size(list) : 3;

    if (count >= LCT_NET_CLUSTERS || (list != NULL && !json_is_array(list)))
        return bad_cutoffs(n);
    for (size_t i = 0; i < count; i++)
        a->cutoff[++a->n] = list != NULL
                                ? json_integer_value(json_array_get(list, i))
                                : usual[i];
    a->cutoff[++a->n] = n->vocab;
    for (int i = 0; i < a->n; i++)
        if (a->cutoff[i] >= a->cutoff[i + 1])
            return bad_cutoffs(n);
    return LOCANT_OK;
}

static locant_status read_keys(struct keys *k, struct lct_net *n)
{
    const struct lct_config *c = &n->config;

    *k = (struct keys){ .embed = n->width, .divisor = 4, .tied = true };
    n->vocab = 267735;
    LCT_TRY(lct_net_family_keys_whole(&n->vocab, c, "vocab_size"));
    LCT_TRY(lct_net_family_keys_whole(&k->embed, c, "d_embed"));
    LCT_TRY(lct_net_family_keys_whole(&k->divisor, c, "div_val"));
    LCT_TRY(lct_net_family_keys_bool(&k->tied, c, "tie_word_embeddings"));
    k->tied_maps = json_object_get(c->text, "tie_projs");
    if (k->embed > 0 && k->embed <= 1 << 20 && k->divisor > 0 && n->vocab > 0)
        return LOCANT_OK;
    return locant_fail(LOCANT_ERR_FORMAT,
                       "%s: d_embed is %" PRId64 ", div_val %" PRId64
                       " and vocab_size %" PRId64
                       ", expected 1 or more, d_embed at most %d",
                       c->file, k->embed, k->divisor, n->vocab, 1 << 20);
}

/* Rows 'first' .. of a tensor [all, width]. */
static locant_status bind_rows(struct lct_net_linear *l,
                               struct lct_net_binder *b, enum lct_net_role role,
                               int64_t first, int64_t count, int64_t all,
                               int64_t width)
{
    const struct lct_net_rows rows = {
        .first = first, .group = count, .step = count, .all = all
    };

    return lct_net_bind_rows(l, b, role, count, width, &rows);
}

/* A map [D, width], without ".weight"; to the width if 'across'. */
static locant_status bind_map(struct lct_net_linear *l,
                              struct lct_net_binder *b, enum lct_net_role role,
                              int64_t width, bool across)
{
    const int64_t D = b->n->width;
    const struct lct_weight *w;

    LCT_TRY(lct_net_bind_need(&w, b, role, ""));
    LCT_TRY(lct_net_bind_shape(b->n, w, 2, (int64_t[2]){ D, width }));
    LCT_TRY(lct_net_bind_blocks(b->n, w, across ? 1 : width));
    l->w = (struct lct_net_matrix){ .weight = w,
                                    .out = across ? width : D,
                                    .in = across ? D : width,
                                    .row = width,
                                    .transposed = across };
    l->w.group = l->w.step = l->w.out;
    return lct_net_matrix_round(b->n, &l->w);
}

/* Is the map of cluster i before the head that of its embeddings? */
static bool tied_map(const struct keys *k, int64_t i)
{
    const json_t *item = json_array_get(k->tied_maps, (size_t)i);

    return item != NULL ? json_is_true(item) : i > 0;
}

static locant_status bind_cluster(struct lct_net_adaptive *a,
                                  struct lct_net_binder *b,
                                  const struct keys *k, int64_t i,
                                  int64_t width)
{
    const bool one = k->divisor == 1; /* all in one matrix */
    const int64_t of = one ? 0 : i, first = one ? a->cutoff[i] : 0;
    const int64_t count = a->cutoff[i + 1] - a->cutoff[i];
    const int64_t all = one ? b->n->vocab : count;
    bool own;
    struct lct_net_linear table = { 0 };

    b->part = of;
    own = lct_net_bind_has(b, LCT_CLUSTER_HEAD);
    LCT_TRY(bind_rows(&table, b, LCT_CLUSTER_EMBED, first, count, all, width));
    a->embed[i] = table.w;
    LCT_TRY(bind_rows(&a->head[i], b,
                      own && !k->tied ? LCT_CLUSTER_HEAD : LCT_CLUSTER_EMBED,
                      first, count, all, width));
    LCT_TRY(lct_net_bind_numbers(&a->head[i].bias, b, LCT_CLUSTER_HEAD, ".bias",
                                 all));
    a->head[i].bias = lct_net_math_at(b->n->math, a->head[i].bias, first);
    if (one && width == b->n->width)
        return LOCANT_OK;
    LCT_TRY(bind_map(&a->in[i], b, LCT_CLUSTER_IN, width, false));
    if (tied_map(k, i))
        return bind_map(&a->out[i], b, LCT_CLUSTER_IN, width, true);
    b->part = i;
    return bind_map(&a->out[i], b, LCT_CLUSTER_OUT, width, true);
}

static locant_status bind_clusters(struct lct_net_adaptive *a,
                                   struct lct_net_binder *b, int64_t width)
{
    if (a->n == 1)
        return LOCANT_OK;
    LCT_TRY(lct_net_bind_matrix(&a->clusters.w, b, LCT_CLUSTERS, "", 2,
                                (int64_t[2]){ a->n - 1, width }));
    LCT_TRY(lct_net_matrix_round(b->n, &a->clusters.w));
    return lct_net_bind_numbers(&a->clusters.bias, b, LCT_CLUSTERS_BIAS, "",
                                a->n - 1);
}

locant_status lct_net_adaptive_bind(struct lct_net *n, struct lct_net_binder *b)
{
    struct lct_net_adaptive *a;
    struct keys k;
    int64_t width;

    if (!lct_net_bind_knows(b, LCT_CLUSTER_EMBED))
        return LOCANT_OK;
    n->adaptive = a = lct_net_keep(n, sizeof(*a));
    LCT_NET_GOT(a);
    LCT_TRY(read_keys(&k, n));
    LCT_TRY(read_cutoffs(a, n));
    width = k.embed;
    for (int i = 0; i < a->n; i++, width /= k.divisor) {
        if (width < 1)
            return bad_cutoffs(n);
        LCT_TRY(bind_cluster(a, b, &k, i, width));
    }
    return bind_clusters(a, b, k.embed);
}

/* ---------------------------------------------------------------- forward */

int64_t lct_net_adaptive_scratch(const struct lct_net *n)
{
    int64_t widest = 0;

    for (int i = 0; i < n->adaptive->n; i++)
        if (n->adaptive->embed[i].in > widest)
            widest = n->adaptive->embed[i].in;
    return widest + LCT_NET_CLUSTERS;
}

void lct_net_adaptive_embed(void *x, int64_t id, void *scratch,
                            struct lct_net_room *room)
{
    const struct lct_net *n = room->n;
    const struct lct_net_adaptive *a = n->adaptive;
    int i = 0;

    while (id >= a->cutoff[i + 1])
        i++;
    if (a->in[i].w.weight == NULL) {
        lct_net_matrix_rows(x, n, &a->embed[i], id - a->cutoff[i], 1);
        return;
    }
    lct_net_matrix_rows(scratch, n, &a->embed[i], id - a->cutoff[i], 1);
    lct_net_linear_forward(x, scratch, 1, &a->in[i], room);
}

static void shift(void *x, int64_t n, const struct lct_net_math *m, double by)
{
    for (int64_t i = 0; i < n; i++)
        m->set(x, i, m->get(x, i) + by);
}

/* Logits of a row become ln p: of tokens of cluster i p(i) p(token | i), where
   cluster 0 has a logit for each token and one for each other cluster. */
static void normalise(void *row, const void *clusters,
                      const struct lct_net_adaptive *a,
                      const struct lct_net_math *m)
{
    const double others =
        a->n > 1 ? m->log_sum(clusters, a->n - 1, -INFINITY) : -INFINITY;
    const double all = m->log_sum(row, a->cutoff[1], others);

    shift(row, a->cutoff[1], m, -all);
    for (int i = 1; i < a->n; i++) {
        const int64_t count = a->cutoff[i + 1] - a->cutoff[i];
        void *tail = lct_net_math_at(m, row, a->cutoff[i]);

        shift(tail, count, m,
              m->get(clusters, i - 1) - all -
                  m->log_sum(tail, count, -INFINITY));
    }
}

void lct_net_adaptive_head(void *out, const void *x, int64_t rows,
                           void *scratch, struct lct_net_room *room)
{
    const struct lct_net *n = room->n;
    const struct lct_net_adaptive *a = n->adaptive;
    const struct lct_net_math *m = n->math;
    void *clusters = scratch;
    void *mapped = lct_net_math_at(m, scratch, rows * LCT_NET_CLUSTERS);

    for (int i = 0; i < a->n; i++) {
        const void *in = x;

        if (a->out[i].w.weight != NULL) {
            lct_net_linear_forward(mapped, x, rows, &a->out[i], room);
            in = mapped;
        }
        lct_net_linear_columns(lct_net_math_at(m, out, a->cutoff[i]), n->vocab,
                               in, rows, &a->head[i], room);
        if (i == 0 && a->n > 1)
            lct_net_linear_columns(clusters, LCT_NET_CLUSTERS, in, rows,
                                   &a->clusters, room);
    }
    for (int64_t r = 0; r < rows; r++)
        normalise(lct_net_math_at(m, out, r * n->vocab),
                  lct_net_math_at(m, clusters, r * LCT_NET_CLUSTERS), a, m);
}
