/*
 * model_sight.c - images within texts: their arguments, checked, and what a run
 * has of them
 */
#include "model_sight.h"
#include "locant/positions.h"
#include <inttypes.h>
#include <string.h>

/* ------------------------------------------------------------------ images */

/* Images of one size, whose grid need not be given. */
static locant_status check_images(struct lct_net_images *out, const char *fn,
                                  const struct lct_net *n,
                                  const locant_tensor *pixels)
{
    const struct lct_net_patches *p = n->sight->text.patches;
    const int64_t down = p->side[0] * p->merge, across = p->side[1] * p->merge;
    const int64_t most = 1 << 24;

    LCT_TRY(lct_model_input_array(fn, "pixels", pixels, LOCANT_F32, 4,
                                  (int64_t[4]){ -1, p->channels, -1, -1 }));
    out->n = pixels->shape[0];
    out->height = pixels->shape[2];
    out->width = pixels->shape[3];
    if (out->height > 0 && out->width > 0 && out->height < most &&
        out->width < most && out->height % down == 0 &&
        out->width % across == 0)
        return LOCANT_OK;
    return locant_fail(LOCANT_ERR_SHAPE,
                       "%s: an image is %" PRId64 " x %" PRId64
                       " pixels, expected multiples of %" PRId64 " x %" PRId64
                       ": patches of %" PRId64 " x %" PRId64 ", %" PRId64
                       " x %" PRId64 " of which make a token",
                       fn, out->height, out->width, down, across, p->side[0],
                       p->side[1], p->merge, p->merge);
}

/* Rows of the grid, and how many patches they have. */
static locant_status check_grid(struct lct_net_images *out, int64_t *patches,
                                const char *fn, const struct lct_net *n,
                                const locant_tensor *grid)
{
    const int64_t merge = n->sight->text.patches->merge, most = 1 << 24;
    const int64_t *g;

    LCT_TRY(lct_model_input_array(fn, "grid", grid, LOCANT_I64, 2,
                                  (int64_t[2]){ -1, 3 }));
    out->n = grid->shape[0];
    out->grid = g = grid->data;
    *patches = 0;
    for (int64_t i = 0; i < out->n; i++, g += 3) {
        if (g[0] < 1 || g[1] < 1 || g[2] < 1 || g[0] > most || g[1] > most ||
            g[2] > most || g[1] % merge != 0 || g[2] % merge != 0 ||
            g[0] > most / g[1] || g[0] * g[1] > most / g[2] ||
            *patches > INT64_MAX - most)
            return locant_fail(
                LOCANT_ERR_PARAM,
                "%s: grid[%" PRId64 "] is (%" PRId64 ", %" PRId64 ", %" PRId64
                "), expected frames, and rows and columns of patches that are "
                "multiples of %" PRId64 ", at most 2^24 patches",
                fn, i, g[0], g[1], g[2], merge);
        *patches += g[0] * g[1] * g[2];
    }
    return LOCANT_OK;
}

/* The grid of images says what their sizes say. */
static locant_status compare_grid(const struct lct_net_images *im,
                                  const char *fn, const struct lct_net *n,
                                  const locant_tensor *grid)
{
    struct lct_net_images given = { 0 };
    int64_t patches, size[3];

    LCT_TRY(check_grid(&given, &patches, fn, n, grid));
    if (given.n != im->n)
        return locant_fail(LOCANT_ERR_SHAPE,
                           "%s: grid has %" PRId64 " rows, and there are "
                           "%" PRId64 " images",
                           fn, given.n, im->n);
    lct_net_sight_size(size, n, im, 0);
    for (int64_t i = 0; i < im->n; i++) {
        const int64_t *g = given.grid + 3 * i;

        if (memcmp(g, size, sizeof(size)) != 0)
            return locant_fail(LOCANT_ERR_PARAM,
                               "%s: grid[%" PRId64 "] is (%" PRId64 ", %" PRId64
                               ", %" PRId64 "), and an image of %" PRId64
                               " x %" PRId64 " pixels has (1, %" PRId64
                               ", %" PRId64 ")",
                               fn, i, g[0], g[1], g[2], im->height, im->width,
                               size[1], size[2]);
    }
    return LOCANT_OK;
}

/* Patches of images of any sizes, as the processors of transformers give. */
static locant_status check_patches(struct lct_net_images *out, const char *fn,
                                   const struct lct_net *n,
                                   const locant_model_input *in)
{
    const int64_t each = n->sight->text.patches->map.w.in;
    int64_t patches;

    LCT_TRY(lct_model_input_array(fn, "pixels", in->pixels, LOCANT_F32, 2,
                                  (int64_t[2]){ -1, each }));
    if (in->grid == NULL)
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: pixels has patches, and there is no grid that "
                           "says of which images",
                           fn);
    LCT_TRY(check_grid(out, &patches, fn, n, in->grid));
    if (patches == in->pixels->shape[0])
        return LOCANT_OK;
    return locant_fail(LOCANT_ERR_SHAPE,
                       "%s: pixels has %" PRId64 " patches, and the images of "
                       "grid %" PRId64,
                       fn, in->pixels->shape[0], patches);
}

/* ------------------------------------------------------------------ tokens */

static bool is_image(const struct lct_model_input *in, const struct lct_net *n,
                     int64_t i)
{
    return in->ids[i] == n->image_id;
}

/* Tokens that stand for images are seen, and none is of a video. */
static locant_status check_tokens(int64_t *count, const char *fn,
                                  const struct lct_net *n,
                                  const struct lct_model_input *in)
{
    for (int64_t i = 0; i < in->B * in->T; i++) {
        const int64_t b = i / in->T, t = i % in->T;

        if (in->ids[i] == n->video_id && n->video_id != n->image_id)
            return locant_fail(
                LOCANT_ERR_PARAM,
                "%s: ids[%" PRId64 ", %" PRId64 "] is %" PRId64
                ", a token of videos, expected those of images (%" PRId64
                "): a video is an image of several frames",
                fn, b, t, n->video_id, n->image_id);
        if (!is_image(in, n, i))
            continue;
        if (in->mask != NULL && in->mask[i] == 0)
            return locant_fail(LOCANT_ERR_PARAM,
                               "%s: ids[%" PRId64 ", %" PRId64
                               "] is a token of an image, which the mask "
                               "hides",
                               fn, b, t);
        ++*count;
    }
    return LOCANT_OK;
}

/* The tokens of an image follow each other in a row. */
static locant_status check_runs(const char *fn, const struct lct_net *n,
                                const struct lct_model_input *in)
{
    int64_t size[3], tokens = 0, left = 0, image = -1;

    for (int64_t i = 0; i < in->B * in->T; i++) {
        const bool token = is_image(in, n, i), first = i % in->T == 0;
        const bool begins = left == 0 && token;

        if (begins)
            left = tokens = lct_net_sight_size(size, n, &in->images, ++image);
        if (left > 0 && (!token || (first && !begins)))
            return locant_fail(LOCANT_ERR_PARAM,
                               "%s: image %" PRId64 " has %" PRId64
                               " tokens, and the last %" PRId64
                               " are missing before ids[%" PRId64 ", %" PRId64
                               "]",
                               fn, image, tokens, left, i / in->T, i % in->T);
        left -= left > 0;
    }
    return LOCANT_OK;
}

locant_status lct_model_sight_check(struct lct_model_input *out, const char *fn,
                                    const struct lct_net *n,
                                    const locant_model_input *in)
{
    struct lct_net_images *im = &out->images;
    int64_t size[3], wanted = 0, count = 0;

    if (n->sight == NULL)
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: %s has no tensors of a tower for images, which "
                           "pixels and a grid are for",
                           fn, n->config.file);
    if (in->pixels == NULL)
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: there is a grid, and there are no pixels", fn);
    im->pixels = in->pixels->data;
    if (in->pixels->rank == 4) {
        LCT_TRY(check_images(im, fn, n, in->pixels));
        if (in->grid != NULL)
            LCT_TRY(compare_grid(im, fn, n, in->grid));
    } else {
        LCT_TRY(check_patches(im, fn, n, in));
    }
    for (int64_t i = 0; i < im->n; i++)
        wanted += lct_net_sight_size(size, n, im, i);
    LCT_TRY(check_tokens(&count, fn, n, out));
    if (count != wanted)
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: ids has %" PRId64 " tokens of images (id "
                           "%" PRId64 "), expected the %" PRId64 " of %" PRId64
                           " images",
                           fn, count, n->image_id, wanted, im->n);
    return out->positions != NULL ? LOCANT_OK : check_runs(fn, n, out);
}

/* --------------------------------------------------------------- positions */

static bool is_seen(const struct lct_model_input *in, int64_t i)
{
    return in->mask == NULL || in->mask[i] != 0;
}

/* The segments of row b, in room for all; *image is the next one.  Returns how
   many there are. */
static size_t segments_of(locant_segment *out, int64_t *image,
                          const struct lct_net *n,
                          const struct lct_model_input *in, int64_t b)
{
    const int64_t merge = n->sight->text.patches->merge;
    int64_t size[3], left = 0;
    size_t count = 0;

    for (int64_t i = b * in->T; i < (b + 1) * in->T; i++) {
        if (!is_seen(in, i))
            continue;
        if (left > 0) {
            left--;
        } else if (is_image(in, n, i)) {
            left = lct_net_sight_size(size, n, &in->images, (*image)++) - 1;
            out[count++] = (locant_segment){ .kind = LOCANT_SEGMENT_VIDEO,
                                             .frames = size[0],
                                             .rows = size[1] / merge,
                                             .cols = size[2] / merge,
                                             .interval = 1 };
        } else if (count > 0 && out[count - 1].kind == LOCANT_SEGMENT_TEXT) {
            out[count - 1].tokens++;
        } else {
            out[count++] =
                (locant_segment){ .kind = LOCANT_SEGMENT_TEXT, .tokens = 1 };
        }
    }
    return count;
}

/* Row b of s->positions and s->next; 'ids' has room for [T, 3]. */
static locant_status number_row(struct lct_model_sight *s, int64_t *image,
                                locant_segment *segments, int64_t *ids,
                                const struct lct_net *n,
                                const struct lct_model_input *in, int64_t b)
{
    const size_t count = segments_of(segments, image, n, in, b);
    locant_tensor out;
    int64_t tokens, delta, at = 0;

    LCT_TRY(locant_mrope_tokens(&tokens, segments, count));
    out = locant_dense(ids, LOCANT_I64, 2, (int64_t[2]){ tokens, 3 });
    LCT_TRY(locant_positions_from_segments(&out, &delta, segments, count,
                                           LOCANT_MROPE_GRID));
    for (int64_t i = b * in->T; i < (b + 1) * in->T; i++)
        if (is_seen(in, i)) {
            for (int64_t a = 0; a < 3; a++)
                s->positions[a * in->B * in->T + i] = ids[3 * at + a];
            at++;
        }
    for (int64_t a = 0; a < 3; a++)
        s->next[a * in->B + b] = tokens + delta;
    return LOCANT_OK;
}

/* What get_rope_index() of transformers gives. */
static locant_status number(struct lct_model_sight *s, const struct lct_net *n,
                            const struct lct_model_input *in)
{
    locant_segment *segments = lct_net_zeros(in->T, 1, sizeof(*segments));
    int64_t *ids = lct_net_zeros(in->T, 3, sizeof(*ids));
    locant_status status = LOCANT_OK;
    int64_t image = 0;

    s->positions = lct_net_zeros(3 * in->B, in->T, sizeof(*s->positions));
    s->next = lct_net_zeros(3, in->B, sizeof(*s->next));
    if (segments == NULL || ids == NULL || s->positions == NULL ||
        s->next == NULL)
        status = locant_fail(LOCANT_ERR_NOMEM, "locant_model: no memory");
    for (int64_t b = 0; status == LOCANT_OK && b < in->B; b++)
        status = number_row(s, &image, segments, ids, n, in, b);
    locant_release(segments);
    locant_release(ids);
    return status;
}

/* ------------------------------------------------------------------ reading */

locant_status lct_model_sight_read(struct lct_model_sight *s,
                                   const struct lct_net *n,
                                   struct lct_model_input *in)
{
    int64_t next = 0;

    if (in->images.pixels == NULL)
        return LOCANT_OK;
    s->at = lct_net_zeros(in->B, in->T, sizeof(*s->at));
    if (s->at == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "locant_model: no memory");
    for (int64_t i = 0; i < in->B * in->T; i++)
        s->at[i] = is_image(in, n, i) ? next++ : -1;
    in->seen = s->at;
    if (in->positions == NULL) {
        LCT_TRY(number(s, n, in));
        in->positions = s->positions;
        in->axis = in->B * in->T;
        in->next = s->next;
    }
    return lct_net_sight_read(&s->seen, n, &in->images);
}

void lct_model_sight_free(struct lct_model_sight *s)
{
    lct_net_sight_free(&s->seen);
    locant_release(s->at);
    locant_release(s->positions);
    locant_release(s->next);
    *s = (struct lct_model_sight){ 0 };
}
