/*
 * formula_graph.h - formula(..) as a graph of operations.
 *
 * Nodes stand after the nodes that they read.  Equal subexpressions are one
 * node.
 */
#ifndef LCT_FORMULA_GRAPH_H
#define LCT_FORMULA_GRAPH_H
#include "encoding.h"

enum lct_formula_op {
#define LCT_OP(id, text, arguments) LCT_FORMULA_##id,
#include "formula_ops.def"
#undef LCT_OP
    LCT_FORMULA_OPS
};

enum {                           /* limits */
       LCT_FORMULA_BYTES = 1024, /* of the text between the parentheses */
       LCT_FORMULA_NODES = 192,
       LCT_FORMULA_VARYING = 72, /* nodes that differ from pair to pair */
       LCT_FORMULA_WORK = 64,    /* of these, nodes that are no leaves */
       LCT_FORMULA_DEPTH = 32,
       LCT_FORMULA_NAMES = 8,
       LCT_FORMULA_NAME = 32, /* bytes of a name, with the final zero */
       LCT_FORMULA_TABLE = 1 << 20
};

enum {                  /* bits of 'reads' */
       LCT_READS_D = 1, /* d or n */
       LCT_READS_I = 2,
       LCT_READS_J = 4,
       LCT_READS_S = 8,
       LCT_READS_CNT = 16,
       LCT_READS_T0 = 32,
       LCT_READS_HEAD = 64,
       LCT_READS_PARAM = 128,
       LCT_READS_Q = 256, /* an array of tokens, at the query */
       LCT_READS_K = 512,
       LCT_READS_TOKENS = LCT_READS_Q | LCT_READS_K,
       /* A node that reads none of these is one number for each head. */
       LCT_READS_PAIR = LCT_READS_D | LCT_READS_I | LCT_READS_J | LCT_READS_S |
                        LCT_READS_CNT | LCT_READS_TOKENS
};

struct lct_formula_node {
    enum lct_formula_op op;
    int arg[3];
    int name;      /* SCALAR, PICK, LERP, OF_..: index of the declaration */
    double number; /* NUMBER */
    unsigned reads;
    unsigned roots; /* bit k: root k reads this node */
    int slot; /* among nodes that differ from pair to pair; -1: a number */
};

enum lct_formula_law {
    LCT_LAW_RAW,
    LCT_LAW_EXP,
    LCT_LAW_SOFTPLUS,
    LCT_LAW_LOGSIGMOID /* of tokens */
};

enum lct_formula_init {
    LCT_START_NUMBER,
    LCT_START_SLOPES,
    LCT_START_UNIFORM,
    LCT_START_NORMAL
};

/*
 * A declaration: const(number), param(heads | one [, entries], ..), or an array
 * of tokens: token(heads | one, ..), or scan(..), the sums of one.
 */
enum lct_formula_kind {
    LCT_FORMULA_CONST,
    LCT_FORMULA_PARAM,
    LCT_FORMULA_TOKEN,
    LCT_FORMULA_SCAN
};

struct lct_formula_name {
    char text[LCT_FORMULA_NAME];
    size_t at; /* the byte of the spec where it is declared */
    enum lct_formula_kind kind;
    bool used;
    int param;   /* index among parameters, the first of it; -1: it has none */
    int number;  /* index among the numbers of a token, scans last */
    bool linear; /* a linear map of x, with the two parameters below, instead
                    of channels of x */
    bool heads;
    int64_t entries; /* of a table; 0: one number */
    enum lct_formula_init init;
    double a, b; /* init; the constant is a */
    double min, max;
    enum lct_formula_law law;
    bool share;
    char entries_text[24]; /* 'entries' as a size of a parameter */
    char weight[LCT_FORMULA_NAME + 8], offset[LCT_FORMULA_NAME + 8];
};

enum {
    LCT_FORMULA_BIAS,
    LCT_FORMULA_GAIN,
    LCT_FORMULA_AFTER,
    LCT_FORMULA_ROOTS
};

struct lct_formula {
    int varying;                 /* nodes with a slot */
    int root[LCT_FORMULA_ROOTS]; /* -1: left out */
    struct lct_formula_name name[LCT_FORMULA_NAMES];
    int names, params;
    int tokens, scans; /* how many arrays, and of these, how many scans */
    struct lct_param param[2 * LCT_FORMULA_NAMES + 1];
    int nodes;
    struct lct_formula_node node[]; /* LCT_FORMULA_NODES while it is read */
};

/* Keys, of which the first are the roots. */
enum { LCT_FORMULA_LENGTH = LCT_FORMULA_ROOTS, LCT_FORMULA_FUTURE };
enum { LCT_FUTURE_SAME, LCT_FUTURE_ZERO, LCT_FUTURE_HIDE };

const char *lct_formula_graph_text(enum lct_formula_op op);
int lct_formula_graph_arguments(enum lct_formula_op op);
/* The operation with this text that is called (or, with arguments false, a
 * leaf); LCT_FORMULA_OPS if there is none. */
enum lct_formula_op lct_formula_graph_op(const char *text, size_t n,
                                         bool arguments);
/* Index of a declaration; -1: there is none. */
int lct_formula_graph_find(const struct lct_formula *f, const char *text,
                           size_t n);

/* The index of this node, a new one only if there is none like it yet; -1:
 * there is no room. */
int lct_formula_graph_node(struct lct_formula *f, struct lct_formula_node x);

/* Everything that the expressions read, and what one of them does, 0 if it is
 * left out: bits LCT_READS_*. */
unsigned lct_formula_graph_reads(const struct lct_formula *f);
unsigned lct_formula_graph_reads_of(const struct lct_formula *f, int root);
/* Do gain or bias read s or tokens?  Then they go through the content door. */
bool lct_formula_graph_reads_content(const struct lct_formula *f);

/* Set slots and roots of all nodes; returns how many operations differ from
 * pair to pair. */
int lct_formula_graph_finish(struct lct_formula *f);
#endif
