// Devices: what exec and infer share: calling a driver.
//
// StreamedOutput: the output of a running driver for watchers, without secrets.
//
// STREAMED-OUTPUT-1  A watcher that joins before the answer is complete gets it from its beginning, up to
//     MOST_KEPT_CHARS; beyond that it is told where its part begins (`at`).
// STREAMED-OUTPUT-2  Text and reasoning are two streams, scrubbed separately, since a secret may be split in either.

import {
  type FileLabels,
  type HeldPattern,
  type Json,
  type Label,
  type ModelContext,
  type NamedFile,
  type PersonQuestion,
  type Progress,
  type SecretPlace,
  SysError,
  type Touch,
  type WorkPlace,
} from "@aos/protocol";
import { ceilingAbove } from "../capability/index.ts";
import { CLEAN, join, UNLABELLED } from "../label/label.ts";
import type { ScrubStream } from "../secret/index.ts";
import type { WriteMark } from "../syscall/file-flows.ts";
import { type CallContext, keyOf } from "../syscall/syscall-handler.ts";
import type { DriverServices } from "./services.ts";

/**
 * What a driver is told of the call it works for. The abort signal is made when it is asked for: most
 * calls are over before anybody would.
 */
export class DriverCall implements ModelContext {
  readonly pid: string;
  readonly tenant: string;
  readonly tree: string;
  readonly folder?: string;
  readonly approvedFiles?: readonly NamedFile[];
  /** What the driver says that its result is made of. */
  said: Label | undefined;
  readonly #services: DriverServices;
  readonly #asked: CallContext;
  #stop: AbortController | undefined;
  #reason: SysError | undefined;
  /** It was stopped, or the call is over: nothing is asked for in its name any more. */
  #isOver = false;
  /** The folders that a program may write to, and what they were marked with. */
  #written: Map<string, WriteMark> | undefined;
  #words: StreamedOutput | undefined;
  /** Set by the caller that waits for the work. */
  onAbort: ((reason: SysError) => void) | undefined;

  constructor(services: DriverServices, asked: CallContext) {
    this.#services = services;
    this.#asked = asked;
    this.pid = asked.process.pid;
    this.tenant = asked.process.tenantName;
    this.tree = asked.process.tree;
    const { folder } = asked.process.row.spec;
    if (folder !== undefined) this.folder = folder;
    const { covers } = asked.permit;
    if (covers !== undefined && covers.files.length > 0) this.approvedFiles = covers.files;
  }

  get workspace(): WorkPlace {
    return this.#asked.process.place.workspace;
  }

  get key(): string {
    return keyOf(this.#asked);
  }

  get signal(): AbortSignal {
    if (this.#stop === undefined) {
      this.#stop = new AbortController();
      if (this.#isOver) this.#stop.abort(this.#whyOver());
    }
    return this.#stop.signal;
  }

  /** What was stopped, or is over, gets nothing more. */
  #refuseOver(): void {
    if (this.#isOver) throw this.#whyOver();
  }

  /** Made for the first listener: most calls have none. */
  #whyOver(): SysError {
    return (this.#reason ??= new SysError("EINTR", "the call has ended"));
  }

  get hasRead(): Label {
    return this.#asked.process.label;
  }

  get hasCeiling(): boolean {
    return ceilingAbove(this.#asked.process.block) !== null;
  }

  authorize(touch: Touch): void {
    this.#refuseOver();
    if (this.#isHidden(touch.kind, touch.resource))
      throw new SysError("EACCES", `${touch.resource} is hidden by a mount`);
    this.#asked.authorize(touch);
  }

  permits(touch: Touch): boolean {
    if (this.#isOver || this.#isHidden(touch.kind, touch.resource)) return false;
    return this.#asked.permits(touch);
  }

  granted(kind: string): readonly HeldPattern[] {
    this.#refuseOver();
    const held = this.#asked.granted(kind);
    return kind === "file" ? held.filter(({ pattern }) => !this.#isHidden(kind, pattern)) : held;
  }

  /** A connector may be a folder of the machine that is called as its mount. */
  #isHidden(kind: string, resource: string): boolean {
    const { process, action } = this.#asked;
    return (
      kind === "file" &&
      action.call === "exec" &&
      this.#services.devices.isMounted(resource, process)
    );
  }

  labelsBelow(folder: string): Promise<FileLabels | undefined> {
    return this.#services.flows.below(this.#asked.process, folder);
  }

  sees(label: Label): void {
    const { permit, call } = this.#asked;
    permit.seen = join(permit.seen ?? CLEAN, label);
    call.failureLabel = join(call.failureLabel ?? UNLABELLED, label);
  }

  async mayWriteBelow(folder: string): Promise<void> {
    const { process, permit } = this.#asked;
    const mark = await this.#services.flows.mayWrite(process, folder, permit.seen ?? CLEAN);
    (this.#written ??= new Map()).set(folder, mark);
  }

  async wroteBelow(folder: string, paths: readonly string[]): Promise<void> {
    const { process, permit } = this.#asked;
    const mark = this.#written?.get(folder);
    if (mark === undefined) return;
    await this.#services.flows.wrote(process, mark, paths, permit.seen ?? CLEAN);
  }

  heldBy(sandbox: string): void {
    this.#asked.call.heldBy = sandbox;
  }

  async ask(question: PersonQuestion): Promise<Json> {
    this.#refuseOver();
    return this.#asked.inquire(question);
  }

  label(label: Label): void {
    this.said = this.said === undefined ? label : join(this.said, label);
  }

  secret(name: string, place: SecretPlace): string {
    this.authorize({ kind: "secret", resource: name, verb: "use" });
    return this.#services.reveal(this.#asked.process, name, place);
  }

  providerKey(name: string, place: SecretPlace): string {
    this.#refuseOver();
    return this.#services.revealKey(this.#asked.process, name, place);
  }

  progress(said: Progress): void {
    if (!this.#isOver) (this.#words ??= new StreamedOutput(this.#services, this.#asked)).say(said);
  }

  endProgress(): void {
    this.#words?.end();
  }

  /** The same work, which another caller may stop as well. */
  until(signal: AbortSignal): ModelContext {
    if (signal === this.#stop?.signal) return this;
    const both = AbortSignal.any([this.signal, signal]);
    return new Proxy(this, {
      get: (work, name) => {
        if (name === "signal") return both;
        const value = Reflect.get(work, name, work) as unknown;
        return typeof value === "function" ? (value as () => unknown).bind(work) : value;
      },
    });
  }

  /** The call is over: nothing is asked for in its name any more, and its yes is used up. */
  end(): void {
    this.#isOver = true;
  }

  abort(reason: SysError): void {
    if (!this.#isOver) this.#reason = reason;
    this.#isOver = true;
    this.#stop?.abort(reason);
    this.#asked.call.stopInquiry?.(reason);
    this.onAbort?.(reason);
  }
}

export const errorMessage = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);

/** Most output that is kept for late listeners. */
const MOST_KEPT_CHARS = 256 * 1024;

type Kind = Progress["kind"];

export class StreamedOutput {
  readonly #services: DriverServices;
  readonly #asked: CallContext;
  readonly #streams = new Map<Kind, ScrubStream>();
  /** Characters that were said, by kind, told or lost. */
  readonly #before = new Map<Kind, number>();
  /** Output before the first listener. */
  readonly #kept = new Map<Kind, string>();

  constructor(services: DriverServices, asked: CallContext) {
    this.#services = services;
    this.#asked = asked;
  }

  say({ kind, text }: Progress): void {
    const isRestart = kind === "restart";
    if (isRestart) for (const words of [this.#streams, this.#before, this.#kept]) words.clear();
    if (!this.#services.live.isHeard(this.#asked.process.key))
      return isRestart ? undefined : this.#keep(kind, text);
    const said = isRestart ? "" : this.#scrubbed(kind, this.#takeKept(kind) + text);
    if (isRestart || said !== "") this.#tell(kind, said);
  }

  /** The answer is whole: what could still have become a secret is told too. */
  end(): void {
    if (this.#services.live.isHeard(this.#asked.process.key))
      for (const kind of Array.from(this.#kept.keys())) this.say({ kind, text: "" });
    for (const [kind, stream] of this.#streams) {
      const text = stream.end();
      if (text !== "") this.#tell(kind, text);
    }
    this.#streams.clear();
  }

  #tell(kind: Kind, text: string): void {
    const at = this.#before.get(kind) ?? 0;
    const { process, call } = this.#asked;
    this.#services.live.tell(process.key, { kind, text, n: call.n, ...(at === 0 ? {} : { at }) });
    this.#note(kind, text);
  }

  /** STREAMED-OUTPUT-1. */
  #keep(kind: Kind, text: string): void {
    const kept = this.#kept.get(kind) ?? "";
    const isWhole = !this.#streams.has(kind) && !this.#before.has(kind);
    if (isWhole && kept.length + text.length <= MOST_KEPT_CHARS) this.#kept.set(kind, kept + text);
    else this.#note(kind, this.#takeKept(kind) + text);
  }

  #takeKept(kind: Kind): string {
    const kept = this.#kept.get(kind) ?? "";
    this.#kept.delete(kind);
    return kept;
  }

  #note(kind: Kind, text: string): void {
    this.#before.set(kind, (this.#before.get(kind) ?? 0) + text.length);
  }

  /** STREAMED-OUTPUT-2. */
  #scrubbed(kind: Kind, text: string): string {
    const stream = this.#streams.get(kind) ?? this.#services.scrubStream();
    this.#streams.set(kind, stream);
    return stream.push(text);
  }
}
