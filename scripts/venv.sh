# venv.sh - for scripts that have a virtual environment of their own

# make_venv FOLDER REQUIREMENTS: create it, again if that file has changed.
make_venv() {
    cmp -s "$2" "$1/installed.txt" && return
    echo "installing into $1" >&2
    python3 -m venv --clear "$1"
    "$1/bin/python" -m pip install -qq --disable-pip-version-check -r "$2" >&2
    cp "$2" "$1/installed.txt"
}
