// Kernel host: the kernel of a daemon, rebooted from the disk when its store fails.
//
//   host.kernel       a stable interface, whichever instance is behind it
//   host.suspect(e)   reports an error that may come from the store: the instance is checked
//
// KERNEL-HOST-1  A store that fails does not end the daemon. What is in memory may be ahead of the disk
//     and is dropped; a new instance boots from what is stored, as after a crash. Effects in flight end
//     as a crash would leave them. The old instance is closed before the new one boots; one that cannot
//     be closed in time is fenced by the lease epochs of the new one.
// KERNEL-HOST-2  Without an instance every call is refused with the reason, `status` reports it, and boots are
//     retried with backoff until one succeeds and the store has taken a write.
// KERNEL-HOST-3  Followers of records continue with the new instance after the last delivered record.
// KERNEL-HOST-4  A caller that waits for a process receives the failure, never a state that is not stored.

import { setTimeout as sleep } from "node:timers/promises";
import type { FeedCursor, Kernel, KernelStatus } from "@aos/kernel";
import { isEnded, SysError, type FeedEvent } from "@aos/protocol";
import type { Logger } from "pino";
import { abortedWith } from "./aborted-with.ts";

const FIRST_BACKOFF_MS = 250;
const MAX_BACKOFF_MS = 10_000;
/** After an instance that worked for longer than this the backoff begins anew. */
const STEADY_AFTER_MS = 30_000;
/** A database that hangs is not waited for. */
const CLOSE_WITHIN_MS = 10_000;

interface Instance {
  readonly kernel: Kernel;
  readonly node: string;
  readonly store: string;
  readonly since: number;
  /** Aborted when its store has failed. */
  readonly over: AbortController;
}

/** `formerNode` is the node of the instance that failed: nothing of it is alive. */
type Boot = (context: { readonly formerNode?: string }) => Promise<Kernel>;
type Log = Pick<Logger, "error" | "info" | "warn">;

interface Resumable<T, Cursor> {
  /** Begun while there is no instance it waits for one; otherwise it is refused. */
  readonly waits?: true;
  readonly open: (
    kernel: Kernel,
    from: { after?: Cursor; signal: AbortSignal },
  ) => AsyncIterable<T>;
  readonly cursorOf: (told: T) => Cursor | undefined;
}

export class KernelHost {
  readonly kernel: Kernel;
  readonly #boot: Boot;
  readonly #log: Log;
  #instance: Instance | undefined;
  #last: Instance | undefined;
  #reason = new SysError("ESTORE", "the kernel is starting");
  /** What was said of the store while an instance booted. */
  #suspicion: SysError | undefined;
  #backoffMs = FIRST_BACKOFF_MS;
  readonly #closing = new AbortController();
  #restarting: Promise<void> = Promise.resolve();

  constructor(boot: Boot, log: Log) {
    this.#boot = boot;
    this.#log = log;
    const own: Partial<Kernel> = {
      scrub: (text) => this.scrub(text),
      close: () => this.close(),
      status: (of) => this.#status(of),
      wait: (pid, options) => this.#wait(pid, options),
      follow: (options = {}) =>
        this.#resumed(options, {
          waits: true,
          open: (kernel, from) => kernel.follow(from),
          cursorOf: ({ pid, record }) => ({ pid, seq: record.seq }),
        }),
      watch: (pid, options = {}) =>
        this.#resumed(options, {
          open: (kernel, from) => kernel.watch(pid, from),
          cursorOf: ({ seq }) => seq,
        }),
      attach: (pid, options = {}) =>
        this.#resumed(options, {
          open: (kernel, from) => kernel.attach(pid, from),
          cursorOf: (told) => ("record" in told ? told.record.seq : undefined),
        }),
      recorded: (after) => this.#recorded(after),
    };
    this.kernel = new Proxy(own as Kernel, {
      get: (_, name) => own[name as keyof Kernel] ?? this.#method(name),
    });
  }

  /** The first boot; what keeps it from succeeding is thrown. */
  async start(): Promise<void> {
    await this.#begin();
  }

  /** The instance that works now, where there is one. */
  get present(): Kernel | undefined {
    return this.#instance?.kernel;
  }

  /** Takes secrets out of a text; also while there is no instance. */
  scrub(text: string): string {
    return this.#last?.kernel.scrub(text) ?? text;
  }

  suspect(error: unknown): void {
    if (!isStoreFailure(error)) return;
    if (this.#instance === undefined) this.#suspicion = error;
    else void this.#works(this.#instance, error);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#restarting;
    await this.#instance?.kernel.close();
  }

  /** Not every error of the store is its end. It is, if the instance cannot say how things stand (KERNEL-HOST-1). */
  async #works(instance: Instance, error: SysError): Promise<boolean> {
    try {
      await instance.kernel.status();
    } catch {
      this.#fail(instance, error);
    }
    return !instance.over.signal.aborted;
  }

  #fail(instance: Instance, error: SysError): void {
    if (this.#instance !== instance || this.#closing.signal.aborted) return;
    this.#instance = undefined;
    this.#suspicion = undefined;
    this.#reason = error;
    if (performance.now() - instance.since > STEADY_AFTER_MS) this.#backoffMs = FIRST_BACKOFF_MS;
    this.#log.error({ err: error }, "the store failed; the kernel restarts when the store answers");
    instance.over.abort();
    this.#restarting = this.#restart(instance, error);
  }

  /** KERNEL-HOST-2. */
  async #restart({ kernel }: Instance, failure: SysError): Promise<void> {
    const { signal } = this.#closing;
    await Promise.race([
      kernel.close({ failure }).catch(() => {}),
      sleep(CLOSE_WITHIN_MS, undefined, { ref: false }),
    ]);
    while (!signal.aborted) {
      await sleep(this.#backoffMs, undefined, { signal }).catch(() => {});
      if (signal.aborted) return;
      this.#backoffMs = Math.min(this.#backoffMs * 2, MAX_BACKOFF_MS);
      try {
        await this.#begin();
        this.#log.info("the store answers again; the kernel has restarted");
        return;
      } catch (error) {
        const reason = error instanceof SysError ? error : new SysError("ESTORE", String(error));
        if (reason.message !== this.#reason.message)
          this.#log.warn({ err: reason }, "the kernel cannot boot yet");
        this.#reason = reason;
      }
    }
  }

  async #begin(): Promise<void> {
    const kernel = await this.#boot(
      this.#last === undefined ? {} : { formerNode: this.#last.node },
    );
    const instance = await instanceOf(kernel, this.#last === undefined ? undefined : this.#reason);
    this.#last = instance;
    this.#instance = instance;
    if (this.#suspicion !== undefined) this.suspect(this.#suspicion);
    this.#suspicion = undefined;
  }

  /** Any other method: as the instance has it, and its failures examined. */
  #method(name: string | symbol): unknown {
    if (name === "then") return undefined; // it is no promise
    const instance = this.#instance;
    if (instance === undefined) return () => Promise.reject(this.#refusal());
    const method = Reflect.get(instance.kernel, name) as unknown;
    if (typeof method !== "function") return method;
    return (...args: unknown[]) => {
      const answer: unknown = Reflect.apply(method, instance.kernel, args);
      if (!(answer instanceof Promise)) return answer;
      return answer.catch((error: unknown) => {
        throw this.#explained(instance, error);
      });
    };
  }

  /** What a call failed with. Whatever an instance says that is over, its store is the reason. */
  #explained(instance: Instance, error: unknown): unknown {
    if (instance.over.signal.aborted) return this.#refusal();
    this.suspect(error);
    return error;
  }

  #present(): Instance {
    if (this.#instance === undefined) throw this.#refusal();
    return this.#instance;
  }

  #refusal(): SysError {
    const { message, hint } = this.#reason;
    return new SysError("ESTORE", message, { hint, retryAfter: this.#backoffMs });
  }

  async #status(of: Parameters<Kernel["status"]>[0]): Promise<KernelStatus> {
    const instance = this.#instance;
    try {
      if (instance !== undefined) return await instance.kernel.status(of);
    } catch (error) {
      if (!isStoreFailure(error)) throw error;
      this.#fail(instance!, error);
      if (!instance!.over.signal.aborted) throw error;
    }
    if (this.#last === undefined) throw this.#refusal();
    const { node, store } = this.#last;
    return { node, store, loaded: 0, states: {}, trouble: this.#reason.message };
  }

  /** KERNEL-HOST-4. */
  async #wait(...[pid, options]: Parameters<Kernel["wait"]>): ReturnType<Kernel["wait"]> {
    const instance = this.#present();
    const ending = await instance.kernel.wait(pid, options).catch((error: unknown) => {
      throw this.#explained(instance, error);
    });
    if (instance.over.signal.aborted && !isEnded(ending.state)) throw this.#refusal();
    return ending;
  }

  /** KERNEL-HOST-3. The first instance is listened to from the first `next()` on. */
  async *#resumed<T, Cursor>(
    { after, signal }: { readonly after?: Cursor; readonly signal?: AbortSignal },
    { waits, open, cursorOf }: Resumable<T, Cursor>,
  ): AsyncGenerator<T> {
    let cursor = after;
    let instance = this.#instance;
    for (;;) {
      if (instance === undefined && waits !== true) throw this.#refusal();
      instance ??= await this.#next(signal);
      if (instance === undefined) return;
      using until = abortedWith([signal, instance.over.signal]);
      const from = { ...(cursor === undefined ? {} : { after: cursor }), signal: until.signal };
      try {
        for await (const told of open(instance.kernel, from)) {
          cursor = cursorOf(told) ?? cursor;
          yield told;
        }
      } catch (error) {
        const isOver = instance.over.signal.aborted;
        if (!isOver && !(isStoreFailure(error) && !(await this.#works(instance, error))))
          throw error;
      }
      if (!instance.over.signal.aborted || signal?.aborted === true) return;
      instance = await this.#next(signal);
      if (instance === undefined) return;
    }
  }

  async *#recorded(after: FeedCursor): AsyncGenerator<FeedEvent> {
    yield* this.#present().kernel.recorded(after);
  }

  /** The next instance; none when the caller gives up or the host closes. */
  async #next(signal: AbortSignal | undefined): Promise<Instance | undefined> {
    using until = abortedWith([signal, this.#closing.signal]);
    while (!until.signal.aborted) {
      await Promise.race([this.#restarting, until.whenAborted]);
      if (this.#instance !== undefined) return this.#instance;
    }
    return undefined;
  }
}

const isStoreFailure = (error: unknown): error is SysError =>
  error instanceof SysError && error.code === "ESTORE";

/** A boot counts once the store has answered after it; after a failure, once it has taken a write. */
async function instanceOf(kernel: Kernel, failure: SysError | undefined): Promise<Instance> {
  try {
    if (failure !== undefined)
      await kernel.enter("store.failed", "kernel", { reason: failure.message });
    const { node, store } = await kernel.status();
    return { kernel, node, store, since: performance.now(), over: new AbortController() };
  } catch (error) {
    await kernel.close({ failure: error }).catch(() => {});
    throw error;
  }
}
