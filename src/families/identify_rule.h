/* identify_rule.h - guesses of a rule, each judged against all pairs */
#ifndef LCT_IDENTIFY_RULE_H
#define LCT_IDENTIFY_RULE_H
#include "identify.h"
#include "turns.h"

enum { LCT_MOST_GUESSES = 8 };

/* Specs that agree with all pairs. */
struct lct_guesses {
    const struct lct_spectrum *spectrum;
    int n;
    char spec[LCT_MOST_GUESSES][512];
    bool unresolved; /* a pair of one of them turns too little to be measured */
    bool no_memory;  /* for a guess */
    int digits;      /* of the base of the last guess */
};

struct lct_range {
    double lo, hi;
};

/* Bases that models are published with, for fits that leave a choice. */
enum { LCT_BASES = 11 };
extern const double lct_bases[LCT_BASES];

/* The spec of the layout with these keys and 'rotated' channels. */
void lct_rule_spec(char *out, size_t size, const struct lct_spectrum *s,
                   int64_t rotated, const char *keys);

/* The frequency that pair c of the layout has; NAN if other channels pair. */
double lct_rule_frequency(const struct lct_turns *have,
                          const struct lct_spectrum *s, int64_t c);

/* Judge rope with these keys and 'rotated' channels, and keep it if it fits. */
bool lct_guess(struct lct_guesses *g, int64_t rotated, const char *keys);

/* The bases with which pairs first .. end - 1 are base^(-2c/dim)/factor. */
struct lct_range lct_base_range(const struct lct_spectrum *s, int64_t first,
                                int64_t end, double factor, int64_t dim);

/* The simplest number of a range and its digits unless NULL; NAN if the range
 * is empty or has no upper end. */
double lct_range_simplest(const struct lct_range *r, int *digits);

/* Put a spec into its canonical form. */
void lct_identify_canonical(char *spec, size_t size);

/* Guess yarn and llama3: fast pairs keep their frequency, slow ones are
 * divided. */
void lct_guess_ramps(struct lct_guesses *g);
#endif
