/* npy_write.c - write arrays as .npy files of version 1.0, as NumPy does */
#include "dense.h"
#include "io.h"
#include "locant/files.h"
#include "npy.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The preamble is padded to a multiple of ALIGN, so that mapped data is
   aligned.  It is at most PREAMBLE bytes. */
enum { ALIGN = 64, PREAMBLE = 256 };

static const char *const codes[] = {
    [LOCANT_F32] = "f4", [LOCANT_F64] = "f8", [LOCANT_F16] = "f2",
    [LOCANT_I32] = "i4", [LOCANT_I64] = "i8", [LOCANT_BF16] = "V2",
};

/* Write magic, version, length and header.  Six sizes of 19 digits and 77 other
   bytes fit PREAMBLE. */
static size_t preamble(char out[PREAMBLE], const locant_tensor *t)
{
    size_t used = 10, total;

    used += (size_t)snprintf(out + used, PREAMBLE - used,
                             "{'descr': '%c%s', "
                             "'fortran_order': False, 'shape': (",
                             lct_npy_native(), codes[t->dtype]);
    for (int i = 0; i < t->rank; i++)
        used += (size_t)snprintf(out + used, PREAMBLE - used, "%s%" PRId64 "%s",
                                 i > 0 ? ", " : "", t->shape[i],
                                 t->rank == 1 ? "," : "");
    used += (size_t)snprintf(out + used, PREAMBLE - used, "), }");
    total = (used + 1 + ALIGN - 1) / ALIGN * ALIGN;
    memset(out + used, ' ', total - used - 1);
    out[total - 1] = '\n';
    memcpy(out, "\x93NUMPY\x01\x00", 8);
    out[8] = (char)((total - 10) & 0xff);
    out[9] = (char)((total - 10) >> 8);
    return total;
}

locant_status locant_npy_write(const char *path, const locant_tensor *t)
{
    char head[PREAMBLE];
    struct lct_piece pieces[2];
    size_t bytes;

    LCT_NOT_NULL("locant_npy_write", path);
    LCT_NOT_NULL("locant_npy_write", t);
    LCT_TRY(lct_dense_bytes(&bytes, "locant_npy_write", "t", t));
    pieces[0].data = head;
    pieces[0].size = preamble(head, t);
    pieces[1].data = t->data;
    pieces[1].size = bytes;
    return lct_write_file(path, pieces, 2);
}
