// Ways out by processes: seeing, stopping and using those of others, and outliving one's own end.

import { type ChildProcess, spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { attempt } from "./attempt.ts";
import { hasCompiler, useProbes } from "./compile.ts";
import { type Hole, stands, type WalledAttempt } from "./walls.ts";

vi.mock(import("../../drivers/src/sandbox/bubblewrap-arguments.ts"), async (original) =>
  (await import("./walls.ts")).withHoles(await original()),
);

const SECRET = "secret-in-an-environment";
const probes = useProbes();
let victim: ChildProcess;

/** Somebody of the machine, with the same rights as the daemon; a new one for each test. */
beforeEach(async () => {
  const env = { PATH: "/usr/bin:/bin", TOKEN: SECRET };
  victim = spawn("sleep", ["1000"], { env, stdio: ["pipe", "ignore", "ignore"] });
  await once(victim, "spawn");
});
afterEach(() => void victim.kill("SIGKILL"));

const besideVictim = () => ({
  env: { PROBE: `${probes()}/probe`, VICTIM: String(victim.pid) },
  confinement: { mounts: [{ from: probes(), mode: "read" as const }] },
});

const REACHED: readonly Hole[] = ["process namespace", "own user"];
/** Who is in another user namespace, or has fewer capabilities, may not look into a process either. */
const SEEN: readonly Hole[] = [...REACHED, "user namespace", "capabilities"];
const USED: readonly Hole[] = [...SEEN, "seccomp"];

const onVictim = (
  name: string,
  script: string,
  succeedsOutside: string,
  walls = SEEN,
): WalledAttempt => ({ name, script, succeedsOutside, walls });

describe("another's process", () => {
  stands(
    [
      onVictim("is seen", "tr '\\0' ' ' < /proc/$VICTIM/cmdline", "sleep 1000", [
        "process namespace",
      ]),
      onVictim("gives its environment", "tr '\\0' '\\n' < /proc/$VICTIM/environ", SECRET),
      onVictim("gives its folder", "ls /proc/$VICTIM/cwd/ && echo listed", "listed"),
      onVictim("gives its descriptors", "ls -l /proc/$VICTIM/fd/0 && echo listed", "listed"),
      onVictim(
        "gives its memory",
        `perl -e 'open(F, "<", "/proc/$ENV{VICTIM}/mem") and print "opened"'`,
        "opened",
      ),
      onVictim(
        "is stopped",
        "kill -STOP $VICTIM && kill -CONT $VICTIM && echo stopped",
        "stopped",
        REACHED,
      ),
      onVictim("is killed", "kill -9 $VICTIM && echo killed", "killed", REACHED),
      onVictim("is slowed down", "renice -n 19 -p $VICTIM && echo slowed", "slowed"),
    ],
    besideVictim,
  );
});

describe.runIf(hasCompiler)("another's process, by a call:", () => {
  stands(
    [
      onVictim("traced", "$PROBE ptrace $VICTIM", "GOT THROUGH", USED),
      onVictim("read from", "$PROBE read_other $VICTIM", "GOT THROUGH", USED),
      onVictim("robbed of a descriptor", "$PROBE take_fd $VICTIM", "GOT THROUGH", USED),
      onVictim("limited", "$PROBE limit_other $VICTIM", "GOT THROUGH", REACHED),
    ],
    besideVictim,
  );
});

describe.runIf(hasCompiler)("its own child, which may have more than it should see:", () => {
  const onChild = (name: string, probe: string): WalledAttempt => ({
    name,
    script: `sleep 5 & $PROBE ${probe} $!; kill $!`,
    succeedsOutside: "GOT THROUGH",
    walls: ["seccomp"],
  });
  stands(
    [
      onChild("traced", "ptrace"),
      onChild("read from", "read_other"),
      onChild("robbed of a descriptor", "take_fd"),
    ],
    besideVictim,
  );
});

/** Living processes whose command line has the word. */
const processesWith = (word: string): number[] =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").includes(word);
      } catch {
        return false;
      }
    })
    .map(Number);

const SURVIVORS: [name: string, script: (word: string) => string][] = [
  ["in a session of its own", (word) => `setsid sleep ${word} </dev/null >/dev/null 2>&1 &`],
  [
    "with two parents gone",
    (word) => `(setsid sh -c 'sleep ${word} & sleep ${word} &' </dev/null >/dev/null 2>&1 &)`,
  ],
  [
    "deaf to every signal that can be ignored",
    (word) => `(trap '' TERM INT HUP QUIT; setsid sleep ${word} </dev/null >/dev/null 2>&1 &)`,
  ],
];

describe.each(SURVIVORS)("to live on %s", (_name, script) => {
  const tried = async (sandboxed: boolean): Promise<number> => {
    const word = `1000.${randomInt(1e9, 9e9)}`;
    await attempt(`${script(word)}\nsleep 0.2`, { sandboxed });
    const left = processesWith(word);
    for (const pid of left) process.kill(pid, "SIGKILL");
    return left.length;
  };

  test("is refused inside", async () => {
    expect(await tried(true)).toBe(0);
  });

  test("it succeeds outside", async () => {
    expect(await tried(false)).toBeGreaterThan(0);
  });
});
