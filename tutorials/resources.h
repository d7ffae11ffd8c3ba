/* resources.h - what a row holds until it ends, and how it ends early. */
#ifndef LOCANT_TUTORIALS_RESOURCES_H
#define LOCANT_TUTORIALS_RESOURCES_H

#include "run.h"

/* Leave the row unless 'status' is LOCANT_OK. */
void must(locant_status status);
/* The error message of a call that must fail; leaves the row if it succeeds. */
const char *refusal(locant_status status);
/* Release 'what' when the row ends. */
void defer(void (*release)(void *), void *what);
/* Zeroed memory. */
void *memory(int64_t n, size_t size);
/* A new folder, which is removed with its contents when the row ends. */
const char *temporary_folder(void);

/* Release all of them. */
void release_all(struct tutorial *t);

#endif /* LOCANT_TUTORIALS_RESOURCES_H */
