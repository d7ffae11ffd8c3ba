/* test_store_sittings.c - a run continues under the instruction set it had */
/* needs: lab */
#define _GNU_SOURCE
#include "ask.h"
#include "train_case.h"
#include <inttypes.h>

static int stop_at_once(const locant_progress *progress, void *context)
{
    (void)progress;
    (void)context;
    return 1;
}

/* Train under this instruction set, stopping after a step. */
static int64_t begin_run(locant_store *s, locant_train_options *o,
                         const char *isa)
{
    int64_t id;

    *o = tiny("alibi");
    o->progress = stop_at_once;
    CHECK_OK(locant_set_isa(isa));
    CHECK(locant_train(&id, s, corpus, o) == LOCANT_ERR_INTERRUPTED);
    o->progress = NULL;
    return id;
}

IN_SCRATCH(records_the_instruction_set_of_each_session)
{
    OWNED(locant_store) *s = open_store("store");
    locant_train_options o;
    int64_t id = begin_run(s, &o, "base"), step;

    step = ask(&dir, "SELECT step FROM runs");
    CHECK_OK(locant_train(&id, s, corpus, &o));
    assert_int_equal(ask(&dir, "SELECT count(*) FROM sittings WHERE run = 1 AND"
                               " isa = 'base'"),
                     2);
    assert_int_equal(ask(&dir, "SELECT min(step) FROM sittings"), 1);
    assert_int_equal(ask(&dir, "SELECT max(step) FROM sittings"), step + 1);
    /* sessions whose steps are trained again are deleted */
    CHECK_OK(lct_store_begin_session(s, id, 0));
    assert_int_equal(ask(&dir, "SELECT count(*) FROM sittings"), 1);
    CHECK_OK(locant_store_remove(s, id));
    assert_int_equal(ask(&dir, "SELECT count(*) FROM sittings"), 0);
}

/* The best instruction set that is not "base"; NULL: there is none. */
static const char *other_isa(void)
{
    const char *isa;
    int available;

    for (int i = 0; (isa = locant_isa_at(i, &available)) != NULL; i++)
        if (available && strcmp(isa, "base") != 0)
            return isa;
    return NULL;
}

IN_SCRATCH(refuses_another_instruction_set)
{
    const char *other = other_isa();
    locant_store *s = open_store("store");
    locant_train_options o;
    char want[256];
    int64_t id, step;

    if (other == NULL)
        skip();
    id = begin_run(s, &o, other);
    step = ask(&dir, "SELECT step FROM runs");
    CHECK_OK(locant_set_isa("base"));
    snprintf(want, sizeof want,
             "locant_train: run 1 was trained with %s to"
             " step %" PRId64 ", this is base: continue with --isa %s for the"
             " same bits, or with --any-isa for other bits",
             other, step, other);
    CHECK_REFUSED(locant_train(&id, s, corpus, &o), LOCANT_ERR_PARAM, want);
    CHECK_REFUSED(locant_resume(s, id, corpus, NULL, NULL), LOCANT_ERR_PARAM,
                  want);
    assert_int_equal(ask(&dir, "SELECT step FROM runs"), step);
    locant_store_any_isa(s, 1);
    CHECK_OK(locant_resume(s, id, corpus, NULL, NULL));
    assert_int_equal(ask(&dir, "SELECT count(DISTINCT isa) FROM sittings"), 2);
    /* nothing is left to compute of a run that is done */
    locant_store_any_isa(s, 0);
    CHECK_OK(locant_train(&id, s, corpus, &o));
    locant_store_close(s);
    CHECK_OK(locant_set_isa(NULL));
}

/* The store is of another kind of machine, damaged, or of an older schema. */
IN_SCRATCH(names_an_instruction_set_the_machine_lacks)
{
    locant_store *s = open_store("store");
    locant_train_options o;
    int64_t id = begin_run(s, &o, "base"), step;
    char want[256];

    step = ask(&dir, "SELECT step FROM runs");
    CHECK_OK(lct_store_exec(s, "UPDATE sittings SET isa = 'vax'", ""));
    snprintf(want, sizeof want,
             "locant_train: run 1 was trained with vax to"
             " step %" PRId64 ", which this machine does not have: --any-isa"
             " continues with base, to other bits",
             step);
    CHECK_REFUSED(locant_train(&id, s, corpus, &o), LOCANT_ERR_PARAM, want);
    CHECK_OK(lct_store_exec(s, "UPDATE sittings SET isa = char(27)", ""));
    CHECK(locant_train(&id, s, corpus, &o) == LOCANT_ERR_FORMAT);
    CHECK_OK(lct_store_exec(s, "DELETE FROM sittings", ""));
    CHECK_OK(locant_train(&id, s, corpus, &o));
    locant_store_close(s);
    CHECK_OK(locant_set_isa(NULL));
}

TEST_GROUP(make_corpus, free_corpus)
