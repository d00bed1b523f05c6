/*
 * The file system of an isolated program: a small root in memory, on which the folders of the plan are mounted. Some of
 * them were written by an earlier program of the same job, so no path is followed through a link: each name is looked up
 * in the open folder before it.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "isolate.h"

#ifndef SYS_mount_setattr
#define SYS_mount_setattr 442
#endif
#define RECURSIVE 0x8000
#define READ_ONLY 0x1
#define NO_SETUID 0x2
#define NO_DEVICES 0x4

enum want { A_FOLDER, A_FILE, AS_IT_IS };

static int root = -1;

/* The open folder or file at `path` below the new root, made when it is not there. -1: it is not there, or is a link. */
static int reach(const char *path, enum want want) {
  char names[PATH_MAX], *rest = names;
  if (snprintf(names, sizeof names, "%s", path) >= PATH_MAX) {
    errno = ENAMETOOLONG;
    isolate_fail("mounts", path);
  }
  int at = dup(root);
  for (char *name; at >= 0 && (name = strsep(&rest, "/"));) {
    if (!*name) continue;
    int last = !rest || !*rest;
    if (want != AS_IT_IS && (!last || want == A_FOLDER) && mkdirat(at, name, 0755) && errno != EEXIST)
      isolate_fail("mounts", path);
    if (want == A_FILE && last) {
      int made = openat(at, name, O_CREAT | O_WRONLY | O_CLOEXEC | O_NOFOLLOW, 0644);
      if (made >= 0) close(made);
    }
    int next = openat(at, name, O_PATH | O_NOFOLLOW | O_CLOEXEC | (last ? 0 : O_DIRECTORY));
    close(at);
    at = next;
  }
  struct stat found;
  if (at < 0 || fstat(at, &found) || S_ISLNK(found.st_mode)) {
    if (want != AS_IT_IS) isolate_fail("mounts", path);
    if (at >= 0) close(at);
    return -1;
  }
  return at;
}

static void restrict_mount(int at, uint64_t rules, int how, const char *path) {
  struct {
    uint64_t set, clear, propagation, userns;
  } all = {rules, 0, 0, 0};
  if (syscall(SYS_mount_setattr, at, "", AT_EMPTY_PATH | how, &all, sizeof all)) isolate_fail("mounts", path);
}

/* Mounts on an open folder or file, and restricts what is mounted. */
static void mount_on(int at, const char *from, const char *type, unsigned long flags, const char *options, uint64_t rules,
                     const char *path) {
  char place[64];
  snprintf(place, sizeof place, "/proc/self/fd/%d", at);
  if (mount(from, place, type, flags, options)) isolate_fail("mounts", path);
  close(at);
  if (!rules) return;
  /* The descriptor is of what is covered now. */
  if ((at = reach(path, AS_IT_IS)) < 0) isolate_fail("mounts", path);
  restrict_mount(at, rules, (flags & MS_REC) ? RECURSIVE : 0, path);
  close(at);
}

/* A link such as /bin is made again; what it names is shown by itself. */
static void copy_link(const char *path) {
  char target[PATH_MAX], parent[PATH_MAX];
  ssize_t length = readlink(path, target, sizeof target - 1);
  if (length < 0) isolate_fail("mounts", path);
  target[length] = 0;
  snprintf(parent, sizeof parent, "%s", path);
  char *name = strrchr(parent, '/');
  *name = 0;
  int at = reach(parent, A_FOLDER);
  /* It may lie in a folder that is shown already. */
  if (symlinkat(target, at, name + 1) && errno != EEXIST) isolate_fail("mounts", path);
  close(at);
}

static void show(const char *path) {
  struct stat found;
  if (lstat(path, &found)) isolate_fail("mounts", path);
  if (S_ISLNK(found.st_mode)) return copy_link(path);
  mount_on(reach(path, S_ISDIR(found.st_mode) ? A_FOLDER : A_FILE), path, NULL, MS_BIND | MS_REC, NULL,
           READ_ONLY | NO_SETUID | NO_DEVICES, path);
}

static void cover(const char *from, const char *path) {
  int at = reach(path, AS_IT_IS);
  if (at >= 0) mount_on(at, from, NULL, MS_BIND, NULL, READ_ONLY | NO_SETUID | NO_DEVICES, path);
}

/* What is not there needs no cover, and what a link names is covered by itself. True for a folder: it becomes read-only at
 * the end, because what is shown inside it is mounted on it first. */
static int hide(const char *path) {
  struct stat found;
  int at = reach(path, AS_IT_IS);
  if (at < 0) return 0;
  if (fstat(at, &found)) isolate_fail("mounts", path);
  int folder = S_ISDIR(found.st_mode);
  if (folder) mount_on(at, "hidden", "tmpfs", MS_NOSUID | MS_NODEV, "mode=0555,size=4k", 0, path);
  else mount_on(at, "/dev/null", NULL, MS_BIND, NULL, 0, path);
  return folder;
}

static void close_hidden(const char *path) {
  int at = reach(path, AS_IT_IS);
  if (at < 0) isolate_fail("mounts", path);
  restrict_mount(at, READ_ONLY | NO_SETUID | NO_DEVICES, 0, path);
  close(at);
}

static void devices(void) {
  static const char *const names[] = {"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"};
  static const char *const links[][2] = {
      {"/proc/self/fd", "fd"},
      {"/proc/self/fd/0", "stdin"},
      {"/proc/self/fd/1", "stdout"},
      {"/proc/self/fd/2", "stderr"},
      {"pts/ptmx", "ptmx"},
  };
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    mount_on(reach(names[i], A_FILE), names[i], NULL, MS_BIND, NULL, 0, names[i]);
  int dev = reach("/dev", A_FOLDER);
  for (size_t i = 0; i < sizeof links / sizeof *links; i++)
    if (symlinkat(links[i][0], dev, links[i][1])) isolate_fail("mounts", links[i][1]);
  close(dev);
  mount_on(reach("/dev/shm", A_FOLDER), "shm", "tmpfs", MS_NOSUID | MS_NODEV, "mode=1777,size=64m", 0, "/dev/shm");
  /* Terminals of its own, where the kernel gives them: few programs need one. */
  char place[64];
  int pts = reach("/dev/pts", A_FOLDER);
  snprintf(place, sizeof place, "/proc/self/fd/%d", pts);
  (void)!mount("pts", place, "devpts", MS_NOSUID | MS_NOEXEC, "newinstance,ptmxmode=0666,mode=0620");
  close(pts);
}

/* The old root is below the new one for a moment, and then nowhere. */
static void pivot(void) {
  if (fchdir(root) || syscall(SYS_pivot_root, ".", ".") || umount2(".", MNT_DETACH) || chdir("/"))
    isolate_fail("mounts", "pivot_root");
  if (mount(NULL, "/", NULL, MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID | MS_NODEV, NULL))
    isolate_fail("mounts", "/");
  close(root);
}

void isolate_mounts(const struct plan *plan) {
  if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL)) isolate_fail("mounts", "/");
  if (mount("root", plan->root, "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755,size=4m")) isolate_fail("mounts", plan->root);
  root = open(plan->root, O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (root < 0) isolate_fail("mounts", plan->root);
  devices();
  const char *hidden[ISOLATE_MOUNTS];
  size_t hidden_count = 0;
  for (size_t i = 0; i < plan->count; i++) {
    const struct mount_point *point = &plan->points[i];
    if (point->kind == SHOWN) show(point->from);
    if (point->kind == OWN)
      mount_on(reach(point->to, A_FOLDER), point->from, NULL, MS_BIND, NULL, NO_SETUID | NO_DEVICES, point->to);
    if (point->kind == COVER) cover(point->from, point->to);
    if (point->kind == HIDDEN && hide(point->to)) hidden[hidden_count++] = point->to;
  }
  for (size_t i = 0; i < hidden_count; i++) close_hidden(hidden[i]);
  /* Last, because the paths above go through the /proc of the machine. */
  mount_on(reach("/proc", A_FOLDER), "proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL, 0, "/proc");
  pivot();
}
