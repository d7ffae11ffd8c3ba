/* net_grid.c - the patches of a clip, in the order in which a tower takes them
 */
#include "net_grid.h"

/* Patches on a side of a window; 0: no layer has windows. */
static int64_t window_side(const struct lct_net_stack *s)
{
    for (int64_t i = 0; i < s->n_layers; i++)
        if (s->layers[i].attention.plan->grid_window > 0)
            return s->layers[i].attention.plan->grid_window;
    return 0;
}

/* Places from *place on for the groups of the window that begins at row y and
   column x of groups. */
static void fill_window(struct lct_net_grid *g, int64_t *place, int64_t y,
                        int64_t x, int64_t side, int64_t window)
{
    const int64_t area = g->merge * g->merge;
    const int64_t rows = g->rows / g->merge, columns = g->columns / g->merge;

    for (int64_t i = y; i < y + side && i < rows; i++)
        for (int64_t j = x; j < x + side && j < columns; j++, ++*place) {
            g->group[*place] = i * columns + j;
            for (int64_t k = 0; g->windows != NULL && k < area; k++)
                g->windows[*place * area + k] = window;
        }
}

locant_status lct_net_grid_begin(struct lct_net_grid *g,
                                 struct lct_net_room *room,
                                 const struct lct_net_stack *s,
                                 const int64_t size[3])
{
    const int64_t merge = s->patches->merge, window = window_side(s);
    const int64_t rows = size[1] / merge, columns = size[2] / merge;
    const int64_t area = size[1] * size[2];
    const int64_t most = rows > columns ? rows : columns;
    const int64_t side = window > 0 ? window / merge : most;
    int64_t place = 0, number = 0;

    *g = (struct lct_net_grid){ .frames = size[0],
                                .rows = size[1],
                                .columns = size[2],
                                .merge = merge,
                                .groups = rows * columns };
    g->group = lct_net_take_items(room, g->groups, 1, sizeof(*g->group));
    LCT_NET_GOT(g->group);
    if (window > 0) {
        g->windows =
            lct_net_take_items(room, size[0], area, sizeof(*g->windows));
        LCT_NET_GOT(g->windows);
    }
    for (int64_t y = 0; y < rows; y += side)
        for (int64_t x = 0; x < columns; x += side)
            fill_window(g, &place, y, x, side, number++);
    for (int64_t i = area; g->windows != NULL && i < size[0] * area; i++)
        g->windows[i] = g->windows[i - area];
    return LOCANT_OK;
}

int64_t lct_net_grid_patch(int64_t *y, int64_t *x, const struct lct_net_grid *g,
                           int64_t place)
{
    const int64_t area = g->merge * g->merge, within = place % area;
    const int64_t group = g->group[place / area];
    const int64_t columns = g->columns / g->merge;

    *y = group / columns * g->merge + within / g->merge;
    *x = group % columns * g->merge + within % g->merge;
    return group * area + within;
}
