/*
 * readme_decode.c - the README's loop in a program that compares each step with
 * one run over all tokens.  tests/test_readme.sh writes readme.inc and runs it.
 */
#include <locant.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { H = 4, S = 150, D = 16 };
static float q[H][D], k[H][S][D], v[H][S][D], out[H][D], lse[H];
static float rows[3][H][S][D], whole[H][S][D], whole_lse[H][S];
static int steps;

static void need(locant_status status)
{
    if (status == LOCANT_OK)
        return;
    puts(locant_last_error());
    exit(1);
}

static void check(int t)
{
    for (int h = 0; h < H; h++)
        if (memcmp(out[h], whole[h][t], sizeof(out[h])) != 0) {
            printf("step %d: other bits than the whole run\n", t);
            exit(1);
        }
    steps++;
}

static void model(int t)
{
    if (t > 0)
        check(t - 1);
    for (int h = 0; h < H; h++) {
        memcpy(q[h], rows[0][h][t], sizeof(q[h]));
        memcpy(k[h][t], rows[1][h][t], sizeof(q[h]));
        memcpy(v[h][t], rows[2][h][t], sizeof(q[h]));
    }
}

static void run_whole(void)
{
    const int64_t shape[] = { 1, H, S, D };
    locant_tensor x[3], o = locant_dense(whole, LOCANT_F32, 4, shape);
    locant_tensor l = locant_dense(whole_lse, LOCANT_F32, 3, shape);
    locant_random random = { .seed = 1 };
    locant_attention a = LOCANT_ATTENTION_INIT;
    locant_encoding *rope;
    void *scratch;
    size_t bytes;

    for (int i = 0; i < 3; i++) {
        x[i] = locant_dense(rows[i], LOCANT_F32, 4, shape);
        for (int j = 0; j < H * S * D; j++)
            ((float *)x[i].data)[j] = (float)locant_random_normal(&random);
    }
    need(locant_encoding_create(&rope, "rope(base=500000)"));
    a.q = &x[0];
    a.k = &x[1];
    a.v = &x[2];
    a.encoding = rope;
    a.mask = LOCANT_MASK_CAUSAL;
    need(locant_attention_workspace(&bytes, &a));
    scratch = locant_alloc(bytes);
    need(locant_attention_forward(&o, &l, &a, scratch, bytes));
    locant_release(scratch);
    locant_encoding_free(rope);
}

int main(void)
{
    run_whole();
    /* NaN: what the cache does not hold yet must not be read */
    memset(k, -1, sizeof(k));
    memset(v, -1, sizeof(v));
#include "readme.inc"
    check(S - 1);
    printf("%d steps\n", steps);
    return 0;
}
