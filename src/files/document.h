/*
 * document.h - a JSON object from a stranger's file, read whole
 *
 * The memory that it takes is bounded: jansson's tree of "[],[],.." has sixty
 * times the size of its text.  A name that is there twice is refused, since
 * programs disagree on which one counts.  Infinity and NaN, which Python
 * writes and JSON does not know, become null.
 */
#ifndef LCT_DOCUMENT_H
#define LCT_DOCUMENT_H
#include "../core/error.h"
#include <jansson.h>

enum { LCT_DOCUMENT_MAX = 64 << 20 /* bytes of text */ };

/*
 * Errors: FORMAT ("NAME: line 3, column 7: .."; no object; more than
 * 'containers' objects and arrays), NOMEM.  *out is NULL after a failure.
 */
locant_status lct_document_parse(json_t **out, const char *text, size_t n,
                                 const char *name, size_t containers);

/* The same of a file.  Errors: IO too. */
locant_status lct_document_read(json_t **out, const char *path,
                                size_t containers);

/*
 * *out [*size unless NULL] = the text of a value, by the flags of jansson, to
 * be released with locant_release(); the value is released here.  Errors:
 * NOMEM, also of NULL, shown with 'fn'.
 */
locant_status lct_document_text(char **out, size_t *size, json_t *value,
                                size_t flags, const char *fn);
#endif
