/*
 * fuzz_model.c - a configuration and tensors of any bytes: refused with an
 * error message, or a model that runs three tokens, reading nothing beyond.
 *
 * The input is the text of a config.json, a zero, and a safetensors file; or a
 * GGUF file.
 */
#include "../src/families/net_run.h"
#include "fuzz.h"
#include "locant/files.h"
#include <string.h>

/* Long enough for all steps, short enough for models whose sizes are large. */
enum { TOKENS = 3, MOST_WIDTH = 4096, MOST_LAYERS = 64 };

static void run(const struct lct_net *n)
{
    static const int64_t ids[TOKENS] = { 0, 0, 0 };
    const struct lct_net_tokens t = { .T = TOKENS,
                                      .ids = ids,
                                      .stride = TOKENS };
    struct lct_net_run r;

    if (n->width > MOST_WIDTH || n->text.n_layers > MOST_LAYERS ||
        n->vocab < 1 || n->encoder.n_layers > 0)
        return;
    if (lct_net_run_begin(&r, n, 1, TOKENS, TOKENS) == LOCANT_OK)
        (void)lct_net_run_step(&r, &t);
    lct_net_run_end(&r);
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
