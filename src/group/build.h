/* build.h - which compiler built this library, with which options */
#ifndef LCT_BUILD_H
#define LCT_BUILD_H

/* Compiler and its options. */
const char *lct_compiler(void);

/* Print version, instruction set, compiler and options: "locant 1.0.0, avx2,
   gcc 12.2.0, -O3 ..". */
void lct_build_text(char out[512]);
#endif
