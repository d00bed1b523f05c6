#!/usr/bin/env bash
# Runs a command with temporary folders and a list of processes of its own: nothing of this machine is shared by accident.
#   unshare --mount --pid --fork --kill-child --mount-proc bash apart.sh <clone> <command> …
# A clone that lies in a temporary folder stays where it is.
set -eu
clone=$1
shift
hide() {
  local folder=$1 stage
  stage=$(mktemp -d /var/tmp/svc-apart-XXXXXX)
  mount -t tmpfs -o mode=1777 svc-apart "$stage"
  case $clone in
    "$folder"/*)
      mkdir -p "$stage/${clone#"$folder"/}"
      mount --bind "$clone" "$stage/${clone#"$folder"/}"
      ;;
  esac
  mount --rbind "$stage" "$folder"
  umount -l "$stage"
  rmdir "$stage"
}
hide /tmp
case ${TMPDIR:-/tmp} in /tmp | /tmp/*) ;; *) hide "$TMPDIR" ;; esac
cd "$clone"
exec "$@"
