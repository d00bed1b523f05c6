/*
 * The network of an isolated program: none, or one without this machine. For the latter the program is put into a control
 * group whose packets the kernel looks at (BPF): none of them may go to this machine, whatever the protocol and whatever
 * addresses it gets later, nor to an address of the link, from which clouds give out credentials of a machine. A packet for
 * this machine leaves through its loopback interface, which is number 1 in each network. TCP would try for minutes, so
 * connect() is refused too, for the addresses that the machine has now. Port 53 of its name servers stays open.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <linux/bpf.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "isolate.h"

#define LOOPBACK 1
#define DNS 53
#define MOST_SERVERS 16
#define MOST_RULES 16384

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define NET16(n) __builtin_bswap16(n)
#define NET32(n) __builtin_bswap32(n)
#else
#define NET16(n) (n)
#define NET32(n) (n)
#endif

/* An address as four words in the order of the network; IPv4 as ::ffff:a.b.c.d. */
struct address {
  uint32_t words[4];
};

static const uint32_t mapped[3] = {0, 0, NET32(0xffff)};

static struct address of_v4(struct in_addr from) {
  struct address to = {{mapped[0], mapped[1], mapped[2], from.s_addr}};
  return to;
}

static struct address of_v6(const struct in6_addr *from) {
  struct address to;
  memcpy(to.words, from, sizeof to.words);
  return to;
}

static int is_v4(const struct address *address) {
  return memcmp(address->words, mapped, sizeof mapped) == 0;
}

/* A program of the kernel under construction. Jumps to LATER are set by `land`. */
static struct bpf_insn rules[MOST_RULES];
static size_t count;
#define LATER 0

static size_t add(uint8_t code, uint8_t to, uint8_t from, int16_t offset, int32_t number) {
  if (count == MOST_RULES) {
    errno = E2BIG;
    isolate_fail("network", "too many addresses");
  }
  rules[count] = (struct bpf_insn){.code = code, .dst_reg = to, .src_reg = from, .off = offset, .imm = number};
  return count++;
}

/* The jump at `from` goes to the next rule. */
static void land(size_t from) {
  rules[from].off = (int16_t)(count - from - 1);
}

static void set(uint8_t to, int32_t number) { add(BPF_ALU64 | BPF_MOV | BPF_K, to, 0, 0, number); }
static void copy(uint8_t to, uint8_t from) { add(BPF_ALU64 | BPF_MOV | BPF_X, to, from, 0, 0); }
static void load(uint8_t to, uint8_t from, size_t at) { add(BPF_LDX | BPF_MEM | BPF_W, to, from, (int16_t)at, 0); }
static size_t unless(uint8_t one, uint32_t number) { return add(BPF_JMP32 | BPF_JNE | BPF_K, one, 0, LATER, (int32_t)number); }
static void mask(uint8_t to, uint32_t number) { add(BPF_ALU | BPF_AND | BPF_K, to, 0, 0, (int32_t)number); }

static void answer(int32_t verdict) {
  set(BPF_REG_0, verdict);
  add(BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
}

/* The words of the address that is looked at are on the stack, below the frame pointer. */
#define WORD(n) (-16 + 4 * (n))

static void load_word(int nth) { load(BPF_REG_1, BPF_REG_10, (size_t)(int16_t)WORD(nth)); }

/* Answers for this address, and for port `port` of it alone where that is not 0 (register 8). */
static void judge(const struct address *address, uint16_t port, int verdict) {
  size_t others[5], missed = 0;
  /* What differs most comes first. */
  for (int nth = 3; nth >= 0; nth--) {
    load_word(nth);
    others[missed++] = unless(BPF_REG_1, address->words[nth]);
  }
  if (port) others[missed++] = unless(BPF_REG_8, NET16(port));
  answer(verdict);
  while (missed) land(others[--missed]);
}

static void refuse_range_v4(uint32_t first, uint32_t bits) {
  size_t others[4];
  for (int nth = 0; nth < 3; nth++) {
    load_word(nth);
    others[nth] = unless(BPF_REG_1, mapped[nth]);
  }
  load_word(3);
  mask(BPF_REG_1, NET32(bits));
  others[3] = unless(BPF_REG_1, NET32(first));
  answer(0);
  for (int nth = 0; nth < 4; nth++) land(others[nth]);
}

static void refuse_link(void) {
  static const struct address credentials = {{NET32(0xfd000ec2), 0, 0, NET32(0x254)}};
  refuse_range_v4(0xa9fe0000, 0xffff0000); /* 169.254.0.0/16 */
  load_word(0);
  mask(BPF_REG_1, NET32(0xffc00000));
  size_t other = unless(BPF_REG_1, NET32(0xfe800000)); /* fe80::/10 */
  answer(0);
  land(other);
  judge(&credentials, 0, 0);
}

/* Name servers of /etc/resolv.conf. */
static struct address servers[MOST_SERVERS];
static size_t server_count;

static void read_servers(void) {
  char line[256], name[128];
  FILE *file = fopen("/etc/resolv.conf", "re");
  while (file && server_count < MOST_SERVERS && fgets(line, sizeof line, file)) {
    struct in_addr v4;
    struct in6_addr v6;
    if (sscanf(line, " nameserver %127[0-9a-fA-F.:]", name) != 1) continue;
    if (inet_pton(AF_INET, name, &v4) == 1) servers[server_count++] = of_v4(v4);
    else if (inet_pton(AF_INET6, name, &v6) == 1) servers[server_count++] = of_v6(&v6);
  }
  if (file) fclose(file);
}

static void allow_names(void) {
  for (size_t nth = 0; nth < server_count; nth++) judge(&servers[nth], DNS, 1);
}

/* Pushes `length` bytes of the packet from `offset` (a number, or register 9) onto the stack at `to`; drops what is shorter. */
static void take_bytes(int offset, int in_register, int to, int length) {
  copy(BPF_REG_1, BPF_REG_6);
  if (in_register) copy(BPF_REG_2, BPF_REG_9);
  else set(BPF_REG_2, offset);
  copy(BPF_REG_3, BPF_REG_10);
  add(BPF_ALU64 | BPF_ADD | BPF_K, BPF_REG_3, 0, 0, to);
  set(BPF_REG_4, length);
  add(BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_skb_load_bytes);
  size_t short_of = add(BPF_JMP | BPF_JEQ | BPF_K, BPF_REG_0, 0, LATER, 0);
  answer(0);
  land(short_of);
}

#define SCRATCH -24

/* Register 8 is the port of the receiver, 0 where there is none: register 7 is the protocol, register 9 where its header begins. */
static void take_port(void) {
  size_t tcp = add(BPF_JMP32 | BPF_JEQ | BPF_K, BPF_REG_7, 0, LATER, IPPROTO_TCP);
  size_t neither = unless(BPF_REG_7, IPPROTO_UDP);
  land(tcp);
  take_bytes(0, 1, SCRATCH, 4);
  add(BPF_LDX | BPF_MEM | BPF_H, BPF_REG_8, BPF_REG_10, SCRATCH + 2, 0);
  land(neither);
}

/* Every packet of the group, from its network header on. */
static void filter_packets(void) {
  count = 0;
  copy(BPF_REG_6, BPF_REG_1);
  set(BPF_REG_8, 0);
  for (int nth = 0; nth < 3; nth++)
    add(BPF_ST | BPF_MEM | BPF_W, BPF_REG_10, 0, (int16_t)WORD(nth), (int32_t)mapped[nth]);
  add(BPF_ST | BPF_MEM | BPF_W, BPF_REG_10, 0, (int16_t)WORD(3), 0);
  load(BPF_REG_7, BPF_REG_6, offsetof(struct __sk_buff, protocol));
  size_t v6 = unless(BPF_REG_7, NET16(0x0800));
  take_bytes(16, 0, WORD(3), 4);
  /* Only a first fragment has a port. */
  take_bytes(6, 0, SCRATCH, 2);
  add(BPF_LDX | BPF_MEM | BPF_H, BPF_REG_7, BPF_REG_10, SCRATCH, 0);
  mask(BPF_REG_7, NET16(0x1fff));
  size_t fragment = unless(BPF_REG_7, 0);
  take_bytes(0, 0, SCRATCH, 1);
  add(BPF_LDX | BPF_MEM | BPF_B, BPF_REG_9, BPF_REG_10, SCRATCH, 0);
  mask(BPF_REG_9, 0x0f);
  add(BPF_ALU64 | BPF_LSH | BPF_K, BPF_REG_9, 0, 0, 2);
  take_bytes(9, 0, SCRATCH, 1);
  add(BPF_LDX | BPF_MEM | BPF_B, BPF_REG_7, BPF_REG_10, SCRATCH, 0);
  take_port();
  size_t known = add(BPF_JMP | BPF_JA, 0, 0, LATER, 0);
  land(v6);
  size_t neither = unless(BPF_REG_7, NET16(0x86dd));
  take_bytes(24, 0, WORD(0), 16);
  /* Extension headers hide the port: such a packet is for no name server. */
  take_bytes(6, 0, SCRATCH, 1);
  add(BPF_LDX | BPF_MEM | BPF_B, BPF_REG_7, BPF_REG_10, SCRATCH, 0);
  set(BPF_REG_9, 40);
  take_port();
  land(known);
  land(fragment);
  allow_names();
  refuse_link();
  land(neither);
  load(BPF_REG_7, BPF_REG_6, offsetof(struct __sk_buff, ifindex));
  size_t elsewhere = unless(BPF_REG_7, LOOPBACK);
  answer(0);
  land(elsewhere);
  answer(1);
}

/* Addresses that connect() is told of in `context`. */
static void filter_connections(int v6, const struct ifaddrs *own) {
  static const struct address here = {{0, 0, 0, NET32(1)}}, any = {{0, 0, 0, 0}};
  count = 0;
  copy(BPF_REG_6, BPF_REG_1);
  for (int nth = 0; nth < 4; nth++) {
    if (v6) load(BPF_REG_1, BPF_REG_6, offsetof(struct bpf_sock_addr, user_ip6) + 4 * (size_t)nth);
    else if (nth == 3) load(BPF_REG_1, BPF_REG_6, offsetof(struct bpf_sock_addr, user_ip4));
    else set(BPF_REG_1, (int32_t)mapped[nth]);
    add(BPF_STX | BPF_MEM | BPF_W, BPF_REG_10, BPF_REG_1, (int16_t)WORD(nth), 0);
  }
  load(BPF_REG_8, BPF_REG_6, offsetof(struct bpf_sock_addr, user_port));
  allow_names();
  refuse_link();
  refuse_range_v4(0x7f000000, 0xff000000);
  refuse_range_v4(0, 0xff000000);
  judge(&here, 0, 0);
  judge(&any, 0, 0);
  for (; own; own = own->ifa_next) {
    if (!own->ifa_addr) continue;
    struct address address;
    if (own->ifa_addr->sa_family == AF_INET) address = of_v4(((struct sockaddr_in *)own->ifa_addr)->sin_addr);
    else if (own->ifa_addr->sa_family == AF_INET6) address = of_v6(&((struct sockaddr_in6 *)own->ifa_addr)->sin6_addr);
    else continue;
    /* A range has it already. */
    if (is_v4(&address) && (address.words[3] & NET32(0xff000000)) == NET32(0x7f000000)) continue;
    judge(&address, 0, 0);
  }
  answer(1);
}

static long bpf(int command, union bpf_attr *attributes) {
  return syscall(SYS_bpf, command, attributes, sizeof *attributes);
}

static void attach(int group, uint32_t type, uint32_t place, const char *name) {
  union bpf_attr made = {0}, put = {0};
  made.prog_type = type;
  made.expected_attach_type = place;
  made.insns = (uint64_t)(uintptr_t)rules;
  made.insn_cnt = (uint32_t)count;
  made.license = (uint64_t)(uintptr_t) "none";
  long program = bpf(BPF_PROG_LOAD, &made);
  if (program < 0) isolate_fail("network", name);
  put.target_fd = (uint32_t)group;
  put.attach_bpf_fd = (uint32_t)program;
  put.attach_type = place;
  put.attach_flags = BPF_F_ALLOW_MULTI;
  if (bpf(BPF_PROG_ATTACH, &put)) isolate_fail("network", name);
  close((int)program);
}

/* This process, and so the program, cannot leave the group: it sees no control groups. */
static void enter(int group, const char *path) {
  int list = openat(group, "cgroup.procs", O_WRONLY | O_CLOEXEC);
  if (list < 0 || write(list, "0", 1) != 1) isolate_fail("network", path);
  close(list);
}

void isolate_from_machine(const char *path) {
  struct ifaddrs *own = NULL;
  if (mkdir(path, 0755) && errno != EEXIST) isolate_fail("network", path);
  int group = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (group < 0) isolate_fail("network", path);
  if (getifaddrs(&own)) isolate_fail("network", "addresses");
  read_servers();
  filter_packets();
  attach(group, BPF_PROG_TYPE_CGROUP_SKB, BPF_CGROUP_INET_EGRESS, "packets");
  filter_connections(0, own);
  attach(group, BPF_PROG_TYPE_CGROUP_SOCK_ADDR, BPF_CGROUP_INET4_CONNECT, "connections");
  filter_connections(1, own);
  attach(group, BPF_PROG_TYPE_CGROUP_SOCK_ADDR, BPF_CGROUP_INET6_CONNECT, "connections");
  freeifaddrs(own);
  enter(group, path);
  close(group);
}

void isolate_own_network(void) {
  int any = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  struct ifreq loopback = {0};
  strcpy(loopback.ifr_name, "lo");
  loopback.ifr_flags = IFF_UP | IFF_RUNNING;
  if (any < 0 || ioctl(any, SIOCSIFFLAGS, &loopback)) isolate_fail("network", "loopback");
  close(any);
}
