/* decimal.h - numbers as text that does not depend on the locale */
#ifndef LCT_DECIMAL_H
#define LCT_DECIMAL_H

enum { LCT_DECIMAL_BYTES = 40 };

/*
 * 'value' with 0 to 15 decimals, '.' as the decimal point in every locale, and
 * ASCII '-'; in "e" notation from 1e7 on and below 1e-5.
 */
void lct_decimal(char out[LCT_DECIMAL_BYTES], double value, int decimals);

/* 'value' with 15 to 17 significant digits, the fewest that read back to the
   same bits; or nan, inf. */
void lct_decimal_exact(char out[LCT_DECIMAL_BYTES], double value);

/* 'value' with 'digits' significant digits. */
void lct_decimal_digits(char out[LCT_DECIMAL_BYTES], double value, int digits);

/* The shortest decimal number of at most 6 digits (all of which float32 keeps)
   that is the same float32: 1e-06 of 9.99999997e-07; else 'value' itself. */
double lct_decimal_float32(double value);

/* 'value' with three significant digits, without final zeros. */
void lct_decimal_short(char out[LCT_DECIMAL_BYTES], double value);
#endif
