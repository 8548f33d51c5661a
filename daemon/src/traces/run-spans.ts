// Run spans: turns records, as they become durable, into spans: `invoke_agent` for a run, and below it `chat` and
// `execute_tool`. A run's parent is the run that started it.
//
// RUN-SPANS-1  A span has only what its records say; its names are scrubbed.
// RUN-SPANS-2  Requests and results of models and tools are in no span unless the operator asks for it.
// RUN-SPANS-3  After a restart spans continue in the same trace: their ids are derived from what they describe.
//
// A record has one time, that at which it was written. A call without an intent began when its program received the
// record that caused it.

import type { FeedEvent, Json, JournalRecord, ProcessDetail } from "@aos/protocol";
import type { Kernel } from "@aos/kernel";
import { contentOf, spanShape, type CompletedCall } from "./call-spans.ts";
import type { AttributeValue, SpanDraft } from "./span-draft.ts";
import { spanIdOf, traceIdOf } from "./span-ids.ts";

const MOST_PROCESSES = 10_000;
const MOST_TIMES = 100;

type TracedKernel = Pick<Kernel, "show" | "journal" | "inferences" | "exportContext" | "scrub">;
type Begun = Extract<JournalRecord, { kind: "intent" }>;
type Over = Extract<JournalRecord, { kind: "call" | "outcome" }>;

/** What is remembered of a process while it lives. */
interface RunTrace {
  readonly detail: Pick<
    ProcessDetail,
    "agent" | "parent" | "startedAt" | "tenant" | "programVersion"
  >;
  /** When its last records were written, by their numbers. */
  readonly times: Map<number, number>;
  readonly begun: Map<number, Begun>;
}

export class RunSpans {
  readonly #kernel: TracedKernel;
  readonly #withContent: boolean;
  readonly #lives = new Map<string, RunTrace>();

  constructor(kernel: TracedKernel, { content }: { content: boolean }) {
    this.#kernel = kernel;
    this.#withContent = content;
  }

  /** The span that a record ends, if it ends one. */
  async note(event: FeedEvent): Promise<SpanDraft | undefined> {
    const { pid, record } = event;
    const trace = await this.#lifeOf(pid);
    trace.times.set(record.seq, record.at);
    if (trace.times.size > MOST_TIMES) trace.times.delete(trace.times.keys().next().value!);
    if (record.kind === "intent") trace.begun.set(record.n, record);
    else if (record.kind === "call" || record.kind === "outcome")
      return this.#scrubbed(await this.#ofCall(event, trace, record));
    else if (record.kind === "end") {
      this.#lives.delete(pid);
      return this.#scrubbed(ofRun(event, trace, record));
    }
    return undefined;
  }

  async #lifeOf(pid: string): Promise<RunTrace> {
    let trace = this.#lives.get(pid);
    if (trace === undefined) {
      trace = { detail: await this.#kernel.show(pid), times: new Map(), begun: new Map() };
      if (this.#lives.size >= MOST_PROCESSES) this.#lives.delete(this.#lives.keys().next().value!);
      this.#lives.set(pid, trace);
    }
    return trace;
  }

  async #ofCall(event: FeedEvent, trace: RunTrace, record: Over): Promise<SpanDraft | undefined> {
    const { pid } = event;
    const begun = record.kind === "outcome" ? await this.#begunBy(pid, trace, record.n) : undefined;
    const asked = record.kind === "call" ? record : begun;
    if (asked === undefined || (asked.call !== "infer" && asked.call !== "exec")) return undefined;
    const ok = await this.#whole(pid, asked.call, record);
    const done: CompletedCall = { ...asked, ok, failure: record.err?.code, usd: record.usd };
    const shape = spanShape(done)!;
    const startMs = begun?.at ?? trace.times.get(Number(asked.cause)) ?? record.at;
    return {
      ...shape,
      trace: traceIdOf(event.tree),
      id: spanIdOf(pid, record.n),
      parent: spanIdOf(pid),
      startMs: Math.min(startMs, record.at),
      endMs: record.at,
      failure: done.failure,
      attributes: {
        ...shape.attributes,
        ...whose(event, trace),
        "aos.record": record.seq,
        ...(record.verdict === undefined ? {} : { "aos.verdict": record.verdict }),
        ...(this.#withContent ? await this.#content(pid, record, done) : {}), // RUN-SPANS-2
      },
    };
  }

  /** Before a restart, where it is not remembered. */
  async #begunBy(pid: string, trace: RunTrace, n: number): Promise<Begun | undefined> {
    const known = trace.begun.get(n);
    trace.begun.delete(n);
    if (known !== undefined) return known;
    const records = await this.#kernel.journal(pid);
    return records.findLast((one): one is Begun => one.kind === "intent" && one.n === n);
  }

  /** A large answer is kept apart from its record. */
  async #whole(pid: string, call: string, { n, ok }: Over): Promise<Json | undefined> {
    const isApart = typeof ok === "object" && ok !== null && "$blob" in ok;
    if (!isApart || call !== "infer") return ok;
    const reply = (await this.#kernel.inferences(pid)).find((one) => one.n === n)?.reply;
    return reply as unknown as Json | undefined;
  }

  async #content(pid: string, { seq }: Over, done: CompletedCall) {
    return contentOf(
      done,
      done.call === "infer" ? await this.#kernel.exportContext(pid, { at: seq }) : [],
    );
  }

  /** RUN-SPANS-1. */
  #scrubbed(draft: SpanDraft | undefined): SpanDraft | undefined {
    if (draft === undefined) return undefined;
    const scrub = (value: AttributeValue): AttributeValue => {
      if (typeof value === "string") return this.#kernel.scrub(value);
      return Array.isArray(value) ? value.map((one) => this.#kernel.scrub(one)) : value;
    };
    const attributes = Object.entries(draft.attributes).map(([key, value]) => [key, scrub(value)]);
    return {
      ...draft,
      name: this.#kernel.scrub(draft.name),
      attributes: Object.fromEntries(attributes) as SpanDraft["attributes"],
    };
  }
}

function ofRun(
  event: FeedEvent,
  trace: RunTrace,
  record: Extract<JournalRecord, { kind: "end" }>,
): SpanDraft {
  const { agent, parent, startedAt, programVersion } = trace.detail;
  const startMs = Date.parse(startedAt);
  return {
    name: `invoke_agent ${agent}`,
    kind: "internal",
    trace: traceIdOf(event.tree),
    id: spanIdOf(event.pid),
    parent: parent === null ? undefined : spanIdOf(parent),
    startMs: Math.min(startMs, record.at),
    endMs: record.at,
    failure:
      record.state === "completed" ? undefined : (record.error?.code ?? record.state.toUpperCase()),
    attributes: {
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.provider.name": "agent-os",
      ...whose(event, trace),
      "gen_ai.agent.version": programVersion,
      "aos.state": record.state,
      "aos.exit_code": record.code,
    },
  };
}

const whose = ({ pid, tree }: FeedEvent, { detail }: RunTrace): Record<string, string> => ({
  "gen_ai.agent.id": pid,
  "gen_ai.agent.name": detail.agent,
  "gen_ai.conversation.id": tree,
  "aos.tenant": detail.tenant,
});
