// Operations about tests of agents.

import { z } from "zod";
import { byPid, folder, words } from "./argument-fields.ts";
import { operation, type ReportOf } from "./operation.ts";
import { amount, count, named, names, text } from "./response-fields.ts";

const agentTestReport = named(
  "AgentTestReport",
  z.strictObject({
    name: z.string(),
    file: z.string(),
    ok: z.boolean(),
    ms: amount,
    problems: names,
    calls: count,
    usd: amount,
    pid: z.string().nullable(),
  }),
);
export type AgentTestReport = ReportOf<typeof agentTestReport>;

export const agentTestOperations = {
  runTests: operation({
    method: "POST",
    path: "/tests",
    summary: "Run tests of agents, with a scripted model and fake tools.",
    role: "operator",
    reach: "machine",
    body: z.strictObject({
      /** Files, or folders that are looked through. */
      paths: z.array(folder).min(1).max(1000),
      only: words.optional().describe("only tests whose file or name contains these words"),
    }),
    streams: true,
    response: agentTestReport,
  }),

  recordTest: operation({
    method: "POST",
    path: "/processes/:pid/test",
    summary: "Create a test from an ended run, and run it once.",
    role: "operator",
    reach: "machine",
    params: byPid,
    body: z.strictObject({
      /** What its files are called. */
      name: z
        .string()
        .regex(/^[a-z0-9][a-z0-9._-]{0,99}$/, "a test's file is named with a-z 0-9 . _ -")
        .optional()
        .describe("the name of the files (default: the agent's name and the end of the pid)"),
      /** Where it is going to be: relative paths begin there, and its project's policy holds. */
      folder: folder.optional(),
      /** A manifest file, to be tested in the place of the one that the run had. */
      agent: folder.optional().describe("the manifest to test"),
    }),
    response: z.strictObject({ name: text, text, script: text }),
  }),
} as const;
