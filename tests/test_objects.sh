#!/bin/sh
# Every program and shared library of a build, and those that it installs: where
# they look for libraries, and how a release build is hardened.
# usage: tests/test_objects.sh BUILD    one line per check; exit 1 if one fails
set -u
build=$(cd "${1:?usage: test_objects.sh BUILD}" && pwd) || exit 1
source=$(cd "$(dirname "$0")/.." && pwd) || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
. "$source/tests/verdict.sh"

cached() {
    sed -n "s/^$1:[A-Z]*=//p" "$build/CMakeCache.txt"
}

# CMake's probes of the compiler and the bare library are no part of the build.
objects() {
    find "$build" "$work" -path '*/CMakeFiles' -prune -o -type f \
        ! -name bare.so \( -perm -u+x -o -name '*.so*' \) -print0
}

# Lines "fact file ..".  An empty or relative folder would be searched in the
# user's current folder: a library there would run within the program.
facts() {
    objects | xargs -0 readelf -hldW --dyn-syms 2> "$work/errors" | awk '
        function report()
        {
            if (!elf) return
            print "object", file
            if (program && !pie) print "fixed", file
            if (!relro || !now) print "writable", file
            if (!guard) print "unguarded", file
            if (calls && !checked) print "unchecked", file
        }
        /^File: / { report()
                    file = substr($0, 7)
                    elf = program = pie = relro = now = 0
                    guard = calls = checked = 0 }
        /^ELF Header:/ { elf = 1 }
        /^ +INTERP/ { program = 1 }
        /^ +GNU_RELRO/ { relro = 1 }
        /\(NEEDED\)/ && file !~ /\/test_/ &&
        /lib(glib|gobject|pango|cairo|fontconfig|openblas|blas|lapack)/ {
            print "linked", file, $NF }
        /\(FLAGS(_1)?\)/ { now += / (BIND_)?NOW/; pie += / PIE/ }
        /\((RUNPATH|RPATH)\)/ {
            sub(/^[^[]*\[/, ""); sub(/\]$/, "")
            n = split($0, folder, ":")
            if (n == 0) print "folder", file, "\"\""
            for (i = 1; i <= n; i++)
                if (folder[i] !~ /^(\/|\$ORIGIN(\/|$))/)
                    print "folder", file, "\"" folder[i] "\""
        }
        $7 == "UND" && $8 ~ /^__stack_chk_fail/ { guard = 1; next }
        $7 == "UND" && $8 ~ /_chk(@|$)/ { checked = 1 }
        $7 == "UND" && $8 ~ /^(mem(cpy|move|set)|v?sn?printf)(@|$)/ { calls = 1 }
        END { report() }'
}

# The files with a fact.
files() {
    sed -n "s|^$1 ||p" "$work/facts"
}

cmake --install "$build" --prefix "$work/installed" > "$work/log" 2>&1 ||
    verdict 'the build can be installed' "$(cat "$work/log")"
facts > "$work/facts"
verdict 'objects were found, also installed ones' \
    "$(files object | grep -q '/installed/.*liblocant\.so' || echo none)"
verdict 'folders of libraries are absolute' "$(files folder)"
verdict 'graphics libraries and OpenBLAS are loaded only when needed' \
    "$(files linked)"

if [ "$(cached CMAKE_BUILD_TYPE)" != Release ] ||
    [ -n "$(cached LOCANT_SANITIZE)$(cached CMAKE_SYSTEM_NAME)" ]; then
    exit $failed
fi
verdict 'programs run at random addresses' "$(files fixed)"
verdict 'tables of foreign functions are read-only' "$(files writable)"
verdict 'return addresses are guarded' "$(files unguarded)"
verdict 'functions of the C library are the checked ones' "$(files unchecked)"

# Another project that adds this one keeps its own flags.
mkdir "$work/other"
cat > "$work/other/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.20)
project(other LANGUAGES C)
set(LOCANT_LAB OFF)
add_subdirectory($source locant)
file(WRITE \${CMAKE_BINARY_DIR}/main.c "int main(void) { return 0; }\n")
add_executable(other \${CMAKE_BINARY_DIR}/main.c)
END
# The probes need not run again.
sed -n 's/^LOCANT_HAS_[A-Z0-9_]*:INTERNAL=.*/-D&/p' "$build/CMakeCache.txt" |
    xargs cmake -G 'Unix Makefiles' -S "$work/other" -B "$work/other/build" \
        -DCMAKE_BUILD_TYPE=Release > "$work/log" 2>&1
flags=$(cd "$work/other/build/CMakeFiles/other.dir" 2> /dev/null &&
        cat flags.make link.txt)
verdict 'a project that adds this one is built by its own flags' \
    "$(case $flags in
       *FORTIFY* | *protector* | *relro* | *-pie*) echo "$flags" ;;
       '') cat "$work/log" ;;
       esac)"
exit $failed
