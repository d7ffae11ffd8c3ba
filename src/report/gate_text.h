/* gate_text.h - what gates found, as messages */
#ifndef LCT_GATE_TEXT_H
#define LCT_GATE_TEXT_H
#include "../measure/gates.h"
#include "messages.h"

/* The message of a gate's 'text'; its values are {*.values.N:..}, its specs $1
   and $2.  MSG_NONE: it is no id. */
enum lct_message lct_gate_text_id(const char *text);

/* Write the gate's English message to its 'sentence', or its first spec if
   it has no message. */
void lct_gate_text_say(locant_report_gate *g);
#endif
