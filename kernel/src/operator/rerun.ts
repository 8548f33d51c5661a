// Rerun: lives a recorded run again from its birth, with no drivers, and writes its journal again as
// it goes. Nothing is stored; the texts are compared byte for byte.

import {
  isSyscallName,
  type CallRecord,
  type EndRecord,
  type Json,
  type JournalRecord,
  type ProcessId,
  type ProgramEnd,
  type RunningProgram,
  type StartRecord,
  type SyscallName,
} from "@aos/protocol";
import { failures, SysError } from "@aos/protocol";
import type { ReplayReport } from "../api.ts";
import { CHAIN_START, hexOf, linkHash } from "../journal/chain.ts";
import { decodeValue, encodeArgs, encodeText, textOf } from "../journal/codec.ts";
import {
  callText,
  endText,
  intentText,
  outcomeText,
  parseRecord,
  settledOf,
  startText,
} from "../journal/record-text.ts";
import type { Platform } from "../platform/clock.ts";
import type { AccountBook } from "../process/accounts.ts";
import type { Blocks } from "../process/blocks.ts";
import { answerOf, fetchAnswers, loadShell, stateOf } from "../process/load.ts";
import type { Call } from "../process/process.ts";
import type { Store } from "../store/contract.ts";
import type { ProcessRow, RecordRow } from "../store/rows.ts";
import type { Programs } from "./programs.ts";

interface Parts {
  readonly store: Store;
  readonly platform: Platform;
  readonly blocks: Blocks;
  readonly accounts: AccountBook;
  readonly programs: Programs;
}

/** How long a program may be silent before it is taken for stuck. */
const STALL_MS = 30_000;

export async function rerun(parts: Parts, row: ProcessRow): Promise<ReplayReport> {
  if (row.compacted) {
    throw new SysError(
      "ESTATE",
      `the history of ${row.pid} was compacted; only its result is left`,
    );
  }
  const rows = await parts.store.records(row.key);
  const records = rows.map(({ text }) => parseRecord(text));
  const run = new Rerun(parts, row, rows, records);
  const difference = await run.compare();
  return {
    pid: row.pid as ProcessId,
    records: rows.length,
    identical: difference === null,
    difference,
  };
}

type Difference = NonNullable<ReplayReport["difference"]>;

class Rerun {
  readonly #parts: Parts;
  readonly #row: ProcessRow;
  readonly #rows: readonly RecordRow[];
  readonly #records: readonly JournalRecord[];
  readonly #fetch: (digest: string) => Promise<string | undefined>;
  #input: Json = null;
  #program: RunningProgram | null = null;
  #pending = new Map<number, Call>();
  #declared: (number | string)[] = [];
  #issued = 0;
  #told = 0;
  #end: ProgramEnd | null = null;
  #wake: () => void = () => {};

  constructor(
    parts: Parts,
    row: ProcessRow,
    rows: readonly RecordRow[],
    records: readonly JournalRecord[],
  ) {
    this.#parts = parts;
    this.#row = row;
    this.#rows = rows;
    this.#records = records;
    this.#fetch = (digest) => parts.store.blob(row.tenant, digest);
  }

  async compare(): Promise<Difference | null> {
    await fetchAnswers(this.#records, this.#fetch);
    let hash = CHAIN_START;
    try {
      for (const [seq, stored] of this.#rows.entries()) {
        const text = await this.#live(this.#records[seq]!, seq);
        hash = linkHash(hash, text);
        if (text !== stored.text || hash !== hexOf(stored.hash))
          return { seq, recorded: stored.text, replayed: text };
      }
      return null;
    } catch (error) {
      if (!(error instanceof Silent) && !(error instanceof SysError)) throw error;
      return {
        seq: error instanceof Silent ? error.seq : -1,
        recorded: this.#rows[error instanceof Silent ? error.seq : 0]?.text ?? "",
        replayed: error.message,
      };
    } finally {
      await this.#program?.stop();
    }
  }

  /** Lives up to a record, and writes it again. */
  async #live(record: JournalRecord, seq: number): Promise<string> {
    const head = { seq, at: record.at, cause: record.cause };
    switch (record.kind) {
      case "start":
        return this.#liveStart(record, head);
      case "call":
      case "intent": {
        const call = await this.#callNumbered(record.n, seq);
        const causal = {
          ...head,
          cause: typeof record.cause === "number" ? call.cause : record.cause,
        };
        if (record.kind === "intent") {
          const { n, key, attempt } = record;
          return intentText(causal, { n, call: call.name, args: call.text, key, attempt });
        }
        const text = callText(causal, call.n, call.name, call.text, settledOf(record as never));
        this.#tell(call, record, seq);
        return text;
      }
      case "outcome": {
        const call = await this.#callNumbered(record.n, seq);
        this.#tell(call, record, seq);
        return outcomeText(head, call.n, settledOf(record as never));
      }
      case "signal":
        await this.#until(() => this.#issued >= record.issued, seq, `${record.issued} calls`);
        if (record.did === "handler") {
          this.#told = seq;
          this.#program!.deliver({ kind: "signal", signal: record.signal });
          await turn();
        }
        return JSON.stringify(record);
      case "restart":
        await this.#start(
          record.from === undefined ? undefined : await this.#checkpointAt(record.from),
        );
        this.#issued = record.issued;
        this.#told = seq;
        return JSON.stringify(record);
      case "fork":
      case "crash":
        return JSON.stringify(record);
      case "end":
        return this.#liveEnd(record, head);
    }
  }

  async #liveStart(
    record: StartRecord,
    head: { seq: number; at: number; cause: StartRecord["cause"] },
  ): Promise<string> {
    this.#input = await decodeValue(record.input, this.#fetch);
    await this.#start(undefined);
    const { spec } = this.#row;
    return startText(
      head,
      {
        schema: record.schema,
        program: { name: spec.program, version: spec.programVersion },
        manifest: spec.manifestHash,
        capabilities: record.capabilities,
      },
      encodeText(JSON.stringify(this.#input)).text,
    );
  }

  /** An end that the program came to by itself is written from what it came to now. */
  async #liveEnd(
    record: EndRecord,
    head: { seq: number; at: number; cause: EndRecord["cause"] },
  ): Promise<string> {
    if (
      record.state === "killed" ||
      record.error?.message.startsWith("it broke the syscall protocol") === true ||
      record.error?.message.startsWith("its program crashed") === true
    ) {
      return JSON.stringify(record);
    }
    await this.#until(() => this.#end !== null, head.seq, "its end");
    const end = this.#end!;
    const causal = { ...head, cause: typeof record.cause === "number" ? this.#told : record.cause };
    if (end.kind === "returned") {
      const output = encodeText(JSON.stringify(end.output)).text;
      const code = end.code ?? 0;
      if (code === 0) return endText(causal, { state: "completed", code }, output);
      return endText(
        causal,
        { state: "failed", code, error: { code: "EINTERNAL", message: `it exited with ${code}` } },
        output,
      );
    }
    if (end.kind === "threw")
      return endText(
        causal,
        { state: "failed", code: failures[end.error.code].exit, error: end.error },
        undefined,
      );
    return JSON.stringify({ end: end.kind, reason: end.reason });
  }

  async #checkpointAt(seq: number): Promise<Json> {
    return stateOf(this.#records[seq] as CallRecord, this.#fetch);
  }

  async #start(state: Json | undefined): Promise<void> {
    await this.#program?.stop();
    this.#pending.clear();
    this.#end = null;
    const process = await loadShell(this.#parts, this.#row.key);
    const { command, folder } = this.#row.spec;
    let program: RunningProgram | null = null;
    program = this.#parts.programs.driverFor(process).start(
      {
        pid: this.#row.pid,
        input: this.#input,
        ...(state === undefined ? {} : { state }),
        ...(command === undefined ? {} : { command }),
        ...(folder === undefined ? {} : { folder }),
      },
      {
        call: (id, name, args) => {
          if (this.#program === program) this.#onCall(id, name, args);
        },
        ended: (end) => {
          if (this.#program !== program) return;
          this.#end = end;
          this.#wake();
        },
      },
    );
    this.#program = program;
  }

  #onCall(id: number | string, name: string, args: Json): void {
    if (name === "handle" || name === "mask") {
      this.#declared.push(id);
      setImmediate(() =>
        this.#program?.deliver({ kind: "answer", id: this.#declared.shift()!, ok: null }),
      );
      return;
    }
    if (name === "exit") {
      const { code = 0, output = null } = (args ?? {}) as { code?: number; output?: Json };
      this.#end = { kind: "returned", code, output };
      return this.#wake();
    }
    const text = textOf(args);
    const { text: encoded, blobs } = encodeArgs(name, text, JSON.parse(text) as Json);
    this.#issued += 1;
    this.#pending.set(this.#issued, {
      n: this.#issued,
      id,
      name: (isSyscallName(name) ? name : `?${name}`) as SyscallName,
      args: null,
      text: encoded,
      blobs,
      cause: this.#told,
      waitsOn: null,
      dormant: false,
      until: undefined,
      cancelled: false,
      onCancel: undefined,
    });
    this.#wake();
  }

  async #callNumbered(n: number, seq: number): Promise<Call> {
    if (!this.#pending.has(n)) await this.#until(() => this.#pending.has(n), seq, `call ${n}`);
    return this.#pending.get(n)!;
  }

  #tell(
    call: Call,
    record: { readonly ok?: Json; readonly err?: CallRecord["err"] },
    seq: number,
  ): void {
    this.#pending.delete(call.n);
    this.#told = seq;
    this.#program!.deliver({
      kind: "answer",
      id: call.id,
      ...(record.err === undefined ? { ok: answerOf(record) } : { err: record.err }),
    });
  }

  /** One turn of the event loop after another, until it is so; a program that ended will not make it so. */
  async #until(isSo: () => boolean, seq: number, what: string): Promise<void> {
    await turn();
    const { platform } = this.#parts;
    const since = platform.now();
    while (!isSo()) {
      if (this.#end !== null || platform.now() - since > STALL_MS)
        throw new Silent(
          seq,
          `${what} did not come${this.#end === null ? "" : `: the program ended (${JSON.stringify(this.#end)})`}`,
        );
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        setTimeout(resolve, 100);
        if (isSo()) resolve();
      });
    }
  }
}

class Silent extends Error {
  readonly seq: number;
  constructor(seq: number, message: string) {
    super(message);
    this.seq = seq;
  }
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
