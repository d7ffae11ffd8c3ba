/* columns.h - how many columns of a terminal a character takes */
#ifndef LCT_COLUMNS_H
#define LCT_COLUMNS_H
#include <stdint.h>

/* 0, 1 or 2; -1 for controls, format characters and non-characters. */
int lct_columns(int32_t c);

/* A sorted entry for each run of characters with equal columns: first character
   << 2 | columns, where 3 stands for -1. */
extern const uint32_t lct_columns_table[];
extern const int lct_columns_rows;
#endif
