/* check_view.h - open a configuration for the checks */
#ifndef LCT_CHECK_VIEW_H
#define LCT_CHECK_VIEW_H
#include "check.h"

struct lct_report;

/* Everything given must outlive *k. */
void lct_check_view_open(struct lct_check *k, const struct lct_config *c,
                         const struct lct_weights *w,
                         struct lct_report *report);

/* The dictionary has an entry for each kind of layer. */
bool lct_check_view_nested(const json_t *dict);
#endif
