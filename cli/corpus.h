/* corpus.h - the text that a command reads */
#ifndef LOCANT_CLI_CORPUS_H
#define LOCANT_CLI_CORPUS_H
#include "cli.h"

/* Options that choose the text. */
struct cli_corpus {
    struct cli_list text; /* files and folders */
    const char *kept;     /* SHA-256 of a kept text, or its beginning */
    const char *study;    /* file of a study that has its text */
    int generated, fresh, no_keep;
};
#define OPT_NEW_TEXT(member)                                                   \
    OPT_MANY("text", member.text, "PATH...",                                   \
             "read these files and folders, not the C headers"),               \
        OPT_FLAG("generated", member.generated,                                \
                 "read generated C-like text instead")
#define OPT_KEPT_TEXT(member)                                                  \
    OPT_TEXT("kept-text", member.kept, "SHA256",                               \
             "a text kept in --dir, by the first digits of its SHA-256")
#define OPT_KEEP_TEXT(member)                                                  \
    OPT_FLAG("fresh-text", member.fresh,                                       \
             "read the C headers again, not those kept in --dir"),             \
        OPT_FLAG("no-keep", member.no_keep,                                    \
                 "keep only the SHA-256 of the text")
#define OPT_CORPUS(member)                                                     \
    OPT_NEW_TEXT(member), OPT_KEPT_TEXT(member), OPT_KEEP_TEXT(member)

#define OPT_VOCABULARY(member)                                                 \
    OPT_TEXT("vocabulary", member, "bytes|N",                                  \
             "tokens: bytes, or N (257 .. 4096) of byte pairs of the text",    \
             .fallback = "bytes")

/* Read --vocabulary: 0 for bytes, else the number of tokens. */
int cli_vocabulary(int *out, const char *text);

/* Open the text that the options choose; the command owns it.  A text kept in
   the store 'dir' may be used; NULL: there is no store. */
int cli_corpus_open(locant_corpus **out, const struct cli_corpus *options,
                    const char *dir);
/* Free the corpus when the command ends. */
int cli_corpus_free_at_end(locant_corpus *corpus);

#endif
