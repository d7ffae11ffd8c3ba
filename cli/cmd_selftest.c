/* cmd_selftest.c - locant selftest: the library against its oracles. */
#include <stdio.h>
#include <string.h>

#include "selftest/selftest.h"

struct options {
    int64_t     seed, cases;
    const char *only;
};

static const struct cli_option options[] = {
    OPT_INTEGER("seed", seed, "SEED", 0, INT64_MAX,
        "seed of the random problems", .fallback = "1"),
    OPT_INTEGER("cases", cases, "N", 1, 100000, "random problems of each row",
        .fallback = "4"),
    OPT_TEXT("only", only, "NAME",
        "an operation (rotate, attend-back, ..) or encoding"),
    OPT_END
};

/* Everything an oracle knows of spec i. */
static void test_spec(struct selftest *t, const struct whole_oracle *o, int i)
{
    struct st_case c;
    unsigned       doors;

    st_case_open(&c, t, o, i, 0);
    doors = c.e != NULL ? locant_encoding_doors(c.e) : 0;
    st_case_close(&c);
    if (doors & LOCANT_DOOR_INPUT && o->entry != NULL)
        st_table(t, o, i);
    if (doors & LOCANT_DOOR_ROTATE && o->turned != NULL)
        st_rotate(t, o, i);
    if (doors & LOCANT_DOOR_SCORE && o->bias != NULL)
        st_bias(t, o, i);
    st_attend(t, o, i);
}

static void test_all(struct selftest *t)
{
    st_angles(t);
    st_resize(t);
    st_ids(t);
    for (int k = 0; whole_oracles[k] != NULL; k++) {
        struct st_case c;

        for (int i = 0; st_case_open(&c, t, whole_oracles[k], i, 0); i++) {
            st_case_close(&c);
            test_spec(t, whole_oracles[k], i);
        }
    }
}

/* Rows of the registry that no oracle judges would pass unseen. */
static int uncovered(const struct selftest *t)
{
    const locant_encoding_info *info;
    int missing = 0;

    for (int i = 0; (info = locant_encoding_at(i)) != NULL; i++) {
        if (whole_oracle_of(info->name) != NULL ||
            (t->only != NULL && strcmp(t->only, info->name) != 0))
            continue;
        missing++;
        cli_fail(CLI_NO, "selftest: no oracle judges the encoding %s",
                 info->name);
    }
    return missing;
}

static int summary(struct selftest *t, int missing)
{
    int failed = t->misses > 0 || missing > 0;

    if (t->json != NULL) {
        cli_json(json_pack("{s:I, s:I, s:I, s:s, s:O}", "seed",
                           (json_int_t)t->seed, "rows", (json_int_t)t->rows,
                           "misses", (json_int_t)t->misses, "isa",
                           locant_isa(), "results", t->json));
        json_decref(t->json);
    } else {
        printf("%lld rows, %lld misses; seed %lld, kernels %s\n",
               (long long)t->rows, (long long)t->misses, (long long)t->seed,
               locant_isa());
    }
    return failed ? CLI_NO : CLI_OK;
}

static int run(const struct cli *cli)
{
    const struct options *o = cli->options;
    struct selftest       t = { .seed = o->seed, .cases = o->cases,
                                .only = o->only };
    int                   missing = uncovered(&t);

    t.json = cli->json ? json_array() : NULL;
    test_all(&t);
    if (t.rows == 0 && missing == 0) {
        json_decref(t.json);
        return cli_fail(CLI_USAGE, "--only '%s': is neither an operation "
                        "(angles, rotate, table, bias, attend, resize, ids) "
                        "nor an encoding", o->only);
    }
    return summary(&t, missing);
}

const struct cli_command cli_selftest = {
    .name = "selftest", .summary = "every operation against its oracle",
    .usage = "[--only NAME] [--cases N] [--seed SEED] [--json]",
    .doc = "Run every operation with every encoding, in every type, on random "
           "problems,\nand compare each number with a second evaluation that "
           "shares no code with\nthe library: one element at a time from the "
           "papers, derivatives by the\ncomplex step.  One line each: the "
           "bound that follows from the number\nformats, and the worst error "
           "found, both relative to what the terms of a\nnumber reach (angles: "
           "in units of the last place).  Exit 1 on a miss.",
    .examples = "locant selftest\nlocant selftest --only rope --isa base\n"
                "locant selftest --only attend-back --cases 20 --seed 7",
    .options = options, .options_size = sizeof(struct options),
    .computes = 1, .run = run
};
