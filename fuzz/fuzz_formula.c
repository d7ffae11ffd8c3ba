/*
 * fuzz_formula.c - any text between the parentheses of formula(..): rejected
 * with an error message, or printed and parsed again to the same encoding, with
 * a bias and a gradient for every pair, and attention that computes or refuses.
 */
#include "encodings/spec.h"
#include "fuzz.h"
#include "locant/attention.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HEADS = 2, PAIRS = 5, MOST = 1 << 12 };
enum { TOKENS = 3, D = 2, WIDTH = 16, PARAMS = 16 };

/* Attention over 3 tokens by rows (F64) or in tiles (F32), with gradients of
 * all that it reads. */
static void attend(const locant_encoding *e, const locant_tensor *param,
                   locant_tensor *dparam, locant_dtype dtype)
{
    static const int64_t shape[4] = { 1, HEADS, TOKENS, D };
    static const int64_t x_shape[3] = { 1, TOKENS, WIDTH };
    static double in[HEADS * TOKENS * D], x[TOKENS * WIDTH];
    double out[HEADS * TOKENS * D], dq[HEADS * TOKENS * D];
    double lse[HEADS * TOKENS], dx[TOKENS * WIDTH];
    locant_tensor q = locant_dense(in, dtype, 4, shape);
    locant_tensor of_x = locant_dense(x, dtype, 3, x_shape);
    locant_tensor o = locant_dense(out, dtype, 4, shape);
    locant_tensor l = locant_dense(lse, dtype, 3, shape);
    locant_tensor of_dq = locant_dense(dq, dtype, 4, shape);
    locant_tensor of_dx = locant_dense(dx, dtype, 3, x_shape);
    locant_attention a = LOCANT_ATTENTION_INIT;
    locant_attention_gradients g = LOCANT_ATTENTION_GRADIENTS_INIT;
    void *workspace;
    size_t bytes;

    for (int i = 0; i < TOKENS * WIDTH; i++)
        if (dtype == LOCANT_F64)
            x[i] = 0.1 * (i % 7 - 3);
        else
            ((float *)x)[i] = 0.1f * (float)(i % 7 - 3);
    a.q = a.k = a.v = &q;
    a.encoding = e;
    a.params = param;
    a.x = &of_x;
    a.mask = LOCANT_MASK_CAUSAL;
    g.dq = &of_dq;
    g.dx = &of_dx;
    g.dparams = dparam;
    if (locant_attention_workspace(&bytes, &a) != LOCANT_OK)
        return;
    workspace = malloc(bytes + 1);
    HOLDS(locant_attention_forward(&o, &l, &a, workspace, bytes) == LOCANT_OK);
    HOLDS(locant_attention_backward(&g, &q, &o, &l, &a, workspace, bytes) ==
          LOCANT_OK);
    free(workspace);
}

/* Biases, attention and gradients, unless a table is large. */
static void evaluate(const locant_encoding *e)
{
    static const int64_t q[1] = { 7 }, k[PAIRS] = { 7, 6, 0, 9, -40 };
    locant_sizes sizes = {
        .width = WIDTH, .heads = HEADS, .kv_heads = HEADS, .head_dim = D
    };
    locant_tensor param[PARAMS], dparam[PARAMS], out, q_pos, k_pos;
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
    if (!locant_encoding_param(&info, e, n, &sizes)) {
        if (locant_encoding_bias(&out, e, &q_pos, &k_pos, param) == LOCANT_OK)
            HOLDS(locant_encoding_bias_backward(dparam, &out, e, &q_pos, &k_pos,
                                                param) == LOCANT_OK);
        attend(e, param, dparam, LOCANT_F64);
        attend(e, param, dparam, LOCANT_F32);
    }
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
