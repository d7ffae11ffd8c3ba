# What liblocant_lab needs.  A wheel has what the machine that builds it can
# build; everybody else is told what is missing.
if(SKBUILD)
  if(PKG_CONFIG_FOUND)
    pkg_check_modules(LAB_NEEDS jansson sqlite3 zlib openblas pangocairo cairo)
  endif()
  if(NOT LAB_NEEDS_FOUND)
    set(LOCANT_LAB OFF)
    return()
  endif()
endif()
foreach(package jansson sqlite3 zlib openblas)
  string(TOUPPER ${package} prefix)
  pkg_check_modules(${prefix} REQUIRED IMPORTED_TARGET ${package})
endforeach()
pkg_check_modules(CAIRO REQUIRED pangocairo cairo)
set(LAB_DEPS PkgConfig::JANSSON PkgConfig::SQLITE3 PkgConfig::ZLIB
    ${CMAKE_DL_LIBS})
# cairo, pango and OpenBLAS are loaded when they are needed: the build uses the
# headers of the first two, and the place of the last.
list(GET OPENBLAS_LINK_LIBRARIES 0 LOCANT_OPENBLAS)
get_filename_component(LOCANT_OPENBLAS ${LOCANT_OPENBLAS} DIRECTORY)
string(APPEND LOCANT_OPENBLAS /libopenblas.so.0)
set(LOCANT_DEPENDENCIES "jansson ${JANSSON_VERSION}, SQLite \
${SQLITE3_VERSION}, zlib ${ZLIB_VERSION}, and when needed OpenBLAS \
${OPENBLAS_VERSION}, cairo ${CAIRO_cairo_VERSION}, pango \
${CAIRO_pangocairo_VERSION}")
