/*
 * content_maps_groups.c - groups of tiles of keys that queries pass at once.
 *
 * With the directions W of a tile, Z = pass, and P' the map past the newer
 * tiles of the group (I for the newest), all for columns u:
 *
 *     P = (I + Z^T W) P',   keys = taken P'
 *
 * so that <P' u, taken> = <u, keys>.
 */
#include "content_maps_groups.h"
#include "../core/pool.h"
#include "content_state.h"
#include "product.h"
#include <string.h>

/* Does some query pass the whole group? */
static bool is_passed(const struct lct_plan *p, int64_t b, int64_t g)
{
    const struct lct_content_maps *m = &p->content->maps;

    return g < m->groups && m->newest[lct_plan_row(p, b)] >=
                                (g + 1) * LCT_CONTENT_MAPS_GROUP_KEYS;
}

/* Matrices [m, D] with rows 'padded' apart; products read padded columns. */
static void multiply(const struct lct_plan *p, float *c,
                     struct lct_product_factor a, const float *b, int64_t m,
                     int64_t k, bool add)
{
    struct lct_product x = lct_product_of(
        (struct lct_product_rows){ c, (size_t)p->padded }, a,
        lct_product_rows_of(b, (size_t)p->padded), m, (size_t)p->padded, k);

    x.add = add;
    p->kernels->matmul(&x);
}

static struct lct_product_factor rows_of(const struct lct_plan *p,
                                         const float *at)
{
    return lct_product_rows_of(at, (size_t)p->padded);
}

static struct lct_product_factor columns_of(const struct lct_plan *p,
                                            const float *at)
{
    return lct_product_transposed(at, (size_t)p->padded);
}

static void turn(const struct lct_plan *p, float *to, const float *from)
{
    if (p->padded > p->D)
        memset(to, 0, (size_t)(p->D * p->padded) * sizeof(*to));
    p->kernels->transpose(to, (size_t)p->padded, from, (size_t)p->padded,
                          (size_t)p->D, (size_t)p->D);
}

static size_t map_bytes(const struct lct_plan *p)
{
    return (size_t)(p->D * p->padded) * sizeof(float);
}

/* P = (I + Z^T W) P'; newer NULL: P' is I.  own->v = W P'. */
static void extend(const struct lct_plan *p,
                   const struct lct_content_maps_scratch *own,
                   const struct lct_content_maps_tile *tile, float *map,
                   const float *newer)
{
    const float *v = newer == NULL ? tile->w : own->v;

    if (newer == NULL) {
        memset(map, 0, map_bytes(p));
        for (int64_t d = 0; d < p->D; d++)
            map[d * p->padded + d] = 1;
    } else {
        memcpy(map, newer, map_bytes(p));
        multiply(p, own->v, rows_of(p, tile->w), newer, LCT_TILE, p->D, false);
    }
    multiply(p, map, columns_of(p, tile->pass), v, p->D, LCT_TILE, true);
}

/* ------------------------------------------------------------------ forward */

/* From the newest tile to the oldest. */
static void fill_group(void *context, size_t task, int slot)
{
    const struct lct_plan *p = context;
    int64_t groups =
        (p->k_tiles + LCT_CONTENT_MAPS_GROUP - 1) / LCT_CONTENT_MAPS_GROUP;
    int64_t head = (int64_t)task / groups, g = (int64_t)task % groups;
    int64_t b = head / p->H, h = head % p->H;
    int64_t k = g * LCT_CONTENT_MAPS_GROUP + LCT_CONTENT_MAPS_GROUP;
    struct lct_scratch *s = lct_scratch_of(p, slot, 0);
    struct lct_content_maps_scratch *own = lct_content_maps_scratch_of(p, s);
    bool passed = is_passed(p, b, g);
    const float *newer = NULL;

    k = k < p->k_tiles ? k : p->k_tiles;
    if (g < lct_content_state_group(p))
        return; /* known */
    while (k-- > g * LCT_CONTENT_MAPS_GROUP) {
        struct lct_tile t = lct_tile_of_keys(p, b, h, k);
        struct lct_content_maps_tile tile =
            lct_content_maps_tile_of(p, b, h, k);
        float *map = own->maps + k % LCT_CONTENT_MAPS_GROUP * p->D * p->padded;

        if (!passed && k < lct_content_state_tile(p))
            continue;
        lct_content_maps_tiles_fill(p, &t, s,
                                    !passed         ? NULL
                                    : newer == NULL ? tile.keys
                                                    : own->taken);
        if (!passed)
            continue;
        if (newer != NULL)
            multiply(p, tile.keys, rows_of(p, own->taken), newer, LCT_TILE,
                     p->D, false);
        if (k % LCT_CONTENT_MAPS_GROUP == 0)
            map = lct_content_maps_groups_map(p, b, h, g);
        extend(p, own, &tile, map, newer);
        newer = map;
    }
}

void lct_content_maps_groups_fill(const struct lct_plan *p)
{
    int64_t groups =
        (p->k_tiles + LCT_CONTENT_MAPS_GROUP - 1) / LCT_CONTENT_MAPS_GROUP;

    lct_parallel_for((size_t)(p->B * p->H * groups), p->slots, fill_group,
                     (void *)p);
}

/* ----------------------------------------------------------------- backward */

/* own->maps: of all tiles of a group but the oldest, which needs none. */
static void fill_maps(const struct lct_plan *p,
                      struct lct_content_maps_scratch *own, int64_t b,
                      int64_t h, int64_t g)
{
    const float *newer = NULL;

    for (int64_t n = LCT_CONTENT_MAPS_GROUP - 1; n > 0; n--) {
        struct lct_content_maps_tile tile =
            lct_content_maps_tile_of(p, b, h, g * LCT_CONTENT_MAPS_GROUP + n);
        float *map = own->maps + n * p->D * p->padded;

        extend(p, own, &tile, map, newer);
        newer = map;
    }
}

/* One tile of a group. */
struct gradients {
    const float *dkeys;
    float *dmap, *dpass, *dw;
};

/* forward, of the newest tile: P = I + Z^T W */
static void newest_backward(const struct lct_plan *p,
                            struct lct_content_maps_scratch *own,
                            const struct lct_content_maps_tile *tile,
                            const struct gradients *g)
{
    turn(p, own->dturned, g->dmap);
    multiply(p, g->dpass, rows_of(p, tile->w), own->dturned, LCT_TILE, p->D,
             true);
    multiply(p, g->dw, rows_of(p, tile->pass), g->dmap, LCT_TILE, p->D, true);
    memcpy(own->dtaken, g->dkeys,
           (size_t)(LCT_TILE * p->padded) * sizeof(float));
}

/*
 * forward: V = W P', P = P' + Z^T V, keys = taken P': dZ += V dP^T, dV = Z dP,
 * dW += dV P'^T, dtaken = dkeys P'^T, dP' = dP + W^T dV + taken^T dkeys
 */
static void extend_backward(const struct lct_plan *p, const struct lct_tile *t,
                            struct lct_scratch *s,
                            const struct lct_content_maps_tile *tile,
                            const float *newer, const struct gradients *g)
{
    struct lct_content_maps_scratch *own = lct_content_maps_scratch_of(p, s);

    lct_content_maps_tiles_take(p, t, s, own->taken);
    turn(p, own->turned, newer);
    turn(p, own->dturned, g->dmap);
    multiply(p, own->v, rows_of(p, tile->w), newer, LCT_TILE, p->D, false);
    multiply(p, g->dpass, rows_of(p, own->v), own->dturned, LCT_TILE, p->D,
             true);
    multiply(p, own->dv, rows_of(p, tile->pass), g->dmap, LCT_TILE, p->D,
             false);
    multiply(p, g->dw, rows_of(p, own->dv), own->turned, LCT_TILE, p->D, true);
    multiply(p, own->dtaken, rows_of(p, g->dkeys), own->turned, LCT_TILE, p->D,
             false);
    multiply(p, g->dmap, columns_of(p, tile->w), own->dv, p->D, LCT_TILE, true);
    multiply(p, g->dmap, columns_of(p, own->taken), g->dkeys, p->D, LCT_TILE,
             true);
}

/* own->dtaken of tile k, from the oldest tile of a group to the newest. */
static void tile_backward(const struct lct_plan *p, const struct lct_tile *t,
                          struct lct_scratch *s, float *dw)
{
    struct lct_content_maps_scratch *own = lct_content_maps_scratch_of(p, s);
    int64_t k = t->j / LCT_TILE, n = k % LCT_CONTENT_MAPS_GROUP;
    int64_t map = p->D * p->padded;
    struct lct_content_maps_tile tile =
        lct_content_maps_tile_of(p, t->b, t->h, k);
    const struct gradients g = {
        .dkeys = own->dkeys + t->j * p->padded,
        .dmap = own->dmap + k / LCT_CONTENT_MAPS_GROUP * map,
        .dpass = own->dpass + t->j * p->padded,
        .dw = dw,
    };

    if (!is_passed(p, t->b, k / LCT_CONTENT_MAPS_GROUP)) {
        memset(own->dtaken, 0, (size_t)(LCT_TILE * p->padded) * sizeof(float));
        return;
    }
    if (n == 0)
        fill_maps(p, own, t->b, t->h, k / LCT_CONTENT_MAPS_GROUP);
    if (n == LCT_CONTENT_MAPS_GROUP - 1)
        newest_backward(p, own, &tile, &g);
    else
        extend_backward(p, t, s, &tile, own->maps + (n + 1) * map, &g);
}

void lct_content_maps_groups_backward(const struct lct_backward *job, int64_t b,
                                      int64_t h, struct lct_scratch *s,
                                      float *dw, float *db)
{
    const struct lct_plan *p = job->p;
    struct lct_content_maps_scratch *own = lct_content_maps_scratch_of(p, s);

    for (int64_t k = 0; k < p->k_tiles; k++) {
        struct lct_tile t = lct_tile_of_keys(p, b, h, k);
        float *tile_dw = dw + t.j * p->padded;

        tile_backward(p, &t, s, tile_dw);
        lct_content_maps_tiles_backward(p, &t, s, own->dtaken, tile_dw,
                                        db + t.j, lct_backward_dk(job, &t, s));
    }
}
