/*
 * picture_maps.c - attention of trained models on one text: one head of each
 * encoding before training, after it, and on longer texts; and small maps of
 * all heads of all layers.  Each figure has one colour scale.  Also how large
 * each rotated channel pair is in the queries and keys of every head.
 */
#include "../corpus/corpus.h"
#include "../measure/probe.h"
#include "page.h"
#include "probe_points.h"
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MAPS = 4, ACROSS = 2, GAP = 2, SMALL = 16 };

/* The maps in the figure of one head, by rows. */
static const char *const places[MAPS] = { "initial", "trained", "fourfold",
                                          "long" };

/* The maps of a group, all of the same size; map[k] is NULL if missing. */
struct maps {
    const json_t *map[MAPS];
    int64_t rows, bins, layers, heads;
};

static int64_t whole_of(const json_t *from, const char *key)
{
    return json_integer_value(json_object_get(from, key));
}

/* false: there is no map that can be drawn. */
static bool read_maps(struct maps *m, const struct lct_results *r,
                      const struct lct_group *g)
{
    const json_t *all = json_object_get(g->probe, "maps");
    const json_t *any = json_object_get(all, "trained");
    size_t heads = json_array_size(json_object_get(any, "heads"));

    *m = (struct maps){ .rows = whole_of(any, "rows"),
                        .bins = whole_of(any, "bins"),
                        .heads = r->heads };
    if (m->rows < 1 || m->bins < 1 || m->heads < 1 || heads == 0 ||
        heads % (size_t)m->heads != 0)
        return false;
    m->layers = (int64_t)heads / m->heads;
    for (int k = 0; k < MAPS; k++) {
        const json_t *map = json_object_get(all, places[k]);

        if (whole_of(map, "rows") == m->rows &&
            whole_of(map, "bins") == m->bins &&
            json_array_size(json_object_get(map, "heads")) == heads)
            m->map[k] = map;
    }
    return true;
}

/* Weight of key bin j; NAN if it is in the future or the map is missing. */
static double weight(const struct maps *m, int k, size_t head, int64_t i,
                     int64_t j)
{
    const json_t *values =
        json_array_get(json_object_get(m->map[k], "heads"), head);

    if (j > i || m->map[k] == NULL)
        return NAN;
    return lct_page_real(json_array_get(values, (size_t)(i * m->bins + j))) /
           1000;
}

/* ----------------------------------------------------------------- one head */

/* The head to show, counted through all layers: number 'chosen' or, if that is
   negative, the head with the shortest mean distance after training. */
static size_t head_of(const struct json_t *probe, int64_t chosen)
{
    double distance[LCT_POINTS];
    static const struct lct_points reach = { LCT_POINTS_HEADS,
                                             "attention.trained",
                                             .key = "distance" };
    const size_t n = lct_points_of(NULL, distance, &reach, probe);
    size_t best = 0;

    if (chosen >= 0 && (size_t)chosen < n)
        return (size_t)chosen;
    for (size_t i = 1; i < n; i++)
        best = distance[i] < distance[best] ? i : best;
    return best;
}

static locant_status show_head(struct lct_html *h, const struct lct_results *r,
                               const double *cells, const int64_t shape[2],
                               size_t head)
{
    locant_figure f = lct_figures_begin(FIG_MAPS);
    char layer[24], number[24];
    const char *const text[] = { layer, number };

    snprintf(layer, sizeof layer, "%zu", head / (size_t)r->heads);
    snprintf(number, sizeof number, "%zu", head % (size_t)r->heads);
    lct_figures_map(&f, cells, shape[0], shape[1]);
    return lct_page_figure_with(h, r, FIG_MAPS, &f, MSG_NONE, text, NULL);
}

static locant_status draw_head(struct lct_html *h, const struct lct_results *r,
                               const struct maps *m, size_t head)
{
    const int64_t shape[2] = { 2 * m->rows + GAP, ACROSS * m->bins + GAP };
    double *cells;
    locant_status status;

    if (!lct_page_wants(h, FIG_MAPS))
        return LOCANT_OK;
    LCT_TRY(lct_page_allocate(&cells, (size_t)(shape[0] * shape[1])));
    for (int64_t i = 0; i < shape[0] * shape[1]; i++)
        cells[i] = NAN;
    for (int k = 0; k < MAPS; k++)
        for (int64_t i = 0; i < m->rows; i++)
            for (int64_t j = 0; j < m->bins; j++)
                cells[(k / ACROSS * (m->rows + GAP) + i) * shape[1] +
                      k % ACROSS * (m->bins + GAP) + j] =
                    weight(m, k, head, i, j);
    status = show_head(h, r, cells, shape, head);
    locant_release(cells);
    return status;
}

/* --------------------------------------------------------------- all heads */

/* A cell of a SMALL x SMALL map: the sum over a group of key bins, averaged
   over a group of queries. */
static double small_weight(const struct maps *m, size_t head, int64_t i,
                           int64_t j)
{
    const int64_t down = m->rows / SMALL, across = m->bins / SMALL;
    double sum = 0;

    if (j > i)
        return NAN;
    for (int64_t a = i * down; a < (i + 1) * down; a++)
        for (int64_t b = j * across; b < (j + 1) * across; b++)
            sum += b > a ? 0 : weight(m, 1, head, a, b);
    return sum / (double)down;
}

static locant_status show_all(struct lct_html *h, const struct lct_results *r,
                              const double *cells, const int64_t shape[2])
{
    locant_figure f = lct_figures_begin(FIG_HEADS);

    f.height = 84 + (int)(320 * shape[0] / shape[1]); /* square maps */
    lct_figures_map(&f, cells, shape[0], shape[1]);
    f.x_step = f.y_step = 1. / (SMALL + 1); /* whole numbers at centres */
    f.x_first = f.y_first = -(SMALL - 1) * f.x_step / 2;
    return lct_page_figure(h, r, FIG_HEADS, &f);
}

static locant_status draw_all(struct lct_html *h, const struct lct_results *r,
                              const struct maps *m)
{
    const int64_t step = SMALL + 1;
    const int64_t shape[2] = { m->layers * step - 1, m->heads * step - 1 };
    double *cells;
    locant_status status;

    if (!lct_page_wants(h, FIG_HEADS) || m->rows % SMALL != 0 ||
        m->bins % SMALL != 0)
        return LOCANT_OK;
    LCT_TRY(lct_page_allocate(&cells, (size_t)(shape[0] * shape[1])));
    for (int64_t i = 0; i < shape[0]; i++)
        for (int64_t j = 0; j < shape[1]; j++)
            cells[i * shape[1] + j] =
                i % step == SMALL || j % step == SMALL
                    ? NAN
                    : small_weight(m, (size_t)(i / step * m->heads + j / step),
                                   i % step, j % step);
    status = show_all(h, r, cells, shape);
    locant_release(cells);
    return status;
}

/* ------------------------------------------------------------------- usage */

/* A row for the queries of each head and, below, one for its keys. */
static const char *const sides[] = { "q", "k" };

static double norm_of(const json_t *heads, int64_t head, int side, int64_t pair)
{
    return lct_page_real(json_array_get(
        json_object_get(json_array_get(heads, (size_t)head), sides[side]),
        (size_t)pair));
}

static locant_status draw_usage(struct lct_html *h, const struct lct_results *r,
                                const struct lct_group *g)
{
    const json_t *of = json_object_get(g->probe, "usage");
    const json_t *list = json_object_get(of, "heads");
    const int64_t heads = (int64_t)json_array_size(list);
    const int64_t pairs =
        (int64_t)json_array_size(json_object_get(of, "frequency"));
    const int64_t rows = 2 * heads + 1;
    locant_figure f = lct_figures_begin(FIG_USAGE_HEADS);
    double *cells;
    locant_status status;

    if (heads == 0 || pairs == 0 || !lct_page_wants(h, FIG_USAGE_HEADS))
        return LOCANT_OK;
    LCT_TRY(lct_page_allocate(&cells, (size_t)(rows * pairs)));
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < pairs; j++)
            cells[i * pairs + j] =
                i == heads ? NAN
                           : norm_of(list, i < heads ? i : i - heads - 1,
                                     i > heads, j);
    f.height = 110 + 14 * (int)rows;
    lct_figures_map(&f, cells, rows, pairs);
    status = lct_page_figure(h, r, FIG_USAGE_HEADS, &f);
    locant_release(cells);
    return status;
}

/* ------------------------------------------------------------------- public */

static locant_status draw_group(struct lct_html *h, const struct lct_results *r,
                                const struct lct_group *g, int64_t chosen)
{
    struct maps m;
    locant_status status;

    if (!read_maps(&m, r, g))
        return LOCANT_OK;
    lct_html_print(h, "<div class=\"heads\"><h4><code>%s</code></h4>\n",
                   g->spec);
    status = draw_all(h, r, &m);
    if (status == LOCANT_OK)
        status = draw_head(h, r, &m, head_of(g->probe, chosen));
    if (status == LOCANT_OK)
        status = draw_usage(h, r, g);
    lct_html_raw(h, "</div>\n");
    return status;
}

locant_status lct_page_maps(struct lct_html *h, const struct lct_results *r,
                            int64_t head)
{
    locant_status status = LOCANT_OK;

    if (!lct_page_wants(h, FIG_MAPS) && !lct_page_wants(h, FIG_HEADS) &&
        !lct_page_wants(h, FIG_USAGE_HEADS))
        return LOCANT_OK;
    for (size_t i = 0; i < r->n && status == LOCANT_OK; i++)
        if (r->groups[i].probe)
            status = draw_group(h, r, &r->groups[i], head);
    return status;
}

/* The cells of all heads that are not in the future, in thousandths, as two
   base64 digits each. */
static void put_cells(struct lct_html *h, const struct maps *m, int k)
{
    static const char digits[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

    for (int64_t n = 0; n < m->layers * m->heads; n++)
        for (int64_t i = 0; i < m->rows; i++)
            for (int64_t j = 0; j <= i && j < m->bins; j++) {
                const double w = weight(m, k, (size_t)n, i, j);
                const long v =
                    isfinite(w) ? lrint(1000 * fmin(fmax(w, 0), 4)) : 4095;
                const char two[2] = { digits[v >> 6 & 63], digits[v & 63] };

                lct_html_append(h, two, 2);
            }
}

static void put_group(struct lct_html *h, const struct maps *m)
{
    lct_html_print(h,
                   "{\"layers\":%" PRId64 ",\"heads\":%" PRId64
                   ",\"rows\":%" PRId64 ",\"bins\":%" PRId64,
                   m->layers, m->heads, m->rows, m->bins);
    for (int k = 0; k < MAPS; k++) {
        if (m->map[k] == NULL)
            continue;
        lct_html_print(h, ",\"%s\":{\"length\":%" PRId64 ",\"cells\":\"",
                       places[k], whole_of(m->map[k], "length"));
        put_cells(h, m, k);
        lct_html_raw(h, "\"}");
    }
    lct_html_raw(h, "}");
}

/* Whether there are probes and all read this text.  A probe of an older build
   may have read another. */
static bool all_read(const struct lct_results *r, const char *sha256)
{
    bool any = false;

    for (size_t i = 0; i < r->n; i++) {
        const char *own = json_string_value(
            json_object_get(r->groups[i].probe, "text_sha256"));

        if (r->groups[i].probe && (own == NULL || strcmp(own, sha256) != 0))
            return false;
        any |= own != NULL;
    }
    return any;
}

/* The bytes of each token of that text, of all groups; NULL: one each. */
static const json_t *spans_of(const struct lct_results *r)
{
    const json_t *spans = NULL;

    for (size_t i = 0; i < r->n && spans == NULL; i++)
        spans = json_object_get(r->groups[i].probe, "spans");
    return spans;
}

static void put_spans(struct lct_html *h, const json_t *spans)
{
    const json_t *one;
    size_t i;

    lct_html_raw(h, ",\n\"spans\":[");
    json_array_foreach(spans, i, one)
        lct_html_print(h, "%s%lld", i ? "," : "",
                       (long long)json_integer_value(one));
    lct_html_raw(h, "]");
}

/* The text that the models read, from its first byte, to make the maps. */
static void put_text(struct lct_html *h, const struct lct_results *r)
{
    const json_t *spans = spans_of(r), *one;
    size_t bytes = spans ? 0 : LCT_PROBE_LONG, i;
    locant_corpus *text;

    json_array_foreach(spans, i, one)
        bytes += (size_t)json_integer_value(one);
    if (lct_probe_create_text(&text) != LOCANT_OK) {
        h->failed = true;
        return;
    }
    if (bytes <= lct_corpus_split(text, LCT_TRAIN)->size &&
        all_read(r, locant_corpus_info_of(text)->sha256))
        lct_html_base64(h, lct_corpus_split(text, LCT_TRAIN)->bytes, bytes);
    locant_corpus_free(text);
}

void lct_page_maps_data(struct lct_html *h, const struct lct_results *r)
{
    struct maps m;
    bool first = true;

    lct_html_raw(h, "\"text\":\"");
    put_text(h, r);
    lct_html_raw(h, "\"");
    if (spans_of(r))
        put_spans(h, spans_of(r));
    lct_html_raw(h, ",\n\"maps\":[");
    for (size_t i = 0; i < r->n; i++) {
        if (r->groups[i].probe == NULL || !read_maps(&m, r, &r->groups[i]))
            continue;
        lct_html_raw(h, first ? "" : ",\n");
        put_group(h, &m);
        first = false;
    }
    lct_html_raw(h, "]");
}
