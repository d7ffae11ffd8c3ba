/*
 * mrope.c - the three ids of each token in multimodal RoPE.
 *
 * Checking and writing both move through the segments by advance(), so they
 * agree; a check takes O(1) for each segment.
 */
#include "positions.h"
#include <math.h>

static const char fn[] = "locant_positions_from_segments";

/* The state between two segments. */
struct walk {
    int64_t tokens; /* so far */
    int64_t next;   /* first id of the next segment */
    int64_t end_id; /* one past the largest id so far */
};

/*
 * *out = floor(frame * interval), both at least 0; false if it overflows.  An
 * interval with a fraction is rounded to float32 as in Transformers; whole
 * intervals are exact.
 */
static bool frame_id(int64_t *out, int64_t frame, double interval)
{
    float product = (float)frame * (float)interval;

    if (frame == 0 || interval == 0) {
        *out = 0;
        return true;
    }
    if (interval == floor(interval))
        return interval < 0x1p63 &&
               !__builtin_mul_overflow(frame, (int64_t)interval, out);
    if (!(product < 0x1p63f))
        return false;
    *out = (int64_t)product;
    return true;
}

/* Tokens of a segment whose sizes are in their ranges. */
static bool count(int64_t *out, const locant_segment *s)
{
    int64_t frame = 0;

    *out = 0;
    switch (s->kind) {
    case LOCANT_SEGMENT_TEXT: *out = s->tokens; return true;
    case LOCANT_SEGMENT_IMAGE: return lct_add_product(out, s->rows, s->cols);
    case LOCANT_SEGMENT_VIDEO:
        return lct_add_product(&frame, s->rows, s->cols) &&
               lct_add_product(out, s->frames, frame);
    default: break; /* FRAMES */
    }
    return lct_add_product(&frame, s->rows, s->cols) &&
           lct_add_product(&frame, s->before, 1) &&
           lct_add_product(&frame, s->after, 1) &&
           lct_add_product(out, s->frames, frame);
}

/* Move past a segment; false if its ids overflow. */
static bool advance(struct walk *w, const locant_segment *s,
                    locant_mrope_next rule)
{
    const bool video = s->kind == LOCANT_SEGMENT_VIDEO;
    int64_t side = 0, end = w->next, end_of_grid = w->next, frame, n, last;
    bool fits;

    if (s->kind != LOCANT_SEGMENT_TEXT)
        side = lct_larger(s->rows, s->cols);
    frame = side;
    if (!count(&n, s) || __builtin_add_overflow(w->tokens, n, &w->tokens))
        return false;
    switch (s->kind) {
    case LOCANT_SEGMENT_TEXT: fits = lct_add_product(&end, s->tokens, 1); break;
    case LOCANT_SEGMENT_IMAGE: fits = lct_add_product(&end, side, 1); break;
    case LOCANT_SEGMENT_VIDEO:
        fits = frame_id(&last, s->frames - 1, s->interval) &&
               lct_add_product(&end, last, 1) && lct_add_product(&end, 1, 1) &&
               lct_add_product(&end_of_grid, side, 1);
        break;
    default: /* frames: each is before, image, after */
        fits = lct_add_product(&frame, s->before, 1) &&
               lct_add_product(&frame, s->after, 1) &&
               lct_add_product(&end, s->frames, frame);
        break;
    }
    if (!fits)
        return false;
    /* With GRID, a segment after a long video can end below the video's ids. */
    w->end_id = lct_larger(w->end_id, lct_larger(end, end_of_grid));
    w->next = !video ? end : rule == LOCANT_MROPE_MAX ? w->end_id : end_of_grid;
    return true;
}

/* ----------------------------------------------------------------- checks */

static locant_status check_segment(const char *who, size_t i,
                                   const locant_segment *s)
{
    if ((unsigned)s->kind > LOCANT_SEGMENT_FRAMES)
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: kind of segment %zu is %d, expected 0 (text), "
                           "1 (image), 2 (video) or 3 (frames)",
                           who, i, (int)s->kind);
    if (s->kind == LOCANT_SEGMENT_TEXT)
        return lct_check_segment(who, i, "tokens", s->tokens, 0);
    LCT_TRY(lct_check_segment(who, i, "rows", s->rows, 1));
    LCT_TRY(lct_check_segment(who, i, "cols", s->cols, 1));
    if (s->kind == LOCANT_SEGMENT_IMAGE)
        return LOCANT_OK;
    LCT_TRY(lct_check_segment(who, i, "frames", s->frames, 1));
    if (s->kind == LOCANT_SEGMENT_VIDEO)
        return s->interval >= 0 && s->interval <= 0x1.fffffffffffffp1023
                   ? LOCANT_OK
                   : locant_fail(LOCANT_ERR_PARAM,
                                 "%s: interval of segment "
                                 "%zu is %g, expected a number of at least 0",
                                 who, i, s->interval);
    LCT_TRY(lct_check_segment(who, i, "before", s->before, 0));
    return lct_check_segment(who, i, "after", s->after, 0);
}

static locant_status walk_all(struct walk *w, const char *who,
                              const locant_segment *segments, size_t n,
                              locant_mrope_next rule)
{
    if (segments == NULL && n > 0)
        return locant_fail(LOCANT_ERR_NULL, "%s: segments is NULL", who);
    for (size_t i = 0; i < n; i++) {
        LCT_TRY(check_segment(who, i, &segments[i]));
        if (!advance(w, &segments[i], rule))
            return locant_fail(LOCANT_ERR_PARAM,
                               "%s: the ids of segment %zu pass 2^63", who, i);
    }
    return LOCANT_OK;
}

/* ---------------------------------------------------------------- writing */

/* Where the next id is written. */
struct writer {
    locant_tensor *out; /* [tokens, 3] */
    int64_t row;
};

static void write_id(struct writer *p, int64_t t, int64_t h, int64_t w)
{
    int64_t *id = lct_ids_row(p->out, p->row++);

    id[0] = t;
    id[1] = h;
    id[2] = w;
}

/* Returns the next free id. */
static int64_t write_text(struct writer *p, int64_t start, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        write_id(p, start + i, start + i, start + i);
    return start + n;
}

static void write_image(struct writer *p, const locant_segment *s, int64_t t,
                        int64_t start)
{
    for (int64_t row = 0; row < s->rows; row++)
        for (int64_t col = 0; col < s->cols; col++)
            write_id(p, t, start + row, start + col);
}

static void write_segment(struct writer *p, const locant_segment *s,
                          int64_t start)
{
    if (s->kind == LOCANT_SEGMENT_TEXT)
        write_text(p, start, s->tokens);
    if (s->kind == LOCANT_SEGMENT_IMAGE)
        write_image(p, s, start, start);
    for (int64_t f = 0; s->kind == LOCANT_SEGMENT_VIDEO && f < s->frames; f++) {
        int64_t t = 0;

        (void)frame_id(&t, f, s->interval); /* no overflow: checked */
        write_image(p, s, start + t, start);
    }
    for (int64_t f = 0; s->kind == LOCANT_SEGMENT_FRAMES && f < s->frames;
         f++) {
        start = write_text(p, start, s->before);
        write_image(p, s, start, start);
        start = write_text(p, start + lct_larger(s->rows, s->cols), s->after);
    }
}

/* ------------------------------------------------------------------ public */

locant_status locant_mrope_tokens(int64_t *tokens,
                                  const locant_segment *segments, size_t n)
{
    static const char who[] = "locant_mrope_tokens";
    struct walk w = { 0, 0, 0 };

    LCT_NOT_NULL(who, tokens);
    LCT_TRY(walk_all(&w, who, segments, n, LOCANT_MROPE_MAX));
    *tokens = w.tokens;
    return LOCANT_OK;
}

locant_status locant_positions_from_segments(locant_tensor *out, int64_t *delta,
                                             const locant_segment *segments,
                                             size_t n, locant_mrope_next next)
{
    struct walk w = { 0, 0, 0 };
    struct writer p = { out, 0 };

    if ((unsigned)next > LOCANT_MROPE_GRID)
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: next is %d, expected 0 (max) or 1 (grid)", fn,
                           (int)next);
    LCT_TRY(walk_all(&w, fn, segments, n, next));
    LCT_TRY(lct_check_ids(fn, "out", out, 2, (const int64_t[]){ w.tokens, 3 }));
    if (delta != NULL)
        *delta = w.end_id - w.tokens;
    w = (struct walk){ 0, 0, 0 };
    for (size_t i = 0; i < n; i++) {
        write_segment(&p, &segments[i], w.next);
        advance(&w, &segments[i], next);
    }
    return LOCANT_OK;
}

locant_status locant_mrope_interval(double *interval, int64_t tokens_per_second,
                                    double seconds)
{
    static const char who[] = "locant_mrope_interval";
    float product;

    LCT_NOT_NULL(who, interval);
    LCT_TRY(lct_check_least(who, "tokens_per_second", tokens_per_second, 0));
    if (!(seconds >= 0 && seconds < 0x1p63))
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: seconds is %g, expected a "
                           "number of at least 0 below 2^63",
                           who, seconds);
    product = (float)tokens_per_second * (float)seconds;
    if (!(product < 0x1p63f))
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: %" PRId64 " tokens x %g "
                           "seconds pass 2^63",
                           who, tokens_per_second, seconds);
    *interval = product;
    return LOCANT_OK;
}
