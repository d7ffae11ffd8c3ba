/* page_studies.h - the page that compares two studies */
#ifndef LCT_PAGE_STUDIES_H
#define LCT_PAGE_STUDIES_H
#include "../core/error.h"

struct json_t;

/* Write the page of the numbers of lct_study_compare() durably to 'path'. */
locant_status lct_page_studies_write(const char *path,
                                     const struct json_t *numbers);
#endif
