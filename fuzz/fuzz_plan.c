/*
 * fuzz_plan.c - any bytes as a configuration, read as one of the programs that
 * the first byte chooses: refused with an error message, or a plan whose specs
 * parse, whose JSON has its hash, and that a second reading gives again.
 */
#include "fuzz.h"
#include "locant/encoding.h"
#include "locant/models.h"
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static void read_specs(const locant_plan *p)
{
    for (int t = 0; t < locant_plan_towers(p); t++) {
        HOLDS(locant_plan_tower(p, t) != NULL);
        HOLDS(locant_plan_input_spec(p, t) != NULL);
        HOLDS(locant_plan_layers(p, t) > 0);
        for (int64_t l = 0; l < locant_plan_layers(p, t); l++) {
            const char *spec = locant_plan_layer_spec(p, t, l);
            locant_encoding *e;

            HOLDS(spec != NULL);
            if (l > 8) /* layers repeat */
                continue;
            HOLDS(locant_encoding_create(&e, spec) == LOCANT_OK);
            HOLDS(strcmp(locant_encoding_spec(e), spec) == 0);
            locant_encoding_free(e);
        }
    }
}

static void read_json(const locant_plan *p)
{
    char *text;
    size_t n;
    json_t *root;

    HOLDS(locant_plan_json(&text, &n, p) == LOCANT_OK);
    root = json_loadb(text, n, 0, NULL);
    HOLDS(root != NULL);
    HOLDS(strcmp(json_string_value(json_object_get(root, "hash")),
                 locant_plan_hash(p)) == 0);
    json_decref(root);
    locant_release(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const locant_stack as = (locant_stack)(size > 0 ? data[0] % 6 : 0);
    const char *text = (const char *)data + (size > 0);
    const size_t n = size - (size > 0);
    locant_plan *p, *again;

    fuzz_begin();
    if (locant_plan_parse(&p, text, n, "fuzz", as) == LOCANT_OK) {
        read_specs(p);
        read_json(p);
        HOLDS(locant_plan_parse(&again, text, n, "fuzz", as) == LOCANT_OK);
        HOLDS(strcmp(locant_plan_hash(p), locant_plan_hash(again)) == 0);
        locant_plan_free(again);
        locant_plan_free(p);
    } else {
        HOLDS(p == NULL);
        fuzz_sentence();
    }
    fuzz_end(8 * size + ((size_t)512 << 20)); /* 4096 layers, twice */
    return 0;
}
