/* subject.c - an encoding to be drawn, and the view that was chosen */
#include "subject.h"
#include "../core/size.h"
#include "page.h"
#include "locant/rotate.h"
#include <math.h>

/* ------------------------------------------------------------------ memory */

struct lct_subject_block {
    struct lct_subject_block *before;
    double numbers[];
};

locant_status lct_subject_numbers(double **out, const struct lct_subject *s,
                                  size_t n)
{
    struct lct_subject_block *block = NULL;
    size_t bytes;

    *out = NULL;
    if (lct_mul(&bytes, n, sizeof **out) &&
        lct_add(&bytes, bytes, sizeof *block))
        block = locant_alloc(bytes);
    if (!block)
        return locant_fail(LOCANT_ERR_NOMEM,
                           "report: no memory for %zu numbers", n);
    block->before = s->memory->last;
    s->memory->last = block;
    *out = block->numbers;
    return LOCANT_OK;
}

locant_status lct_subject_range(double **out, const struct lct_subject *s,
                                int64_t n)
{
    LCT_TRY(lct_subject_numbers(out, s, (size_t)n));
    for (int64_t i = 0; i < n; i++)
        (*out)[i] = (double)i;
    return LOCANT_OK;
}

locant_status lct_subject_positions(int64_t **out, const struct lct_subject *s,
                                    int64_t first, int64_t n)
{
    double *room;

    LCT_TRY(lct_subject_numbers(&room, s, (size_t)n));
    *out = (int64_t *)(void *)room;
    for (int64_t i = 0; i < n; i++)
        (*out)[i] = first + i;
    return LOCANT_OK;
}

void lct_subject_release(const struct lct_subject *s,
                         struct lct_subject_block *last)
{
    while (s->memory->last != last) {
        struct lct_subject_block *before = s->memory->last->before;

        locant_release(s->memory->last);
        s->memory->last = before;
    }
}

static bool wants(const struct lct_html *h, const struct lct_picture *p)
{
    for (int id = (int)p->first; id <= (int)p->last; id++)
        if (lct_page_wants(h, (enum lct_figure_id)id))
            return true;
    return false;
}

locant_status lct_subject_draw(struct lct_html *h, const struct lct_subject *s,
                               const struct lct_picture *list, size_t n)
{
    locant_status status = LOCANT_OK;

    lct_html_raw(h, "<div class=\"grid\">\n");
    for (size_t i = 0; i < n && status == LOCANT_OK; i++)
        if (wants(h, &list[i])) {
            status = list[i].draw(h, s);
            lct_subject_release(s, NULL);
        }
    lct_html_raw(h, "</div>\n");
    return status;
}

/* -------------------------------------------------------------------- view */

const locant_tensor *lct_subject_params(const struct lct_subject *s)
{
    return s->trained ? s->trained : s->initial;
}

int64_t lct_subject_length(const struct lct_subject *s, int64_t usual,
                           int64_t most)
{
    int64_t reach = locant_encoding_length_limit(s->e);
    int64_t n = s->view.length > 0 ? s->view.length
                : usual < most     ? usual
                                   : most;

    return n < reach ? n : reach;
}

uint64_t lct_subject_seed(const struct lct_subject *s)
{
    return s->view.seed > 0 ? s->view.seed : 1;
}

int64_t lct_subject_head(const struct lct_subject *s, int64_t heads)
{
    return s->view.head < 0       ? 0
           : s->view.head < heads ? s->view.head
                                  : heads - 1;
}

size_t lct_subject_lines(struct lct_subject_lines *out,
                         const struct lct_subject *s, const double *x,
                         const double *y, int64_t heads, int64_t n)
{
    const int64_t most = heads < LCT_SUBJECT_HEADS ? heads : LCT_SUBJECT_HEADS;
    const int64_t lines = s->view.head >= 0 ? 1 : most;

    for (int64_t i = 0; i < lines; i++) {
        const int64_t head =
            s->view.head >= 0 ? lct_subject_head(s, heads) : i * heads / lines;

        lct_messages_number(&out->label[i], MSG_HEAD, (double)head);
        out->series[i] =
            (locant_series){ LCT_FILLED(out->label[i]), .n = (size_t)n, .x = x,
                             .y = y + head * n, .color = (int)i };
    }
    return (size_t)lines;
}

/* ------------------------------------------------------------------- pairs */

/* The unit vector of channel c, rotated by one position, has cos f at c and
   +-sin f at its partner. */
locant_status lct_subject_pairs(double *freq, int64_t *first, int64_t *pairs,
                                const struct lct_subject *s,
                                const locant_encoding *e,
                                const locant_tensor *params, int64_t heads)
{
    const int64_t dim = s->r->width / s->r->heads;
    const int64_t shape[3] = { heads, 1, dim }, one = 1;
    int64_t at = 1;
    double *unit, *out;
    locant_tensor place = locant_dense(&at, LOCANT_I64, 1, &one), x, y;

    *pairs = 0;
    if (locant_encoding_rotated_width(e, dim) != dim)
        return LOCANT_OK;
    LCT_TRY(lct_subject_numbers(&unit, s, (size_t)(2 * heads * dim)));
    out = unit + heads * dim; /* head 0 comes first */
    x = locant_dense(unit, LOCANT_F64, 3, shape);
    y = locant_dense(out, LOCANT_F64, 3, shape);
    for (int64_t c = 0; c < dim; c++) {
        int64_t partner = -1;

        unit[c] = 1;
        LCT_TRY(locant_encoding_rotate(&y, &x, e, &place, params, 0));
        unit[c] = 0;
        for (int64_t k = 0; k < dim; k++)
            if (k != c && out[k] != 0)
                partner = k;
        if (partner <= c || *pairs >= LCT_SUBJECT_PAIRS)
            continue;
        if (first)
            first[*pairs] = c;
        freq[(*pairs)++] = atan2(fabs(out[partner]), out[c]);
    }
    return LOCANT_OK;
}

locant_status lct_subject_own_pairs(double *freq, int64_t *first,
                                    int64_t *pairs, const struct lct_subject *s)
{
    const locant_tensor *params = lct_subject_params(s);

    return lct_subject_pairs(freq, first, pairs, s, s->e, params,
                             params ? s->r->heads : 1);
}
