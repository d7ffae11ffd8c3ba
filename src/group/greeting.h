/* greeting.h - the first exchange of a group: do all ranks compute alike? */
#ifndef LCT_GREETING_H
#define LCT_GREETING_H
#include "group.h"

struct lct_greeting {
    const char *fn;    /* for messages */
    const char *build; /* lct_build_text() */
    const char *key;   /* of the run, at most 1023 bytes; LCT_GREETING_ERROR and
                          a message, of a rank that cannot begin */
};
#define LCT_GREETING_ERROR "error: "

/*
 * Exchange 0 of a group. Every rank returns the same status: PARAM if a rank
 * has another build or run than rank 0, with the values that differ, or cannot
 * begin, with its message. If no rank can, for the same reason, it returns OK.
 *
 * A rank sends 80 bytes, integers little-endian: "LOCGRP01"; size and rank,
 * 32 bits each; SHA-256 of 'build' and of 'key'. Rank 0 answers with its own
 * and that of the first rank unlike it, or its own twice.
 */
locant_status lct_greeting_exchange(const struct lct_greeting *mine,
                                    const locant_group *g);

/*
 * The same with the build of this process, of a rank that can ('status' is OK)
 * or cannot begin; its message is then locant_last_error(). Returns 'status' if
 * all are alike.
 */
locant_status lct_greeting_begin(const char *fn, const locant_group *g,
                                 const char *key, locant_status status);
#endif
