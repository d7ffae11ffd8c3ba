/* needs: lab */
/*
 * test_net_probe_cross.c - what a probe says of attention over an encoder,
 * against plain loops
 */
#include "../src/families/net_memory.h"
#include "probe_case.h"

/* Attention over an encoder: queries of a text that is fed in two steps, and a
   source that begins with padding; tokens of both are numbered from 0. */
struct cross {
    struct lct_net_probe probe;
    struct lct_net_probe_head *want; /* [layers, heads + 1] */
    int64_t H, padding;
};

static locant_status add_cross(void *context, int64_t layer,
                               const locant_attention *call,
                               const locant_tensor *lse, int64_t from)
{
    struct cross *c = context;
    const int64_t B = call->q->shape[0], T = call->q->shape[2];
    const int64_t S = call->k->shape[2], H = c->H;
    double *p = plain_weights(call);

    CHECK(c->H == call->q->shape[1]);
    for (int64_t row = 0; row < B * H * T; row++) {
        const int64_t b = row / H / T, h = row / T % H, t = from + row % T;
        const int64_t first = b == B - 1 ? c->padding : 0;
        struct lct_net_probe_head *want = c->want + layer * (H + 1);

        add_plain(&want[h], p + row * S, t, S, first, 0);
        if (h == 0)
            add_plain(&want[H], p + row * S, t, S, first,
                      1 / (double)(S - first));
    }
    free(p);
    return c->probe.watch.cross(c->probe.watch.context, layer, call, lse, from);
}

static locant_status ignore_own(void *context, int64_t layer,
                                const locant_attention *call,
                                const locant_tensor *lse)
{
    (void)context;
    (void)layer;
    (void)call;
    (void)lse;
    return LOCANT_OK;
}

static void check_cross(const char *name, int64_t S, int64_t padding)
{
    enum { B = 2, NEW = 20, FIRST = 13 };
    struct lct_net_memory memory = { 0 };
    struct lct_net_run r;
    struct lct_net *n;
    struct cross c = { .padding = padding };
    struct lct_net_watch watch = { ignore_own, &c, add_cross };
    int64_t *ids = calloc((size_t)(B * S), sizeof *ids);
    int64_t *mask = calloc((size_t)(B * S), sizeof *mask), next[B * NEW];
    const struct lct_net_tokens source = { S, ids, mask, .stride = S };

    CHECK_OK(lct_net_open(&n, fixture(name), LOCANT_F64, NULL));
    for (int64_t i = 0; i < B * S; i++) {
        ids[i] = test_range(3, n->vocab - 1);
        mask[i] = i < (B - 1) * S || i >= (B - 1) * S + padding;
    }
    draw_ids(next, B * NEW, n->vocab);
    CHECK_OK(lct_net_run_begin(&r, n, B, NEW, FIRST));
    CHECK_OK(lct_net_memory_read(&memory, n, B, &source));
    CHECK_OK(lct_net_probe_begin(&c.probe, &n->text, NEW, -1));
    c.H = n->text.layers[0].cross->plan->heads;
    c.want = calloc((size_t)(n->text.n_layers * (c.H + 1)), sizeof *c.want);
    r.memory = &memory;
    r.watch = &watch;
    for (int64_t t = 0; t < NEW; t += FIRST)
        CHECK_OK(lct_net_run_step(
            &r, &(struct lct_net_tokens){ .T = t == 0 ? FIRST : NEW - FIRST,
                                          .ids = next + t,
                                          .stride = NEW }));
    for (int64_t i = 0; i < n->text.n_layers; i++) {
        near(name, "rows", c.probe.layers[i].cross_rows, B * NEW);
        for (int64_t h = 0; h <= c.H; h++) {
            struct lct_net_probe_head *got = &c.probe.layers[i].cross[h];
            struct lct_net_probe_head *want = &c.want[i * (c.H + 1) + h];

            /* bins of distances are not part of the result */
            memset(got->bin, 0, sizeof got->bin);
            memset(want->bin, 0, sizeof want->bin);
            compare(name, got, want);
        }
    }
    lct_net_probe_end(&c.probe);
    lct_net_memory_free(&memory);
    lct_net_run_end(&r);
    lct_net_close(n);
    free(c.want);
    free(ids);
    free(mask);
}

TEST(weights_over_an_encoder_are_those_of_all_tokens)
{
    static const char *const models[] = { "marian", "t5", "umt5" };

    for (size_t i = 0; i < LEN(models); i++) {
        check_cross(models[i], 9, 0); /* shorter than the text, and longer */
        check_cross(models[i], 24, 0);
        check_cross(models[i], 24, 5);
    }
}
