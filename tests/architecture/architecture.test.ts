// The house keeps its rules. Each failure names the file and the line that trespasses.

import { readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  chanceElsewhere,
  kernelFiles,
  kernelLayers,
  MAX_LINES,
  proseElsewhere,
  rooms,
  sqlElsewhere,
} from "./import-map.ts";
import { proseTrespasses } from "./prose.ts";
import { readLines, repository, sourceFiles } from "./source-files.ts";
import {
  chanceTrespasses,
  declaredTrespasses,
  driverTrespasses,
  hiddenImports,
  layerTrespasses,
  lengthTrespasses,
  nameTrespasses,
  roomTrespasses,
  sqlTrespasses,
  wordTrespasses,
  type Rule,
} from "./trespass.ts";

const files = sourceFiles();

const rules: readonly [promise: string, rule: Rule][] = [
  ["a room imports only the rooms below it, and of Node only what it may", roomTrespasses],
  ["every import names what it imports", hiddenImports],
  ["a layer of the kernel imports only those below it", layerTrespasses],
  ["a driver imports only those below it", driverTrespasses],
  ["only the store speaks SQL", sqlTrespasses],
  ["only the platform knows time and chance", chanceTrespasses],
  [`a file has at most ${MAX_LINES} lines`, lengthTrespasses],
  ["a file's name says what is in it", nameTrespasses],
  ["nothing in the repository is of one machine", wordTrespasses],
  ["no code branches on words for people", proseTrespasses],
];

describe("in this repository", () => {
  test.each(rules)("%s", (_promise, rule) => {
    expect(rule(files)).toEqual([]);
  });

  test("a room declares only the rooms below it", () => {
    const declared = Object.keys(rooms)
      .filter((room) => files.some(({ path }) => path === `${room}/package.json`))
      .map((room) => [room, dependenciesOf(room)]);

    expect(declaredTrespasses(Object.fromEntries(declared))).toEqual([]);
  });
});

describe("the maps are of this house", () => {
  test("every workspace is a room on the map", () => {
    const { workspaces } = JSON.parse(readFileSync(join(repository, "package.json"), "utf8")) as {
      workspaces: string[];
    };

    expect(workspaces.filter((room) => !Object.hasOwn(rooms, room))).toEqual([]);
  });

  test("every folder and file at the top of the kernel is on the map", () => {
    const inKernel = readdirSync(join(repository, "kernel/src"));

    const known = new Set([...kernelLayers, ...Object.keys(kernelFiles)]);
    expect(inKernel.filter((name) => !known.has(name))).toEqual([]);
  });

  test("every exception is of a file that is there and needs it", () => {
    const found = (path: string) =>
      files.find((file) => file.path === path) ?? readLines(path, "it is gone");
    /** The same file at a place that has no exception. */
    const elsewhere = (path: string) => ({
      ...found(path),
      path: `kernel/src/bus/elsewhere${extname(path)}`,
    });
    const idle = (exceptions: readonly { readonly file: string }[], rule: Rule) =>
      exceptions.filter(({ file }) => rule([elsewhere(file)]).length === 0);

    expect(idle(sqlElsewhere, sqlTrespasses)).toEqual([]);
    expect(idle(chanceElsewhere, chanceTrespasses)).toEqual([]);
    expect(idle(proseElsewhere, proseTrespasses)).toEqual([]);
  });
});

/** A file that trespasses, the rule that must see it, and the line it must name. */
type MadeUp = readonly [what: string, rule: Rule, path: string, text: string, line: number];

const madeUp: readonly MadeUp[] = [
  ...(
    [
      ["a reason", 'untold.filter(({ why }) => why.includes("deep"));'],
      ["the beginning of an error's message", 'if (error?.message.startsWith("gone")) stop();'],
      [
        "a message under another name",
        'const text = `${error.message}!`;\nif (text.match("x")) stop();',
      ],
      ["an error as text", 'if (String(error).includes("x")) stop();'],
      [
        "an expression on standard error",
        "const GONE = /gone/;\nif (GONE.test(run.stderr.trim())) stop();",
      ],
      ["a message that equals a phrase", 'if (err.message === "it is gone") stop();'],
      ["a phrase, wherever it is looked for", 'if (output.includes("was not found")) stop();'],
    ] as const
  ).map(
    ([what, text]) =>
      [
        `a branch on ${what}`,
        proseTrespasses,
        "cli/src/spy.ts",
        text,
        text.split("\n").length,
      ] as const,
  ),
  [
    "a room that reaches up by name",
    roomTrespasses,
    "kernel/src/bus/spy.ts",
    '// one\nimport { x } from "@aos/daemon";',
    2,
  ],
  [
    "a room that reaches up by path",
    roomTrespasses,
    "userland/src/agent/spy.ts",
    'import {\n  x,\n} from "../../../drivers/src/index.ts";',
    3,
  ],
  [
    "a room that reaches up when it runs",
    roomTrespasses,
    "client/src/spy.ts",
    'const x = await import("@aos/kernel");',
    1,
  ],
  [
    "an optional package that is always loaded",
    roomTrespasses,
    "daemon/src/spy.ts",
    'const x = await import("@aos/attacks");\nimport { runAttacks } from "@aos/attacks";',
    2,
  ],
  [
    "a room that runs anywhere and needs Node",
    roomTrespasses,
    "protocol/src/spy.ts",
    'import { readFileSync } from "node:fs";',
    1,
  ],
  [
    "a kernel that opens a connection",
    roomTrespasses,
    "kernel/src/bus/spy.ts",
    'import { connect } from "node:net";',
    1,
  ],
  [
    "an import that is worked out when it runs",
    hiddenImports,
    "client/src/spy.ts",
    "const x = await import(name);",
    1,
  ],
  [
    "a layer that reaches up",
    layerTrespasses,
    "kernel/src/journal/spy.ts",
    'import type { Gate } from "../syscall/gate.ts";',
    1,
  ],
  [
    "a layer that comes in by the door",
    layerTrespasses,
    "kernel/src/bus/spy.ts",
    'export { bootKernel } from "../index.ts";',
    1,
  ],
  ["a layer that is on no map", layerTrespasses, "kernel/src/cellar/spy.ts", "", 1],
  [
    "a driver that uses another",
    driverTrespasses,
    "drivers/src/sandbox/spy.ts",
    'import { x } from "../tools/echo.ts";',
    1,
  ],
  [
    "SQL outside the store",
    sqlTrespasses,
    "kernel/src/process/spy.ts",
    'const sql = "select pid from process where key = ?";',
    1,
  ],
  [
    "a database outside the store",
    sqlTrespasses,
    "drivers/src/sandbox/spy.ts",
    'import pg from "pg";',
    1,
  ],
  ["a clock outside the platform", chanceTrespasses, "kernel/src/bus/spy.ts", "Date.now()", 1],
  ["chance outside the platform", chanceTrespasses, "kernel/src/bus/spy.ts", "\nMath.random()", 2],
  [
    "a file that is too long",
    lengthTrespasses,
    "kernel/src/bus/spy.ts",
    "x\n".repeat(MAX_LINES + 1),
    MAX_LINES + 1,
  ],
  ["a file that is called nothing", nameTrespasses, "kernel/src/bus/string-utils.ts", "", 1],
  [
    "a path of somebody's machine",
    wordTrespasses,
    "docs/spy.md",
    `see ${["/work/", "main"].join("")}/docs`,
    1,
  ],
];

describe("the rules find", () => {
  test.each(madeUp)("%s", (_what, rule, path, text, line) => {
    const found = rule([readLines(path, text)]);

    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(new RegExp(`^${path}:${line}: `));
  });

  test("a dependency that is not on the map", () => {
    expect(declaredTrespasses({ userland: ["@aos/protocol", "@aos/kernel"] })).toEqual([
      "userland/package.json: userland must not depend on @aos/kernel",
    ]);
  });

  test("a comment breaks no rule", () => {
    const text = '// import { x } from "@aos/daemon"\n/** Date.now() */\n * select a from b';

    const found = [roomTrespasses, sqlTrespasses, chanceTrespasses].flatMap((rule) =>
      rule([readLines("kernel/src/bus/fine.ts", text)]),
    );

    expect(found).toEqual([]);
  });
});

function dependenciesOf(room: string): string[] {
  const { dependencies = {} } = JSON.parse(
    readFileSync(join(repository, room, "package.json"), "utf8"),
  ) as { dependencies?: Record<string, string> };
  return Object.keys(dependencies);
}
