/* greeting.h - the first exchange of a group: do all ranks compute alike? */
#ifndef LCT_GREETING_H
#define LCT_GREETING_H
#include "group.h"

struct lct_greeting {
    const char *build; /* lct_build_text() */
    const char *key;   /* of the run; at most 1023 bytes */
    uint64_t step;     /* to begin at; only that of rank 0 counts */
    uint64_t hash;     /* FNV-1a of the parameters then; as 'step' */
};

/*
 * Exchange 0 of a group. Every rank returns the same status: PARAM if a rank
 * has another build or run than rank 0, with the values that differ. Otherwise
 * *begin is the greeting of rank 0, with 'build' and 'key' of 'mine'.
 *
 * A rank sends 96 bytes, integers little-endian: "LOCGRP01"; size and rank,
 * 32 bits each; SHA-256 of 'build' and of 'key'; step and hash, 64 bits each.
 * Rank 0 answers with its own and that of the first rank unlike it, or its own
 * twice.
 */
locant_status lct_greeting_exchange(struct lct_greeting *begin,
                                    const struct lct_greeting *mine,
                                    const locant_group *g);
#endif
