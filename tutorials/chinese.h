/* chinese.h - the Chinese of what the rows print and draw. */
#ifndef LOCANT_TUTORIALS_CHINESE_H
#define LOCANT_TUTORIALS_CHINESE_H

#include "run.h"

/* The longest text, with its zero. */
enum { LONGEST = 4096 };

/*
 * The Chinese of an English text of a row, in 'room'.  chinese.def has it for
 * all rows, chinese_s0.def for rows of S0, where it wins:
 *
 *   CHINESE("head %d: slope %.8g", "头 %d：斜率 %.8g")
 *
 * stands for every text that the English format can make; the Chinese has the
 * same conversions in the same order, and tests/tutorial_chinese.py holds that.
 * What a %s holds is translated, too.  Of several formats that fit, the one
 * with the most text around its conversions counts.  SAME("BERT") is a text
 * that stays as it is.
 *
 * A text without a line stays English and is reported on stderr.  Numbers and
 * formulas need no line: only a text with two letters side by side does, unless
 * it is a list of encodings, "alibi, t5".
 */
const char *to_chinese(char room[LONGEST], const char *text,
                       const struct tutorial_row *row);
/* The same for a line of a table, "method|ms": the line has a translation of
   its own, or each cell has one. */
const char *line_to_chinese(char room[LONGEST], const char *line,
                            const struct tutorial_row *row);

#endif /* LOCANT_TUTORIALS_CHINESE_H */
