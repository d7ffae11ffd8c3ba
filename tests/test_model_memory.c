/*
 * test_model_memory.c - what layers remember from segment to segment, in
 * double: the same as one long pass where it can be, a gradient that stops at
 * remembered states, and refusals.
 */
/* needs: lab model_f64 */
#include "test_nn_gradient.h"

#include "model/model.h"
#include <stdio.h>

enum { BATCH = 3, SEGMENT = 6, VOCAB = 7, LONG = 3 * SEGMENT };

struct trial {
    const char *spec;
    locant_encoding *encoding;
    struct lct_model *model;
    int32_t words[BATCH * (LONG + 1)];
    double *kept; /* [layers, rows, tokens, width] */
    struct lct_memory_size size;
};

/* clang-format off */
static const char *const specs[] = {
    "rope", "alibi", "t5(buckets=8)", "kerple", "transformer-xl",
    "shaw(distance=4)", "fox", "relative(distance=4)", "deberta(span=4)",
    "cope(length=4)", "window(size=5)+rope", "pope", "xpos",
    "fire(hidden=6,length=64)", "music(length=32)", "none",
};
/* clang-format on */

static void make(struct trial *t, const char *spec, int64_t layers,
                 int64_t memory, int64_t length)
{
    struct lct_model_config c = {
        .layers = layers,
        .width = 16,
        .heads = 2,
        .kv_heads = 2,
        .ff = 8,
        .vocab = VOCAB,
        .memory = memory,
    };

    memset(t, 0, sizeof *t);
    t->spec = spec;
    CHECK_OK(locant_encoding_create(&t->encoding, spec));
    c.encoding = t->encoding;
    CHECK_OK(lct_model_create(&t->model, &c, BATCH, length, true));
    CHECK_OK(lct_model_init(t->model, 3));
    for (size_t i = 0; i < LEN(t->words); i++)
        t->words[i] = (int32_t)test_range(0, VOCAB - 1);
}

static void drop(struct trial *t)
{
    lct_model_free(t->model);
    locant_encoding_free(t->encoding);
    free(t->kept);
}

/* Losses [BATCH, T] of the words from 'at' on. */
static void forward(struct trial *t, int64_t at, int64_t T, double *loss,
                    double *mean)
{
    int32_t tokens[BATCH * LONG], targets[BATCH * LONG];

    for (int64_t b = 0; b < BATCH; b++)
        for (int64_t i = 0; i < T; i++) {
            tokens[b * T + i] = t->words[b * (LONG + 1) + at + i];
            targets[b * T + i] = t->words[b * (LONG + 1) + at + i + 1];
        }
    CHECK_OK(
        lct_model_forward(t->model, tokens, targets, BATCH, T, loss, mean));
}

/*
 * One layer reads embeddings, which know no past: keys remembered are those of
 * the long pass.  Products of other shapes may sum in another order: 30 terms
 * of size 1 through a layer, 1e-13 is a thousand roundings.
 */
static void check_segment(const char *spec, const double *want,
                          const double *got, int64_t at)
{
    for (int i = 0; i < BATCH * SEGMENT; i++) {
        double expected = want[i / SEGMENT * LONG + at + i % SEGMENT];

        if (!(fabs(got[i] - expected) < 1e-13))
            FAIL("%s: loss %d of the segment at %d is %.17g, in one pass %.17g",
                 spec, i, (int)at, got[i], expected);
    }
}

TEST(segments_equal_one_long_pass)
{
    for (size_t i = 0; i < LEN(specs); i++) {
        struct trial whole, parts;
        double want[BATCH * LONG], got[BATCH * SEGMENT];

        make(&whole, specs[i], 1, 0, LONG);
        make(&parts, specs[i], 1, LONG, SEGMENT);
        memcpy(parts.words, whole.words, sizeof whole.words);
        forward(&whole, 0, LONG, want, NULL);
        for (int64_t at = 0; at < LONG; at += SEGMENT) {
            CHECK(lct_model_memory_size(parts.model).tokens == at);
            forward(&parts, at, SEGMENT, got, NULL);
            check_segment(specs[i], want, got, at);
        }
        drop(&whole);
        drop(&parts);
    }
}

/* Short memory is the last of it: a window of as many keys, to one layer. */
TEST(remembers_the_last_only)
{
    struct trial t, short_one;
    double a[BATCH * SEGMENT], b[BATCH * SEGMENT];
    int far = 0;

    make(&t, "none", 1, LONG, SEGMENT);
    make(&short_one, "none", 1, 2, SEGMENT);
    memcpy(short_one.words, t.words, sizeof t.words);
    forward(&t, 0, SEGMENT, NULL, NULL);
    forward(&short_one, 0, SEGMENT, NULL, NULL);
    CHECK(lct_model_memory_size(short_one.model).tokens == 2);
    for (int r = 0; r < BATCH; r++)
        CHECK(memcmp(lct_model_layer_memory(short_one.model, 0) + r * 2 * 16,
                     lct_model_layer_memory(t.model, 0) +
                         (r * SEGMENT + SEGMENT - 2) * 16,
                     2 * 16 * sizeof(double)) == 0);
    forward(&t, SEGMENT, SEGMENT, a, NULL);
    forward(&short_one, SEGMENT, SEGMENT, b, NULL);
    for (int i = 0; i < BATCH * SEGMENT; i++)
        far += fabs(a[i] - b[i]) > 1e-6;
    CHECK(far > 0);
    /* forgetting: the first segment again */
    lct_model_clear_memory(t.model);
    lct_model_clear_memory(short_one.model);
    forward(&t, 0, SEGMENT, a, NULL);
    forward(&short_one, 0, SEGMENT, b, NULL);
    CHECK(memcmp(a, b, sizeof a) == 0);
    drop(&t);
    drop(&short_one);
}

/* --------------------------------------------------------------- gradient */

static size_t layer_size(const struct trial *t)
{
    return (size_t)(t->size.rows * t->size.tokens) * 16;
}

static void keep(struct trial *t)
{
    const int64_t layers = lct_model_config_of(t->model)->layers;

    t->size = lct_model_memory_size(t->model);
    t->kept = malloc((size_t)layers * layer_size(t) * sizeof *t->kept);
    CHECK(t->kept != NULL);
    for (int64_t l = 0; l < layers; l++)
        memcpy(t->kept + (size_t)l * layer_size(t),
               lct_model_layer_memory(t->model, l),
               layer_size(t) * sizeof *t->kept);
}

/* The second segment after states that are given, whatever the parameters. */
static double after_given_states(void *data)
{
    struct trial *t = data;
    const int64_t layers = lct_model_config_of(t->model)->layers;
    double mean;

    for (int64_t l = 0; l < layers; l++)
        memcpy(lct_model_layer_memory(t->model, l),
               t->kept + (size_t)l * layer_size(t),
               layer_size(t) * sizeof *t->kept);
    CHECK_OK(lct_model_set_memory_size(t->model, t->size));
    forward(t, SEGMENT, SEGMENT, NULL, &mean);
    return mean;
}

/* Both segments: what the gradient would be if it did not stop. */
static double after_a_first_segment(void *data)
{
    struct trial *t = data;
    double mean;

    lct_model_clear_memory(t->model);
    forward(t, 0, SEGMENT, NULL, NULL);
    forward(t, SEGMENT, SEGMENT, NULL, &mean);
    return mean;
}

/* Along a random direction of tensor i. */
static void slopes(struct trial *t, const struct lct_model_tensor *x,
                   double *given, double *flowing)
{
    real *p = lct_model_params(t->model) + x->offset;
    real *g = lct_model_grads(t->model) + x->offset;
    double *v = malloc(x->size * sizeof *v), slope = 0, size = 0;

    CHECK(v != NULL);
    for (size_t k = 0; k < x->size; k++) {
        v[k] = test_uniform();
        slope += g[k] * v[k];
        size += fabs(g[k] * v[k]);
    }
    *given = slope_of(after_given_states, t, p, v, x->size);
    *flowing = slope_of(after_a_first_segment, t, p, v, x->size);
    if (!gradient_agrees(slope, *given, size))
        FAIL("%s: %s: gradient says %.12g, differences %.12g", t->spec, x->name,
             slope, *given);
    free(v);
}

TEST(gradient_stops_at_remembered_states)
{
    for (size_t i = 0; i < LEN(specs); i++) {
        const struct lct_model_tensor *list;
        FREED_BY(drop) struct trial t;
        int n, differ = 0;

        make(&t, specs[i], 2, 4, SEGMENT);
        forward(&t, 0, SEGMENT, NULL, NULL);
        keep(&t);
        (void)after_given_states(&t);
        CHECK_OK(lct_model_backward(t.model));
        n = lct_model_tensors(t.model, &list);
        for (int k = 0; k < n; k++) {
            double given, flowing;

            slopes(&t, &list[k], &given, &flowing);
            /* states of layer 0 are embeddings, of layer 1 its output */
            if (strcmp(list[k].name, "embedding") == 0 ||
                strcmp(list[k].name, "layer0.w2") == 0)
                differ += fabs(given - flowing) > 1e-6;
            if (strncmp(list[k].name, "layer1", 6) == 0)
                CHECK(fabs(given - flowing) < 1e-8);
        }
        CHECK(differ == 2);
    }
}

/* --------------------------------------------------------------- refusals */

TEST(refuses_what_cannot_be)
{
    struct lct_model_config c = { .layers = 1,
                                  .width = 16,
                                  .heads = 2,
                                  .kv_heads = 2,
                                  .ff = 8,
                                  .vocab = VOCAB,
                                  .memory = 4 };
    int32_t words[LONG + 1] = { 0 };
    locant_encoding *e = test_create("sinusoidal");
    struct lct_model *m;
    FREED_BY(drop) struct trial t;

    c.encoding = e;
    REFUSES(PARAM, lct_model_create(&m, &c, 1, 8, true),
            "sinusoidal adds positions to the input, and those of memory and "
            "segment would collide; expected memory 0, or an encoding "
            "without that");
    c.memory = -1;
    REFUSES(PARAM, lct_model_create(&m, &c, 1, 8, true),
            "memory is -1, expected 0 .. 2147483639");
    locant_encoding_free(e);
    make(&t, "rope", 1, 4, SEGMENT);
    CHECK_OK(lct_model_forward(t.model, words, words, 2, 3, NULL, NULL));
    REFUSES(
        SHAPE, lct_model_forward(t.model, words, words, 1, 3, NULL, NULL),
        "B is 1, but 2 rows are remembered; lct_model_clear_memory() begins "
        "anew");
    REFUSES(SHAPE, lct_model_forward(t.model, words, words, 4, 3, NULL, NULL),
            "B is 4, expected 1 .. 3, the rows of memory");
    REFUSES(
        PARAM,
        lct_model_set_memory_size(t.model, (struct lct_memory_size){ 3, 5 }),
        "3 x 5 tokens, expected at most 3 x 4");
}
