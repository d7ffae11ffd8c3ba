/* model_text.h - bytes of a file as the tokens of a byte-level model */
#ifndef LOCANT_CLI_MODEL_TEXT_H
#define LOCANT_CLI_MODEL_TEXT_H
#include "cli.h"

enum { MODEL_TEXT_LENGTH = 1024 };

struct cli_model_text {
    const char *path;
    int64_t length; /* bytes of a text; 0: MODEL_TEXT_LENGTH, or all of a file
                       that is shorter */
    int64_t first;  /* the id of byte 0 */
};

/* clang-format off */
#define OPT_MODEL_TEXT(member)                                                \
    OPT_FILE("text", member.path, "FILE",                                     \
             "instead of ids: bytes of this file, if tokens are bytes")
#define OPT_MODEL_TEXT_LENGTH(member)                                         \
    OPT_INTEGER("length", member.length, "N", 2, INT64_MAX,                   \
                "with --text: cut it into texts of N bytes, and drop the "    \
                "rest (1024, or all of a shorter file)", .fallback = "0")
#define OPT_MODEL_TEXT_FIRST(member)                                          \
    OPT_INTEGER("first-byte", member.first, "ID", 0, 65536,                   \
                "with --text: the id of byte 0, where special tokens come "   \
                "first", .fallback = "0")
/* clang-format on */

/* ids I64 [B, T] of a file, for the model at 'model', whose vocabulary must be
   bytes and at most 256 other tokens. */
int cli_model_text_read(locant_tensor *ids, const struct cli_model_text *t,
                        const char *model);
#endif
