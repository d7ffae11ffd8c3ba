/* net_family_keys.h - keys that change the blocks of single families */
#ifndef LCT_NET_FAMILY_KEYS_H
#define LCT_NET_FAMILY_KEYS_H
#include "net_families.h"

/* A key of the text part; *out keeps its value if the key is absent or null.
   Whole numbers are 0 to 2^40, widths 1 to 2^30.  Errors: FORMAT (another type
   or number). */
locant_status lct_net_family_keys_real(double *out, const struct lct_config *c,
                                       const char *key);
locant_status lct_net_family_keys_whole(int64_t *out,
                                        const struct lct_config *c,
                                        const char *key);
locant_status lct_net_family_keys_width(int64_t *out,
                                        const struct lct_config *c,
                                        const char *key);
locant_status lct_net_family_keys_bool(bool *out, const struct lct_config *c,
                                       const char *key);
locant_status lct_net_family_keys_text(const char **out,
                                       const struct lct_config *c,
                                       const char *key);

/* What rows of the table call 'read'.  Errors: FORMAT (a key is wrong),
   UNSUPPORTED. */
lct_net_family_read lct_net_family_bloom, lct_net_family_cohere,
    lct_net_family_deberta, lct_net_family_deepseek_v2, lct_net_family_dinov2,
    lct_net_family_dinov3, lct_net_family_experts, lct_net_family_falcon,
    lct_net_family_gemma, lct_net_family_gemma3n, lct_net_family_gemma4,
    lct_net_family_gpt_oss, lct_net_family_granite, lct_net_family_linear_kimi,
    lct_net_family_linear_qwen, lct_net_family_modernbert, lct_net_family_mpt,
    lct_net_family_neox, lct_net_family_opt, lct_net_family_stablelm,
    lct_net_family_t5, lct_net_family_transfo_xl;
#endif
