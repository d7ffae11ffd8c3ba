/* context_use.h - which encodings use their context */
#ifndef LCT_CONTEXT_USE_H
#define LCT_CONTEXT_USE_H
#include "../store/store_eval.h"
#include "results.h"

/* An encoding uses its context if replacing all of it but the last 8 bytes
   costs more nats per byte than this. */
#define LCT_CONTEXT_COST .2

enum lct_use {
    LCT_USE_UNKNOWN,   /* no interval: not measured, or one seed */
    LCT_USE_NOT_SHOWN, /* the interval is not above LCT_CONTEXT_COST */
    LCT_USE_SHOWN
};

struct lct_context_use {
    locant_interval cost[LCT_CHANGED]; /* nats per byte: loss with a changed
                                          context minus loss with the whole */
    enum lct_use use;
};

/* The use that an interval of the cost of replacing shows. */
enum lct_use lct_context_judge(const locant_interval *replaced);

/* *use [groups], in memory of locant_alloc(): 95 % intervals over blocks and
   seeds, as in statistics.h; NULL after a failure. */
locant_status lct_context_use_create(struct lct_context_use **use,
                                     const struct lct_results *r);

/* What the n-gram gains from a cache of the bytes that a model sees at the
   shortest length, in nats per byte; NAN if that is not known. */
double lct_context_ngram_gain(const struct lct_results *r);

/* How many encodings use their context. Those without positions are left out:
   they are judged apart. */
struct lct_context_count {
    size_t judged, use, needed; /* 'needed' is half of them, rounded up, and at
                                   least one */
    size_t most_expensive;      /* group of the greatest cost; r->n: none */
    bool intervals;             /* some group has an interval */
};
struct lct_context_count lct_context_count(const struct lct_context_use *use,
                                           const struct lct_results *r);
#endif
