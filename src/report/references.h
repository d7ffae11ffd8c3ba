/* references.h - the works that encodings are from, for BibTeX */
#ifndef LCT_REFERENCES_H
#define LCT_REFERENCES_H
#include "../core/error.h"
#include <stdbool.h>
#include <stddef.h>

/* A cited work, found in the 'source' of a row of the registry. */
struct lct_work {
    char key[64];      /* of BibTeX: "arXiv:2104.09864" */
    char arxiv[16];    /* id without version; "": none */
    char url[128];     /* without "https://"; "": none */
    char authors[512]; /* as BibTeX has them; "": not known */
    char title[256];   /* "": not known */
    char year[8];      /* "": not known */
};

/* Any encoding may cite so many works; further ones are left out. */
enum { LCT_WORKS = 64 };

struct lct_works {
    struct lct_work at[LCT_WORKS];
    size_t n;
};

/*
 * Append the works of the text of a source, such as "Su et al. 2021,
 * arXiv:2104.09864v5, eq. (34); ..", that are not in 'works' yet.  Authors and
 * title are those of references.def or, without a row there, as in the text.
 */
void lct_references_add(struct lct_works *works, const char *source);

/* Append the works of an encoding, of its parts, and of the encodings in its
   keys, such as rope's scaling. */
locant_status lct_references_of(struct lct_works *works, const char *spec);
#endif
