#!/bin/sh
# Installs a built perfhud below a folder, the same way for all packages: fixed modes, and the time of the commit.
# stage.sh FOLDER PREFIX [VARIABLE=VALUE…]   (variables of `make install`)
set -eu
cd "$(dirname "$0")/.."
umask 022
folder=$1
prefix=$2
shift 2
rm -rf "$folder"
mkdir -p "$folder"
${MAKE:-make} --no-print-directory --silent install DESTDIR="$folder" PREFIX="$prefix" "$@"
