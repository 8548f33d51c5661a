// Timeline: a journal as the steps that people see. An effect has two records, its intent and what came
// of it: they are one step.
//
// TIMELINE-1  Steps are in the order in which they began, each record in exactly one of them.
// TIMELINE-2  A step that has an intent and no outcome is under way; when the run has ended, or its
//     program was started again, it was cut off.
// TIMELINE-4  Steps that are extended by records are those of all records.
// TIMELINE-3  The colour of a step is that of the label after it, where a record says so.

import {
  isApproved,
  type FailureText,
  type JournalRecord,
  type Outcome,
} from "@aos/protocol/words";

export type StepVerdict =
  | "allowed"
  /** By a person. */
  | "approved"
  | "refused"
  | "failed"
  | "running"
  | "cut off";

export interface TimelineStep {
  /** Of its first record. */
  readonly seq: number;
  readonly kind: "call" | "event";
  /** The call, or what happened. */
  readonly name: string;
  /** What it is about, in a line. */
  readonly about: string;
  readonly at: number;
  /** How long it took, where the journal can say. */
  readonly tookMs: number | null;
  readonly verdict: StepVerdict | null;
  readonly err: FailureText | null;
  readonly remark: string | null;
  readonly label: string | null;
  readonly usd: number;
  readonly tokens: number;
  readonly records: readonly JournalRecord[];
}

/** The failures that are the gate's, or a person's, word. */
const REFUSALS: ReadonlySet<string> = new Set([
  "EACCES",
  "EPOLICY",
  "EDENIED",
  "EBUDGET",
  "EVELOCITY",
]);

export const timelineOf = (records: readonly JournalRecord[]): readonly TimelineStep[] =>
  extendTimeline(undefined, records).steps;

/** The steps of some records, so that more of them cost what is more. */
export interface StepHistory {
  readonly records: readonly JournalRecord[];
  readonly steps: readonly TimelineStep[];
  /** The steps under way, by the number of their call. */
  readonly begun: ReadonlyMap<number, number>;
}

/** `before` is of the first of these records, or of others: then it is of no use. */
export function extendTimeline(
  before: StepHistory | undefined,
  records: readonly JournalRecord[],
): StepHistory {
  if (before?.records === records) return before;
  const isPrefix = before !== undefined && beginsWith(records, before.records);
  const steps: TimelineStep[] = isPrefix ? [...before.steps] : [];
  const begun = new Map(isPrefix ? before.begun : []);
  for (const record of isPrefix ? records.slice(before.records.length) : records) {
    const index =
      record.kind === "outcome" || record.kind === "intent" ? begun.get(record.n) : undefined;
    if (index === undefined) {
      if (record.kind === "intent") begun.set(record.n, steps.length);
      steps.push(stepOf(record));
    } else {
      steps[index] =
        record.kind === "outcome" ? settle(steps[index]!, record) : again(steps[index]!, record);
      if (record.kind === "outcome") begun.delete(record.n);
    }
    if (record.kind === "end" || record.kind === "restart") {
      for (const cut of begun.values()) steps[cut] = { ...steps[cut]!, verdict: "cut off" };
    }
  }
  return { records, steps, begun };
}

/** Records are never edited: the first and the last say it. */
const beginsWith = (all: readonly JournalRecord[], some: readonly JournalRecord[]): boolean =>
  some.length <= all.length && all[0] === some[0] && all[some.length - 1] === some.at(-1);

function stepOf(record: JournalRecord): TimelineStep {
  const { seq, at } = record;
  const event = { seq, at, kind: "event", ...nothing, records: [record] } as const;
  switch (record.kind) {
    case "call":
    case "intent":
      return {
        ...event,
        kind: "call",
        ...nameOf(record.call, record.args),
        ...(record.kind === "call" ? cameTo(record) : { verdict: "running" as const }),
      };
    case "outcome":
      return { ...event, kind: "call", name: `call ${record.n}`, about: "", ...cameTo(record) };
    case "start":
      return { ...event, name: "start", about: inLine(record.input) };
    case "signal":
      return { ...event, name: record.signal, about: record.did };
    case "restart":
      return { ...event, ...cost(record), name: "restart", about: `after ${record.why}` };
    case "crash":
      return { ...event, name: "crash", about: record.reason };
    case "fork":
      return { ...event, name: "fork", about: `of ${record.from} at ${record.shared}` };
    case "grant":
      return {
        ...event,
        name: "grant",
        about: `by ${record.by}: ${record.capabilities.join(" ")}`,
      };
    case "revoke":
      return { ...event, name: "revoke", about: `by ${record.by}: ${record.handle}` };
    case "end":
      return {
        ...event,
        ...cost(record),
        name: record.state,
        about: record.error?.message ?? inLine(record.output ?? ""),
        err: record.error ?? null,
      };
  }
}

const nothing = {
  tookMs: null,
  verdict: null,
  err: null,
  remark: null,
  label: null,
  usd: 0,
  tokens: 0,
};

type Settled = Extract<JournalRecord, { kind: "call" | "outcome" }>;

const cameTo = (record: Settled) => ({
  ...cost(record),
  verdict: verdictOf(record),
  err: record.err ?? null,
  remark: record.verdict ?? null,
  label: record.label ?? null,
});

const cost = ({ usd = 0, tokens = 0 }: { usd?: number; tokens?: number }) => ({ usd, tokens });

function verdictOf({ err, verdict }: Outcome & { verdict?: string }): StepVerdict {
  if (err !== undefined) return REFUSALS.has(err.code) ? "refused" : "failed";
  return isApproved(verdict) ? "approved" : "allowed";
}

const settle = (
  step: TimelineStep,
  outcome: Extract<JournalRecord, { kind: "outcome" }>,
): TimelineStep => ({
  ...step,
  ...cameTo(outcome),
  tookMs: outcome.at - step.at,
  records: [...step.records, outcome],
});

/** The same effect, tried again after a crash. */
const again = (step: TimelineStep, intent: JournalRecord): TimelineStep => ({
  ...step,
  records: [...step.records, intent],
});

/** What is called by its tool, its model or its path is shown under that. */
function nameOf(call: string, args: unknown): { name: string; about: string } {
  const fields = hasFields(args) ? args : {};
  const { tool, model, path } = fields;
  if (call === "exec" && typeof tool === "string")
    return { name: tool, about: inLine(fields["args"]) };
  if (call === "infer" && typeof model === "string") return { name: call, about: model };
  if (typeof path === "string") return { name: call, about: path };
  return { name: call, about: inLine(args) };
}

export const hasFields = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const MOST_CHARS = 300;

/** `path: /tmp/a, line: hello`: what fits a line. */
export function inLine(value: unknown): string {
  const text = hasFields(value)
    ? Object.entries(value)
        .map(([key, part]) => `${key}: ${typeof part === "string" ? part : JSON.stringify(part)}`)
        .join(", ")
    : typeof value === "string"
      ? value
      : JSON.stringify(value ?? null);
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length > MOST_CHARS ? `${line.slice(0, MOST_CHARS)}…` : line;
}
