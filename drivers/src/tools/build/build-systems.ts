// Build systems: the programs and targets that build.run may start, one row each.
//
// BUILD-SYSTEMS-1  A target is a plain name: no leading dash, and no word that runs another program.

import { SysError } from "@aos/protocol";

export interface BuildSystem {
  readonly program: string;
  /** The file whose presence says that a project uses it. */
  readonly sign: readonly string[];
  /** The words for a target; throws EINVAL for one that is not allowed. */
  readonly words: (target: string, args: readonly string[]) => readonly string[];
  /** Targets that need the network. */
  readonly online: ReadonlySet<string>;
  readonly env: Readonly<Record<string, string>>;
}

const NAME = /^[A-Za-z0-9_@][A-Za-z0-9_.:@/=+-]*$/;
const CARGO = ["build", "test", "check", "clippy", "fmt", "doc", "bench", "run"];
const NPM_OWN = new Set(["test", "install", "ci"]);

/** BUILD-SYSTEMS-1. */
function named(target: string): string {
  if (NAME.test(target) && !target.includes("..")) return target;
  throw new SysError("EINVAL", `${JSON.stringify(target)} is not a valid target name`);
}

function oneOf(program: string, target: string, allowed: readonly string[]): string {
  if (allowed.includes(target)) return target;
  throw new SysError("EINVAL", `${program} ${target} is not allowed`, {
    hint: `allowed are ${allowed.join(", ")}`,
  });
}

export const buildSystems: Readonly<Record<string, BuildSystem>> = {
  npm: {
    program: "npm",
    sign: ["package.json"],
    words: (target, args) => [
      ...(NPM_OWN.has(target) ? [target] : ["run", named(target)]),
      ...(args.length === 0 ? [] : ["--", ...args]),
    ],
    online: new Set(["install", "ci"]),
    env: { npm_config_cache: "/tmp/npm", npm_config_update_notifier: "false", CI: "true" },
  },
  make: {
    program: "make",
    sign: ["Makefile", "makefile", "GNUmakefile"],
    words: (target, args) => [named(target), ...args.map(named)],
    online: new Set(),
    env: {},
  },
  cargo: {
    program: "cargo",
    sign: ["Cargo.toml"],
    words: (target, args) => [oneOf("cargo", target, CARGO), ...args],
    online: new Set(),
    env: { CARGO_HOME: "/tmp/cargo", CARGO_TERM_COLOR: "never" },
  },
  pytest: {
    program: "pytest",
    sign: ["pytest.ini", "pyproject.toml", "conftest.py", "tests"],
    words: (target, args) => [
      ...(target === "test" ? [] : [named(target)]),
      "-p",
      "no:cacheprovider",
      ...args,
    ],
    online: new Set(),
    env: { PYTHONDONTWRITEBYTECODE: "1" },
  },
};

/** How many passed and failed, where the program says it in its own well-known words. */
export function testCounts(output: string): { passed: number; failed: number } | undefined {
  const count = (pattern: RegExp) =>
    [...output.matchAll(pattern)].reduce((n, m) => n + Number(m[1]), 0);
  const shapes: readonly [RegExp, RegExp][] = [
    [/^# pass (\d+)$/gm, /^# fail (\d+)$/gm], // node --test, tap
    [/^ℹ pass (\d+)$/gm, /^ℹ fail (\d+)$/gm], // node --test, spec
    [/test result: .*?(\d+) passed/g, /test result: .*?(\d+) failed/g], // cargo
    [/(?:=|,|\s)(\d+) passed/g, /(?:=|,|\s)(\d+) failed/g], // pytest, vitest, jest
  ];
  for (const [passed, failed] of shapes) {
    const found = { passed: count(passed), failed: count(failed) };
    if (found.passed + found.failed > 0) return found;
  }
  return undefined;
}
