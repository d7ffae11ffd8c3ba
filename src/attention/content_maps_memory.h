/* content_maps_memory.h - what maps along the path need (content_maps.h) */
#ifndef LCT_ATTENTION_CONTENT_MAPS_MEMORY_H
#define LCT_ATTENTION_CONTENT_MAPS_MEMORY_H
#include "../encodings/content.h"
#include "sizes.h"

/* Memory of one running task. */
struct lct_content_maps_scratch {
    /* A tile of keys; 'columns' are D rows, LCT_COLUMNS_ROW apart. */
    float *w_columns, *k_columns;
    float *inner, *unit, *negative, *y, *rest, *sum; /* [TILE, TILE] */
    float *dkeys;                                    /* [rows, padded] */
    float *dpass;                                    /* [rows, padded] */
    float *dinside;                                  /* [rows, TILE] */
    float *dmap;                                     /* [groups, D, padded] */
    float *dk; /* [TILE, padded]: what dk of a tile gains */

    /* A group of tiles of keys. */
    float *maps;             /* [GROUP, D, padded]: from each tile to its end */
    float *turned, *dturned; /* [D, padded]: transposes */
    float *taken, *dtaken;   /* [TILE, padded]: keys at the end of the tile */
    float *v, *dv;           /* [TILE, padded] */

    /* A tile of queries. */
    int64_t low, high;     /* the extent of 'last' of its queries, without
                              those that see no key */
    float *along;          /* [TILE keys, TILE lanes]: <w_t, u_i> */
    float *other;          /* as along: scores, or their gradients, of queries
                              whose last key is in the group */
    float *transposed;     /* [TILE, TILE] */
    float *passed;         /* [D, LCT_COLUMNS_ROW] */
    float *u, *du_columns; /* [TILE, padded], columns of du */
    float *du;             /* [TILE, padded] */
    float *dalong;         /* as along */
    float *walked;         /* [k_tiles, D, LCT_COLUMNS_ROW]: u at each tile */
    float *walked_along;   /* [k_tiles, TILE, TILE] */

    /* A block of tokens: TILE, after reach - 1 before them. */
    float *x;                 /* [TILE, wide] */
    float *columns;           /* [TILE, TILE]: some columns of x */
    float *up_sums;           /* [D, rank8] */
    float *first_sums;        /* [inner, TILE] */
    float *values, *a, *gate; /* [REACH + TILE, padded], [TILE, padded] twice */
    float *zeros;             /* [padded] */
};

enum {
    LCT_CONTENT_MAPS_REACH = 8, /* most tokens that a direction reads */
    LCT_CONTENT_MAPS_GROUP = 4  /* tiles of keys that queries pass at once */
};

struct lct_content_maps {
    int64_t rows; /* S rounded up to whole tiles */

    /* Of each batch row and head, tokens in memory. */
    float *w;       /* [B, H, rows, padded]: directions */
    float *b;       /* [B, H, rows]: strengths */
    float *keys;    /* as w: keys taken to the end of their group */
    float *pass;    /* as w: -M W */
    float *inside;  /* [B, H, rows, TILE]: -M tril(W K^T) */
    int64_t groups; /* whole ones */
    float *map;     /* [B, H, groups, D, padded]: u' = map u, past a group */
    float *dw, *db; /* as w, b, of the batch rows of a chunk; backward */

    /* Of each batch row, tokens in order (key_order.h). */
    int64_t inner, rank8; /* columns: rank + H, rank; rounded up to 8 */
    int64_t wide;         /* W rounded up to 8 */
    int64_t *newest;      /* [R]: the newest key that a query sees; -1: none */
    char *passed;         /* [R, S]: does a query read the map of key j? */
    int8_t *reach; /* [R, S]: tokens that the direction of the n-th reads */
    float *low;    /* [B, S, inner]: down x, then beta x */
    float *dlow;   /* as low, of a chunk */

    /* Parameters in float32. */
    float *first;      /* [W, inner]: down and beta, transposed */
    float *first_rows; /* [inner, wide]: down and beta */
    float *up;         /* [H, rank, padded]: transposed */
    float *up_rows;    /* [H, D, rank8] */
    float *taps;       /* [H, kernel, padded]: the token's own first */

    struct lct_content_maps_scratch *scratch; /* [slots] */
};
#endif
