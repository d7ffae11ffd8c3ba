# The script of the page as a C array: D3, then our own files.
#
# cmake -DOUT=FILE.c -DFILES="A.js;B.js" -P embed.cmake
#
# Without files the array has no bytes in it, and the page no script.
set(TEXT)
foreach(file IN LISTS FILES)
  file(READ ${file} HEX_OF HEX)
  # "</script" and "<!--" would end or hide what follows in a page.
  file(STRINGS ${file} ENDS REGEX "</[sS][cC][rR][iI][pP][tT]|<!--")
  if(ENDS)
    message(FATAL_ERROR "${file} cannot stand in a page: ${ENDS}")
  endif()
  string(APPEND TEXT "${HEX_OF}")
endforeach()
string(LENGTH "${TEXT}" SIZE)
math(EXPR SIZE "${SIZE} / 2")
# ISO C has no array of length 0.
string(REGEX REPLACE "(..)" "0x\\1," BYTES "${TEXT}00")
string(REGEX REPLACE "(................................................................................)" "\\1\n"
       BYTES "${BYTES}")
file(WRITE ${OUT}.new "/* made by cmake/embed.cmake */
#include \"report/page_script.h\"
const unsigned char lct_page_bundle[] = {\n${BYTES}\n};
const size_t lct_page_bundle_size = ${SIZE};\n")
file(RENAME ${OUT}.new ${OUT})
