/* The file system of an isolated program: a small root in memory, on which the folders of the plan are mounted. */
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

static const char *root;

static const char *within(char *room, const char *path) {
  if (snprintf(room, PATH_MAX, "%s%s", root, path) >= PATH_MAX) {
    errno = ENAMETOOLONG;
    isolate_fail("mounts", path);
  }
  return room;
}

/* Makes the folders above `path`, and `path` itself as a folder or an empty file. */
static void make(const char *path, int folder) {
  char room[PATH_MAX];
  within(room, path);
  for (char *at = room + strlen(root) + 1; (at = strchr(at, '/')); at++) {
    *at = 0;
    if (mkdir(room, 0755) && errno != EEXIST) isolate_fail("mounts", path);
    *at = '/';
  }
  if (folder) {
    if (mkdir(room, 0755) && errno != EEXIST) isolate_fail("mounts", path);
    return;
  }
  int made = open(room, O_CREAT | O_WRONLY | O_CLOEXEC | O_NOFOLLOW, 0644);
  if (made < 0 && errno != EROFS && errno != EACCES) isolate_fail("mounts", path);
  if (made >= 0) close(made);
}

static void restrict_mount(const char *at, uint64_t what, int flags, const char *subject) {
  struct {
    uint64_t set, clear, propagation, userns;
  } rules = {what, 0, 0, 0};
  if (syscall(SYS_mount_setattr, AT_FDCWD, at, flags, &rules, sizeof rules)) isolate_fail("mounts", subject);
}

/* A link such as /bin is made again; what it names is shown by itself. */
static void copy_link(const char *path) {
  char room[PATH_MAX], target[PATH_MAX];
  ssize_t length = readlink(path, target, sizeof target - 1);
  if (length < 0) isolate_fail("mounts", path);
  target[length] = 0;
  make(path, 1);
  if (rmdir(within(room, path)) || symlink(target, room)) isolate_fail("mounts", path);
}

static void show(const char *path) {
  char room[PATH_MAX];
  struct stat found;
  if (lstat(path, &found)) isolate_fail("mounts", path);
  if (S_ISLNK(found.st_mode)) return copy_link(path);
  make(path, S_ISDIR(found.st_mode));
  if (mount(path, within(room, path), NULL, MS_BIND | MS_REC, NULL)) isolate_fail("mounts", path);
  restrict_mount(room, READ_ONLY | NO_SETUID | NO_DEVICES, RECURSIVE, path);
}

static void own(const char *from, const char *to) {
  char room[PATH_MAX];
  make(to, 1);
  if (mount(from, within(room, to), NULL, MS_BIND, NULL)) isolate_fail("mounts", from);
  restrict_mount(room, NO_SETUID | NO_DEVICES, 0, from);
}

/* What is not there needs no cover. */
static void hide(const char *path) {
  char room[PATH_MAX], nothing[PATH_MAX];
  struct stat found;
  if (lstat(within(room, path), &found)) return;
  const char *cover = S_ISDIR(found.st_mode) ? "/.empty" : "/dev/null";
  if (S_ISDIR(found.st_mode)) make(cover, 1);
  if (mount(within(nothing, cover), room, NULL, MS_BIND, NULL)) isolate_fail("mounts", path);
}

static void devices(void) {
  static const char *const names[] = {"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"};
  static const char *const links[][2] = {
      {"/proc/self/fd", "/dev/fd"},
      {"/proc/self/fd/0", "/dev/stdin"},
      {"/proc/self/fd/1", "/dev/stdout"},
      {"/proc/self/fd/2", "/dev/stderr"},
  };
  char room[PATH_MAX];
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    make(names[i], 0);
    if (mount(names[i], within(room, names[i]), NULL, MS_BIND, NULL)) isolate_fail("mounts", names[i]);
  }
  for (size_t i = 0; i < sizeof links / sizeof *links; i++)
    if (symlink(links[i][0], within(room, links[i][1]))) isolate_fail("mounts", links[i][1]);
  make("/dev/shm", 1);
  if (mount("shm", within(room, "/dev/shm"), "tmpfs", MS_NOSUID | MS_NODEV, "mode=1777,size=64m"))
    isolate_fail("mounts", "/dev/shm");
}

/* The old root is below the new one for a moment, and then nowhere. */
static void pivot(void) {
  if (chdir(root) || syscall(SYS_pivot_root, ".", ".") || umount2(".", MNT_DETACH) || chdir("/"))
    isolate_fail("mounts", "pivot_root");
  if (mount(NULL, "/", NULL, MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID | MS_NODEV, NULL))
    isolate_fail("mounts", "/");
}

void isolate_mounts(const struct plan *plan) {
  char room[PATH_MAX];
  root = plan->root;
  if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL)) isolate_fail("mounts", "/");
  if (mount("root", root, "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755,size=4m")) isolate_fail("mounts", root);
  make("/proc", 1);
  if (mount("proc", within(room, "/proc"), "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL))
    isolate_fail("mounts", "/proc");
  devices();
  for (size_t i = 0; i < plan->count; i++) {
    const struct mount_point *point = &plan->points[i];
    if (point->kind == SHOWN) show(point->from);
    if (point->kind == OWN) own(point->from, point->to);
    if (point->kind == HIDDEN) hide(point->to);
  }
  pivot();
}
