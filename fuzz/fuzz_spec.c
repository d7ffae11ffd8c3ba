/*
 * fuzz_spec.c - any text: rejected with an error message, or printed and parsed
 * again to the same encoding.  Each text is parsed with the registry, and with
 * a test family that has every kind of key.
 */
#include "encodings/spec.h"
#include "fuzz.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const words[] = { "half", "interleaved", NULL };
static const struct lct_encoding rope;
static const struct lct_encoding none = { .info = { .name = "none" } };
static const struct lct_encoding *const family[] = { &none, &rope, NULL };

/* clang-format off */
static const struct lct_key keys[] = {
    { .name = "base", .kind = LCT_NUMBER, .def = 10000, .min = 0,
      .max = INFINITY, .min_open = true },
    { .name = "offset", .kind = LCT_NUMBER, .def = NAN, .min = -INFINITY,
      .max = INFINITY },
    { .name = "dim", .kind = LCT_INTEGER, .def = NAN, .min = -4, .max = 1e15 },
    { .name = "pairing", .kind = LCT_WORD, .words = words },
    { .name = "symmetric", .kind = LCT_SWITCH, .def = 1 },
    { .name = "scaling", .kind = LCT_SPEC, .def = NAN, .family = family },
    { .name = "mask", .kind = LCT_SPEC, .def = 0, .family = family },
    { 0 }
};
/* clang-format on */
static const struct lct_encoding rope = { .info = { .name = "rope" },
                                          .keys = keys };

static void same(const locant_encoding *a, const locant_encoding *b)
{
    HOLDS(a->row == b->row);
    HOLDS(strcmp(a->spec, b->spec) == 0);
    for (int k = 0; a->row->keys && a->row->keys[k].name; k++) {
        HOLDS(a->value[k] == b->value[k] ||
              (isnan(a->value[k]) && isnan(b->value[k])));
        HOLDS((a->nested[k] == NULL) == (b->nested[k] == NULL));
        if (a->nested[k] != NULL)
            same(a->nested[k], b->nested[k]);
    }
}

static void in_family(const char *text, size_t size,
                      const struct lct_encoding *const *rows)
{
    locant_encoding *e, *again;

    fuzz_begin();
    if (lct_spec_parse(&e, "fuzz", text, rows) == LOCANT_OK) {
        HOLDS(lct_spec_print(NULL, 0, e) == strlen(e->spec));
        HOLDS(lct_spec_parse(&again, "fuzz", e->spec, rows) == LOCANT_OK);
        same(e, again);
        lct_encoding_release(e);
        lct_encoding_release(again);
    } else {
        HOLDS(e == NULL);
        fuzz_sentence();
    }
    fuzz_end(fuzz_limit(size));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size);

    in_family(text, size, family);
    in_family(text, size, lct_encodings);
    free(text);
    return 0;
}
