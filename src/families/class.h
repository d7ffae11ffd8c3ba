/*
 * class.h - what the class of a model type does in transformers 5.23, as far
 * as the checks need it: the facts of its family, or a row of classes.def
 */
#ifndef LCT_CLASS_H
#define LCT_CLASS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum lct_class_traits {
    LCT_CLASS_PARTIAL = 1,  /* partial_rotary_factor also without a scaling */
    LCT_CLASS_KINDS = 2,    /* rope_parameters has an entry for each kind */
    LCT_CLASS_MLA = 4,      /* rotates qk_rope_head_dim channels */
    LCT_CLASS_SECTIONS = 8, /* has mrope_section */
    LCT_CLASS_NO_ROPE = 16, /* never rotates */
    LCT_CLASS_QWEN_WINDOW = 32, /* slides only if use_sliding_window */
    LCT_CLASS_HALF = 64,        /* its weights are half, in GGUF too */
    LCT_CLASS_PERMUTED = 128, /* its converter makes half weights interleaved */
    LCT_CLASS_INTERLEAVED = 256 /* its weights are interleaved */
};
struct lct_class {
    const char *type;
    double base;       /* of the class */
    double files_base; /* what the published files have; 0: the same */
    int64_t length;    /* max_position_embeddings of the class */
    int64_t head_dim;  /* of the class; 0: hidden_size / heads */
    double partial;    /* of the class */
    unsigned traits;
};

/* The class of a model type, or of its text part.  False if it is unknown, or a
   family without rotary keys of transformers. */
bool lct_class_find(struct lct_class *out, const char *type);
/* Row i of classes.def; NULL past the end. */
const struct lct_class *lct_class_at(size_t i);
#endif
