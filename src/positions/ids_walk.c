/* ids_walk.c - see ids_walk.h */
#include "ids_walk.h"
#include "positions.h"
#include <math.h>

/* Ids are doubles; beyond, they would not be exact. */
static const double MOST_ID = 0x1p53;

enum {
    TEXT = 1 << LOCANT_SEGMENT_TEXT,
    IMAGE = 1 << LOCANT_SEGMENT_IMAGE,
    VIDEO = 1 << LOCANT_SEGMENT_VIDEO,
    FRAMES = 1 << LOCANT_SEGMENT_FRAMES,
    AUDIO = 1 << LOCANT_SEGMENT_AUDIO,
    CLIP = 1 << LOCANT_SEGMENT_CLIP
};

/* What each scheme has. */
static const struct {
    const char *name;
    int lanes;
    int kinds;
} schemes[] = {
    [LOCANT_IDS_QWEN3_VL] = { "qwen3-vl", 3, TEXT | IMAGE | FRAMES },
    [LOCANT_IDS_TM] = { "tm", 3, TEXT | IMAGE | VIDEO | AUDIO | CLIP },
    [LOCANT_IDS_XD] = { "xd", 4, TEXT | IMAGE },
    [LOCANT_IDS_VIDEO] = { "video", 3, TEXT | IMAGE | VIDEO },
    [LOCANT_IDS_FLUX] = { "flux", 3, TEXT | IMAGE },
    [LOCANT_IDS_FLUX2] = { "flux2", 4, TEXT | IMAGE },
    [LOCANT_IDS_QWEN_IMAGE] = { "qwen-image", 3, TEXT | IMAGE | VIDEO },
};

/* ------------------------------------------------------------------- checks */

static locant_status check_positive(const char *who, const char *name, double x)
{
    if (x > 0 && x <= MOST_ID)
        return LOCANT_OK;
    return locant_fail(LOCANT_ERR_PARAM,
                       "%s: %s is %g, expected a number above 0, at most 2^53",
                       who, name, x);
}

static locant_status check_ids(const char *who, const locant_ids *ids)
{
    if (ids == NULL)
        return locant_fail(LOCANT_ERR_NULL, "%s: ids is NULL", who);
    if (ids->struct_size != sizeof(*ids))
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: struct_size is %zu, expected %zu; start from "
                           "LOCANT_IDS_INIT",
                           who, ids->struct_size, sizeof(*ids));
    if ((unsigned)ids->scheme > LOCANT_IDS_QWEN_IMAGE)
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: scheme is %d, expected 0 (qwen3-vl) to 6 "
                           "(qwen-image)",
                           who, (int)ids->scheme);
    if (!(ids->delta >= 0 && ids->delta <= MOST_ID))
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: delta is %g, expected a number of at least 0, "
                           "at most 2^53",
                           who, ids->delta);
    LCT_TRY(check_positive(who, "rate", ids->rate));
    LCT_TRY(check_positive(who, "chunk", ids->chunk));
    return lct_check_least(who, "first_image", ids->first_image, 0);
}

static locant_status check_kind(const char *who, const locant_ids *ids,
                                size_t i, const locant_segment *s)
{
    static const char *const names[] = { "text",   "image", "video",
                                         "frames", "audio", "clip" };

    if ((unsigned)s->kind > LOCANT_SEGMENT_CLIP)
        return locant_fail(
            LOCANT_ERR_PARAM,
            "%s: kind of segment %zu is %d, expected 0 (text) to "
            "5 (clip)",
            who, i, (int)s->kind);
    if (schemes[ids->scheme].kinds >> s->kind & 1)
        return LOCANT_OK;
    return locant_fail(LOCANT_ERR_PARAM,
                       "%s: segment %zu is %s, which %s does not have", who, i,
                       names[s->kind], schemes[ids->scheme].name);
}

static locant_status check_segment(const char *who, const locant_ids *ids,
                                   size_t i, const locant_segment *s)
{
    int kind;

    LCT_TRY(check_kind(who, ids, i, s));
    kind = 1 << s->kind;
    if (kind & (TEXT | AUDIO | CLIP))
        LCT_TRY(lct_check_segment(who, i, "tokens", s->tokens, 0));
    if (kind & (TEXT | AUDIO))
        return LOCANT_OK;
    LCT_TRY(lct_check_segment(who, i, "rows", s->rows, 1));
    LCT_TRY(lct_check_segment(who, i, "cols", s->cols, 1));
    if (kind & IMAGE)
        return LOCANT_OK;
    LCT_TRY(lct_check_segment(who, i, "frames", s->frames, 1));
    if (kind & (FRAMES | CLIP)) {
        LCT_TRY(lct_check_segment(who, i, "before", s->before, 0));
        LCT_TRY(lct_check_segment(who, i, "after", s->after, 0));
    }
    if (ids->scheme != LOCANT_IDS_TM ||
        (s->interval >= 0 && s->interval <= MOST_ID))
        return LOCANT_OK;
    return locant_fail(LOCANT_ERR_PARAM,
                       "%s: interval of segment %zu is %g, expected a number "
                       "of at least 0, at most 2^53",
                       who, i, s->interval);
}

/* --------------------------------------------------------------------- walk */

int64_t lct_ids_frames(const locant_segment *s)
{
    return s->kind == LOCANT_SEGMENT_IMAGE ? 1 : s->frames;
}

/* Tokens of a segment; false if they pass 2^63. */
static bool count(int64_t *out, const locant_ids *ids, const locant_segment *s)
{
    const int64_t row_ends = ids->scheme == LOCANT_IDS_XD;
    int64_t frame = 0;

    *out = 0;
    if (1 << s->kind & (TEXT | AUDIO)) {
        *out = s->tokens;
        return true;
    }
    if (s->cols == INT64_MAX ||
        !lct_add_product(&frame, s->rows, s->cols + row_ends))
        return false;
    if (s->kind == LOCANT_SEGMENT_FRAMES &&
        !(lct_add_product(&frame, s->before, 1) &&
          lct_add_product(&frame, s->after, 1)))
        return false;
    if (!lct_add_product(out, lct_ids_frames(s), frame))
        return false;
    return s->kind != LOCANT_SEGMENT_CLIP ||
           (lct_add_product(out, s->before, 1) &&
            lct_add_product(out, s->tokens, 1) &&
            lct_add_product(out, s->after, 1));
}

double lct_ids_tm_frame(const locant_ids *ids, const locant_segment *s,
                        int64_t f)
{
    const float seconds = (float)f * (float)s->interval;

    return floor((double)(seconds * (float)ids->rate));
}

double lct_ids_tm_video(const locant_ids *ids, const locant_segment *s)
{
    const double side = (double)lct_larger(s->rows, s->cols);

    return fmax(lct_ids_tm_frame(ids, s, s->frames - 1) + 1, side);
}

static double tm_extent(const locant_ids *ids, const locant_segment *s)
{
    switch (s->kind) {
    case LOCANT_SEGMENT_IMAGE: return (double)lct_larger(s->rows, s->cols);
    case LOCANT_SEGMENT_VIDEO: return lct_ids_tm_video(ids, s);
    case LOCANT_SEGMENT_CLIP:
        return (s->before > 0) +
               fmax(lct_ids_tm_video(ids, s), (double)s->tokens) +
               (s->after > 0);
    default: return (double)s->tokens;
    }
}

/* How far the ids of a segment of n tokens go: from its start to the next. */
static double extent(const locant_ids *ids, const locant_segment *s, int64_t n)
{
    const double side = (double)lct_larger(s->rows, s->cols);

    switch (ids->scheme) {
    case LOCANT_IDS_QWEN3_VL:
        if (s->kind == LOCANT_SEGMENT_FRAMES)
            return (double)s->frames *
                   (side + (double)s->before + (double)s->after);
        return s->kind == LOCANT_SEGMENT_TEXT ? (double)n : side;
    case LOCANT_IDS_TM: return tm_extent(ids, s);
    case LOCANT_IDS_XD: return (double)n;
    case LOCANT_IDS_VIDEO:
        if (s->kind == LOCANT_SEGMENT_TEXT)
            return (double)n;
        return ids->delta * (double)(lct_ids_frames(s) - 1) + 1;
    default: return s->kind == LOCANT_SEGMENT_TEXT ? (double)n : 0;
    }
}

/* The largest magnitude of ids of a segment beside those below 'next'. */
static double beside(const locant_ids *ids, const struct lct_ids_walk *w,
                     const locant_segment *s)
{
    const double side = (double)lct_larger(s->rows, s->cols);
    const double images = (double)w->images + (double)ids->first_image;

    if (s->kind == LOCANT_SEGMENT_TEXT || s->kind == LOCANT_SEGMENT_AUDIO)
        return 0;
    if (ids->scheme == LOCANT_IDS_VIDEO)
        return w->next + side;
    return side + 10 * images + (double)lct_ids_frames(s);
}

bool lct_ids_advance(struct lct_ids_walk *w, const locant_ids *ids,
                     const locant_segment *s)
{
    const int grid = 1 << s->kind & (IMAGE | VIDEO);
    int64_t n;

    if (!count(&n, ids, s) || __builtin_add_overflow(w->tokens, n, &w->tokens))
        return false;
    w->next += extent(ids, s, n);
    if (grid) {
        w->images++;
        w->half = fmax(w->half, (double)(lct_larger(s->rows, s->cols) / 2));
    }
    return w->next <= MOST_ID && beside(ids, w, s) <= MOST_ID &&
           w->next + w->half <= MOST_ID;
}

locant_status lct_ids_walk_all(struct lct_ids_walk *w, const char *who,
                               const locant_ids *ids,
                               const locant_segment *segments, size_t n)
{
    LCT_TRY(check_ids(who, ids));
    if (segments == NULL && n > 0)
        return locant_fail(LOCANT_ERR_NULL, "%s: segments is NULL", who);
    for (size_t i = 0; i < n; i++) {
        LCT_TRY(check_segment(who, ids, i, &segments[i]));
        if (!lct_ids_advance(w, ids, &segments[i]))
            return locant_fail(LOCANT_ERR_PARAM,
                               "%s: the ids of segment %zu pass 2^53", who, i);
    }
    return LOCANT_OK;
}

int lct_ids_lanes(const locant_ids *ids)
{
    return schemes[ids->scheme].lanes;
}
