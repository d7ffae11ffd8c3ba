#!/bin/sh
# The manual page of the command, from its own help.
#
# usage: cmake/manual.sh LOCANT locant.1
set -eu
locant=$1
export LC_ALL=C.UTF-8 # help in English
exec > "$2.part" # no half a page is left where this fails

# Help on stdin; 'section' is the request that heads it.
format() {
    awk -v section="$1" '
    function text(s) {
        gsub(/\\/, "\\e", s)
        gsub(/-/, "\\-", s)
        return s ~ /^[.\x27]/ ? "\\&" s : s
    }
    function mode(next_mode) {
        if (now == "plain" && next_mode != "plain") print ".fi"
        if (now != "plain" && next_mode == "plain") print ".nf"
        now = next_mode
    }
    NR == 1 { print section " \"" text($0) "\""; next }
    $0 == "options:" { mode("options"); print ".PP\noptions:"; next }
    /^(examples|commands|verbs):$/ { mode("filled"); print ".PP"; print text($0)
                            mode("plain"); next }
    $0 == "" && now == "options" { next }
    now == "options" && /^  (    )?-/ {
        left = right = $0
        sub(/^ +/, "", left)
        sub(/  .*/, "", left)
        right = substr($0, index($0, left) + length(left))
        sub(/^ +/, "", right)
        print ".TP\n.B " text(left)
        if (right != "") print text(right)
        next
    }
    now == "options" { sub(/^ +/, ""); print text($0); next }
    now != "plain" { mode("plain") }
    { print text($0) }
    END { mode("filled") }'
}

version=$("$locant" --version)
printf '.TH LOCANT 1 "" "%s" "User Commands"\n' "$version"
printf '.SH NAME\nlocant \\- positional encodings for Transformers\n'
"$locant" --help | sed '1s/.*/DESCRIPTION/' | format .SH
printf '.SH VERBS\n'
listed() { sed -n "/^$1:/,/^\$/s/^  \([a-z]*\) .*/\1/p"; }
for command in $("$locant" --help | listed commands); do
    "$locant" help "$command" | format .SS
    for verb in $("$locant" help "$command" | listed verbs); do
        "$locant" help "$command" "$verb" | format .SS
    done
done
printf '.SH "SEE ALSO"\nThe headers in locant/*.h are the manual of the '
printf 'libraries.\n'
mv "$2.part" "$2"
