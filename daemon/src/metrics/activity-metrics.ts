// ActivityMetrics: counts of what processes did since metrics were first requested. Before that nothing is counted, and
// there is no cost.
//
// METRICS-DEEDS-1  No count has a name that an agent could choose, so that their number is bounded. Tools and models
//     beyond the first hundred are counted together.

import type { FailureCode, FeedEvent, JournalRecord } from "@aos/protocol";
import type { Kernel } from "@aos/kernel";

const MOST_NAMES = 100;
const OTHERS = "others";

/** Counts by the values of their labels, in the order of the labels. */
export class LabelledCounts {
  readonly #by = new Map<string, { readonly labels: readonly string[]; count: number }>();

  add(labels: readonly string[], amount = 1): void {
    const key = labels.join("\u0000");
    const known = this.#by.get(key);
    if (known === undefined) this.#by.set(key, { labels, count: amount });
    else known.count += amount;
  }

  *[Symbol.iterator](): Generator<readonly [labels: readonly string[], count: number]> {
    for (const { labels, count } of this.#by.values()) yield [labels, count];
  }
}

export class ActivityMetrics {
  /** By call and how it went. */
  readonly calls = new LabelledCounts();
  /** By code. */
  readonly refusals = new LabelledCounts();
  /** By tool and how it went. */
  readonly tools = new LabelledCounts();
  /** By state and exit code. */
  readonly ends = new LabelledCounts();
  readonly starts = new LabelledCounts();
  readonly #names = new Set<string>();
  /** Calls whose outcome is another record: the tool, by process and number. */
  readonly #begun = new Map<string, { readonly call: string; readonly tool: string | undefined }>();

  /** Counts until the signal. */
  async follow(kernel: Pick<Kernel, "follow">, signal: AbortSignal): Promise<void> {
    for await (const event of kernel.follow({ signal })) this.note(event);
  }

  note({ pid, record }: FeedEvent): void {
    if (record.kind === "start") this.starts.add([]);
    else if (record.kind === "end") this.ends.add([record.state, String(record.code)]);
    else if (record.kind === "intent")
      this.#begun.set(`${pid} ${record.n}`, { call: record.call, tool: toolOf(record) });
    else if (record.kind === "call") this.#went(record.call, toolOf(record), record.err?.code);
    else if (record.kind === "outcome") {
      const begun = this.#begun.get(`${pid} ${record.n}`);
      this.#begun.delete(`${pid} ${record.n}`);
      if (begun !== undefined) this.#went(begun.call, begun.tool, record.err?.code);
    }
  }

  #went(call: string, tool: string | undefined, code: FailureCode | undefined): void {
    const how = code === undefined ? "ok" : "failed";
    this.calls.add([call, how]);
    if (code !== undefined) this.refusals.add([code]);
    if (tool !== undefined) this.tools.add([this.#named(tool), how]);
  }

  /** METRICS-DEEDS-1. */
  #named(name: string): string {
    if (this.#names.has(name)) return name;
    if (this.#names.size >= MOST_NAMES) return OTHERS;
    this.#names.add(name);
    return name;
  }
}

function toolOf(record: Extract<JournalRecord, { kind: "call" | "intent" }>): string | undefined {
  if (record.call !== "exec") return undefined;
  const tool = (record.args as { tool?: unknown } | null)?.tool;
  return typeof tool === "string" ? tool : OTHERS;
}
