#!/usr/bin/env bash
# Runs a command with a /tmp and a list of processes of its own: nothing of this machine is shared by accident.
#   unshare --mount --pid --fork --kill-child --mount-proc bash apart.sh <clone> <command> …
# A clone that lies in /tmp stays where it is.
set -eu
clone=$1
shift
stage=$(mktemp -d /var/tmp/svc-apart-XXXXXX)
mount -t tmpfs -o mode=1777 svc-apart "$stage"
case $clone in
  /tmp/*)
    mkdir -p "$stage/${clone#/tmp/}"
    mount --bind "$clone" "$stage/${clone#/tmp/}"
    ;;
esac
mount --rbind "$stage" /tmp
umount -l "$stage"
rmdir "$stage"
cd "$clone"
exec "$@"
