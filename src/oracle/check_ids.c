/* check_ids.c - ids of encodings that choose positions */
#include <string.h>

#include "case.h"

/* How many training ids do not increase, or are outside [0, reach). */
static int64_t faults(const int64_t *id, int64_t n, int64_t reach)
{
    int64_t found = 0;

    for (int64_t i = 0; i < n; i++)
        found += id[i] < 0 || id[i] >= reach || (i > 0 && id[i] <= id[i - 1]);
    return found;
}

/*
 * Randomized positions are drawn without replacement and sorted (Ruoss et al.
 * 2023), those of PoSE are runs with gaps (Zhu et al. 2024): both increase in
 * [0, length).  No fault is allowed.
 */
static const char *const specs[][2] = {
    { "randomized", "randomized(length=100)" },
    { "pose", "pose(length=100)" },
    { "pose", "pose(length=100,chunks=3)" },
};

static void draw(struct oracle_case *c, int64_t n, int what)
{
    enum { TOKENS = 48, LENGTH = 100, DRAWS = 16 };
    const int64_t shape[] = { 2, TOKENS };
    int64_t id[2 * TOKENS];
    locant_tensor out = locant_dense(id, LOCANT_I64, 2, shape);

    (void)n;
    oracle_case_ok(c, locant_encoding_create(&c->e, specs[what][1]));
    for (size_t k = 0; k < DRAWS; k++) {
        memset(id, 0, sizeof id);
        oracle_case_ok(
            c, locant_encoding_ids(&out, c->e,
                                   locant_random_word(&c->run->random), 1));
        oracle_run_near(c->run, "faults of draw", k,
                        (double)(faults(id, TOKENS, LENGTH) +
                                 faults(id + TOKENS, TOKENS, LENGTH)),
                        0, 0);
    }
}

void oracle_check_ids(struct oracle_run *r)
{
    for (int i = 0; i < 3; i++) {
        if (!oracle_run_open(r, "ids", specs[i][0], specs[i][1], LOCANT_I64, 0))
            continue;
        oracle_case_each(r, NULL, 0, 0, draw, i);
        oracle_run_close(r);
    }
}
