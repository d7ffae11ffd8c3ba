/*
 * encoding.h - what one positional encoding tells the rest of locant.
 *
 * An encoding is one file defining one 'const struct lct_encoding', and one row
 * of encodings.def.  Registry, specs, public API, attention, models, pictures,
 * tests and the command ask this struct and name no encoding.
 */
#ifndef LCT_ENCODING_H
#define LCT_ENCODING_H
#include "call.h"

struct lct_schedule; /* angle/schedule.h */
struct lct_bends; /* bends.h */
struct lct_near_far; /* near_far.h */
struct lct_term_form; /* terms.h */

enum { LCT_MAX_KEYS = 12, LCT_MAX_PARTS = 8 };

enum lct_key_kind {
    LCT_NUMBER, LCT_INTEGER, LCT_WORD, LCT_SWITCH, LCT_SPEC,
    LCT_LIST /* numbers joined by ':'; left out: empty */
};

struct lct_encoding;

/* One key of a spec.  Ends with a NULL name. */
struct lct_key {
    const char *name;
    enum lct_key_kind kind;
    double def;               /* NAN: derived from the sizes of the call */
    double min, max;          /* inclusive; numbers and integers */
    const char *const *words; /* LCT_WORD: the choices, ended by NULL; the
                                 value is the index */
    const struct lct_encoding *const *family; /* LCT_SPEC: the choices, ended
                                 by NULL; the value is the index */
    const char *doc;
    bool min_open;            /* 'min' itself is not allowed */
};

enum lct_init { LCT_INIT_ZERO, LCT_INIT_NORMAL, LCT_INIT_UNIFORM };

/* Whether every layer of a model has its own. */
enum lct_scope {
    LCT_SHARED,
    LCT_PER_LAYER,
    LCT_SHARE_KEY /* as the switch "share" of the spec says */
};

/*
 * One learned parameter.  Ends with a NULL name.  Each size is named: "heads",
 * "kv_heads", "head_dim", "width", an integer key of the spec, a number, or a
 * name that the row's 'size' knows.
 */
struct lct_param {
    const char *name;
    const char *dims[3]; /* outermost first; NULL past the rank */
    enum lct_init init;
    double a, b;         /* NORMAL: mean, deviation; UNIFORM: from, to */
    double rate;         /* see locant_param_info; 0 stands for 1 */
    enum lct_scope scope;
    bool given;          /* data of the task, never learned: rate 0 */
    const char *doc;
};

struct lct_encoding {
    locant_encoding_info info;
    const struct lct_key *keys;     /* NULL: none */
    const struct lct_param *params; /* NULL: none */

    /* Parameters of this value where they depend on keys.  NULL: 'params'. */
    const struct lct_param *(*params_of)(const locant_encoding *e);

    /* A size of params that has another name; dims are resolved otherwise. */
    int64_t (*size)(const locant_encoding *e, const char *name,
                    const locant_sizes *sizes);

    /*
     * Initial value of parameter k, where 'init' cannot say it; false: it can.
     * 'info' holds its shape.
     */
    bool (*fill)(double *out, const locant_encoding *e, int k,
                 const locant_param_info *info, locant_random *r);

    /* Traits of this value where they depend on keys.  NULL: info.traits. */
    unsigned (*traits)(const locant_encoding *e);

    int axes; /* coordinates of a position; 0: it is one number */

    /* What the ranges of single keys cannot say.  NULL: nothing. */
    locant_status (*check)(const locant_encoding *e);

    /*
     * Compute what every call would compute again into e->state, memory of
     * locant_alloc() that is released with the encoding.  NULL: nothing.
     */
    locant_status (*prepare)(locant_encoding *e);

    /* Move one entry of parameter k to the nearest allowed value, or NULL. */
    double (*project)(const locant_encoding *e, int k, double value);

    /*
     * Positions outside of what the encoding knows are refused here, for every
     * door.  NULL: it knows all.
     */
    locant_status (*positions)(const locant_encoding *e, const char *fn,
                               const int64_t *pos, size_t n,
                               const locant_tensor *params);

    /*
     * Input door.  One row P[at] of 'dim' channels, in double.  'row_backward'
     * adds drow's share to the dense gradients.
     */
    void (*row)(double *out, const locant_encoding *e,
                const struct lct_point *at, int64_t dim,
                const locant_tensor *params);
    /*
     * n dense rows in float32 at once, each entry within 0.501 units of its
     * last place; false: this value has no faster way than 'row'.  NULL: so.
     */
    bool (*rows)(float *out, const locant_encoding *e, const int64_t *pos,
                 size_t n, int64_t dim, const locant_tensor *params);
    /* Where the row stands within params[0]; NULL: it does not. */
    const void *(*stored)(const locant_encoding *e, int64_t pos,
                          const locant_tensor *params);
    void (*row_backward)(locant_tensor *dparams, const locant_encoding *e,
                         const double *drow, const struct lct_point *at,
                         int64_t dim, const locant_tensor *params);

    /*
     * Frequencies for rows of head_dim channels (rotate door, near_far), or of
     * the width (input door, 'basis' of terms: both find them by
     * lct_schedule_of(), which then cannot fail).  'length' is 1 + the longest
     * position of the document, or of all documents of the call where 'by_call'
     * says so, brought to one of few values by 'schedule_length'; NULL:
     * frequencies do not depend on it, and 'length' is 0.
     */
    locant_status (*schedule)(struct lct_schedule **out,
                              const locant_encoding *e, const char *fn,
                              int64_t head_dim, int64_t length);
    int64_t (*schedule_length)(const locant_encoding *e, int64_t length);
    bool (*by_call)(const locant_encoding *e); /* NULL: no */
    /* Has other software a float32 recipe for this scaling, too, of this
     * locant_angle_mode?  NULL: yes. */
    bool (*emulated)(const locant_encoding *e, int mode);
    /* Coordinates [axes] of a flat position, for schedules of several axes. */
    void (*place)(double *coords, const locant_encoding *e, int64_t pos);

    /*
     * Rotate door beyond schedules: out [turn_width] = the query or key x
     * [head_dim] as the scores see it, for query head or key head 'head'.
     * 'unturn' is the inverse (NULL: none); 'turn_backward' writes dx and adds
     * to dparam.
     */
    int64_t (*turn_width)(const locant_encoding *e, int64_t head_dim);
    void (*turn)(double *out, const double *x, const struct lct_call *c,
                 enum lct_role role, int64_t head, const struct lct_point *at);
    void (*unturn)(double *out, const double *x, const struct lct_call *c,
                   enum lct_role role, int64_t head,
                   const struct lct_point *at);
    void (*turn_backward)(double *dx, double *const *dparam,
                          const double *dout, const double *x,
                          const struct lct_call *c, enum lct_role role,
                          int64_t head, const struct lct_point *at);

    /*
     * Score door: out[j] = b(head, q_pos, k_pos[j]).  With the trait RELATIVE
     * only q_pos - k_pos[j] matters, and callers may evaluate one distance
     * once.  'bias_backward' adds sum_j dout[j] * db/dparam to the dense
     * dparam[k], in double.
     */
    void (*bias)(double *out, const struct lct_call *s, int64_t head,
                 int64_t q_pos, const int64_t *k_pos, size_t n);
    void (*bias_backward)(double *const *dparam, const struct lct_call *s,
                          int64_t head, int64_t q_pos, const int64_t *k_pos,
                          const double *dout, size_t n);

    /*
     * The same as two factors, of the head and of the pair: 'bias' is slope
     * times lever to the bit.  'slope' answers false where this value has no
     * such form.  NULL, both: none has.
     */
    bool (*slope)(double *out, const struct lct_call *s, int64_t head);
    void (*levers)(double *out, const struct lct_call *s, int64_t q_pos,
                   const int64_t *k_pos, size_t n);

    /*
     * What the bias depends on where it is not RELATIVE, if it is fold(query) -
     * fold(key) alone: offsets within an image, say.  Reads s->e and s->last.
     * 'unfold' finds a pair that has the bias of that difference, for which it
     * may set s->last; false: no pair has it.  NULL: no such form.
     */
    int64_t (*fold)(const struct lct_call *s, enum lct_role role, int64_t pos);
    bool (*unfold)(int64_t *q_pos, int64_t *k_pos, struct lct_call *s,
                   int64_t difference);

    /* Its form as a function that bends; NULL: none. */
    const struct lct_bends *bends;

    /*
     * One pair, 'heads' heads from 'head' on, which a network serves together:
     * out, dout [heads].  'bias' is lct_bias_of_heads() then.  NULL: no
     * network.
     */
    void (*bias_heads)(double *out, const struct lct_call *s, int64_t head,
                       int64_t heads, int64_t q_pos, int64_t k_pos);
    void (*bias_heads_backward)(double *const *dparam, const struct lct_call *s,
                                int64_t head, int64_t heads, int64_t q_pos,
                                int64_t k_pos, const double *dout);

    /*
     * Content door.  's' [heads, keys] enters as scale * q.k + bias, -infinity
     * where hidden, and leaves with what is no product; hidden entries stay
     * hidden, and no others are.  Where a row holds several documents each of
     * them is a batch row here.
     */
    void (*content)(double *s, const struct lct_content *c,
                    const struct lct_query *q);
    /*
     * ds enters as the gradient of the scores 'content' left (0 where hidden)
     * and leaves as that of those it got, which are in 's'.
     */
    void (*content_backward)(double *ds, const struct lct_content_gradient *g,
                             const double *s, const struct lct_content *c,
                             const struct lct_query *q);
    /* What is made of products; NULL: 'content' has it all. */
    const struct lct_term_form *terms;

    /* It reads scores and bias, never queries and keys. */
    bool scores_only;

    /*
     * Not NULL: it turns raw queries and keys itself, by this scheme
     * (near_far.h), so that no part of the rotate door may stand beside it.
     */
    const struct lct_near_far *near_far;

    /* Hooks without a door. */
    /* What the query at q_pos is multiplied by. */
    double (*temperature)(const locant_encoding *e, int64_t q_pos);
    /* What the scale of the scores is multiplied by.  NULL: 1. */
    double (*score)(const locant_encoding *e);
    /*
     * hidden[i] |= is the key hidden from the query at q_pos[i]?  'sees' tells
     * of how many pairs of two ranges that is not so; SOME may stand for any
     * answer.
     */
    void (*hides)(char *hidden, const locant_encoding *e,
                  const struct lct_head *head, const int64_t *q_pos, size_t n,
                  int64_t k_pos);
    enum lct_seen (*sees)(const locant_encoding *e, const struct lct_head *head,
                          struct lct_span q, struct lct_span k);
    /*
     * Positions of n tokens that follow each other from 0; 'reals' where the
     * trait REAL is set, else 'ids'.  r is NULL outside of training.
     */
    void (*ids)(int64_t *ids, double *reals, const locant_encoding *e,
                int64_t n, locant_random *r);
    /* The most tokens 'ids' can place in training.  NULL: any number. */
    int64_t (*trained)(const locant_encoding *e);
    /* Which nested encoding layer 'layer' uses: an index of keys. */
    int (*layer)(const locant_encoding *e, int64_t layer);
};

/* All encodings, ended by NULL. */
extern const struct lct_encoding *const lct_encodings[];

/* Numbers of a key of kind LCT_LIST. */
struct lct_list {
    size_t n;
    double item[];
};

/* An encoding within a sum, and where its parameters begin. */
struct lct_part {
    const locant_encoding *e;
    int first_param;
};

struct locant_encoding {
    const struct lct_encoding *row;
    double value[LCT_MAX_KEYS];             /* in the order of row->keys */
    locant_encoding *nested[LCT_MAX_KEYS];  /* values of kind LCT_SPEC, or the
                                               parts of a sum */
    struct lct_list *list[LCT_MAX_KEYS];    /* values of kind LCT_LIST */
    char *spec;                             /* canonical */
    unsigned doors, traits;
    struct lct_part part[LCT_MAX_PARTS];    /* itself, or those of a sum */
    int parts;
    void *state;                            /* of row->prepare */
    _Atomic(struct lct_schedule *) schedules; /* made so far, a list */
};

/* The row of 'a+b': its parts are nested[0], nested[1], .. */
extern const struct lct_encoding lct_enc_sum;

/* The part with this door; NULL if there is none. */
const struct lct_part *lct_part_of(const locant_encoding *e, unsigned door);

/* Parameters of a row's value; NULL: none.  Number of all of e's. */
const struct lct_param *lct_params_of(const locant_encoding *e);
int lct_param_count(const locant_encoding *e);

/* What chooses positions, in a sum or in one of the layers; or NULL. */
const locant_encoding *lct_placing_part(const locant_encoding *e);

/* What sentences call it: its name, or the spec of a sum. */
static inline const char *lct_name(const locant_encoding *e)
{
    return e->row == &lct_enc_sum ? e->spec : e->row->info.name;
}

/* For 'fill': every entry uniform in [-bound, bound).  Returns true. */
bool lct_fill_uniform(double *out, const locant_param_info *info, double bound,
                      locant_random *r);

/* The hooks 'bias' and 'bias_backward' of a row that has 'bias_heads'. */
void lct_bias_of_heads(double *out, const struct lct_call *s, int64_t head,
                       int64_t q_pos, const int64_t *k_pos, size_t n);
void lct_bias_of_heads_backward(double *const *dparam, const struct lct_call *s,
                                int64_t head, int64_t q_pos,
                                const int64_t *k_pos, const double *dout,
                                size_t n);

/* Set doors, traits and parts of a value whose keys are known. */
locant_status lct_encoding_compose(locant_encoding *e);

/* One element of a dense F32 or F64 tensor. */
static inline double lct_get(const locant_tensor *t, int64_t i)
{
    return t->dtype == LOCANT_F64 ? ((const double *)t->data)[i]
                                  : (double)((const float *)t->data)[i];
}

/* ... += x */
static inline void lct_add_to(locant_tensor *t, int64_t i, double x)
{
    if (t->dtype == LOCANT_F64)
        ((double *)t->data)[i] += x;
    else
        ((float *)t->data)[i] = (float)(((float *)t->data)[i] + x);
}

/* Value of a key that exists. */
double lct_value(const locant_encoding *e, const char *key);

/* Distance q_pos - k_pos without overflow, clamped to the int64 range. */
static inline int64_t lct_distance(int64_t q_pos, int64_t k_pos)
{
    int64_t d;

    if (__builtin_sub_overflow(q_pos, k_pos, &d))
        return q_pos > k_pos ? INT64_MAX : -INT64_MAX;
    return d == INT64_MIN ? -INT64_MAX : d;
}

/*
 * The schedule for heads of head_dim channels and calls of that length, kept
 * with 'e', a leaf, once it is made.  Of those that depend on the length only
 * the first few are kept: a cache that grows by a token would bring a new one
 * each time.  'fn' names the public function in sentences.  Give it back with
 * lct_schedule_done().
 */
locant_status lct_schedule_of(const struct lct_schedule **out,
                              const locant_encoding *e, const char *fn,
                              int64_t head_dim, int64_t length);
void lct_schedule_done(const struct lct_schedule *s); /* NULL is allowed */

/* ------------------------------------------------ specs, not yet understood */

enum { LCT_SPEC_DEPTH = 8, LCT_SPEC_BYTES = 4096 };

/*
 * Make an encoding from spec text, looking its name up in 'family'.
 * On failure *out is NULL.
 */
locant_status lct_spec_parse(locant_encoding **out, const char *fn,
                             const char *text,
                             const struct lct_encoding *const *family);

/*
 * Write the canonical form; returns bytes needed, as snprintf() does.  Nested
 * encodings must have their own 'spec'.
 */
size_t lct_spec_print(char *out, size_t size, const locant_encoding *e);

/*
 * Free a half-made or whole encoding: nested ones and texts.  Its schedules
 * must be gone.  NULL is allowed.
 */
void lct_encoding_release(locant_encoding *e);
#endif
