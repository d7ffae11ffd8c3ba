/*
 * multimodal.c - ids of text, images, video and audio, by a model's scheme
 *
 * A check moves through the segments by advance(), in O(1) for each, and finds
 * the number of tokens; then they are written, and the same advance() says
 * where each segment starts.
 */
#include "locant/multimodal.h"
#include "positions.h"
#include <math.h>

static const char fn[] = "locant_positions_multimodal";

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

/* The state between two segments. */
struct walk {
    int64_t tokens; /* so far */
    double next;    /* first id of the next segment */
    int64_t images; /* so far */
    double half;    /* QWEN_IMAGE: the largest half side so far */
};

/* An image or a video of one frame. */
static int64_t frames_of(const locant_segment *s)
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
    if (!lct_add_product(out, frames_of(s), frame))
        return false;
    return s->kind != LOCANT_SEGMENT_CLIP ||
           (lct_add_product(out, s->before, 1) &&
            lct_add_product(out, s->tokens, 1) &&
            lct_add_product(out, s->after, 1));
}

/* TM: ids from the start of a video to frame f, in the order of Transformers.
 */
static double tm_frame(const locant_ids *ids, const locant_segment *s,
                       int64_t f)
{
    const float seconds = (float)f * (float)s->interval;

    return floor((double)(seconds * (float)ids->rate));
}

/* TM: one past the largest id of a video that starts at 0. */
static double tm_video(const locant_ids *ids, const locant_segment *s)
{
    const double side = (double)lct_larger(s->rows, s->cols);

    return fmax(tm_frame(ids, s, s->frames - 1) + 1, side);
}

static double tm_extent(const locant_ids *ids, const locant_segment *s)
{
    switch (s->kind) {
    case LOCANT_SEGMENT_IMAGE: return (double)lct_larger(s->rows, s->cols);
    case LOCANT_SEGMENT_VIDEO: return tm_video(ids, s);
    case LOCANT_SEGMENT_CLIP:
        return (s->before > 0) + fmax(tm_video(ids, s), (double)s->tokens) +
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
        return ids->delta * (double)(frames_of(s) - 1) + 1;
    default: return s->kind == LOCANT_SEGMENT_TEXT ? (double)n : 0;
    }
}

/* The largest magnitude of ids of a segment beside those below 'next'. */
static double beside(const locant_ids *ids, const struct walk *w,
                     const locant_segment *s)
{
    const double side = (double)lct_larger(s->rows, s->cols);
    const double images = (double)w->images + (double)ids->first_image;

    if (s->kind == LOCANT_SEGMENT_TEXT || s->kind == LOCANT_SEGMENT_AUDIO)
        return 0;
    if (ids->scheme == LOCANT_IDS_VIDEO)
        return w->next + side;
    return side + 10 * images + (double)frames_of(s);
}

/* Move past a segment; false if its ids are too large. */
static bool advance(struct walk *w, const locant_ids *ids,
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

static locant_status walk_all(struct walk *w, const char *who,
                              const locant_ids *ids,
                              const locant_segment *segments, size_t n)
{
    LCT_TRY(check_ids(who, ids));
    if (segments == NULL && n > 0)
        return locant_fail(LOCANT_ERR_NULL, "%s: segments is NULL", who);
    for (size_t i = 0; i < n; i++) {
        LCT_TRY(check_segment(who, ids, i, &segments[i]));
        if (!advance(w, ids, &segments[i]))
            return locant_fail(LOCANT_ERR_PARAM,
                               "%s: the ids of segment %zu pass 2^53", who, i);
    }
    return LOCANT_OK;
}

/* -------------------------------------------------------------------- write */

/* Where the next ids are written. */
struct writer {
    locant_tensor *out; /* [tokens, lanes] */
    int64_t row;
};

static void write_ids(struct writer *p, double a, double b, double c, double d)
{
    const double id[4] = { a, b, c, d };
    void *row = lct_at(p->out, &p->row, 1);

    for (int64_t k = 0; k < p->out->shape[1]; k++)
        if (p->out->dtype == LOCANT_F64)
            ((double *)row)[k] = id[k];
        else
            ((int64_t *)row)[k] = (int64_t)id[k];
    p->row++;
}

/* n tokens with the ids from 'start' on; 'step' 0: all the same. */
static void write_text(struct writer *p, double start, int64_t n, double step)
{
    for (int64_t i = 0; i < n; i++) {
        double id = start + step * (double)i;

        write_ids(p, id, id, id, id);
    }
}

/* A frame at t, whose rows and columns count from h and w. */
static void write_frame(struct writer *p, const locant_segment *s, double t,
                        double h, double w)
{
    for (int64_t row = 0; row < s->rows; row++)
        for (int64_t col = 0; col < s->cols; col++)
            write_ids(p, t, h + (double)row, w + (double)col, 0);
}

static void write_qwen3(struct writer *p, const locant_segment *s, double start)
{
    const double side = (double)lct_larger(s->rows, s->cols);

    if (s->kind == LOCANT_SEGMENT_IMAGE)
        write_frame(p, s, start, start, start);
    for (int64_t f = 0; s->kind == LOCANT_SEGMENT_FRAMES && f < s->frames;
         f++) {
        write_text(p, start, s->before, 1);
        start += (double)s->before;
        write_frame(p, s, start, start, start);
        write_text(p, start + side, s->after, 1);
        start += side + (double)s->after;
    }
}

/* Video and audio of a clip, both from 'start' on, in turns. */
static void write_turns(struct writer *p, const locant_ids *ids,
                        const locant_segment *s, double start)
{
    const double turn = ids->rate * ids->chunk;
    int64_t f = 0, a = 0;

    while (f < s->frames || a < s->tokens) {
        double video = f < s->frames ? tm_frame(ids, s, f) : INFINITY;
        double audio = a < s->tokens ? (double)a : INFINITY;
        double now = floor(fmin(video, audio) / turn);

        for (; f < s->frames && floor(tm_frame(ids, s, f) / turn) == now; f++)
            write_frame(p, s, start + tm_frame(ids, s, f), start, start);
        for (; a < s->tokens && floor((double)a / turn) == now; a++)
            write_text(p, start + (double)a, 1, 0);
    }
}

static void write_tm(struct writer *p, const locant_ids *ids,
                     const locant_segment *s, double start)
{
    if (s->kind == LOCANT_SEGMENT_IMAGE)
        write_frame(p, s, start, start, start);
    for (int64_t f = 0; s->kind == LOCANT_SEGMENT_VIDEO && f < s->frames; f++)
        write_frame(p, s, start + tm_frame(ids, s, f), start, start);
    if (s->kind != LOCANT_SEGMENT_CLIP)
        return;
    write_text(p, start, s->before, 0);
    start += s->before > 0;
    write_turns(p, ids, s, start);
    start += fmax(tm_video(ids, s), (double)s->tokens);
    write_text(p, start, s->after, 0);
}

/* The last token of a row ends it. */
static void write_xd(struct writer *p, const locant_segment *s, double start,
                     double image)
{
    for (int64_t row = 0; row < s->rows; row++)
        for (int64_t col = 0; col <= s->cols; col++)
            write_ids(p, start++, (double)col, (double)row, image);
}

static void write_video(struct writer *p, const locant_ids *ids,
                        const locant_segment *s, double start)
{
    for (int64_t f = 0; f < frames_of(s); f++) {
        double t = start + ids->delta * (double)f;

        write_frame(p, s, t, t - (double)((s->rows - 1) / 2),
                    t - (double)((s->cols - 1) / 2));
    }
}

/* Centred rows and columns. */
static void write_qwen_image(struct writer *p, const locant_segment *s,
                             double image)
{
    for (int64_t f = 0; f < frames_of(s); f++)
        write_frame(p, s, image + (double)f, -(double)(s->rows - s->rows / 2),
                    -(double)(s->cols - s->cols / 2));
}

/* Text of image models does not move images, which start at 0. */
static void write_plain_text(struct writer *p, const locant_ids *ids,
                             const locant_segment *s, const struct walk *w,
                             double half)
{
    if (ids->scheme == LOCANT_IDS_QWEN_IMAGE)
        write_text(p, half + w->next, s->tokens, 1);
    else if (ids->scheme == LOCANT_IDS_FLUX)
        write_text(p, 0, s->tokens, 0);
    else if (ids->scheme == LOCANT_IDS_FLUX2)
        for (int64_t i = 0; i < s->tokens; i++)
            write_ids(p, 0, 0, 0, w->next + (double)i);
    else
        write_text(p, w->next, s->tokens, 1);
}

/* 'half' is the largest half side of all images. */
static void write_segment(struct writer *p, const locant_ids *ids,
                          const locant_segment *s, const struct walk *w,
                          double half)
{
    if (s->kind == LOCANT_SEGMENT_TEXT || s->kind == LOCANT_SEGMENT_AUDIO) {
        write_plain_text(p, ids, s, w, half);
        return;
    }
    switch (ids->scheme) {
    case LOCANT_IDS_QWEN3_VL: write_qwen3(p, s, w->next); break;
    case LOCANT_IDS_TM: write_tm(p, ids, s, w->next); break;
    case LOCANT_IDS_XD:
        write_xd(p, s, w->next, (double)(ids->first_image + w->images));
        break;
    case LOCANT_IDS_VIDEO: write_video(p, ids, s, w->next); break;
    case LOCANT_IDS_FLUX: write_frame(p, s, 0, 0, 0); break;
    case LOCANT_IDS_FLUX2:
        write_frame(p, s, 10 * (double)w->images, 0, 0);
        break;
    case LOCANT_IDS_QWEN_IMAGE:
        write_qwen_image(p, s, (double)w->images);
        break;
    }
}

/* ------------------------------------------------------------------- public */

locant_status locant_ids_shape(int64_t *tokens, int64_t *lanes,
                               const locant_ids *ids,
                               const locant_segment *segments, size_t n)
{
    static const char who[] = "locant_ids_shape";
    struct walk w = { 0 };

    LCT_NOT_NULL(who, tokens);
    LCT_NOT_NULL(who, lanes);
    LCT_TRY(walk_all(&w, who, ids, segments, n));
    *tokens = w.tokens;
    *lanes = schemes[ids->scheme].lanes;
    return LOCANT_OK;
}

static locant_status check_out(const locant_tensor *out, const locant_ids *ids,
                               int64_t tokens)
{
    const int64_t shape[2] = { tokens, schemes[ids->scheme].lanes };

    LCT_TRY(lct_check(fn, "out", out, LCT_IN_I64 | LCT_IN_F64, 2, shape));
    LCT_TRY(lct_check_output(fn, "out", out));
    if (out->dtype == LOCANT_F64 || ids->scheme != LOCANT_IDS_VIDEO ||
        ids->delta == floor(ids->delta))
        return LOCANT_OK;
    return locant_fail(
        LOCANT_ERR_PARAM,
        "%s: delta is %g, expected a whole number for ids of I64", fn,
        ids->delta);
}

locant_status locant_positions_multimodal(locant_tensor *out, double *delta,
                                          const locant_ids *ids,
                                          const locant_segment *segments,
                                          size_t n)
{
    struct walk w = { 0 };
    struct writer p = { out, 0 };
    double half;

    LCT_TRY(walk_all(&w, fn, ids, segments, n));
    LCT_TRY(check_out(out, ids, w.tokens));
    if (delta != NULL)
        *delta = ids->scheme < LOCANT_IDS_FLUX ? w.next - (double)w.tokens : 0;
    half = w.half;
    w = (struct walk){ 0 };
    for (size_t i = 0; i < n; i++) {
        write_segment(&p, ids, &segments[i], &w, half);
        advance(&w, ids, &segments[i]);
    }
    return LOCANT_OK;
}

locant_status locant_tm_audio_tokens(int64_t *tokens, int64_t frames)
{
    static const char who[] = "locant_tm_audio_tokens";

    LCT_NOT_NULL(who, tokens);
    LCT_TRY(lct_check_least(who, "frames", frames, 3));
    *tokens = ((frames - 1) / 2 + 1 - 2) / 2 + 1;
    return LOCANT_OK;
}
