/* identify_rotation.h - from the turns of pairs to a spectrum and an offset */
#ifndef LCT_IDENTIFY_ROTATION_H
#define LCT_IDENTIFY_ROTATION_H
#include "identify.h"

/* ---------------------------------------------- arguments (identify.c) */

void lct_identity_begin(locant_identity *out);
/* The elements of t as doubles, refused unless finite; 'masks': those below
 * -1e30 become minus infinity.  *out is NULL on failure. */
locant_status lct_identify_read(double **out, const char *fn, const char *arg,
                                const locant_tensor *t, bool masks);
/* Fail unless t holds floats and no size is 0. */
locant_status lct_identify_check(const char *fn, const char *arg,
                                 const locant_tensor *t);
/* The same, and the shape must be that of another argument. */
locant_status lct_identify_same(const char *fn, const char *arg,
                                const locant_tensor *t, const char *other,
                                const locant_tensor *as);
size_t lct_identify_elements(const locant_tensor *t);
/* The n positions, 0 .. n-1 if NULL; *out is NULL on failure. */
locant_status lct_identify_positions(double **out, const char *fn,
                                     const locant_tensor *positions, int64_t n);

/* Channels that differ between x and y. */
struct lct_changes {
    int64_t first, last;
};

enum lct_offset { LCT_OFFSET_NONE, LCT_OFFSET_FOUND, LCT_OFFSET_MANY };

/* The whole number of positions, at most 2^16, that explains all phases. */
enum lct_offset lct_identify_offset(double *out, const struct lct_turn *turns,
                                    int64_t n);

/* Frequencies and gain of turns; false, with a note, if signs or gains
 * differ. */
bool lct_identify_spectrum(locant_identity *out, struct lct_spectrum *s,
                           const struct lct_turn *turns,
                           const struct lct_rows *r);

/* Fit all pairs of the layout, the second channel first if 'swapped'; *fits: is
 * each a rotation? */
locant_status lct_identify_fit(bool *fits, struct lct_turn *turns,
                               const struct lct_rows *r,
                               const struct lct_layout *l, bool swapped,
                               const double *offset);

/* Are the positions too few, or too far apart, to measure frequencies? */
bool lct_identify_few(const struct lct_rows *r);

/* Identify rows; an entry of y that differs from x by no more than 'slack'
 * times x counts as copied. */
locant_status lct_identify_rows(locant_identity *out, const struct lct_rows *r,
                                double slack);
#endif
