// Devices: what exec and infer share: reaching outside, through a driver.

import {
  SysError,
  type FileLabels,
  type HeldPattern,
  type Json,
  type Label,
  type ModelContext,
  type NamedFile,
  type PersonQuestion,
  type Progress,
  type SecretPlace,
  type Touch,
  type WorkPlace,
} from "@aos/protocol";
import { ceilingAbove } from "../../capability/index.ts";
import { CLEAN, join, UNLABELLED } from "../../label/label.ts";
import { MAX_TIMER_MS } from "../../platform/clock.ts";
import type { Answered, Asked, World, WriteMark } from "../answer.ts";
import { watchExpiry } from "./expiry.ts";
import { SpokenWords } from "./spoken-words.ts";

/**
 * What a driver is told of the call it works for. The abort signal is made when it is asked for: most
 * calls are over before anybody would.
 */
export class Work implements ModelContext {
  readonly pid: string;
  readonly tenant: string;
  readonly tree: string;
  readonly workspace: WorkPlace;
  readonly folder?: string;
  readonly approvedFiles?: readonly NamedFile[];
  readonly key: string;
  /** What the driver says that its result is made of. */
  said: Label | undefined;
  readonly #world: World;
  readonly #asked: Asked;
  #stop: AbortController | undefined;
  #reason: SysError | undefined;
  /** The folders that a program may write to, and what they were marked with. */
  readonly #written = new Map<string, WriteMark>();
  readonly #words: SpokenWords;
  /** Set by whoever waits for the work. */
  onAbort: (reason: SysError) => void = () => {};

  constructor(world: World, asked: Asked) {
    this.#world = world;
    this.#asked = asked;
    this.#words = new SpokenWords(world, asked);
    this.pid = asked.process.pid;
    this.tenant = asked.process.tenantName;
    this.tree = asked.process.tree;
    this.workspace = asked.process.place.workspace;
    const { folder } = asked.process.row.spec;
    if (folder !== undefined) this.folder = folder;
    const { covers } = asked.permit;
    if (covers !== undefined && covers.files.length > 0) this.approvedFiles = covers.files;
    this.key = keyOf(asked);
  }

  get signal(): AbortSignal {
    if (this.#stop === undefined) {
      this.#stop = new AbortController();
      if (this.#reason !== undefined) this.#stop.abort(this.#reason);
    }
    return this.#stop.signal;
  }

  get hasRead(): Label {
    return this.#asked.process.label;
  }

  get hasCeiling(): boolean {
    return ceilingAbove(this.#asked.process.block) !== null;
  }

  /** What was stopped gets nothing more. */
  authorize(touch: Touch): void {
    if (this.#reason !== undefined) throw this.#reason;
    this.#asked.authorize(touch);
  }

  permits(touch: Touch): boolean {
    return this.#reason === undefined && this.#asked.permits(touch);
  }

  granted(kind: string): readonly HeldPattern[] {
    if (this.#reason !== undefined) throw this.#reason;
    return this.#asked.granted(kind);
  }

  labelsBelow(folder: string): Promise<FileLabels | undefined> {
    return this.#world.flows.below(this.#asked.process, folder);
  }

  sees(label: Label): void {
    const { permit, call } = this.#asked;
    permit.seen = join(permit.seen ?? CLEAN, label);
    call.failureLabel = join(call.failureLabel ?? UNLABELLED, label);
  }

  async mayWriteBelow(folder: string): Promise<void> {
    const { process, permit } = this.#asked;
    const mark = await this.#world.flows.mayWrite(process, folder, permit.seen ?? CLEAN);
    this.#written.set(folder, mark);
  }

  async wroteBelow(folder: string, paths: readonly string[]): Promise<void> {
    const { process, permit } = this.#asked;
    const mark = this.#written.get(folder);
    if (mark === undefined) return;
    await this.#world.flows.wrote(process, mark, paths, permit.seen ?? CLEAN);
  }

  heldBy(sandbox: string): void {
    this.#asked.call.heldBy = sandbox;
  }

  async ask(question: PersonQuestion): Promise<Json> {
    if (this.#reason !== undefined) throw this.#reason;
    return this.#asked.inquire(question);
  }

  label(label: Label): void {
    this.said = this.said === undefined ? label : join(this.said, label);
  }

  secret(name: string, place: SecretPlace): string {
    this.authorize({ kind: "secret", resource: name, verb: "use" });
    return this.#world.reveal(this.#asked.process, name, place);
  }

  providerKey(name: string, place: SecretPlace): string {
    if (this.#reason !== undefined) throw this.#reason;
    return this.#world.revealKey(this.#asked.process, name, place);
  }

  progress(said: Progress): void {
    if (this.#reason === undefined) this.#words.say(said);
  }

  endProgress(): void {
    this.#words.end();
  }

  /** The same work, which somebody else may end as well. */
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
    this.#reason ??= new SysError("EINTR", "the call is over");
  }

  abort(reason: SysError): void {
    this.#reason ??= reason;
    this.#stop?.abort(reason);
    this.#asked.call.stopInquiry?.(reason);
    this.onAbort(reason);
  }
}

/** Runs a driver's work with the call's time limit, and stops it when the call is cancelled. */
export function drive<T>(
  world: World,
  asked: Asked,
  limitMs: number,
  run: (work: Work) => Promise<T>,
  answer: (result: T) => Answered,
): Promise<Answered> {
  const { call } = asked;
  const work = new Work(world, asked);
  return new Promise((resolve, reject) => {
    let timer: NodeJS.Timeout | undefined;
    const over = () => {
      if (timer !== undefined) clearTimeout(timer);
      endWatch();
      call.onCancel = undefined;
      call.interrupt = undefined;
      work.end();
    };
    const fail = (error: unknown) => {
      over();
      reject(error instanceof SysError ? error : new SysError("EUPSTREAM", messageOf(error)));
    };
    work.onAbort = (reason) => {
      call.isStopped = true;
      fail(reason);
    };
    call.onCancel = () => work.abort(new SysError("EINTR", "nobody waits for it any more"));
    if (limitMs !== Infinity) {
      const timeUp = () =>
        work.abort(new SysError("ETIMEDOUT", `it took longer than ${limitMs} ms`));
      timer = setTimeout(timeUp, Math.min(limitMs, MAX_TIMER_MS));
    }
    const endWatch = watchExpiry(world.platform, asked, work);
    try {
      const running = run(work);
      call.interrupt = (reason) => {
        work.abort(reason);
        return running.then(
          () => {},
          () => {},
        );
      };
      running.then((result) => {
        try {
          work.endProgress();
          resolve(answer(result));
          over();
        } catch (error) {
          fail(error);
        }
      }, fail);
    } catch (error) {
      fail(error);
    }
  });
}

export const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);

/** The same for every try of the same call of the same process. */
export function keyOf({ process, call }: Pick<Asked, "process" | "call">): string {
  const given = (call.args as { key?: unknown } | null)?.key;
  return typeof given === "string" ? given : `${process.pid}.${call.n}`;
}
