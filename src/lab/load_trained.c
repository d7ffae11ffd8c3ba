/* load_trained.c - the model of a finished run, ready to be asked */
#include "run.h"

int64_t lct_memory_rows(int64_t length, int64_t room)
{
    return length < room ? room / length : 1;
}

locant_status lct_load_trained(struct lct_model **model,
                               locant_encoding **encoding, locant_store *store,
                               const locant_run_info *run, int64_t room)
{
    struct lct_run_extra extra;
    struct lct_checkpoint c = {.key = extra.key};
    struct lct_model_config config;
    locant_status status;
    char *path;

    LCT_TRY(lct_store_run_extra(&extra, store, run->id));
    LCT_TRY(lct_model_parse(&config, run->model));
    LCT_TRY(locant_encoding_create(encoding, run->encoding));
    config.encoding = *encoding;
    if (config.memory > 0)
        LCT_TRY(lct_model_create(model, &config,
                                 lct_memory_rows(run->length, room),
                                 run->length, false));
    else
        LCT_TRY(lct_model_create(model, &config, 1, room, false));
    LCT_TRY(lct_store_run_path(&path, store, run->id, "safetensors"));
    status = lct_checkpoint_read(&c, *model, path);
    locant_release(path);
    return status;
}
