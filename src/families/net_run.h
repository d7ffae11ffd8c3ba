/*
 * net_run.h - run a stack of layers over tokens, some at a time
 *
 * A run holds the cache and all memory: a step allocates only what none before
 * it needed.
 */
#ifndef LCT_NET_RUN_H
#define LCT_NET_RUN_H
#include "net_attention.h"

struct lct_net_grid;
struct lct_net_share;

/* What a text sees of images: the states of their tokens. */
struct lct_net_seen {
    int64_t tokens; /* of all images */
    void *states;   /* [tokens, D], instead of embeddings */
    void **deep;    /* [n_deep] arrays [tokens, D], each added after a layer of
                       the text, the first ones */
    int64_t n_deep;
};

struct lct_net_run {
    const struct lct_net *n;
    const struct lct_net_stack *stack;
    const struct lct_net_memory *memory; /* of an encoder; or NULL */
    const struct lct_net_seen *seen;     /* of images; or NULL */
    void **deep;   /* of a tower: rows that a text adds, of each layer that has
                    some; or NULL */
    int64_t deeps; /* of them, that this step has made */
    struct lct_net_cache *cache;
    enum lct_plan_ids ids; /* how positions are counted: as the plan says */
    struct lct_net_room room;
    locant_encoding *encoding;   /* of all layers, chosen by the first step; or
                                  NULL */
    struct lct_net_share *share; /* of the tokens of a step; or NULL */
    int64_t from;                /* slot of the first token of a row in x */
    int64_t T;    /* states of a row in x; of windows not that of tokens, and of
                     a share those of this rank */
    int64_t most; /* tokens of a row in one step */
    void *x;      /* [B, T, D]: states of the last step */
    void *embed;  /* [B, T, width of the embedding] */
    void *inputs; /* [B, T, layers, width]: of layers; or NULL */
    int64_t *docs;
    const struct lct_net_watch *watch; /* of its attention; or NULL */
    double *seconds; /* of each layer, then of the input and of the head; NULL:
                        not measured */
};

/* Tokens of one row that a step takes at most, of T: all of them where layers
   depend on the length or look ahead. */
int64_t lct_net_run_chunk(const struct lct_net *n, int64_t B, int64_t T);

/* For B rows of at most 'capacity' tokens, 'most' at a time.  Errors: NOMEM. */
locant_status lct_net_run_begin(struct lct_net_run *r, const struct lct_net *n,
                                int64_t B, int64_t capacity, int64_t most);
/* The same of another stack than that which gives the logits. */
locant_status lct_net_run_begin_stack(struct lct_net_run *r,
                                      const struct lct_net *n,
                                      const struct lct_net_stack *s, int64_t B,
                                      int64_t capacity, int64_t most);
/* The same of a run whose ranks share out the tokens of each step; NULL: one
   process. */
locant_status lct_net_run_begin_share(struct lct_net_run *r,
                                      const struct lct_net *n, int64_t B,
                                      int64_t capacity, int64_t most,
                                      struct lct_net_share *share);
void lct_net_run_end(struct lct_net_run *r);

/* Tokens to append: T of each row; rows are 'stride' apart, axes of positions
   'axis' apart.  mask and positions may be NULL. */
struct lct_net_tokens {
    int64_t T;
    const int64_t *ids, *mask, *positions;
    const int64_t *types; /* NULL: all 0 */
    int64_t stride, axis;
    const int64_t *seen; /* which token of images one is, or -1; NULL: none */
    /* of models of images, instead of ids: [B, channels, height, width] */
    const float *pixels;
    int64_t height, width;
    /* of a tower: B frames of a clip, whose patches 'pixels' are; height 0:
       [B, T, a patch], else an image that all frames show; or NULL */
    const struct lct_net_grid *grid;
};

/* Append tokens; r->x [B, T, D] becomes their states after the final norm.
   With a share x has those of this rank, and a failure that the ranks have
   still to agree about is held. */
locant_status lct_net_run_step(struct lct_net_run *r,
                               const struct lct_net_tokens *t);

/* The same of one token in each row where it changes the rotation of all
   (lct_net_length_grows()): r->x becomes the states of all tokens, which are
   read again: ids and seen of 'all'. */
locant_status lct_net_run_again(struct lct_net_run *r,
                                const struct lct_net_tokens *one,
                                const struct lct_net_tokens *all);

/* Seconds since some time. */
double lct_net_run_now(void);

/* Channels of the states that a model gives: D, or what OPT-350m projects them
   to. */
int64_t lct_net_run_width(const struct lct_net *n);
/* out [rows, that width] = the states x [rows, D] of the last step */
void lct_net_run_states(void *out, const void *x, int64_t rows,
                        struct lct_net_run *r);
/* out [rows, V] = logits of states x [rows, D] */
void lct_net_run_head(void *out, const void *x, int64_t rows,
                      struct lct_net_run *r);
#endif
