/* content_state.h - what decoding keeps, in the caller's memory: of maps along
   the path (PaTH), numbers of tokens (formulas) and keys rotated by them, sums
   of gates (FoX) */
#ifndef LCT_ATTENTION_CONTENT_STATE_H
#define LCT_ATTENTION_CONTENT_STATE_H
#include "content_maps.h"

/* At the first multiple of 64 in the memory; matrices follow. */
struct lct_content_state {
    uint64_t magic;
    int64_t B, H, D, capacity; /* of the calls it is for */
    int64_t rank, kernel; /* of maps; or numbers of a token and -reach; or 0 */
    int64_t tokens;       /* of which all is known */
    int64_t groups;       /* whole groups whose keys and maps are known */
};

/* Can a call like this one keep anything? */
bool lct_content_state_exists(const struct lct_plan *p);

/* The bytes of a state of this capacity; 0: too many. */
size_t lct_content_state_bytes(const struct lct_plan *p, int64_t capacity);

/* Prepare a state of so many bytes. */
void lct_content_state_begin(locant_tensor *state, const struct lct_plan *p,
                             int64_t capacity);

/* Refuse a state that this call cannot use. */
locant_status lct_content_state_check(const struct lct_plan *p);

/* The state of the call; NULL: none is given. */
struct lct_content_state *lct_content_state_of(const struct lct_request *r);

/* The memory after its members. */
struct lct_arena lct_content_state_arena(struct lct_content_state *s);

/* What is left to do: from which tile and group on.  0: all. */
int64_t lct_content_state_tile(const struct lct_plan *p);
int64_t lct_content_state_group(const struct lct_plan *p);

/* Tokens before those of the queries that are known. */
int64_t lct_content_state_known(const struct lct_plan *p);

/* Are there numbers of tokens (token_angles.h)? */
bool lct_content_state_keeps_numbers(const struct lct_plan *p);

/* Are there sums of gates of the keys up to a query, and nothing else? */
bool lct_content_state_keeps_sums(const struct lct_plan *p);

/* Lay out the numbers z [B, H, rows, numbers] and, if keys are rotated by them,
 * mapped keys [B, Hkv, rows, padded_q]. */
void lct_content_state_numbers(double **z, float **mapped,
                               const struct lct_plan *p,
                               struct lct_arena *arena, int64_t rows);

/* Lay out sums of gates [B, H, rows]. */
double *lct_content_state_sums(const struct lct_plan *p,
                               struct lct_arena *arena, int64_t rows);

/* Lay out the matrices for 'tokens' of a row, which m->rows and m->groups say,
 * in an arena of the workspace or of the state. */
void lct_content_state_layout(struct lct_content_maps *m,
                              const struct lct_plan *p,
                              struct lct_arena *arena);

/* All tokens of the call are known now. */
void lct_content_state_advance(const struct lct_plan *p);
#endif
