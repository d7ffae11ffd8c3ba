/* thread_group.h - a group whose ranks are threads of one process */
#ifndef THREAD_GROUP_H
#define THREAD_GROUP_H
#include "locant/group.h"
#include <stdbool.h>

enum { THREAD_GROUP_RANKS = 256, THREAD_GROUP_MESSAGE = 512 };

struct thread_group_options {
    int size;
    uint64_t seed; /* of the order of delivery */
    int failing;   /* the rank whose exchange fails */
    long fails_at; /* which of its exchanges, from 1; 0: none */
};

/* What a rank returned, and its error message then. */
struct thread_group_result {
    locant_status status;
    char message[THREAD_GROUP_MESSAGE];
    long exchanges; /* that it began */
};

/*
 * Call body(group, context) in 'size' threads, each with its rank of one group.
 * Pieces are copied. A rank takes those that have arrived in random order. When
 * an exchange fails as the options say, that rank's call and all that wait for
 * any rank return IO, as do all later ones.
 */
typedef locant_status (*thread_group_body)(const locant_group *group,
                                           void *context);
void thread_group_run(struct thread_group_result *results,
                      const struct thread_group_options *options,
                      thread_group_body body, void *context);

/* Fail unless all ranks returned 'want', with 'message' in what they say if it
   is not NULL. */
void thread_group_check(const struct thread_group_result *results, int size,
                        locant_status want, const char *message);

/*
 * Run two ranks, and fail allocation k, counted over both. Fail unless all
 * memory is given back and both return the same. Returns whether there were so
 * many allocations.
 */
bool thread_group_run_short(struct thread_group_result results[2], long k,
                            thread_group_body body, void *context);

/* Messages that were sent and never received, of the last run. */
long thread_group_left(void);

/* The exchange of a group that must not call it. */
locant_status thread_group_refuse(const locant_piece *send, size_t sends,
                                  const locant_piece *receive, size_t receives,
                                  void *context);
#endif
