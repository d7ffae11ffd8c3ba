/* chinese.h - the Chinese of what the rows print and draw. */
#ifndef LOCANT_TUTORIALS_CHINESE_H
#define LOCANT_TUTORIALS_CHINESE_H

/* The longest text, with its zero. */
enum { LONGEST = 4096 };

/*
 * The Chinese of an English text, in 'room'.  The files chinese*.def have it:
 *
 *   CHINESE("head %d: slope %.8g", "头 %d：斜率 %.8g")
 *
 * stands for every text that the English format can make; the Chinese has the
 * same conversions in the same order.  What a %s holds is translated, too.  Of
 * several formats that fit, the one with the most letters counts.
 * SAME("rope") is a text that stays as it is.
 *
 * A text without a line stays English and is reported on stderr.  Numbers and
 * formulas need no line: only a text with two letters side by side does.
 */
const char *to_chinese(char room[LONGEST], const char *text);
/* The same for a line of a table, "method|ms": the line has a translation of
   its own, or each cell has one. */
const char *line_to_chinese(char room[LONGEST], const char *line);

#endif /* LOCANT_TUTORIALS_CHINESE_H */
