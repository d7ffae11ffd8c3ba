# Hardening of release builds: a guard in front of the return address of
# functions with arrays, the checked forms of the C library's functions, programs
# that run at random addresses, and a table of foreign functions that is complete
# and read-only before main().  What the compiler, the C library or the linker
# does not know is left out.
include(CheckCCompilerFlag)
include(CheckCSourceCompiles)
include(CheckLinkerFlag)

# Kernels do arithmetic on sizes that were checked before, often for some
# nanoseconds: their machine code stays what it is without all this.
set(LOCANT_HARDENING)
check_c_compiler_flag(-fstack-protector-strong LOCANT_HAS_STACK_PROTECTOR)
if(LOCANT_HAS_STACK_PROTECTOR)
  set(LOCANT_HARDENING -fstack-protector-strong)
  set(LOCANT_KERNEL_FLAGS -fno-stack-protector)
endif()
# A C library that does not know the level says so in a warning.  The compiler
# may have a level of its own set, and -D alone would redefine it.
foreach(level 3 2)
  set(FORTIFY "-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=${level}")
  set(CMAKE_REQUIRED_FLAGS "-O2 -Werror ${FORTIFY}")
  check_c_source_compiles("#include <string.h>
int main(void) { return 0; }" LOCANT_HAS_FORTIFY_${level})
  if(LOCANT_HAS_FORTIFY_${level})
    list(APPEND LOCANT_HARDENING ${FORTIFY})
    list(APPEND LOCANT_KERNEL_FLAGS -U_FORTIFY_SOURCE)
    break()
  endif()
endforeach()
set(CMAKE_REQUIRED_FLAGS -fPIE)
check_linker_flag(C -pie LOCANT_HAS_PIE)
unset(CMAKE_REQUIRED_FLAGS)
check_linker_flag(C -Wl,-z,relro,-z,now LOCANT_HAS_RELRO)
check_linker_flag(C -Wl,-z,defs LOCANT_HAS_DEFS)

string(JOIN " " options ${LOCANT_HARDENING})
target_compile_options(locant_hardened INTERFACE
  "$<$<CONFIG:Release>:SHELL:${options}>")
if(LOCANT_HAS_RELRO)
  target_link_options(locant_hardened INTERFACE
    "$<$<CONFIG:Release>:LINKER:-z,relro,-z,now>")
endif()
# Together with -static it would link a program that does not run.
if(LOCANT_HAS_PIE AND NOT CMAKE_EXE_LINKER_FLAGS MATCHES "-static")
  set(program $<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>)
  target_link_options(locant_hardened INTERFACE
    $<$<AND:$<CONFIG:Release>,${program}>:-pie>)
endif()
# A library that uses a function nobody exports does not link.  (A sanitizer's
# functions are in the program.)
if(LOCANT_HAS_DEFS AND NOT LOCANT_SANITIZE)
  set(shared $<STREQUAL:$<TARGET_PROPERTY:TYPE>,SHARED_LIBRARY>)
  target_link_options(locant_hardened INTERFACE
    $<${shared}:LINKER:-z,defs>)
endif()
