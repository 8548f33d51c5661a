// Parking: a process whose program makes another call than its journal has is held, not ended, because a changed
// program or another release must not cost a run.
//
//   park(process, error)   holds it: rows, state `paused`, with the failure in its row
//   isParked(row)          whether it is held for that
//   unpark(process)        after it has replayed its journal
//
// PARKING-1  Parking leaves no record: the journal stays unchanged for the program that wrote it.
// PARKING-2  A parked process is tried again only at boot and at SIGCONT.
// PARKING-3  A signal that ends a process also ends a parked one, without its program.

import type { FailureText, ProcessState, SysError } from "@aos/protocol";
import type { Journal } from "../journal/journal.ts";
import type { Process } from "../process/process.ts";
import type { Write } from "../store/contract.ts";
import type { ProcessRow } from "../store/rows.ts";
import type { Boundary } from "./boundary.ts";

interface Parts {
  readonly journal: Journal;
  readonly boundary: Boundary;
  /** Out of memory. */
  readonly leave: (process: Process) => void;
  readonly trouble: (what: string, error: unknown) => void;
}

/** What a parked row says beside the failure itself. */
interface ParkedDetail {
  /** The first record that was not lived through. */
  readonly record?: number;
  readonly was: ProcessState;
}

type MaybeParked = Pick<ProcessRow, "state" | "endedAt" | "error">;

export const isParked = ({ state, endedAt, error }: MaybeParked): boolean =>
  endedAt === null && state === "paused" && error?.code === "REPLAY_DIVERGED";

/** The record before which it diverged, where one is known. */
export const divergedAt = (row: MaybeParked): number | undefined =>
  isParked(row) ? (row.error!.detail as unknown as ParkedDetail).record : undefined;

/** As what it is tried again. */
export function stateBefore(row: MaybeParked): ProcessState {
  return (row.error!.detail as unknown as ParkedDetail).was === "paused" ? "paused" : "running";
}

export class Parking {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  park(process: Process, error: SysError): void {
    const { journal, boundary, leave, trouble } = this.#parts;
    void process.program?.stop();
    clearTimeout(process.wallTimer);
    process.replay = null;
    process.reset();
    boundary.endIfTold(process); // PARKING-3
    if (process.ended) return;
    const was = process.isPaused ? "paused" : "running";
    process.state = "paused";
    process.asleep = false;
    process.isParked = true;
    const failure = parkedFailure(process, error, was);
    const patch = {
      state: "paused" as const,
      waitingOn: null,
      wakeAt: process.row.spec.expiresAt ?? null,
      error: JSON.stringify(failure),
    };
    journal.amend(process, { op: "process.patch", key: process.key, patch }, ...tried(process));
    trouble(`${process.pid} is parked`, error);
    journal.whenDurable((failed) => {
      if (failed !== undefined || process.ended) return;
      boundary.endIfTold(process);
      if (!process.ended) leave(process);
    });
  }

  unpark(process: Process): void {
    process.isParked = false;
    const patch = { state: process.state, waitingOn: null, error: null };
    this.#parts.journal.amend(process, { op: "process.patch", key: process.key, patch });
  }
}

/** PARKING-2. A SIGCONT asks for one try. */
const tried = (process: Process): Write[] =>
  process.signals
    .filter(({ signal }) => signal === "SIGCONT")
    .map(({ key }) => ({ op: "signal.take", key }));

function parkedFailure(process: Process, error: SysError, was: ProcessState): FailureText {
  const { pid } = process;
  const { program, programVersion } = process.row.spec;
  const { record } = (error.detail ?? {}) as { record?: number };
  const name = process.row.spec.command?.join(" ") ?? `${program} ${programVersion}`;
  return {
    code: "REPLAY_DIVERGED",
    message: `${pid} is parked: ${error.message}`,
    hint:
      `nothing is lost. It began under ${name}: put that program or that release of Agent OS back and ` +
      `\`aos resume ${pid}\` (or a restart) goes on with it. With the program as it is now, \`aos retry ${pid}\` ` +
      `goes on${record === undefined ? "" : ` before record ${record}`} as a new process, and ` +
      `\`aos fork ${pid} --at N\` from any record`,
    detail: { was, ...(record === undefined ? {} : { record }) },
  };
}
