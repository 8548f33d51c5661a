// Tool health: calls, failures and durations of each tool since boot. Kept in memory for people; the journal is
// authoritative.

import type { HealthReport } from "../api.ts";

/** The last so many durations of a tool are kept. */
const KEPT = 256;

interface Kept {
  calls: number;
  failures: number;
  readonly durations: number[];
  lastFailure: HealthReport["lastFailure"];
}

export class ToolHealth {
  readonly #tools = new Map<string, Kept>();

  note(
    tool: string,
    ms: number,
    failure?: { readonly at: number; readonly message: string },
  ): void {
    const kept = this.#keptFor(tool);
    kept.durations[kept.calls % KEPT] = ms;
    kept.calls += 1;
    if (failure === undefined) return;
    kept.failures += 1;
    kept.lastFailure = failure;
  }

  of(tool: string): HealthReport {
    const { calls, failures, durations, lastFailure } = this.#tools.get(tool) ?? NEVER;
    const sorted = durations.toSorted((a, b) => a - b);
    const at = (share: number) => sorted[Math.ceil(sorted.length * share) - 1] ?? null;
    return { calls, failures, p50Ms: at(0.5), p95Ms: at(0.95), lastFailure };
  }

  #keptFor(tool: string): Kept {
    let kept = this.#tools.get(tool);
    if (kept === undefined) {
      kept = { calls: 0, failures: 0, durations: [], lastFailure: null };
      this.#tools.set(tool, kept);
    }
    return kept;
  }
}

const NEVER: Kept = { calls: 0, failures: 0, durations: [], lastFailure: null };
