/* figures_draw.c - draws one figure by name, of an encoding or of runs */
#include "../measure/results_tasks.h"
#include "../measure/results.h"
#include "figures.h"
#include "figures_tasks.h"
#include "figures_text.h"
#include "page.h"
#include "page_extension.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* LCT_FIGURES if no figure has that name. */
static enum lct_figure_id find(const char *name)
{
    int id = 0;

    while (id < LCT_FIGURES && strcmp(lct_figures[id].info.name, name) != 0)
        id++;
    return (enum lct_figure_id)id;
}

static const char *of(enum lct_figure_id id)
{
    return lct_figures[id].info.of;
}

static const char *name_of(enum lct_figure_id id)
{
    return lct_figures[id].info.name;
}

/* ------------------------------------------------------------------- checks */

static locant_status check_number(const char *fn, const char *what,
                                  int64_t value, int64_t most)
{
    if (value < 0 || value > most)
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: %s is %" PRId64 ", expected 0 to %" PRId64, fn,
                           what, value, most);
    return LOCANT_OK;
}

static locant_status check_view(const char *fn, const locant_figure_view *v)
{
    if (v->struct_size != sizeof *v)
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: struct_size is %zu, expected %zu: start from "
                           "LOCANT_FIGURE_VIEW_INIT",
                           fn, v->struct_size, sizeof *v);
    LCT_TRY(check_number(fn, "length", v->length, 4096));
    LCT_TRY(check_number(fn, "position", v->position, INT64_C(1) << 40));
    LCT_TRY(check_number(fn, "trained", v->trained, 1 << 20));
    LCT_TRY(check_number(fn, "width", v->width, 1024));
    LCT_TRY(check_number(fn, "heads", v->heads, 64));
    if (v->length == 1)
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: length is 1, expected 0 or 2 to 4096", fn);
    if (v->layer < -1 || (v->layer >= 0 && v->text == NULL))
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: layer is %" PRId64 ", expected -1%s", fn,
                           v->layer, v->text ? " or more" : " without a text");
    if (!(v->factor >= 0) || v->factor > 1e6)
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: factor is %g, expected 0 to 1e6", fn,
                           v->factor);
    return LOCANT_OK;
}

static locant_status check(enum lct_figure_id *id, const char *fn,
                           const char *name, const locant_figure_view *view)
{
    if (!name || !view)
        return locant_fail(LOCANT_ERR_NULL, "%s: %s is NULL", fn,
                           name ? "view" : "name");
    *id = find(name);
    if (*id == LCT_FIGURES)
        return locant_fail(LOCANT_ERR_PARAM, "%s: there is no figure '%.40s'",
                           fn, name);
    if (view->text && *id != FIG_ATTENTION)
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: '%s' shows no text: that is for 'attention'",
                           fn, name);
    return check_view(fn, view);
}

/* Which encodings have the figures of a kind, for error messages. */
static const struct {
    const char *of, *encodings;
} kinds[] = {
    { "hook", "that choose positions, hide keys or scale scores" },
    { "any", "that are defined for every key" },
    { "rotate", "that rotate queries and keys in that way" },
    { "input", "that add vectors to the input" },
    { "score", "that add a bias to scores" },
    { "content", "that read queries and keys" },
};

/* The error message for a figure that this encoding does not have. */
static locant_status missing(const char *fn, enum lct_figure_id id,
                             const char *spec)
{
    size_t i = 0;

    while (i + 1 < sizeof kinds / sizeof kinds[0] &&
           strcmp(kinds[i].of, of(id)) != 0)
        i++;
    return locant_fail(
        LOCANT_ERR_PARAM,
        "%s: '%s' is not a figure of %.200s: it is of encodings "
        "%s",
        fn, name_of(id), spec,
        id == FIG_TERMS     ? "whose scores are four terms: transformer-xl"
        : id == FIG_GRID    ? "that rotate by two coordinates, as rope2d"
        : id == FIG_BUCKETS ? "that sort distances into buckets, as t5"
        : id == FIG_HEAD_SLOPES
            ? "whose bias falls in proportion to the distance, as alibi"
        : id == FIG_BIAS_INITIAL
            ? "that learn the bias they add to scores, and of "
              "their runs alone"
            : kinds[i].encodings);
}

/* --------------------------------------------------------- of an encoding */

static locant_status draw_one(const char *fn, enum lct_figure_id id,
                              const struct lct_results *r, struct lct_group *g,
                              const locant_encoding *e,
                              const locant_figure_view *view,
                              const struct lct_taker *taker)
{
    struct lct_html h = { .tokens = r->vocabulary != 0, .taker = taker };
    locant_status status;

    if (view->head < -1 || view->head >= r->heads)
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: head is %" PRId64 ", expected 0 to %" PRId64
                           ", or -1 for all",
                           fn, view->head, r->heads - 1);
    if (r->heads < 1 || r->width % r->heads != 0)
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: width is %" PRId64 ", expected a multiple of "
                           "%" PRId64 " heads",
                           fn, r->width, r->heads);
    status = lct_draw_pictures(&h, r, g, e, view);
    lct_html_free(&h);
    if (status == LOCANT_OK && *taker->taken == 0)
        status = missing(fn, id, g->spec);
    return status;
}

locant_status locant_figure_of_encoding(const char *name,
                                        const locant_encoding *e,
                                        const locant_figure_view *view,
                                        locant_figure_taker take, void *context)
{
    static const char fn[] = "locant_figure_of_encoding";
    enum lct_figure_id id;
    struct lct_results r = { .layers = 1, .n = 1 };
    struct lct_group g = { .n = 0 };
    locant_encoding *resolved;
    int taken = 0;
    struct lct_taker taker = { LCT_FIGURES, take, context, &taken, 0, LCT_EN };
    locant_status status;

    if (!e || !take)
        return locant_fail(LOCANT_ERR_NULL, "%s: %s is NULL", fn,
                           e ? "take" : "e");
    LCT_TRY(check(&id, fn, name, view));
    taker.id = id;
    taker.language = view->chinese ? LCT_ZH : LCT_EN;
    if (strcmp(of(id), "runs") == 0 || strcmp(of(id), "report") == 0)
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: '%s' is a figure of runs, not of an encoding",
                           fn, name);
    r.trained_length = view->trained ? view->trained : 128;
    r.heads = view->heads ? view->heads : 4;
    r.width = view->width ? view->width : 64;
    r.groups = &g;
    LCT_TRY(locant_encoding_resolve(&resolved, e, r.trained_length));
    if (view->text) {
        status = lct_figures_text_untrained(&taker, resolved, view);
        locant_encoding_free(resolved);
        return status;
    }
    snprintf(g.spec, sizeof g.spec, "%s", locant_encoding_spec(resolved));
    g.info = locant_encoding_info_of(resolved);
    g.doors = locant_encoding_doors(resolved);
    g.traits = locant_encoding_traits(resolved);
    status = draw_one(fn, id, &r, &g, resolved, view, &taker);
    locant_encoding_free(resolved);
    return status;
}

/* ------------------------------------------------------------------ of runs */

static bool evaluated(const struct lct_results *r)
{
    for (size_t i = 0; i < r->n; i++)
        for (size_t s = 0; s < r->groups[i].n; s++)
            if (r->groups[i].results[s].block_loss)
                return true;
    return false;
}

static bool is_of_tasks(enum lct_figure_id id)
{
    return id >= FIG_TASK_SCORES && id <= FIG_TASK_DEPTHS;
}

/* Figures over training steps: they need no finished run. */
static bool is_of_steps(enum lct_figure_id id)
{
    return id >= FIG_TRAINING && id <= FIG_GRADIENT_OWN;
}

static locant_status draw_tasks(struct lct_html *h, struct lct_results *r)
{
    const enum lct_figure_id id = h->taker->id;

    for (size_t t = 0; t < lct_page_size(r, "tasks"); t++)
        LCT_TRY(lct_page_task_figures(h, r, t));
    if (*h->taker->taken > 0)
        return LOCANT_OK;
    return locant_fail(LOCANT_ERR_PARAM,
                       "locant_figure_of_runs: '%s' is of runs of %s that were "
                       "scored%s: 'locant eval' does that",
                       name_of(id),
                       id == FIG_TASK_DEPTHS ? "T12"
                       : id == FIG_TASK_PLACES
                           ? "a task with places ('locant tasks --json')"
                           : "a task",
                       h->taker->length > 0 ? " at that length" : "");
}

/* The error message for runs that 'locant VERB' has not processed yet. */
static locant_status not_processed(enum lct_figure_id id, const char *done,
                                   const char *verb)
{
    return locant_fail(LOCANT_ERR_PARAM,
                       "locant_figure_of_runs: '%s' is of runs that were %s: "
                       "'locant %s' does that",
                       name_of(id), done, verb);
}

/* Computes the same document of numbers as the page does. */
static locant_status draw_runs(struct lct_html *h, struct lct_results *r,
                               enum lct_figure_id id, int64_t head)
{
    if (id <= FIG_PROTOCOLS && !evaluated(r))
        return not_processed(id, "evaluated", "eval");
    if (id >= FIG_ENTROPY && id <= FIG_LEARNING && !lct_page_probed(r))
        return not_processed(id, "probed", "probe");
    if (id == FIG_MAPS || id == FIG_HEADS || id == FIG_USAGE_HEADS)
        return lct_page_maps(h, r, head);
    LCT_TRY(lct_numbers_create(&r->numbers, r));
    return is_of_tasks(id)       ? draw_tasks(h, r)
           : is_of_steps(id)     ? lct_page_training(h, r)
           : id <= FIG_CLOSE_UP  ? lct_page_lengths(h, r, id)
           : id == FIG_POSITION  ? lct_page_positions(h, r)
           : id == FIG_PROTOCOLS ? lct_page_protocols(h, r)
                                 : lct_page_probes(h, r);
}

/* A figure of a long job, from the numbers that the store kept. */
static locant_status draw_report(struct lct_html *h, struct lct_results *r,
                                 locant_store *store, const int64_t *runs,
                                 size_t n, const locant_figure_view *view)
{
    const enum lct_figure_id id = h->taker->id;
    const bool surface = id == FIG_SURFACE;

    LCT_TRY(lct_section_read(&r->numbers, store,
                             surface ? "surface" : "extension", runs, n));
    LCT_TRY(surface ? lct_page_surface_maps(h, r, view->encoding)
                    : lct_page_extension_figures(h, r));
    if (*h->taker->taken > 0)
        return LOCANT_OK;
    if (view->encoding && !lct_page_surface_has(r, view->encoding))
        return locant_fail(LOCANT_ERR_PARAM,
                           "locant_figure_of_runs: '%s' has no encoding "
                           "'%.200s'",
                           name_of(id), view->encoding);
    return locant_fail(LOCANT_ERR_PARAM,
                       "locant_figure_of_runs: '%s' has "
                       "nothing to show: the loss of every run stopped being "
                       "finite",
                       name_of(id));
}

static locant_status draw_of_runs(struct lct_html *h, struct lct_results *r,
                                  locant_store *store, const int64_t *runs,
                                  size_t n, const locant_figure_view *view)
{
    const enum lct_figure_id id = h->taker->id;

    LCT_TRY(lct_results_of_runs(r, store, runs, n, !is_of_steps(id)));
    h->tokens = r->vocabulary != 0;
    if (is_of_tasks(id))
        LCT_TRY(lct_results_read_tasks_of(r, store, runs, n));
    LCT_TRY(draw_runs(h, r, id, view->head));
    if (*h->taker->taken == 0)
        return locant_fail(LOCANT_ERR_PARAM,
                           "locant_figure_of_runs: '%s' has "
                           "nothing to show of these runs",
                           name_of(id));
    return LOCANT_OK;
}

/* A figure of the encoding of the first run, with its parameters. */
static locant_status draw_first_run(struct lct_html *h, struct lct_results *r,
                                    locant_store *store, const int64_t *runs,
                                    size_t n, const locant_figure_view *view)
{
    locant_encoding *e = NULL;
    locant_status status;

    LCT_TRY(lct_results_of_runs(r, store, runs, n, true));
    LCT_TRY(locant_encoding_create(&e, r->groups[0].spec));
    status = draw_one("locant_figure_of_runs", h->taker->id, r, &r->groups[0],
                      e, view, h->taker);
    locant_encoding_free(e);
    return status;
}

locant_status locant_figure_of_runs(const char *name, locant_store *store,
                                    const int64_t *runs, size_t n,
                                    const locant_figure_view *view,
                                    locant_figure_taker take, void *context)
{
    enum lct_figure_id id;
    struct lct_results r = { .n = 0 };
    int taken = 0;
    struct lct_taker taker = {
        LCT_FIGURES, take, context, &taken, view ? view->length : 0, LCT_EN
    };
    struct lct_html h = { .taker = &taker };
    locant_status status;

    if (!store || !runs || !take)
        return locant_fail(LOCANT_ERR_NULL, "%s: %s is NULL", __func__,
                           !store ? "store"
                           : runs ? "take"
                                  : "runs");
    LCT_TRY(check(&id, __func__, name, view));
    taker.id = id;
    taker.language = view->chinese ? LCT_ZH : LCT_EN;
    if (view->text && n > 0)
        status = lct_figures_text_of_run(&taker, store, runs[0], view);
    else if (strcmp(of(id), "report") == 0)
        status = draw_report(&h, &r, store, runs, n, view);
    else if (strcmp(of(id), "runs") == 0)
        status = draw_of_runs(&h, &r, store, runs, n, view);
    else
        status = draw_first_run(&h, &r, store, runs, n, view);
    lct_html_free(&h);
    lct_results_free(&r);
    return status;
}
