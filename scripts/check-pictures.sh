#!/bin/sh
# Checks the pictures of the documents: they are what the sources draw, byte for byte, they are well-formed and small,
# and each line of the recording is JSON.
# Usage: check-pictures.sh PERFHUD-PICTURES
set -u
LC_ALL=C
export LC_ALL
cd "$(dirname "$0")/.." || exit 1
tool=${1:-.build/release/perfhud-pictures}
folder=docs/images
most=61440 # bytes of a picture
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM HUP
failed=0
fail() {
  echo "pictures: $*" >&2
  failed=1
}

[ -x "$tool" ] || {
  echo "pictures: no program $tool; run: make check-pictures" >&2
  exit 1
}
# No clock, locale or terminal of the machine may be seen in a picture.
env -i TZ=Pacific/Auckland LANG=ja_JP.UTF-8 TERM=dumb "$tool" Tests/Pictures/Screens "$scratch" >/dev/null ||
  fail "$tool failed"
for name in $({ ls "$scratch"; ls "$folder"; } | sort -u); do
  cmp -s "$scratch/$name" "$folder/$name" ||
    fail "$folder/$name is not what the sources draw: run make screenshots, look at it, and commit it"
done
for file in "$folder"/*.svg; do
  [ "$(wc -c <"$file")" -le "$most" ] || fail "$file has more than $most bytes"
done
python3 - "$folder" <<'PYTHON' || failed=1
import glob, json, os, sys, xml.etree.ElementTree

for path in sorted(glob.glob(os.path.join(sys.argv[1], "*.svg"))):
    root = xml.etree.ElementTree.parse(path).getroot()
    if root.tag != "{http://www.w3.org/2000/svg}svg":
        sys.exit(f"pictures: {path} is no SVG document")
with open(os.path.join(sys.argv[1], "demo.cast"), encoding="utf-8", newline="\n") as file:
    head, *events = [json.loads(line) for line in file]
if head["version"] != 3 or head["term"]["cols"] != 80 or head["term"]["rows"] != 24:
    sys.exit("pictures: the head of demo.cast is not that of an asciicast v3 of 80 by 24")
for interval, code, data in events:
    if interval < 0 or code not in ("o", "m") or not isinstance(data, str) or not data:
        sys.exit(f"pictures: demo.cast has an event that is none: {[interval, code, data]}")
PYTHON
[ "$failed" = 0 ] && echo "pictures: as drawn"
exit "$failed"
