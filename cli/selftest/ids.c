/* ids.c - encodings that place tokens themselves: what their ids promise. */
#include <string.h>

#include "selftest.h"

/* Ids of training that do not rise, or leave [0, reach). */
static int64_t faults(const int64_t *id, int64_t n, int64_t reach)
{
    int64_t found = 0;

    for (int64_t i = 0; i < n; i++)
        found += id[i] < 0 || id[i] >= reach || (i > 0 && id[i] <= id[i - 1]);
    return found;
}

/*
 * Randomized positions are drawn without replacement and sorted (Ruoss et al.
 * 2023), those of PoSE are runs with gaps (Zhu et al. 2024): both rise within
 * [0, length).  No fault is allowed.
 */
static void one(struct selftest *t, const char *name, const char *spec)
{
    enum { TOKENS = 48, LENGTH = 100 };
    const int64_t    shape[] = { 2, TOKENS };
    int64_t          id[2 * TOKENS];
    locant_tensor    out = locant_dense(id, LOCANT_I64, 2, shape);
    locant_encoding *e = NULL;

    if (!st_open(t, "ids", name, spec, LOCANT_I64, 0))
        return;
    if (st_took(t, locant_encoding_create(&e, spec)))
        for (int64_t n = 0; n < 16 * t->cases; n++, t->row.cases++) {
            memset(id, 0, sizeof id);
            if (!st_took(t, locant_encoding_ids(
                             &out, e, locant_random_word(&t->random), 1)))
                break;
            st_error(t, (double)(faults(id, TOKENS, LENGTH) +
                                 faults(id + TOKENS, TOKENS, LENGTH)), 0, 1);
        }
    locant_encoding_free(e);
    st_close(t);
}

void st_ids(struct selftest *t)
{
    one(t, "randomized", "randomized(length=100)");
    one(t, "pose", "pose(length=100)");
    one(t, "pose", "pose(length=100,chunks=3)");
}
