// exec, and what it shares with infer: reaching outside, through a driver.

import {
  SysError,
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
import type { Amount } from "../../budget/accounts.ts";
import { join, UNLABELLED } from "../../label/label.ts";
import { textOf } from "../../journal/codec.ts";
import { MAX_TIMER_MS } from "../../platform/clock.ts";
import type { Answer, Answered, Asked, World } from "../answer.ts";
import { cutTo } from "./cut.ts";
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

  async mayWriteBelow(folder: string): Promise<void> {
    await this.#world.markBelow(this.#asked.process, folder);
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

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);

export const ONE_TOOL_CALL: Amount = { microUsd: 0, tokens: 0, toolCalls: 1 };

export const exec: Answer<"exec"> = (world, args, asked) => runTool(world, args, asked);

/** Runs the tool that the action names. */
export function runTool(
  world: World,
  args: {
    readonly args: Json;
    readonly timeoutMs?: number | undefined;
    readonly cutAt?: number | undefined;
  },
  asked: Asked,
): Promise<Answered> {
  asked.call.waitsOn = "tool";
  const tool = asked.action.tool!;
  const limitMs = Math.min(asked.permit.timeoutMs ?? Infinity, args.timeoutMs ?? Infinity);
  const labelOf = (work: Work): Promise<Label> =>
    world.labelOf(asked, work.said ?? tool.label ?? UNLABELLED);
  const run = async (work: Work): Promise<Answered> => {
    asked.call.failureLabel = world.saidOf(asked) ?? tool.label ?? UNLABELLED;
    const since = world.platform.now();
    const note = (failure?: { at: number; message: string }) =>
      world.devices.health.note(tool.name, world.platform.now() - since, failure);
    try {
      const value = (await tool.run(args.args, work)) ?? null;
      note();
      return {
        ...shown(world, asked, value, args.cutAt),
        spent: ONE_TOOL_CALL,
        label: await labelOf(work),
      };
    } catch (error) {
      note({ at: world.platform.now(), message: world.scrub(messageOf(error)) });
      asked.call.failureLabel = await labelOf(work); // its words may be those of what it touched
      throw error;
    }
  };
  return drive(world, asked, limitMs, run, (answered) => answered);
}

/** The result, or what is told of one that is too long. */
function shown(
  world: World,
  { process }: Asked,
  value: Json,
  cutAt: number | undefined,
): Pick<Answered, "value" | "writes"> {
  const cut = cutAt === undefined ? undefined : cutTo(world.scrub(textOf(value)), cutAt);
  if (cut === undefined) return { value };
  const { tenant, key } = process;
  return { value: cut.value, writes: [{ op: "blob.put", tenant, process: key, ...cut.blob }] };
}

/** The same for every try of the same call of the same process. */
export function keyOf({ process, call }: Pick<Asked, "process" | "call">): string {
  const given = (call.args as { key?: unknown } | null)?.key;
  return typeof given === "string" ? given : `${process.pid}.${call.n}`;
}
