/* scratch_case.h - each test in a folder of its own */
#ifndef SCRATCH_CASE_H
#define SCRATCH_CASE_H
#include "scratch.h"

static struct scratch dir;

static inline int make_dir(void **state)
{
    (void)state;
    dir = scratch_make();
    return 0;
}

static inline int remove_dir(void **state)
{
    (void)state;
    scratch_remove(&dir);
    return 0;
}

#define IN_SCRATCH(name) TEST_WITH(make_dir, remove_dir, name)
#endif
