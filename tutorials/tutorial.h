/*
 * tutorial.h - functions for writing rows.
 *
 * A row is one function, a small program on the public API of locant: it
 * computes, prints what it found with print.h, and checks it with check().
 * tutorials/rows.def says which function is which row.
 *
 * Memory and failure: everything that memory(), ZEROS(), encoding() .. return
 * is released when the row ends.  None of these functions returns a failure: on
 * error they leave the row, and the command prints why.  So a row needs no
 * clean-up for them; it passes other resources to defer() as soon as it has
 * them.
 *
 * The names are short because nothing but the rows is linked with them.
 */
#ifndef LOCANT_TUTORIALS_TUTORIAL_H
#define LOCANT_TUTORIALS_TUTORIAL_H

#include <math.h>

#include "arrays.h"
#include "encodings.h"
#include "locant.h"
#include "locant/figure.h"
#include "network.h"
#include "print.h"

#define PI 3.14159265358979323846

/* The functions of the rows. */
#define ROW(id, kind, run, lines, figures, wrong, title) void run(void);
#include "rows.def"
#undef ROW

/* Leave the row unless 'status' is LOCANT_OK. */
void must(locant_status status);
/* The error message of a call that must fail; leaves the row if it succeeds. */
const char *refusal(locant_status status);
/* Release 'what' when the row ends. */
void defer(void (*release)(void *), void *what);
/* A new folder, which is removed with its contents when the row ends. */
const char *temporary_folder(void);
/* Print progress on stderr, for long work. */
void progress(const char *format, ...) LOCANT_PRINTF(1, 2);

/*
 * Checks that |got - expected| <= tolerance and all are finite.  A failed check
 * is printed, and the command exits with 1.
 */
void check(const char *what, double got, double expected, double tolerance);
/* The same for a claim: 'holds' is nonzero if it is true. */
void claim(const char *what, int holds);

/*
 * Tolerances, and what each leaves room for:
 *   IN_DOUBLE  sums of up to 2048 products of size near 1 in double, in another
 *              order: 2048 x 2^-53 = 2.3e-13
 *   SINE       an entry of the sinusoidal table in double, within 2^-43 of its
 *              size, twice: also sin() and cos() are rounded
 *   FLOAT      a number that is exact to float32 or better: 2^-25, and half as
 *              much again where both sides are rounded; so for rotations, whose
 *              cosines are rounded to float32
 *   TEN_DIGITS a published number given to ten decimals: 5e-11, and logarithms
 *              and exponentials of it
 */
#define IN_DOUBLE  1e-12
#define SINE       0x1p-42
#define FLOAT      0x1p-24
#define TEN_DIGITS 1e-9

/* show() and check() in one call; the same for whole numbers and lists. */
void expect(const char *name, double got, double expected, double tolerance);
void expect_count(const char *name, int64_t got, int64_t expected);
void expect_list(const char *name, const char *format, const double *got,
                 int64_t n, const double *expected, double tolerance);

/*
 * Draw if the user gave -o: to NAME.svg, or to NAME-a.svg if the row has
 * several figures ('letter' 0: it has one).  struct_size may be left 0.
 */
void draw(char letter, locant_figure figure);
/* Draws cells [rows, cols] with columns along x and colours centred on 0. */
void heat_map(char letter, const char *title, const char *x_label,
              const char *y_label, const double *cells, int64_t rows,
              int64_t cols);
/* Draws lines y [n_lines, n] over 0, 1, .., each with a label (or NULL). */
void curves(char letter, const char *title, const char *x_label,
            const char *y_label, const char *const *labels, const double *y,
            int64_t n_lines, int64_t n);

#endif /* LOCANT_TUTORIALS_TUTORIAL_H */
