/* needs: lab */
/*
 * test_towers.c - encoders, encoder-decoders, images and Transformer-XL of the
 * fixtures: a decoder step by step; rows by themselves; refusals; no memory
 *
 * Whether logits are right is the subject of tests/run_models.py.
 */
#include "../src/families/net_memory.h"
#include "net_case.h"

enum { B = 2, T = 9, S = 7, VOCAB = 12 };

/* --------------------------------------------------------- texts in parts */

/* Logits [B, S, VOCAB] of a decoder, 'most' tokens at a time. */
static void run_in_steps(float *out, const struct lct_net *n,
                         const struct lct_net_tokens *source,
                         const int64_t *ids, int64_t most)
{
    struct lct_net_memory memory = { 0 };
    struct lct_net_run r;

    CHECK_OK(lct_net_run_begin(&r, n, B, S, most));
    if (n->encoder.plan != NULL)
        CHECK_OK(lct_net_memory_read(&memory, n, B, source));
    r.memory = &memory;
    for (int64_t t = 0; t < S; t += most) {
        const int64_t count = S - t < most ? S - t : most;
        const struct lct_net_tokens part = { .T = count,
                                             .ids = ids + t,
                                             .stride = S };

        CHECK_OK(lct_net_run_step(&r, &part));
        for (int64_t b = 0; b < B; b++)
            lct_net_run_head(out + (b * S + t) * VOCAB,
                             (float *)r.x + b * count * n->width, count, &r);
    }
    lct_net_run_end(&r);
    lct_net_memory_free(&memory);
}

static void check_steps(const char *name)
{
    const int64_t steps[] = { 1, 3 };
    int64_t ids[B * T], mask[B * T], decoder[B * S];
    const struct lct_net_tokens source = {
        .T = T, .ids = ids, .mask = mask, .stride = T
    };
    float whole[B * S * VOCAB], part[B * S * VOCAB];
    struct lct_net *n;

    draw_ids(ids, B * T, VOCAB);
    draw_ids(decoder, B * S, VOCAB);
    for (int i = 0; i < B * T; i++)
        mask[i] = i % T > 1 || i > T;
    CHECK_OK(lct_net_open(&n, fixture(name), LOCANT_F32, NULL));
    run_in_steps(whole, n, &source, decoder, S);
    for (size_t i = 0; i < LEN(steps); i++) {
        run_in_steps(part, n, &source, decoder, steps[i]);
        if (memcmp(whole, part, sizeof whole) != 0)
            FAIL("%s: steps of %d tokens have other bits", name, (int)steps[i]);
    }
    lct_net_close(n);
}

TEST(a_decoder_has_the_same_bits_whole_and_by_tokens)
{
    check_steps("marian");
    check_steps("t5");
    check_steps("t5_1_1");
    check_steps("umt5");
    check_steps("transfo_xl");
}

TEST(continuations_begin_with_the_start_token)
{
    enum { NEW = 5 };
    static const char *const names[] = { "marian", "t5", "umt5" };
    static const int64_t start[] = { 11, 0, 0 };

    for (size_t i = 0; i < LEN(names); i++) {
        locant_model *m = opened(names[i], LOCANT_F32);
        int64_t ids[B * T], out[B * (1 + NEW)], shape[2];
        float logits[B * (1 + NEW) * VOCAB];
        locant_model_input in = LOCANT_MODEL_INPUT_INIT;
        locant_generation g = LOCANT_GENERATION_INIT;

        draw_ids(ids, B * T, VOCAB);
        in.ids = VIEW(I64, ids, B, T);
        g.ignore_end = 1;
        CHECK_OK(locant_model_prompt(shape, m, &in));
        CHECK(shape[0] == B && shape[1] == 1);
        CHECK_OK(locant_model_generate(VIEW(I64, out, B, 1 + NEW), m, &in, &g));
        in.decoder_ids = VIEW(I64, out, B, 1 + NEW);
        CHECK_OK(locant_model_logits(VIEW(F32, logits, B, 1 + NEW, VOCAB), NULL,
                                     m, &in, 0));
        for (int b = 0; b < B; b++)
            CHECK(out[b * (1 + NEW)] == start[i]);
        for (int k = 0; k < B * (1 + NEW); k++)
            if (k % (1 + NEW) < NEW)
                CHECK(out[k + 1] == argmax(logits + k * VOCAB, VOCAB));
        locant_model_close(m);
    }
}

/* -------------------------------------------------------------------- rows */

TEST(images_do_not_depend_on_each_other)
{
    static const struct {
        const char *name;
        int64_t side;
        int flags;
    } models[] = { { "vit", 8, 0 },     { "dinov2", 8, 0 },
                   { "dinov2", 12, 0 }, { "dinov3", 8, LOCANT_MODEL_HIDDEN },
                   { "swin", 14, 0 },   { "swin", 10, LOCANT_MODEL_HIDDEN },
                   { "swinv2", 12, 0 } };

    for (size_t i = 0; i < LEN(models); i++) {
        locant_model *m = opened(models[i].name, LOCANT_F32);
        const int64_t side = models[i].side, each = 3 * side * side;
        const int flags = models[i].flags;
        float *pixels = malloc((size_t)(B * each) * sizeof *pixels);
        locant_model_input in = LOCANT_MODEL_INPUT_INIT;
        int64_t shape[3];
        float *both, *one;
        int64_t row = 1;
        int rank;

        for (int64_t k = 0; k < B * each; k++)
            pixels[k] = (float)test_uniform();
        in.pixels = VIEW(F32, pixels, B, 3, side, side);
        CHECK_OK(locant_model_shape(shape, &rank, m, &in, flags));
        CHECK(shape[0] == B && rank == (flags ? 3 : 2));
        for (int k = 1; k < rank; k++)
            row *= shape[k];
        both = malloc((size_t)(B * row) * sizeof *both);
        one = malloc((size_t)row * sizeof *one);
        locant_tensor out = locant_dense(both, LOCANT_F32, rank, shape);

        CHECK_OK(locant_model_logits(&out, NULL, m, &in, flags));
        for (int64_t b = 0; b < B; b++) {
            in.pixels = VIEW(F32, pixels + b * each, 1, 3, side, side);
            shape[0] = 1;
            out = locant_dense(one, LOCANT_F32, rank, shape);
            CHECK_OK(locant_model_logits(&out, NULL, m, &in, flags));
            if (memcmp(one, both + b * row, (size_t)row * sizeof *one) != 0)
                FAIL("%s: image %d has other bits alone", models[i].name,
                     (int)b);
        }
        free(one);
        free(both);
        free(pixels);
        locant_model_close(m);
    }
}

/* ---------------------------------------------------------------- refusals */

TEST(refuses_pixels_of_a_wrong_shape)
{
    float pixels[3 * 9 * 9] = { 0 }, out[3];
    locant_model_input in = LOCANT_MODEL_INPUT_INIT;
    locant_model *m = opened("vit", LOCANT_F32);
    int64_t ids[2] = { 1, 2 };
    locant_tensor *to = VIEW(F32, out, 1, 3);

    CHECK_REFUSED(locant_model_logits(to, NULL, m, &in, 0), LOCANT_ERR_NULL,
                  "locant_model_logits: vit is a model of images, and there "
                  "are no pixels");
    in.pixels = VIEW(F32, pixels, 1, 3, 9, 8);
    CHECK_REFUSED(locant_model_logits(to, NULL, m, &in, 0), LOCANT_ERR_SHAPE,
                  "locant_model_logits: pixels has shape [1, 3, 9, 8], "
                  "expected [any, 3, 8, 8]");
    in.pixels = VIEW(F32, pixels, 1, 1, 8, 8);
    CHECK_REFUSED(locant_model_logits(to, NULL, m, &in, 0), LOCANT_ERR_SHAPE,
                  "locant_model_logits: pixels has shape [1, 1, 8, 8], "
                  "expected [any, 3, 8, 8]");
    in.pixels = VIEW(F32, pixels, 1, 3, 8, 8);
    in.ids = VIEW(I64, ids, 1, 2);
    CHECK_REFUSED(locant_model_logits(to, NULL, m, &in, 0), LOCANT_ERR_PARAM,
                  "locant_model_logits: vit takes pixels and nothing else");
    locant_model_close(m);
    m = opened("dinov2", LOCANT_F32);
    in.ids = NULL;
    in.pixels = VIEW(F32, pixels, 1, 3, 9, 8);
    CHECK_REFUSED(locant_model_logits(to, NULL, m, &in, 0), LOCANT_ERR_SHAPE,
                  "locant_model_logits: an image is 9 x 8 pixels, expected "
                  "whole patches of 4 x 4");
    locant_model_close(m);
}

TEST(refuses_what_a_model_lacks)
{
    int64_t ids[2] = { 1, 2 }, types[2] = { 0, 2 }, shape[2];
    float out[2 * VOCAB];
    locant_model_input in = LOCANT_MODEL_INPUT_INIT;
    locant_model *m = opened("t5", LOCANT_F32);
    locant_tensor *to = VIEW(F32, out, 1, 2, VOCAB);

    in.ids = VIEW(I64, ids, 1, 2);
    CHECK_REFUSED(locant_model_logits(to, NULL, m, &in, 0), LOCANT_ERR_PARAM,
                  "locant_model_logits: t5 is an encoder-decoder, and there "
                  "are no ids of its decoder");
    in.decoder_ids = VIEW(I64, ids, 2, 1);
    CHECK_REFUSED(locant_model_logits(to, NULL, m, &in, 0), LOCANT_ERR_SHAPE,
                  "locant_model_logits: decoder_ids has shape [2, 1], "
                  "expected [1, any]");
    locant_model_close(m);
    m = opened("bert", LOCANT_F32);
    CHECK_REFUSED(locant_model_logits(to, NULL, m, &in, 0), LOCANT_ERR_PARAM,
                  "locant_model_logits: bert takes no ids of a decoder");
    in.decoder_ids = NULL;
    in.types = VIEW(I64, types, 1, 2);
    CHECK_REFUSED(locant_model_logits(to, NULL, m, &in, 0), LOCANT_ERR_PARAM,
                  "locant_model_logits: types[0, 1] is 2, the model has 2 "
                  "types");
    CHECK_REFUSED(locant_model_prompt(shape, m, &in), LOCANT_ERR_UNSUPPORTED,
                  "locant_model_prompt: models of type bert do not continue "
                  "texts");
    locant_model_close(m);
    m = opened("dinov3", LOCANT_F32);
    in = (locant_model_input)LOCANT_MODEL_INPUT_INIT;
    in.pixels = VIEW(F32, out, 1, 3, 4, 0);
    CHECK_REFUSED(locant_model_logits(to, NULL, m, &in, 0), LOCANT_ERR_SHAPE,
                  "locant_model_logits: an image is 4 x 0 pixels, expected "
                  "whole patches of 4 x 4");
    locant_model_close(m);
}

struct small {
    const char *name;
    int64_t side; /* of images; 0: texts */
};

static locant_status run_without_memory(const void *context)
{
    const struct small *model = context;
    locant_model *m = NULL;
    int64_t ids[4] = { 1, 2, 3, 4 };
    float pixels[3 * 14 * 14] = { 0 }, out[4 * VOCAB];
    locant_model_input in = LOCANT_MODEL_INPUT_INIT;
    const locant_tensor tokens = DENSE(I64, ids, 1, 4);
    const locant_tensor image =
        DENSE(F32, pixels, 1, 3, model->side, model->side);
    locant_tensor to = DENSE(F32, out, 1, 4, VOCAB);
    locant_tensor classes = DENSE(F32, out, 1, 3);
    locant_status status;

    in.pixels = model->side > 0 ? &image : NULL;
    in.ids = model->side > 0 ? NULL : &tokens;
    in.decoder_ids = strcmp(model->name, "t5") == 0 ? &tokens : NULL;
    status = locant_model_open(&m, fixture(model->name), LOCANT_F32);
    if (status == LOCANT_OK)
        status = locant_model_logits(model->side > 0 ? &classes : &to, NULL, m,
                                     &in, 0);
    locant_model_close(m);
    return status;
}

TEST(without_memory_nothing_is_kept)
{
    static const struct small models[] = { { "bert", 0 },  { "deberta_v3", 0 },
                                           { "t5", 0 },    { "transfo_xl", 0 },
                                           { "qwen1", 0 }, { "dinov2", 12 },
                                           { "swin", 14 }, { "swinv2", 12 } };

    for (size_t i = 0; i < LEN(models); i++)
        check_no_memory(run_without_memory, &models[i]);
}
