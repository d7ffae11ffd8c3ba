/*
 * test_model_rules.c - the float model never looks ahead, is the same model
 * with and without gradients, starts as it should, and refuses nonsense.
 */
/* needs: lab */
#include "test_model_run.h"

#include "model/parts.h"

TEST(later_words_change_no_earlier_loss)
{
    for (size_t k = 0; k < LEN(specs); k++) {
        FREED_BY(finish) struct run r;
        int32_t words[ROWS];
        float before[ROWS], after[ROWS];

        start(&r, specs[k]);
        train(&r, 0, 5);
        memcpy(words, r.words, sizeof(words));
        CHECK_OK(lct_model_forward(r.model, words, r.words + 1, BATCH, LENGTH,
                                   before, NULL));
        for (int t = 1; t < LENGTH; t += 5) {
            bool moved = false;

            memcpy(words, r.words, sizeof(words));
            for (int i = t; i < LENGTH; i++) /* of the first sequence */
                words[i] = (words[i] + 1 + i % 5) % VOCAB;
            CHECK_OK(lct_model_forward(r.model, words, r.words + 1, BATCH,
                                       LENGTH, after, NULL));
            for (int i = 0; i < ROWS; i++) {
                if (i >= t && i < LENGTH)
                    moved = moved || before[i] != after[i];
                else if (before[i] != after[i])
                    FAIL("%s: words from %d on changed loss %d", specs[k], t,
                         i);
            }
            CHECK(moved);
        }
    }
}

TEST(inference_has_the_bits_of_training)
{
    for (size_t k = 0; k < LEN(specs); k++) {
        FREED_BY(finish) struct run r;
        struct lct_model_config c;
        struct lct_model *m;
        float want[ROWS], got[ROWS];
        double mean, sum = 0.0;

        start(&r, specs[k]);
        train(&r, 0, 5);
        c = small(r.encoding);
        CHECK_OK(lct_model_create(&m, &c, BATCH, LENGTH, false));
        memcpy(lct_model_params(m), lct_model_params(r.model),
               lct_model_size(m) * sizeof(float));
        CHECK(lct_model_grads(m) == NULL);
        CHECK(lct_model_bytes(m) < lct_model_bytes(r.model));
        CHECK_OK(lct_model_forward(r.model, r.words, r.words + 1, BATCH, LENGTH,
                                   want, NULL));
        CHECK_OK(lct_model_forward(m, r.words, r.words + 1, BATCH, LENGTH, got,
                                   &mean));
        CHECK(memcmp(got, want, sizeof(got)) == 0);
        for (int i = 0; i < ROWS; i++)
            sum += (double)got[i];
        CHECK(mean == sum / ROWS);
        lct_model_free(m);
    }
}

/* Any split of the room whose length fits; a longer one where none is fixed. */
TEST(takes_any_split_of_its_room)
{
    OWNED(locant_encoding) *e = resolved("alibi", LENGTH);
    struct lct_model_config c = small(e);
    struct lct_model *m;
    int32_t words[ROWS + 1];
    double mean;

    for (int i = 0; i <= ROWS; i++)
        words[i] = (int32_t)test_range(0, VOCAB - 1);
    CHECK_OK(lct_model_create(&m, &c, 1, ROWS, false));
    CHECK_OK(lct_model_init(m, 3));
    for (int T = 1; T <= ROWS; T++)
        for (int B = 1; B * T <= ROWS; B += 1 + B / 2) {
            CHECK_OK(lct_model_forward(m, words, words + 1, B, T, NULL, &mean));
            /* logits deviate by 1: the mean is ln V + 1/2, one alone by 5 */
            CHECK(fabs(mean - log(VOCAB) - 0.5) < 5);
        }
    lct_model_free(m);
}

/* Models that differ in encoding only start from the same shared weights. */
TEST(shared_weights_ignore_the_encoding)
{
    struct run a, b;
    const struct lct_model_tensor *la, *lb;
    int na;

    start(&a, "none");
    start(&b, "t5");
    na = lct_model_tensors(a.model, &la);
    CHECK(lct_model_tensors(b.model, &lb) == na + 1);
    CHECK(strcmp(lb[na].name, "encoding.table") == 0);
    CHECK(lb[na].encoding_param == 0 && !lb[na].decay);
    CHECK(lb[na].size == 32 * 4);
    CHECK(lct_model_size(b.model) == lct_model_size(a.model) + 32 * 4);
    CHECK(memcmp(lct_model_params(a.model), lct_model_params(b.model),
                 lct_model_size(a.model) * sizeof(float)) == 0);
    finish(&a);
    finish(&b);
}

/* Deviations width^-1/2 and that / sqrt(2 layers), to five standard errors. */
TEST(initial_values_have_their_deviation)
{
    const struct lct_model_tensor *list;
    FREED_BY(finish) struct run r;
    int n;

    start(&r, "none");
    n = lct_model_tensors(r.model, &list);
    for (int i = 0; i < n; i++) {
        const float *p = lct_model_params(r.model) + list[i].offset;
        bool to_stream = strstr(list[i].name, ".wo") != NULL ||
                         strstr(list[i].name, ".w2") != NULL;
        double want = (to_stream ? 0.5 : 1) / sqrt(32.0), sum = 0.0;
        double size = (double)list[i].size;

        if (list[i].rank == 1) {
            CHECK(p[0] == 1.0f && p[list[i].size - 1] == 1.0f);
            CHECK(!list[i].decay);
            continue;
        }
        CHECK(list[i].decay == (i > 0));
        for (size_t k = 0; k < list[i].size; k++)
            sum += (double)p[k] * (double)p[k];
        CHECK(fabs(sqrt(sum / size) / want - 1.0) < 5.0 / sqrt(2.0 * size));
    }
}

/*
 * A fixed table starts as large as the token embeddings by a factor, a learned
 * one by its values.  The factor is rounded once, squares are summed in double.
 */
TEST(fixed_table_has_the_size_of_tokens)
{
    struct run r;
    double sum = 0.0, rms;
    float table[128 * 32];
    int64_t positions[128];
    locant_tensor out = DENSE(F32, table, 128, 32);

    start(&r, "sinusoidal");
    for (int t = 0; t < 128; t++)
        positions[t] = t;
    CHECK_OK(locant_encoding_table(&out, r.encoding, VIEW(I64, positions, 128),
                                   NULL));
    for (int i = 0; i < 128 * 32; i++)
        sum += (double)table[i] * (double)table[i];
    rms = sqrt(sum / (128 * 32)) * (double)r.model->table_factor;
    CHECK(fabs(rms * sqrt(32.0) - 1.0) <= 2 * 0x1p-24);
    finish(&r);
    start(&r, "learned");
    CHECK(r.model->table_factor == 1.0f);
    sum = 0.0;
    for (int i = r.model->encoding_first; i < r.model->tensor_count; i++) {
        const float *p = r.model->params + r.model->tensors[i].offset;
        double size = (double)r.model->tensors[i].size;

        for (size_t k = 0; k < r.model->tensors[i].size; k++)
            sum += (double)p[k] * (double)p[k];
        /* each value is rounded once more: errors average out */
        CHECK(fabs(sqrt(sum / size) * sqrt(32.0) - 1.0) <= 0x1p-22);
    }
    finish(&r);
}

/* Names in the order of the flat allocation, without gaps. */
TEST(tensors_fill_the_allocation)
{
    static const char *const names[] = {
        "embedding",  "layer0.norm1", "layer0.wq", "layer0.wk", "layer0.wv",
        "layer0.wo",  "layer0.norm2", "layer0.w1", "layer0.w2", "layer1.norm1",
        "layer1.wq",  "layer1.wk",    "layer1.wv", "layer1.wo", "layer1.norm2",
        "layer1.w1",  "layer1.w2",    "norm",      "output",    "encoding.p",
        "encoding.a",
    };
    const struct lct_model_tensor *list;
    FREED_BY(finish) struct run r;
    size_t end = 0;

    start(&r, "kerple");
    CHECK(lct_model_tensors(r.model, &list) == (int)LEN(names));
    for (size_t i = 0; i < LEN(names); i++) {
        if (strcmp(list[i].name, names[i]) != 0)
            FAIL("tensor %zu is %s, expected %s", i, list[i].name, names[i]);
        CHECK(list[i].offset == end);
        end += list[i].size;
    }
    CHECK(end == lct_model_size(r.model));
    CHECK(list[3].shape[0] == 32 && list[3].shape[1] == 16); /* 2 of 4 heads */
}

/* --------------------------------------------------------------- refusals */

TEST(refuses_bad_configurations)
{
    locant_encoding *e = resolved("rope", LENGTH), *open;
    struct lct_model_config c = small(e);
    struct lct_model *m;

    c.width = 33;
    REFUSES(PARAM, lct_model_create(&m, &c, 1, 8, true),
            "width 33 is not a multiple of 4 heads");
    c = small(e);
    c.kv_heads = 3;
    REFUSES(PARAM, lct_model_create(&m, &c, 1, 8, true),
            "heads 4 is not a multiple of 3 kv_heads");
    c = small(e);
    c.layers = 0;
    REFUSES(PARAM, lct_model_create(&m, &c, 1, 8, true),
            "layers is 0, expected 1 .. 10000");
    c = small(NULL);
    REFUSES(NULL, lct_model_create(&m, &c, 1, 8, true),
            "config->encoding is NULL");
    c = small(e);
    c.vocab = INT32_MAX;
    c.width = 1 << 30;
    c.ff = INT32_MAX;
    c.layers = 10000;
    REFUSES(NOMEM, lct_model_create(&m, &c, 1, 8, true),
            "the model does not fit the address space");
    c = small(e);
    c.width = 12; /* 3 channels per head */
    CHECK(lct_model_create(&m, &c, 1, 8, true) != LOCANT_OK && m == NULL);
    open = test_create("learned");
    c = small(open);
    REFUSES(PARAM, lct_model_create(&m, &c, 1, 8, true),
            "parameter table of learned has no size yet, expected a resolved "
            "encoding");
    locant_encoding_free(open);
    locant_encoding_free(e);
}

TEST(refuses_bad_calls)
{
    FREED_BY(finish) struct run r;
    int32_t bad[ROWS + 1];

    start(&r, "none");
    memcpy(bad, r.words, sizeof(bad));
    bad[5] = VOCAB;
    REFUSES(PARAM, lct_model_backward(r.model),
            "no forward since the last backward");
    REFUSES(PARAM,
            lct_model_forward(r.model, bad, r.words, BATCH, LENGTH, NULL, NULL),
            "tokens[5] is 16, expected 0 .. 15");
    bad[5] = -1;
    REFUSES(PARAM,
            lct_model_forward(r.model, bad, r.words, BATCH, LENGTH, NULL, NULL),
            "tokens[5] is -1, expected 0 .. 15");
    bad[5] = -2;
    REFUSES(PARAM,
            lct_model_forward(r.model, r.words, bad, BATCH, LENGTH, NULL, NULL),
            "targets[5] is -2, expected -1 .. 15");
    REFUSES(NULL,
            lct_model_forward(r.model, NULL, bad, BATCH, LENGTH, NULL, NULL),
            "tokens is NULL");
    REFUSES(
        SHAPE,
        lct_model_forward(r.model, r.words, r.words, 1, LENGTH + 1, NULL, NULL),
        "T is 25, expected 1 .. 24");
    REFUSES(SHAPE,
            lct_model_forward(r.model, r.words, r.words, BATCH + 1, LENGTH,
                              NULL, NULL),
            "B is 5, expected 1 .. 4 at T = 24");
    train(&r, 0, 1);
    REFUSES(PARAM, lct_model_backward(r.model),
            "no forward since the last backward");
}

/* Beyond a learned table: the encoding's own answer, nothing written. */
TEST(stops_at_the_end_of_a_learned_table)
{
    OWNED(locant_encoding) *e = resolved("learned(length=16)", 16);
    struct lct_model_config c = small(e);
    struct lct_model *m;
    int32_t words[32] = { 0 };
    float loss[32];
    double mean = -1.0;

    CHECK_OK(lct_model_create(&m, &c, 1, 32, false));
    CHECK_OK(lct_model_init(m, 3));
    loss[0] = -1.0f;
    CHECK(lct_model_forward(m, words, words, 1, 17, loss, &mean) ==
          LOCANT_ERR_PARAM);
    CHECK(strstr(locant_last_error(), "16") != NULL);
    CHECK(mean == -1.0 && loss[0] == -1.0f);
    CHECK_OK(lct_model_forward(m, words, words, 1, 16, loss, &mean));
    CHECK(mean > 0.0);
    lct_model_free(m);
}
