# What draws, and OpenBLAS, are loaded by the commands that need them and no other.
loaded() {
    rm -f trace.*
    LD_DEBUG=files LD_DEBUG_OUTPUT=trace "$@" > out.txt || exit 1
    cat trace.* | grep -oE 'init: .*/lib(glib|cairo|pango|openblas)[-.]' |
        sed 's,.*/,    ,' | sort -u
}
$MAKE write x.npy f4 2,8,16 count
echo 'rotate'
loaded $LOCANT rotate rope -i x.npy -o y.npy
echo 'show'
loaded $LOCANT show rope
echo 'show -o'
loaded $LOCANT show rope -o x.png
$MAKE write e.npy i8 3,2 0 1 1 2 2 3
echo 'graph --hops'
loaded $LOCANT graph e.npy --hops -o h.npy
echo 'graph --laplacian'
loaded $LOCANT graph e.npy --laplacian 2 -o v.npy

# The loader takes this for the library, and finds it empty.
: > libpangocairo-1.0.so.0
export LD_LIBRARY_PATH=.
$LOCANT show rope > shown.txt && echo 'shown without it'
$LOCANT show rope -o y.png
echo "exit $?"
[ -e y.png ] || echo 'nothing written'
