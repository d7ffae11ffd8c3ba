/* store_records.h - records that tests and fuzz targets put into a store */
#ifndef STORE_RECORDS_H
#define STORE_RECORDS_H
#include "store/store.h"
#include "locant/tasks.h"

#define SMALL_MODEL "layers=1,width=8,heads=2,kv_heads=2,ff=8,norm=layer"

/* Half of ten items of T1, solved at length 128. */
static inline struct lct_task_score score_of_run(int64_t run)
{
    return (struct lct_task_score){ .run = run,
                                    .encoding = "",
                                    .test_seed = 1,
                                    .score = { .task = "T1",
                                               .setting = "",
                                               .length = 128,
                                               .place = -1,
                                               .items = 10,
                                               .exact = 5,
                                               .tokens = 10,
                                               .hits = 7,
                                               .loss = 1 } };
}
#endif
