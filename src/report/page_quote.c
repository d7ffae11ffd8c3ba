/* page_quote.c - the statement of reproducibility, to be copied into a paper */
#include "page.h"
#include "html_message.h"
#include "statement.h"

static locant_status put_statement(struct lct_html *h,
                                   const struct lct_results *r,
                                   enum lct_language language)
{
    struct lct_html text = { .data = NULL };
    char *plain;
    size_t size;

    lct_statement(&text, r, language);
    LCT_TRY(lct_html_finish(&plain, &size, &text, LOCANT_OK));
    lct_html_message_open(h, language);
    lct_html_text(h, plain);
    lct_html_message_close(h);
    locant_release(plain);
    return LOCANT_OK;
}

locant_status lct_page_quote(struct lct_html *h, const struct lct_results *r)
{
    const char *const text[] = { "locant report --export FOLDER" };

    lct_html_raw(h, "<p>");
    lct_html_message_values(h, r, MSG_QUOTE_LEAD, text);
    /* the script adds a button that copies what data-copy marks */
    lct_html_raw(h, "</p>\n<p class=\"card fact\" data-copy>");
    LCT_TRY(put_statement(h, r, LCT_EN));
    LCT_TRY(put_statement(h, r, LCT_ZH));
    lct_html_raw(h, "</p>\n");
    return lct_html_status(h);
}
