/*
 * fuzz_formula.c - any text between the parentheses of formula(..): rejected
 * with an error message, or printed and parsed again to the same encoding, with
 * a bias and a gradient for every pair.
 */
#include "encodings/spec.h"
#include "fuzz.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HEADS = 2, PAIRS = 5, MOST = 1 << 12 };

/* Biases and gradients, unless a table is large. */
static void evaluate(const locant_encoding *e)
{
    static const int64_t q[1] = { 7 }, k[PAIRS] = { 7, 6, 0, 9, -40 };
    locant_sizes sizes = { .heads = HEADS };
    locant_tensor param[8], dparam[8], out, q_pos, k_pos;
    double bias[HEADS * PAIRS];
    locant_param_info info;
    int n = 0;

    while (locant_encoding_param(&info, e, n, &sizes)) {
        param[n] = locant_dense(NULL, LOCANT_F64, info.rank, info.shape);
        if (fuzz_bytes(&param[n]) > MOST)
            break;
        dparam[n] = param[n];
        param[n].data = calloc(1, MOST);
        dparam[n].data = calloc(1, MOST);
        HOLDS(locant_encoding_param_init(&param[n], e, n, 1) == LOCANT_OK);
        HOLDS(locant_encoding_param_project(&param[n], e, n) == LOCANT_OK);
        n++;
    }
    out = locant_dense(bias, LOCANT_F64, 3, (int64_t[]){ HEADS, 1, PAIRS });
    q_pos = locant_dense((void *)q, LOCANT_I64, 1, (int64_t[]){ 1 });
    k_pos = locant_dense((void *)k, LOCANT_I64, 1, (int64_t[]){ PAIRS });
    if (!locant_encoding_param(&info, e, n, &sizes) &&
        locant_encoding_bias(&out, e, &q_pos, &k_pos, param) == LOCANT_OK)
        HOLDS(locant_encoding_bias_backward(dparam, &out, e, &q_pos, &k_pos,
                                            param) == LOCANT_OK);
    while (n-- > 0) {
        free(param[n].data);
        free(dparam[n].data);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size);
    char *spec = malloc(size + sizeof("formula()"));
    locant_encoding *e, *again;

    snprintf(spec, size + sizeof("formula()"), "formula(%s)", text);
    fuzz_begin();
    if (locant_encoding_create(&e, spec) == LOCANT_OK) {
        HOLDS(lct_spec_print(NULL, 0, e) == strlen(locant_encoding_spec(e)));
        HOLDS(locant_encoding_create(&again, locant_encoding_spec(e)) ==
              LOCANT_OK);
        HOLDS(strcmp(locant_encoding_spec(e), locant_encoding_spec(again)) ==
              0);
        evaluate(again);
        locant_encoding_free(e);
        locant_encoding_free(again);
    } else {
        HOLDS(e == NULL);
        fuzz_sentence();
    }
    fuzz_end(fuzz_limit(size));
    free(spec);
    free(text);
    return 0;
}
