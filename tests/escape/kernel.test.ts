// Ways out by the kernel itself: calls that reach further than a program needs.
//
// What is not tried: to run a program out of memory (memfd_create and execveat) is allowed. It is no way
// out: what runs so is held by the same walls.

import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { afterAll, beforeAll, describe, vi } from "vitest";
import { hasCompiler, useProbes } from "./compile.ts";
import { type Hole, stands, type WalledAttempt } from "./walls.ts";

vi.mock(import("../../drivers/src/sandbox/bubblewrap-arguments.ts"), async (original) =>
  (await import("./walls.ts")).withHoles(await original()),
);

const isRoot = process.getuid?.() === 0;
const probes = useProbes();
const withProbes = () => ({
  env: { PROBE: `${probes()}/probe` },
  confinement: { mounts: [{ from: probes(), mode: "read" as const }] },
});

const SECCOMP: readonly Hole[] = ["seccomp"];
const USERNS: readonly Hole[] = ["seccomp", "no user namespaces"];

const calls = (
  name: string,
  probe: string,
  walls: readonly Hole[] = SECCOMP,
  more: Partial<WalledAttempt> = {},
): WalledAttempt => ({
  name,
  script: `$PROBE ${probe}`,
  succeedsOutside: "GOT THROUGH",
  failsInside: /refused: /,
  walls,
  ...more,
});

describe.runIf(hasCompiler)("a call", () => {
  stands(
    [
      calls("io_uring, which makes calls that no filter sees", "io_uring"),
      calls("a program for the kernel (bpf)", "bpf"),
      calls("the processor's counters", "perf"),
      calls("page faults in one's own hands (userfaultfd)", "userfault"),
      calls("a watch on all files (fanotify)", "fanotify"),
      calls("a key for the kernel's ring", "add_key"),
      calls("the rings of the session", "keyctl"),
      calls("a key of somebody else", "request_key"),
      calls("a user namespace, by unshare", "unshare", USERNS),
      calls("a user namespace, by clone", "clone", USERNS),
      calls("a user namespace, by clone3, whose flags no filter can read", "clone3", USERNS),
      calls("a file system, by the new calls for mounts", "fsopen", USERNS),
      calls("a mount as a descriptor", "open_tree"),
      calls("a file as a handle, which is good without any path", "handle"),
      calls("addresses that can be foretold", "personality"),
      calls("a comparison of the kernel's own pointers", "kcmp"),
      calls("pages of other processes", "move_pages"),
      calls("being traced", "traceme"),
      calls("a socket to the hypervisor", "vsock"),
      calls("a socket to the kernel's network", "netlink"),
      calls("a letter typed into a terminal", "type_in"),
      calls("the same, with a number that is too long", "type_in_high"),
    ],
    withProbes,
  );
});

describe.runIf(hasCompiler && process.arch === "x64")("a call of this processor", () => {
  stands(
    [
      calls("by the table of another architecture", "other_table", SECCOMP, {
        failsInside: /Bad system call|^attempt began\n*$/,
      }),
      calls("a table of segments", "local_table"),
    ],
    withProbes,
  );
});

describe.runIf(isRoot)("the kernel's settings", () => {
  const rewrites = (name: string, path: string): WalledAttempt => ({
    name,
    script: `v=$(cat ${path}) && printf '%s\\n' "$v" > ${path} && echo wrote`,
    succeedsOutside: "wrote",
    walls: ["read-only mounts", "own user"],
  });
  const settings: WalledAttempt[] = [
    rewrites("what is run when a program crashes", "/proc/sys/kernel/core_pattern"),
    rewrites("what is run to load a module", "/proc/sys/kernel/modprobe"),
    rewrites("how much memory may be promised", "/proc/sys/vm/overcommit_memory"),
    {
      name: "the emergency keys",
      script: "echo h > /proc/sysrq-trigger && echo pulled",
      succeedsOutside: "pulled",
      walls: ["covered /proc", "own user"],
    },
    {
      name: "the list of everybody's timers",
      script: "head -c 5 /proc/timer_list && echo listed",
      succeedsOutside: "listed",
      walls: ["covered /proc", "own user"],
    },
    {
      name: "what the kernel says",
      script: "head -c 1 /proc/kmsg && echo heard",
      succeedsOutside: "heard",
      walls: [],
      alsoStoppedBy: "capabilities that nobody has in it, and a cover for root",
      notOutside: "it would be taken from whoever reads it",
    },
  ];
  const isHere = ({ script }: WalledAttempt) => existsSync(/\/proc\/[\w/-]+/.exec(script)![0]);
  stands(settings.filter(isHere));
});

describe.runIf(existsSync("/usr/bin/ipcmk"))("shared memory of the machine", () => {
  stands(
    [
      {
        name: "is listed",
        script: `ipcs -m | grep " $SHARED " && echo listed`,
        succeedsOutside: "listed",
        walls: ["ipc namespace"],
      },
    ],
    sharing(),
  );
});

/** A segment of somebody on the machine. */
function sharing() {
  let id = "";
  beforeAll(() => {
    const said = execFileSync("/usr/bin/ipcmk", ["-M", "4096", "-p", "0644"], { encoding: "utf8" });
    id = /(\d+)\s*$/.exec(said)![1]!;
  });
  afterAll(() => void execFileSync("/usr/bin/ipcrm", ["-m", id]));
  return () => ({ env: { SHARED: id } });
}
