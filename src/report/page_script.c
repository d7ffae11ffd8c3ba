/* page_script.c - the script of the page and its data */
#include "page_script.h"
#include "../corpus/corpus.h"
#include "../files/sha256.h"
#include "page.h"
#include <inttypes.h>

void lct_page_policy(struct lct_html *h)
{
    uint8_t digest[32];

    if (lct_page_bundle_size == 0)
        return;
    lct_sha256(digest, lct_page_bundle, lct_page_bundle_size);
    lct_html_raw(h, "script-src 'sha256-");
    lct_html_base64(h, digest, sizeof digest);
    lct_html_raw(h, "'; ");
}

void lct_page_script(struct lct_html *h, const struct lct_results *r)
{
    if (lct_page_bundle_size == 0 || !h->figures)
        return;
    lct_html_print(
        h,
        "<script type=\"application/json\" id=\"locant\">{\"trained\":%" PRId64
        ",\"width\":%" PRId64 ",\"heads\":%" PRId64 ",\"figures\":[\n",
        r->trained_length, r->width, r->heads);
    h->failed |= h->figures->failed;
    if (!h->figures->failed && h->figures->size)
        lct_html_append(h, h->figures->data, h->figures->size);
    lct_html_raw(h, "],\n");
    lct_page_maps_data(h, r);
    lct_html_raw(h, "}</script>\n<script>");
    lct_html_append(h, (const char *)lct_page_bundle, lct_page_bundle_size);
    lct_html_raw(h, "</script>\n");
}
