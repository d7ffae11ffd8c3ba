/* lines.h - breaks text into lines of 80 columns. */
#ifndef LOCANT_TUTORIALS_LINES_H
#define LOCANT_TUTORIALS_LINES_H

#include <stddef.h>
#include <stdio.h>

/* The columns that n bytes of text take in a terminal: a Chinese character has
   two. */
int columns_of(const char *text, size_t n);
/*
 * Print text, breaking lines before column 80 and indenting later ones.  The
 * line already has 'column' columns.  'gap' blanks precede the first word;
 * blanks at a break are dropped.  Lines are also broken between Chinese
 * characters, but none begins with a comma or ends with an opening bracket.
 */
void wrap(FILE *out, const char *text, int column, int indent, int gap);

#endif /* LOCANT_TUTORIALS_LINES_H */
