/* check_kinds.h - see check_kinds.c */
#ifndef LCT_CHECK_KINDS_H
#define LCT_CHECK_KINDS_H
#include "check.h"

void lct_check_kinds(struct lct_check *k);
#endif
