/*
 * fuzz_model.c - a configuration and tensors of any bytes: refused with an
 * error message, or a model that runs three tokens, one of them an image if it
 * has a tower, reading nothing beyond.
 *
 * The input is the text of a config.json, a zero, and a safetensors file; or a
 * GGUF file.
 */
#include "../src/families/net_memory.h"
#include "../src/families/net_patches.h"
#include "../src/families/net_sight.h"
#include "fuzz.h"
#include "locant/files.h"
#include <string.h>

/* Long enough for all steps, short enough for models whose sizes are large. */
enum { TOKENS = 3, MOST_WIDTH = 4096, MOST_LAYERS = 64, PIXELS = 4096 };

/* One patch of an image, if that is small. */
static bool one_patch(struct lct_net_tokens *t, const struct lct_net *n)
{
    const struct lct_net_patches *p = n->text.patches;
    static float pixels[PIXELS];

    if (p->side[0] > PIXELS || p->side[1] > PIXELS / p->side[0] ||
        p->channels > PIXELS / (p->side[0] * p->side[1]))
        return false;
    *t = (struct lct_net_tokens){ .pixels = pixels,
                                  .height = p->side[0],
                                  .width = p->side[1] };
    return lct_net_patches_count(&t->T, n, t->height, t->width) && t->T < 64;
}

/* The first token is an image of one group of patches, if that is small. */
static locant_status one_image(struct lct_net_seen *seen,
                               struct lct_net_tokens *t,
                               const struct lct_net *n)
{
    static const int64_t at[TOKENS] = { 0, -1, -1 };
    static float pixels[PIXELS];
    const struct lct_net *tower = n->sight;
    const struct lct_net_patches *p = tower->text.patches;
    const int64_t grid[3] = { 1, p->merge, p->merge };
    const struct lct_net_images images = { .n = 1,
                                           .grid = grid,
                                           .pixels = pixels };

    if (tower->width > MOST_WIDTH || tower->text.n_layers > MOST_LAYERS ||
        p->map.w.in > PIXELS || p->merge * p->merge > PIXELS / p->map.w.in)
        return LOCANT_OK;
    t->seen = at;
    return lct_net_sight_read(seen, n, &images);
}

static void run(const struct lct_net *n)
{
    static const int64_t ids[TOKENS] = { 0, 0, 0 };
    struct lct_net_tokens t = { .T = TOKENS, .ids = ids, .stride = TOKENS };
    struct lct_net_memory memory = { 0 };
    struct lct_net_seen seen = { 0 };
    struct lct_net_run r;
    locant_status s;

    if (n->width > MOST_WIDTH || n->text.n_layers > MOST_LAYERS ||
        n->vocab < 0 || (n->vocab < 1 && n->text.patches == NULL) ||
        n->encoder.n_layers > MOST_LAYERS || n->s.memory > MOST_WIDTH ||
        (n->text.patches != NULL && !one_patch(&t, n)))
        return;
    s = lct_net_run_begin(&r, n, 1, t.T, t.T);
    r.memory = &memory;
    r.seen = &seen;
    if (s == LOCANT_OK && n->sight != NULL)
        s = one_image(&seen, &t, n);
    if (s == LOCANT_OK && n->encoder.plan != NULL)
        s = lct_net_memory_read(&memory, n, 1, &t);
    if (s == LOCANT_OK)
        (void)lct_net_run_step(&r, &t);
    lct_net_run_end(&r);
    lct_net_memory_free(&memory);
    lct_net_sight_free(&seen);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *zero = memchr(data, 0, size);
    struct lct_net_bytes b = { .config = (const char *)data,
                               .config_size = size,
                               .weights = data,
                               .weights_size = size,
                               .name = "fuzz" };
    struct lct_net *n;

    fuzz_begin();
    if (size < 4 || memcmp(data, "GGUF", 4) != 0) {
        if (zero == NULL)
            return 0;
        b.config_size = (size_t)(zero - data);
        b.weights = zero + 1;
        b.weights_size = size - b.config_size - 1;
    }
    if (lct_net_parse(&n, &b, LOCANT_F32) == LOCANT_OK)
        run(n);
    else
        HOLDS(n == NULL);
    lct_net_close(n);
    return 0;
}
