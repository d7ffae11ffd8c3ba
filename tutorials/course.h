/* course.h - what the page shows of a row besides its run: what the document
   says, its Chinese, and the C and the Python of the row. */
#ifndef LOCANT_TUTORIALS_COURSE_H
#define LOCANT_TUTORIALS_COURSE_H

#include "run.h"

/* What the document says in the row, retold; 'title_zh' is the row's title. */
struct tutorial_claim {
    const char *id, *title_zh, *text, *text_zh;
};

/* The claim of the row; without one, a claim of empty texts. */
const struct tutorial_claim *tutorial_claim(const struct tutorial_row *row);
/* tutorial_document() in Chinese; a row's kind in Chinese. */
const char *tutorial_document_zh(const struct tutorial_row *row);
const char *tutorial_kind_zh(const char *kind);

/* A file of tutorials/ as the command was built from it.  The table is made by
   cmake/embed_text.cmake; its last path is NULL. */
struct tutorial_source {
    const char *path; /* "s0/order.c" */
    const char *text; /* 'size' bytes */
    size_t size;
};

extern const struct tutorial_source tutorial_sources[];

/* A part of a source; 'file' is NULL if there is none. */
struct tutorial_piece {
    const struct tutorial_source *file;
    const char *text;
    size_t size;
};

/* The function of the row, with the comment above it. */
struct tutorial_piece tutorial_c(const struct tutorial_row *row);
/* The lines of the row in s0/rows.py, from "# S0.1: .." on; the
   imports that all rows of the file share. */
struct tutorial_piece tutorial_python(const struct tutorial_row *row);
struct tutorial_piece tutorial_imports(const struct tutorial_row *row);

#endif /* LOCANT_TUTORIALS_COURSE_H */
