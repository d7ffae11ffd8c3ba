/*
 * fuzz_sections.c - any text that a store may hold for a report's long jobs:
 * rejected with an error message, or drawn by every figure that reads it.
 */
#define _GNU_SOURCE
#include "../tests/store_records.h"
#include "fuzz.h"
#include "store/store.h"
#include "locant/figure.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[64], database[80], wal[88], shm[88];
static locant_store *store;
static int64_t run;

static void remove_store(void)
{
    locant_store_close(store);
    unlink(wal);
    unlink(shm);
    unlink(database);
    rmdir(folder);
}

/* One store with one run for all inputs; it need not be durable. */
static void open_store(void)
{
    static const struct lct_run_new alibi = { .key = "fuzz",
                                              .encoding = "alibi",
                                              .model = SMALL_MODEL,
                                              .corpus_sha256 = "00ff",
                                              .steps = 1,
                                              .batch = 1,
                                              .length = 4 };

    snprintf(folder, sizeof folder, "fuzz_sections.%ld", (long)getpid());
    snprintf(database, sizeof database, "%s/runs.db", folder);
    snprintf(wal, sizeof wal, "%s-wal", database);
    snprintf(shm, sizeof shm, "%s-shm", database);
    HOLDS(locant_store_open(&store, folder) == LOCANT_OK);
    atexit(remove_store);
    HOLDS(lct_store_find_or_add_run(&run, store, &alibi) == LOCANT_OK);
    HOLDS(sqlite3_exec(store->db, "PRAGMA synchronous = OFF", NULL, NULL,
                       NULL) == SQLITE_OK);
}

static locant_status visit(const locant_figure *f, const char *alt,
                           const char *caption, void *context)
{
    (void)f;
    (void)context;
    HOLDS(alt != NULL && caption != NULL);
    return LOCANT_OK;
}

static void draw_all(void)
{
    const locant_figure_view view = LOCANT_FIGURE_VIEW_INIT;
    const locant_figure_info *info;

    for (int i = 0; (info = locant_figure_at(i)) != NULL; i++)
        if (strcmp(info->of, "report") == 0 &&
            locant_figure_of_runs(info->name, store, &run, 1, &view, visit,
                                  NULL) != LOCANT_OK)
            fuzz_sentence();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size);

    if (store == NULL)
        open_store();
    /* the same text as either section: figures reject that of the other */
    HOLDS(lct_store_keep_probe(store, run, "section", "surface", text) ==
          LOCANT_OK);
    HOLDS(lct_store_keep_probe(store, run, "section", "extension", text) ==
          LOCANT_OK);
    draw_all();
    free(text);
    return 0;
}
