/* model_input.h - models that run, and the tokens they read */
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
    OPT_FILE("pixels", member.pixels, "X.npy", "f32 [B, C, H, W]; of Qwen-VL " \
             "beside --input [N, C, H, W], or [P, F] of patches"),            \
    OPT_FILE("grid", member.grid, "G.npy",                                    \
             "i64 [N, 3]: frames, rows and columns of patches of each image")
#define OPT_MODEL_POSITIONS(member)                                           \
    OPT_FILE("positions", member.positions, "P.npy",                          \
             "i64 [B, T], or [A, B, T] for models of A axes")
#define OPT_MODEL_INPUT(member)                                               \
    OPT_MODEL_TOKENS(member), OPT_MODEL_MORE_TOKENS(member),                  \
    OPT_MODEL_IMAGES(member), OPT_MODEL_POSITIONS(member)
#define OPT_MODEL_DTYPE(member, what)                                         \
    OPT_CHOICE("dtype", member, "f32|f64|bf16", what, .fallback = "f32")
/* clang-format on */

/* The dtype of OPT_MODEL_DTYPE. */
locant_dtype cli_model_dtype(int choice);

struct cli_model_input {
    locant_model_input input;
    locant_tensor arrays[7];
};

/* Read the files that are given, then open the model at 'path', which is closed
   at the end of the command. */
int cli_model_begin(locant_model **model, struct cli_model_input *in,
                    const struct cli_model_files *files, const char *path,
                    locant_dtype dtype);
#endif
