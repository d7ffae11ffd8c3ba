/* build.h - what this library was compiled by */
#ifndef LCT_BUILD_H
#define LCT_BUILD_H

/* Compiler and its options. */
const char *lct_compiler(void);

/* "locant 1.0.0, avx2, gcc 12.2.0, -O3 ..": what a sitting computes with. */
void lct_build_text(char out[512]);
#endif
