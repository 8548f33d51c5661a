// GoalEvents: what a goal and its children do, one line each: which step, which agent, where it ran, what it was.
//
// GOAL-EVENTS-1  Every line is of a record that is durable; it begins after the goal's first and ends with its last.
// GOAL-EVENTS-2  `sandbox` is said of a tool whose program runs in one, `host` where the sandbox is switched off, and
//     `daemon` of all that happens in the daemon's own process.

import type { Kernel } from "@aos/kernel";
import type { FeedEvent, GoalEvent, JsonObject, JournalRecord } from "@aos/protocol";

interface EventSource {
  readonly kernel: Pick<Kernel, "follow">;
  readonly pid: string;
  readonly signal: AbortSignal;
  /** Whether the tool runs a program in the sandbox. */
  readonly isSandboxed: (tool: string) => boolean;
  readonly isHostOnly: boolean;
}

interface Member {
  readonly step: string | null;
  readonly agent: string;
}

export async function* goalEvents(source: EventSource): AsyncGenerator<GoalEvent> {
  const { kernel, pid, signal } = source;
  const members = new Map<string, Member>([[pid, { step: null, agent: "goal" }]]);
  for await (const event of kernel.follow({ after: { pid, seq: 0 }, signal })) {
    const member = members.get(event.pid);
    if (member === undefined) continue;
    admit(members, event, member);
    const told = eventOf(source, event, member);
    if (told !== undefined) yield told;
    if (event.pid === pid && event.record.kind === "end") return;
  }
}

/** A child's own children belong to its step. */
function admit(members: Map<string, Member>, { record }: FeedEvent, parent: Member): void {
  if (record.kind !== "call" || record.call !== "spawn" || typeof record.ok !== "string") return;
  const { step, manifest, agent } = record.args as JsonObject;
  const name = (manifest as JsonObject | undefined)?.name ?? agent ?? "";
  members.set(record.ok, {
    step: typeof step === "string" ? step : parent.step,
    agent: typeof name === "string" ? name : "",
  });
}

function eventOf(
  { isSandboxed, isHostOnly }: EventSource,
  { pid, record }: FeedEvent,
  { step, agent }: Member,
): GoalEvent | undefined {
  const what = wordsOf(record);
  if (what === undefined) return undefined;
  const tool = toolOf(record);
  const isProgram = tool !== undefined && isSandboxed(tool);
  const where = isProgram ? (isHostOnly ? "host" : "sandbox") : "daemon";
  const code = "err" in record && record.err !== undefined ? record.err.code : null;
  return { at: record.at, pid: pid as GoalEvent["pid"], step, agent, where, what, code };
}

function toolOf(record: JournalRecord): string | undefined {
  if (record.kind !== "call" && record.kind !== "intent") return undefined;
  const { tool } = (record.args ?? {}) as JsonObject;
  return record.call === "exec" && typeof tool === "string" ? tool : undefined;
}

const MOST_WORDS = 200;

const calls: Readonly<Record<string, (args: JsonObject) => string>> = {
  infer: ({ model }) => `asked ${text(model)}`,
  exec: ({ tool, args }) => `${text(tool)}${subjectOf(args as JsonObject | undefined)}`,
  read: ({ path }) => `read ${text(path)}`,
  write: ({ path }) => `wrote ${text(path)}`,
  spawn: ({ step, manifest }) =>
    `began ${text(step)} (${text((manifest as JsonObject | undefined)?.name)})`,
  ask: ({ question }) => `asked a person: ${text(question)}`,
  checkpoint: () => "a plan was accepted",
};

/** Undefined for what is of no interest to who watches work. */
function wordsOf(record: JournalRecord): string | undefined {
  if (record.kind === "start") return "started";
  if (record.kind === "end") return `ended: ${record.state}`;
  if (record.kind === "intent") return undefined;
  if (record.kind === "outcome") return "done";
  if (record.kind !== "call") return undefined;
  return calls[record.call]?.((record.args ?? {}) as JsonObject).slice(0, MOST_WORDS);
}

function subjectOf(args: JsonObject = {}): string {
  const { command, path, url, target } = args;
  if (Array.isArray(command)) return ` ${command.map(text).join(" ")}`;
  const known = [path, url, target].find((value) => typeof value === "string");
  return known === undefined ? "" : ` ${text(known)}`;
}

const text = (value: unknown): string => (typeof value === "string" ? value : "");
