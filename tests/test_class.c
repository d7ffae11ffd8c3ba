/* needs: lab */
/* test_class.c - what the checks take of families and of classes.def */
#include "../src/families/check_gguf.h"
#include "../src/families/class.h"
#include "../src/families/family.h"
#include "testing.h"
#include <string.h>

TEST(no_model_type_stands_in_two_tables)
{
    for (size_t i = 0; lct_class_at(i) != NULL; i++)
        if (lct_family_find(lct_class_at(i)->type) != NULL)
            FAIL("'%s' is a family and a row of classes.def",
                 lct_class_at(i)->type);
}

static const struct {
    const char *type, *class; /* NULL: it has none */
    double base, files_base;
    int64_t length, head_dim;
    double partial;
    unsigned traits;
} known[] = {
    { "llama", "llama", 1e4, 0, 2048, 0, 1, LCT_CLASS_PERMUTED },
    { "gemma3", "gemma3_text", 1e6, 0, 131072, 256, 1,
      LCT_CLASS_HALF | LCT_CLASS_KINDS },
    { "deepseek_v3", "deepseek_v3", 1e4, 0, 4096, 0, 1,
      LCT_CLASS_MLA | LCT_CLASS_INTERLEAVED },
    { "qwen3", "qwen3", 1e4, 1e6, 32768, 128, 1,
      LCT_CLASS_HALF | LCT_CLASS_QWEN_WINDOW },
    { "qwen2_vl_text", "qwen2_vl_text", 1e6, 0, 32768, 0, 1,
      LCT_CLASS_HALF | LCT_CLASS_QWEN_WINDOW | LCT_CLASS_SECTIONS },
    { "phi", "phi", 1e4, 0, 2048, 0, 0.5, LCT_CLASS_PARTIAL | LCT_CLASS_HALF },
    { "gptj", "gptj", 1e4, 0, 2048, 0, 1, LCT_CLASS_INTERLEAVED },
    { "mpt", "mpt", 0, 0, 2048, 0, 1, LCT_CLASS_NO_ROPE },
    { "jamba", "jamba", 0, 0, 262144, 0, 1, LCT_CLASS_NO_ROPE },
    { "glm4v", "glm4v_text", 1e4, 0, 32768, 0, 1,
      LCT_CLASS_PARTIAL | LCT_CLASS_INTERLEAVED },
    { .type = "qwen" },
    { .type = "bert" },
    { .type = "mistral3" },
    { .type = "no such type" },
};

TEST(classes_are_those_of_transformers)
{
    for (size_t i = 0; i < LEN(known); i++) {
        struct lct_class c;

        if (lct_class_find(&c, known[i].type) != (known[i].class != NULL))
            FAIL("%s: a class %s", known[i].type,
                 known[i].class ? "is missing" : "is found");
        if (known[i].class != NULL &&
            (strcmp(c.type, known[i].class) != 0 || c.base != known[i].base ||
             c.files_base != known[i].files_base ||
             c.length != known[i].length || c.head_dim != known[i].head_dim ||
             c.partial != known[i].partial || c.traits != known[i].traits))
            FAIL("%s: got %s, base %g (%g), length %lld, head %lld, partial "
                 "%g, traits %#x",
                 known[i].type, c.type, c.base, c.files_base,
                 (long long)c.length, (long long)c.head_dim, c.partial,
                 c.traits);
    }
}

/* A converter to GGUF permutes half weights exactly where llama.cpp rotates
   interleaved pairs. */
TEST(pairings_of_families_are_those_of_gguf)
{
    const struct lct_family *f;
    int n = 0;

    for (size_t i = 0; (f = lct_family_at(i)) != NULL; i++) {
        const struct lct_gguf_arch *arch =
            f->gguf != NULL ? lct_check_gguf_arch(f->gguf) : NULL;
        const bool permuted = (f->flags & LCT_PERMUTED) != 0;

        if (arch == NULL)
            continue;
        n++;
        if (arch->interleaved != (f->interleaved || permuted) ||
            arch->permuted != permuted)
            FAIL("%s: interleaved %d, permuted %d; in GGUF %d, %d",
                 f->model_type, f->interleaved, permuted, arch->interleaved,
                 arch->permuted);
    }
    CHECK(n > 40);
}
