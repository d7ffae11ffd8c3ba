/* needs: lab */
/*
 * test_net_probe.c - weights and norms of a probe against plain loops over all
 * of them; the first layer of a fixture from its tensors; classes of made-up
 * heads; refusals
 */
#include "probe_case.h"

struct check {
    const char *name;
    const struct lct_net_stack *stack;
    int64_t padding; /* tokens before the last row */
    int calls;
};

static bool hidden(const locant_attention *call, int64_t b, int64_t i)
{
    return call->q_docs != NULL &&
           ((const int64_t *)
                call->q_docs->data)[b * call->q_docs->stride[0] + i] < 0;
}

static double seen_rows(const locant_attention *call)
{
    double rows = 0;

    for (int64_t b = 0; b < call->q->shape[0]; b++)
        for (int64_t i = 0; i < call->q->shape[2]; i++)
            rows += !hidden(call, b, i);
    return rows;
}

static void add_rows(struct lct_net_probe_head *want,
                     const locant_attention *call, const double *p,
                     int64_t padding)
{
    const int64_t H = call->q->shape[1], T = call->q->shape[2];
    const int64_t S = call->k->shape[2], B = call->q->shape[0];

    for (int64_t b = 0; b < B; b++)
        for (int64_t h = 0; h < H; h++)
            for (int64_t i = 0; i < T; i++) {
                const double *w = p + ((b * H + h) * T + i) * S;
                const int64_t first = b == B - 1 ? padding : 0;
                int64_t seen = 0;

                for (int64_t j = 0; j < S; j++)
                    seen += w[j] > 0;
                if (hidden(call, b, i))
                    continue;
                add_plain(&want[h], w, S - T + i, S, first, 0);
                if (h == 0)
                    add_plain(&want[H], w, S - T + i, S, first,
                              1 / (double)seen);
            }
}

static locant_status check_call(void *context, int64_t layer,
                                const locant_attention *call,
                                const locant_tensor *lse)
{
    struct check *c = context;
    const int64_t H = call->q->shape[1];
    struct lct_net_probe_head *got = calloc((size_t)H + 1, sizeof *got);
    struct lct_net_probe_head *want = calloc((size_t)H + 1, sizeof *want);
    struct lct_net_probe probe;
    double *p = plain_weights(call), rows = 0;

    CHECK_OK(lct_net_probe_begin(&probe, c->stack, call->k->shape[2], layer));
    CHECK_OK(
        lct_net_probe_rows(got, &rows, call, lse, probe.layers[layer].hides));
    add_rows(want, call, p, c->padding);
    near(c->name, "rows", rows, seen_rows(call));
    for (int64_t h = 0; h <= H; h++)
        compare(c->name, &got[h], &want[h]);
    lct_net_probe_end(&probe);
    free(got);
    free(want);
    free(p);
    c->calls++;
    return LOCANT_OK;
}

/* All layers of a model on B texts of T tokens, in steps of at most 'most'; the
   last text begins with padding. */
static void check_model(const char *name, int64_t T, int64_t padding,
                        int64_t most)
{
    enum { B = 2 };
    struct lct_net_run r;
    struct lct_net *n;
    int64_t *ids = calloc((size_t)(B * T), sizeof *ids);
    int64_t *mask = calloc((size_t)(B * T), sizeof *mask);
    struct check c = { name, NULL, padding, 0 };
    struct lct_net_watch watch = { check_call, &c, NULL };

    CHECK_OK(lct_net_open(&n, fixture(name), LOCANT_F64, NULL));
    c.stack = &n->text;
    for (int64_t i = 0; i < B * T; i++) {
        ids[i] = test_range(3, n->vocab - 1);
        mask[i] = i < (B - 1) * T || i >= (B - 1) * T + padding;
    }
    CHECK_OK(lct_net_run_begin(&r, n, B, T, most));
    r.watch = &watch;
    for (int64_t t = 0; t < T; t += most) {
        const struct lct_net_tokens step = { .T = T - t < most ? T - t : most,
                                             .ids = ids + t,
                                             .mask =
                                                 padding > 0 ? mask + t : NULL,
                                             .stride = T };

        CHECK_OK(lct_net_run_step(&r, &step));
    }
    CHECK(c.calls == n->text.n_layers * ((T + most - 1) / most));
    lct_net_run_end(&r);
    lct_net_close(n);
    free(ids);
    free(mask);
}

/* Tiles have 64 tokens: 150 make three of them; learned tables end at 24. */
TEST(weights_are_those_of_all_pairs)
{
    static const struct {
        const char *name;
        int64_t T;
    } models[] = {
        { "llama", 150 },      { "bloom", 150 },      { "mpt", 150 },
        { "gemma2", 150 },     { "gemma3", 150 },     { "gpt_oss", 150 },
        { "llama4", 150 },     { "phi3_long", 150 },  { "deepseek_v3", 150 },
        { "modernbert", 150 }, { "minimax_m2", 150 }, { "deberta_v3", 24 },
        { "bert", 24 },        { "gpt2", 24 },        { "stablelm", 70 },
    };

    for (size_t i = 0; i < LEN(models); i++) {
        check_model(models[i].name, models[i].T, 0, models[i].T);
        check_model(models[i].name, models[i].T, 7, models[i].T);
    }
}

TEST(queries_of_a_step_see_the_keys_of_those_before)
{
    static const char *const models[] = { "llama", "mpt", "gemma3", "llama4",
                                          "gpt_oss" };

    for (size_t i = 0; i < LEN(models); i++) {
        check_model(models[i], 150, 0, 47);
        check_model(models[i], 150, 50, 47);
    }
}

/* ----------------------------------------------- one layer from its tensors */

enum { T = 75, D = 8, H = 2, HEAD = 4, PAIRS = 2 };

static void tensor(double *out, const struct lct_weights *w, const char *name,
                   int64_t n)
{
    const struct lct_weight *t = lct_weights_find(w, name);

    CHECK(t != NULL);
    lct_weight_doubles(out, t, 0, n);
}

/* y [rows] = W [rows, D] x */
static void multiply(double *y, const double *w, const double *x, int rows)
{
    for (int r = 0; r < rows; r++) {
        y[r] = 0;
        for (int c = 0; c < D; c++)
            y[r] += w[r * D + c] * x[c];
    }
}

/* Pairs (c, c + 2) of heads turn by t and t / 100: base 10000, 4 channels. */
static void turn(double *x, int64_t t)
{
    for (int c = 0; c < PAIRS; c++) {
        const double angle = (double)t * (c == 0 ? 1 : 0.01);
        const double a = x[c], b = x[c + PAIRS];

        x[c] = a * cos(angle) - b * sin(angle);
        x[c + PAIRS] = b * cos(angle) + a * sin(angle);
    }
}

/* q [T, H HEAD] and k [T, HEAD] of the first layer. */
static void first_layer(double *q, double *k, const int64_t *ids)
{
    double embed[12 * D], norm[D], wq[D * D], wk[HEAD * D], x[D];
    struct lct_weights *w;

    CHECK_OK(lct_weights_open(&w, fixture("llama")));
    tensor(embed, w, "model.embed_tokens.weight", 12 * D);
    tensor(norm, w, "model.layers.0.input_layernorm.weight", D);
    tensor(wq, w, "model.layers.0.self_attn.q_proj.weight", D * D);
    tensor(wk, w, "model.layers.0.self_attn.k_proj.weight", HEAD * D);
    lct_weights_close(w);
    for (int64_t t = 0; t < T; t++) {
        const double *e = embed + ids[t] * D;
        double mean = 0;

        for (int c = 0; c < D; c++)
            mean += e[c] * e[c] / D;
        for (int c = 0; c < D; c++)
            x[c] = e[c] / sqrt(mean + 1e-6) * norm[c];
        multiply(q + t * H * HEAD, wq, x, H * HEAD);
        multiply(k + t * HEAD, wk, x, HEAD);
        turn(k + t * HEAD, t);
        for (int h = 0; h < H; h++)
            turn(q + (t * H + h) * HEAD, t);
    }
}

/* Softmax of the scores of query t of head h. */
static void weigh(double *w, const double *q, const double *k, int64_t t, int h)
{
    double sum = 0;

    memset(w, 0, T * sizeof *w);
    for (int64_t j = 0; j <= t; j++) {
        double s = 0;

        for (int c = 0; c < HEAD; c++)
            s += q[(t * H + h) * HEAD + c] * k[j * HEAD + c] / sqrt(HEAD);
        w[j] = exp(s);
        sum += w[j];
    }
    for (int64_t j = 0; j <= t; j++)
        w[j] /= sum;
}

static double mean_norm(const double *x, int heads, int h, int c)
{
    double sum = 0;

    for (int64_t t = 0; t < T; t++)
        sum += hypot(x[(t * heads + h) * HEAD + c],
                     x[(t * heads + h) * HEAD + c + PAIRS]);
    return sum / T;
}

static double at(const json_t *object, const char *key, int i)
{
    const json_t *x = json_object_get(object, key);

    x = i < 0 ? x : json_array_get(x, (size_t)i);
    CHECK(json_is_number(x));
    return json_number_value(x);
}

static const json_t *layer_of(const json_t *probe, size_t i)
{
    return json_array_get(json_object_get(probe, "layers"), i);
}

static const json_t *head_of(const json_t *layer, size_t i)
{
    return json_array_get(json_object_get(layer, "heads"), i);
}

static void check_pairs(const json_t *head, const double *q, const double *k,
                        int h)
{
    const json_t *pairs = json_object_get(head, "pairs");
    double product[PAIRS], sum = 0;

    for (int c = 0; c < PAIRS; c++) {
        product[c] = mean_norm(q, H, h, c) * mean_norm(k, 1, 0, c);
        sum += product[c];
        near("llama", "q", at(pairs, "q", c), mean_norm(q, H, h, c));
        near("llama", "k", at(pairs, "k", c), mean_norm(k, 1, 0, c));
    }
    for (int c = 0; c < PAIRS; c++)
        near("llama", "share", at(pairs, "share", c), product[c] / sum);
}

/* The JSON of a probe of the fixture; to be released. */
static json_t *probe_of(const char *name, int64_t *ids, int64_t count,
                        int64_t layer, int64_t head)
{
    locant_model_input in = LOCANT_MODEL_INPUT_INIT;
    locant_model *m = opened(name, LOCANT_F64);
    json_t *probe;
    char *text;
    size_t size;

    in.ids = VIEW(I64, ids, 1, count);
    CHECK_OK(locant_model_probe(&text, &size, m, &in, layer, head));
    locant_model_close(m);
    CHECK(strlen(text) == size);
    probe = json_loads(text, 0, NULL);
    CHECK(probe != NULL);
    locant_release(text);
    return probe;
}

TEST(the_first_layer_is_what_its_tensors_give)
{
    double q[T * H * HEAD], k[T * HEAD], w[T];
    int64_t ids[T];
    json_t *probe;
    const json_t *layer, *head;

    draw_ids(ids, T, 12);
    first_layer(q, k, ids);
    probe = probe_of("llama", ids, T, -1, -1);
    layer = layer_of(probe, 0);
    near("llama", "turns", at(json_object_get(layer, "pairs"), "turns", 0),
         T / (2 * acos(-1.0)));
    near("llama", "incomplete",
         at(json_object_get(layer, "pairs"), "incomplete", -1), 1);
    for (int h = 0; h < H; h++) {
        struct lct_net_probe_head want = { 0 };

        for (int64_t t = 0; t < T; t++) {
            weigh(w, q, k, t, h);
            add_plain(&want, w, t, T, 0, 0);
        }
        head = head_of(layer, (size_t)h);
        near("llama", "entropy", at(head, "entropy", -1), want.entropy / T);
        near("llama", "distance", at(head, "distance", -1), want.distance / T);
        near("llama", "first", at(head, "first", -1), want.first / T);
        for (int b = 0; b < 8; b++) /* distances 0 .. 74 */
            near("llama", "bins", at(head, "bins", b), want.bin[b] / T);
        check_pairs(head, q, k, h);
    }
    json_decref(probe);
}

TEST(a_layer_and_a_head_are_as_among_all)
{
    int64_t ids[T];
    json_t *all, *one;

    draw_ids(ids, T, 12);
    all = probe_of("gemma3", ids, T, -1, -1);
    one = probe_of("gemma3", ids, T, 1, 1);
    CHECK(layer_of(one, 0) != NULL && layer_of(one, 1) == NULL);
    CHECK(head_of(layer_of(one, 0), 1) == NULL);
    CHECK(
        json_equal(head_of(layer_of(all, 1), 1), head_of(layer_of(one, 0), 0)));
    json_decref(all);
    json_decref(one);
}

/* ----------------------------------------------------------------- classes */

static const char *class_at(const json_t *probe, size_t h)
{
    return json_string_value(
        json_object_get(head_of(layer_of(probe, 0), h), "class"));
}

TEST(classes_of_made_up_heads)
{
    enum { HEADS = 8 };
    struct lct_net_probe_head heads[HEADS + 1] = {
        { .weight = 1, .previous = .6 },   /* .54 of what even weights leave */
        { .weight = 1, .previous = .54 },  /* .49 */
        { .weight = 1, .own = .6 },        /* .54 */
        { .weight = 1, .first = .4 },      /* .33 */
        { .weight = 1, .first = .36 },     /* .29 */
        { .weight = 1, .within = { .8 } }, /* .6 */
        { .weight = 1, .next = .6 },
        { .weight = 1, .entropy = 2.8 },
        { .weight = 1,
          .previous = .125,
          .own = .125,
          .first = .1,
          .next = .125,
          .entropy = 3,
          .within = { .5 } },
    };
    static const char *const want[HEADS] = { "previous", "mixed", "own",
                                             "first",    "mixed", "local",
                                             "next",     "even" };
    struct lct_layer_plan plan = { .heads = HEADS, .kv_heads = 1 };
    struct lct_net_probe_layer layer = { .plan = &plan,
                                         .heads = heads,
                                         .rows = 1 };
    const struct lct_net_stack stack = { .n_layers = 1 };
    const struct lct_net_probe probe = { .stack = &stack, .layers = &layer };
    json_t *json = lct_net_probe_json(&probe, 16, -1);

    for (size_t h = 0; h < HEADS; h++)
        if (strcmp(class_at(json, h), want[h]) != 0)
            FAIL("head %zu is %s, expected %s", h, class_at(json, h), want[h]);
    json_decref(json);
}

/* A pair with less than a tenth of an even share is unused. */
TEST(unused_pairs_of_a_made_up_head)
{
    /* shares of 1 + 1 + .1 + .05: the third is above 2.15 / 4 / 10 */
    double q[5] = { 1, 1, .1, .05, 0 }, k[5] = { 1, 1, 1, 1, 0 };
    double frequency[4] = { 1, .5, .25, 0 };
    struct lct_net_probe_head heads[2] = { { .weight = 1 }, { .weight = 1 } };
    struct lct_layer_plan plan = { .heads = 1, .kv_heads = 1, .qk_dim = 8 };
    struct lct_net_probe_layer layer = { .plan = &plan,
                                         .pairs = 4,
                                         .frequency = frequency,
                                         .q = q,
                                         .k = k,
                                         .q_tokens = 1,
                                         .k_tokens = 1,
                                         .heads = heads,
                                         .rows = 1 };
    const struct lct_net_stack stack = { .n_layers = 1 };
    const struct lct_net_probe probe = { .stack = &stack, .layers = &layer };
    json_t *json = lct_net_probe_json(&probe, 16, -1);
    const json_t *pairs = json_object_get(layer_of(json, 0), "pairs");

    CHECK(json_array_size(json_object_get(pairs, "unused")) == 1);
    near("made up", "unused", at(pairs, "unused", 0), 3);
    /* 16 positions are 2.5, 1.3, .6 and no turns */
    near("made up", "incomplete", at(pairs, "incomplete", -1), 2);
    CHECK(
        json_is_null(json_array_get(json_object_get(pairs, "wavelength"), 3)));
    json_decref(json);
}

/* ----------------------------------------------------------------- refusals */

TEST(bad_arguments_are_refused)
{
    int64_t ids[2] = { 1, 2 };
    locant_model_input in = LOCANT_MODEL_INPUT_INIT;
    locant_model *m = opened("llama", LOCANT_F32);
    char *text = (char *)ids;

    in.ids = VIEW(I64, ids, 1, 2);
    REFUSES(PARAM, locant_model_probe(&text, NULL, m, &in, 2, -1),
            "layer is 2, expected 0 .. 1, or -1 for all");
    CHECK(text == NULL);
    REFUSES(PARAM, locant_model_probe(&text, NULL, m, &in, -1, 2),
            "head is 2, expected 0 .. 1, or -1 for all");
    in.ids = VIEW(I64, ids, 2, 1);
    REFUSES(SHAPE, locant_model_probe(&text, NULL, m, &in, -1, -1),
            "there are [2, 1] ids, expected texts of two tokens or more");
    locant_model_close(m);
    m = opened("vit", LOCANT_F32);
    REFUSES(UNSUPPORTED, locant_model_probe(&text, NULL, m, &in, -1, -1),
            "vit reads images, expected a model of texts, whose tokens have "
            "distances");
    locant_model_close(m);
}

static locant_status probe_without_memory(const void *model)
{
    int64_t ids[4] = { 1, 2, 3, 4 };
    locant_model_input in = LOCANT_MODEL_INPUT_INIT;
    locant_model *m = NULL;
    char *text = NULL;
    locant_status status;

    in.ids = VIEW(I64, ids, 1, 4);
    status = locant_model_open(&m, fixture(model), LOCANT_F32);
    if (status == LOCANT_OK)
        status = locant_model_probe(&text, NULL, m, &in, -1, -1);
    locant_release(text);
    locant_model_close(m);
    return status;
}

TEST(without_memory_nothing_is_kept)
{
    check_no_memory(probe_without_memory, "gemma3");
}
