/* merge_checkpoint.c - see merge_checkpoint.h */
#define _GNU_SOURCE
#include "merge_checkpoint.h"
#include "../files/io.h"
#include "../files/tensors.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static locant_status refuse_checkpoint(const char *path, const char *what)
{
    return locant_fail(LOCANT_ERR_FORMAT,
                       "%s: %s; nothing of its run is merged", path, what);
}

/* Whether the step in the file fits what the store says of the run. */
static locant_status check_step(const struct lct_merge_side *run,
                                const char *step, const char *path)
{
    char want[32];

    snprintf(want, sizeof want, "%" PRId64, run->steps);
    if (step == NULL)
        return refuse_checkpoint(path, "has no step");
    if (run->done && strcmp(step, want) != 0)
        return refuse_checkpoint(path, "is not of the last step of its run");
    return LOCANT_OK;
}

static locant_status check_header(const struct lct_merge_side *run,
                                  const char *key, const char *path)
{
    const struct lct_map *file = &run->checkpoint;
    locant_tensors *header = locant_alloc(sizeof *header);
    const char *of;
    size_t size = 0;
    locant_status status;

    if (header == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "%s: no memory to read it", path);
    status = lct_tensors_frame(&size, path, file->bytes, file->size);
    if (status == LOCANT_OK)
        status = lct_tensors_header(header, path, (const char *)file->bytes + 8,
                                    size, file->size - 8 - size);
    of = locant_tensors_metadata(header, "run");
    if (status == LOCANT_OK && (of == NULL || strcmp(of, key) != 0))
        status = refuse_checkpoint(path, "belongs to another run");
    if (status == LOCANT_OK)
        status = check_step(run, locant_tensors_metadata(header, "step"), path);
    locant_tensors_free(header);
    return status;
}

/* Map the checkpoint of a run, if there is one. */
locant_status lct_merge_checkpoint_map(struct lct_merge_side *run,
                                       const locant_store *s)
{
    locant_status status = LOCANT_OK;
    char *path;

    LCT_TRY(lct_store_run_path(&path, s, run->id, "safetensors"));
    if (access(path, F_OK) == 0)
        status = lct_map_open(&run->checkpoint, path);
    locant_release(path);
    return status;
}

locant_status lct_merge_checkpoint_check(const struct lct_merge_side *run,
                                         const char *key, const locant_store *s)
{
    locant_status status = LOCANT_OK;
    char *path;

    LCT_TRY(lct_store_run_path(&path, s, run->id, "safetensors"));
    if (run->checkpoint.size > 0)
        status = check_header(run, key, path);
    locant_release(path);
    return status;
}

locant_status lct_merge_checkpoint_write(const locant_store *s, int64_t id,
                                         const struct lct_map *file)
{
    const struct lct_piece piece = { file->bytes, file->size };
    locant_status status;
    char *path;

    if (file->size == 0)
        return LOCANT_OK;
    LCT_TRY(lct_store_run_path(&path, s, id, "safetensors"));
    status = lct_write_file(path, &piece, 1);
    locant_release(path);
    return status;
}

bool lct_merge_checkpoint_exists(const locant_store *s, int64_t id)
{
    bool there = false;
    char *path;

    if (lct_store_run_path(&path, s, id, "safetensors") == LOCANT_OK) {
        there = access(path, F_OK) == 0;
        locant_release(path);
    }
    return there;
}
