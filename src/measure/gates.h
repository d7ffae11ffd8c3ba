/* gates.h - checks that a report has to pass */
#ifndef LCT_GATES_H
#define LCT_GATES_H
#include "results.h"

/* Check gates g2 to g7 on the results; the report checks g1. */
locant_status lct_judge_gates(struct lct_results *r);

/*
 * Receives a piece of a gate's message: 'bytes' of text without a terminating
 * zero. value >= 0: the piece is that value of the gate.
 */
typedef void (*lct_gate_piece)(void *context, const char *text, size_t bytes,
                               int value);

/*
 * Expand a template with the values of a gate, piece by piece: {0.3} is value 0
 * with three decimals, {1g} value 1 with three digits, {a} and {b} the specs.
 */
void lct_gate_expand(const locant_report_gate *g, const char *form,
                     lct_gate_piece piece, void *context);

/* The template of 'text' in English; the same in Chinese; write the English
   message into the gate. */
const char *lct_gate_form(const char *text);
const char *lct_gate_form_zh(const char *text);
void lct_gate_say(locant_report_gate *g);
#endif
