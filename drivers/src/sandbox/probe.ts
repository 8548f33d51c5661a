// Probe: tests the restrictions of the sandbox by running programs in it. Only what was observed is reported as
// enforced.
//
// PROBE-1  Every part is tested on this machine at each start; version numbers and existing files do not count.
// PROBE-2  Whether a program is among the daemon's processes follows from the pid namespaces, never from a pid: in a
//     container the daemon is process 1, and so is the first process of a sandbox.
// PROBE-3  The operator's limits are for runs: one that is small, on a machine that is slow, does not make the probe fail.

import type { Groups } from "./group.ts";
import { currentOwner } from "./owner.ts";
import type { Findings } from "./report.ts";
import type { RunEnding, LimitName, SandboxedRun, RunLimits, RunRequest } from "./sandbox.ts";

export interface ProbeResult {
  readonly start: (request: RunRequest) => Promise<SandboxedRun>;
  readonly groups: Groups;
  /** Files of the machine that everybody may read and that no run was given; one in its /tmp. */
  readonly witnesses: readonly string[];
}

/** Says what it sees, as `name value` lines. It needs a shell and four small programs. */
const LOOK = `
while read -r name value; do
  case $name in CapEff:|CapPrm:|CapBnd:|NoNewPrivs:|Seccomp:) echo "$name $value" ;; esac
done < /proc/self/status
set -- /proc/[0-9]*; echo "processes $#"
echo "namespace $(readlink /proc/self/ns/pid)"
devices=; while read -r device rest; do case $device in *:*) devices=$devices$device ;; esac; done < /proc/net/dev
echo "devices $devices"
for path in $WITNESSES; do [ -e "$path" ] && echo "witness $path"; done
for path in / /usr /etc /dev; do (: > $path/aos-probe) 2>/dev/null && echo "wrote $path"; done
: > /tmp/mine && echo "tmp works"
chmod 4755 /tmp/mine 2>/dev/null && echo "setuid works"
echo looked
`;

/** In its /tmp, until it is stopped; without a file count it ends by itself. */
const MAKE_FILES = "i=0; while [ $i -lt 200 ]; do : > /tmp/$i; i=$((i+1)); done; exec sleep 9";

export async function probe(
  probed: ProbeResult,
): Promise<{ findings: Findings; warnings: string[] }> {
  const [look, memory, processes, cpu, files] = await Promise.all([
    tryRun(probed, LOOK, {}),
    // One line without an end: tail keeps all of it.
    reaches(probed, "memoryBytes", "exec tail -n 1 /dev/zero", { memoryBytes: 16 * 2 ** 20 }),
    reaches(probed, "processes", "for i in 1 2 3 4 5 6 7 8; do sleep 9 & done; wait", {
      processes: 2,
    }),
    reaches(probed, "cpuMs", "while :; do :; done", { cpuMs: 20 }),
    reaches(probed, "files", MAKE_FILES, { files: 100 }),
  ]);
  const seen = readProbe(look.stdout);
  const warnings: string[] = [];
  const { fs, net, syscalls } = judgeProbe(seen, currentOwner().namespace);
  if (!seen.has("looked")) warnings.push(`the sandbox does not start: ${look.stderr.trim()}`);
  for (const [part, wrong] of Object.entries({ fs, net, syscalls })) {
    if (seen.has("looked") && wrong.length > 0) warnings.push(`${part}: ${wrong.join(", ")}`);
  }
  const { mechanism, isEnforced } = probed.groups;
  const held = (works: boolean, by: string) =>
    works && seen.has("looked")
      ? ([isEnforced ? "enforced" : "advisory", by] as const)
      : (["absent", "nothing"] as const);
  const wall = (wrong: readonly string[], by: string) =>
    wrong.length === 0 ? (["enforced", by] as const) : (["absent", "nothing"] as const);
  const watched = isEnforced ? mechanism : "watching and rlimit";
  return {
    findings: {
      fs: wall(fs, "mount namespace"),
      net: wall(net, "network namespace"),
      syscalls: wall(syscalls, "seccomp"),
      pids: held(processes, watched),
      mem: held(memory, watched),
      cpu: held(cpu, isEnforced ? `${mechanism} and rlimit` : watched),
      disk: seen.has("looked")
        ? ["advisory", "watching, rlimit and the size of /tmp"]
        : ["absent", "nothing"],
      files: files && seen.has("looked") ? ["advisory", "watching"] : ["absent", "nothing"],
    },
    warnings,
  };
}

/** What is wrong with each part, in words; nothing when it holds. `ownNamespace` is the daemon's, of pids. */
export function judgeProbe(
  seen: ReadonlyMap<string, readonly string[]>,
  ownNamespace: string,
): Record<"fs" | "net" | "syscalls", string[]> {
  const is = (name: string, value: string) => seen.get(name)?.[0] === value;
  const wrong = (...checks: [isRight: boolean, what: string][]) =>
    checks.filter(([isRight]) => !isRight).map(([, what]) => what);
  const started: [boolean, string] = [seen.has("looked"), "the sandbox does not start"];
  const namespace = /^pid:\[(\d+)\]$/.exec(seen.get("namespace")?.[0] ?? "")?.[1];
  const isApart = namespace !== undefined && namespace !== ownNamespace; // PROBE-2
  const noCapability = ["CapEff:", "CapPrm:", "CapBnd:"].every((name) => is(name, "0".repeat(16)));
  return {
    fs: wrong(
      started,
      [noCapability, "a program has Linux capabilities"],
      [!seen.has("witness"), "a program sees files of the machine"],
      [!seen.has("wrote"), "a program can write to the system"],
      [is("tmp", "works"), "/tmp cannot be used"],
      [Number(seen.get("processes")?.[0]) <= 4 && isApart, "a program sees other processes"],
    ),
    net: wrong(started, [is("devices", "lo:"), "a program has network devices"]),
    syscalls: wrong(
      started,
      [is("NoNewPrivs:", "1"), "a program can gain privileges"],
      [is("Seccomp:", "2"), "there is no seccomp filter"],
      [!seen.has("setuid"), "the seccomp filter does not work"],
    ),
  };
}

export function readProbe(text: string): Map<string, string[]> {
  const seen = new Map<string, string[]>();
  for (const line of text.split("\n").filter((line) => line !== "")) {
    const [name = "", ...values] = line.split(/\s+/);
    seen.set(name, [...(seen.get(name) ?? []), ...values]);
  }
  return seen;
}

/** Whether it was stopped there; where an rlimit holds, the program is told and stops by itself. */
async function reaches(
  probed: ProbeResult,
  limit: LimitName,
  script: string,
  limits: RunLimits,
): Promise<boolean> {
  const ending = await tryRun(probed, script, limits);
  if (ending.limit !== undefined) return ending.limit.name === limit;
  return !probed.groups.isEnforced && ending.code !== null && ending.code !== 0;
}

const NOTHING: RunEnding = {
  code: null,
  signal: null,
  isAborted: false,
  stdout: "",
  stderr: "",
  isCut: false,
  usage: { wallMs: 0, cpuMs: null, memoryBytes: null },
};

async function tryRun(
  { start, witnesses }: ProbeResult,
  script: string,
  limits: RunLimits,
): Promise<RunEnding> {
  try {
    const run = await start({
      command: ["/bin/sh", "-c", script],
      mounts: [],
      env: { WITNESSES: witnesses.join(" ") },
      network: "none",
      profile: "tool",
      output: "collect",
      limits: { wallMs: 10_000, ...limits },
      name: "probe",
    });
    return await run.ended;
  } catch (error) {
    return { ...NOTHING, stderr: (error as Error).message };
  }
}
