/*
 * run.h - compare the library with the oracles: what 'locant selftest' and the
 * tests run.
 *
 * A row is one operation with one encoding in one type over some random
 * problems.  Each number that is compared may differ by an amount derived where
 * it is compared.  The row keeps the largest ratio of a difference to that
 * amount.
 */
#ifndef ORACLE_RUN_H
#define ORACLE_RUN_H

#include "oracle.h"

enum { ORACLE_SPEC = 240 };

/* Half a unit in the last place: what one rounding to the type loses. */
#define ORACLE_HALF_F32  0x1p-24
#define ORACLE_HALF_F16  0x1p-11
#define ORACLE_HALF_BF16 0x1p-8

/*
 * What a chain of operations in double inside an encoding may lose, relative to
 * its largest term: ten bits, that is 2^10 units of 2^-53.
 */
#define ORACLE_CHAIN 0x1p-43

/* Memory of the problems; tests put guard pages around it. */
struct oracle_memory {
    void *(*acquire)(size_t bytes); /* NULL: there is none */
    void (*release)(void *memory, size_t bytes);
    void (*seal)(void *memory, size_t bytes); /* from now on only read */
};

struct oracle_row {
    const char *op;
    char spec[ORACLE_SPEC];
    locant_dtype dtype;
    int64_t cases;
    double bound; /* relative to the sum of magnitudes of a number's terms */
    double worst; /* the largest error, in the unit of the bound, when done */
    int ok;
    char miss[400]; /* the first miss, or why the library refused */
};

struct oracle_run {
    uint64_t seed;
    int64_t cases; /* random problems of each row */
    int entries;   /* of each gradient, taken at random; 0: all of them */
    const struct oracle_memory *memory; /* NULL: locant_alloc() */
    /* Is this row wanted?  NULL: every row is. */
    int (*wanted)(const struct oracle_run *r, const char *op, const char *name);
    void (*done)(struct oracle_run *r); /* r->row is complete */
    void *context;

    int64_t rows, misses;
    struct oracle_row row;
    locant_random random;
};

/*
 * Start a row; 0 if it is not wanted.  Random numbers start from seed, op, spec
 * and dtype, so that a row does not depend on other rows.
 */
int oracle_run_open(struct oracle_run *r, const char *op, const char *name,
                    const char *spec, locant_dtype dtype, double bound);
void oracle_run_close(struct oracle_run *r);

/* Compare number 'at' of 'what', which may be off by 'allowed'; 1: a miss. */
int oracle_run_near(struct oracle_run *r, const char *what, size_t at,
                    double got, double want, double allowed);
/* Record the row as a miss, for this reason unless it has one. */
void oracle_run_miss(struct oracle_run *r, const char *why);

double oracle_run_uniform(struct oracle_run *r); /* in [-1, 1) */
int64_t oracle_run_range(struct oracle_run *r, int64_t low, int64_t high);

/* ------------------------------------------------ rows of one spec, by door */

void oracle_check_doors(struct oracle_run *r, const struct oracle *o, int i);
void oracle_check_table(struct oracle_run *r, const struct oracle *o, int i);
void oracle_check_rotate(struct oracle_run *r, const struct oracle *o, int i);
void oracle_check_bias(struct oracle_run *r, const struct oracle *o, int i);
void oracle_check_attend(struct oracle_run *r, const struct oracle *o, int i);

/* Every spec of an oracle. */
void oracle_check(struct oracle_run *r, const struct oracle *o);

/* ----------------------------------------------------- rows of other things */

/* Angles, rotations and sinusoids of positions up to 2^31. */
void oracle_check_angles(struct oracle_run *r);
void oracle_check_resize(struct oracle_run *r);
void oracle_check_ids(struct oracle_run *r);
#endif
