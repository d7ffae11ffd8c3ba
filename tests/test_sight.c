/* needs: lab */
/*
 * test_sight.c - images within texts: whole and by tokens, alone and in a
 * batch, as images and as patches; continuations; refusals; no memory
 *
 * Whether logits are right is the subject of tests/run_models.py.  Patches of
 * the fixtures are 2 x 2 pixels, of which 2 x 2 make a token; image tokens have
 * the id 10, those of videos 11.
 */
#include "../src/families/model_run.h"
#include "net_case.h"
#include <math.h>

enum { B = 2, T = 12, VOCAB = 12, H = 8, W = 12, SIDE = 2, MERGE = 2 };
enum { TOKENS = H / SIDE / MERGE * (W / SIDE / MERGE), IMAGE = 3 * H * W };
enum { PATCH = 3 * 2 * SIDE * SIDE, PATCHES = H / SIDE * (W / SIDE) };

static const char *const names[] = { "qwen2_vl_image", "qwen2_5_vl_image",
                                     "qwen3_vl_image", "qwen3_vl_moe_image" };

/* A row of T ids with one image from 'first' on, for each of two rows. */
struct texts {
    int64_t ids[B * T];
    float pixels[B * IMAGE];
};

static void draw_texts(struct texts *x, int first)
{
    draw_ids(x->ids, B * T, 8);
    for (int b = 0; b < B; b++)
        for (int i = 0; i < TOKENS; i++)
            x->ids[b * T + first + b + i] = 10;
    for (int i = 0; i < B * IMAGE; i++)
        x->pixels[i] = (float)test_uniform();
}

/* ------------------------------------------------------ parts of a batch */

/* Logits [B, T, VOCAB], 'most' tokens at a time. */
static void run_in_steps(float *out, const struct lct_net *n, struct texts *x,
                         int64_t most)
{
    locant_model_input input = LOCANT_MODEL_INPUT_INIT;
    struct lct_model_memory memory = { 0 };
    struct lct_model_input in;
    struct lct_net_run r = { 0 };

    input.ids = VIEW(I64, x->ids, B, T);
    input.pixels = VIEW(F32, x->pixels, B, 3, H, W);
    CHECK_OK(lct_model_input_check(&in, "f", n, &input, false));
    CHECK_OK(lct_model_run_begin(&r, &memory, n, &in, T));
    for (int64_t t = 0; t < T; t += most) {
        const int64_t count = T - t < most ? T - t : most;
        const struct lct_net_tokens part = lct_model_input_part(&in, t, count);

        CHECK_OK(lct_net_run_step(&r, &part));
        for (int64_t b = 0; b < B; b++)
            lct_net_run_head(out + (b * T + t) * VOCAB,
                             (float *)r.x + b * count * n->width, count, &r);
    }
    lct_model_run_end(&r, &memory);
}

TEST(a_text_with_images_has_the_same_bits_whole_and_by_tokens)
{
    const int64_t steps[] = { 1, 5 };
    float whole[B * T * VOCAB], part[B * T * VOCAB];
    struct texts x;

    draw_texts(&x, 3);
    for (size_t i = 0; i < LEN(names); i++) {
        struct lct_net *n;

        CHECK_OK(lct_net_open(&n, fixture(names[i]), LOCANT_F32, NULL));
        run_in_steps(whole, n, &x, T);
        for (size_t k = 0; k < LEN(steps); k++) {
            run_in_steps(part, n, &x, steps[k]);
            if (memcmp(whole, part, sizeof whole) != 0)
                FAIL("%s: steps of %d tokens have other bits", names[i],
                     (int)steps[k]);
        }
        lct_net_close(n);
    }
}

TEST(rows_do_not_depend_on_each_other)
{
    float both[B * T * VOCAB], one[T * VOCAB];
    struct texts x;

    draw_texts(&x, 2);
    for (size_t i = 0; i < LEN(names); i++) {
        locant_model *m = opened(names[i], LOCANT_F32);
        locant_model_input in = LOCANT_MODEL_INPUT_INIT;

        in.ids = VIEW(I64, x.ids, B, T);
        in.pixels = VIEW(F32, x.pixels, B, 3, H, W);
        CHECK_OK(
            locant_model_logits(VIEW(F32, both, B, T, VOCAB), NULL, m, &in, 0));
        for (int b = 0; b < B; b++) {
            in.ids = VIEW(I64, x.ids + b * T, 1, T);
            in.pixels = VIEW(F32, x.pixels + b * IMAGE, 1, 3, H, W);
            CHECK_OK(locant_model_logits(VIEW(F32, one, 1, T, VOCAB), NULL, m,
                                         &in, 0));
            if (memcmp(one, both + b * T * VOCAB, sizeof one) != 0)
                FAIL("%s: row %d has other bits alone", names[i], b);
        }
        locant_model_close(m);
    }
}

/* Patches of an image as the processor of Qwen2-VL orders them: down and across
   the groups, down and across a group; channels, frames, rows, columns. */
static void flatten(float *out, const float *image)
{
    for (int i = 0; i < PATCHES * PATCH; i++) {
        const int patch = i / PATCH, group = patch / (MERGE * MERGE);
        const int within = patch % (MERGE * MERGE), number = i % PATCH;
        const int y = group / (W / SIDE / MERGE) * MERGE + within / MERGE;
        const int x = group % (W / SIDE / MERGE) * MERGE + within % MERGE;
        const int c = number / (2 * SIDE * SIDE);
        const int row = number % (SIDE * SIDE) / SIDE, column = number % SIDE;

        out[i] = image[(c * H + y * SIDE + row) * W + x * SIDE + column];
    }
}

TEST(patches_give_the_logits_of_their_images)
{
    int64_t grid[B * 3] = { 1, H / SIDE, W / SIDE, 1, H / SIDE, W / SIDE };
    float flat[B * PATCHES * PATCH], whole[B * T * VOCAB], got[B * T * VOCAB];
    struct texts x;

    draw_texts(&x, 1);
    for (int b = 0; b < B; b++)
        flatten(flat + b * PATCHES * PATCH, x.pixels + b * IMAGE);
    for (size_t i = 0; i < LEN(names); i++) {
        locant_model *m = opened(names[i], LOCANT_F32);
        locant_model_input in = LOCANT_MODEL_INPUT_INIT;

        in.ids = VIEW(I64, x.ids, B, T);
        in.pixels = VIEW(F32, x.pixels, B, 3, H, W);
        CHECK_OK(locant_model_logits(VIEW(F32, whole, B, T, VOCAB), NULL, m,
                                     &in, 0));
        in.grid = VIEW(I64, grid, B, 3);
        CHECK_OK(
            locant_model_logits(VIEW(F32, got, B, T, VOCAB), NULL, m, &in, 0));
        CHECK(memcmp(got, whole, sizeof got) == 0);
        in.pixels = VIEW(F32, flat, B * PATCHES, PATCH);
        CHECK_OK(
            locant_model_logits(VIEW(F32, got, B, T, VOCAB), NULL, m, &in, 0));
        if (memcmp(got, whole, sizeof got) != 0)
            FAIL("%s: patches have other bits than images", names[i]);
        locant_model_close(m);
    }
}

TEST(positions_may_be_given)
{
    enum { FIRST = 2, LENGTH = FIRST + TOKENS + 3 };
    locant_model *m = opened("qwen2_5_vl_image", LOCANT_F32);
    locant_model_input in = LOCANT_MODEL_INPUT_INIT;
    int64_t ids[3 * LENGTH];
    float want[LENGTH * VOCAB], got[LENGTH * VOCAB];
    struct texts x;

    draw_texts(&x, FIRST);
    /* 0, 1; rows and columns from 2 on; from 2 + 3 columns on */
    for (int t = 0; t < LENGTH; t++) {
        const int i = t - FIRST, columns = W / SIDE / MERGE;
        const int after = t - FIRST - TOKENS + FIRST + columns;
        const bool image = i >= 0 && i < TOKENS;

        ids[t] = image ? FIRST : i < 0 ? t : after;
        ids[LENGTH + t] = image ? FIRST + i / columns : ids[t];
        ids[2 * LENGTH + t] = image ? FIRST + i % columns : ids[t];
    }
    in.ids = VIEW(I64, x.ids, 1, LENGTH);
    in.pixels = VIEW(F32, x.pixels, 1, 3, H, W);
    CHECK_OK(locant_model_logits(VIEW(F32, want, 1, LENGTH, VOCAB), NULL, m,
                                 &in, 0));
    in.positions = VIEW(I64, ids, 3, 1, LENGTH);
    CHECK_OK(
        locant_model_logits(VIEW(F32, got, 1, LENGTH, VOCAB), NULL, m, &in, 0));
    CHECK(memcmp(got, want, sizeof got) == 0);
    ids[LENGTH + FIRST] = 7;
    CHECK_OK(
        locant_model_logits(VIEW(F32, got, 1, LENGTH, VOCAB), NULL, m, &in, 0));
    CHECK(memcmp(got, want, sizeof got) != 0);
    locant_model_close(m);
}

/* ------------------------------------------------------------- older files */

static void *read_all(size_t *size, const char *name, const char *file)
{
    char path[600];
    void *bytes;
    FILE *f;

    snprintf(path, sizeof path, "%s/%s", fixture(name), file);
    f = fopen(path, "rb");
    CHECK(f != NULL && fseek(f, 0, SEEK_END) == 0);
    *size = (size_t)ftell(f);
    rewind(f);
    bytes = malloc(*size + 1);
    CHECK(fread(bytes, 1, *size, f) == *size);
    ((char *)bytes)[*size] = 0;
    fclose(f);
    return bytes;
}

/* A config of transformers 4, which has the keys of the text at its top. */
static char *flattened(const char *config)
{
    json_t *root = json_loads(config, 0, NULL), *more;
    json_t *text = json_object_get(root, "text_config");
    json_t *rope = json_object_get(text, "rope_parameters");
    char *out;

    json_object_del(text, "model_type");
    json_object_update(root, text);
    json_object_set(root, "rope_theta", json_object_get(rope, "rope_theta"));
    more = json_pack("{s:s, s:O}", "type", "mrope", "mrope_section",
                     json_object_get(rope, "mrope_section"));
    json_object_set_new(root, "rope_scaling", more);
    json_object_del(root, "rope_parameters");
    json_object_del(json_object_get(root, "vision_config"), "rope_parameters");
    json_object_del(json_object_get(root, "vision_config"), "model_type");
    json_object_del(root, "text_config");
    out = json_dumps(root, 0);
    json_decref(root);
    return out;
}

TEST(flat_files_of_transformers_4_have_the_same_bits)
{
    static const char *const old[] = { "qwen2_vl_image", "qwen2_5_vl_image" };
    float want[B * T * VOCAB], got[B * T * VOCAB];
    struct texts x;

    draw_texts(&x, 3);
    for (size_t i = 0; i < LEN(old); i++) {
        struct lct_net_bytes b = { .name = old[i] };
        struct lct_net *n;
        char *config = read_all(&b.config_size, old[i], "config.json");
        void *weights = read_all(&b.weights_size, old[i], "model.safetensors");
        char *flat = flattened(config);

        CHECK_OK(lct_net_open(&n, fixture(old[i]), LOCANT_F32, NULL));
        run_in_steps(want, n, &x, T);
        lct_net_close(n);
        b.config = flat;
        b.config_size = strlen(flat);
        b.weights = weights;
        CHECK_OK(lct_net_parse(&n, &b, LOCANT_F32));
        CHECK(n->sight != NULL);
        run_in_steps(got, n, &x, T);
        lct_net_close(n);
        CHECK(memcmp(got, want, sizeof got) == 0);
        free(flat);
        free(weights);
        free(config);
    }
}

/* ----------------------------------------------------------- continuations */

/* The tokens after a text whose last 'after' ones follow its image are those
   that the whole text makes most likely. */
static void check_continuation(const char *name, int after)
{
    enum { NEW = 3 };
    const int length = TOKENS + 2 + after;
    locant_model *m = opened(name, LOCANT_F32);
    locant_model_input in = LOCANT_MODEL_INPUT_INIT;
    locant_generation g = LOCANT_GENERATION_INIT;
    int64_t out[T + NEW];
    float logits[(T + NEW) * VOCAB];
    struct texts x;

    draw_texts(&x, 2);
    g.ignore_end = 1;
    in.ids = VIEW(I64, x.ids, 1, length);
    in.pixels = VIEW(F32, x.pixels, 1, 3, H, W);
    CHECK_OK(
        locant_model_generate(VIEW(I64, out, 1, length + NEW), m, &in, &g));
    for (int i = length; i < length + NEW; i++)
        if (out[i] > 9)
            out[i] = 9; /* no more images: later tokens are not compared */
    in.ids = VIEW(I64, out, 1, length + NEW);
    CHECK_OK(locant_model_logits(VIEW(F32, logits, 1, length + NEW, VOCAB),
                                 NULL, m, &in, 0));
    for (int i = length - 1; i + 1 < length + NEW && out[i] != 9; i++)
        if (out[i + 1] != 9)
            CHECK(out[i + 1] == argmax(logits + i * VOCAB, VOCAB));
    locant_model_close(m);
}

TEST(continuations_follow_their_images)
{
    for (size_t i = 0; i < LEN(names); i++)
        for (int after = 0; after < 3; after++)
            check_continuation(names[i], after);
}

TEST(losses_are_those_of_the_logits)
{
    enum { LENGTH = T - 1 };
    locant_model *m = opened("qwen3_vl_image", LOCANT_F64);
    locant_model_input in = LOCANT_MODEL_INPUT_INIT;
    double logits[T * VOCAB], loss[LENGTH];
    struct texts x;

    draw_texts(&x, 2);
    in.ids = VIEW(I64, x.ids, 1, T);
    in.pixels = VIEW(F32, x.pixels, 1, 3, H, W);
    CHECK_OK(
        locant_model_logits(VIEW(F64, logits, 1, T, VOCAB), NULL, m, &in, 0));
    CHECK_OK(locant_model_losses(VIEW(F64, loss, 1, LENGTH), m, &in));
    for (int t = 0; t < LENGTH; t++) {
        const double *z = logits + t * VOCAB;
        double sum = 0;

        for (int v = 0; v < VOCAB; v++)
            sum += exp(z[v] - z[x.ids[t + 1]]);
        /* a sum of 12 exponentials and a logarithm, of numbers below 100 */
        CHECK(fabs(loss[t] - log(sum)) < 1e-12);
    }
    locant_model_close(m);
}

/* ---------------------------------------------------------------- refusals */

#define REFUSED(kind, text)                                                    \
    CHECK_REFUSED(locant_model_logits(to, NULL, m, &in, 0), LOCANT_ERR_##kind, \
                  "locant_model_logits: " text)

TEST(refuses_pixels_of_a_wrong_shape)
{
    float *pixels = calloc(IMAGE * 4, sizeof *pixels), out[T * VOCAB];
    locant_model_input in = LOCANT_MODEL_INPUT_INIT;
    locant_model *m = opened("qwen2_5_vl_image", LOCANT_F32);
    locant_tensor *to = VIEW(F32, out, 1, T, VOCAB);
    int64_t grid[6] = { 1, 4, 6, 1, 3, 4 };
    struct texts x;

    draw_texts(&x, 2);
    in.ids = VIEW(I64, x.ids, 1, T);
    in.pixels = VIEW(F32, pixels, 1, 3, 6, 8);
    REFUSED(SHAPE, "an image is 6 x 8 pixels, expected multiples of 4 x 4: "
                   "patches of 2 x 2, 2 x 2 of which make a token");
    in.pixels = VIEW(F32, pixels, 1, 1, H, W);
    REFUSED(SHAPE, "pixels has shape [1, 1, 8, 12], expected [any, 3, any, "
                   "any]");
    in.pixels = VIEW(F32, pixels, 24, PATCH - 1);
    REFUSED(SHAPE, "pixels has shape [24, 23], expected [any, 24]");
    in.pixels = VIEW(F32, pixels, 24, PATCH);
    REFUSED(PARAM, "pixels has patches, and there is no grid that says of "
                   "which images");
    in.grid = VIEW(I64, grid, 2, 3);
    REFUSED(PARAM, "grid[1] is (1, 3, 4), expected frames, and rows and "
                   "columns of patches that are multiples of 2, at most 2^24 "
                   "patches");
    grid[4] = 2;
    REFUSED(SHAPE, "pixels has 24 patches, and the images of grid 32");
    in.pixels = VIEW(F32, pixels, 1, 3, H, W);
    REFUSED(SHAPE, "grid has 2 rows, and there are 1 images");
    grid[1] = 8;
    in.grid = VIEW(I64, grid, 1, 3);
    REFUSED(PARAM, "grid[0] is (1, 8, 6), and an image of 8 x 12 pixels has "
                   "(1, 4, 6)");
    in.pixels = NULL;
    REFUSED(PARAM, "there is a grid, and there are no pixels");
    locant_model_close(m);
    free(pixels);
}

TEST(refuses_tokens_that_are_not_those_of_the_images)
{
    float out[B * T * VOCAB];
    locant_model_input in = LOCANT_MODEL_INPUT_INIT;
    locant_model *m = opened("qwen3_vl_image", LOCANT_F32);
    locant_tensor *to = VIEW(F32, out, B, T, VOCAB);
    int64_t mask[B * T];
    struct texts x;

    draw_texts(&x, 2);
    for (int i = 0; i < B * T; i++)
        mask[i] = i != 4;
    in.ids = VIEW(I64, x.ids, B, T);
    in.pixels = VIEW(F32, x.pixels, B, 3, H, W);
    in.mask = VIEW(I64, mask, B, T);
    REFUSED(PARAM, "ids[0, 4] is a token of an image, which the mask hides");
    in.mask = NULL;
    x.ids[0] = 11;
    REFUSED(PARAM, "ids[0, 0] is 11, a token of videos, expected those of "
                   "images (10): a video is an image of several frames");
    x.ids[0] = 10;
    REFUSED(PARAM, "ids has 13 tokens of images (id 10), expected the 12 of 2 "
                   "images");
    x.ids[7] = 3;
    REFUSED(PARAM, "image 0 has 6 tokens, and the last 5 are missing before "
                   "ids[0, 1]");
    in.pixels = VIEW(F32, x.pixels, 1, 3, H, W);
    for (int i = 0; i < B * T; i++)
        x.ids[i] = i >= T - 3 && i < T + 3 ? 10 : 1;
    REFUSED(PARAM, "image 0 has 6 tokens, and the last 3 are missing before "
                   "ids[1, 0]");
    locant_model_close(m);
    m = opened("qwen3_vl", LOCANT_F32); /* its text alone */
    CHECK_REFUSED(locant_model_logits(to, NULL, m, &in, 0), LOCANT_ERR_PARAM,
                  "locant_model_logits: " FIXTURES
                  "qwen3_vl/config.json has no tensors of a tower for images, "
                  "which pixels and a grid are for");
    locant_model_close(m);
}

static locant_status run_without_memory(const void *context)
{
    static const int64_t grid[] = { 2, 2, 4 };
    float pixels[16 * PATCH] = { 0 }, out[6 * VOCAB];
    int64_t ids[6] = { 1, 10, 10, 10, 10, 2 };
    locant_model_input in = LOCANT_MODEL_INPUT_INIT;
    locant_model *m = NULL;
    const locant_tensor tokens = DENSE(I64, ids, 1, 6);
    const locant_tensor patches = DENSE(F32, pixels, 16, PATCH);
    const locant_tensor sizes = DENSE(I64, (int64_t *)grid, 1, 3);
    locant_tensor to = DENSE(F32, out, 1, 6, VOCAB);
    locant_status status;

    in.ids = &tokens;
    in.pixels = &patches;
    in.grid = &sizes;
    status = locant_model_open(&m, fixture(context), LOCANT_F32);
    if (status == LOCANT_OK)
        status = locant_model_logits(&to, NULL, m, &in, 0);
    locant_model_close(m);
    return status;
}

TEST(without_memory_nothing_is_kept)
{
    check_no_memory(run_without_memory, "qwen2_5_vl_image");
    check_no_memory(run_without_memory, "qwen3_vl_image");
}
