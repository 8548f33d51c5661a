// Drain: lets running calls end before a kernel closes, so that none of them is in doubt afterwards.
//
//   execute(process, call)   passes a call to the gate, or holds it during the drain
//   come({ withinMs })       resolves when all running calls have ended; at the limit, with those that have not
//
// DRAIN-1  During the drain no call begins. A held call has no record: replay makes it again at the next start.
// DRAIN-2  Running tools and models are waited for, and their results are recorded.
// DRAIN-3  Calls that wait for a person, a message, a time or an inference slot are not waited for: they are rows, or
//     have not begun.

import { setTimeout as sleep } from "node:timers/promises";
import type { Json } from "@aos/protocol";
import type { InterruptedCall } from "../api.ts";
import type { Journal } from "../journal/journal.ts";
import type { Platform } from "../platform/clock.ts";
import { cancel, isWithDriver, type PendingCall, type Process } from "../process/process.ts";
import type { ProcessTable } from "../process/process-table.ts";
import type { ProcessEndings } from "../scheduler/endings.ts";
import type { Gate } from "../syscall/gate.ts";
import type { AdmissionControl } from "./admission.ts";

const LOOK_MS = 5;

interface Parts {
  readonly journal: Journal;
  readonly platform: Platform;
  readonly table: ProcessTable;
  readonly endings: ProcessEndings;
  readonly admission: AdmissionControl;
  readonly gate: () => Gate;
  readonly trouble: (what: string, error: unknown) => void;
}

export class Drain {
  readonly #parts: Parts;
  #isDraining = false;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  execute(process: Process, call: PendingCall): void {
    if (this.#isDraining) return void process.held.push(call); // DRAIN-1
    const { gate, endings, trouble } = this.#parts;
    gate()
      .pass(process, call)
      .catch((error: unknown) => {
        trouble(`the gate failed at ${call.name} of ${process.pid}`, error);
        endings.gateFailed(process, error);
      });
  }

  async finish({ withinMs }: { withinMs: number }): Promise<InterruptedCall[]> {
    const { admission, platform, journal } = this.#parts;
    this.#isDraining = true;
    admission.close();
    const deadline = platform.now() + withinMs;
    let begun = this.#begun();
    while (begun.length > 0 && platform.now() < deadline) {
      await sleep(LOOK_MS);
      begun = this.#begun();
    }
    await journal.durable(); // DRAIN-2
    return begun.map(([{ pid }, call]) => ({ pid, n: call.n, call: call.name, of: nameIn(call) }));
  }

  /** DRAIN-2. Those that are on their way through the gate count: they may be about to begin. */
  #begun(): [Process, PendingCall][] {
    return [...this.#parts.table.all()]
      .filter(({ ended, replay }) => !ended && replay === null)
      .flatMap((process) =>
        [...process.pending.values()]
          .filter((call) => !process.held.includes(call) && isUnderWay(call))
          .map((call): [Process, PendingCall] => [process, call]),
      );
  }
}

function nameIn({ args }: PendingCall): string {
  const { tool, model } = (args ?? {}) as { tool?: Json; model?: Json };
  const name = tool ?? model;
  return typeof name === "string" ? name : "";
}

function isUnderWay(call: PendingCall): boolean {
  if (call.cancelled) return false;
  if (call.waitsOn !== "slot") return call.waitsOn === null || isWithDriver(call);
  if (call.tried !== undefined) return true; // it has cost something already
  cancel(call); // DRAIN-3: it never reached the model
  return false;
}
