/* checks.h - checks what a row found; reports errors of the tutorial. */
#ifndef LOCANT_TUTORIALS_CHECKS_H
#define LOCANT_TUTORIALS_CHECKS_H

#include "run.h"

/*
 * Checks that |got - expected| <= tolerance and all are finite.  A failed check
 * is printed, and the command exits with 1.
 */
void check(const char *what, double got, double expected, double tolerance);
/* The same for the numbers of two tensors, one by one. */
void compare(const char *what, locant_tensor got, locant_tensor expected,
             double tolerance);
/* Checks that 'holds' is not 0. */
void claim(const char *what, int holds);

/*
 * Tolerances, and what each leaves room for:
 *   IN_DOUBLE  sums of up to 2048 products of size near 1 in double, in another
 *              order: 2048 x 2^-53 = 2.3e-13
 *   SINE       an entry of the sinusoidal table in double, with an error up to
 *              2^-43; twice that, because sin() and cos() are rounded, too
 *   FLOAT      a number up to 1 rounded to float32, 2^-25, on both sides; or a
 *              rotation, whose cosine and sine are rounded
 *   TEN_DIGITS a published number given to ten decimals, 5e-11, and logarithms
 *              and exponentials of it
 */
#define IN_DOUBLE  1e-12
#define SINE       0x1p-42
#define FLOAT      0x1p-24
#define TEN_DIGITS 1e-9

/* show() and check() in one call; for whole numbers and lists, too. */
void expect(const char *name, double got, double expected, double tolerance);
void expect_count(const char *name, int64_t got, int64_t expected);
void expect_list(const char *name, const char *format, locant_tensor got,
                 locant_tensor expected, double tolerance);

/* Report error 'id' of the tutorial, "E-0.5": its value, the right one, and a
   sentence that says why. */
void mistake(const char *id, const char *what, double theirs, double right,
             const char *why);
void mistake_in_words(const char *id, const char *what, const char *theirs,
                      const char *right, const char *why);

/* Check the row against rows.def: as many figures; mistakes if and only if the
   document is wrong; a check unless its kind is "text" or "names". */
void check_promises(const struct tutorial *t);

#endif /* LOCANT_TUTORIALS_CHECKS_H */
