/*
 * fuzz_study.c - any bytes as the file of a study: rejected with an error
 * message, or a study whose command and text can be used.  Memory of jansson is
 * not counted: its texts are released with free().
 */
#include "fuzz.h"
#include "measure/study.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const size_t gain = 1032; /* largest compression ratio of deflate */
    struct lct_study study;
    char *command;

    fuzz_begin();
    if (lct_study_read(&study, (const char *)data, size, "study") ==
        LOCANT_OK) {
        HOLDS(lct_study_command(&command, study.root, study.corpus != NULL) ==
              LOCANT_OK);
        if (study.corpus != NULL)
            HOLDS(lct_corpus_split(study.corpus, LCT_TEST)->size > 0);
        locant_release(command);
        lct_study_free(&study);
    } else {
        fuzz_sentence();
    }
    fuzz_end((gain + 64) * size + (1 << 20));
    return 0;
}
