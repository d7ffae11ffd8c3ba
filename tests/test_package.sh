#!/bin/sh
# Another project uses the installed libraries, by find_package() and by pkg-config.
# usage: tests/test_package.sh BUILD    one line per check; exit 1 if one fails
set -u
build=$(cd "${1:?usage: test_package.sh BUILD}" && pwd) || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$(dirname "$0")/.." || exit 1
. tests/verdict.sh

cat > "$work/core.c" <<END
#include <locant.h>
#include <stdio.h>
#include <string.h>
int main(void)
{
    puts(locant_version());
    return strcmp(locant_version(), LOCANT_VERSION_STRING) != 0;
}
END
cat > "$work/lab.c" <<END
#include <locant/statistics.h>
int main(void)
{
    return locant_flip_seeds(7, 0.05) != 9;
}
END

# project NAME LINE...: builds and runs a project whose CMakeLists.txt has these
# lines and links the programs to the targets that TARGETS names, one each
project() {
    name=$1
    shift
    mkdir "$work/$name"
    {
        echo 'cmake_minimum_required(VERSION 3.20)'
        echo 'project(other LANGUAGES C)'
        printf '%s\n' "$@"
        for target in $TARGETS; do
            program=$(echo "$target" | tr : _)
            case $target in
            *lab*) main=lab ;;
            *) main=core ;;
            esac
            echo "add_executable($program $work/$main.c)"
            echo "target_link_libraries($program PRIVATE $target)"
        done
    } > "$work/$name/CMakeLists.txt"
    cmake -G 'Unix Makefiles' -S "$work/$name" -B "$work/$name/build" \
        -DCMAKE_PREFIX_PATH="$work/installed" &&
        cmake --build "$work/$name/build" || return
    for target in $TARGETS; do
        "$work/$name/build/$(echo "$target" | tr : _)" || return
    done
}

by_pkg_config() {
    module=$1 program=$work/$2
    folder=$(dirname "$(find "$work/installed" -name locant.pc)")
    flags=$(PKG_CONFIG_PATH=$folder pkg-config --cflags --libs \
            --define-variable=prefix="$work/installed" "$module") &&
        cc -o "$program" "$program.c" $flags &&
        LD_LIBRARY_PATH=$(dirname "$folder") "$program"
}

cmake --install "$build" --prefix "$work/installed" > /dev/null || exit 1
TARGETS='locant::locant locant::locant_static'
lab=
if [ -f "$work/installed/include/locant/lab.h" ]; then
    lab=locant_lab
    TARGETS="$TARGETS locant::lab locant::lab_static"
fi
succeeds 'find_package() finds the libraries' \
    project found 'find_package(locant REQUIRED)'
succeeds 'pkg-config finds liblocant' by_pkg_config locant core
if [ -n "$lab" ]; then
    succeeds 'pkg-config finds liblocant_lab' by_pkg_config locant_lab lab
fi
headers_installed() {
    for header in $(cd include/locant && ls); do
        [ -n "$lab" ] || grep -q "locant/$header" include/locant.h || continue
        [ $header != mpi.h ] || [ -n "$(find "$work/installed" -name \
            'liblocant_mpi*')" ] || continue # a build without MPI
        [ -f "$work/installed/include/locant/$header" ] || {
            echo "$header is not installed"
            return 1
        }
    done
}
succeeds 'every header is installed' headers_installed
TARGETS=
newer_refused() {
    ! project newer 'find_package(locant 0.99 REQUIRED)' > "$work/newer.log" 2>&1 &&
        grep -q 'requested version .0\.99' "$work/newer.log"
}
succeeds 'a newer version is not found' newer_refused
exit $failed
