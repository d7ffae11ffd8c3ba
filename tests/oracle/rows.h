/*
 * rows.h - a test program that holds the oracles of one door against the
 * library, each oracle a test of its own.  LOCANT_ONLY=pattern picks some.
 */
#ifndef ROWS_H
#define ROWS_H

#include "../testing.h"
#include "oracle/run.h"

/* Random problems of each row; 0: those rows are not asked for.  'others' are
 * the rows of no oracle: angles, resizing, ids. */
struct rows_cases {
    int doors, attend, company, others;
};

/* A run in guarded memory that checks every entry and fails at a miss. */
struct oracle_run rows_run(int usual);

int rows_main(int (*belongs)(const struct oracle *o), struct rows_cases usual);

/* Padding, packing, chunks of queries and a growing cache equal the plain run
 * where the traits allow it (company.c). */
void company_check(struct oracle_run *r, const struct oracle *o);
#endif
