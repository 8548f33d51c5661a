// Tools that are system calls: tools of a model that the kernel itself carries out. The program offers them and makes
// the call, so the gate judges it and the journal records it.
//
//   const call = asSyscall("agent.spawn", { agent: "helper", input: "…" })   { name: "spawn", args: {…} }
//
// SYSCALL-TOOLS-1  Such a tool has no power of its own: it is another name for one system call.
// SYSCALL-TOOLS-2  Invalid arguments are reported to the model, and no call is made.

import { z } from "zod";
import { ARCHIVE } from "./context-words.ts";
import { SysError } from "./failures.ts";
import type { Json, JsonObject } from "./json.ts";
import { contextTools } from "./context-tools.ts";
import { memoryTools } from "./memory-tools.ts";
import type { SyscallName, ToolOffer } from "./syscalls.ts";

export interface SyscallTool {
  readonly name: string;
  readonly description: string;
  readonly call: SyscallName;
  /** The capabilities that a call needs, for people: kin may always talk, and a child be waited for. */
  readonly needs: readonly string[];
  readonly input: z.ZodType<JsonObject>;
  readonly args: (input: JsonObject) => JsonObject;
  /** Where it is that call on some paths only: they, and what is below them. */
  readonly within: readonly string[];
  /** What the model is told of the call's result; `input` is what it asked for. */
  readonly result: (result: Json, input: JsonObject) => Json;
}

interface Row {
  readonly description: string;
  readonly call: SyscallName;
  readonly needs?: readonly string[];
  readonly input: z.ZodType;
  /** Where the call's arguments are not the tool's own. */
  readonly args?: (input: never) => JsonObject;
  readonly within?: readonly string[];
  readonly result?: (result: Json, input: never) => Json;
}

const value = z.unknown() as unknown as z.ZodType<Json>;
const budget = z.strictObject({
  usd: z.number().nonnegative().optional(),
  tokens: z.number().int().nonnegative().optional(),
  toolCalls: z.number().int().nonnegative().optional(),
  wallMs: z.number().int().positive().optional(),
});
const path = z.string().startsWith("/").describe("A path of memory, e.g. /mem/working/notes");
const pid = z.string().startsWith("agt_").describe("The process, agt_…");

const rows: Readonly<Record<string, Row>> = {
  "agent.spawn": {
    description: "Start another agent, and get its pid; agent.wait gives its result.",
    call: "spawn",
    needs: ["agent:NAME:spawn"],
    input: z.strictObject({
      agent: z.string().min(1).describe("The agent's name."),
      input: value.describe("What it is given."),
      capabilities: z
        .array(z.string())
        .optional()
        .describe("All that it may do, at most what this agent may hand on."),
      budget: budget
        .optional()
        .describe("The most that it may use; it counts against this agent's own."),
    }),
  },
  "agent.wait": {
    description: "Wait until an agent that was started has ended, and get its result.",
    call: "wait",
    input: z.strictObject({ pid }),
  },
  "memory.read": {
    description: "Read what was written to memory.",
    call: "read",
    needs: ["memory:PATH:read"],
    input: z.strictObject({ path }),
  },
  "memory.write": {
    description: "Write a value to memory, in place of what was there.",
    call: "write",
    needs: ["memory:PATH:write"],
    input: z.strictObject({ path, value }),
    args: ({ path: where, value: data }: { path: string; value: Json }) => ({ path: where, data }),
  },
  "memory.list": {
    description: "The paths below a path of memory.",
    call: "list",
    needs: ["memory:PATH:list"],
    input: z.strictObject({ path }),
  },
  "memory.search": {
    description: "Find what was written below a path of memory by its words.",
    call: "search",
    needs: ["memory:PATH:search"],
    input: z.strictObject({
      path,
      query: z.string().min(1),
      limit: z.number().int().positive().max(100).optional(),
    }),
  },
  "memory.remove": {
    description: "Remove what was written to memory.",
    call: "remove",
    needs: ["memory:PATH:remove"],
    input: z.strictObject({ path }),
  },
  ...memoryTools,
  ...contextTools,
  "message.send": {
    description: "Send a message to another agent.",
    call: "send",
    needs: ["message:PID:send"],
    input: z.strictObject({ to: pid, body: value, type: z.string().max(100).optional() }),
  },
  "message.receive": {
    description: "Take the next message, or wait for one.",
    call: "receive",
    input: z.strictObject({ from: pid.optional(), type: z.string().optional() }),
  },
  "message.request": {
    description: "Send a message to another agent and wait for its answer.",
    call: "request",
    needs: ["message:PID:send"],
    input: z.strictObject({ to: pid, body: value, type: z.string().max(100).optional() }),
  },
  "message.publish": {
    description: "Tell everyone who subscribed to a topic.",
    call: "publish",
    needs: ["message:TOPIC:publish"],
    input: z.strictObject({ topic: z.string().min(1).max(200), body: value }),
  },
  "message.subscribe": {
    description: "Get the events of a topic as messages.",
    call: "subscribe",
    needs: ["message:TOPIC:subscribe"],
    input: z.strictObject({ topic: z.string().min(1).max(200) }),
  },
  "context.read": {
    description:
      "Read what was taken out of this conversation, as it was said. Gives `text`, and in `next` where the rest begins.",
    call: "read",
    input: z.strictObject({
      archive: z.number().int().positive().describe("The N of /ctx/archive/N."),
      offset: z.number().int().nonnegative().default(0),
      length: z.number().int().positive().max(30_000).default(8000),
    }),
    args: ({ archive, ...piece }: { archive: number; offset: number; length: number }) => ({
      path: `${ARCHIVE}/${archive}`,
      ...piece,
    }),
  },
  "context.search": {
    description:
      "Find words in all that was taken out of this conversation. Gives the place of each message that has them, and the words around.",
    call: "search",
    input: z.strictObject({
      query: z.string().min(1).max(1000),
      archive: z
        .number()
        .int()
        .positive()
        .optional()
        .describe("Only there: the N of /ctx/archive/N."),
      limit: z.number().int().positive().max(20).default(5),
    }),
    args: ({ archive, ...rest }: { archive?: number; query: string; limit: number }) => ({
      path: archive === undefined ? ARCHIVE : `${ARCHIVE}/${archive}`,
      ...rest,
    }),
  },
  "agent.create": {
    description:
      "Start an agent that you describe by a manifest: name, model, system, tools, capabilities. It gets no more than you have yourself. Gives its pid; agent.wait gives its result.",
    call: "spawn",
    needs: ["agent:inline/NAME:spawn"],
    input: z.strictObject({
      manifest: z
        .looseObject({ name: z.string().min(1) })
        .describe("As an agent.yaml; apiVersion and kind may be left out."),
      input: value.describe("What it is given."),
      budget: budget
        .optional()
        .describe("The most that it may use; it counts against this agent's own."),
    }),
    args: ({ manifest, ...rest }: { manifest: JsonObject }) => ({
      manifest: { apiVersion: "aos/v1", kind: "Agent", ...manifest },
      ...rest,
    }),
  },
  "person.propose": {
    description:
      "Ask a person to give you capabilities that you were refused, as a refusal names them. The answer is approve or deny.",
    call: "ask",
    input: z.strictObject({
      question: z.string().min(1).max(4000).describe("What for."),
      capabilities: z.array(z.string().min(1)).min(1).max(20),
    }),
    args: ({ question, capabilities }: { question: string; capabilities: string[] }) => ({
      question,
      propose: capabilities,
    }),
  },
  "person.ask": {
    description: "Ask a person, and wait for the answer.",
    call: "ask",
    input: z.strictObject({
      question: z.string().min(1).max(4000),
      choices: z.array(z.string().min(1)).optional(),
    }),
  },
  "result.read": {
    description:
      "Read a piece of a result that was cut. Gives `text`, and in `next` where the rest begins.",
    call: "read",
    input: z.strictObject({
      path: z.string().startsWith("/self/results/"),
      offset: z.number().int().nonnegative().default(0),
      length: z.number().int().positive().max(30_000).default(20_000),
    }),
  },
  "skill.read": {
    description: "Read a skill's instructions, or one of its files.",
    call: "read",
    input: z.strictObject({
      name: z.string().regex(/^[a-z0-9-]{1,64}$/, "the name of a skill"),
      file: z
        .string()
        .min(1)
        .max(500)
        .default("SKILL.md")
        .describe("A file of the skill, as its instructions name it."),
      offset: z
        .number()
        .int()
        .nonnegative()
        .optional()
        .describe("Of a long file: the `next` of the piece before."),
    }),
    args: ({ name, file, ...piece }: { name: string; file: string; offset?: number }) => ({
      path: `/skills/${name}/${file.replace(/^\.\//, "")}`,
      length: 30_000,
      ...piece,
    }),
  },
};

export const syscallTools: readonly SyscallTool[] = Object.entries(rows).map(([name, row]) => ({
  name,
  description: row.description,
  call: row.call,
  needs: row.needs ?? [],
  input: row.input as z.ZodType<JsonObject>,
  args: (row.args as SyscallTool["args"] | undefined) ?? ((input) => input),
  within: row.within ?? [],
  result: (row.result as SyscallTool["result"] | undefined) ?? ((result) => result),
}));

const byName = new Map(syscallTools.map((tool) => [tool.name, tool]));

export const syscallToolNamed = (name: string): SyscallTool | undefined => byName.get(name);

/** The schema that a model is shown. */
export const offerOf = ({ name, description, input }: SyscallTool): ToolOffer => ({
  name,
  description,
  input: shownSchema(input),
});

/** Made once for each tool: it takes longer than a whole turn of an agent. Nobody changes it. */
const shownSchemas = new WeakMap<z.ZodType, Json>();

function shownSchema(input: z.ZodType): Json {
  const known = shownSchemas.get(input);
  if (known !== undefined) return known;
  const { $schema: _dialect, ...schema } = z.toJSONSchema(input, { io: "input" });
  shownSchemas.set(input, schema as Json);
  return schema as Json;
}

/** SYSCALL-TOOLS-2. Throws EINVAL. */
export function asSyscall(
  { name, call, input, args }: SyscallTool,
  given: Json,
): { readonly name: SyscallName; readonly args: JsonObject } {
  const checked = input.safeParse(given);
  if (!checked.success) throw new SysError("EINVAL", `${name}: ${z.prettifyError(checked.error)}`);
  return { name: call, args: args(checked.data) };
}
