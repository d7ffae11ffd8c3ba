/* multimodal.c - ids of text, images, video and audio, by a model's scheme */
#include "ids_walk.h"
#include "locant/multimodal.h"
#include "positions.h"
#include <math.h>

static const char fn[] = "locant_positions_multimodal";

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
        double video = f < s->frames ? lct_ids_tm_frame(ids, s, f) : INFINITY;
        double audio = a < s->tokens ? (double)a : INFINITY;
        double now = floor(fmin(video, audio) / turn);

        for (;
             f < s->frames && floor(lct_ids_tm_frame(ids, s, f) / turn) == now;
             f++)
            write_frame(p, s, start + lct_ids_tm_frame(ids, s, f), start,
                        start);
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
        write_frame(p, s, start + lct_ids_tm_frame(ids, s, f), start, start);
    if (s->kind != LOCANT_SEGMENT_CLIP)
        return;
    write_text(p, start, s->before, 0);
    start += s->before > 0;
    write_turns(p, ids, s, start);
    start += fmax(lct_ids_tm_video(ids, s), (double)s->tokens);
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
    for (int64_t f = 0; f < lct_ids_frames(s); f++) {
        double t = start + ids->delta * (double)f;

        write_frame(p, s, t, t - (double)((s->rows - 1) / 2),
                    t - (double)((s->cols - 1) / 2));
    }
}

/* Centred rows and columns. */
static void write_qwen_image(struct writer *p, const locant_segment *s,
                             double image)
{
    for (int64_t f = 0; f < lct_ids_frames(s); f++)
        write_frame(p, s, image + (double)f, -(double)(s->rows - s->rows / 2),
                    -(double)(s->cols - s->cols / 2));
}

/* Text of image models does not move images, which start at 0. */
static void write_plain_text(struct writer *p, const locant_ids *ids,
                             const locant_segment *s,
                             const struct lct_ids_walk *w, double half)
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
                          const locant_segment *s, const struct lct_ids_walk *w,
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
    struct lct_ids_walk w = { 0 };

    LCT_NOT_NULL(who, tokens);
    LCT_NOT_NULL(who, lanes);
    LCT_TRY(lct_ids_walk_all(&w, who, ids, segments, n));
    *tokens = w.tokens;
    *lanes = lct_ids_lanes(ids);
    return LOCANT_OK;
}

static locant_status check_out(const locant_tensor *out, const locant_ids *ids,
                               int64_t tokens)
{
    const int64_t shape[2] = { tokens, lct_ids_lanes(ids) };

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
    struct lct_ids_walk w = { 0 };
    struct writer p = { out, 0 };
    double half;

    LCT_TRY(lct_ids_walk_all(&w, fn, ids, segments, n));
    LCT_TRY(check_out(out, ids, w.tokens));
    if (delta != NULL)
        *delta = ids->scheme < LOCANT_IDS_FLUX ? w.next - (double)w.tokens : 0;
    half = w.half;
    w = (struct lct_ids_walk){ 0 };
    for (size_t i = 0; i < n; i++) {
        write_segment(&p, ids, &segments[i], &w, half);
        lct_ids_advance(&w, ids, &segments[i]);
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
