/*
 * tutorial.h - functions for writing rows.
 *
 * A row is one function, a small program on the public API of locant: it
 * computes (tensors.h, encodings.h, network.h), prints what it found
 * (print.h, tables.h), checks it (checks.h), and may draw it (figures.h).
 * tutorials/rows.def says which function is which row.  A row prints English;
 * chinese.def and chinese_s0.def .. have the Chinese of each text (chinese.h).
 *
 * Everything that memory(), ZEROS(), encoding() .. return is released when the
 * row ends.  On error these functions do not return: they leave the row, and
 * the command prints why.  So a row needs no clean-up for them.  It passes
 * other resources to defer() as soon as it has them (resources.h).
 *
 * The names are short because nothing but the rows is linked with them.
 */
#ifndef LOCANT_TUTORIALS_TUTORIAL_H
#define LOCANT_TUTORIALS_TUTORIAL_H

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "checks.h"
#include "encodings.h"
#include "figures.h"
#include "locant.h"
#include "network.h"
#include "print.h"
#include "resources.h"
#include "tables.h"
#include "tensors.h"

#define PI 3.14159265358979323846

/* The functions of the rows. */
#define ROW(document, number, name, ...)                                       \
    void s##document##_##number##_##name(void);
#include "rows.def"
#undef ROW

#endif /* LOCANT_TUTORIALS_TUTORIAL_H */
