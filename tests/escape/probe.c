// Probe: makes one system call and says whether the kernel took it up.
//
//   probe NAME [PID]     "GOT THROUGH", or "refused: …" for the two errors that a filter answers with
//
// An error of another kind means that the call was looked at, and so that nothing was in front of it.

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

static int pid;

static long failed(int code) { errno = code; return -1; }

/* Root in namespaces of its own, where there may be some: there more calls are looked at. */
static void become_root(void) {
  if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) unshare(CLONE_NEWNS);
}

static long io_uring(void) { char params[120] = {0}; return syscall(425, 1, params); }
static long bpf(void) { char attr[128] = {0}; return syscall(SYS_bpf, 9999, attr, sizeof attr); }
static long perf(void) {
  struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE, .size = sizeof attr,
    .config = PERF_COUNT_SW_TASK_CLOCK, .exclude_kernel = 1, .exclude_hv = 1};
  return syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
}
static long userfault(void) { return syscall(SYS_userfaultfd, 1); }
static long fanotify(void) { return syscall(SYS_fanotify_init, 0x200, 0); }
static long add_key(void) { return syscall(SYS_add_key, "user", "aos", "x", 1, -2); }
static long keyctl(void) { return syscall(SYS_keyctl, 0, -3, 1); }
static long request_key(void) { return syscall(SYS_request_key, "user", "aos-none", NULL, 0); }
static long unshare_user(void) { return unshare(CLONE_NEWUSER); }
static long clone_user(void) {
  long child = syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0);
  if (child == 0) _exit(0);
  return child;
}
static long clone3_user(void) {
  uint64_t args[11] = {CLONE_NEWUSER, 0, 0, 0, SIGCHLD};
  long child = syscall(435, args, sizeof args);
  if (child == 0) _exit(0);
  return child;
}
static long fs_open(void) { become_root(); return syscall(430, "tmpfs", 0); }
static long open_tree(void) { return syscall(428, AT_FDCWD, "/", 0); }
static long handle(void) {
  struct { unsigned bytes; int type; char data[128]; } to = {.bytes = 128};
  int mount_id;
  return syscall(SYS_name_to_handle_at, AT_FDCWD, "/proc/self/exe", &to, &mount_id, 0x400) == 0 || errno == EOPNOTSUPP ? 0 : -1;
}
static long personality_(void) { return syscall(SYS_personality, 0x0040000); }
static long kcmp_(void) { return syscall(SYS_kcmp, getpid(), getpid(), 0, 0, 0); }
static long move_pages_(void) { return syscall(SYS_move_pages, 0, 0, NULL, NULL, NULL, 0); }
static long ptrace_me(void) { return ptrace(PTRACE_TRACEME, 0, 0, 0); }
static long ptrace_other(void) {
  long done = ptrace(PTRACE_ATTACH, pid, 0, 0);
  if (done == 0) { waitpid(pid, NULL, 0); ptrace(PTRACE_DETACH, pid, 0, 0); }
  return done;
}
static long read_other(void) {
  char buffer[8];
  struct iovec mine = {buffer, sizeof buffer}, theirs = {(void *)4096, sizeof buffer};
  return process_vm_readv(pid, &mine, 1, &theirs, 1, 0);
}
static long take_fd(void) {
  int fd = syscall(434, pid, 0);
  return fd < 0 ? -1 : syscall(438, fd, 0, 0);
}
static long limit_other(void) {
  struct rlimit limit = {64, 4096};
  return prlimit(pid, RLIMIT_NOFILE, &limit, NULL);
}
static long vsock(void) { return syscall(SYS_socket, 40, SOCK_STREAM, 0); }
static long netlink(void) { return syscall(SYS_socket, 16, SOCK_RAW, 0); }
static long algorithm(void) { return syscall(SYS_socket, 38, SOCK_SEQPACKET, 0); }

/* A terminal of its own, into which a letter is typed that nobody typed. */
static long type_by(unsigned long number) {
  int master = posix_openpt(O_RDWR | O_NOCTTY);
  if (master < 0 || grantpt(master) != 0 || unlockpt(master) != 0) return failed(EPERM);
  char *name = ptsname(master);
  if (fork() == 0) {
    setsid();
    int slave = open(name, O_RDWR);
    ioctl(slave, TIOCSCTTY, 0);
    _exit(syscall(SYS_ioctl, slave, number, "x") == 0 ? 0 : errno);
  }
  int status;
  wait(&status);
  return WEXITSTATUS(status) == 0 ? 0 : failed(WEXITSTATUS(status));
}
static long type_in(void) { return type_by(TIOCSTI); }
/* With a number of which only the low half is the kernel's. */
static long type_in_high(void) { return type_by(0x100000000UL | TIOCSTI); }

#ifdef __x86_64__
static long other_table(void) {
  int got;
  __asm__ volatile("int $0x80" : "=a"(got) : "a"(20) : "memory");
  return got > 0 ? 0 : failed(-got);
}
static long local_table(void) { char buffer[64]; return syscall(SYS_modify_ldt, 0, buffer, sizeof buffer); }
#endif

static const struct { const char *name; long (*try)(void); } probes[] = {
  {"io_uring", io_uring}, {"bpf", bpf}, {"perf", perf}, {"userfault", userfault},
  {"fanotify", fanotify}, {"add_key", add_key}, {"keyctl", keyctl}, {"request_key", request_key},
  {"unshare", unshare_user}, {"clone", clone_user}, {"clone3", clone3_user},
  {"fsopen", fs_open}, {"open_tree", open_tree}, {"handle", handle}, {"personality", personality_},
  {"kcmp", kcmp_}, {"move_pages", move_pages_}, {"traceme", ptrace_me}, {"ptrace", ptrace_other},
  {"read_other", read_other}, {"take_fd", take_fd}, {"limit_other", limit_other},
  {"vsock", vsock}, {"netlink", netlink}, {"algorithm", algorithm},
  {"type_in", type_in}, {"type_in_high", type_in_high},
#ifdef __x86_64__
  {"other_table", other_table}, {"local_table", local_table},
#endif
};

int main(int argc, char **argv) {
  pid = argc > 2 ? atoi(argv[2]) : 0;
  for (size_t i = 0; argc > 1 && i < sizeof probes / sizeof *probes; i++) {
    if (strcmp(probes[i].name, argv[1]) != 0) continue;
    errno = 0;
    long got = probes[i].try();
    int isRefused = got < 0 && (errno == EPERM || errno == ENOSYS || errno == ESRCH || errno == EACCES);
    printf(isRefused ? "refused: %s\n" : "GOT THROUGH (%s)\n", strerror(got < 0 ? errno : 0));
    return 0;
  }
  puts("there is no such probe");
  return 1;
}
