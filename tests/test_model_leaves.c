/*
 * test_model_leaves.c - the leaves of a batch shared out among models, with
 * every row of the registry: their subtrees combine to the gradient of one
 * model that passes all leaves.
 */
/* needs: lab */
#include "testing.h"

#include "core/tree.h"
#include "model/model.h"
#include "model_specs.h"
#include <stdio.h>
#include <stdlib.h>

enum {
    LEAVES = 8,
    BATCH = 2 * LEAVES,
    LENGTH = MODEL_TOKENS,
    ROWS = BATCH * LENGTH,
    VOCAB = 11
};

static int32_t tokens[ROWS], targets[ROWS];
static int64_t scored;

static void fill(void)
{
    scored = 0;
    for (int i = 0; i < ROWS; i++) {
        tokens[i] = (int32_t)test_range(0, VOCAB - 1);
        targets[i] = (int32_t)test_range(-1, VOCAB - 1);
        scored += targets[i] >= 0;
    }
}

static struct lct_model_config configuration(const locant_encoding *e,
                                             struct lct_leaves leaves)
{
    return (struct lct_model_config){ .layers = 2,
                                      .width = 16,
                                      .heads = 2,
                                      .kv_heads = 2,
                                      .ff = 24,
                                      .vocab = VOCAB,
                                      .leaves = leaves,
                                      .encoding = e };
}

/* The gradient of leaves first .. last - 1, all from the same parameters and
   draw; loss [rows of these] */
static struct lct_model *pass(const locant_encoding *e, int64_t first,
                              int64_t last, float *loss, double *mean)
{
    const struct lct_model_config c =
        configuration(e, (struct lct_leaves){ LEAVES, first, last, 1, NULL });
    const int64_t rows = (last - first) * BATCH / LEAVES;
    const int64_t at = first * BATCH / LEAVES * LENGTH;
    struct lct_model *m;

    CHECK_OK(lct_model_create(&m, &c, rows, LENGTH, true));
    CHECK_OK(lct_model_init(m, 5));
    lct_model_draw(m, 7);
    lct_model_set_scored(m, scored);
    CHECK_OK(lct_model_forward(m, tokens + at, targets + at, rows, LENGTH, loss,
                               mean));
    memset(lct_model_grads(m), 0,
           (size_t)lct_model_subtrees(m) * lct_model_size(m) * sizeof(float));
    CHECK_OK(lct_model_backward(m));
    return m;
}

/* Append the subtrees of a rank to 'all'. */
static int append(struct lct_subtree *all, struct lct_model *m, int64_t first,
                  int64_t last)
{
    const struct lct_tree t = lct_tree_of(first, last);

    assert_int_equal(t.count, lct_model_subtrees(m));
    for (int k = 0; k < t.count; k++) {
        all[k] = t.held[k];
        all[k].sum = lct_model_grads(m) + (size_t)k * lct_model_size(m);
    }
    return t.count;
}

static void check_ranks(const char *spec, const locant_encoding *e, int64_t P,
                        struct lct_model *whole, const float *loss)
{
    struct lct_subtree all[LEAVES * LCT_TREE_HELD];
    struct lct_model *rank[LEAVES];
    const size_t n = lct_model_size(whole);
    float *root = malloc(n * sizeof(*root)), own[ROWS];
    int count = 0;

    for (int64_t r = 0; r < P; r++) {
        const int64_t first = LEAVES * r / P, last = LEAVES * (r + 1) / P;

        rank[r] = pass(e, first, last, own, NULL);
        if (memcmp(own, loss + first * ROWS / LEAVES,
                   (size_t)((last - first) * ROWS / LEAVES) * sizeof(*own)))
            FAIL("%s: other losses on rank %d of %d", spec, (int)r, (int)P);
        count += append(all + count, rank[r], first, last);
    }
    lct_tree_combine(root, LEAVES, all, n);
    if (memcmp(root, lct_model_grads(whole), n * sizeof(*root)) != 0)
        FAIL("%s: another gradient on %d ranks", spec, (int)P);
    for (int64_t r = 0; r < P; r++)
        lct_model_free(rank[r]);
    free(root);
}

TEST(ranks_have_the_gradient_of_one_model)
{
    static const int64_t ranks[] = { 2, 3, 5, 8 };
    const char *spec;

    fill();
    for (size_t i = 0; (spec = model_spec(i)) != NULL; i++) {
        OWNED(locant_encoding) *given = test_create(spec);
        locant_encoding *e;
        struct lct_model *whole;
        float loss[ROWS];
        double mean, sum = 0;

        CHECK_OK(locant_encoding_resolve(&e, given, LENGTH));
        whole = pass(e, 0, LEAVES, loss, &mean);
        for (int l = 0; l < LEAVES; l++) {
            double leaf = 0;

            for (int k = 0; k < ROWS / LEAVES; k++)
                leaf += (double)loss[l * (ROWS / LEAVES) + k];
            sum += leaf;
        }
        CHECK(mean == sum / (double)scored);
        for (size_t k = 0; k < LEN(ranks); k++)
            check_ranks(spec, e, ranks[k], whole, loss);
        lct_model_free(whole);
        locant_encoding_free(e);
    }
}

/* ------------------------------------------------- rows in several leaves */

enum { ROW = 256, PARTS = 4, CHUNK = ROW / PARTS };

/* The losses of a row, without gradients, in leaves of its tokens or whole. */
static void pass_row(float *loss, const locant_encoding *e, bool in_leaves,
                     const int32_t *words)
{
    const struct lct_leaves leaves = { PARTS, 0, PARTS, PARTS, NULL };
    const struct lct_model_config c =
        configuration(e, in_leaves ? leaves : (struct lct_leaves){ 0 });
    const int64_t rows = in_leaves ? PARTS : 1;
    struct lct_model *m;

    CHECK_OK(lct_model_create(&m, &c, rows, ROW, false));
    CHECK_OK(lct_model_init(m, 5));
    CHECK_OK(lct_model_forward(m, words, words, rows, ROW / rows, loss, NULL));
    lct_model_free(m);
}

/* An evaluation relies on it.  Pictures of 12 tokens, and positions chosen from
   64, end before the row. */
TEST(rows_in_leaves_have_the_losses_of_whole_rows)
{
    static const int chunk[PARTS] = { 0, 3, 1, 2 };
    int32_t words[ROW], ordered[ROW];
    const char *spec;
    int checked = 0;

    for (int i = 0; i < ROW; i++)
        words[i] = (int32_t)test_range(0, VOCAB - 1);
    for (int j = 0; j < PARTS; j++)
        memcpy(ordered + j * CHUNK, words + chunk[j] * CHUNK,
               CHUNK * sizeof *words);
    for (size_t i = 0; (spec = model_spec(i)) != NULL; i++) {
        OWNED(locant_encoding) *given = test_create(spec);
        float whole[ROW], parts[ROW];
        locant_encoding *e;

        CHECK_OK(locant_encoding_resolve(&e, given, ROW));
        if (locant_encoding_length_limit(e) >= ROW &&
            strstr(spec, "(length=64)+") == NULL &&
            strstr(spec, "(length=64,chunks") == NULL) {
            pass_row(whole, e, false, words);
            pass_row(parts, e, true, ordered);
            for (int j = 0; j < PARTS; j++)
                if (memcmp(parts + j * CHUNK, whole + chunk[j] * CHUNK,
                           CHUNK * sizeof *parts) != 0)
                    FAIL("%s: other losses of leaf %d", spec, j);
            checked++;
        }
        locant_encoding_free(e);
    }
    CHECK(checked > 80);
}

TEST(refuses_rows_in_leaves_that_cannot_be)
{
    static const struct {
        struct lct_leaves leaves;
        int64_t batch, length, memory;
        const char *message;
    } bad[] = {
        { { 12, 0, 12, 3, NULL }, 12, 192, 0, "leaves" },
        { { 4, 0, 4, 8, NULL }, 4, 512, 0, "4 of 4 leaves, 8 of each row" },
        { { 4, 0, 4, 4, NULL }, 8, 256, 0, "4 of 4 leaves, 4 of each row" },
        { { 4, 0, 4, 4, NULL }, 4, 128, 0, "length is 128 and memory 0" },
        { { 4, 0, 4, 4, NULL }, 4, 256, 9, "length is 256 and memory 9" },
    };
    static const locant_group group = { sizeof group, 1, 3, NULL, NULL };
    OWNED(locant_encoding) *e = test_create("rope");
    struct lct_model_config c = { .layers = 1,
                                  .width = 8,
                                  .heads = 1,
                                  .kv_heads = 1,
                                  .ff = 8,
                                  .vocab = VOCAB,
                                  .encoding = e };
    struct lct_model *m;

    for (size_t i = 0; i < LEN(bad); i++) {
        c.leaves = bad[i].leaves;
        c.memory = bad[i].memory;
        CHECK(lct_model_create(&m, &c, bad[i].batch, bad[i].length, true) ==
              LOCANT_ERR_PARAM);
        CHECK(strstr(locant_last_error(), bad[i].message) != NULL);
    }
    c.memory = 0;
    c.leaves = (struct lct_leaves){ 4, 0, 2, 4, &group };
    REFUSES(PARAM, lct_model_create(&m, &c, 2, 256, true),
            "rank 1 of 3 has leaves 0 .. 1 of 4, expected its share");
    c.leaves = (struct lct_leaves){ 4, 1, 2, 4, &group };
    CHECK_OK(lct_model_create(&m, &c, 1, 256, true));
    REFUSES(SHAPE, lct_model_forward(m, NULL, NULL, 1, 32, NULL, NULL),
            "B x T is 1 x 32, expected the 1 leaves of 64 tokens");
    lct_model_free(m);
}

TEST(refuses_leaves_that_cannot_be)
{
    static const struct lct_leaves bad[] = { { 6, 0, 6, 0, NULL },
                                             { 8, 3, 3, 0, NULL },
                                             { 8, 4, 9, 0, NULL },
                                             { 8, -1, 2, 0, NULL },
                                             { 512, 0, 8, 0, NULL } };
    OWNED(locant_encoding) *e = test_create("rope");
    struct lct_model_config c = { .layers = 1,
                                  .width = 8,
                                  .heads = 1,
                                  .kv_heads = 1,
                                  .ff = 8,
                                  .vocab = VOCAB,
                                  .leaves = { .all = 4, .last = 4 },
                                  .encoding = e };
    const int32_t words[9] = { 0 };
    struct lct_model *m;
    char text[200];

    CHECK_OK(lct_model_create(&m, &c, 4, 3, true));
    CHECK_OK(lct_model_init(m, 1));
    CHECK_OK(lct_model_forward(m, words, words, 3, 3, NULL, NULL));
    REFUSES(PARAM, lct_model_backward(m),
            "the pass had 3 rows, expected a multiple of 4 leaves");
    lct_model_free(m);
    CHECK_OK(lct_model_create(&m, &c, 6, 3, false)); /* not read */
    lct_model_free(m);
    for (size_t i = 0; i <= LEN(bad); i++) {
        const int64_t batch = i < LEN(bad) ? 24 : 6;

        c.leaves =
            i < LEN(bad) ? bad[i] : (struct lct_leaves){ .all = 4, .last = 4 };
        snprintf(text, sizeof text,
                 "leaves %d .. %d of %d are the %d rows of a batch, expected"
                 " some of a power of two up to 256 that divide the rows",
                 (int)c.leaves.first, (int)c.leaves.last - 1, (int)c.leaves.all,
                 (int)batch);
        REFUSES(PARAM, lct_model_create(&m, &c, batch, 3, true), text);
    }
}
