/* keys.h - keys of a spec and learned parameters, as tables of an encoding */
#ifndef LCT_KEYS_H
#define LCT_KEYS_H
#include "locant/encoding.h"
#include <stdbool.h>

struct lct_encoding;

enum { LCT_MAX_KEYS = 16 };

struct lct_reader; /* spec_read.h */

enum lct_key_kind {
    LCT_NUMBER,
    LCT_INTEGER,
    LCT_WORD,
    LCT_SWITCH,
    LCT_SPEC,
    LCT_LIST,      /* numbers joined by ':'; empty if left out */
    LCT_EXPRESSION /* of a grammar of its own, which the key's 'read' knows, or
                      the row's, which then reads its own parentheses */
};

/* One key of a spec.  A table of them ends with a NULL name. */
struct lct_key {
    const char *name;
    enum lct_key_kind kind;
    double def;               /* NAN: derived from the sizes of the call */
    double min, max;          /* inclusive; numbers and integers */
    const char *const *words; /* LCT_WORD: the choices, ended by NULL; the
                                 value is the index.  LCT_EXPRESSION: its
                                 forms, for messages */
    const struct lct_encoding *const *family; /* LCT_SPEC: the choices, ended
                                 by NULL; the value is the index */
    const char *doc;
    bool min_open; /* 'min' itself is not allowed */
    /* LCT_EXPRESSION: read the value of key k, and set e->text[] to its
     * canonical form, allocated by locant_alloc().  NULL: the row reads it. */
    locant_status (*read)(locant_encoding *e, int k, struct lct_reader *r);
};

/* Numbers of a key of kind LCT_LIST. */
struct lct_list {
    size_t n;
    double item[];
};

enum lct_init { LCT_INIT_ZERO, LCT_INIT_NORMAL, LCT_INIT_UNIFORM };

/* Which layers of a model share a parameter. */
enum lct_scope {
    LCT_SHARED,
    LCT_PER_LAYER,
    LCT_SHARE_KEY /* as the switch "share" of the spec says */
};

/*
 * One learned parameter.  A table of them ends with a NULL name.  A size is
 * "heads", "kv_heads", "head_dim", "width", an integer key of the spec, a
 * number, or a name that the hook params.size knows.
 */
struct lct_param {
    const char *name;
    const char *dims[3]; /* outermost first; NULL past the rank */
    enum lct_init init;
    double a, b; /* NORMAL: mean, deviation; UNIFORM: from, to */
    double rate; /* see locant_param_info; 0 stands for 1 */
    enum lct_scope scope;
    bool given; /* data of the task, never learned: rate 0 */
    const char *doc;
};

/* Keys that many encodings have. */
/* clang-format off */
#define LCT_SHARE(fallback, text)                                         \
    { .name = "share", .kind = LCT_SWITCH, .def = (fallback), .doc = text }
#define LCT_BASE(fallback, text)                                          \
    { .name = "base", .kind = LCT_NUMBER, .def = (fallback), .min = 1,    \
      .max = 1e30, .doc = text }
/* clang-format on */

/* How the entries of a parameter start. */
#define LCT_NORMAL(mean, deviation)                                            \
    .init = LCT_INIT_NORMAL, .a = (mean), .b = (deviation)
#define LCT_UNIFORM(from, to) .init = LCT_INIT_UNIFORM, .a = (from), .b = (to)

/* Number of keys of an encoding. */
int lct_key_count(const struct lct_encoding *row);
/* Index of a key; -1: there is none of this name. */
int lct_key_find(const struct lct_encoding *row, const char *name);
/* The value that a spec gave a key; NAN: there is no such key. */
double lct_value(const locant_encoding *e, const char *key);
#endif
