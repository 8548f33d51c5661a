// Host protocol: the messages between the daemon and a tool host, one line of JSON each.
//
// To the host:      load, call, reply, cancel
// From the host:    loading, described, done, ask
//
// Messages of the host are untrusted: they are parsed with these schemas and limited.

import {
  type FailureCode,
  type FailureText,
  isFailureCode,
  type Json,
  sinks,
  SysError,
  toolUndo,
  type Touch,
} from "@aos/protocol";
import { z } from "zod";

export interface HostCallContext {
  readonly pid: string;
  readonly tenant: string;
  readonly tree: string;
  readonly key: string;
  readonly workspace: { readonly isCow: boolean };
}

/** What a call may ask for while it runs. */
export const hostRequestNames = [
  "authorize",
  "permits",
  "read",
  "write",
  "list",
  "fetch",
  "secret",
  "ask",
] as const;
export type HostRequestName = (typeof hostRequestNames)[number];

export type ToHost =
  | {
      readonly say: "load";
      readonly files: Readonly<Record<string, string>>;
      readonly main: readonly string[];
    }
  | {
      readonly say: "call";
      readonly id: number;
      readonly tool: string;
      readonly args: Json;
      readonly context: HostCallContext;
    }
  | { readonly say: "reply"; readonly id: string; readonly ok?: Json; readonly err?: FailureText }
  | { readonly say: "cancel"; readonly id: number; readonly reason: FailureText };

const TOOL_NAME = /^[a-z][a-z0-9]*(?:[._-][a-z0-9]+)*$/;

const touch: z.ZodType<Touch> = z.strictObject({
  kind: z.string().regex(/^[a-z][a-z0-9_-]*$/, "the kind of a touch is a word"),
  resource: z.string().min(1).max(2000),
  verb: z.string().regex(/^[a-z][a-z0-9_-]*$/, "the verb of a touch is a word"),
});

/** A tool as its file states it; all of it is data. */
export const statedSchema = z.strictObject({
  file: z.string(),
  name: z.string().max(128).regex(TOOL_NAME, "a name like weather.now"),
  version: z.string().min(1).max(64),
  description: z.string().min(1).max(4000),
  tags: z.array(z.string().max(64)).max(20).optional(),
  input: z.record(z.string(), z.json()),
  output: z.record(z.string(), z.json()).optional(),
  effect: z.enum(["read", "idempotent", "external"]),
  egress: z.boolean().optional(),
  hints: z
    .strictObject({
      usd: z.number().nonnegative().optional(),
      ms: z.number().nonnegative().optional(),
    })
    .optional(),
  undo: toolUndo.optional(),
  deprecated: z.string().max(500).optional(),
  needs: z.array(z.string().max(500)).max(50).optional(),
  authority: z.array(z.string().max(128)).max(50).optional(),
  touches: z.array(touch).max(50).default([]),
  sinks: z.array(z.enum(sinks)).max(sinks.length).optional(),
});

export type StatedTool = z.output<typeof statedSchema>;

/** What keeps a file, or a tool of it, from being there. */
export interface ToolFileProblem {
  readonly file: string;
  readonly what: string;
}

export const describedSchema = z.strictObject({
  tools: z.array(z.record(z.string(), z.json())).max(500),
  flaws: z.array(z.strictObject({ file: z.string(), what: z.string().max(4000) })).max(500),
});

/** Codes that a project's tool may fail with; any other becomes EUPSTREAM. */
const TOOL_CODES: ReadonlySet<FailureCode> = new Set([
  ...(["EACCES", "EPOLICY", "EDENIED", "EBUDGET", "EAGAIN", "ETIMEDOUT", "EINVAL"] as const),
  ...(["ENOENT", "EEXIST", "ESTATE", "EUPSTREAM", "EINTR"] as const),
]);

export function readFailure(said: unknown): SysError {
  const { code, message, hint, detail } = (said ?? {}) as Record<string, unknown>;
  const known = typeof code === "string" && isFailureCode(code) && TOOL_CODES.has(code);
  return new SysError(
    known ? code : "EUPSTREAM",
    typeof message === "string" ? message : "the tool failed",
    {
      ...(typeof hint === "string" ? { hint } : {}),
      ...(detail === undefined ? {} : { detail: detail as Json }),
    },
  );
}
