/* number.h - numbers as text that does not depend on the locale */
#ifndef LCT_NUMBER_H
#define LCT_NUMBER_H

enum { LCT_NUMBER_BYTES = 40 };

/*
 * 'value' with that many decimals, a point for the decimal point in every
 * locale; "e" notation from 1e7 on and below 1e-5.  A plain ASCII minus.
 */
void lct_number(char out[LCT_NUMBER_BYTES], double value, int decimals);

/* With 17 significant digits: reading it gives the same bits.  "nan", "inf". */
void lct_number_exact(char out[LCT_NUMBER_BYTES], double value);

/* With that many significant digits. */
void lct_number_digits(char out[LCT_NUMBER_BYTES], double value, int digits);

/* With three of them, without zeros at the end. */
void lct_number_short(char out[LCT_NUMBER_BYTES], double value);
#endif
