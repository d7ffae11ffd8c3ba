/* formula.h - functions and declarations of formula(..), read from its text */
#ifndef ORACLE_FORMULA_H
#define ORACLE_FORMULA_H

#include "oracle.h"
#include <stddef.h>

/* A function of one number, which its name finds. */
cx formula_function(const char *name, cx z);

/* Entry 'at' of the number or table of this name; *entries: how many it has. */
cx formula_declared(int64_t *entries, const struct oracle_call *call,
                    int64_t head, const char *name, size_t length, double at);

/* The array of tokens of this name for a pair b, h, i, j: at key j, or (key =
 * 0) at the key at the position of query i. */
cx formula_token(const struct oracle_call *call, const int64_t pair[4],
                 const char *name, size_t length, int key);
#endif
