/* gate_text.h - what gates found, as messages */
#ifndef LCT_GATE_TEXT_H
#define LCT_GATE_TEXT_H
#include "../measure/gates.h"
#include "messages.h"

/* The message of a gate's 'text', as "g1.hold"; MSG_NONE if it has none.  Its
   {*.values.N:..} are values of the gate, its $1 and $2 specs. */
enum lct_message lct_gate_text_id(const char *text);

/* Sets the gate's 'sentence' to its English message or, without one, to its
   first spec. */
void lct_gate_text_say(locant_report_gate *g);
#endif
