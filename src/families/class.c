/* class.c - see class.h */
#include "class.h"
#include "family.h"
#include <stdio.h>
#include <string.h>

static const struct lct_class classes[] = {
#define CLASS(type, base, files_base, length, head_dim, partial, traits)       \
    { type, base, files_base, length, head_dim, partial, traits },
#include "classes.def"
#undef CLASS
};
enum { CLASSES = sizeof classes / sizeof classes[0] };

const struct lct_class *lct_class_at(size_t i)
{
    return i < CLASSES ? &classes[i] : NULL;
}

static const struct lct_class *named(const char *type)
{
    for (size_t i = 0; i < CLASSES; i++)
        if (strcmp(classes[i].type, type) == 0)
            return &classes[i];
    return NULL;
}

static unsigned traits_of(const struct lct_family *f)
{
    const bool switched = f->rule == LCT_LAYERS_SWITCH ||
                          f->rule == LCT_LAYERS_QWEN2 ||
                          f->rule == LCT_LAYERS_QWEN2_MOE;

    if (f->flags & LCT_NOPE)
        return LCT_CLASS_NO_ROPE;
    return (f->partial > 0 ? LCT_CLASS_PARTIAL : 0) |
           (f->flags & LCT_ROPE_BY_TYPE ? LCT_CLASS_KINDS : 0) |
           (f->flags & LCT_MLA ? LCT_CLASS_MLA : 0) |
           (f->section[0] > 0 ? LCT_CLASS_SECTIONS : 0) |
           (switched ? LCT_CLASS_QWEN_WINDOW : 0) |
           (f->interleaved            ? LCT_CLASS_INTERLEAVED
            : f->flags & LCT_PERMUTED ? LCT_CLASS_PERMUTED
                                      : LCT_CLASS_HALF);
}

/* The family of that very model type, if it rotates by the keys of transformers
   or never: 'mistral3' is another model in GGUF than in transformers. */
static const struct lct_family *family_of(const char *type, const char *text)
{
    const struct lct_family *f = lct_family_find(type);

    if (f == NULL || (f->base == 0 && !(f->flags & LCT_NOPE)) ||
        (f->flags & LCT_OWN_KEYS) ||
        (strcmp(f->model_type, type) != 0 && strcmp(f->model_type, text) != 0))
        return NULL;
    return f;
}

bool lct_class_find(struct lct_class *out, const char *type)
{
    const struct lct_family *f;
    const struct lct_class *c;
    char text[80];

    snprintf(text, sizeof text, "%s_text", type);
    f = family_of(type, text);
    if (f != NULL) {
        *out = (struct lct_class){ .type = f->model_type,
                                   .base = f->base,
                                   .files_base = f->base_files,
                                   .length = f->length,
                                   .head_dim = f->head_dim,
                                   .partial = f->partial > 0 ? f->partial : 1,
                                   .traits = traits_of(f) };
        return true;
    }
    c = named(type);
    if (c == NULL)
        c = named(text);
    if (c != NULL)
        *out = *c;
    return c != NULL;
}
