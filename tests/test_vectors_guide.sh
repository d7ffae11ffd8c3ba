#!/bin/sh
# The projects of docs/guide/vectors judge their code by golden vectors, and a
# wrong one fails.
#
# usage: tests/test_vectors_guide.sh BUILD    one line per check; exit 1 if one
#                                             fails
set -u
cd "$(dirname "$0")/.." || exit 1
. tests/verdict.sh
build=$(cd "${1:?usage: test_vectors_guide.sh BUILD}" && pwd) || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cp -r docs/guide/vectors/cpp docs/guide/vectors/python docs/guide/vectors/rust \
    "$work"
cd "$work" || exit 1
LOCANT=$build/locant
export LOCANT

cpp() {
    cmake -S cpp -B cpp/build -DLOCANT="$LOCANT" && cmake --build cpp/build &&
        (cd cpp/build && ctest --output-on-failure)
}
succeeds 'vectors: the C++ project passes' cpp

# The same program with the pairs of another layout.
wrong_cpp() {
    sed -i 's/c + dim \/ 2/(c + 1) % (dim \/ 2) + dim \/ 2/' cpp/rope.hpp &&
        cmake --build cpp/build > /dev/null && ! (cd cpp/build && ctest) > out &&
        grep -q 'verify .*Failed' out
}
succeeds 'vectors: the C++ project fails with a wrong pairing' wrong_cpp

python() {
    "$LOCANT" model vectors -o golden --only 'rope/*' &&
        GOLDEN=golden python3 python/test_rope.py
}
succeeds 'vectors: the Python project passes' python

rust() {
    cargo test --offline --manifest-path rust/Cargo.toml
}
if command -v cargo > /dev/null; then
    succeeds 'vectors: the Rust project passes' rust
else
    echo 'skip vectors: the Rust project, for want of cargo'
fi
exit $failed
