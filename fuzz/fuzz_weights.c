/*
 * fuzz_weights.c - any bytes: rejected with an error message, or tensors that
 * lie in the file and can all be read; and the same bytes as an index.
 */
#include "../src/families/weights_index.h"
#include "../src/families/weights.h"
#include "fuzz.h"
#include <jansson.h>
#include <string.h>

static void read_tensors(const struct lct_weights *w, const uint8_t *data,
                         size_t size)
{
    const struct lct_weight *t;
    double numbers[256];

    for (size_t i = 0; (t = lct_weights_at(w, i)) != NULL; i++) {
        const size_t block = t->type->bytes;

        HOLDS(lct_weights_find(w, t->name) == t);
        HOLDS(t->data >= data && t->bytes <= size - (size_t)(t->data - data));
        HOLDS(t->bytes % block == 0);
        if (t->bytes == 0)
            continue;
        lct_weight_doubles(numbers, t, 0, t->type->elements);
        lct_weight_doubles(numbers, t,
                           (int64_t)(t->bytes / block - 1) * t->type->elements,
                           t->type->elements);
    }
}

static void read_index(const uint8_t *data, size_t size)
{
    struct lct_weights_index x;

    fuzz_begin();
    if (lct_weights_index_parse(&x, (const char *)data, size, "fuzz") ==
        LOCANT_OK) {
        for (size_t i = 0; i < x.n; i++)
            HOLDS(strchr(x.places[i].shard, '/') == NULL &&
                  lct_weights_index_find(&x, x.places[i].tensor) ==
                      x.places[i].shard);
    } else {
        HOLDS(strncmp(locant_last_error(), "fuzz: ", 6) == 0);
        fuzz_sentence();
    }
    lct_weights_index_free(&x);
    fuzz_end(100 * size + 256 * 1024);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct lct_weights *w;

    json_set_alloc_funcs(fuzz_malloc, fuzz_free);
    fuzz_begin();
    if (lct_weights_parse(&w, data, size, "fuzz") == LOCANT_OK) {
        read_tensors(w, data, size);
        lct_weights_close(w);
    } else {
        HOLDS(w == NULL);
        HOLDS(strncmp(locant_last_error(), "fuzz: ", 6) == 0);
        fuzz_sentence();
    }
    fuzz_end(fuzz_limit(size));
    read_index(data, size);
    return 0;
}
