# Kernels are compiled once for each instruction set, from the same source.
if(LOCANT_ONLY_ISAS)
  set(LOCANT_ISAS ${LOCANT_ONLY_ISAS})
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64|amd64")
  set(LOCANT_ISAS base avx2 avx512 avx512bf16)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
  set(LOCANT_ISAS neon)
else()
  set(LOCANT_ISAS base)
endif()
set(ISA_FLAGS_avx2 -mavx2 -mfma -mf16c)
set(ISA_FLAGS_avx512 -mavx512f -mavx512vl -mavx512dq -mavx512bw -mavx2 -mfma
    -mprefer-vector-width=512)
set(ISA_FLAGS_avx512bf16 ${ISA_FLAGS_avx512} -mavx512bf16)
string(TOUPPER "${LOCANT_ISAS}" HAVE_ISAS)
list(TRANSFORM HAVE_ISAS PREPEND LCT_HAVE_)

# What kernels change in locant_flags: they are linked to both in this order, since
# of two options that contradict each other the later one counts.
add_library(locant_kernel_flags INTERFACE)
target_link_libraries(locant_kernel_flags INTERFACE locant_flags)
target_compile_options(locant_kernel_flags INTERFACE -Wno-psabi
  $<$<CONFIG:Release>:${LOCANT_KERNEL_FLAGS}>)
# Blocks of registers are arrays until they are unrolled.  A check of each sum of
# pointers would take Clang minutes, and every access is checked.
if(LOCANT_SANITIZE)
  target_compile_options(locant_kernel_flags INTERFACE -O2 -g0
    -fno-sanitize=pointer-overflow)
endif()

# The object libraries NAME_ISA of 'source'.
function(locant_per_isa name source)
  foreach(isa ${LOCANT_ISAS})
    add_library(${name}_${isa} OBJECT ${source})
    target_link_libraries(${name}_${isa} PRIVATE locant_flags
                          locant_kernel_flags)
    target_compile_options(${name}_${isa} PRIVATE ${ISA_FLAGS_${isa}})
    target_compile_definitions(${name}_${isa} PRIVATE LCT_ISA=${isa})
  endforeach()
endfunction()

function(locant_link_isas target scope name)
  foreach(isa ${LOCANT_ISAS})
    target_sources(${target} ${scope} $<TARGET_OBJECTS:${name}_${isa}>)
  endforeach()
endfunction()
