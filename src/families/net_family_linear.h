/* net_family_linear.h - keys of families whose layers have linear attention */
#ifndef LCT_NET_FAMILY_LINEAR_H
#define LCT_NET_FAMILY_LINEAR_H
#include "net_families.h"

/* What rows of the table call 'read'.  Errors: FORMAT, UNSUPPORTED. */
locant_status lct_net_family_linear_kimi(struct lct_net_switches *s,
                                         const struct lct_config *c);
locant_status lct_net_family_linear_qwen(struct lct_net_switches *s,
                                         const struct lct_config *c);
#endif
