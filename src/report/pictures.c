/*
 * pictures.c - the section of one encoding: its facts from the registry, and
 * pictures for each door that it has.  No encoding is named here.
 */
#include "../core/size.h"
#include "page.h"
#include "html_message.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const struct {
    unsigned door;
    const char *of; /* which figures: see figures.def */
    enum lct_message name, heading;
    locant_status (*draw)(struct lct_html *, const struct lct_subject *);
} doors[] = {
    { LOCANT_DOOR_INPUT, "input", MSG_DOOR_INPUT, MSG_AT_INPUT,
      lct_draw_input },
    { LOCANT_DOOR_ROTATE, "rotate", MSG_DOOR_ROTATE, MSG_AT_ROTATE,
      lct_draw_rotate },
    { LOCANT_DOOR_SCORE, "score", MSG_DOOR_SCORE, MSG_AT_SCORE,
      lct_draw_score },
    { LOCANT_DOOR_CONTENT, "content", MSG_DOOR_CONTENT, MSG_AT_CONTENT,
      lct_draw_content },
};
enum { DOORS = sizeof doors / sizeof doors[0] };

/* Names, formulas and citations are not translated. */
static void put_fact(struct lct_html *h, enum lct_message name,
                     const char *text, const char *element)
{
    if (!text || !*text)
        return;
    lct_html_message_in(h, "<dt>", name, "</dt><dd>");
    if (element)
        lct_html_print(h, "<%s>%s</%s>", element, text, element);
    else
        lct_html_message_translated(h, text);
    lct_html_raw(h, "</dd>\n");
}

void lct_page_doors(struct lct_html *h, unsigned set)
{
    bool first = true;

    for (size_t i = 0; i < DOORS; i++) {
        if (!(set & doors[i].door))
            continue;
        lct_html_raw(h, first ? "" : ", ");
        lct_html_message(h, doors[i].name);
        first = false;
    }
    if (first)
        lct_html_message(h, MSG_NO_DOOR);
}

static void facts(struct lct_html *h, const struct lct_group *g)
{
    const locant_encoding_info *info = g->info;

    lct_html_raw(h, "<dl>");
    put_fact(h, MSG_SPEC, g->spec, "code");
    put_fact(h, MSG_FORMULA, info->formula, "code");
    lct_html_message_in(h, "<dt>", MSG_FACT_DOORS, "</dt><dd>");
    lct_page_doors(h, g->doors);
    lct_html_raw(h, "</dd>\n");
    put_fact(h, MSG_FACT_SOURCE, info->source, "cite");
    put_fact(h, MSG_FACT_USED_BY, info->used_by, NULL);
    put_fact(h, MSG_FACT_PITFALLS, info->pitfalls, NULL);
    lct_html_raw(h, "</dl>\n");
}

/* Initial values of every parameter; *n counts those made, also on failure. */
static locant_status make_initial(locant_tensor *initial, int *n,
                                  const struct lct_results *r,
                                  const locant_encoding *e)
{
    locant_param_info info;
    const locant_sizes sizes = { .width = r->width,
                                 .heads = r->heads,
                                 .head_dim = r->width / r->heads };

    for (*n = 0; *n < LCT_GROUP_PARAMS &&
                 locant_encoding_param(&info, e, *n, &sizes);) {
        size_t bytes;
        void *data = lct_array_bytes(&bytes, info.shape, info.rank, 4)
                         ? locant_alloc(bytes ? bytes : 1)
                         : NULL;
        if (!data)
            return locant_fail(LOCANT_ERR_NOMEM,
                               "report: no memory for parameter %s", info.name);
        initial[*n] = locant_dense(data, LOCANT_F32, info.rank, info.shape);
        (*n)++;
        LCT_TRY(locant_encoding_param_init(&initial[*n - 1], e, *n - 1, 1));
    }
    return LOCANT_OK;
}

/* Whether to draw figures of kind 'of': for a page, or if one is asked for. */
static bool wanted(const struct lct_html *h, const char *of)
{
    return h->taker == NULL ||
           strcmp(locant_figure_at((int)h->taker->id)->of, of) == 0;
}

/* Pictures of the encoding of one layer. */
static locant_status draw_doors(struct lct_html *h, const struct lct_subject *s)
{
    locant_status status = lct_draw_order(h, s);

    for (size_t i = 0; i < DOORS && status == LOCANT_OK; i++) {
        if (!wanted(h, doors[i].of) ||
            !(locant_encoding_doors(s->e) & doors[i].door))
            continue;
        lct_html_message_in(h, "<h4>", doors[i].heading, "</h4>\n");
        status = doors[i].draw(h, s);
    }
    if (status != LOCANT_OK || !wanted(h, "hook"))
        return status;
    return lct_draw_hooks(h, s);
}

/* Whether an earlier layer uses 'part' as well. */
static bool drawn_before(const locant_encoding *e, int64_t layer,
                         int64_t layers, const locant_encoding *part)
{
    for (int64_t l = 0; l < layer; l++)
        if (locant_encoding_layer_of(NULL, e, l, layers) == part)
            return true;
    return false;
}

/* A block for each different layer, or one for all layers. */
static locant_status draw_layers(struct lct_html *h,
                                 const struct lct_subject *all)
{
    const int64_t layers = all->r->layers > 0 ? all->r->layers : 1;
    locant_status status = LOCANT_OK;

    for (int64_t l = 0; l < layers && status == LOCANT_OK; l++) {
        struct lct_subject s = *all;
        char layer[24];
        int first;

        s.e = locant_encoding_layer_of(&first, all->e, l, layers);
        if (drawn_before(all->e, l, layers, s.e))
            continue;
        s.initial = s.initial == NULL ? NULL : s.initial + first;
        s.trained = s.trained == NULL ? NULL : s.trained + first;
        if (s.e != all->e) {
            const char *at[2] = { layer, locant_encoding_spec(s.e) };
            snprintf(layer, sizeof layer, "%lld", (long long)l);
            lct_html_raw(h, "<h4>");
            lct_html_message_values(h, s.r, MSG_FROM_LAYER, at);
            lct_html_raw(h, "</h4>\n");
        }
        status = draw_doors(h, &s);
    }
    return status;
}

locant_status lct_draw_pictures(struct lct_html *h, const struct lct_results *r,
                                const struct lct_group *g,
                                const locant_encoding *e,
                                const locant_figure_view *view)
{
    locant_tensor initial[LCT_GROUP_PARAMS];
    struct lct_subject_memory memory = { NULL };
    struct lct_subject s = { LOCANT_FIGURE_VIEW_INIT, r, g, e,
                             .memory = &memory };
    int n = 0;
    locant_status status = make_initial(initial, &n, r, e);

    if (view)
        s.view = *view;
    s.initial = n > 0 ? initial : NULL;
    s.trained = n > 0 && g->n_params == n ? g->params : NULL;
    if (status == LOCANT_OK)
        status = draw_layers(h, &s);
    for (int i = 0; i < n; i++)
        locant_release(initial[i].data);
    return status;
}

static locant_status card(struct lct_html *h, const struct lct_results *r,
                          size_t i)
{
    const struct lct_group *g = &r->groups[i];
    locant_encoding *e = NULL;
    locant_status status;

    lct_html_print(h, "<section class=\"card\" id=\"encoding-%zu\"", i + 1);
    status = locant_encoding_create(&e, g->spec);
    /* a table with a last row, which the script may extrapolate */
    if (status == LOCANT_OK && g->info && g->info->traits & LOCANT_TRAIT_LIMIT)
        lct_html_print(h, " data-reach=\"%" PRId64 "\"",
                       locant_encoding_length_limit(e));
    lct_html_raw(h, "><h3>");
    if (g->info)
        lct_html_message_translated(h, g->info->title);
    else
        lct_html_text(h, g->spec);
    lct_html_raw(h, "</h3>\n");
    if (g->info)
        facts(h, g);
    if (status == LOCANT_OK && g->info)
        status = lct_draw_pictures(h, r, g, e, NULL);
    locant_encoding_free(e);
    /* If this build cannot draw one encoding of a stored run, the page explains
       that and goes on. */
    if (status != LOCANT_OK && status != LOCANT_ERR_NOMEM) {
        const char *why = locant_last_error();
        lct_html_raw(h, "<p>");
        lct_html_message_values(h, r, MSG_NO_PICTURES, &why);
        lct_html_raw(h, "</p>\n");
        status = LOCANT_OK;
    }
    lct_html_raw(h, "</section>\n");
    return status;
}

locant_status lct_page_encodings(struct lct_html *h,
                                 const struct lct_results *r)
{
    for (size_t i = 0; i < r->n; i++)
        LCT_TRY(card(h, r, i));
    return LOCANT_OK;
}
