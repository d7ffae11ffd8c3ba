#!/bin/sh
# Every public header compiles alone, as C and as C++, and so do its macros.
# usage: tests/test_headers.sh          one line per check; exit 1 if one fails
. "$(dirname "$0")/verdict.sh"
root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root/include" || exit 1
warnings='-Wall -Wextra -Wpedantic -Wundef -Werror'

# compile TEXT COMPILER...: checks the syntax of the text
compile() {
    text=$1
    shift
    echo "$text" | "$@" -I. -fsyntax-only $warnings -
}

for header in locant.h locant/*.h; do
    succeeds "$header as C11" \
        compile "#include <$header>" "${CC:-cc}" -std=c11 -x c
    succeeds "$header as C++11" \
        compile "#include <$header>" "${CXX:-c++}" -std=c++11 -x c++
done

# The _INIT macros of structs use designated initializers, which C++20 has.
for header in locant/*.h; do
    names=$(sed -n 's/^#define \(LOCANT_[A-Z_]*_INIT\)\b.*/\1/p' "$header")
    [ -n "$names" ] || continue
    values=$(for name in $names; do
        sed -n "/define ${name}\b/,/}/s/.*sizeof(\([a-z_]*\)).*/\1 of_\1 = $name;/p" \
            "$header"
    done)
    succeeds "$header: values of its _INIT macros in C++20" \
        compile "$(printf '#include <%s>\n%s' "$header" "$values")" \
        "${CXX:-c++}" -std=c++20 -x c++ -Wno-missing-field-initializers
done
exit $failed
