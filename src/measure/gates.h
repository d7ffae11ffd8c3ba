/* gates.h - checks that a report has to pass */
#ifndef LCT_GATES_H
#define LCT_GATES_H
#include "results.h"

/* Judge gates g2 to g7 from the results; g1 is judged where they are made. */
locant_status lct_judge_gates(struct lct_results *r);

/*
 * Text or, if value >= 0, that value of a gate; 'bytes' of it, no zero after
 * them.
 */
typedef void (*lct_gate_piece)(void *context, const char *text, size_t bytes,
                               int value);

/*
 * A form with the values of a gate in it, piece by piece: {0.3} is value 0 with
 * three decimals, {1g} value 1 with three digits, {a} and {b} the specs.
 */
void lct_gate_expand(const locant_report_gate *g, const char *form,
                     lct_gate_piece piece, void *context);

/* The form of 'text' in English and in Chinese, and the English sentence. */
const char *lct_gate_form(const char *text);
const char *lct_gate_form_zh(const char *text);
void lct_gate_say(locant_report_gate *g);
#endif
