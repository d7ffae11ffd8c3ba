/*
 * encoding.h - what one positional encoding tells the rest of locant.
 *
 * An encoding is one file that defines one 'const struct lct_encoding', and one
 * line of encodings.def; tools/new_encoding.py writes both.  Registry, specs,
 * public API, attention, models, pictures, tests and the command ask this
 * struct and name no encoding.
 */
#ifndef LCT_ENCODING_H
#define LCT_ENCODING_H
#include "doors.h"

enum { LCT_MAX_PARTS = 8 };

struct lct_reader; /* spec_read.h */
struct lct_writer; /* spec.h */

struct lct_encoding {
    locant_encoding_info info;
    const struct lct_key *keys;

    /* Read what stands in the parentheses of the spec, if there are any, and
     * print it in its canonical form, with parentheses.  NULL: "key=value"
     * separated by commas. */
    locant_status (*read)(locant_encoding *e, struct lct_reader *r);
    void (*print)(struct lct_writer *w, const locant_encoding *e);

    /* Check what the ranges of single keys cannot express. */
    locant_status (*check)(const locant_encoding *e);
    /* Replace info.doors and info.traits if these depend on keys. */
    unsigned (*doors)(const locant_encoding *e);
    unsigned (*traits)(const locant_encoding *e);
    /* Allocate e->state by locant_alloc(), for what all calls share; it is
     * released with the encoding. */
    locant_status (*prepare)(locant_encoding *e);
    /* The index in 'nested' of the encoding that a layer uses in a model of
     * 'count' layers; 0: as many as layer_count says. */
    int (*layers)(const locant_encoding *e, int64_t layer, int64_t count);
    /* The number of layers that e is for; 0: any. */
    int64_t (*layer_count)(const locant_encoding *e);
    /* Keys of any other name nest encodings of this family; NULL: there are
     * none. */
    const struct lct_encoding *const *others;

    struct lct_param_hooks params;
    struct lct_position_hooks positions;
    struct lct_schedule_hooks schedule;
    struct lct_input_door input;
    struct lct_rotate_door rotate;
    struct lct_score_door score;
    struct lct_content_door content;
    struct lct_mask_hooks mask;
    struct lct_scale_hooks scale;
    struct lct_factor_hooks factors;
    struct lct_weight_hooks weights;
    struct lct_relation_hooks relations;
};

/* All encodings but the sum, ended by NULL. */
extern const struct lct_encoding *const lct_encodings[];
/* The encoding of 'a+b', whose nested encodings are its parts. */
extern const struct lct_encoding lct_enc_sum;

/* An encoding within a sum, and where its parameters begin. */
struct lct_part {
    const locant_encoding *e;
    int first_param;
};

struct locant_encoding {
    const struct lct_encoding *row;
    double value[LCT_MAX_KEYS];            /* in the order of row->keys */
    locant_encoding *nested[LCT_MAX_KEYS]; /* values of kind LCT_SPEC, then of
                                               other names; or the parts of a
                                               sum */
    struct lct_list *list[LCT_MAX_KEYS];   /* values of kind LCT_LIST */
    char *text[LCT_MAX_KEYS];              /* values of kind LCT_EXPRESSION,
                                               then the other names */
    char *spec;                            /* canonical */
    unsigned doors, traits;                /* of all parts or layers */
    struct lct_part part[LCT_MAX_PARTS];   /* the encoding itself, or the parts
                                               of a sum */
    int parts;
    void *state;                              /* made by row->prepare */
    _Atomic(struct lct_schedule *) schedules; /* list of those made so far */
};

/* Traits of an encoding that is not a sum. */
static inline unsigned lct_own_traits(const locant_encoding *e)
{
    return e->row->traits != NULL ? e->row->traits(e) : e->row->info.traits;
}

/* Bits LCT_HAS_*. */
static inline unsigned lct_factors_of(const locant_encoding *e)
{
    const struct lct_factor_hooks *hooks = &e->row->factors;

    if (hooks->used != NULL)
        return hooks->used(e);
    return (hooks->gain.at != NULL ? LCT_HAS_GAIN : 0u) |
           (hooks->after.at != NULL ? LCT_HAS_AFTER : 0u) |
           (hooks->row != NULL ? LCT_HAS_ROW : 0u);
}

/* Coordinates of a position of an encoding that is not a sum; 0: it is one
 * number. */
static inline int lct_own_axes(const locant_encoding *e)
{
    return e->row->positions.axes_of != NULL ? e->row->positions.axes_of(e)
                                             : e->row->positions.axes;
}

/* Have bias and factors of an encoding that is not a sum derivatives by real
 * positions? */
static inline bool lct_own_real(const locant_encoding *e)
{
    return e->row->positions.real_of != NULL ? e->row->positions.real_of(e)
                                             : e->row->positions.real;
}

/* The part with this door; NULL if there is none. */
const struct lct_part *lct_part_of(const locant_encoding *e, unsigned door);

/* The part or layer that chooses positions; NULL if there is none. */
const locant_encoding *lct_placing_part(const locant_encoding *e);

/* Set doors, traits and parts of an encoding whose keys are known. */
locant_status lct_encoding_compose(locant_encoding *e);

/* Free e, complete or not, or NULL; its schedules are already released. */
void lct_encoding_release(locant_encoding *e);

/* Fail because a spec is not valid; arguments as of printf(). */
#define LCT_REFUSE(...)                                                        \
    locant_fail(LOCANT_ERR_PARAM, "locant_encoding_create: " __VA_ARGS__)

/* The name of an encoding in error messages: its own, or the spec of a sum. */
static inline const char *lct_name(const locant_encoding *e)
{
    return e->row == &lct_enc_sum ? e->spec : e->row->info.name;
}

/* The encoding's own parameters; NULL: none, as in a sum. */
const struct lct_param *lct_params_of(const locant_encoding *e);
/* Number of all parameters, with those of nested encodings. */
int lct_param_count(const locant_encoding *e);

/* For params.fill: entries uniform in [-bound, bound).  Returns true. */
bool lct_fill_uniform(double *out, const locant_param_info *info, double bound,
                      locant_random *r);

/* score.bias and score.backward of an encoding that has score.entry. */
void lct_bias_of_entries(double *out, const struct lct_call *c, int64_t head,
                         int64_t q_pos, const int64_t *k_pos, size_t n);
void lct_bias_of_entries_backward(double *const *dparam,
                                  const struct lct_call *c, int64_t head,
                                  int64_t q_pos, const int64_t *k_pos,
                                  const double *dout, size_t n);

/* score.bias and score.backward of an encoding that has score.heads. */
void lct_bias_of_heads(double *out, const struct lct_call *c, int64_t head,
                       int64_t q_pos, const int64_t *k_pos, size_t n);
void lct_bias_of_heads_backward(double *const *dparam, const struct lct_call *c,
                                int64_t head, int64_t q_pos,
                                const int64_t *k_pos, const double *dout,
                                size_t n);

/*
 * The schedule for rows of 'dim' channels and calls of this length, made on the
 * first call and then kept with 'e', which is not a sum.  Of the schedules that
 * depend on the length only the first few are kept: a KV cache that grows by a
 * token would add one each time.  Errors name the public function 'fn'.
 * Release the schedule with lct_schedule_done(), which accepts NULL.
 */
locant_status lct_schedule_of(const struct lct_schedule **out,
                              const locant_encoding *e, const char *fn,
                              int64_t dim, int64_t length);
void lct_schedule_done(const struct lct_schedule *s);

/* The length of calls that the schedule is for; 0: any. */
static inline int64_t lct_schedule_length(const locant_encoding *e,
                                          int64_t length)
{
    return e->row->schedule.length == NULL ? 0
                                           : e->row->schedule.length(e, length);
}

/* The schedule for rows of 'dim' channels that an earlier call made and kept.
 * The frequencies of e must not depend on a length. */
const struct lct_schedule *lct_schedule_kept(const locant_encoding *e,
                                             int64_t dim);

/* For the hook schedule.create: frequencies base^(-c / pairs), one axis. */
locant_status lct_schedule_make(struct lct_schedule **out,
                                const struct lct_schedule_use *u, double base,
                                int64_t pairs);
/* The same for sinusoids: frequencies base^(-2c / dim); an odd 'dim' has one
 * sine more than cosines. */
locant_status lct_schedule_make_sines(struct lct_schedule **out,
                                      const struct lct_schedule_use *u,
                                      double base);
#endif
