/* norm.h - the kinds of normalisation */
#ifndef LCT_NORM_H
#define LCT_NORM_H

enum lct_norm { LCT_LAYER_NORM = 0, LCT_RMS_NORM = 1 };

#endif
