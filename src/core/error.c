/* error.c - status names, the version, and each thread's error message */
#include "error.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Fixed storage: reporting "out of memory" must not allocate.  The longest
   message has the names of all families and classes of models. */
static _Thread_local char last_error[3072];

locant_status locant_fail(locant_status status, const char *format, ...)
{
    char message[sizeof(last_error)]; /* an argument may be last_error */
    va_list args;

    va_start(args, format);
    vsnprintf(message, sizeof(message), format, args);
    va_end(args);
    memcpy(last_error, message, strlen(message) + 1);
    return status;
}

const char *locant_last_error(void)
{
    return last_error;
}

const char *locant_version(void)
{
    return LOCANT_VERSION_STRING;
}

const char *locant_status_name(locant_status status)
{
    static const char *const names[] = {
        [LOCANT_OK] = "LOCANT_OK",
        [LOCANT_ERR_NULL] = "LOCANT_ERR_NULL",
        [LOCANT_ERR_SHAPE] = "LOCANT_ERR_SHAPE",
        [LOCANT_ERR_DTYPE] = "LOCANT_ERR_DTYPE",
        [LOCANT_ERR_LAYOUT] = "LOCANT_ERR_LAYOUT",
        [LOCANT_ERR_PARAM] = "LOCANT_ERR_PARAM",
        [LOCANT_ERR_ALIAS] = "LOCANT_ERR_ALIAS",
        [LOCANT_ERR_UNSUPPORTED] = "LOCANT_ERR_UNSUPPORTED",
        [LOCANT_ERR_NOMEM] = "LOCANT_ERR_NOMEM",
        [LOCANT_ERR_IO] = "LOCANT_ERR_IO",
        [LOCANT_ERR_FORMAT] = "LOCANT_ERR_FORMAT",
        [LOCANT_ERR_INTERRUPTED] = "LOCANT_ERR_INTERRUPTED",
    };

    if ((size_t)status >= sizeof(names) / sizeof(names[0]))
        return "LOCANT_ERR_UNKNOWN";
    return names[status];
}
