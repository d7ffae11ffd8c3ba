/*
 * fuzz_vocabulary.c - any text of merges: rejected with an error message, or a
 * vocabulary that is printed as it was read, and that decodes what it encoded.
 */
#include "corpus/vocabulary.h"
#include "fuzz.h"
#include <stdlib.h>
#include <string.h>

/* Encode the text itself, which has 16 different bytes. */
static void encode(const struct lct_vocabulary *v, const uint8_t *text,
                   size_t n)
{
    uint16_t *ids = locant_alloc(n * sizeof *ids);
    uint8_t *back = locant_alloc(n);
    size_t n_ids, at = 0;

    HOLDS(ids && back);
    HOLDS(lct_vocabulary_encode(ids, &n_ids, v, text, n) == LOCANT_OK);
    for (size_t i = 0; i < n_ids; i++) {
        HOLDS(ids[i] < v->size && v->bytes[ids[i]] <= n - at);
        lct_vocabulary_decode(back + at, v, ids[i]);
        at += v->bytes[ids[i]];
    }
    HOLDS(at == n && memcmp(back, text, n) == 0);
    locant_release(ids);
    locant_release(back);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size), *again;
    struct lct_vocabulary *v;
    int tokens = 0;

    fuzz_begin();
    if (lct_vocabulary_parse(&v, text, "fuzz") == LOCANT_OK) {
        HOLDS(lct_vocabulary_print(&again, v) == LOCANT_OK);
        HOLDS(strcmp(again, text) == 0);
        locant_release(again);
        tokens = v->size;
    } else {
        HOLDS(strncmp(locant_last_error(), "fuzz: ", 6) == 0);
        fuzz_sentence();
    }
    locant_release(v);
    fuzz_end(fuzz_limit(size));
    /* the tables of a large vocabulary take 128 MiB */
    if (tokens > 0 && tokens < LCT_VOCAB + 128) {
        HOLDS(lct_vocabulary_parse(&v, text, "fuzz") == LOCANT_OK);
        encode(v, (const uint8_t *)text, strlen(text));
        locant_release(v);
    }
    free(text);
    return 0;
}
