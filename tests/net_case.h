/* net_case.h - models of tests/models/fixtures, and memory that ends */
#ifndef NET_CASE_H
#define NET_CASE_H
#include "locant/models.h"
#include "testing.h"
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define FIXTURES LOCANT_SOURCE "/tests/models/fixtures/"

/* The folder of a fixture, until the next call. */
static inline const char *fixture(const char *name)
{
    static char path[512];

    snprintf(path, sizeof path, FIXTURES "%s", name);
    return path;
}

static inline locant_model *opened(const char *name, locant_dtype dtype)
{
    locant_model *m;

    CHECK_OK(locant_model_open(&m, fixture(name), dtype));
    return m;
}

static inline void draw_ids(int64_t *ids, size_t n, int64_t vocab)
{
    for (size_t i = 0; i < n; i++)
        ids[i] = (int64_t)(test_rand() % (uint64_t)vocab);
}

/* The first of the largest of n numbers. */
static inline int64_t argmax(const float *x, int64_t n)
{
    int64_t best = 0;

    for (int64_t i = 1; i < n; i++)
        if (x[i] > x[best])
            best = i;
    return best;
}

/* At whatever allocation memory ends, call(context) fails with NOMEM and, once
   what it made is released, keeps nothing. */
static inline void check_no_memory(locant_status (*call)(const void *context),
                                   const void *context)
{
    bool done = false;

    for (long k = 1; !done; k++) {
        locant_status status;

        test_memory_fail(k);
        status = call(context);
        done = test_memory_asked() < k;
        CHECK(test_memory_held() == 0);
        if (status != (done ? LOCANT_OK : LOCANT_ERR_NOMEM))
            FAIL("allocation %ld of %ld failed: status %d", k,
                 test_memory_asked(), (int)status);
    }
    test_memory_end();
}
#endif
