// Walls: attempts that say what stops them. Each is made three times: inside, where it must fail; outside,
// where nothing holds it and it must succeed; and inside with holes in just those walls that are said to
// stop it, where it must succeed, too. So an attempt that fails for another reason is found out.
//
// A test file that uses it makes the holes possible:
//
//   vi.mock(import("../../drivers/src/sandbox/bubblewrap-arguments.ts"), async (original) =>
//     (await import("./walls.ts")).withHoles(await original()),
//   );

import { describe, expect, test } from "vitest";
import type * as arguments_ from "../../drivers/src/sandbox/bubblewrap-arguments.ts";
import { attempt, type Attempt, type Where } from "./attempt.ts";

type Words = readonly string[];
type Change = (words: Words) => Words;

const without =
  (...gone: Words): Change =>
  (words) =>
    words.filter((word) => !gone.includes(word));

/** Drops an option with so many words after it. */
const withoutOption =
  (option: string, values: number): Change =>
  (words) => {
    const at = words.indexOf(option);
    return at === -1 ? words : words.toSpliced(at, values + 1);
  };

/** The environment and the folder, which are last. */
const ending = (words: Words): Words => words.slice(words.indexOf("--setenv"));

const writable = (words: Words): Words => {
  const kept = words.map((word) => word.replace(/^--ro-bind/, "--bind"));
  return withoutAll("--remount-ro", 1)(kept);
};

const withoutAll =
  (option: string, values: number): Change =>
  (words) => {
    let kept = words;
    while (kept.includes(option)) kept = withoutOption(option, values)(kept);
    return kept;
  };

const replaced =
  (from: Words, to: Words): Change =>
  (words) => {
    const at = words.findIndex((_, index) => from.every((word, n) => words[index + n] === word));
    return at === -1 ? words : words.toSpliced(at, from.length, ...to);
  };

/** What each wall would be without the words that make it. `root`: and the run is root outside. */
const holes = {
  "network namespace": { open: without("--unshare-net") },
  "ipc namespace": { open: without("--unshare-ipc") },
  "process namespace": {
    open: without("--unshare-pid"),
    piped: replaced(["--proc", "/proc"], ["--dev-bind", "/proc", "/proc"]),
  },
  /** Only root can do without. */
  "user namespace": {
    open: (words: Words) =>
      ["--uid", "--gid"].reduce<Words>(
        (rest, option) => withoutOption(option, 1)(rest),
        without("--unshare-user", "--disable-userns")(words),
      ),
  },
  capabilities: { open: replaced(["--cap-drop", "ALL"], ["--cap-add", "ALL"]) },
  seccomp: { open: withoutOption("--seccomp", 1) },
  "no user namespaces": { open: without("--disable-userns") },
  /** All of the machine at its place, to read and to write. */
  "mount view": {
    piped: (words: Words) => [
      ..."--bind / / --proc /proc --dev-bind /dev /dev".split(" "),
      ...ending(words),
    ],
  },
  "read-only mounts": { piped: writable },
  "made-up devices": {
    piped: (words: Words) => {
      const whole = replaced(["--dev", "/dev"], ["--dev-bind", "/dev", "/dev"])(words);
      const shm = whole.indexOf("/dev/shm");
      const sized = whole[shm - 5] === "--size" ? 5 : 3;
      const bare = whole.toSpliced(shm - sized, sized + 1);
      return replaced(["--remount-ro", "/dev"], [])(bare);
    },
  },
  "covered /proc": {
    piped: (words: Words) =>
      words.flatMap((word, index) =>
        isCover(words, index) || isCover(words, index - 1) || isCover(words, index - 2) ? [] : word,
      ),
  },
  /** A user of its own: not a word of bubblewrap's but who starts it. */
  "own user": {},
} satisfies Record<string, { open?: Change; piped?: Change }>;

/** `--ro-bind EMPTY /proc/…`, by a path or by a descriptor. */
const isCover = (words: Words, index: number): boolean =>
  /^--ro-bind(-fd)?$/.test(words[index] ?? "") && /^\/proc\/./.test(words[index + 2] ?? "");

export type Hole = keyof typeof holes;

let open: readonly Hole[] = [];

/** The arguments of bubblewrap, without the walls that have a hole now. */
export function withHoles(module: typeof arguments_): typeof arguments_ {
  const through = (which: "open" | "piped") => (words: string[]) =>
    open
      .map((hole) => (holes[hole] as { open?: Change; piped?: Change })[which])
      .filter((change) => change !== undefined)
      .reduce<Words>((rest, change) => change(rest), words) as string[];
  return {
    ...module,
    openArguments: (walls) => through("open")(module.openArguments(walls)),
    pipedArguments: (walls) => through("piped")(module.pipedArguments(walls) as string[]),
  };
}

export interface WalledAttempt extends Attempt {
  /** What stops it: with these walls gone it gets through. */
  readonly walls: readonly Hole[];
  /** Or, where no hole of ours lets it through: what else stops it. */
  readonly alsoStoppedBy?: string;
  /** Why it is not made outside, where it is not. */
  readonly notOutside?: string;
}

const isRoot = process.getuid?.() === 0;

/** Each of them, in three places. */
export function stands(
  attempts: readonly WalledAttempt[],
  where: () => Partial<Where> = () => ({}),
): void {
  describe.each(attempts)("$name", ({ script, succeedsOutside, failsInside, ...more }) => {
    const { walls, alsoStoppedBy, notOutside } = more;

    test("is refused inside", async () => {
      const output = await attempt(script, { ...where(), sandboxed: true });

      expect(output).not.toContain(succeedsOutside);
      if (failsInside !== undefined) expect(output).toMatch(failsInside);
    });

    test.runIf(notOutside === undefined)("succeeds outside", async () => {
      const output = await attempt(script, { ...where(), sandboxed: false });

      expect(output).toContain(succeedsOutside);
    });

    // Only root can let a run be root.
    const canBeTried = isRoot || !walls.includes("own user");
    test.runIf(alsoStoppedBy === undefined && canBeTried)(
      `succeeds inside without: ${walls.join(", ")}`,
      async () => {
        const { confinement, ...rest } = where();
        const user = walls.includes("own user") ? { user: { uid: 0, gid: 0 } } : {};
        open = walls;
        try {
          const output = await attempt(script, {
            ...rest,
            confinement: { ...confinement, ...user },
            sandboxed: true,
          });

          expect(output).toContain(succeedsOutside);
        } finally {
          open = [];
        }
      },
    );
  });
}
