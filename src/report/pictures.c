/*
 * pictures.c - the section of one encoding: what the registry says of it, and
 * pictures by the doors it declares.  No encoding is known here by name.
 */
#include "../core/size.h"
#include "page.h"
#include <stdio.h>

static const struct {
    unsigned door;
    const char *name;
    locant_status (*draw)(struct lct_html *, const struct lct_subject *);
} doors[] = {
    { LOCANT_DOOR_INPUT, "input", lct_draw_input },
    { LOCANT_DOOR_ROTATE, "rotate", lct_draw_rotate },
    { LOCANT_DOOR_SCORE, "score", lct_draw_score },
    { LOCANT_DOOR_CONTENT, "content", NULL },
};
enum { DOORS = sizeof doors / sizeof doors[0] };

static void term(struct lct_html *h, const char *name, const char *text,
                 bool code)
{
    if (!text || !*text)
        return;
    lct_html_raw(h, "<dt>");
    lct_html_raw(h, name);
    lct_html_raw(h, code ? "</dt><dd><code>" : "</dt><dd>");
    lct_html_text(h, text);
    lct_html_raw(h, code ? "</code></dd>\n" : "</dd>\n");
}

static void facts(struct lct_html *h, const struct lct_group *g)
{
    const locant_encoding_info *info = g->info;
    char list[64] = "";
    size_t used = 0;

    for (size_t i = 0; i < DOORS; i++)
        if (info->doors & doors[i].door)
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%s",
                                     used ? ", " : "", doors[i].name);
    lct_html_raw(h, "<dl>");
    term(h, "Spec", g->spec, true);
    term(h, "Formula", info->formula, true);
    term(h, "Doors", used ? list : "none: the causal mask alone tells order",
         false);
    term(h, "Source", info->source, false);
    term(h, "Used by", info->used_by, false);
    term(h, "Traps", info->traps, false);
    lct_html_raw(h, "</dl>\n");
}

/* Fresh initial values of every parameter; *n as far as they were made. */
static locant_status make_initial(locant_tensor *initial, int *n,
                                  const struct lct_results *r,
                                  const locant_encoding *e)
{
    locant_param_info info;

    for (*n = 0; *n < 4 && locant_encoding_param(&info, e, *n, r->heads,
                                                 r->width);) {
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

static locant_status draw_doors(struct lct_html *h, const struct lct_results *r,
                                const struct lct_group *g,
                                const locant_encoding *e)
{
    locant_tensor initial[4];
    struct lct_subject s = { .r = r, .g = g, .e = e };
    int n = 0;
    locant_status status = make_initial(initial, &n, r, e);

    s.initial = n > 0 ? initial : NULL;
    s.trained = n > 0 && g->n_params == n ? g->params : NULL;
    for (size_t i = 0; i < DOORS && status == LOCANT_OK; i++) {
        if (!(g->info->doors & doors[i].door))
            continue;
        lct_html_raw(h, "<h4>At the ");
        lct_html_raw(h, doors[i].name);
        lct_html_raw(h, " door</h4>\n");
        if (doors[i].draw)
            status = doors[i].draw(h, &s);
        else
            lct_html_raw(h, "<p>What enters here depends on the text, so there "
                            "is no picture without one.</p>\n");
    }
    for (int i = 0; i < n; i++)
        locant_release(initial[i].data);
    return status;
}

locant_status lct_page_encoding(struct lct_html *h, const struct lct_results *r,
                                size_t i)
{
    const struct lct_group *g = &r->groups[i];
    locant_encoding *e = NULL;
    locant_status status;
    char id[32];

    snprintf(id, sizeof id, "encoding-%zu", i + 1);
    lct_html_raw(h, "<section class=\"card\" id=\"");
    lct_html_raw(h, id);
    lct_html_raw(h, "\"><h3>");
    lct_html_text(h, g->info ? g->info->title : g->spec);
    lct_html_raw(h, "</h3>\n");
    if (g->info)
        facts(h, g);
    status = locant_encoding_create(&e, g->spec);
    if (status == LOCANT_OK && g->info)
        status = draw_doors(h, r, g, e);
    locant_encoding_free(e);
    /* A page about runs on file must not fall with one encoding that this
       build cannot draw: it says why there is no picture. */
    if (status != LOCANT_OK && status != LOCANT_ERR_NOMEM) {
        lct_html_raw(h, "<p>No pictures: ");
        lct_html_text(h, locant_last_error());
        lct_html_raw(h, "</p>\n");
        status = LOCANT_OK;
    }
    lct_html_raw(h, "</section>\n");
    return status;
}
