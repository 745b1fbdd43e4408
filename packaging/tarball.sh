#!/bin/sh
# Packs the built binary with manual pages, completions and licenses: the same bytes for the same binary.
# tarball.sh FOLDER; prints the path of the archive.
set -eu
cd "$(dirname "$0")/.."
umask 022
output=$1
name=perfhud-$(scripts/version.sh)-linux-$(uname -m)
time=$(scripts/commit.sh time)
mkdir -p "$output"
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
packaging/stage.sh "$stage/$name" ""
cp LICENSE README.md CHANGELOG.md "$stage/$name/"
cp packaging/debian/copyright "$stage/$name/COPYRIGHT"
tar -C "$stage" --sort=name --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX --mtime="@${time:-0}" \
  --format=gnu -cf - "$name" | gzip -9n >"$output/$name.tar.gz"
(cd "$output" && sha256sum "$name.tar.gz" >"$name.tar.gz.sha256")
echo "$output/$name.tar.gz"
