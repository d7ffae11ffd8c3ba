/*
 * test_model_hooks.c - targets that are not scored, hits, and the watcher of
 * layers.
 */
/* needs: lab */
#include "test_model_run.h"

#include "model/parts.h"

/* ---------------------------------------------------------------- unscored */

TEST(what_is_not_scored_counts_for_nothing)
{
    FREED_BY(finish) struct run r;
    int32_t some[ROWS], none[ROWS];
    float all[ROWS], loss[ROWS];
    double mean, sum = 0.0;
    int scored = 0;

    start(&r, "rope");
    train(&r, 0, 5);
    CHECK_OK(lct_model_forward(r.model, r.words, r.words + 1, BATCH, LENGTH,
                               all, NULL));
    for (int i = 0; i < ROWS; i++) {
        none[i] = -1;
        some[i] = i % 5 == 2 || i > 80 ? -1 : r.words[i + 1];
    }
    CHECK_OK(
        lct_model_forward(r.model, r.words, some, BATCH, LENGTH, loss, &mean));
    for (int i = 0; i < ROWS; i++) {
        CHECK(loss[i] == (some[i] < 0 ? 0.0f : all[i]));
        sum += (double)loss[i];
        scored += some[i] >= 0;
    }
    CHECK(scored > 10 && scored < ROWS - 10);
    CHECK(mean == sum / scored);
    CHECK_OK(
        lct_model_forward(r.model, r.words, none, BATCH, LENGTH, loss, &mean));
    CHECK(mean == 0.0);
    memset(lct_model_grads(r.model), 0,
           lct_model_size(r.model) * sizeof(float));
    CHECK_OK(lct_model_backward(r.model));
    for (size_t i = 0; i < lct_model_size(r.model); i++)
        CHECK(lct_model_grads(r.model)[i] == 0.0f);
}

/* -------------------------------------------------------------------- hits */

/* The first of the largest, found by sorting ids by logit. */
static const float *sorted_by;

static int by_logit(const void *a, const void *b)
{
    int i = *(const int *)a, j = *(const int *)b;

    if (sorted_by[i] != sorted_by[j])
        return sorted_by[i] > sorted_by[j] ? -1 : 1;
    return i - j;
}

static int first_largest(const float *logits)
{
    int ids[VOCAB];

    for (int i = 0; i < VOCAB; i++)
        ids[i] = i;
    sorted_by = logits;
    qsort(ids, VOCAB, sizeof(ids[0]), by_logit);
    return ids[0];
}

TEST(hits_are_those_of_a_sort)
{
    FREED_BY(finish) struct run r;
    uint8_t hit[ROWS];
    int hits = 0;

    start(&r, "alibi");
    REFUSES(PARAM, lct_model_hits(r.model, hit),
            "no forward since the last backward");
    train(&r, 0, 20);
    CHECK_OK(lct_model_forward(r.model, r.words, r.words + 1, BATCH, LENGTH,
                               NULL, NULL));
    /* coarse logits: many are equal */
    for (int i = 0; i < ROWS * VOCAB; i++)
        r.model->logits[i] = rintf(r.model->logits[i] * 2) / 2;
    CHECK_OK(lct_model_hits(r.model, hit));
    for (int i = 0; i < ROWS; i++) {
        const float *x = r.model->logits + (size_t)i * VOCAB;

        CHECK(hit[i] == (first_largest(x) == r.words[i + 1]));
        hits += hit[i];
    }
    CHECK(hits > 5 && hits < ROWS - 5);
}

TEST(ties_go_to_the_lowest_id)
{
    FREED_BY(finish) struct run r;
    int32_t targets[ROWS];
    uint8_t hit[ROWS];

    start(&r, "none");
    for (int i = 0; i < ROWS; i++)
        targets[i] = i < VOCAB ? i : -1;
    CHECK_OK(lct_model_forward(r.model, r.words, targets, BATCH, LENGTH, NULL,
                               NULL));
    memset(r.model->logits, 0, ROWS * VOCAB * sizeof(float));
    r.model->logits[0] = NAN; /* of the row whose target is 0 */
    CHECK_OK(lct_model_hits(r.model, hit));
    for (int i = 0; i < ROWS; i++)
        CHECK(hit[i] == 0);
    r.model->logits[0] = 0.0f;
    CHECK_OK(lct_model_hits(r.model, hit));
    for (int i = 0; i < ROWS; i++)
        CHECK(hit[i] == (i == 0));
}

/* ----------------------------------------------------------------- watcher */

struct kept {
    struct lct_model *model;
    int calls;
    float x[2][ROWS * 32], o[2][ROWS * 32];
};

static void keep(const struct lct_layer_state *seen, void *context)
{
    struct kept *k = context;
    const struct lct_layer *a = &k->model->layers[seen->layer];
    const size_t n = (size_t)(seen->B * seen->T) * 32;

    CHECK(seen->layer == k->calls);
    CHECK(seen->B == BATCH && seen->T == LENGTH && seen->S == LENGTH);
    CHECK(seen->q == a->q && seen->k == a->k && seen->lse == a->lse);
    memcpy(k->x[k->calls], seen->x, n * sizeof(float));
    memcpy(k->o[k->calls], seen->o, n * sizeof(float));
    k->calls++;
}

/* Causal attention of layer 0 by hand from q, k, lse of position-free heads. */
static void check_weights(const struct lct_model *m, int64_t t, int64_t h)
{
    const struct lct_layer *a = &m->layers[0];
    const int64_t D = m->head_dim, H = m->config.heads;
    const int64_t kv = h / (H / m->config.kv_heads);
    double sum = 0.0;

    for (int64_t s = 0; s <= t; s++) {
        const float *q = a->q + (t * H + h) * D;
        const float *k = a->k + (s * m->config.kv_heads + kv) * D;
        double score = 0.0;

        for (int64_t i = 0; i < D; i++)
            score += (double)q[i] * (double)k[i];
        sum += exp(score / sqrt((double)D) - (double)a->lse[h * LENGTH + t]);
    }
    /* lse and scores in float: some 2^-20 of weights that sum to 1 */
    CHECK(fabs(sum - 1.0) < 1e-5);
}

TEST(a_watcher_sees_each_layer)
{
    static struct kept trained, other;
    FREED_BY(finish) struct run r;
    struct lct_model_config c;
    struct lct_model *m;
    float want[ROWS], got[ROWS];

    start(&r, "none");
    train(&r, 0, 5);
    trained = (struct kept){ .model = r.model };
    CHECK_OK(lct_model_forward(r.model, r.words, r.words + 1, BATCH, LENGTH,
                               want, NULL));
    lct_model_watch(r.model, keep, &trained);
    CHECK_OK(lct_model_forward(r.model, r.words, r.words + 1, BATCH, LENGTH,
                               got, NULL));
    assert_int_equal(trained.calls, 2);
    CHECK(memcmp(got, want, sizeof(got)) == 0);
    CHECK(memcmp(trained.x[0], r.model->layers[1].x, sizeof(trained.x[0])) ==
          0);
    for (int64_t t = 0; t < LENGTH; t++)
        for (int64_t h = 0; h < 4; h++)
            check_weights(r.model, t, h);
    /* without gradients layers share their memory: the same is seen */
    c = small(r.encoding);
    CHECK_OK(lct_model_create(&m, &c, BATCH, LENGTH, false));
    memcpy(lct_model_params(m), lct_model_params(r.model),
           lct_model_size(m) * sizeof(float));
    other = (struct kept){ .model = m };
    lct_model_watch(m, keep, &other);
    CHECK_OK(
        lct_model_forward(m, r.words, r.words + 1, BATCH, LENGTH, NULL, NULL));
    assert_int_equal(other.calls, 2);
    CHECK(memcmp(trained.x, other.x, sizeof(trained.x)) == 0);
    CHECK(memcmp(trained.o, other.o, sizeof(trained.o)) == 0);
    lct_model_watch(r.model, NULL, NULL);
    train(&r, 5, 6);
    assert_int_equal(trained.calls, 2);
    lct_model_free(m);
}
