// Rerun: runs a recorded process again from its start, without drivers, and writes its journal again. Nothing is
// stored; the texts are compared byte for byte.
//
// RERUN-1  As in the original run, a program receives one item a turn, and its signal calls are answered before
//     anything from the journal.
// RERUN-2  A program in its own process receives and calls concurrently. What it had received when a call came is
//     therefore taken from the record, like the time of day.
// RERUN-3  Events outside the program (a kill, a crash, a child's failure) are taken as recorded.

import { nextTick } from "node:process";
import {
  SysError,
  type CallRecord,
  type Cause,
  type Delivery,
  type EndRecord,
  type FailureText,
  type Json,
  type JournalRecord,
  type OnProgress,
  type ProcessId,
  type ProgramEnd,
  type RunningProgram,
  type StartRecord,
} from "@aos/protocol";
import type { ReplayReport } from "../api.ts";
import { mustBeUnerased } from "../audit/erasures.ts";
import { CHAIN_START, hexOf, linkHash } from "../journal/chain.ts";
import { decodeValue, encodeText, hasBlob } from "../journal/codec.ts";
import {
  callText,
  endText,
  intentText,
  outcomeText,
  parseRecord,
  startText,
} from "../journal/record-text.ts";
import { settledIn, settledOf, type RecordedOutcome } from "./settled-in.ts";
import { restAfter, skimCall } from "./skim-call.ts";
import type { Limits } from "../options.ts";
import type { Platform } from "../platform/clock.ts";
import type { AccountRegistry } from "../process/accounts.ts";
import type { BlockRegistry } from "../process/blocks.ts";
import { startRecordOf } from "../process/process-factory.ts";
import { answerOf, fetchAnswers, loadProcess, stateOf } from "../process/load.ts";
import type { Manifests } from "../process/manifests.ts";
import { syscallNameOf, RecordedArguments } from "../process/call.ts";
import { asRecordedThen, endOf, exitOf, isEndedByKernel } from "../scheduler/endings.ts";
import { signalTold } from "../process/budget-notice.ts";
import { problemWith } from "../signal/disposition.ts";
import type { Store } from "../store/contract.ts";
import type { RecordPage } from "../store/record-pages.ts";
import type { ProcessRow } from "../store/rows.ts";
import type { Programs } from "../process/programs.ts";

interface Parts {
  readonly store: Store;
  readonly platform: Platform;
  readonly limits: Limits;
  readonly scrub: (text: string) => string;
  readonly blocks: BlockRegistry;
  readonly accounts: AccountRegistry;
  readonly manifests: Manifests;
  readonly programs: Programs;
}

/** How long a program may be silent before it is taken for stuck. */
const STALL_MS = 30_000;

export async function rerun(
  parts: Parts,
  row: ProcessRow,
  onProgress?: OnProgress,
): Promise<ReplayReport> {
  if (row.compacted)
    throw new SysError(
      "ESTATE",
      `the history of ${row.pid} was compacted; only its result is left`,
    );
  await mustBeUnerased(parts.store, row);
  const run = new Rerun(parts, row);
  const total = onProgress && ((await parts.store.chain(row.key))?.seq ?? -1) + 1;
  const difference = await run.compare((done) => onProgress?.({ done, total }));
  return {
    pid: row.pid as ProcessId,
    records:
      difference === null ? run.records : ((await parts.store.chain(row.key))?.seq ?? -1) + 1,
    identical: difference === null,
    difference,
  };
}

type Difference = NonNullable<ReplayReport["difference"]>;

/** A call that the program has made and that is not answered. */
interface Made {
  readonly id: number | string;
  readonly n: number;
  readonly name: string;
  readonly args: RecordedArguments;
  readonly cause: number;
}

class Rerun {
  readonly #parts: Parts;
  readonly #row: ProcessRow;
  /** How many were read so far. */
  records = 0;
  /** Those of a page whose answers are references, which were followed before anything of it is told. */
  readonly #fetched = new Map<number, JournalRecord>();
  readonly #fetch: (digest: string) => Promise<string | undefined>;
  #input: Json = null;
  #program: RunningProgram | null = null;
  #pending = new Map<number, Made>();
  #declared: { readonly id: number | string; readonly problem: FailureText | undefined }[] = [];
  #hash = CHAIN_START;
  #issued = 0;
  #told = 0;
  #turns = 0;
  /** How it ended, and what it had been told of last. */
  #end: { readonly end: ProgramEnd; readonly told: number } | null = null;
  #wake: () => void = () => {};

  constructor(parts: Parts, row: ProcessRow) {
    this.#parts = parts;
    this.#row = row;
    this.#fetch = (digest) => parts.store.blob(row.tenant, digest);
  }

  get #isApart(): boolean {
    return this.#row.spec.command !== undefined;
  }

  /** Lives through all of it; the first difference, where there is one. */
  async compare(onPage: (done: number) => void): Promise<Difference | null> {
    let difference: Difference | null = null;
    try {
      for await (const page of this.#parts.store.recordPages(this.#row.key)) {
        onPage(this.records);
        this.records += page.texts.length;
        difference = await this.#comparePage(page);
        if (difference !== null) break;
      }
    } finally {
      await this.#program?.stop();
    }
    return difference;
  }

  async #comparePage({ first, texts, hashes }: RecordPage): Promise<Difference | null> {
    await this.#fetchAnswers(first, texts);
    const hex = hexOf(hashes);
    let recorded = "";
    try {
      for (let nth = 0; nth < texts.length; nth++) {
        recorded = texts[nth]!;
        const seq = first + nth;
        const isSame = this.#liveCall(recorded, seq);
        if (isSame) await this.#afterTelling();
        const record = isSame ? undefined : (this.#fetched.get(seq) ?? parseRecord(recorded));
        const replayed = record === undefined ? recorded : await this.#live(record, seq);
        this.#hash = linkHash(this.#hash, replayed);
        if (replayed !== recorded || !hex.startsWith(this.#hash, nth * 64))
          return { seq, recorded, replayed };
      }
      return null;
    } catch (error) {
      if (!(error instanceof Silent) && !(error instanceof SysError)) throw error;
      const seq = error instanceof Silent ? error.seq : -1;
      return { seq, recorded: seq < 0 ? "" : recorded, replayed: error.message };
    }
  }

  async #fetchAnswers(first: number, texts: readonly string[]): Promise<void> {
    this.#fetched.clear();
    for (const [nth, text] of texts.entries())
      if (hasBlob(text)) this.#fetched.set(first + nth, parseRecord(text));
    await fetchAnswers([...this.#fetched.values()], this.#fetch);
  }

  /**
   * The same for a call that was made already, with an answer that stands in its record: its text is looked
   * through, and not decoded and written again. False where it is not to the last character what would be
   * written: then nothing is done.
   */
  #liveCall(text: string, seq: number): boolean {
    const skimmed = skimCall(text);
    const call = skimmed?.seq === seq ? this.#pending.get(skimmed.n) : undefined;
    if (call === undefined || (!this.#isApart && skimmed!.cause !== call.cause)) return false;
    const { name, args } = call;
    const rest =
      (args.said === undefined
        ? undefined
        : restAfter(text, skimmed!, { name, args: args.said })) ??
      restAfter(text, skimmed!, { name, args: args.text });
    const settled = rest === undefined ? undefined : settledIn(rest);
    if (settled === undefined) return false;
    this.#deliver(call, settled, seq);
    return true;
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
          cause: this.#isApart ? record.cause : ownCause(record, call.cause),
        };
        if (record.kind === "intent") {
          const { n, key, attempt } = record;
          return intentText(causal, { n, call: call.name, args: call.args.text, key, attempt });
        }
        const text = callText(
          causal,
          call.n,
          call.name,
          call.args.text,
          settledOf(record as never),
        );
        await this.#answer(call, record, seq);
        return text;
      }
      case "outcome": {
        const call = await this.#callNumbered(record.n, seq);
        await this.#answer(call, record, seq);
        return outcomeText(head, call.n, settledOf(record as never));
      }
      case "signal":
        await this.#until(() => this.#issued >= record.issued, seq, `${record.issued} calls`);
        if (record.did === "handler")
          await this.#tell(signalTold(record.signal, record.cause), seq);
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
      case "grant":
      case "revoke":
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
        program:
          spec.forkedFrom === undefined
            ? { name: spec.program, version: spec.programVersion }
            : record.program, // a fork's start is another's
        manifest: spec.manifestHash,
        capabilities: record.capabilities,
        birth: spec.forkedFrom === undefined ? startRecordOf(this.#row) : record.birth,
      },
      encodeText(JSON.stringify(this.#input)).text,
    );
  }

  /** An end that the program came to by itself is written from what it came to now. */
  async #liveEnd(
    record: EndRecord,
    head: { seq: number; at: number; cause: EndRecord["cause"] },
  ): Promise<string> {
    const isOwn = record.state !== "killed" && typeof record.cause === "number";
    if (!isOwn || isEndedByKernel(record)) return JSON.stringify(record);
    await this.#until(() => this.#end !== null, head.seq, "its end");
    const { end, told } = this.#end!;
    if (end.kind === "crashed" || end.kind === "misbehaved")
      return JSON.stringify({ end: end.kind, reason: end.reason });
    const own = asRecordedThen(endOf(end, this.#parts.scrub, this.#row.spec), record.error);
    const output =
      own.output === undefined ? undefined : encodeText(JSON.stringify(own.output)).text;
    return endText({ ...head, cause: this.#isApart ? record.cause : told }, own, output, record);
  }

  /** Retention keeps those that a restart began from. */
  async #checkpointAt(seq: number): Promise<Json> {
    const [row] = await this.#parts.store.records(this.#row.key, { after: seq - 1, upTo: seq });
    const state = await stateOf(parseRecord(row!.text) as CallRecord, this.#fetch);
    if (state === undefined)
      throw new SysError("ECORRUPT", `the state of record ${seq} is missing`);
    return state;
  }

  async #start(state: Json | undefined): Promise<void> {
    await this.#program?.stop();
    this.#pending.clear();
    this.#declared = [];
    this.#end = null;
    const process = await loadProcess(this.#parts, this.#row.key);
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
          if (this.#program === program) this.#onEnd(end);
        },
      },
    );
    this.#program = program;
  }

  #onEnd(end: ProgramEnd): void {
    this.#end ??= { end, told: this.#told };
    this.#wake();
  }

  #onCall(id: number | string, name: string, args: Json): void {
    if (name === "handle" || name === "mask") {
      this.#declared.push({ id, problem: problemWith(name, args) });
      return this.#wake();
    }
    if (name === "exit") return this.#onEnd(exitOf(args));
    this.#issued += 1;
    const { limits, scrub } = this.#parts;
    const said = new RecordedArguments(name, args, { maxBytes: limits.argumentBytes, scrub });
    const n = this.#issued;
    this.#pending.set(n, { id, n, name: syscallNameOf(name), args: said, cause: this.#told });
    this.#wake();
  }

  async #callNumbered(n: number, seq: number): Promise<Made> {
    if (!this.#pending.has(n)) {
      await this.#until(() => this.#pending.has(n), seq, `call ${n}`);
      await turn(); // it may make more calls in this turn, and has not been told of this one
    }
    return this.#pending.get(n)!;
  }

  async #answer(call: Made, record: RecordedOutcome, seq: number): Promise<void> {
    this.#deliver(call, record, seq);
    await this.#afterTelling();
  }

  #deliver(call: Made, record: RecordedOutcome, seq: number): void {
    this.#pending.delete(call.n);
    this.#told = seq;
    const { id } = call;
    this.#program!.deliver(
      record.err === undefined
        ? { kind: "answer", id, ok: answerOf(record) }
        : { kind: "answer", id, err: record.err },
    );
  }

  /** RERUN-1. */
  async #afterTelling(): Promise<void> {
    await (this.#isApart || ++this.#turns % TURNS_AT_ONCE === 0 ? turn() : settled());
    if (this.#declared.length > 0) await this.#answerDeclared();
  }

  /** RERUN-1. */
  async #tell(what: Delivery, seq: number): Promise<void> {
    this.#told = seq;
    this.#program!.deliver(what);
    await this.#afterTelling();
  }

  async #answerDeclared(): Promise<void> {
    for (let said = this.#declared.shift(); said !== undefined; said = this.#declared.shift()) {
      const { id, problem } = said;
      const outcome = problem === undefined ? { ok: null } : { err: problem };
      this.#program!.deliver({ kind: "answer", id, ...outcome });
      await turn();
    }
  }

  /** Waits until it is so; a program that ended will not make it so. */
  async #until(isSo: () => boolean, seq: number, what: string): Promise<void> {
    const { platform } = this.#parts;
    const since = platform.now();
    for (await this.#answerDeclared(); !isSo(); await this.#answerDeclared()) {
      if (this.#end !== null || platform.now() - since > STALL_MS)
        throw new Silent(
          seq,
          `${what} did not come${this.#end === null ? "" : `: the program ended (${JSON.stringify(this.#end.end)})`}`,
        );
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, 100);
        this.#wake = () => {
          this.#wake = () => {};
          clearTimeout(timer);
          resolve();
        };
        if (isSo() || this.#declared.length > 0 || this.#end !== null) this.#wake();
      });
    }
  }
}

/** A cause in another process is as recorded; one of its own is what it comes to now. */
const ownCause = (record: JournalRecord, cause: Cause): Cause =>
  typeof record.cause === "number" ? cause : record.cause;

class Silent extends Error {
  readonly seq: number;
  constructor(seq: number, message: string) {
    super(message);
    this.seq = seq;
  }
}

/** So many things are told before others have their turn at this thread. */
const TURNS_AT_ONCE = 64;

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** A program of this process has done all that it was led to when no promise is left to go on with. */
const settled = () => new Promise<void>((resolve) => nextTick(resolve));
