/* plan_vision.h - plans of image encoders; functions of struct lct_family */
#ifndef LCT_PLAN_VISION_H
#define LCT_PLAN_VISION_H
#include "family.h"

/* ViT, DINOv2, CLIP, SigLIP: a learned table over patches. */
lct_plan_fn lct_plan_vision_vit;
lct_plan_fn lct_plan_vision_dinov3;
lct_plan_fn lct_plan_vision_pixtral;
/* Swin and Swin v2. */
lct_plan_fn lct_plan_vision_swin;
/* Towers of Qwen2-VL, 2.5-VL and 3-VL. */
lct_plan_fn lct_plan_vision_qwen2;
lct_plan_fn lct_plan_vision_qwen2_5;
lct_plan_fn lct_plan_vision_qwen3;
#endif
