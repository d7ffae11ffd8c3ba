# How this project's own code is compiled: targets link locant_flags, and what is
# no kernel links locant_hardened instead, which is more.  Nothing here reaches a
# project that adds this one.

# No -ffast-math and no contraction: every instruction set must round alike
# (STYLE K4, K7).
set(LOCANT_CODE_FLAGS -ffp-contract=off -fno-math-errno)
if(LOCANT_SANITIZE)
  list(APPEND LOCANT_CODE_FLAGS -fsanitize=${LOCANT_SANITIZE}
       -fno-omit-frame-pointer -fno-sanitize-recover=all -g1)
endif()

add_library(locant_flags INTERFACE)
target_compile_options(locant_flags INTERFACE ${LOCANT_CODE_FLAGS}
  -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes -Wmissing-prototypes
  -Wvla -Wundef $<$<BOOL:${LOCANT_WERROR}>:-Werror>)
target_include_directories(locant_flags INTERFACE ${PROJECT_SOURCE_DIR}/include)
if(LOCANT_SANITIZE)
  target_link_options(locant_flags INTERFACE -fsanitize=${LOCANT_SANITIZE})
endif()

add_library(locant_hardened INTERFACE)
target_link_libraries(locant_hardened INTERFACE locant_flags)
# The kernels' own: what the compiler would add unasked.
set(LOCANT_KERNEL_FLAGS)
if(NOT LOCANT_SANITIZE)
  include(cmake/harden.cmake)
endif()

# What doctor, bench and runs say of the build: the options that change code.
string(TOUPPER "${CMAKE_BUILD_TYPE}" KIND)
string(JOIN " " LOCANT_FLAGS ${CMAKE_C_FLAGS} ${CMAKE_C_FLAGS_${KIND}}
       ${LOCANT_HARDENING} ${LOCANT_CODE_FLAGS})
string(REGEX REPLACE "[\"\\]" "" LOCANT_FLAGS "${LOCANT_FLAGS}")

# The commit they name; empty where there is no repository.
execute_process(COMMAND git -C ${PROJECT_SOURCE_DIR} describe --always --dirty
  OUTPUT_VARIABLE LOCANT_COMMIT OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
