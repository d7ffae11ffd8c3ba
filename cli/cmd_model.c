/* cmd_model.c - locant model: positions of real models; each verb has a file */
#include "model.h"

int cli_model_status(locant_status s)
{
    return s == LOCANT_ERR_UNSUPPORTED
               ? cli_fail(CLI_INPUT, "%s", cli_message())
               : cli_status_input(s);
}

/* clang-format off */
static const struct cli_command *const verbs[] = {
    &cli_model_inspect,
    &cli_model_check,
    &cli_model_compare,
    &cli_model_convert,
    &cli_model_extend,
    &cli_model_generate,
    &cli_model_identify,
    &cli_model_logits,
    &cli_model_probe,
    &cli_model_score,
    &cli_model_vectors,
    NULL
};
/* clang-format on */

const struct cli_command cli_model = {
    .name = "model",
    .summary = "positions of real models: inspect, check, compare, run",
    .verbs = verbs,
    .doc =
        "MODEL is a folder with config.json and safetensors, a config.json or\n"
        "params.json alone where no weights are needed, or a .gguf.\n\n"
        "Every verb takes --json, --lang en|zh and --help.",
    .examples = "locant model check ~/models/mine\n"
                "locant model compare mine/config.json mine.gguf"
};
