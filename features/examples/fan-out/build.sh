# Builds every target on whichever agents are free, side by side, then packs what was built.
# TREE is a folder that all agents see.
targets="linux-x64 linux-arm64 darwin windows broken"
for target in $targets; do
  svc activity-submit "build-$target" --requires bash -- sh -c '
    test "$2" != broken || { echo "no compiler for $2" >&2; exit 3; }
    mkdir -p "$1/out" && printf "%s\n" "binary of $2" > "$1/out/$2" && wc -c < "$1/out/$2"' sh "$TREE" "$target"
done
failed=$(svc activity-wait-all)

built="" bytes=0
for target in $targets; do
  if size=$(svc activity-collect "build-$target"); then
    built="$built $target"
    bytes=$((bytes + size))
  fi
done
svc step pack -- sh -c 'cd "$TREE/out" && ls | sort > ../manifest'
svc output set failed:="$failed" built="${built# }" bytes:="$bytes"
