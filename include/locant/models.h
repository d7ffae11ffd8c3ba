/*
 * models.h - real models: read the positions of a checkpoint, check, compare,
 * convert and run it.
 *
 * MODEL is a folder with config.json and safetensors, a config.json or
 * params.json alone where no weights are needed, or a .gguf.
 */
#ifndef LOCANT_MODELS_H
#define LOCANT_MODELS_H

#include "core.h"

LOCANT_BEGIN_DECLS

LOCANT_END_DECLS
#endif /* LOCANT_MODELS_H */
