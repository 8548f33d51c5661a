// What travels to an operation: the schemas of its arguments (operations.ts has the rows).

import { z } from "zod";
import type { Json } from "./json.ts";
import { lanes } from "./lane.ts";
import { MOST_LISTED, processStates } from "./process.ts";
import { MOST_QUESTIONS, USUAL_QUESTIONS } from "./question-page.ts";
import { signalNames } from "./signals.ts";

export const json = z.custom<Json>((value) => value !== undefined);
export const count = z.coerce.number().int().nonnegative();
export const seq = z.number().int().nonnegative();
export const tenant = z.string().min(1).max(63);
export const person = z.string().min(1).max(100);
export const words = z.string().max(10_000);
/** `untrusted/confidential`, and `#tags` where it is marked. */
export const label = z.string().min(1).max(1000);
export const capabilities = z.array(z.string().min(1).max(10_000)).max(1000);
export const durationMs = z.number().int().positive();
export const token = z.string().min(1).max(1_000_000);
/** A file that the caller has read, with the name to use for it in complaints. */
export const textFile = z.strictObject({ file: z.string().min(1).max(4096), text: z.string() });

export const byPid = z.strictObject({
  pid: z.string().min(1).max(200).describe("A pid, a unique beginning of one, or `@last`."),
});
export const byId = z.strictObject({ id: z.string().min(1).max(200) });

export const folder = z.string().startsWith("/").max(4096);

/** What `/work` is: a folder as it is, or a copy of it. */
export const workspace = z.strictObject({ folder, isCow: z.boolean() });

/** The most that one run may use. */
export const runBudget = z.strictObject({
  usd: z.number().nonnegative().optional(),
  tokens: z.number().int().nonnegative().optional(),
  toolCalls: z.number().int().nonnegative().optional(),
  wallMs: z.number().int().positive().optional(),
});

export const spawnBody = z.strictObject({
  /** An agent by name: one of the caller's project, of the home, or built in. */
  agent: z.string().min(1).max(200).optional(),
  /** Or its manifest as it was written, with the name to use for it in complaints. */
  manifest: textFile.optional(),
  /** Where the manifest's relative commands and scripts are. */
  folder: folder.optional(),
  /** Where the caller is: its `.agents/` is looked in first. */
  cwd: folder.optional(),
  workspace: workspace.optional(),
  input: json.optional(),
  /** Where the input comes from; trusted and public unless said. */
  label: label.optional(),
  capabilities: z.array(z.string().min(1)).optional(),
  budget: runBudget.optional(),
  tenant: tenant.optional(),
  lane: z.enum(lanes).optional(),
  /** From now. */
  deadlineMs: durationMs.optional(),
  ttl: z
    .strictObject({
      hops: z.number().int().nonnegative().optional(),
      wallMs: durationMs.optional(),
    })
    .optional(),
});

export const listQuery = z.strictObject({
  tenant: tenant.optional(),
  /** Names with commas between them. */
  states: z
    .string()
    .refine(
      (text) =>
        text.split(",").every((name) => (processStates as readonly string[]).includes(name)),
      `states are ${processStates.join(", ")}`,
    )
    .optional(),
  parent: z.string().min(1).max(200).optional(),
  before: z.string().min(1).max(200).optional(),
  limit: count
    .max(MOST_LISTED, `at most ${MOST_LISTED} at once; before=PID of the last one is the next page`)
    .optional(),
});

export const questionQuery = z.strictObject({
  tenant: tenant.optional(),
  pid: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe("Only what this run, or one that it started, waits for."),
  id: z.string().min(1).max(200).optional().describe("This one, or those whose ids begin so."),
  after: z.string().min(1).max(200).optional().describe("The page after this question."),
  limit: count
    .min(1)
    .max(MOST_QUESTIONS, `at most ${MOST_QUESTIONS} at once; after=ID of the last is the next page`)
    .optional()
    .describe(`${USUAL_QUESTIONS} unless said.`),
});

/** A process, or all processes of an agent: one of the two. */
export const holder = {
  pid: z.string().min(1).max(200).optional(),
  agent: z.string().min(1).max(200).optional(),
  tenant: tenant.optional(),
};

export const grantBody = z.strictObject({
  ...holder,
  /** Or a token that has them. */
  capabilities: capabilities.optional(),
  token: token.optional(),
  expiresInMs: durationMs.optional(),
  reason: z.string().max(1000).optional(),
});

export const tokenBody = z.strictObject({
  capabilities: capabilities.min(1),
  expiresInMs: durationMs.optional(),
  holder: z.string().min(1).max(200).optional(),
});

export const secretBody = z.strictObject({
  name: z.string().min(1).max(200),
  value: z.string().min(1).max(1_000_000),
  /** None: it is put nowhere, and still taken out of everything. */
  bindings: z
    .array(
      z.union([
        z.strictObject({
          kind: z.literal("header"),
          origin: z.string().min(1),
          header: z.string().min(1),
          prefix: z.string().optional(),
        }),
        z.strictObject({
          kind: z.literal("variable"),
          tool: z.string().min(1),
          variable: z.string().min(1),
        }),
      ]),
    )
    .max(100),
  tenant: tenant.optional(),
});

export const byName = z.strictObject({ name: z.string().min(1).max(200) });
/** Where the caller is: what its project brings along is there too. */
export const fromFolder = z.strictObject({ cwd: folder.optional() });

export const toolCallBody = z.strictObject({
  args: json.optional(),
  cwd: folder.optional(),
  workspace: workspace.optional(),
  /** Narrow what the call may touch. */
  capabilities: capabilities.optional(),
  timeoutMs: durationMs.optional(),
});

export const mcpServerBody = z.strictObject({
  name: z.string().regex(/^[a-z0-9][a-z0-9_-]{0,62}$/, "1 to 63 of a-z 0-9 _ -"),
  /** One of the two. */
  command: z.array(z.string().min(1)).min(1).optional(),
  url: z.url({ protocol: /^https?$/ }).optional(),
  /** Values, or `$SECRET_NAME` for a secret. */
  env: z.record(z.string(), z.string()).optional(),
  headers: z.record(z.string(), z.string()).optional(),
  /** Paths that a stdio server sees, `:rw` at the end to write. */
  paths: z.array(z.string().min(1)).optional(),
  /** Hosts that a stdio server may reach. */
  hosts: z.array(z.string().min(1)).optional(),
});

export const attackBody = z.strictObject({
  /** Letters of groups, and ids of attacks; all unless said. */
  only: z.array(z.string().max(20)).min(1).max(1000).optional(),
});

export const signalBody = z.strictObject({
  signal: z.enum(signalNames, "no such signal"),
});
