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

/* What rows of the table call 'read'. */
locant_status lct_net_family_bloom(struct lct_net_switches *s,
                                   const struct lct_config *c);
locant_status lct_net_family_cohere(struct lct_net_switches *s,
                                    const struct lct_config *c);
locant_status lct_net_family_deepseek_v2(struct lct_net_switches *s,
                                         const struct lct_config *c);
locant_status lct_net_family_experts(struct lct_net_switches *s,
                                     const struct lct_config *c);
locant_status lct_net_family_falcon(struct lct_net_switches *s,
                                    const struct lct_config *c);
locant_status lct_net_family_gemma(struct lct_net_switches *s,
                                   const struct lct_config *c);
locant_status lct_net_family_gemma3n(struct lct_net_switches *s,
                                     const struct lct_config *c);
locant_status lct_net_family_gemma4(struct lct_net_switches *s,
                                    const struct lct_config *c);
locant_status lct_net_family_gpt_oss(struct lct_net_switches *s,
                                     const struct lct_config *c);
locant_status lct_net_family_granite(struct lct_net_switches *s,
                                     const struct lct_config *c);
locant_status lct_net_family_modernbert(struct lct_net_switches *s,
                                        const struct lct_config *c);
locant_status lct_net_family_mpt(struct lct_net_switches *s,
                                 const struct lct_config *c);
locant_status lct_net_family_neox(struct lct_net_switches *s,
                                  const struct lct_config *c);
locant_status lct_net_family_opt(struct lct_net_switches *s,
                                 const struct lct_config *c);
locant_status lct_net_family_deberta(struct lct_net_switches *s,
                                     const struct lct_config *c);
locant_status lct_net_family_dinov2(struct lct_net_switches *s,
                                    const struct lct_config *c);
locant_status lct_net_family_dinov3(struct lct_net_switches *s,
                                    const struct lct_config *c);
locant_status lct_net_family_transfo_xl(struct lct_net_switches *s,
                                        const struct lct_config *c);
locant_status lct_net_family_t5(struct lct_net_switches *s,
                                const struct lct_config *c);
locant_status lct_net_family_stablelm(struct lct_net_switches *s,
                                      const struct lct_config *c);
#endif
