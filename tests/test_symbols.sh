#!/bin/sh
# What the libraries of a build export and import.
# usage: tests/test_symbols.sh BUILD    one line per check; exit 1 if one fails
build=${1:?usage: test_symbols.sh BUILD}
. "$(dirname "$0")/verdict.sh"

exported() {
    nm -D --defined-only "$1" | awk '{ print $NF }' | sed 's/@.*//'
}

# The libraries print nothing, read no environment, and end no process.
banned='abort|exit|_exit|quick_exit|printf|vprintf|puts|putchar|perror|getenv'
banned="$banned|secure_getenv|system|stdout|stderr|__printf_chk|__vprintf_chk"

for lib in liblocant liblocant_lab; do
    for kind in so a; do
        if [ ! -e "$build/$lib.$kind" ]; then
            verdict "$lib.$kind is built" "no such file"
        fi
    done
    verdict "$lib.so exports only locant_" \
        "$(exported "$build/$lib.so" | grep -v '^locant_')"
    verdict "$lib.so needs no internal symbol of another library" \
        "$(nm -D --undefined-only "$build/$lib.so" | awk '{ print $NF }' |
           grep '^lct_')"
    verdict "$lib.so is named by its minor version" \
        "$(readelf -d "$build/$lib.so" | grep SONAME |
           grep -v '\[[a-z_]*\.so\.0\.[0-9]*\]$')"
    verdict "$lib.a imports no abort, exit, printf, getenv" \
        "$(nm -A --undefined-only "$build/$lib.a" 2> /dev/null |
           awk '{ print $NF, $1 }' | sed 's/@[^ ]*//' | grep -E "^($banned) ")"
done

for file in "$build/liblocant.so" "$build/liblocant_lab.so" "$build/locant"; do
    [ -e "$file" ] || continue
    verdict "$(basename "$file") has no symbol of MPI" \
        "$(nm -D "$file" | awk '{ print $NF }' | grep -E '^P?MPI_|^mpi_')"
done
if [ -e "$build/liblocant_mpi.so" ]; then
    verdict 'liblocant_mpi.so exports only locant_' \
        "$(exported "$build/liblocant_mpi.so" | grep -v '^locant_')"
fi

objects=$(find "$build/src" "$build/bench" -path '*kernels_*.dir/*kernels.c.o')
verdict 'kernel objects were found' "$([ -n "$objects" ] || echo none)"
for object in $objects; do
    isa=$(echo "$object" | sed 's,.*/\([a-z0-9_]*\)\.dir/.*,\1,')
    verdict "$isa exports only its table" \
        "$(nm -g --defined-only "$object" | awk 'NR > 1 { print $NF }')"
done
exit $failed
