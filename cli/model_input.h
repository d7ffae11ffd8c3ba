/* model_input.h - the inputs of 'model logits' and 'model generate' */
#ifndef LOCANT_CLI_MODEL_INPUT_H
#define LOCANT_CLI_MODEL_INPUT_H
#include "cli.h"
#include "locant/models.h"

struct cli_model_files {
    const char *ids, *mask, *types, *decoder_ids, *pixels, *grid, *positions;
};

/* Their options; 'member' is a struct cli_model_files. */
/* clang-format off */
#define OPT_MODEL_TOKENS(member)                                              \
    OPT_FILE("input", member.ids, "IDS.npy", "ids of tokens, i64 [B, T]",     \
             .letter = 'i'),                                                  \
    OPT_FILE("mask", member.mask, "M.npy",                                    \
             "i64 [B, T]: 0 marks padding, on either side")
#define OPT_MODEL_MORE_TOKENS(member)                                         \
    OPT_FILE("types", member.types, "T.npy", "token types, i64 [B, T]"),      \
    OPT_FILE("decoder-ids", member.decoder_ids, "D.npy",                      \
             "ids of the decoder, i64 [B, S]")
#define OPT_MODEL_IMAGES(member)                                              \
    OPT_FILE("pixels", member.pixels, "X.npy", "f32 [B, C, H, W]"),           \
    OPT_FILE("grid", member.grid, "G.npy",                                    \
             "i64 [B, 3]: patches in time, height and width")
#define OPT_MODEL_POSITIONS(member)                                           \
    OPT_FILE("positions", member.positions, "P.npy",                          \
             "i64 [B, T], or [A, B, T] for models of A axes")
#define OPT_MODEL_INPUT(member)                                               \
    OPT_MODEL_TOKENS(member), OPT_MODEL_MORE_TOKENS(member),                  \
    OPT_MODEL_IMAGES(member), OPT_MODEL_POSITIONS(member)
/* clang-format on */

struct cli_model_input {
    locant_model_input input;
    locant_tensor arrays[7];
};

/* Read the files that are given. */
int cli_model_read(struct cli_model_input *out,
                   const struct cli_model_files *files);
#endif
