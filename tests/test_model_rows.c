/* test_model_rows.c - weights of chosen queries, read out of a model */
/* needs: lab */
#include "test_model_run.h"

#include "model/parts.h"

/* Unsorted, with the ends of the window among them. */
static const int64_t queries[] = { 23, 0, 7, 8, 16, 1 };
enum { QUERIES = 6 };

struct looked {
    struct lct_model *model;
    int calls;
    float weight[4 * QUERIES * LENGTH];
};

/* sum_j weight[j] v[j] of one query and head, less what the layer gave. */
static double differs(const struct looked *k, int64_t layer, int64_t h, int i)
{
    const struct lct_layer *a = &k->model->layers[layer];
    const int64_t D = k->model->head_dim, kv = h / 2;
    const float *w = k->weight + (h * QUERIES + i) * LENGTH;
    double worst = 0.0;

    for (int64_t c = 0; c < D; c++) {
        double o = 0.0;

        for (int64_t j = 0; j < LENGTH; j++)
            o += (double)w[j] * (double)a->v[(j * 2 + kv) * D + c];
        worst =
            fmax(worst, fabs(o - (double)a->o[(queries[i] * 4 + h) * D + c]));
    }
    return worst;
}

static void look(const struct lct_layer_state *seen, void *context)
{
    struct looked *k = context;

    CHECK_OK(lct_model_attention_rows(k->model, seen->layer, queries, QUERIES,
                                      k->weight));
    for (int64_t h = 0; h < 4; h++)
        for (int i = 0; i < QUERIES; i++) {
            const float *w = k->weight + (h * QUERIES + i) * LENGTH;
            double sum = 0.0;

            for (int64_t j = 0; j < LENGTH; j++) {
                CHECK(j <= queries[i] ? w[j] >= 0.0f : w[j] == 0.0f);
                sum += (double)w[j];
            }
            /* 24 float weights of at most 1, each to some 2^-20 */
            CHECK(fabs(sum - 1.0) < 3e-5);
            /* and times values of a few units at most */
            CHECK(differs(k, seen->layer, h, i) < 2e-4);
        }
    k->calls++;
}

TEST(rows_are_the_weights_of_the_layer)
{
    static const char *const more[] = {
        "rope(base=500)+alibi",
        "temperature(kind=logn,length=8)+rope",
        "window(size=5)",
        "pose(length=96)+rope",
        "fox",
        "cope",
        "selfextend(group=4,window=8)",
        "xpos",
    };
    const size_t n = sizeof specs / sizeof *specs;

    for (size_t i = 0; i < n + sizeof more / sizeof *more; i++) {
        struct looked seen = { .calls = 0 };
        FREED_BY(finish) struct run r;

        start(&r, i < n ? specs[i] : more[i - n]);
        train(&r, 0, 3);
        seen.model = r.model;
        lct_model_watch(r.model, look, &seen);
        CHECK_OK(lct_model_forward(r.model, r.words, r.words + 1, 1, LENGTH,
                                   NULL, NULL));
        CHECK(seen.calls == 2);
    }
}

TEST(what_cannot_be_read_is_refused)
{
    static float weight[4 * LENGTH];
    int64_t beyond = LENGTH, first = 0;
    FREED_BY(finish) struct run r;

    start(&r, "rope");
    CHECK_OK(lct_model_forward(r.model, r.words, r.words + 1, 1, LENGTH, NULL,
                               NULL));
    REFUSES(PARAM, lct_model_attention_rows(r.model, 0, &beyond, 1, weight),
            "t[0] is 24, expected 0 .. 23");
    CHECK_OK(lct_model_forward(r.model, r.words, r.words + 1, 2, LENGTH, NULL,
                               NULL));
    REFUSES(SHAPE, lct_model_attention_rows(r.model, 0, &first, 1, weight),
            "B is 2 and there are 1 queries, expected B = 1 and queries");
}
