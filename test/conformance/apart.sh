#!/usr/bin/env bash
# Runs a command with temporary folders and a list of processes of its own: nothing of this machine is shared by accident.
#   unshare --mount --pid --fork --kill-child --mount-proc bash apart.sh <clone> <command> …
# A clone that lies in such a folder stays where it is.
set -eu
clone=$(realpath "$1")
shift
# Its path is hidden before it is bound there again.
exec 9<"$clone"
hide() {
  mount -t tmpfs -o mode=1777 svc-apart "$1"
  case $clone in
    "$1"/*)
      mkdir -p "$clone"
      mount --no-canonicalize --bind /proc/self/fd/9 "$clone"
      ;;
  esac
}
hide /tmp
temporary=$(realpath "${TMPDIR:-/tmp}")
case $temporary in /tmp | /tmp/*) ;; *) hide "$temporary" ;; esac
exec 9<&-
cd "$clone"
exec "$@"
