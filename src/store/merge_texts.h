/* merge_texts.h - the kept texts of a store that go to another */
#ifndef LCT_MERGE_TEXTS_H
#define LCT_MERGE_TEXTS_H
#include "store.h"

/* Add the kept texts and the recipes of 'from' to 'to'. What 'to' has stays. */
locant_status lct_merge_texts(locant_store *to, locant_store *from);
#endif
