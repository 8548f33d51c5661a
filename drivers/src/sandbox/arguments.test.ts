import { describe, expect, test } from "vitest";
import { openArguments, pipedArguments, type BubblewrapPlan } from "./bubblewrap-arguments.ts";
import { readFeatures } from "./bubblewrap-features.ts";
import { translateExit } from "./exit.ts";
import { defaultRunLimits, formatLimit, settleLimits } from "./limits.ts";
import { ulimits, withRlimits } from "./rlimits.ts";

const features = readFeatures(
  "/usr/bin/bwrap",
  "bubblewrap 0.8.0\n",
  "  --bind-fd FD DEST  x\n  --ro-bind-fd FD DEST  x\n  --disable-userns  x\n  --size BYTES  x\n",
);

const walls: BubblewrapPlan = {
  features,
  system: { folders: ["/usr"], links: [["usr/bin", "/bin"]] },
  bound: [
    { source: 4, at: "/etc", mode: "read" },
    { source: 5, at: "/work", mode: "write" },
  ],
  hidden: { files: ["/work/.env", "/work/key"], folders: ["/work/secrets"] },
  empty: 6,
  seccomp: 7,
  env: { A: "b" },
  folder: "/work",
  limits: { ...defaultRunLimits, diskBytes: 5000 },
  isRoot: false,
  mark: "-",
};

const text = (words: readonly (string | Buffer)[]): string => ` ${words.join(" ")} `;

describe("arguments", () => {
  test("BUBBLEWRAP-ARGUMENTS-1 every namespace is the run's own, and no right is left", () => {
    const all = text([...openArguments(walls), ...pipedArguments(walls)]);

    for (const name of ["user", "pid", "ipc", "net", "cgroup", "uts"]) {
      expect(all).toContain(` --unshare-${name} `);
    }
    for (const word of ["--cap-drop ALL", "--new-session", "--die-with-parent", "--clearenv"]) {
      expect(all).toContain(` ${word} `);
    }
    expect(all).toContain(" --disable-userns ");
    expect(all).toContain(" --seccomp 7 ");
    expect(all).toContain(" --size 5000 --perms 1777 --tmpfs /tmp ");
  });

  test("SANDBOX-RUN-2 the program waits until it is let go", () => {
    expect(text(openArguments(walls))).toContain(" --info-fd 4 --block-fd 7 ");
  });

  test("BUBBLEWRAP-ARGUMENTS-2 the last word of the pipe is the one that the command line needs", () => {
    expect(pipedArguments(walls).at(-1)).toBe("--unshare-uts");
    expect(openArguments(walls)).toContain("--hostname");
    expect(openArguments(walls)).not.toContain("--unshare-uts");
  });

  test("BUBBLEWRAP-ARGUMENTS-3 every descriptor is used once by an option that closes it", () => {
    const words = text(pipedArguments(walls));

    expect(words).toContain(" --ro-bind-fd 4 /etc ");
    expect(words).toContain(" --bind-fd 5 /work ");
    expect(words).toContain(" --ro-bind /proc/self/fd/6 /work/.env --ro-bind-fd 6 /work/key ");
    expect(words).toContain(" --tmpfs /work/secrets --remount-ro /work/secrets ");
  });

  test("BUBBLEWRAP-ARGUMENTS-4 for root /proc/sys is covered", () => {
    expect(text(pipedArguments({ ...walls, isRoot: true }))).toContain(
      " --ro-bind /proc/sys /proc/sys ",
    );
    expect(text(pipedArguments(walls))).not.toContain("/proc/sys");
  });

  test("the whole view is read-only in the end", () => {
    expect(text(pipedArguments(walls))).toContain(" --remount-ro /dev --remount-ro / ");
  });

  test("an older bubblewrap is given paths, and no option that it does not have", () => {
    const old = readFeatures("/usr/bin/bwrap", "bubblewrap 0.4.1", "  --bind SRC DEST  x\n");
    const bound = [{ source: "/data", at: "/work", mode: "write" as const }];
    const words = text([
      ...openArguments({ ...walls, features: old }),
      ...pipedArguments({ ...walls, features: old, bound, empty: "/empty" }),
    ]);

    expect(words).toContain(" --bind /data /work ");
    expect(words).toContain(" --ro-bind /empty /work/.env ");
    expect(words).not.toContain("--disable-userns");
    expect(words).not.toContain("--size");
  });
});

describe("limits", () => {
  test("SANDBOX-LIMITS-1 the operator's are the most; the defaults are for what nobody said", () => {
    const settled = settleLimits({ wallMs: 5000, processes: 10 }, { wallMs: 1000, cpuMs: 7 });

    expect(settled).toEqual({ ...defaultRunLimits, wallMs: 1000, processes: 10, cpuMs: 7 });
    expect(settleLimits({ wallMs: Infinity }).wallMs).toBe(Infinity);
    expect(settleLimits({ wallMs: Infinity }, { wallMs: 10 }).wallMs).toBe(10);
  });

  test.each([0, -1, 1.5, Number.NaN])("SANDBOX-LIMITS-2 %d is no limit", (memoryBytes) => {
    expect(() => settleLimits({ memoryBytes })).toThrow(/whole number/);
  });

  test.each([
    ["wallMs", 300, "time: more than 300 ms"],
    ["wallMs", 30_000, "time: more than 30 s"],
    ["cpuMs", 600_000, "processor time: more than 10 min"],
    ["memoryBytes", 256 * 2 ** 20, "memory: more than 256 MiB"],
    ["outputBytes", 1500, "output: more than 1.5 KiB"],
    ["processes", 64, "processes: more than 64 at once"],
    ["fileBytes", 100, "file size: more than 100 bytes"],
  ] as const)("%s of %d is said as %s", (name, limit, words) => {
    expect(formatLimit(name, limit)).toBe(words);
  });

  test("RLIMITS-1 rlimits are set before the command, or it does not run", () => {
    const limits = { ...defaultRunLimits, openFiles: 100, fileBytes: 1024, cpuMs: 1500 };
    const command = withRlimits({ limits, withMemory: false, descriptors: 0 }, ["bwrap", "x y"]);

    expect(command.slice(-2)).toEqual(["bwrap", "x y"]);
    expect(command[2]).toMatch(
      /ulimit -c 0 .* && .*ulimit -n 100 .*ulimit -f 2 .*ulimit -t 3 .* && exec "\$@"$/,
    );
  });

  test("without cgroups memory and processes are rlimits, too; what has no limit has none", () => {
    const limits = { ...defaultRunLimits, memoryBytes: 2048, processes: 10, cpuMs: Infinity };
    const script = ulimits({ limits, withMemory: true, tasksBefore: 100, descriptors: 0 });

    expect(script).toContain("ulimit -d 2 ");
    expect(script).toContain("ulimit -u 178 ");
    expect(script).not.toContain("ulimit -t");
    expect(ulimits({ limits, withMemory: false, descriptors: 0 })).not.toMatch(/-[dup] /);
  });
});

describe("the exit code is told apart from a failure to start", () => {
  test.each([
    [0, { code: 0, signal: null }],
    [1, { code: 1, signal: null }],
    [129, { code: 129, signal: null }],
    [137, { code: null, signal: "SIGKILL" }],
    [139, { code: null, signal: "SIGSEGV" }],
    [159, { code: null, signal: "SIGSYS" }],
    [255, { code: 255, signal: null }],
  ])("%d", (code, expected) => {
    expect(translateExit(code, "")).toEqual(expected);
  });

  test("what bubblewrap could not start is told in our words", () => {
    expect(translateExit(1, "bwrap: execvp x: Permission denied\n")).toEqual({
      code: 126,
      signal: null,
      notStarted: { program: "x", reason: "not-executable" },
      stderr: "x: the program is not executable\n",
    });
    expect(translateExit(1, "bwrap: execvp x: Permission denied\nmore\n").code).toBe(1);
  });
});
