/*
 * extend.h - settings that let a rotary model read more than it was trained on
 *
 * Position interpolation (arXiv:2306.15595), NTK and dynamic NTK (bloc97 2023),
 * YaRN (arXiv:2309.00071), LongRoPE (arXiv:2402.13753; its lists by
 * arXiv:2502.20082), the scaling of Llama 3.1, Self-Extend (arXiv:2401.01325).
 */
#ifndef LCT_EXTEND_H
#define LCT_EXTEND_H
#include "../core/error.h"
#include <jansson.h>
#include <stdbool.h>

enum lct_extend_method {
    LCT_EXTEND_PI,
    LCT_EXTEND_NTK,
    LCT_EXTEND_DYNAMIC,
    LCT_EXTEND_YARN,
    LCT_EXTEND_LONGROPE,
    LCT_EXTEND_LLAMA3,
    LCT_EXTEND_SELFEXTEND,
    LCT_EXTEND_METHODS
};

struct lct_family;

enum { LCT_EXTEND_PAIRS = 1024 }; /* at most, of a head */

/* What is extended. */
struct lct_extend {
    const char *file; /* for messages */
    double base;
    int64_t rotated, trained, to;
    double factor;      /* to / trained */
    double linear;      /* factor of a linear scaling that is there; 1: none */
    bool kinds;         /* other layers see a window and stay as they are */
    const char *keys;   /* further keys of the spec: "dim=32,pairing=.." */
    json_t *others;     /* keys of its rope dictionary that are no scaling, as
                         mrope_section; NULL: none */
    const json_t *text; /* the configuration that texts are pasted into, of
                           transformers 4 or 5; NULL: none */
    const struct lct_family *family; /* of it */
    bool *failed;                    /* set where there is no memory for JSON */
};

/* "pi", what it changes, and its position in the table of a name; -1. */
const char *lct_extend_name(enum lct_extend_method m);
const char *lct_extend_change(enum lct_extend_method m);
int lct_extend_find(const char *name);

/* The base of NTK, a whole number where it is large. */
double lct_extend_base(const struct lct_extend *e, enum lct_extend_method m);
/* Factor of cosines and sines. */
double lct_extend_attention(const struct lct_extend *e,
                            enum lct_extend_method m);
/* The pair from which LongRoPE divides by the whole factor: the first that does
   not complete a turn within the trained length. */
int64_t lct_extend_critical(const struct lct_extend *e);
/* Group and window of Self-Extend; false if none reaches so far. */
bool lct_extend_group(int64_t *group, int64_t *window,
                      const struct lct_extend *e);

/*
 * The spec of an extended layer, of METHODS as it is now; to be released with
 * locant_release().  Errors: NOMEM, PARAM (Self-Extend does not reach so far).
 */
locant_status lct_extend_spec(char **out, const struct lct_extend *e,
                              enum lct_extend_method m);
#endif
