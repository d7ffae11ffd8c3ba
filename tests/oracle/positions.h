/*
 * positions.h - position ids once more: by counting, simulating and listing,
 * where the library calculates.
 */
#ifndef ORACLE_POSITIONS_H
#define ORACLE_POSITIONS_H

#include <stddef.h>
#include <stdint.h>

/* Id of token s: the ones of mask[0..s] are counted again each time. */
int64_t oracle_mask_id(const int *mask, int64_t s, int64_t first, int64_t pad);

/* Document and position of token t: the lengths are laid out again. */
void oracle_document(int64_t *document, int64_t *position,
                     const int64_t *lengths, int64_t n, int64_t t);

/*
 * Lists the patches (t, h, w) in the order they come in, frame by frame, block
 * by block; returns their number.
 */
int64_t oracle_patches(int64_t (*out)[3], int64_t frames, int64_t rows,
                       int64_t cols, int64_t merge);

/* A list of three ids that grows by one token at a time. */
struct oracle_mrope {
    int64_t id[4096][3];
    int64_t n;
    int64_t start; /* the next segment's, when 'by_grid' */
    int by_grid;
};
void oracle_mrope_text(struct oracle_mrope *m, int64_t n);
void oracle_mrope_vision(struct oracle_mrope *m, int64_t frames, int64_t rows,
                         int64_t cols, double interval);
int64_t oracle_mrope_delta(const struct oracle_mrope *m);

/* A cache that drops its token at index 'sinks' whenever it overflows. */
struct oracle_cache {
    int64_t token[512];
    int64_t n;
};
void oracle_cache_fill(struct oracle_cache *c, int64_t seen, int64_t sinks,
                       int64_t recent);
/* Index of a token, or -1. */
int64_t oracle_cache_find(const struct oracle_cache *c, int64_t token);

/* Groups of the shifted heads: tokens are rolled, cut into groups, rolled back;
   or cut at the boundaries the flash-attention code lists. */
void oracle_longlora_roll(int64_t *out, int64_t tokens, int64_t group);
void oracle_longlora_cut(int64_t *out, int64_t tokens, int64_t group);

/* Effective distances, written as the authors' two score matrices: which of
   the two rows of positions a pair takes. */
long double oracle_rerope(int64_t w, int64_t i, int64_t j);
long double oracle_leaky(int64_t w, double k, int64_t i, int64_t j);
long double oracle_selfextend(int64_t w, int64_t group, int64_t i, int64_t j);

enum { ORACLE_LLAMA4, ORACLE_MINISTRAL, ORACLE_LOGN, ORACLE_INKLING };
long double oracle_temperature(int kind, double scale, int64_t length,
                               int64_t p);
#endif
