/*
 * figures_text.c - the attention of a model on a text of the caller: a panel
 * for each layer and head, all on the scale from 0 to 1.
 */
#include "figures_text.h"
#include "../measure/text_weights.h"
#include "../store/run_vocabulary.h"
#include "../train/load_trained.h"
#include "../train/train.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { PANELS = 64, ACROSS = 8 };

/* A model and what it reads. */
struct text_figure {
    const char *fn; /* in error messages */
    const locant_figure_view *view;
    const struct lct_taker *taker;
    struct lct_model *model;
    locant_encoding *encoding; /* of a run; released */
    struct lct_text_tokens tokens;
    int64_t run; /* 0: untrained */
};

/* ------------------------------------------------------------------ drawing */

struct picture {
    locant_figure panel[PANELS];
    struct lct_label title[PANELS], whole;
    const char *name[LCT_TEXT_TOKENS];
};

/* The layers and heads that the view asks for: first, and how many. */
struct chosen {
    int64_t layer, layers, head, heads;
};

static locant_status check_choice(struct chosen *c, const struct text_figure *t)
{
    const struct lct_model_config *m = lct_model_config_of(t->model);
    const locant_figure_view *v = t->view;

    if (v->layer >= m->layers)
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: layer is %" PRId64 ", expected 0 to %" PRId64
                           ", or -1 for all",
                           t->fn, v->layer, m->layers - 1);
    if (v->head < -1 || v->head >= m->heads)
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: head is %" PRId64 ", expected 0 to %" PRId64
                           ", or -1 for all",
                           t->fn, v->head, m->heads - 1);
    *c = (struct chosen){ .layer = v->layer < 0 ? 0 : v->layer,
                          .layers = v->layer < 0 ? m->layers : 1,
                          .head = v->head < 0 ? 0 : v->head,
                          .heads = v->head < 0 ? m->heads : 1 };
    if (c->layers * c->heads > PANELS)
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: %" PRId64 " layers of %" PRId64
                           " heads, expected at most %d panels: choose a layer "
                           "or a head",
                           t->fn, c->layers, c->heads, PANELS);
    return LOCANT_OK;
}

/* Panels large enough for their names and, if they have them, numbers. */
static void set_size(locant_figure *f, int64_t n)
{
    const int64_t side = n <= 16 ? 200 + 12 * n : n < 45 ? 15 * n : 660;
    const int cols = f->panel_cols;
    const int rows = ((int)f->n_panels + cols - 1) / cols;

    f->width = 90 + cols * ((int)side + 50);
    f->height = 70 + rows * ((int)side + 70);
}

static void make_panels(struct picture *p, const struct text_figure *t,
                        const struct chosen *c, const double *weight)
{
    const int64_t n = t->tokens.n;
    const int64_t heads = lct_model_config_of(t->model)->heads;

    for (int64_t i = 0; i < n; i++)
        p->name[i] = t->tokens.label[i];
    for (int64_t i = 0; i < c->layers * c->heads; i++) {
        const int64_t layer = c->layer + i / c->heads;
        const int64_t head = c->head + i % c->heads;
        char number[2][24];
        const char *const text[] = { number[0], number[1] };

        snprintf(number[0], sizeof number[0], "%" PRId64, layer);
        snprintf(number[1], sizeof number[1], "%" PRId64, head);
        lct_messages_label(&p->title[i], MSG_TEXT_PANEL, text);
        p->panel[i] =
            (locant_figure){ .kind = LOCANT_FIGURE_HEATMAP,
                             .title = p->title[i].en,
                             .title_zh = p->title[i].zh,
                             .cells = weight + (layer * heads + head) * n * n,
                             .rows = n,
                             .cols = n,
                             .row_names = p->name,
                             .col_names = p->name,
                             .numbers = 1 };
    }
}

static locant_figure make_figure(struct picture *p, const struct text_figure *t,
                                 const struct chosen *c)
{
    const char *spec =
        locant_encoding_spec(lct_model_config_of(t->model)->encoding);
    locant_figure f = lct_figures_begin(FIG_ATTENTION);
    char run[24];
    const char *const text[] = { spec, run };

    snprintf(run, sizeof run, "%" PRId64, t->run);
    lct_messages_label(
        &p->whole, t->run ? MSG_TEXT_TITLE : MSG_TEXT_TITLE_UNTRAINED, text);
    lct_figures_title_filled(&f, &p->whole);
    f.kind = LOCANT_FIGURE_PANELS;
    f.numbers = 0;
    f.y_max = 1;
    f.panels = p->panel;
    f.n_panels = (size_t)(c->layers * c->heads);
    f.panel_cols = (int)(c->heads > 1 ? c->heads : c->layers);
    if (f.panel_cols > ACROSS)
        f.panel_cols = ACROSS;
    if (c->layers == 1 && c->heads == 4)
        f.panel_cols = 2;
    set_size(&f, t->tokens.n);
    return f;
}

static locant_status draw(const struct text_figure *t)
{
    struct picture *p = NULL;
    struct chosen c = { .layer = 0 };
    double *weight;
    locant_figure f;
    locant_status status;

    LCT_TRY(check_choice(&c, t));
    LCT_TRY(lct_text_measure(&weight, t->model, &t->tokens));
    p = locant_alloc(sizeof *p);
    if (p == NULL) {
        locant_release(weight);
        return locant_fail(LOCANT_ERR_NOMEM, "%s: no memory for panels", t->fn);
    }
    make_panels(p, t, &c, weight);
    f = make_figure(p, t, &c);
    ++*t->taker->taken;
    status = t->taker->take(
        &f, lct_messages_text(MSG_TEXT_ALT, LCT_EN),
        lct_messages_text(
            t->run ? MSG_TEXT_CAPTION : MSG_TEXT_CAPTION_UNTRAINED, LCT_EN),
        t->taker->context);
    locant_release(p);
    locant_release(weight);
    return status;
}

/* ------------------------------------------------------------------- models */

static locant_status check_length(const struct text_figure *t,
                                  const locant_encoding *e)
{
    const int64_t limit = locant_encoding_length_limit(e);

    if (t->tokens.n <= limit)
        return LOCANT_OK;
    return locant_fail(LOCANT_ERR_PARAM,
                       "%s: the text has %" PRId64
                       " tokens, %.200s has %" PRId64 " positions",
                       t->fn, t->tokens.n, locant_encoding_spec(e), limit);
}

static locant_status check_run(const char *fn, const locant_run_info *run)
{
    struct lct_model_config config;

    LCT_TRY(lct_check_done(fn, run));
    LCT_TRY(lct_model_parse(&config, run->model));
    if (strcmp(run->source, "text") != 0)
        return locant_fail(LOCANT_ERR_UNSUPPORTED,
                           "%s: run %" PRId64 " is one of task %s, expected "
                           "one of text",
                           fn, run->id, run->source);
    if (config.memory > 0)
        return locant_fail(LOCANT_ERR_UNSUPPORTED,
                           "%s: run %" PRId64 " remembers %" PRId64
                           " tokens, expected a model without memory",
                           fn, run->id, config.memory);
    return LOCANT_OK;
}

static locant_status load(struct text_figure *t, locant_store *store,
                          const locant_run_info *run)
{
    struct lct_vocabulary *v;
    locant_encoding *e = NULL;
    locant_status status;

    LCT_TRY(lct_run_vocabulary(&v, store, run));
    status =
        lct_text_read(&t->tokens, t->fn, v, t->view->text, t->view->text_size);
    locant_release(v);
    LCT_TRY(status);
    LCT_TRY(lct_encoding_of_run(&e, store, run));
    status = check_length(t, e);
    locant_encoding_free(e);
    LCT_TRY(status);
    return lct_load_trained(&t->model, &t->encoding, store, run, t->tokens.n);
}

locant_status lct_figures_text_of_run(const struct lct_taker *taker,
                                      locant_store *store, int64_t id,
                                      const locant_figure_view *view)
{
    struct text_figure t = { "locant_figure_of_runs", view, taker, .run = id };
    locant_run_info run;
    locant_status status;

    LCT_TRY(locant_store_run(&run, store, id));
    LCT_TRY(check_run(t.fn, &run));
    status = load(&t, store, &run);
    if (status == LOCANT_OK)
        status = draw(&t);
    lct_model_free(t.model);
    locant_encoding_free(t.encoding);
    return status;
}

/* The model that a training with these options begins with. */
static locant_status create_untrained(struct text_figure *t,
                                      const locant_encoding *e)
{
    locant_train_options o = LOCANT_TRAIN_INIT;
    struct lct_model_config config;

    if (t->view->width)
        o.width = t->view->width;
    if (t->view->heads)
        o.heads = t->view->heads;
    o.kv_heads = o.heads;
    o.ff = 4 * o.width;
    if (o.width % o.heads != 0)
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: width is %" PRId64 ", expected a multiple of "
                           "%" PRId64 " heads",
                           t->fn, o.width, o.heads);
    config = lct_train_config(&o, e);
    LCT_TRY(lct_model_create(&t->model, &config, 1, t->tokens.n, false));
    return lct_model_init(t->model, t->view->seed ? t->view->seed : 1);
}

locant_status lct_figures_text_untrained(const struct lct_taker *taker,
                                         const locant_encoding *e,
                                         const locant_figure_view *view)
{
    struct text_figure t = { "locant_figure_of_encoding", view, taker,
                             .run = 0 };
    locant_status status;

    LCT_TRY(lct_text_read(&t.tokens, t.fn, NULL, view->text, view->text_size));
    LCT_TRY(check_length(&t, e));
    status = create_untrained(&t, e);
    if (status == LOCANT_OK)
        status = draw(&t);
    lct_model_free(t.model);
    return status;
}
