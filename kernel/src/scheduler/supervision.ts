// Supervision: what the end of a program means for its process.
//
// V1  A crash (the program's own process went away) is survived by replay: it is started again and
//     goes on where its journal ends. An error (the program ended with one) is answered, where the
//     manifest says so, by a fresh start from the last checkpoint or from the input.
// V2  More than `max` starts within `within`: the process fails. Where the manifest had a policy, the
//     failure becomes the parent's own error, and so on up.

import { exitCodes, failures, type FailureText, type Json, type ProgramEnd } from "@aos/protocol";
import type { Journal } from "../journal/journal.ts";
import { plainText } from "../journal/record-text.ts";
import type { Platform } from "../platform/clock.ts";
import { loadHistory } from "../process/load.ts";
import type { Process } from "../process/process.ts";
import type { Table } from "../process/table.ts";
import type { Endings } from "./endings.ts";
import type { Runner } from "./runner.ts";

/** What holds where a manifest says nothing: a crash is not an answer. */
const UNSAID = {
  on: ["crash"] as readonly ("crash" | "error")[],
  max: 3,
  within: 60_000,
  backoff: 100,
};
const MAX_BACKOFF_MS = 30_000;

interface Parts {
  readonly journal: Journal;
  readonly platform: Platform;
  readonly table: Table;
  readonly endings: Endings;
  readonly runner: () => Runner;
  readonly trouble: (what: string, error: unknown) => void;
}

export class Supervision {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  ended(process: Process, end: ProgramEnd): void {
    switch (end.kind) {
      case "returned": {
        const code = end.code ?? 0;
        if (code === 0)
          return this.#parts.endings.finish(process, {
            state: "completed",
            code,
            output: end.output,
          });
        return this.#failed(
          process,
          { code: "EINTERNAL", message: `it exited with ${code}` },
          { code, output: end.output },
        );
      }
      case "threw":
        return this.#failed(process, end.error, { code: failures[end.error.code].exit });
      case "misbehaved":
        return this.#parts.endings.finish(process, {
          state: "failed",
          code: exitCodes.failed,
          error: { code: "EINVAL", message: `it broke the syscall protocol: ${end.reason}` },
        });
      case "crashed":
        return this.#crashed(process, end.reason);
    }
  }

  #failed(process: Process, error: FailureText, end: { code: number; output?: Json }): void {
    const final = error.code === "REPLAY_DIVERGED" || error.code === "ECORRUPT";
    if (!final && this.#mayRestart(process, "error")) return this.#beginAnew(process);
    this.#parts.endings.finish(process, { state: "failed", error, ...end });
    if (!final && process.manifest.restart?.on.includes("error") === true)
      this.#escalate(process, error);
  }

  #crashed(process: Process, reason: string): void {
    if (!this.#mayRestart(process, "crash")) {
      const error: FailureText = { code: "EINTERNAL", message: `its program crashed: ${reason}` };
      this.#parts.endings.finish(process, { state: "failed", code: exitCodes.failed, error });
      if (process.manifest.restart?.on.includes("crash") === true) this.#escalate(process, error);
      return;
    }
    this.#append(process, { kind: "crash", reason });
    this.#later(process, async () => {
      await this.#parts.journal.durable();
      // Its base may have moved since it was loaded; the row in the store is the one to go by.
      const row = await this.#parts.journal.store.processByKey(process.key);
      const image = await loadHistory(this.#parts.journal.store, process, row?.base);
      if (!process.ended) this.#parts.runner().start(process, image);
    });
  }

  #beginAnew(process: Process): void {
    const { journal } = this.#parts;
    this.#later(process, async () => {
      await journal.durable();
      const row = await journal.store.processByKey(process.key);
      const issued = process.issued;
      const before = await loadHistory(journal.store, process, row?.base);
      process.issued = issued; // calls are counted on: no number is used twice
      process.replay = null;
      if (process.ended) return;
      const from = before.checkpoint;
      this.#append(
        process,
        {
          kind: "restart",
          why: "error",
          issued: process.issued,
          ...(from === undefined ? {} : { from }),
        },
        true,
      );
      process.told = process.seq;
      this.#parts.runner().start(process, before);
    });
  }

  #append(
    process: Process,
    what:
      | { kind: "crash"; reason: string }
      | { kind: "restart"; why: "error"; issued: number; from?: number },
    isBase = false,
  ): void {
    const at = this.#parts.platform.now();
    const text = plainText({ ...what, seq: process.seq + 1, at, cause: process.told });
    process.restarts.push(at);
    this.#parts.journal.append(
      process,
      text,
      isBase ? [{ op: "process.patch", key: process.key, patch: { base: process.seq + 1 } }] : [],
    );
  }

  #mayRestart(process: Process, what: "crash" | "error"): boolean {
    const policy = process.manifest.restart ?? UNSAID;
    if (!policy.on.includes(what)) return false;
    const since = this.#parts.platform.now() - policy.within;
    return process.restarts.filter((at) => at >= since).length < policy.max;
  }

  #later(process: Process, start: () => Promise<void>): void {
    const issued = process.issued;
    void process.program?.stop();
    process.reset();
    process.issued = issued;
    const backoff = (process.manifest.restart ?? UNSAID).backoff;
    const delayMs = Math.min(MAX_BACKOFF_MS, backoff * 2 ** process.restarts.length);
    setTimeout(() => {
      if (process.ended || this.#parts.table.get(process.key) !== process) return;
      start().catch((error: unknown) =>
        this.#parts.trouble(`${process.pid} could not be started again`, error),
      );
    }, delayMs);
  }

  #escalate(process: Process, error: FailureText): void {
    const parent =
      process.row.parent === null ? undefined : this.#parts.table.get(process.row.parent);
    if (parent === undefined || parent.ended) return;
    const message = `its child ${process.pid} failed for good: ${error.message}`;
    this.#failed(parent, { code: error.code, message }, { code: exitCodes.failed });
  }
}
