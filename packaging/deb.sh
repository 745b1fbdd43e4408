#!/bin/sh
# Makes a Debian package of the built binary with dpkg-deb alone: the same bytes for the same binary.
# deb.sh FOLDER; prints the path of the package.
set -eu
cd "$(dirname "$0")/.."
umask 022
output=$1
version=$(scripts/version.sh)-1
architecture=$(dpkg --print-architecture)
SOURCE_DATE_EPOCH=$(scripts/commit.sh time)
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-0}
# One thread or several: dpkg-deb cuts what it compresses differently.
DPKG_DEB_THREADS_MAX=1
export SOURCE_DATE_EPOCH DPKG_DEB_THREADS_MAX
mkdir -p "$output"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=$work/perfhud
packaging/stage.sh "$root" /usr ZSH_COMPLETIONS=/usr/share/zsh/vendor-completions

gzip -9n "$root"/usr/share/man/man*/*
# It is read by a shell, not run.
sed -i '1{/^#!/d}' "$root/usr/share/bash-completion/completions/perfhud"
doc=$root/usr/share/doc/perfhud
mkdir -p "$doc" "$root/usr/share/lintian/overrides" "$root/DEBIAN"
cp packaging/debian/copyright "$doc/copyright"
cp packaging/debian/lintian-overrides "$root/usr/share/lintian/overrides/perfhud"
gzip -9nc CHANGELOG.md >"$doc/changelog.gz"
maintainer=$(sed -n 's/^Maintainer: //p' packaging/debian/control)
cat >"$work/changelog" <<TEXT
perfhud ($version) unstable; urgency=medium

  * Upstream version $(scripts/version.sh); its changes are in changelog.gz.

 -- $maintainer  $(LC_ALL=C date -u -R -d "@$SOURCE_DATE_EPOCH")
TEXT
gzip -9nc "$work/changelog" >"$doc/changelog.Debian.gz"

size=$(find "$root/usr" -type f -printf '%s\n' | awk '{ kib += int(($1 + 1023) / 1024) } END { print kib }')
sed -e "s/@VERSION@/$version/; s/@ARCHITECTURE@/$architecture/; s/@SIZE@/$size/" packaging/debian/control \
  >"$root/DEBIAN/control"
(cd "$root" && find usr -type f | LC_ALL=C sort | xargs md5sum >DEBIAN/md5sums)

package=$output/perfhud_${version}_$architecture.deb
dpkg-deb --root-owner-group -Zxz --build "$root" "$package" >/dev/null
(cd "$output" && sha256sum "$(basename "$package")" >"$(basename "$package").sha256")
echo "$package"
