#!/bin/sh
# Writes the reference of the library products with DocC to .build/documentation, from a build of its own in
# .build/docs: only there is the plugin fetched.
# make-docs.sh [SWIFT]
set -eu
cd "$(dirname "$0")/.."
swift=${1:-swift}
output=.build/documentation
log=$(mktemp)
trap 'rm -f "$log"' EXIT
mkdir -p "$output"
for target in Sampler PerfHUDClient; do
  if ! PERFHUD_DOCS=1 "$swift" package --scratch-path .build/docs --allow-writing-to-directory "$output" \
    generate-documentation --target "$target" --output-path "$output/$target" --transform-for-static-hosting \
    --hosting-base-path "$target" >"$log" 2>&1; then
    tail -n 30 "$log" >&2
    exit 1
  fi
done
# The plugin is in no other build.
rm -f Package.resolved
echo "docs: $output/Sampler and $output/PerfHUDClient; look at them with: python3 -m http.server -d $output"
