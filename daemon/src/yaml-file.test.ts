import { expect, test } from "vitest";
import { z } from "zod";
import { configSchema } from "./config.ts";
import { readYaml } from "./yaml-file.ts";

const shape = z.strictObject({
  name: z.string(),
  size: z.union([z.string(), z.number()]).optional(),
  limits: z.strictObject({ depth: z.number().optional() }).default({}),
  parts: z.array(z.strictObject({ kind: z.enum(["a", "b"]) })).default([]),
});

const problemOf = (text: string): string => {
  try {
    readYaml(text, "x.yaml", shape);
    return "none";
  } catch (error) {
    return (error as Error).message;
  }
};

test.each([
  [
    "a field that nobody knows",
    "name: n\nnmae: m\n",
    "x.yaml:2: nmae: unknown field; did you mean name?",
  ],
  [
    "one deeper down, in its own list of fields",
    "name: n\nlimits:\n  # why\n  colour: 3\n",
    "x.yaml:4: limits.colour: unknown field; fields are depth",
  ],
  ["a field that is missing", "# a comment\nlimits: {}\n", "x.yaml:2: name: is missing"],
  [
    "a value in a list",
    "name: n\nparts:\n  - kind: a\n  - kind: c\n",
    'x.yaml:4: parts[1].kind: Invalid option: expected one of "a"|"b"',
  ],
  ["text that is no YAML", "name: n\nlimits: [1\n", /^x\.yaml:\d: /],
  ["a key that is there twice", "name: n\nname: m\n", /^x\.yaml:2: .*unique/],
])("%s is named with its line", (_, text, problem) => {
  if (typeof problem === "string") expect(problemOf(text)).toBe(problem);
  else expect(problemOf(text)).toMatch(problem);
});

test("everything that is wrong is said at once", () => {
  expect(problemOf("nmae: m\nsize: []\n").split("\n")).toHaveLength(3);
});

test("an empty configuration is one with every default", () => {
  expect(readYaml("", "config.yaml", configSchema).read).toEqual({
    socket: { access: "owner" },
    embeddings: { model: "local" },
    goals: {},
    tidy: {},
    notify: {},
    limits: {},
    retention: {},
    backups: { keep: 3 },
    mcp: { approve: false },
    policy: { default: true, files: [] },
    approvals: {},
    sandbox: { limits: {} },
    providers: {},
    models: {},
    mounts: {},
    budgets: [],
    velocity: [],
    scheduler: { tenants: {} },
    tenants: {},
    workspaces: {},
    http: {
      enabled: true,
      host: "127.0.0.1",
      hosts: [],
      rate: { perSecond: 100, burst: 4000 },
      streams: 100,
    },
    log: { level: "info", format: "auto" },
    telemetry: { signals: ["traces"], content: false },
    drain: 10_000,
  });
});
