/* list.c - the oracles, one for each line of encodings.def */
#include "oracle.h"

#define LCT_ENCODING(name) extern const struct oracle name##_oracle;
#include "../encodings/encodings.def"
#undef LCT_ENCODING

#define LCT_ENCODING(name) &name##_oracle,
const struct oracle *const oracle_all[] = {
#include "../encodings/encodings.def"
    NULL
};
