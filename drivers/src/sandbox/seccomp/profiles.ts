// Profiles: which system calls a run may not make. `tool` is what programs need; `program` is the same
// without any socket.
//
//   filterFor("tool", "x64")   the bytes that bubblewrap loads with --seccomp
//
// PROFILES-1  A call that comes by another architecture's table ends the process: its numbers mean
//     something else.
// PROFILES-2  What cannot be looked at, because it lies behind a pointer, does not exist (ENOSYS), and
//     libraries use the older call: clone3, openat2.
// PROFILES-3  What would widen the kernel's surface, reach another process's memory, the mounts, the
//     keys, the clock or the devices is refused (EPERM), also where the missing capability would refuse
//     it.
// PROFILES-4  No file gets a set-user-ID or set-group-ID bit: outside the sandbox it would run as our user.
// PROFILES-5  A socket is local or IP (the network namespace holds those), and with `program` there is
//     none. A pair of connected sockets has no way out and stays.

import { ALLOW, Assembler, KILL_PROCESS, refuseWith, type Comparison } from "./assembler.ts";
import { auditArchitecture, numberOf, type Architecture, type LinuxSyscall } from "./syscalls.ts";

export type Profile = "tool" | "program";

const EPERM = 1;
const ENOSYS = 38;

/** PROFILES-3 */
const refused: readonly LinuxSyscall[] = [
  ...(["ptrace", "process_vm_readv", "process_vm_writev", "process_madvise", "kcmp"] as const),
  ...(["pidfd_getfd", "userfaultfd", "perf_event_open", "bpf", "fanotify_init"] as const),
  ...(["io_uring_setup", "io_uring_enter", "io_uring_register"] as const),
  ...(["keyctl", "add_key", "request_key"] as const),
  ...([
    "mount",
    "umount2",
    "pivot_root",
    "chroot",
    "fsopen",
    "fsconfig",
    "fsmount",
    "fspick",
  ] as const),
  ...(["open_tree", "open_tree_attr", "move_mount", "mount_setattr", "unshare", "setns"] as const),
  ...(["name_to_handle_at", "open_by_handle_at", "quotactl", "quotactl_fd", "acct"] as const),
  ...(["init_module", "finit_module", "delete_module", "create_module"] as const),
  ...(["query_module", "get_kernel_syms", "kexec_load", "kexec_file_load", "reboot"] as const),
  ...(["swapon", "swapoff", "iopl", "ioperm", "modify_ldt", "syslog", "vhangup"] as const),
  ...(["settimeofday", "clock_settime", "adjtimex", "clock_adjtime"] as const),
  ...(["sethostname", "setdomainname", "move_pages", "migrate_pages"] as const),
  ...(["lookup_dcookie", "nfsservctl", "sysfs", "_sysctl", "uselib"] as const),
];

/** PROFILES-2 */
const unknown: readonly LinuxSyscall[] = ["clone3", "openat2"];

/** One argument is asked; where every condition of a rule holds, the call is refused. */
interface Condition {
  readonly argument: number;
  readonly question: Comparison;
  readonly values: readonly number[];
  /** It holds when none of the values fits. */
  readonly isNone?: true;
}

interface Rule {
  readonly call: LinuxSyscall;
  readonly when: readonly Condition[];
}

const NEW_NAMESPACES = 0x7e02_0000;
const SET_ID_BITS = 0o6000;
/** O_CREAT, and the bit of O_TMPFILE: only then is there a mode. */
const MAKES_A_FILE = 0x40_0040;
const TIOCSTI = 0x5412;
const TIOCLINUX = 0x541c;
const AF_UNIX = 1;
const AF_INET = 2;
const AF_INET6 = 10;

const hasBits = (argument: number, ...values: number[]): Condition => ({
  argument,
  question: "anyBit",
  values,
});
const isOneOf = (argument: number, ...values: number[]): Condition => ({
  argument,
  question: "equal",
  values,
});
const isNoneOf = (argument: number, ...values: number[]): Condition => ({
  ...isOneOf(argument, ...values),
  isNone: true,
});

const conditional: readonly Rule[] = [
  { call: "clone", when: [hasBits(0, NEW_NAMESPACES)] },
  { call: "ioctl", when: [isOneOf(1, TIOCSTI, TIOCLINUX)] },
  { call: "personality", when: [isNoneOf(0, 0, 0xffff_ffff)] },
  { call: "chmod", when: [hasBits(1, SET_ID_BITS)] },
  { call: "fchmod", when: [hasBits(1, SET_ID_BITS)] },
  { call: "fchmodat", when: [hasBits(2, SET_ID_BITS)] },
  { call: "fchmodat2", when: [hasBits(2, SET_ID_BITS)] },
  { call: "creat", when: [hasBits(1, SET_ID_BITS)] },
  { call: "mknod", when: [hasBits(1, SET_ID_BITS)] },
  { call: "mknodat", when: [hasBits(2, SET_ID_BITS)] },
  { call: "open", when: [hasBits(1, MAKES_A_FILE), hasBits(2, SET_ID_BITS)] },
  { call: "openat", when: [hasBits(2, MAKES_A_FILE), hasBits(3, SET_ID_BITS)] },
  { call: "socketpair", when: [isNoneOf(0, AF_UNIX)] },
];

/** PROFILES-5 */
const sockets: Record<Profile, Rule> = {
  tool: { call: "socket", when: [isNoneOf(0, AF_UNIX, AF_INET, AF_INET6)] },
  program: { call: "socket", when: [] },
};

export const knowsArchitecture = (architecture: string): architecture is Architecture =>
  Object.hasOwn(auditArchitecture, architecture);

export function filterFor(profile: Profile, architecture: Architecture): Buffer {
  const asm = new Assembler();
  asm.loadArchitecture();
  asm.jump("equal", auditArchitecture[architecture], { yes: "known" });
  asm.return(KILL_PROCESS);
  asm.label("known");
  asm.loadNumber();
  // The x32 table: the same architecture by name, with its own call numbers.
  if (architecture === "x64") refuseIf(asm, "atLeast", 0x4000_0000, ENOSYS);
  for (const call of unknown) refuseCall(asm, numberOf(call, architecture), ENOSYS);
  for (const call of refused) refuseCall(asm, numberOf(call, architecture), EPERM);
  for (const rule of [...conditional, sockets[profile]]) refuseWhen(asm, rule, architecture);
  asm.return(ALLOW);
  return asm.assemble();
}

function refuseCall(asm: Assembler, number: number | null, errno: number): void {
  if (number !== null) refuseIf(asm, "equal", number, errno);
}

function refuseIf(asm: Assembler, question: Comparison, k: number, errno: number): void {
  const next = asm.newLabel();
  asm.jump(question, k, { no: next });
  asm.return(refuseWith(errno));
  asm.label(next);
}

function refuseWhen(asm: Assembler, { call, when }: Rule, architecture: Architecture): void {
  const number = numberOf(call, architecture);
  if (number === null) return;
  const next = asm.newLabel();
  const allowed = asm.newLabel();
  asm.jump("equal", number, { no: next });
  for (const { argument, question, values, isNone } of when) {
    const holds = asm.newLabel();
    asm.loadArgument(argument);
    for (const value of values) {
      asm.jump(question, value, { yes: isNone === true ? allowed : holds });
    }
    if (isNone !== true) {
      // None of the values fitted, so the condition does not hold.
      asm.jump("atLeast", 0, { yes: allowed });
    }
    asm.label(holds);
  }
  asm.return(refuseWith(EPERM));
  asm.label(allowed);
  asm.return(ALLOW);
  asm.label(next);
}
