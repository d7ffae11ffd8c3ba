/* bits.c - see bits.h */
#include "bits.h"
#include <stdlib.h>
#include <string.h>

void append(struct bytes *all, const locant_tensor *t)
{
    size_t size;
    FREED_BY(free_memory) void *part = attend_bytes(t, &size);

    all->data = realloc(all->data, all->size + size + 1);
    assert_non_null(all->data);
    memcpy(all->data + all->size, part, size);
    all->size += size;
}

void forget(const locant_tensor *t)
{
    size_t item = locant_dtype_size(t->dtype), rows = 1;
    int last = t->rank - 1;

    for (int i = 0; i < last; i++)
        rows *= (size_t)t->shape[i];
    for (size_t n = 0; n < rows; n++) {
        int64_t offset = 0;
        size_t left = n;

        for (int i = last - 1; i >= 0; i--) {
            offset += (int64_t)(left % (size_t)t->shape[i]) * t->stride[i];
            left /= (size_t)t->shape[i];
        }
        memset((char *)t->data + offset * (int64_t)item, 0xff,
               (size_t)t->shape[last] * item);
    }
}

void forget_all(const struct attend *t)
{
    forget(&t->out);
    forget(&t->lse);
    forget(&t->dq);
    forget(&t->dk);
    forget(&t->dv);
}

struct bytes run(struct attend *t)
{
    struct bytes all = { NULL, 0 };

    forget_all(t);
    for (int k = 0; k < t->p.n; k++)
        memset(t->p.grad[k].data, 0,
               t->p.size[k] * locant_dtype_size(t->dtype));
    attend_forward(t);
    attend_backward(t);
    append(&all, &t->out);
    append(&all, &t->lse);
    append(&all, &t->dq);
    append(&all, &t->dk);
    append(&all, &t->dv);
    for (int k = 0; k < t->p.n; k++)
        append(&all, &t->p.grad[k]);
    return all;
}

int same(const struct bytes *a, const struct bytes *b)
{
    return a->size == b->size &&
           (a->size == 0 || memcmp(a->data, b->data, a->size) == 0);
}

void threads_agree_on(struct attend *t,
                      struct bytes (*outputs)(struct attend *t))
{
    static const int threads[] = { 1, 2, 3, 7 };
    struct bytes want = { NULL, 0 };

    for (size_t i = 0; i < LEN(threads); i++) {
        struct bytes got;

        CHECK_OK(locant_set_threads(threads[i]));
        got = outputs(t);
        if (i == 0)
            want = got;
        if (!same(&got, &want))
            FAIL("%s: %d threads differ from one", t->spec, threads[i]);
        if (i > 0)
            free(got.data);
    }
    free(want.data);
    CHECK_OK(locant_set_threads(0));
}

void each_encoding(locant_dtype dtype, int64_t most,
                   void (*fn)(struct attend *t))
{
    for (int i = 0; attend_oracle(i) != NULL; i++) {
        struct attend t = { .o = attend_oracle(i) };

        for (int c = 0; attend_choose(&t, c); c++) {
            t = (struct attend){ .o = t.o, .dtype = dtype, .sharp = 1 };
            attend_sizes(&t, most);
            CHECK(attend_choose(&t, c));
            t.kind = (enum attend_positions)test_range(0, ATTEND_KINDS - 1);
            attend_make(&t, test_rand() % 4 ? LOCANT_MASK_CAUSAL
                                            : LOCANT_MASK_NONE);
            fn(&t);
            attend_free(&t);
        }
    }
}
