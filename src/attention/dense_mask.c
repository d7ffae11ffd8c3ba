/* dense_mask.c - a mask with an element for each query and key */
#include "dense_mask.h"
#include "rectangle.h"
#include <string.h>

bool lct_dense_mask_visible(const struct lct_plan *p, const int64_t at[4])
{
    const locant_tensor *visible = p->request->visible;

    return visible == NULL || *lct_rectangle_of(visible, at).at != 0;
}

static struct lct_rectangle rectangle_of(const struct lct_plan *p,
                                         const struct lct_tile *t)
{
    return lct_rectangle_of(p->request->visible,
                            (int64_t[4]){ t->b, t->h, t->i, t->j });
}

/* Which values some bytes have. */
struct found {
    bool zero, other;
};

/* Eight bytes at a time: (w - 0x01..01) & ~w has a high bit if one is 0. */
static void look(struct found *f, const char *x, int64_t step, int64_t n)
{
    const uint64_t ones = 0x0101010101010101u;
    uint64_t zeros = 0, any = 0;
    int64_t j = 0;

    for (; step == 1 && j + 8 <= n; j += 8) {
        uint64_t w;

        memcpy(&w, x + j, sizeof(w));
        zeros |= (w - ones) & ~w;
        any |= w;
    }
    f->zero |= (zeros & (ones << 7)) != 0;
    f->other |= any != 0;
    for (; j < n; j++) {
        f->zero |= x[j * step] == 0;
        f->other |= x[j * step] != 0;
    }
}

enum lct_visibility lct_dense_mask_classify(const struct lct_plan *p,
                                            const struct lct_tile *t)
{
    struct found f = { false, false };
    struct lct_rectangle r;
    int64_t rows, keys;

    if (p->request->visible == NULL)
        return LCT_VISIBLE_ALL;
    r = rectangle_of(p, t);
    rows = r.down == 0 ? 1 : t->rows;
    keys = r.across == 0 ? 1 : t->keys;
    for (int64_t i = 0; i < rows && !(f.zero && f.other); i++)
        look(&f, r.at + i * r.down, r.across, keys);
    return !f.zero   ? LCT_VISIBLE_ALL
           : f.other ? LCT_VISIBLE_SOME
                     : LCT_VISIBLE_NONE;
}

void lct_dense_mask_hide(const struct lct_plan *p, const struct lct_tile *t,
                         char *masked)
{
    struct lct_rectangle r = rectangle_of(p, t);

    for (int64_t i = 0; i < t->rows; i++) {
        const char *x = r.at + i * r.down;

        for (int64_t j = 0; j < t->keys; j++)
            masked[j * (int64_t)t->lanes + i] |= x[j * r.across] == 0;
    }
}
