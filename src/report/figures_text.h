/* figures_text.h - the attention of a model on a text of the caller */
#ifndef LCT_FIGURES_TEXT_H
#define LCT_FIGURES_TEXT_H
#include "page.h"

/*
 * Pass the figure "attention" with the text of the view to 'taker': of the
 * model of a finished run, or of the untrained model of an encoding.
 * Errors: PARAM (the text; no such layer or head), UNSUPPORTED (a run of a
 * task, or with memory), and those of loading a run.
 */
locant_status lct_figures_text_of_run(const struct lct_taker *taker,
                                      locant_store *store, int64_t run,
                                      const locant_figure_view *view);
locant_status lct_figures_text_untrained(const struct lct_taker *taker,
                                         const locant_encoding *e,
                                         const locant_figure_view *view);
#endif
