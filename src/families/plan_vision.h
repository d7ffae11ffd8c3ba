/* plan_vision.h - plans of image encoders; functions of struct lct_family */
#ifndef LCT_PLAN_VISION_H
#define LCT_PLAN_VISION_H
#include "family.h"

/* ViT, DINOv2, CLIP, SigLIP: a learned table over patches. */
locant_status lct_plan_vision_vit(struct lct_position_plan *p,
                                  const struct lct_config *c);
locant_status lct_plan_vision_dinov3(struct lct_position_plan *p,
                                     const struct lct_config *c);
locant_status lct_plan_vision_pixtral(struct lct_position_plan *p,
                                      const struct lct_config *c);
/* Swin and Swin v2. */
locant_status lct_plan_vision_swin(struct lct_position_plan *p,
                                   const struct lct_config *c);
/* Towers of Qwen2-VL, 2.5-VL and 3-VL. */
locant_status lct_plan_vision_qwen2(struct lct_position_plan *p,
                                    const struct lct_config *c);
locant_status lct_plan_vision_qwen2_5(struct lct_position_plan *p,
                                      const struct lct_config *c);
locant_status lct_plan_vision_qwen3(struct lct_position_plan *p,
                                    const struct lct_config *c);
#endif
