/*
 * models.h - real models: all headers about them.
 *
 *   locant/model_plan.h     what their layers do with positions, compared
 *                           and extended
 *   locant/model_check.h    what is wrong with it, and how to mend it
 *   locant/model_run.h      logits, losses, continuations, probes
 *   locant/model_convert.h  weights of another pairing, or in another format
 *   locant/identify.h       the convention that made an array
 *   locant/vectors.h        golden values to test other implementations with
 */
#ifndef LOCANT_MODELS_H
#define LOCANT_MODELS_H

#include "identify.h"
#include "model_check.h"
#include "model_convert.h"
#include "model_plan.h"
#include "model_run.h"
#include "vectors.h"

#endif /* LOCANT_MODELS_H */
