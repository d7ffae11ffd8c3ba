/* net_bind.h - tensors of a file as the matrices and vectors of a model */
#ifndef LCT_NET_BIND_H
#define LCT_NET_BIND_H
#include "net_families.h"

struct lct_net_binder {
    struct lct_net *n;
    struct lct_net_prefix prefix;
    int64_t layer; /* whose tensors are bound, of roles that layers have */
    int64_t part;  /* the expert, head, stage .. of names with "%d" */
};

/* Rows of a matrix of which only some are wanted: see struct lct_net_matrix. */
struct lct_net_rows {
    int64_t first, group, step;
    int64_t all; /* rows of the whole tensor */
};

/* The tensor of a role, where the binder is, or NULL.  'need' fails with FORMAT
   if it is absent. */
const struct lct_weight *lct_net_bind_find(const struct lct_net_binder *b,
                                           enum lct_net_role role,
                                           const char *suffix);
locant_status lct_net_bind_need(const struct lct_weight **out,
                                const struct lct_net_binder *b,
                                enum lct_net_role role, const char *suffix);
/* Does the configuration deny the bias of a role? */
bool lct_net_bind_denies(const struct lct_net_switches *s,
                         enum lct_net_role role);
/* The bias of a role; *out = NULL: it has none.  FORMAT: it must have one. */
locant_status lct_net_bind_find_bias(const struct lct_weight **out,
                                     const struct lct_net_binder *b,
                                     enum lct_net_role role,
                                     const char *suffix);
/* Does the family have this role; and the file the tensor? */
bool lct_net_bind_knows(const struct lct_net_binder *b, enum lct_net_role role);
bool lct_net_bind_has(const struct lct_net_binder *b, enum lct_net_role role);

/* Fail with FORMAT, and set n->misfits, unless w has this shape (-1: any), and
   numbers that are no whole ones, which other programs pack or scale. */
locant_status lct_net_bind_shape(struct lct_net *n, const struct lct_weight *w,
                                 int rank, const int64_t *shape);
/* The same of bytes in which a format packs its numbers. */
locant_status lct_net_bind_packed(struct lct_net *n, const struct lct_weight *w,
                                  int rank, const int64_t *shape);

/* The product of so many sizes. */
int64_t lct_net_bind_count(const int64_t *shape, int rank);
/* The same unless rows of 'count' numbers are whole blocks of w. */
locant_status lct_net_bind_blocks(struct lct_net *n, const struct lct_weight *w,
                                  int64_t count);

/* *out = all numbers of w, plus 'more' each. */
locant_status lct_net_bind_vector(void **out, struct lct_net *n,
                                  const struct lct_weight *w, int64_t count,
                                  double more);

/* The same of the tensor of a role, which must be there; nothing if the family
   has no such role. */
locant_status lct_net_bind_numbers(void **out, struct lct_net_binder *b,
                                   enum lct_net_role role, const char *suffix,
                                   int64_t count);

/* *m = a tensor of this shape (-1: any), whose first dimension counts rows. */
locant_status lct_net_bind_matrix(struct lct_net_matrix *m,
                                  struct lct_net_binder *b,
                                  enum lct_net_role role, const char *suffix,
                                  int rank, const int64_t *shape);

/* W [out, in] and its bias, if there is one, as there must be if the switches
   say so.  out < 0: as many as the tensor has. */
locant_status lct_net_bind_linear(struct lct_net_linear *l,
                                  struct lct_net_binder *b,
                                  enum lct_net_role role, int64_t out,
                                  int64_t in);
/* The same of some rows of the tensor. */
locant_status lct_net_bind_rows(struct lct_net_linear *l,
                                struct lct_net_binder *b,
                                enum lct_net_role role, int64_t out, int64_t in,
                                const struct lct_net_rows *rows);

/* l->bias = those numbers of w that belong to the rows of l.  Errors: NOMEM. */
locant_status lct_net_bind_bias(struct lct_net_linear *l, struct lct_net *n,
                                const struct lct_weight *w,
                                const struct lct_net_rows *rows);

/* x over its root mean square. */
struct lct_net_norm lct_net_bind_rms(int64_t width, double eps);
/* A norm of the family's kind over 'width' numbers; none if the family has no
   such role. */
locant_status lct_net_bind_norm(struct lct_net_norm *norm,
                                struct lct_net_binder *b,
                                enum lct_net_role role, int64_t width);
#endif
