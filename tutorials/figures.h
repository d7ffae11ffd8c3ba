/* figures.h - draws the figures of a row. */
#ifndef LOCANT_TUTORIALS_FIGURES_H
#define LOCANT_TUTORIALS_FIGURES_H

#include "locant.h"
#include "locant/figure.h"

/*
 * Draw if the user gave -o NAME.svg: to that file, or to NAME-a.svg for the
 * letter 'a'; 'letter' is 0 in a row with one figure.  struct_size may be left
 * 0.
 */
void draw(char letter, locant_figure figure);
/* A heat map of x [rows, W], for draw(). */
locant_figure heat_map_of(const char *title, const char *x_label,
                          const char *y_label, locant_tensor x);
/* Draws a heat map whose colours are centred on 0. */
void heat_map(char letter, const char *title, const char *x_label,
              const char *y_label, locant_tensor x);
/* Draws each row of y as a line over 0, 1, ..; 'labels' names them, or is
   NULL. */
void curves(char letter, const char *title, const char *x_label,
            const char *y_label, const char *const *labels, locant_tensor y);

#endif /* LOCANT_TUTORIALS_FIGURES_H */
