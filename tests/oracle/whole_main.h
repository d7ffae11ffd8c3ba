/*
 * whole_main.h - a test program that judges the oracles of one door, each judge
 * and oracle a test of its own.  LOCANT_ONLY=pattern picks some of them.
 */
#ifndef WHOLE_MAIN_H
#define WHOLE_MAIN_H

#include "../testing.h"
#include "oracle/whole.h"

/* Rounds of each judge for each spec; 0: not asked. */
struct whole_rounds {
    int attention, doors, runs;
};

int whole_main(int (*belongs)(const struct whole_oracle *o),
               struct whole_rounds usual);
#endif
