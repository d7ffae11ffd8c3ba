/* net_memory.h - what a decoder sees of an encoder: its keys and values */
#ifndef LCT_NET_MEMORY_H
#define LCT_NET_MEMORY_H
#include "net_cross.h"
#include "net_run.h"

/* Run the encoder over B rows of tokens.  Begin with zeros; free it whatever
   is returned.  Errors: as lct_net_run_step(). */
locant_status lct_net_memory_read(struct lct_net_memory *m,
                                  const struct lct_net *n, int64_t B,
                                  const struct lct_net_tokens *tokens);
void lct_net_memory_free(struct lct_net_memory *m);
#endif
