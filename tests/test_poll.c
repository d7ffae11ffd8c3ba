/*
 * test_poll.c - a long attention call is stopped by locant_set_poll(), on one
 * thread and on several, forward and backward, tiled and row by row; the next
 * call knows nothing of it.
 */
#include "locant/attention.h"
#include "testing.h"
#include <stdlib.h>
#include <string.h>

/* LONG: a minute of work, were it done. */
enum { H = 2, LONG = 1 << 17, SHORT = 40, D = 8, ASKED = 2 };

struct problem {
    locant_tensor q, out, lse;
    locant_attention a;
    void *workspace;
    size_t bytes;
};

static void pose(struct problem *p, locant_dtype dtype, int64_t tokens,
                 int64_t leaves)
{
    const int64_t shape[4] = { 1, H, tokens, D };

    memset(p, 0, sizeof(*p));
    p->q = test_tensor(dtype, 4, shape);
    p->out = test_tensor(dtype, 4, shape);
    p->lse = test_tensor(dtype, 3, shape);
    p->a = (locant_attention)LOCANT_ATTENTION_INIT;
    p->a.q = p->a.k = p->a.v = &p->q;
    p->a.leaves = leaves;
    CHECK_OK(locant_attention_workspace(&p->bytes, &p->a));
    p->workspace = locant_alloc(p->bytes);
    assert_non_null(p->workspace);
}

static void dispose(struct problem *p)
{
    locant_release(p->workspace);
    test_tensor_free(&p->lse);
    test_tensor_free(&p->out);
    test_tensor_free(&p->q);
}

static locant_status forward(struct problem *p)
{
    return locant_attention_forward(&p->out, &p->lse, &p->a, p->workspace,
                                    p->bytes);
}

static locant_status backward(struct problem *p)
{
    locant_attention_gradients g = LOCANT_ATTENTION_GRADIENTS_INIT;
    locant_tensor dq = test_tensor(p->q.dtype, 4, p->q.shape);
    locant_status s;

    g.dq = &dq;
    s = locant_attention_backward(&g, &p->out, &p->out, &p->lse, &p->a,
                                  p->workspace, p->bytes);
    test_tensor_free(&dq);
    return s;
}

static int second_time(void *context)
{
    return ++*(int *)context == ASKED;
}

static int never(void *context)
{
    (void)context;
    return 0;
}

static void stops(locant_dtype dtype, int threads, int64_t leaves)
{
    struct problem p;
    int asked = 0;

    CHECK_OK(locant_set_threads(threads));
    pose(&p, dtype, LONG, leaves);
    locant_set_poll(second_time, &asked);
    assert_int_equal(forward(&p), LOCANT_ERR_INTERRUPTED);
    assert_int_equal(asked, ASKED);
    assert_non_null(strstr(locant_last_error(), "stopped by the poll"));
    asked = 0;
    assert_int_equal(backward(&p), LOCANT_ERR_INTERRUPTED);
    assert_int_equal(asked, ASKED);
    locant_set_poll(NULL, NULL);
    CHECK_OK(locant_set_threads(0));
    dispose(&p);
}

TEST(tiled_on_two_threads)
{
    stops(LOCANT_F32, 2, 0);
}

TEST(tiled_on_one)
{
    stops(LOCANT_F32, 1, 0);
}

TEST(row_by_row)
{
    stops(LOCANT_F64, 2, 0);
}

TEST(leaf_after_leaf)
{
    stops(LOCANT_F32, 2, 8);
    stops(LOCANT_F64, 1, 8);
}

/* The same bits before and after calls that were stopped. */
TEST(the_next_call_is_whole)
{
    struct problem p;
    locant_tensor first;

    pose(&p, LOCANT_F32, SHORT, 0);
    CHECK_OK(forward(&p));
    first = p.out;
    p.out = test_tensor(LOCANT_F32, 4, p.q.shape);
    stops(LOCANT_F32, 2, 0);
    locant_set_poll(never, NULL);
    CHECK_OK(forward(&p));
    CHECK_OK(backward(&p));
    locant_set_poll(NULL, NULL);
    assert_memory_equal(p.out.data, first.data, H * SHORT * D * sizeof(float));
    test_tensor_free(&first);
    dispose(&p);
}
