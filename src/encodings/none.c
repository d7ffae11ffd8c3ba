/*
 * none.c - no positional encoding.
 *
 * Kazemnejad et al.: The Impact of Positional Encoding on Length Generalization
 * in Transformers. 2023. arXiv:2305.19466.
 * A causal decoder can still distinguish positions, since each query sees a
 * different number of keys.  Without a causal mask, attention is equivariant to
 * permutations.
 */
#include "encoding.h"

const struct lct_encoding lct_enc_none = {
    .info = {
        .name = "none",
        .title = "No positional encoding (NoPE)",
        .formula = "s[i,j] = <q_i, k_j> / sqrt(D)",
        .source = "Kazemnejad et al. 2023, arXiv:2305.19466v2, section 2; "
                  "Haviv et al. 2022, arXiv:2203.16634v2",
        .used_by = "some layers of Llama 4, SmolLM3, Command R7B",
        .pitfalls = "Equivariant to permutations only without a causal mask.",
        .traits = LOCANT_TRAIT_RELATIVE,
    },
};
