# Files of tutorials/ as a table of C arrays, for tutorials/course.h.
#
# cmake -DOUT=FILE.c -DFOLDER=DIR -DFILES="A.c;B.py" -P embed_text.cmake
#
# FILES are relative to FOLDER.
set(ARRAYS)
set(TABLE)
set(N 0)
foreach(file IN LISTS FILES)
  file(READ ${FOLDER}/${file} HEX_OF HEX)
  string(LENGTH "${HEX_OF}" SIZE)
  math(EXPR SIZE "${SIZE} / 2")
  string(REGEX REPLACE "(..)" "'\\\\x\\1'," BYTES "${HEX_OF}")
  string(APPEND ARRAYS "static const char file_${N}[] = {\n${BYTES}\n0 };\n")
  string(APPEND TABLE "{ \"${file}\", file_${N}, ${SIZE} },\n")
  math(EXPR N "${N} + 1")
endforeach()
file(WRITE ${OUT}.new "/* made by cmake/embed_text.cmake */
#include \"tutorials/course.h\"
${ARRAYS}
const struct tutorial_source tutorial_sources[] = {
${TABLE}{ 0 } };\n")
file(RENAME ${OUT}.new ${OUT})
