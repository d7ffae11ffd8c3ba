/* net_ends.h - the ids that begin, end and pad a text */
#ifndef LCT_NET_ENDS_H
#define LCT_NET_ENDS_H
#include "net.h"

/*
 * n->start, n->end and n->pad by generation_config.json in the folder (NULL:
 * there is none), or by the configuration.  Ids that end a text are a number or
 * a list.
 * Errors: FORMAT, NOMEM.
 */
locant_status lct_net_ends_read(struct lct_net *n, const char *folder);
#endif
