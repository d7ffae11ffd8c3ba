/*
 * fuzz_gguf.c - any bytes: rejected with an error message, or values and
 * tensors that lie in the file and can all be read.
 */
#include "../src/files/number.h"
#include "../src/files/gguf.h"
#include "fuzz.h"
#include <string.h>

enum { MOST = 256 }; /* elements that are read of each value and tensor */

static void read_values(const struct lct_gguf *g)
{
    for (size_t i = 0; i < g->n_values; i++) {
        const struct lct_gguf_value *v = &g->values[i];
        struct lct_text text;
        int64_t integer;
        double real;

        HOLDS(i == 0 || v->key.n > 0);
        for (uint64_t k = 0; k < v->count && k < MOST; k++) {
            const bool whole = lct_gguf_integer(&integer, g, v, k);
            const bool number = lct_gguf_real(&real, g, v, k);

            HOLDS(!whole || number);
            if (lct_gguf_text(&text, g, v, k)) {
                HOLDS(!number && v->type == LCT_GGUF_TEXT);
                HOLDS((const unsigned char *)text.bytes >= g->bytes);
                HOLDS(text.n <= g->size);
            }
        }
    }
}

static void read_tensors(const struct lct_gguf *g)
{
    float out[MOST];

    for (size_t i = 0; i < g->n_tensors; i++) {
        const struct lct_gguf_tensor *t = &g->tensors[i];

        HOLDS(t->bytes % t->type->bytes == 0 && t->bytes > 0);
        HOLDS(t->data >= g->bytes &&
              t->bytes <= g->size - (size_t)(t->data - g->bytes));
        lct_number_floats(out, t->type, t->data, 1);
        lct_number_floats(out, t->type, t->data + t->bytes - t->type->bytes, 1);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct lct_gguf *g;

    fuzz_begin();
    if (lct_gguf_parse(&g, data, size, "fuzz") == LOCANT_OK) {
        read_values(g);
        read_tensors(g);
        lct_gguf_close(g);
    } else {
        HOLDS(g == NULL);
        HOLDS(strncmp(locant_last_error(), "fuzz: ", 6) == 0);
        fuzz_sentence();
    }
    fuzz_end(fuzz_limit(size));
    return 0;
}
