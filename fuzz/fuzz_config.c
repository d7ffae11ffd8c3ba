/*
 * fuzz_config.c - any bytes: rejected with an error message, or an object with
 * a model_type, whose values have a type.
 */
#include "../src/families/config.h"
#include "fuzz.h"
#include <string.h>

static void read_values(const struct lct_config *c)
{
    char shown[LCT_CONFIG_SHOWN];
    const char *key, *text;
    json_t *value;
    int64_t integer;
    double real;

    HOLDS(json_is_object(c->root) && json_is_object(c->text));
    HOLDS(c->model_type != NULL);
    json_object_foreach(c->root, key, value) {
        const enum lct_found whole = lct_config_integer(&integer, c->root, key);
        const enum lct_found number = lct_config_real(&real, c->root, key);

        HOLDS(whole != LCT_RIGHT || number == LCT_RIGHT);
        HOLDS(number != LCT_RIGHT ||
              lct_config_text(&text, c->root, key) == LCT_WRONG);
        HOLDS(strlen(lct_config_show(shown, value)) < sizeof shown);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct lct_config c;

    json_set_alloc_funcs(fuzz_malloc, fuzz_free);
    fuzz_begin();
    if (lct_config_parse(&c, (const char *)data, size, "fuzz") == LOCANT_OK) {
        read_values(&c);
    } else {
        HOLDS(strncmp(locant_last_error(), "fuzz: ", 6) == 0);
        fuzz_sentence();
    }
    lct_config_free(&c);
    /* jansson takes up to 200 bytes for the "[]," of an array */
    fuzz_end(100 * size + 64 * 1024);
    return 0;
}
