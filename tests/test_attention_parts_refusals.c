/*
 * test_attention_parts_refusals.c - attention over blocks of keys: what is
 * refused, and with which sentence.
 */
#include "parts_case.h"
#include <stdio.h>

/* A part of a problem with a workspace. */
struct refusal {
    struct mixed m;
    struct part x;
    void *memory;
    size_t bytes;
};

static void open_case(struct refusal *r, const char *spec, int64_t S)
{
    *r = (struct refusal){ .memory = NULL };
    CHECK(parts_make(&r->m, spec, LOCANT_F32, 1, 10, S));
    r->x.state = zeros(&r->m, r->m.D + 2);
    part_set(&r->x, &r->m, 0, BLOCK);
    r->memory = workspace_of(&r->x, &r->bytes, NULL);
}

static void close_case(struct refusal *r)
{
    free(r->memory);
    test_tensor_free(&r->x.state);
    mixed_free(&r->m);
}

static void sizes(struct refusal *r, locant_status status, const char *text)
{
    char all[400];
    size_t bytes;

    snprintf(all, sizeof(all), "locant_attention_part_workspace: %s", text);
    CHECK_REFUSED(
        locant_attention_part_workspace(&bytes, NULL, &r->x.m.a, &r->x.keys),
        status, all);
}

static void forward(struct refusal *r, locant_tensor *out, locant_tensor *lse,
                    locant_status status, const char *text)
{
    char all[400];

    snprintf(all, sizeof(all), "locant_attention_forward_part: %s", text);
    CHECK_REFUSED(locant_attention_forward_part(out, lse, &r->x.m.a, &r->x.keys,
                                                r->memory, r->bytes),
                  status, all);
}

static void backward(struct refusal *r, locant_status status, const char *text)
{
    struct part *x = &r->x;
    char all[400];

    snprintf(all, sizeof(all), "locant_attention_backward_part: %s", text);
    CHECK_REFUSED(locant_attention_backward_part(&x->m.g, &x->m.dout, &x->m.out,
                                                 &x->m.lse, &x->m.a, &x->keys,
                                                 r->memory, r->bytes),
                  status, all);
}

TEST(refuses_keys_that_are_no_blocks)
{
    FREED_BY(close_case) struct refusal r;
    locant_attention_part *keys = &r.x.keys;
    size_t bytes;

    open_case(&r, "rope", 2112);
    part_set(&r.x, &r.m, 64, 1088);
    sizes(&r, LOCANT_ERR_PARAM, "first is 64, expected a multiple of 1024");
    part_set(&r.x, &r.m, 0, 1000);
    sizes(&r, LOCANT_ERR_SHAPE,
          "k has 1000 keys, expected a multiple of 1024 or all up to the last");
    part_set(&r.x, &r.m, 1024, 2112);
    keys->keys = 2111;
    sizes(&r, LOCANT_ERR_SHAPE,
          "k has keys 1024 to 2111, expected some of the 2111 keys of the "
          "whole call");
    keys->keys = INT64_MAX;
    sizes(&r, LOCANT_ERR_PARAM,
          "keys is 9223372036854775807, expected 0 .. 2^40");
    keys->keys = -1;
    sizes(&r, LOCANT_ERR_PARAM, "keys is -1, expected 0 .. 2^40");
    keys->keys = 2112;
    keys->first = -1024;
    sizes(&r, LOCANT_ERR_SHAPE,
          "k has keys -1024 to 63, expected some of the 2112 keys of the whole "
          "call");
    keys->first = 1024;
    keys->last = 2;
    sizes(&r, LOCANT_ERR_PARAM, "last is 2, expected 0 or 1");
    keys->struct_size = 3;
    sizes(&r, LOCANT_ERR_PARAM,
          "struct_size of part is 3, expected 40; start from "
          "LOCANT_ATTENTION_PART_INIT");
    REFUSES(NULL, locant_attention_part_workspace(&bytes, NULL, &r.m.a, NULL),
            "part is NULL");
}

/* Only the last part has results; every part has a state of its own memory. */
TEST(refuses_states_and_results_at_the_wrong_time)
{
    FREED_BY(close_case) struct refusal r;
    struct part *x = &r.x;
    locant_tensor narrow;

    open_case(&r, "rope", 2112);
    narrow = zeros(&r.m, r.m.D);
    forward(&r, &x->m.out, NULL, LOCANT_ERR_PARAM,
            "out is given, expected NULL: more keys follow this part");
    forward(&r, NULL, &x->m.lse, LOCANT_ERR_PARAM,
            "lse is given, expected NULL: more keys follow this part");
    x->keys.last = 1;
    forward(&r, NULL, NULL, LOCANT_ERR_NULL, "out is NULL");
    x->keys.state = NULL;
    forward(&r, &x->m.out, &x->m.lse, LOCANT_ERR_NULL, "state is NULL");
    x->keys.state = &narrow;
    forward(&r, &x->m.out, &x->m.lse, LOCANT_ERR_SHAPE,
            "state has size 8 in dimension 3, expected 10");
    x->keys.state = &r.m.q;
    backward(&r, LOCANT_ERR_ALIAS, "an output overlaps an input");
    x->keys.state = &r.m.dk;
    backward(&r, LOCANT_ERR_SHAPE,
             "state has size 2112 in dimension 2, "
             "expected 10");
    x->keys.state = &narrow;
    x->keys.last = 0;
    backward(&r, LOCANT_ERR_PARAM,
             "dq is given, expected NULL: more keys follow this part");
    x->m.g.dq = NULL;
    x->m.g.dbias = &narrow;
    backward(&r, LOCANT_ERR_UNSUPPORTED,
             "dbias is asked for, expected NULL: a part of the keys has dq, "
             "dk, dv, dparams and dsinks");
    REFUSES(NULL,
            locant_attention_forward_part(NULL, NULL, &x->m.a, NULL, r.memory,
                                          r.bytes),
            "part is NULL");
    test_tensor_free(&narrow);
}

TEST(refuses_caches_and_states_of_decoding)
{
    FREED_BY(close_case) struct refusal r;
    locant_tensor table = TENSOR(I64, 1, 2), lengths = TENSOR(I64, 1);

    open_case(&r, "rope", 1025);
    r.x.m.a.state = &table;
    sizes(&r, LOCANT_ERR_UNSUPPORTED,
          "a state of decoding is given, expected none with a part of the "
          "keys");
    memset(table.data, 0, 2 * sizeof(int64_t));
    ((int64_t *)lengths.data)[0] = 1025;
    r.x.m.a.state = NULL;
    r.x.m.a.block_table = &table;
    r.x.m.a.lengths = &lengths;
    sizes(&r, LOCANT_ERR_UNSUPPORTED,
          "a paged cache is given, expected none with a part of the keys");
    test_tensor_free(&table);
    test_tensor_free(&lengths);
}

TEST(refuses_double_and_gradients_of_content)
{
    FREED_BY(close_case) struct refusal r;
    FREED_BY(mixed_free) struct mixed wide;
    struct part x = { .sum = NULL };
    size_t bytes;

    open_case(&r, "shaw(distance=4)", 1025);
    backward(&r, LOCANT_ERR_UNSUPPORTED,
             "shaw has gradients that sum over all keys, expected an encoding "
             "that takes keys in parts");
    CHECK(parts_make(&wide, "rope", LOCANT_F64, 1, 10, 1025));
    part_set(&x, &wide, 0, BLOCK);
    REFUSES(UNSUPPORTED,
            locant_attention_part_workspace(&bytes, NULL, &x.m.a, &x.keys),
            "q is F64, expected F32, F16 or BF16: rows in double need all "
            "keys");
}
