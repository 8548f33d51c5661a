// System calls: the rows of the ABI, with arguments and behaviour after a crash. kernel/src/handlers/ has the
// handlers.
//
//   effect    read: may be repeated freely. idempotent: repeating changes nothing more.
//             A tool or model has its own effect; the row has that of the call itself.
//   waits     what the process waits on during the call; null for calls that return quickly.

import { z } from "zod";
import type { Json, JsonObject } from "./json.ts";
import { lanes } from "./lane.ts";
import type { WaitKind } from "./process.ts";
import { isSignalName, type SignalName } from "./signals.ts";

export interface Syscall<Args = unknown> {
  readonly summary: string;
  readonly args: z.ZodType<Args>;
  readonly effect: "read" | "idempotent";
  readonly waits: WaitKind | null;
}

const row = <Schema extends z.ZodType>(
  summary: string,
  args: Schema,
  more: { effect?: "read" | "idempotent"; waits?: WaitKind } = {},
): Syscall<z.infer<Schema>> => ({
  summary,
  args: args as unknown as z.ZodType<z.infer<Schema>>,
  effect: more.effect ?? "idempotent",
  waits: more.waits ?? null,
});

/** The kernel's own, which never jumps, and the machine's, as it is set now. */
const clocks = ["steady", "wall"] as const;
export type Clock = (typeof clocks)[number];

const json = z.unknown() as unknown as z.ZodType<Json>;
const path = z.string().startsWith("/").max(4096);
/** Parts of memory that one search looks in beside its path. */
export const MOST_ALSO = 255;
/** A page: at most so many, after the cursor that the page before gave as `next`. */
const page = {
  cursor: z.string().max(8192).optional(),
  limit: z.number().int().positive().max(10_000).optional(),
};
const pid = z.string().startsWith("agt_");
const until = z.number().nonnegative().optional();
/** How urgent a message is, and how long it may wait to be received. */
const urgency = {
  lane: z.enum(lanes).optional(),
  ttlMs: z
    .number()
    .int()
    .positive()
    .max(366 * 86_400_000)
    .optional(),
};
const streamId = z.string().min(1).max(200);
/** What an item has to be to pass from one stage of a pipe to the next. */
const pipeEdge = {
  schema: json.optional(),
  label: z.string().min(1).max(100).optional(),
  endorse: z.literal(true).optional(),
};
const signal = z.custom<SignalName>(
  (text) => typeof text === "string" && isSignalName(text),
  "no such signal",
);

/** What a process may name of its own power: only that is then asked. */
const handle = z.string().regex(/^cap_[A-Za-z0-9_-]{22}$/, "no handle of a capability");

const budget = z.strictObject({
  usd: z.number().nonnegative().optional(),
  tokens: z.number().int().nonnegative().optional(),
  toolCalls: z.number().int().nonnegative().optional(),
  wallMs: z.number().int().positive().optional(),
});

/** What else is wrong with it, the kernel says when it reads it. */
const isManifestText = (value: unknown): boolean => {
  const name = (value as { readonly name?: unknown } | null | undefined)?.name;
  return typeof name === "string" && name !== "" && !Array.isArray(value);
};

/** Bytes in base64, and what they are: `image/png`, `application/pdf`. */
const attachment = z.strictObject({
  mediaType: z.string().regex(/^[\w.+-]+\/[\w.+-]+$/, "a media type, e.g. image/png"),
  data: z.base64(),
  name: z.string().max(255).optional(),
});
/** `meta` is the vendor's own, passed back as it came. */
const thought = z.strictObject({ text: z.string(), meta: json.optional() });
const toolCall = z.strictObject({ id: z.string(), tool: z.string(), args: json });
const message = z.strictObject({
  role: z.enum(["system", "user", "assistant", "tool"]),
  content: z.string(),
  /** Images and files that a person or a tool gives beside the words. */
  attachments: z.array(attachment).max(100).optional(),
  toolCalls: z.array(toolCall).optional(),
  /** The tool call that this message answers. */
  toolCallId: z.string().optional(),
  /** What the model thought before it spoke; some want it back, as they gave it. */
  reasoning: z.array(thought).optional(),
});
const toolOffer = z.strictObject({
  name: z.string(),
  description: z.string(),
  input: json,
});

export const messages = z.array(message);

export const efforts = ["low", "medium", "high"] as const;
export const onDoubtChoices = ["fail", "retry", "ask"] as const;

export const syscalls = {
  infer: row(
    "Ask a model.",
    z.strictObject({
      model: z.string(),
      messages,
      tools: z.array(toolOffer).optional(),
      toolChoice: z.enum(["auto", "required", "none"]).optional(),
      maxTokens: z.number().int().positive().optional(),
      temperature: z.number().min(0).max(2).optional(),
      /** How long it may think, where the model can. */
      effort: z.enum(efforts).optional(),
      /** The answer is to be JSON that fits this JSON Schema. */
      output: z.strictObject({ schema: json, name: z.string().max(64).optional() }).optional(),
      timeoutMs: z.number().int().positive().optional(),
    }),
    { effect: "read", waits: "model" },
  ),
  exec: row(
    "Run a tool.",
    z.strictObject({
      tool: z.string().min(1).max(200),
      args: json,
      key: z.string().min(1).max(200).optional(),
      onDoubt: z.enum(onDoubtChoices).optional(),
      timeoutMs: z.number().int().positive().optional(),
      /** A longer result is cut, and kept whole under `/self/results/`. */
      cutAt: z.number().int().min(1000).optional(),
      by: handle.optional(),
    }),
    { waits: "tool" },
  ),
  read: row(
    "Read a file, or the next piece of an open one.",
    z.strictObject({
      path: path.optional(),
      fd: z.number().int().optional(),
      /** Of a result that was cut: where to begin. */
      offset: z.number().int().nonnegative().optional(),
      length: z.number().int().positive().optional(),
      ...page,
    }),
    { effect: "read" },
  ),
  write: row(
    "Write a file, or append to an open one.",
    z.strictObject({ path: path.optional(), fd: z.number().int().optional(), data: json }),
  ),
  list: row("List the files below a path.", z.strictObject({ path, ...page }), { effect: "read" }),
  remove: row("Remove a file.", z.strictObject({ path })),
  search: row(
    "Find files below a path by their content.",
    z.strictObject({
      path,
      query: z.string().min(1),
      /** Other parts of memory, searched with `path` and ranked together with it. */
      also: z.array(path).min(1).max(MOST_ALSO).optional(),
      limit: z.number().int().positive().max(1000).optional(),
      cursor: page.cursor,
      writer: z.string().min(1).optional(),
      label: z.enum(["trusted", "mixed", "untrusted"]).optional(),
      since: z.number().int().nonnegative().optional(),
      until: z.number().int().nonnegative().optional(),
      kind: z.enum(["dialogue", "document", "code", "episode"]).optional(),
      /** Also facts that others replace. */
      replaced: z.boolean().optional(),
      unit: z.enum(["file", "passage"]).optional(),
    }),
    { effect: "read" },
  ),
  open: row(
    "Open a stream on a file.",
    z.strictObject({ path, mode: z.enum(["read", "append"]).optional() }),
  ),
  close: row("Close a stream.", z.strictObject({ fd: z.number().int() })),
  spawn: row(
    "Start a child process.",
    z
      .strictObject({
        agent: z.string().min(1).max(200).optional(),
        /** Instead of a registered agent: what the child is. Its agent is then `inline/NAME`. */
        manifest: z.custom<JsonObject>(isManifestText, "an object with a name").optional(),
        input: json,
        capabilities: z.array(z.string()).optional(),
        budget: budget.optional(),
        /** What of the parent's work it is for, e.g. a step of a plan. */
        step: z.string().min(1).max(100).optional(),
        by: handle.optional(),
        /** The stage before, whose value the input is: rules of the policy speak of this edge. */
        from: pid.optional(),
        /** It takes items while it runs, and gives them to another child, each of which has to pass the check. */
        pipe: z
          .strictObject({
            in: z.literal(true).optional(),
            out: z.strictObject({ to: pid, ...pipeEdge }).optional(),
          })
          .optional(),
      })
      .refine(
        ({ agent, manifest }) => (agent === undefined) !== (manifest === undefined),
        "give either an agent or a manifest",
      ),
  ),
  wait: row(
    "Wait for the end of a child; a schema and a label can be required of its result.",
    z.strictObject({
      pid,
      until,
      /** Raises an untrusted result to mixed, by a strict schema. */
      endorse: json.optional(),
      /** A result that does not fit, or that carries more than this label, is refused. */
      schema: json.optional(),
      label: z.string().min(1).max(100).optional(),
    }),
    { effect: "read", waits: "child" },
  ),
  grant: row(
    "Grant capabilities to another process.",
    z.strictObject({
      to: pid,
      capabilities: z.array(z.string().min(1)).min(1).max(100),
      /** Milliseconds since 1970. */
      expiresAt: z.number().int().positive().optional(),
      by: handle.optional(),
    }),
  ),
  revoke: row("Revoke a grant.", z.strictObject({ handle })),
  send: row(
    "Send a message to a process, or answer an operator's.",
    z.strictObject({
      /** `operator`: with `replyTo`, the answer to a message that an operator sent. */
      to: z.string().regex(/^(agt_.*|operator)$/, "a pid, or operator"),
      body: json,
      type: z.string().max(100).optional(),
      replyTo: z.string().optional(),
      /** It is a part of this stream, or the last of it. */
      stream: z.strictObject({ id: streamId, end: z.boolean().optional() }).optional(),
      ...urgency,
    }),
  ),
  receive: row(
    "Take the next message, or wait for one.",
    z.strictObject({
      from: pid.optional(),
      type: z.string().optional(),
      topic: z.string().optional(),
      stream: streamId.optional(),
      until,
    }),
    { waits: "message" },
  ),
  request: row(
    "Send a message and wait for its answer.",
    z.strictObject({
      to: pid,
      body: json,
      type: z.string().max(100).optional(),
      until,
      ...urgency,
    }),
    { waits: "message" },
  ),
  publish: row(
    "Send an event to the subscribers of a topic.",
    z.strictObject({ topic: z.string().min(1).max(200), body: json, ...urgency }),
  ),
  subscribe: row(
    "Receive the events of a topic, or of a pattern of topics, as messages.",
    z.strictObject({
      topic: z.string().min(1).max(200),
      /** The name of a subscription that outlives the process: the next of its agent goes on with it. */
      durable: z
        .string()
        .regex(/^[A-Za-z0-9][\w.-]{0,62}$/, "1 to 63 letters, digits, . _ or -")
        .optional(),
    }),
  ),
  ask: row(
    "Ask a person, or propose a grant for this process.",
    z.strictObject({
      question: z.string().min(1).max(4000),
      choices: z.array(z.string().min(1)).optional(),
      /** Capabilities that this process would like to be given. */
      propose: z.array(z.string().min(1)).min(1).max(20).optional(),
      channel: z.string().min(1).max(100).optional(),
      until,
    }),
    { effect: "read", waits: "approval" },
  ),
  signal: row("Send a signal to a process.", z.strictObject({ pid, signal })),
  check: row(
    "Ask whether the gate would allow a call, without making it.",
    z.strictObject({ call: z.string(), args: json }),
    { effect: "read" },
  ),
  self: row("Describe this process.", z.strictObject({}), { effect: "read" }),
  now: row(
    "The time, in milliseconds since 1970.",
    z.strictObject({
      /** `wall`: the machine's clock as it is set now. Else the kernel's, which never jumps. */
      clock: z.enum(clocks).optional(),
    }),
    { effect: "read" },
  ),
  random: row("A random number from 0 up to 1.", z.strictObject({}), { effect: "read" }),
  sleep: row(
    "Wait until a time, in milliseconds since 1970.",
    z.strictObject({ until: z.number(), clock: z.enum(clocks).optional() }),
    { effect: "read", waits: "timer" },
  ),
  checkpoint: row(
    "Save a state from which the program can be started again.",
    z.strictObject({ state: json }),
  ),
  handle: row(
    "Set what a signal does to this program.",
    z.strictObject({ signal, action: z.enum(["handler", "ignore", "default"]) }),
  ),
  mask: row(
    "Hold back signals until they are no longer masked.",
    z.strictObject({ signals: z.array(signal) }),
  ),
  exit: row(
    "End this process.",
    z.strictObject({
      code: z.number().int().min(0).max(255),
      output: json.optional(),
      /** Why, in words, where the code is not 0. */
      reason: z.string().max(1000).optional(),
    }),
  ),
} as const;

export type SyscallName = keyof typeof syscalls;
export type SyscallArgs<Name extends SyscallName> =
  (typeof syscalls)[Name] extends Syscall<infer Args> ? Args : never;

export const isSyscallName = (text: string): text is SyscallName => Object.hasOwn(syscalls, text);

export type Message = z.infer<typeof message>;
export type Attachment = z.infer<typeof attachment>;
export type Thought = z.infer<typeof thought>;
export type ToolCall = z.infer<typeof toolCall>;
export type ToolOffer = z.infer<typeof toolOffer>;
