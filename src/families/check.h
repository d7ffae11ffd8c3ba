/*
 * check.h - the checks of 'locant model check': what they look at, and how
 * they report
 *
 * The functions check_*.c look at a raw configuration, whose keys may be wrong
 * in every way, and report findings.  A finding says what is wrong, what each
 * stack computes with the numbers of this file, and how to mend it; a mend that
 * is unambiguous is recorded as a change of the configuration too.
 */
#ifndef LCT_CHECK_H
#define LCT_CHECK_H
#include "class.h"
#include "config.h"
#include "locant/models.h"
#include "weights.h"

enum lct_check_id {
#define CHECK(id, severity, title) LCT_CHECK_##id,
#include "checks.def"
#undef CHECK
    LCT_CHECKS
};

/* Stacks that a statement is about. */
enum lct_check_stacks {
    LCT_HF4 = 1 << LOCANT_STACK_HF4,
    LCT_HF5 = 1 << LOCANT_STACK_HF5,
    LCT_VLLM = 1 << LOCANT_STACK_VLLM,
    LCT_LLAMA_CPP = 1 << LOCANT_STACK_LLAMACPP,
    LCT_MLX = 1 << LOCANT_STACK_MLX,
    LCT_HF = LCT_HF4 | LCT_HF5,
    LCT_EVERY_STACK = (2 << LOCANT_STACK_MLX) - 2
};

/* One dictionary of RoPE settings, that of all layers or of one kind. */
struct lct_rope_entry {
    const json_t *dict; /* NULL if the file has none */
    const char *layers; /* "full_attention"; "" for all */
    char path[80];      /* "rope_scaling" */
    const char *kind;   /* rope_type, "default" if there is none */
    double base;        /* as transformers 5 reads it */
    double factor;      /* 0 if there is none */
    double original;    /* 0 if there is none */
    int64_t rot;        /* rotated channels */
};

enum { LCT_ROPE_ENTRIES = 6 };

/* A model that is checked. */
struct lct_check {
    const struct lct_config *config;
    const struct lct_weights *weights;   /* NULL if there are none */
    const struct lct_weights *adapter;   /* NULL if there is none */
    const json_t *tokenizer;             /* tokenizer_config.json, or NULL */
    const struct lct_check *other;       /* the model compared with, or NULL */
    const locant_check_options *options; /* never NULL */
    const json_t *text; /* the object that has the keys of the model */
    const char *type;   /* model_type, or the architecture of GGUF */
    struct lct_class known_class;
    const struct lct_class *class; /* known_class; NULL if it is unknown */
    bool params;                   /* keys were those of a params.json */
    char prefix[48];       /* "text_config." where the keys are nested */
    int64_t D, H, K, L, d; /* 0 if unknown */
    int64_t M;             /* length of the configuration */
    double base, partial;
    struct lct_rope_entry entries[LCT_ROPE_ENTRIES];
    int n_entries;
    struct lct_report *report;
};

/* A finding while it is written. */
struct lct_draft;

/* The rows of findings.def. */
enum lct_finding_id {
#define FINDING(check, variant, ...) LCT_FINDING_##check##variant,
#include "findings.def"
#undef FINDING
};

/* What a check knows and a text of findings.def names by its number. */
struct lct_word {
    enum { LCT_WORD_WHOLE, LCT_WORD_REAL, LCT_WORD_TEXT, LCT_WORD_QUOTED } kind;
    int64_t whole;
    double real;
    const char *text; /* NULL is none */
};
#define I(n) ((struct lct_word){ .kind = LCT_WORD_WHOLE, .whole = (n) })
#define R(x) ((struct lct_word){ .kind = LCT_WORD_REAL, .real = (x) })
#define S(t) ((struct lct_word){ .kind = LCT_WORD_TEXT, .text = (t) })
/* Of a file: shown as by lct_quote(). */
#define Q(t)    ((struct lct_word){ .kind = LCT_WORD_QUOTED, .text = (t) })
#define ID(row) I(LCT_FINDING_##row)

/*
 * Report a finding about the rotary settings 'e', or NULL: words[0] is its row
 * in findings.def, the others [n - 1] are those of its texts.  A key that
 * begins with '/' is one of the file, others are of the text configuration.
 * Never NULL: a failure of memory is kept and reported at the end.
 */
struct lct_draft *lct_check_find(struct lct_check *k,
                                 const struct lct_rope_entry *e,
                                 const struct lct_word *words, size_t n);
/* LCT_FIND(k, e, ID(L02), R(ratio), ..) */
#define LCT_FIND(k, e, ...)                                                    \
    lct_check_find(k, e, (const struct lct_word[]){ __VA_ARGS__ },             \
                   sizeof((const struct lct_word[]){ __VA_ARGS__ }) /          \
                       sizeof(struct lct_word))
/* That mend as a change: 'path' ("rope_scaling.factor", within the text
   configuration) becomes 'value', whose reference is taken; NULL: there was no
   memory for it. */
void lct_check_fix(struct lct_draft *f, const char *path, json_t *value);
/* The change that removes it. */
void lct_check_remove(struct lct_draft *f, const char *path);
/* Report this finding with another severity than that of its check. */
void lct_check_severity(struct lct_draft *f, locant_severity severity);

/* Values of keys that may be absent, of a wrong type, or beyond 2^40. */
double lct_check_real(const json_t *object, const char *key, double fallback);
int64_t lct_check_integer(const json_t *object, const char *key,
                          int64_t fallback);
bool lct_check_bool(const json_t *object, const char *key, bool fallback);
const char *lct_check_text(const json_t *object, const char *key,
                           const char *fallback);
/* The channels of a head that turn, as transformers counts them: the product
   cut off; 0 if it is no size. */
int64_t lct_check_channels(int64_t width, double partial);
/* "rope_scaling.factor" of an entry: its path, and a key of at most 84 bytes as
   lct_quote() makes it. */
enum { LCT_PATH_BYTES = 192 };
const char *lct_check_path(char out[LCT_PATH_BYTES],
                           const struct lct_rope_entry *e, const char *key);
#define LCT_CHECK_PATH(e, key)                                                 \
    lct_check_path((char[LCT_PATH_BYTES]){ 0 }, e, key)
bool lct_check_is_gguf(const struct lct_check *k);
/* sliding_window as transformers 5 takes it; 0: none.  Of a GGUF file, the key
   of its architecture. */
int64_t lct_check_window(const struct lct_check *k);
/* An object of the text configuration that is not empty; NULL if there is
   none. */
const json_t *lct_check_object(const struct lct_check *k, const char *key);
/* The base of the class, or 10000. */
double lct_check_class_base(const struct lct_check *k);
/* The first tensor of the text part whose name ends so, after a point or at its
   start; NULL if there is none, or no weights. */
const struct lct_weight *lct_check_tensor(const struct lct_weights *w,
                                          const char *end);
/* The pairing that the metadata of the weights records, and the one that
   readers of such a file take them to have. */
enum lct_recorded_pairing lct_check_recorded(const struct lct_check *k);
enum lct_recorded_pairing lct_check_readers(const struct lct_check *k);
/* "half" or "interleaved". */
const char *lct_check_pairing(enum lct_recorded_pairing p);
/* There, and not null. */
bool lct_check_has(const json_t *object, const char *key);
/* Is its type, or that of its class, one of those between blanks? */
bool lct_check_is(const struct lct_check *k, const char *types);
bool lct_check_class_has(const struct lct_check *k, unsigned traits);
/* The least number of edits from a to b, whatever the case of their letters
   (Levenshtein 1966); SIZE_MAX if one is longer than 64 bytes. */
size_t lct_check_edits(const char *a, const char *b);
/* The nearest of 'names', between which are blanks, within a third of the
   letters of the word; NULL if there is none. */
enum { LCT_NEAREST_BYTES = 64 };
const char *lct_check_nearest(char out[LCT_NEAREST_BYTES], const char *word,
                              const char *names);

/* The ends of YaRN's ramp, rounded and clipped. */
struct lct_ramp {
    int low, high;
    double low_exact, high_exact;
};
struct lct_ramp lct_check_ramp(double rot, double base, double original,
                               double fast, double slow);
/* A of YaRN as transformers computes it from the dictionary. */
double lct_check_yarn_amplitude(const json_t *dict, double factor);

/* The groups of checks. */
void lct_check_dialect(struct lct_check *k);
void lct_check_kinds(struct lct_check *k);
void lct_check_keys(struct lct_check *k);
void lct_check_values(struct lct_check *k);
void lct_check_lengths(struct lct_check *k);
void lct_check_llama3(struct lct_check *k);
void lct_check_longrope(struct lct_check *k);
void lct_check_yarn(struct lct_check *k);
void lct_check_widths(struct lct_check *k);
void lct_check_sections(struct lct_check *k);
void lct_check_layers(struct lct_check *k);
void lct_check_windows(struct lct_check *k);
void lct_check_scores(struct lct_check *k);
void lct_check_tensors(struct lct_check *k);
void lct_check_gguf(struct lct_check *k);
void lct_check_pairs(struct lct_check *k);
#endif
