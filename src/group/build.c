/* build.c - see build.h */
#include "build.h"
#include "locant/core.h"
#include <stdio.h>

#ifndef LOCANT_FLAGS /* not built by CMake */
#    define LOCANT_FLAGS "flags not known"
#endif

#ifdef __clang__
#    define COMPILER "clang " __clang_version__
#else
#    define COMPILER "gcc " __VERSION__
#endif

const char *lct_compiler(void)
{
    return COMPILER ", " LOCANT_FLAGS;
}

void lct_build_text(char out[512])
{
    snprintf(out, 512, "locant %s, %s, %.400s", locant_version(), locant_isa(),
             lct_compiler());
}
