#!/bin/sh
# Runs a command on the bare machine: its root is the root, and it has devices, processes and memory of its own.
#   unshare --mount --pid --fork --kill-child sh enter.sh <root> <user> <command> …
# pivot_root, not chroot: programs below may have namespaces of their own only where the root is a real one.
set -eu
root=$1 user=$2
shift 2
mount --make-rprivate /
mount --bind "$root" "$root"
cd "$root"
mount -t proc proc proc
mount -t tmpfs -o mode=755 dev dev
for device in null zero full random urandom tty; do
  : >dev/$device
  mount --bind /dev/$device dev/$device
done
mkdir dev/pts dev/shm
mount -t devpts -o newinstance,ptmxmode=0666,mode=0620 devpts dev/pts
mount -t tmpfs -o mode=1777 shm dev/shm
ln -s pts/ptmx dev/ptmx
ln -s /proc/self/fd dev/fd
ln -s fd/0 dev/stdin
ln -s fd/1 dev/stdout
ln -s fd/2 dev/stderr
pivot_root . .
umount -l .
cd /
# Not by `exec`: who changes the user no longer hears of the end of unshare, and this shell does, which takes all else along.
setpriv --reuid "$user" --regid "$user" --init-groups "$@" || exit $?
