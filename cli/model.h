/* model.h - the verbs of 'locant model'; each has a file, model_VERB.c */
#ifndef LOCANT_CLI_MODEL_H
#define LOCANT_CLI_MODEL_H
#include "cli.h"

/* The exit status after reading a MODEL: an unknown family is bad input. */
int cli_model_status(locant_status s);

extern const struct cli_command cli_model_check;
extern const struct cli_command cli_model_compare;
extern const struct cli_command cli_model_convert;
extern const struct cli_command cli_model_extend;
extern const struct cli_command cli_model_generate;
extern const struct cli_command cli_model_identify;
extern const struct cli_command cli_model_inspect;
extern const struct cli_command cli_model_logits;
extern const struct cli_command cli_model_probe;
extern const struct cli_command cli_model_score;
extern const struct cli_command cli_model_vectors;
#endif
