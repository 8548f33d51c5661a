// Supervision: what the end of a program means for its process.
//
// SUPERVISION-1  A crash (the program's own process went away) is survived by replay: it is started again
//     and goes on where its journal ends. An error (the program ended with one) is answered, where the
//     manifest says so, by a fresh start from the last checkpoint or from the input.
// SUPERVISION-2  What a crashed program had begun outside is carried to its end before the program is
//     started again, and it is told of the outcome: its crash is not ours, and leaves nothing in doubt.
// SUPERVISION-3  More than `max` starts within `within`: the process fails. Where the manifest had a
//     policy, the failure becomes the parent's own error, and so on up.
// SUPERVISION-4  A program that asks for something else than its journal has is no failure of the
//     process: it is parked.

import {
  exitCodes,
  type CrashRecord,
  type FailureText,
  type ProgramEnd,
  type RestartRecord,
  type SysError,
} from "@aos/protocol";
import type { Journal } from "../journal/journal.ts";
import type { Store } from "../store/contract.ts";
import { plainText } from "../journal/record-text.ts";
import { labelText } from "../label/label.ts";
import type { Platform } from "../platform/clock.ts";
import { loadHistory } from "../process/load.ts";
import { narrowingField } from "../process/narrowing.ts";
import { isWithDriver, type PendingCall, type Process } from "../process/process.ts";
import { recordLostWork, takeLostWork } from "../process/spending.ts";
import type { ProcessTable } from "../process/process-table.ts";
import type { ProcessKey } from "../store/rows.ts";
import type { SpendRow } from "../store/spend-row.ts";
import type { Boundary } from "./boundary.ts";
import { endOf, type ProcessEnd, type ProcessEndings } from "./endings.ts";
import { Parking } from "./parking.ts";
import type { Runner } from "./runner.ts";
import { restartFromCheckpoint, imageBeforeCheckpoint } from "./checkpoint-restart.ts";

/** What holds where a manifest says nothing: a crash is not an answer. */
const UNSAID = {
  on: ["crash"] as readonly ("crash" | "error")[],
  max: 3,
  within: 60_000,
  backoff: 100,
};
const MAX_BACKOFF_MS = 30_000;

type Common = Pick<CrashRecord, "seq" | "at" | "cause">;
/** How often it is looked whether what a crashed program had begun is over. */
const LOOK_AGAIN_MS = 50;

interface Parts {
  readonly journal: Journal<Store>;
  readonly platform: Platform;
  readonly table: ProcessTable;
  readonly endings: ProcessEndings;
  readonly boundary: Boundary;
  readonly leave: (process: Process) => void;
  readonly scrub: (text: string) => string;
  readonly runner: () => Runner;
  /** Has a process in memory, wherever it was. */
  readonly wake: (key: ProcessKey) => Promise<Process | undefined>;
  readonly trouble: (what: string, error: unknown) => void;
}

export class Supervision {
  readonly #parts: Parts;
  readonly #parking: Parking;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#parking = new Parking(parts);
  }

  ended(process: Process, end: ProgramEnd): void {
    switch (end.kind) {
      case "returned":
      case "threw": {
        const own = endOf(end, this.#parts.scrub, process.row.spec);
        if (own.state === "completed") return this.#parts.endings.finish(process, own);
        return this.#failed(process, own);
      }
      case "misbehaved":
        return this.#parts.endings.finish(process, {
          state: "failed",
          code: exitCodes.failed,
          error: {
            code: "EINVAL",
            message: `it broke the syscall protocol: ${this.#parts.scrub(end.reason)}`,
          },
        });
      case "crashed":
        return this.#crashed(process, this.#parts.scrub(end.reason));
    }
  }

  #failed(process: Process, end: ProcessEnd): void {
    const error = end.error!;
    const isFinal = error.code === "REPLAY_DIVERGED" || error.code === "ECORRUPT";
    if (!isFinal && this.#mayRestart(process, "error")) return this.#beginAnew(process);
    this.#parts.endings.finish(process, end);
    if (!isFinal && process.manifest.restart?.on.includes("error") === true)
      this.#escalate(process, error);
  }

  /** SUPERVISION-4. */
  diverged(process: Process, error: SysError): void {
    if (process.cutAt !== null) return this.#liveItAll(process);
    this.#parking.park(process, error);
  }

  unpark(process: Process): void {
    this.#parking.unpark(process);
  }

  #crashed(process: Process, reason: string): void {
    if (!this.#mayRestart(process, "crash")) {
      const error: FailureText = { code: "EPROGRAM", message: `its program crashed: ${reason}` };
      this.#parts.endings.finish(process, { state: "failed", code: exitCodes.failed, error });
      if (process.manifest.restart?.on.includes("crash") === true) this.#escalate(process, error);
      return;
    }
    this.#append(process, { kind: "crash", reason });
    const begun = [...process.pending.values()].filter(
      (call) => isWithDriver(call) || (call.intent !== undefined && !call.dormant),
    );
    this.#later(process, begun, async () => {
      await this.#parts.journal.durable();
      // Its base may have moved since it was loaded; the row in the store is the one to go by.
      const row = await this.#parts.journal.store.processByKey(process.key);
      const image = await loadHistory(this.#parts.journal.store, process, row?.base);
      if (process.ended) return;
      restartFromCheckpoint(this.#parts, process, image);
      this.#parts.runner().start(process, image);
    });
  }

  /** Started from its checkpoint it did something else than the first time: so it is not. */
  #liveItAll(process: Process): void {
    void process.program?.stop();
    process.reset();
    const start = async () => {
      const image = await imageBeforeCheckpoint(this.#parts, process);
      if (!process.ended) this.#parts.runner().start(process, image);
    };
    start().catch((error: unknown) =>
      this.#parts.trouble(`${process.pid} could not be started again`, error),
    );
  }

  #beginAnew(process: Process): void {
    const { journal } = this.#parts;
    recordLostWork(process, this.#parts.platform.now());
    this.#later(process, [], async () => {
      await journal.durable();
      const row = await journal.store.processByKey(process.key);
      const { issued, restarts } = process;
      const before = await loadHistory(journal.store, process, row?.base);
      process.issued = issued; // calls are counted on: no number is used twice
      process.restarts = restarts; // those before the base too
      process.replay = null;
      if (process.ended) return;
      const from = before.checkpoint;
      const { spend, cost } = takeLostWork(process);
      this.#append(
        process,
        {
          kind: "restart",
          why: "error",
          issued: process.issued,
          ...(from === undefined ? {} : { from }),
          earlier: this.#recent(process),
          label: labelText(process.label),
          ...narrowingField(process),
          ...cost,
        },
        spend,
      );
      process.told = process.seq;
      this.#parts.runner().start(process, before);
    });
  }

  #append(
    process: Process,
    what: Omit<CrashRecord, keyof Common> | Omit<RestartRecord, keyof Common>,
    spend?: readonly SpendRow[],
  ): void {
    const at = this.#parts.platform.now();
    const common = { seq: process.seq + 1, at, cause: process.told };
    const text = plainText({ ...what, ...common });
    const patch = { base: process.seq + 1 };
    process.restarts.push(at);
    this.#parts.journal.append(
      process,
      text,
      what.kind === "restart" ? [{ op: "process.patch", key: process.key, patch }] : [],
      spend,
    );
  }

  #mayRestart(process: Process, what: "crash" | "error"): boolean {
    const policy = process.manifest.restart ?? UNSAID;
    return policy.on.includes(what) && this.#recent(process).length < policy.max;
  }

  /** The starts that still count. */
  #recent(process: Process): number[] {
    const { within } = process.manifest.restart ?? UNSAID;
    const since = this.#parts.platform.now() - within;
    return process.restarts.filter((at) => at >= since);
  }

  /** Starts again after a moment, and not before what has `begun` is over. */
  #later(process: Process, begun: readonly PendingCall[], start: () => Promise<void>): void {
    const issued = process.issued;
    void process.program?.stop();
    process.reset(begun);
    process.issued = issued;
    const backoff = (process.manifest.restart ?? UNSAID).backoff;
    const delayMs = Math.min(MAX_BACKOFF_MS, backoff * 2 ** this.#recent(process).length);
    const again = () => {
      if (process.ended || this.#parts.table.get(process.key) !== process) return;
      if (process.pending.size > 0) return void setTimeout(again, LOOK_AGAIN_MS);
      process.outbox.length = 0; // the journal has it, and tells it again
      start().catch((error: unknown) =>
        this.#parts.trouble(`${process.pid} could not be started again`, error),
      );
    };
    setTimeout(again, delayMs);
  }

  /** The parent may be asleep; it fails wherever it is. */
  #escalate(process: Process, error: FailureText): void {
    const { parent: key } = process.row;
    if (key === null) return;
    const escalate = async () => {
      const parent = await this.#parts.wake(key);
      if (parent === undefined || parent.ended) return;
      parent.replay = null; // whatever it was about to be told, this comes first
      this.#failed(parent, {
        state: "failed",
        code: exitCodes.failed,
        error: {
          code: error.code,
          message: `its child ${process.pid} failed for good: ${error.message}`,
        },
        cause: `${process.pid}#${process.seq}`,
      });
    };
    escalate().catch((failure: unknown) =>
      this.#parts.trouble(`the failure of ${process.pid} could not be escalated`, failure),
    );
  }
}
