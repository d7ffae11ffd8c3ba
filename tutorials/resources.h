/* resources.h - releases what a row holds; leaves a row early. */
#ifndef LOCANT_TUTORIALS_RESOURCES_H
#define LOCANT_TUTORIALS_RESOURCES_H

#include "run.h"

/* Leave the row unless 'status' is LOCANT_OK. */
void must(locant_status status);
/* The error message of a call that must fail; leaves the row if it did not. */
const char *refusal(locant_status status);
/* Call release(what) when the row ends. */
void defer(void (*release)(void *), void *what);
/* Zeroed memory for n elements of 'size' bytes. */
void *memory(int64_t n, size_t size);
/* "a, b": the names, joined by commas. */
const char *joined(const char *const *names, int n);
/* A new folder, which is removed with its contents when the row ends. */
const char *temporary_folder(void);

/* Release everything that the row holds. */
void release_all(struct tutorial *t);

#endif /* LOCANT_TUTORIALS_RESOURCES_H */
