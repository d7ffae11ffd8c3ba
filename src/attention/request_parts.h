/* request_parts.h - check that the parts of an encoding suit a call */
#ifndef LCT_ATTENTION_REQUEST_PARTS_H
#define LCT_ATTENTION_REQUEST_PARTS_H
#include "request.h"

/*
 * Check the parts of the encoding and their parameters, sort them by what they
 * do, and multiply their factors to the scale.  The other fields of r are set.
 */
locant_status lct_request_parts_check(struct lct_request *r);
#endif
