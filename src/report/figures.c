/* figures.c - the figures of the page by name: the list, and one at a time */
#include "../measure/results_tasks.h"
#include "../measure/results.h"
#include "page.h"
#include "page_extension.h"
#include "page_tasks.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define ANY "any"
#define INPUT "input"
#define ROTATE "rotate"
#define SCORE "score"
#define CONTENT "content"
#define HOOK "hook"
#define RUNS "runs"
#define REPORT "report"
#define LCT_FIGURE(name, of, title, title_zh) { name, of, title, title_zh },
static const locant_figure_info list[] = {
#include "figures.def"
};
#undef LCT_FIGURE
enum { FIGURES = sizeof list / sizeof list[0] };

const locant_figure_info *locant_figure_at(int i)
{
    return i >= 0 && i < FIGURES ? &list[i] : NULL;
}

static const locant_figure_info *find(const char *name)
{
    for (int i = 0; i < FIGURES; i++)
        if (strcmp(list[i].name, name) == 0)
            return &list[i];
    return NULL;
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
    if (!(v->factor >= 0) || v->factor > 1e6)
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: factor is %g, expected 0 to 1e6", fn,
                           v->factor);
    return LOCANT_OK;
}

static locant_status check(const locant_figure_info **info, const char *fn,
                           const char *name, const locant_figure_view *view)
{
    if (!name || !view)
        return locant_fail(LOCANT_ERR_NULL, "%s: %s is NULL", fn,
                           name ? "view" : "name");
    *info = find(name);
    if (*info == NULL)
        return locant_fail(LOCANT_ERR_PARAM, "%s: there is no figure '%.40s'",
                           fn, name);
    return check_view(fn, view);
}

/* The sentence for a figure that did not come. */
static locant_status missing(const char *fn, const locant_figure_info *info,
                             const char *spec)
{
    return locant_fail(LOCANT_ERR_PARAM,
                       "%s: '%s' is no figure of %.200s: it is of encodings "
                       "%s",
                       fn, info->name, spec,
                       strcmp(info->name, "terms") == 0
                           ? "whose scores are four terms: transformer-xl"
                       : strcmp(info->name, "grid") == 0
                           ? "that turn by two coordinates, as rope2d"
                       : strcmp(info->name, "bias-initial") == 0
                           ? "that learn the bias they add to scores, and of "
                             "their runs alone"
                       : strcmp(info->of, HOOK) == 0
                           ? "that choose positions, hide keys or scale scores"
                       : strcmp(info->of, ANY) == 0
                           ? "that are defined for every key"
                       : strcmp(info->of, ROTATE) == 0
                           ? "that turn queries and keys in that way"
                       : strcmp(info->of, INPUT) == 0
                           ? "that add vectors to the input"
                       : strcmp(info->of, SCORE) == 0
                           ? "that add a bias to scores"
                           : "that read queries and keys");
}

/* --------------------------------------------------------- of an encoding */

static locant_status draw_one(const char *fn, const locant_figure_info *info,
                              const struct lct_results *r,
                              struct lct_group *g, const locant_encoding *e,
                              const locant_figure_view *view,
                              const struct lct_taker *taker)
{
    struct lct_html h = { .taker = taker };
    locant_status status;

    LCT_TRY(check_number(fn, "head", view->head, r->heads));
    if (r->heads < 1 || r->width % r->heads != 0)
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: width is %" PRId64 ", expected a multiple of "
                           "%" PRId64 " heads",
                           fn, r->width, r->heads);
    status = lct_draw_pictures(&h, r, g, e, view);
    lct_html_free(&h);
    if (status == LOCANT_OK && *taker->taken == 0)
        status = missing(fn, info, g->spec);
    return status;
}

locant_status locant_figure_of_encoding(const char *name,
                                        const locant_encoding *e,
                                        const locant_figure_view *view,
                                        locant_figure_taker take, void *context)
{
    static const char fn[] = "locant_figure_of_encoding";
    const locant_figure_info *info;
    struct lct_results r = { .layers = 1, .n = 1 };
    struct lct_group g = { .n = 0 };
    locant_encoding *resolved;
    int taken = 0;
    const struct lct_taker taker = { name, take, context, &taken, 0 };
    locant_status status;

    if (!e || !take)
        return locant_fail(LOCANT_ERR_NULL, "%s: %s is NULL", fn,
                           e ? "take" : "e");
    LCT_TRY(check(&info, fn, name, view));
    if (strcmp(info->of, RUNS) == 0 || strcmp(info->of, REPORT) == 0)
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: '%s' is a figure of runs, not of an encoding",
                           fn, name);
    r.trained_length = view->trained ? view->trained : 128;
    r.heads = view->heads ? view->heads : 4;
    r.width = view->width ? view->width : 64;
    r.groups = &g;
    LCT_TRY(locant_encoding_resolve(&resolved, e, r.trained_length));
    snprintf(g.spec, sizeof g.spec, "%s", locant_encoding_spec(resolved));
    g.info = locant_encoding_info_of(resolved);
    g.doors = locant_encoding_doors(resolved);
    g.traits = locant_encoding_traits(resolved);
    status = draw_one(fn, info, &r, &g, resolved, view, &taker);
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

static bool is_of_tasks(const char *name)
{
    return strncmp(name, "task-", 5) == 0;
}

static locant_status draw_tasks(struct lct_html *h, struct lct_results *r)
{
    const char *name = h->taker->name;
    const json_t *tasks;

    LCT_TRY(lct_numbers_create(&r->numbers, r));
    tasks = json_object_get(r->numbers, "tasks");
    for (size_t t = 0; t < json_array_size(tasks); t++)
        LCT_TRY(lct_page_task_figures(h, r, t));
    if (*h->taker->taken > 0)
        return LOCANT_OK;
    return locant_fail(LOCANT_ERR_PARAM,
                       "locant_figure_of_runs: '%s' is of runs of %s that were "
                       "scored%s: 'locant eval' does that",
                       name, strcmp(name, "task-depths") == 0 ? "T12"
                       : strcmp(name, "task-places") == 0
                           ? "a task with places ('locant tasks --json')"
                           : "a task",
                       h->taker->length > 0 ? " at that length" : "");
}

/* Other figures of runs than those of what probes found. */
static const struct {
    const char *name;
    bool evaluated; /* of runs that were */
    locant_status (*draw)(struct lct_html *h, const struct lct_results *r);
} of_runs[] = {
    { "length", true, lct_page_headline },
    { "close-up", true, lct_page_headline },
    { "position", true, lct_page_positions },
    { "protocols", true, lct_page_protocols },
    { "training", false, lct_page_training },
    { "gradient", false, lct_page_training },
    { "gradient-own", false, lct_page_training },
};

static locant_status draw_probes(struct lct_html *h, struct lct_results *r,
                                 const char *name, int64_t head)
{
    if (!lct_page_probed(r))
        return locant_fail(LOCANT_ERR_PARAM,
                           "locant_figure_of_runs: '%s' is of runs that were "
                           "probed: 'locant probe' does that",
                           name);
    if (strcmp(name, "maps") == 0 || strcmp(name, "heads") == 0 ||
        strcmp(name, "usage-heads") == 0)
        return lct_page_maps(h, r, head);
    LCT_TRY(lct_numbers_create(&r->numbers, r));
    return lct_page_probes(h, r);
}

/* From the same document of numbers as on the page. */
static locant_status draw_runs(struct lct_html *h, struct lct_results *r,
                               const char *name, int64_t head)
{
    size_t i = 0;

    if (is_of_tasks(name))
        return draw_tasks(h, r);
    while (i < sizeof of_runs / sizeof of_runs[0] &&
           strcmp(name, of_runs[i].name) != 0)
        i++;
    if (i == sizeof of_runs / sizeof of_runs[0])
        return draw_probes(h, r, name, head);
    if (of_runs[i].evaluated && !evaluated(r))
        return locant_fail(LOCANT_ERR_PARAM,
                           "locant_figure_of_runs: '%s' is of runs that were "
                           "evaluated: 'locant eval' does that",
                           name);
    LCT_TRY(lct_numbers_create(&r->numbers, r));
    return of_runs[i].draw(h, r);
}

/* Of a long job, from the numbers that the store kept of it. */
static locant_status draw_report(struct lct_html *h, struct lct_results *r,
                                 const char *name, const char *encoding)
{
    const bool surface = strcmp(name, "surface") == 0;

    LCT_TRY(surface ? lct_page_surface_maps(h, r, encoding)
                    : lct_page_extension_figures(h, r));
    if (*h->taker->taken > 0)
        return LOCANT_OK;
    if (encoding && !lct_page_surface_has(r, encoding))
        return locant_fail(LOCANT_ERR_PARAM,
                           "locant_figure_of_runs: '%s' has no encoding "
                           "'%.200s'", name, encoding);
    return locant_fail(LOCANT_ERR_PARAM, "locant_figure_of_runs: '%s' has "
                       "nothing to show: the loss of every run stopped being "
                       "finite", name);
}

static locant_status of_report(struct lct_html *h, struct lct_results *r,
                               locant_store *store, const int64_t *runs,
                               size_t n, const locant_figure_view *view)
{
    const char *name = h->taker->name;

    LCT_TRY(lct_section_read(&r->numbers, store,
                             strcmp(name, "surface") == 0 ? "surface"
                                                          : "extension",
                             runs, n));
    return draw_report(h, r, name, view->encoding);
}

/* Of steps alone: those of a run that still trains are there, too. */
static bool is_of_steps(const char *name)
{
    return strcmp(name, "training") == 0 || strcmp(name, "gradient") == 0 ||
           strcmp(name, "gradient-own") == 0;
}

static locant_status of_runs_alike(struct lct_html *h, struct lct_results *r,
                                   locant_store *store, const int64_t *runs,
                                   size_t n, const locant_figure_view *view)
{
    const char *name = h->taker->name;

    LCT_TRY(lct_results_of_runs(r, store, runs, n, !is_of_steps(name)));
    if (is_of_tasks(name))
        LCT_TRY(lct_results_tasks_of(r, store, runs, n));
    LCT_TRY(draw_runs(h, r, name, view->head));
    if (*h->taker->taken == 0)
        return locant_fail(LOCANT_ERR_PARAM, "locant_figure_of_runs: '%s' has "
                           "nothing to show of these runs", name);
    return LOCANT_OK;
}

/* Of the encoding of the first run, with its parameters. */
static locant_status of_one_run(struct lct_html *h, struct lct_results *r,
                                const locant_figure_info *info,
                                locant_store *store, const int64_t *runs,
                                size_t n, const locant_figure_view *view)
{
    locant_encoding *e = NULL;
    locant_status status;

    LCT_TRY(lct_results_of_runs(r, store, runs, n, true));
    LCT_TRY(locant_encoding_create(&e, r->groups[0].spec));
    status = draw_one("locant_figure_of_runs", info, r, &r->groups[0], e, view,
                      h->taker);
    locant_encoding_free(e);
    return status;
}

locant_status locant_figure_of_runs(const char *name, locant_store *store,
                                    const int64_t *runs, size_t n,
                                    const locant_figure_view *view,
                                    locant_figure_taker take, void *context)
{
    const locant_figure_info *info;
    struct lct_results r = { .n = 0 };
    int taken = 0;
    const struct lct_taker taker = { name, take, context, &taken,
                                     view ? view->length : 0 };
    struct lct_html h = { .taker = &taker };
    locant_status status;

    if (!store || !runs || !take)
        return locant_fail(LOCANT_ERR_NULL, "%s: %s is NULL", __func__,
                           !store ? "store" : runs ? "take" : "runs");
    LCT_TRY(check(&info, __func__, name, view));
    if (strcmp(info->of, REPORT) == 0)
        status = of_report(&h, &r, store, runs, n, view);
    else if (strcmp(info->of, RUNS) == 0)
        status = of_runs_alike(&h, &r, store, runs, n, view);
    else
        status = of_one_run(&h, &r, info, store, runs, n, view);
    lct_html_free(&h);
    lct_results_free(&r);
    return status;
}
