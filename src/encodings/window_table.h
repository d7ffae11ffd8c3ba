/* window_table.h - tables with an entry for each offset within a window */
#ifndef LCT_WINDOW_TABLE_H
#define LCT_WINDOW_TABLE_H
#include "encoding.h"
#include "../positions/distance.h"

/* The first keys of an encoding of windows. */
enum { HEIGHT, WIDTH, LCT_WINDOW_KEYS };
/* clang-format off */
#define LCT_WINDOW_SIDES(side, of)                                            \
    { .name = "height", .kind = LCT_INTEGER, .def = (side), .min = 1,         \
      .max = 1024, .doc = "rows of " of },                                    \
    { .name = "width", .kind = LCT_INTEGER, .def = (side), .min = 1,          \
      .max = 1024, .doc = "columns of " of }
/* clang-format on */

/* The hook positions.count: the number of patches. */
static inline int64_t lct_window_positions(const locant_encoding *e,
                                           const locant_tensor *params)
{
    (void)params;
    return (int64_t)(e->value[HEIGHT] * e->value[WIDTH]);
}

/* Number of offsets in a window: 2 side - 1 along each axis. */
static inline int64_t lct_window_offsets(int64_t height, int64_t width)
{
    return (2 * height - 1) * (2 * width - 1);
}

/* Table entry of query patch q and key patch k, counted row by row from 0. */
static inline int64_t lct_window_offset(int64_t height, int64_t width,
                                        int64_t q, int64_t k)
{
    int64_t down = q / width - k / width + height - 1;
    int64_t right = q % width - k % width + width - 1;

    return down * (2 * width - 1) + right;
}

/* A number for each patch: the difference of two determines their offset. */
static inline int64_t lct_window_key(int64_t width, int64_t pos)
{
    return pos / width * (2 * width - 1) + pos % width;
}

/* The two patches nearest to patch 0 whose numbers have that difference. */
static inline void lct_window_pair(int64_t *q, int64_t *k, int64_t width,
                                   int64_t difference)
{
    int64_t down = lct_floor_div(difference + width - 1, 2 * width - 1);
    int64_t right = difference - down * (2 * width - 1);

    *q = (down > 0 ? down * width : 0) + (right > 0 ? right : 0);
    *k = (down < 0 ? -down * width : 0) + (right < 0 ? -right : 0);
}

/* lct_window_key() and lct_window_pair() as hooks of an encoding of patches. */
static inline int64_t lct_patch_key(const struct lct_call *s,
                                    enum lct_role role, int64_t pos)
{
    (void)role;
    return lct_window_key((int64_t)s->e->value[WIDTH], pos);
}

static inline bool lct_patch_pair(int64_t *q_pos, int64_t *k_pos,
                                  struct lct_call *s, int64_t difference)
{
    lct_window_pair(q_pos, k_pos, (int64_t)s->e->value[WIDTH], difference);
    return true;
}
#endif
