/* figures.h - draws the figures of a row. */
#ifndef LOCANT_TUTORIALS_FIGURES_H
#define LOCANT_TUTORIALS_FIGURES_H

#include "locant.h"
#include "locant/figure.h"

/*
 * Draw if the user gave -o: to NAME.svg, or to NAME-a.svg if the row has
 * several figures ('letter' 0: it has one).  struct_size may be left 0.
 */
void draw(char letter, locant_figure figure);
/* Draws x [rows, W] with W columns, colours centred on 0. */
void heat_map(char letter, const char *title, const char *x_label,
              const char *y_label, locant_tensor x);
/* SIDE_BY_SIDE(a, b): tensors [rows, W] beside each other, with a blank column
   between them. */
#define SIDE_BY_SIDE(...)                                                      \
    side_by_side((locant_tensor[]){ __VA_ARGS__ },                             \
                 sizeof(locant_tensor[]){ __VA_ARGS__ } /                      \
                     sizeof(locant_tensor))
locant_tensor side_by_side(const locant_tensor *x, int64_t n);
/* Draws the rows of y as lines over 0, 1, .., each with a label; or NULL. */
void curves(char letter, const char *title, const char *x_label,
            const char *y_label, const char *const *labels, locant_tensor y);

#endif /* LOCANT_TUTORIALS_FIGURES_H */
