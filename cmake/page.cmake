# The script of the page, PAGE_BUNDLE: D3 as Debian's node-d3 has it and our own
# files in order.  Without D3 the page is static; -DLOCANT_D3= asks for that.
# Of D3, only the modules that the page calls, where they lie beside it, each
# after those it needs: two fifths of the whole.
find_file(LOCANT_D3 d3.min.js PATH_SUFFIXES nodejs/d3/dist
          PATHS /usr/share /usr/local/share
          DOC "d3.min.js of D3 5 to 7; empty or not found: a static page")
set(PAGE_FILES)
if(LOCANT_D3)
  get_filename_component(modules ${LOCANT_D3}/../../.. ABSOLUTE)
  set(PAGE_D3)
  foreach(name array collection color interpolate path shape scale selection)
    set(module ${modules}/d3-${name}/dist/d3-${name}.min.js)
    if(NOT EXISTS ${module})
      set(PAGE_D3 ${LOCANT_D3})
      break()
    endif()
    list(APPEND PAGE_D3 ${module})
  endforeach()
  foreach(name notice words forms style views chart figure hover legend
          tools controls scale save table panels panels_terms panels_diff
          explore heads picks transpose stretch tiles narrow copy sections
          main)
    list(APPEND PAGE_FILES ${PROJECT_SOURCE_DIR}/src/page/${name}.js)
  endforeach()
  list(INSERT PAGE_FILES 1 ${PAGE_D3})
else()
  message(STATUS "No D3 (Debian: node-d3): pages will have no script")
endif()
set(PAGE_BUNDLE ${PROJECT_BINARY_DIR}/page_bundle.c)
add_custom_command(OUTPUT ${PAGE_BUNDLE} VERBATIM
  COMMAND ${CMAKE_COMMAND} -DOUT=${PAGE_BUNDLE} "-DFILES=${PAGE_FILES}"
          -P ${PROJECT_SOURCE_DIR}/cmake/embed.cmake
  DEPENDS ${PAGE_FILES} ${PROJECT_SOURCE_DIR}/cmake/embed.cmake)
