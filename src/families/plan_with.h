/* plan_with.h - a plan with an extension that its file does not have */
#ifndef LCT_PLAN_WITH_H
#define LCT_PLAN_WITH_H
#include "position_plan.h"

/*
 * Change the rotated layers without a window of the text:
 *
 *   pi(..), linear(..), ntk(..), dynamic(..), yarn(..), longrope(..),
 *   llama3(..), proportional(..), mixed-radix(..)
 *       the scaling of their rope; 'original' is the trained length unless
 *       given, the lists of longrope those of 'critical'
 *   rope(..)             their rope
 *   selfextend(..), rerope(..), streaming(..)
 *       instead of their rope, with its base and pairing
 *   window(..)           beside it
 *
 * Errors: PARAM (none of these, or keys that are wrong), UNSUPPORTED (no such
 * layer), NOMEM.
 */
locant_status lct_plan_with(struct lct_position_plan *p, const char *with);
#endif
