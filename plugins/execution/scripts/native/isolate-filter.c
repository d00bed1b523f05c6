/* System calls that an isolated program does not have: keyrings of its user; namespaces, in which it would have every
 * capability; sockets that belong to no network namespace (AF_VSOCK reaches the host of a virtual machine) or that few
 * programs need (AF_ALG); and io_uring, BPF and performance events, through which kernels are attacked most and which few
 * programs need. A program that asks for io_uring does without it, as on machines where it is turned off. One that asks for
 * namespaces by clone3 gets the error of kernels without clone3, and uses clone. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include "isolate.h"

#if defined(__x86_64__)
#define MACHINE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define MACHINE AUDIT_ARCH_AARCH64
#endif

#define SPACES \
  (CLONE_NEWNS | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWCGROUP)
#define LOAD(member) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, member))
#define REFUSE(code) BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (code))
#define ALLOW BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
#define REFUSED_CALL(number, code) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (number), 0, 1), REFUSE(code)

void isolate_filter(void) {
#ifdef MACHINE
  struct sock_filter rules[] = {
      LOAD(arch),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, MACHINE, 1, 0),
      /* Programs of another machine, which some kernels run, have other numbers. */
      REFUSE(ENOSYS),
      LOAD(nr),
      BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1),
      REFUSE(ENOSYS),
      REFUSED_CALL(SYS_keyctl, EPERM),
      REFUSED_CALL(SYS_add_key, EPERM),
      REFUSED_CALL(SYS_request_key, EPERM),
      REFUSED_CALL(SYS_setns, EPERM),
      /* These have the same numbers on both machines; older headers do not name them. */
      REFUSED_CALL(425 /* io_uring_setup */, EPERM),
      REFUSED_CALL(426 /* io_uring_enter */, EPERM),
      REFUSED_CALL(427 /* io_uring_register */, EPERM),
      REFUSED_CALL(SYS_bpf, EPERM),
      REFUSED_CALL(SYS_perf_event_open, EPERM),
      REFUSED_CALL(435 /* clone3 */, ENOSYS),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_socket, 1, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_socketpair, 0, 7),
      LOAD(args[0]),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AF_UNIX, 4, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AF_INET, 3, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AF_INET6, 2, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AF_NETLINK, 1, 0),
      /* As on a machine whose kernel does not have them. */
      REFUSE(EAFNOSUPPORT),
      ALLOW,
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_unshare, 2, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 1, 0),
      ALLOW,
      LOAD(args[0]),
      BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, SPACES, 0, 1),
      REFUSE(EPERM),
      ALLOW,
  };
  struct sock_fprog program = {sizeof rules / sizeof *rules, rules};
  if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)) isolate_fail("privileges", "seccomp");
#endif
}
