/* convert_gguf_put.h - keys "ARCHITECTURE.name" of a GGUF file */
#ifndef LCT_CONVERT_GGUF_PUT_H
#define LCT_CONVERT_GGUF_PUT_H
#include "convert_gguf.h"

enum { LCT_CONVERT_GGUF_KEY = 96 };

/* out = the whole name of a key. */
const char *lct_convert_gguf_put_name(char out[LCT_CONVERT_GGUF_KEY],
                                      const struct lct_convert_gguf_keys *k,
                                      const char *name);

/* A number of 32 bits; another one is k->large. */
void lct_convert_gguf_put_whole(struct lct_convert_gguf_keys *k,
                                const char *name, int64_t value);
void lct_convert_gguf_put_real(struct lct_convert_gguf_keys *k,
                               const char *name, double value);
void lct_convert_gguf_put_bool(struct lct_convert_gguf_keys *k,
                               const char *name, bool value);
#endif
