import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { ALLOW, KILL_PROCESS, refuseWith } from "./assembler.ts";
import { filterFor, type Profile } from "./profiles.ts";
import {
  auditArchitecture,
  numberOf,
  syscallNumbers,
  type Architecture,
  type LinuxSyscall,
} from "./syscalls.ts";

const words = (text: string): string[] => text.split(" ");

interface Call {
  readonly number: number;
  readonly architecture: number;
  readonly args: readonly bigint[];
}

/** The kernel's interpreter, as far as our filters use it. */
function verdict(filter: Buffer, call: Call): number {
  const data = Buffer.alloc(64);
  data.writeUInt32LE(call.number >>> 0, 0);
  data.writeUInt32LE(call.architecture, 4);
  for (const [index, arg] of call.args.entries()) data.writeBigUInt64LE(arg, 16 + index * 8);
  let accumulator = 0;
  for (let at = 0; at < filter.length / 8; at++) {
    const code = filter.readUInt16LE(at * 8);
    const [yes, no] = [filter.readUInt8(at * 8 + 2), filter.readUInt8(at * 8 + 3)];
    const k = filter.readUInt32LE(at * 8 + 4);
    if (code === 0x20) accumulator = data.readUInt32LE(k);
    else if (code === 0x06) return k;
    else if (code === 0x15) at += accumulator === k ? yes : no;
    else if (code === 0x35) at += accumulator >= k ? yes : no;
    else if (code === 0x45) at += (accumulator & k) >>> 0 === 0 ? no : yes;
    else throw new Error(`an instruction that we never write: ${code}`);
  }
  throw new Error("the filter has no end");
}

const EPERM = refuseWith(1);
const ENOSYS = refuseWith(38);

function ask(
  name: LinuxSyscall,
  args: readonly (number | bigint)[] = [],
  {
    profile = "tool",
    architecture = "x64",
  }: { profile?: Profile; architecture?: Architecture } = {},
): number {
  return verdict(filterFor(profile, architecture), {
    number: numberOf(name, architecture)!,
    architecture: auditArchitecture[architecture],
    args: args.map(BigInt),
  });
}

describe("profiles", () => {
  test.each([
    ["the x86 table on a 64-bit machine", 0x4000_0003, KILL_PROCESS],
    ["another architecture", 0xc000_00b7, KILL_PROCESS],
  ])("PROFILES-1 a call by %s ends the process", (_what, architecture, expected) => {
    expect(verdict(filterFor("tool", "x64"), { number: 39, architecture, args: [] })).toBe(
      expected,
    );
  });

  test("PROFILES-1 the x32 table does not exist", () => {
    const number = 0x4000_0000 + 39;

    expect(
      verdict(filterFor("tool", "x64"), { number, architecture: auditArchitecture.x64, args: [] }),
    ).toBe(ENOSYS);
  });

  test.each(["clone3", "openat2"] as const)("PROFILES-2 %s does not exist", (call) => {
    expect(ask(call)).toBe(ENOSYS);
    expect(ask(call, [], { architecture: "arm64" })).toBe(ENOSYS);
  });

  test.each([
    ...words("ptrace process_vm_readv process_vm_writev process_madvise kcmp"),
    ...words("pidfd_getfd userfaultfd perf_event_open bpf fanotify_init io_uring_setup"),
    ...words("io_uring_enter io_uring_register keyctl add_key request_key mount"),
    ...words("umount2 pivot_root chroot fsopen fsconfig fsmount fspick open_tree"),
    ...words("open_tree_attr move_mount mount_setattr unshare setns name_to_handle_at"),
    ...words("open_by_handle_at quotactl quotactl_fd acct init_module finit_module"),
    ...words("delete_module create_module query_module get_kernel_syms kexec_load"),
    ...words("kexec_file_load reboot swapon swapoff iopl ioperm modify_ldt syslog"),
    ...words("vhangup settimeofday clock_settime adjtimex clock_adjtime sethostname"),
    ...words("setdomainname move_pages migrate_pages lookup_dcookie nfsservctl sysfs"),
    ...words("_sysctl uselib"),
  ] as LinuxSyscall[])("F3 %s is refused", (call) => {
    for (const architecture of ["x64", "arm64"] as const) {
      if (numberOf(call, architecture) === null) continue;
      for (const profile of ["tool", "program"] as const) {
        expect(ask(call, [], { architecture, profile })).toBe(EPERM);
      }
    }
  });

  test.each([
    ["a user namespace", 0x1000_0011],
    ["a mount namespace", 0x2_0000],
    ["a network namespace", 0x4000_0000],
    ["a pid namespace", 0x2000_0000],
    ["an ipc namespace", 0x800_0000],
    ["a uts namespace", 0x400_0000],
    ["a cgroup namespace", 0x200_0000],
  ])("PROFILES-3 a process with %s of its own is refused, a plain one is not", (_what, flags) => {
    expect(ask("clone", [flags])).toBe(EPERM);
    expect(ask("clone", [0x3d0f00])).toBe(ALLOW);
  });

  test.each([
    ["TIOCSTI", 0x5412n],
    ["TIOCLINUX", 0x541cn],
    ["TIOCSTI with a bit that the kernel does not look at", 0x1_0000_5412n],
  ])("PROFILES-3 typing into a terminal is refused: %s", (_what, request) => {
    expect(ask("ioctl", [0n, request])).toBe(EPERM);
    expect(ask("ioctl", [0n, 0x5413n])).toBe(ALLOW);
  });

  test("PROFILES-3 the personality can be asked and not changed", () => {
    expect(ask("personality", [0xffff_ffff])).toBe(ALLOW);
    expect(ask("personality", [0])).toBe(ALLOW);
    expect(ask("personality", [0x4_0000])).toBe(EPERM);
  });

  test.each([
    ["chmod", [0, 0o4755]],
    ["fchmod", [0, 0o2755]],
    ["fchmodat", [0, 0, 0o4755]],
    ["fchmodat2", [0, 0, 0o6755]],
    ["creat", [0, 0o4755]],
    ["mknod", [0, 0o104755]],
    ["mknodat", [0, 0, 0o102755]],
    ["open", [0, 0o101, 0o4755]],
    ["openat", [0, 0, 0o101, 0o2755]],
    ["openat", [0, 0, 0o20200002, 0o4755]],
  ] as [LinuxSyscall, number[]][])("F4 %s %j sets no owner's bit", (call, args) => {
    const plain = args.map((arg, index) => (index === args.length - 1 ? arg & ~0o6000 : arg));

    expect(ask(call, args)).toBe(EPERM);
    expect(ask(call, plain)).toBe(ALLOW);
  });

  test("PROFILES-4 opening without making a file is not asked for its mode", () => {
    expect(ask("openat", [0, 0, 0, 0o7777])).toBe(ALLOW);
    expect(ask("open", [0, 0, 0o7777])).toBe(ALLOW);
  });

  test.each([
    ["local", 1, ALLOW],
    ["IPv4", 2, ALLOW],
    ["IPv6", 10, ALLOW],
    ["netlink", 16, EPERM],
    ["packet", 17, EPERM],
    ["vsock", 40, EPERM],
    ["bluetooth", 31, EPERM],
    ["alg", 38, EPERM],
  ])("PROFILES-5 let a tool have a %s socket, and a program none", (_family, family, expected) => {
    expect(ask("socket", [family])).toBe(expected);
    expect(ask("socket", [family], { profile: "program" })).toBe(EPERM);
    expect(ask("socket", [family], { profile: "program", architecture: "arm64" })).toBe(EPERM);
  });

  test("PROFILES-5 a pair of local sockets is there for both", () => {
    expect(ask("socketpair", [1], { profile: "program" })).toBe(ALLOW);
    expect(ask("socketpair", [40])).toBe(EPERM);
  });

  test("what is not spoken of is allowed", () => {
    const getpid = { number: 39, architecture: auditArchitecture.x64, args: [] };

    expect(verdict(filterFor("tool", "x64"), getpid)).toBe(ALLOW);
  });
});

describe("syscall numbers", () => {
  const headers: Record<Architecture, string> = {
    x64: "/usr/include/x86_64-linux-gnu/asm/unistd_64.h",
    arm64: "/usr/include/asm-generic/unistd.h",
  };

  test.each(["x64", "arm64"] as const)("are those of the system's headers: %s", (architecture) => {
    // Only machines with a C compiler have them.
    if (!existsSync(headers[architecture])) return;
    const text = readFileSync(headers[architecture], "utf8");
    const known = new Map(
      [...text.matchAll(/#define __NR(?:3264)?_(\w+)\s+(\d+)/g)].map((m) => [m[1], Number(m[2])]),
    );
    const wrong = Object.keys(syscallNumbers).filter((name) => {
      const number = numberOf(name as LinuxSyscall, architecture);
      return known.has(name) && number !== known.get(name);
    });

    expect(known.size).toBeGreaterThan(200);
    expect(wrong).toEqual([]);
  });
});
