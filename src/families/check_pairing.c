/* check_pairing.c - how the weights of q and k are paired */
#include "check.h"
#include "check_gguf.h"

enum lct_recorded_pairing lct_check_recorded(const struct lct_check *k)
{
    return k->weights ? k->config->pairing : LCT_PAIRING_UNSAID;
}

enum lct_recorded_pairing lct_check_readers(const struct lct_check *k)
{
    const struct lct_gguf_arch *arch =
        lct_check_is_gguf(k) ? lct_check_gguf_arch(k->type) : NULL;

    if (arch ? arch->interleaved
             : lct_check_class_has(k, LCT_CLASS_INTERLEAVED))
        return LCT_PAIRING_INTERLEAVED;
    return arch || lct_check_class_has(k, LCT_CLASS_HALF) ||
                   lct_check_class_has(k, LCT_CLASS_PERMUTED)
               ? LCT_PAIRING_HALF
               : LCT_PAIRING_UNSAID;
}

const char *lct_check_pairing(enum lct_recorded_pairing p)
{
    return p == LCT_PAIRING_INTERLEAVED ? "interleaved" : "half";
}
