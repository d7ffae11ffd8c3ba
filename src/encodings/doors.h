/*
 * doors.h - the hooks of an encoding, grouped by the door they serve.
 *
 * A hook may be NULL if it is not needed.  Hooks compute in double; those named
 * 'backward' add to gradients of parameters.
 */
#ifndef LCT_DOORS_H
#define LCT_DOORS_H
#include "call.h"
#include "keys.h"

struct lct_near_far;  /* near_far.h */
struct lct_piecewise; /* piecewise.h */
struct lct_products;  /* content.h */
struct lct_schedule;  /* angle/schedule.h */

struct lct_param_hooks {
    const struct lct_param *list;
    /* Replaces 'list' if the list depends on keys. */
    const struct lct_param *(*list_of)(const locant_encoding *e);
    /* Do the parameters keep their initial values, rate 0? */
    bool (*frozen)(const locant_encoding *e);
    /* A size in 'dims' that only the encoding knows by name. */
    int64_t (*size)(const locant_encoding *e, const char *name,
                    const locant_sizes *sizes);
    /* Initial values of parameter k; false: as its 'init' says. */
    bool (*fill)(double *out, const locant_encoding *e, int k,
                 const locant_param_info *info, locant_random *r);
    /* The allowed value nearest to an entry of parameter k. */
    double (*project)(const locant_encoding *e, int k, double value);
};

struct lct_position_hooks {
    int axes; /* coordinates of a position; 0: it is one number */
    /* Replaces 'axes' if their number depends on keys. */
    int (*axes_of)(const locant_encoding *e);
    /* Positions are 0 .. count - 1, in error messages those of the 'of', e.g.
     * "table". */
    int64_t (*count)(const locant_encoding *e, const locant_tensor *params);
    const char *of;
    /* Fail if the encoding does not support these positions or parameters. */
    locant_status (*check)(const locant_encoding *e, const char *fn,
                           const int64_t *pos, size_t n,
                           const locant_tensor *params);
    /* Do bias and factors have the hooks 'real'?  'real_of' replaces it if that
     * depends on keys. */
    bool real;
    bool (*real_of)(const locant_encoding *e);
    /* Coordinates [axes] of a flat position. */
    void (*coordinates)(double *coords, const locant_encoding *e, int64_t pos);
    /*
     * Choose positions for a text of n tokens: write 'reals' if the trait REAL
     * is set, else 'ids'.  r is NULL outside of training.
     */
    void (*choose)(int64_t *ids, double *reals, const locant_encoding *e,
                   int64_t n, locant_random *r);
    /* The most tokens that 'choose' can place in training. */
    int64_t (*longest)(const locant_encoding *e);
};

/*
 * What a schedule is made for: rows of 'dim' channels (a head's, or the width
 * of the model) in calls of a length.  Errors name the public function 'fn'.
 */
struct lct_schedule_use {
    const locant_encoding *e;
    const char *fn;
    int64_t dim, length;
};

/*
 * Frequencies.  The argument 'length' is 1 + the largest position of the
 * document, or of all documents of the call if 'by_call' is true, as rounded by
 * the hook 'length'; it is 0 if frequencies do not depend on it.
 */
struct lct_schedule_hooks {
    locant_status (*create)(struct lct_schedule **out,
                            const struct lct_schedule_use *u);
    int64_t (*length)(const locant_encoding *e, int64_t length);
    bool (*by_call)(const locant_encoding *e);
    /* Does other software have a float32 recipe for this locant_angle_mode?
     * NULL: yes. */
    bool (*emulated)(const locant_encoding *e, int mode);
};

/* A row P[at] of 'dim' channels is added to the embedding of a token. */
struct lct_input_door {
    void (*row)(double *out, const locant_encoding *e,
                const struct lct_point *at, int64_t dim,
                const locant_tensor *params);
    void (*backward)(locant_tensor *dparams, const locant_encoding *e,
                     const double *drow, const struct lct_point *at,
                     int64_t dim, const locant_tensor *params);
    struct {
        /* n dense float32 rows, each entry within 0.501 units of its last
         * place; false: this encoding has no fast path. */
        bool (*rows)(float *out, const locant_encoding *e, const int64_t *pos,
                     size_t n, int64_t dim, const locant_tensor *params);
        /* The schedule whose sines and cosines rows consist of, interleaved;
         * NULL: others. */
        const struct lct_schedule *(*waves)(const locant_encoding *e,
                                            int64_t dim);
        /* Where the row is stored within params[0]. */
        const void *(*stored)(const locant_encoding *e, int64_t pos,
                              const locant_tensor *params);
    } fast;
};

/*
 * A map of queries and keys other than a plain rotation by a schedule: scores
 * use out [width] instead of x [head_dim], the row of one head.
 */
struct lct_rotate_door {
    int64_t (*width)(const locant_encoding *e, int64_t head_dim);
    void (*map)(double *out, const double *x, const struct lct_call *c,
                enum lct_role role, int64_t head, const struct lct_point *at);
    void (*inverse)(double *out, const double *x, const struct lct_call *c,
                    enum lct_role role, int64_t head,
                    const struct lct_point *at);
    void (*backward)(double *dx, double *const *dparam, const double *dout,
                     const double *x, const struct lct_call *c,
                     enum lct_role role, int64_t head,
                     const struct lct_point *at);
};

/*
 * A bias or a factor of a query at q and keys at k[j], which need not be whole
 * or in any order.  At a kink, as of |q - k[j]| at 0, the derivative is 0.
 */
struct lct_real_pair {
    void (*at)(double *out, const struct lct_call *c,
               const struct lct_real_keys *x);
    /* Add dout[j] d out[j] / d of the parameters, of q and of k[j]. */
    void (*backward)(const struct lct_real_gradients *g,
                     const struct lct_call *c, const struct lct_real_keys *x,
                     const double *dout);
};

/*
 * out[j] = b(head, q_pos, k_pos[j]) is added to a score.  With the trait
 * RELATIVE only q_pos - k_pos[j] matters.
 */
struct lct_score_door {
    void (*bias)(double *out, const struct lct_call *c, int64_t head,
                 int64_t q_pos, const int64_t *k_pos, size_t n);
    /* dparam[k] += sum_j dout[j] db/dparam[k] */
    void (*backward)(double *const *dparam, const struct lct_call *c,
                     int64_t head, int64_t q_pos, const int64_t *k_pos,
                     const double *dout, size_t n);
    struct lct_real_pair real;
    /*
     * The bias is entry [entry, head] of the first parameter.  Then 'bias' is
     * lct_bias_of_entries(), and 'backward' its reverse.
     */
    int64_t (*entry)(const struct lct_call *c, int64_t q_pos, int64_t k_pos);
    /*
     * The bias of one pair for 'heads' heads from 'head' on, in one pass of a
     * network.  Then 'bias' is lct_bias_of_heads(), and 'backward' its reverse.
     */
    void (*heads)(double *out, const struct lct_call *c, int64_t head,
                  int64_t heads, int64_t q_pos, int64_t k_pos);
    void (*heads_backward)(double *const *dparam, const struct lct_call *c,
                           int64_t head, int64_t heads, int64_t q_pos,
                           int64_t k_pos, const double *dout);
    struct {
        /* bias = slope of the head times relative position of the pair, to the
         * bit; 'slope' returns false if this encoding has no such form. */
        bool (*slope)(double *out, const struct lct_call *c, int64_t head);
        void (*relative_positions)(double *out, const struct lct_call *c,
                                   int64_t q_pos, const int64_t *k_pos,
                                   size_t n);
        /*
         * The bias depends only on position_key(query) - position_key(key),
         * e.g. on the offset within an image.  'pair_of' finds a pair with that
         * difference and may set c->last; false: there is none.
         */
        int64_t (*position_key)(const struct lct_call *c, enum lct_role role,
                                int64_t pos);
        bool (*pair_of)(int64_t *q_pos, int64_t *k_pos, struct lct_call *c,
                        int64_t difference);
        /* The linear pieces of the bias; NULL: it has none. */
        const struct lct_piecewise *piecewise;
    } fast;
};

/*
 * Rotations by angles that the inputs of tokens choose: pair c of a head, the
 * channels c and c + pairs, is rotated at token t by frequency(c) z[t, c].  A
 * head has one number z for each token and pair, or one for each token.
 */
struct lct_token_angles {
    /* Numbers of a token and head, 0 if e has none; NULL: as above. */
    int64_t (*count)(const struct lct_call *c);
    bool one;  /* one number for each token */
    bool sums; /* z is the sum of the numbers of the document's tokens up to t,
                  in order of position */
    /* The first number that is summed, if 'sums'; NULL: 0. */
    int64_t (*first_sum)(const struct lct_call *c);
    /* The least width of inputs; NULL: any. */
    int64_t (*channels)(const struct lct_call *c);
    int reach; /* how many tokens' inputs a number reads, its own among them */
    double (*frequency)(const locant_encoding *e, int64_t c, int64_t pairs);
    /* Numbers of scratch memory; NULL: none. */
    int64_t (*memory)(const struct lct_call *c);
    /* out [heads, numbers of a token] */
    void (*numbers)(double *out, const struct lct_call *c,
                    const struct lct_inputs *t);
    /* Add to t->dx and dparam. */
    void (*backward)(double *const *dparam, const double *dout,
                     const struct lct_call *c, const struct lct_inputs *t);
};

/*
 * What the hook 'scores' does with the scores of each pair alone, for tiles in
 * float32: x is scale * q.k, without the bias of another part, which is added
 * after.  A hidden pair may become anything.
 */
struct lct_pair_scores {
    size_t (*memory)(const locant_encoding *e); /* doubles that they need;
                                                   NULL: none */
    /* The gate of a query or a key of a head, from its row [head_dim] in the
     * scores without their scale; NULL: there are no gates. */
    double (*gate)(const struct lct_call *c, enum lct_role role, int64_t head,
                   const double *row);
    /* Add dgate times its derivatives; dparam = NULL: not wanted. */
    void (*gate_backward)(double *drow, double *const *dparam, double dgate,
                          const struct lct_call *c, enum lct_role role,
                          int64_t head, const double *row);
    void (*scores)(float *x, const struct lct_pairs *t);
    /* dx is the gradient of what 'scores' returned on entry, 0 where hidden,
     * and that of x, whose values 'before' holds, on return. */
    void (*backward)(float *dx, const struct lct_pair_gradients *g,
                     const float *before, const struct lct_pairs *t);
};

/* Scores and values that depend on queries, keys or inputs. */
struct lct_content_door {
    /* Set the products of e for a call with these q_pos - k_pos; 'out' is
     * lct_no_products() before. */
    void (*products)(struct lct_products *out, const locant_encoding *e,
                     struct lct_span differences);
    /* Row m [width] of the basis that products project. */
    void (*basis)(double *out, const struct lct_call *c, int64_t m);
    /* n rows from m on in float32, 'stride' floats apart, a multiple of
     * LCT_PAD; NULL: those of 'basis', rounded. */
    void (*basis_rows)(float *out, size_t stride, const struct lct_call *c,
                       int64_t m, int64_t n);
    /* Add the gradient of row m; NULL: the basis is fixed. */
    void (*basis_backward)(double *const *dparam, const double *drow,
                           const struct lct_call *c, int64_t m);
    /*
     * Scores that are not a sum of products.  On entry s [heads, keys] is
     * scale * q.k + bias, on return the scores; hidden entries are -infinity
     * and stay so.  Each document is a batch row of its own.
     */
    void (*scores)(double *s, const struct lct_content *c,
                   const struct lct_query *q);
    /* ds is the gradient of the returned scores on entry, 0 where hidden, and
     * the gradient of 's' on return. */
    void (*backward)(double *ds, const struct lct_content_gradient *g,
                     const double *s, const struct lct_content *c,
                     const struct lct_query *q);
    const struct lct_pair_scores *pairs; /* NULL: 'scores' does more */
    bool scores_only; /* reads scores and bias, never queries and keys */
    /* Attention rotates queries and keys by these near and far positions, so a
     * sum must not have a part with the rotate door beside this one. */
    const struct lct_near_far *near_far;
    /* Attention rotates queries and keys by these angles; the same holds. */
    const struct lct_token_angles *token_angles;
    /* Numbers of tokens that 'scores' reads, without a rotation; unless
     * 'scores_only' is set, keys need as many heads as queries. */
    const struct lct_token_angles *token_numbers;
    bool splits_x; /* x has a slice [head_dim] for each head */
};

/* Keys that queries do not see. */
struct lct_mask_hooks {
    /* Set hidden[i] to 1 if the query at q_pos[i] does not see the key at
     * k_pos; leave the others as they are. */
    void (*hide)(char *hidden, const locant_encoding *e,
                 const struct lct_head *head, const int64_t *q_pos, size_t n,
                 int64_t k_pos);
    /* How many pairs of two ranges are visible?  SOME is always allowed. */
    enum lct_visibility (*classify)(const locant_encoding *e,
                                    const struct lct_head *head,
                                    struct lct_span q, struct lct_span k);
};

/*
 * A factor of a pair of positions: out[j] = f(head, q_pos, k_pos[j]), as 'bias'
 * of the score door.  With the trait RELATIVE only q_pos - k_pos[j] matters.
 */
struct lct_pair_factor {
    void (*at)(double *out, const struct lct_call *c, int64_t head,
               int64_t q_pos, const int64_t *k_pos, size_t n);
    /* dparam[k] += sum_j dout[j] df/dparam[k]; NULL: no parameters */
    void (*backward)(double *const *dparam, const struct lct_call *c,
                     int64_t head, int64_t q_pos, const int64_t *k_pos,
                     const double *dout, size_t n);
    struct lct_real_pair real;
    bool alike; /* the same for all heads; only without parameters */
};

enum {
    LCT_HAS_GAIN = 1,
    LCT_HAS_AFTER = 2,
    LCT_HAS_ROW = 4,
    LCT_HAS_CONTENT_GAIN = 8 /* the hook content.scores multiplies scores */
};

/*
 * Factors of scores and weights:
 *
 *     s = gain (row scale q.k) + b, p = softmax(s), o_i = sum_j p_ij after v_j
 *
 * The softmax divides by the sum of p alone.
 */
struct lct_factor_hooks {
    /* Bits LCT_HAS_*: the factors that e has; NULL: all that are not NULL. */
    unsigned (*used)(const locant_encoding *e);
    struct lct_pair_factor gain, after;
    /* The factor of a query that sees 'count' keys, at least 1. */
    double (*row)(const struct lct_call *c, int64_t head, int64_t count);
    void (*row_backward)(double *const *dparam, const struct lct_call *c,
                         int64_t head, int64_t count, double dout);
};

/*
 * Weights by stick-breaking instead of the softmax, from the newest key to the
 * oldest: p_ij = sigmoid(s_ij) (1 - the sum of p_it over newer keys t).
 */
struct lct_weight_hooks {
    bool stick_breaking;
    /* Is 1 minus the sum of the weights that of the query's own value? */
    bool (*own_rest)(const locant_encoding *e);
};

enum { LCT_MAX_RELATIONS = 3 };

/*
 * Which of up to LCT_MAX_RELATIONS relations a pair of positions is in.  A
 * query is rotated at another place for each of them, a key at one place.
 */
struct lct_relation_hooks {
    /* out[i] = the relation of the key at k_pos to query i; NULL: none. */
    void (*classify)(char *out, const locant_encoding *e, const int64_t *q_pos,
                     size_t n, int64_t k_pos);
    /* Bits of all relations among two ranges; more are allowed. */
    unsigned (*classify_range)(const locant_encoding *e, struct lct_span q,
                               struct lct_span k);
    int64_t (*place)(const locant_encoding *e, int relation, int64_t q_pos);
    int64_t (*key_place)(const locant_encoding *e, int64_t k_pos);
};

/* Factors of the scale of scores: for all queries, for the query at q_pos. */
struct lct_scale_hooks {
    double (*of_scores)(const locant_encoding *e);
    double (*of_query)(const locant_encoding *e, int64_t q_pos);
};
#endif
