// CallRegistry: for whom something is done. One connection serves many processes; a request that leaves this
// machine, a secret and a question to a person belong to the call that they are part of.
//
// CALL-REGISTRY-1  What a call's own flow does is that call's. What arrives by itself, on a channel that all
//     calls share, is a call's only when it is the only one: nobody is asked another's questions.
// CALL-REGISTRY-2  When a call is over nothing is done in its name any more.

import { AsyncLocalStorage } from "node:async_hooks";
import type { DeviceContext } from "@aos/protocol";

interface Entry {
  readonly registry: CallRegistry;
  readonly context: DeviceContext;
  /** Connecting: it may reach out and use secrets in the call's name, but nobody asks it anything. */
  readonly isConnecting: boolean;
  readonly waits?: PausableTimeout;
  isOver: boolean;
}

/** How long a call may hear nothing; a person who thinks does not count. */
export interface PausableTimeout {
  pause(): void;
  resume(): void;
}

const current = new AsyncLocalStorage<Entry>();

export class CallRegistry {
  readonly #underWay = new Set<Entry>();

  get isIdle(): boolean {
    return this.#underWay.size === 0;
  }

  /** Does work in the name of a call. */
  async run<T>(context: DeviceContext, waits: PausableTimeout, work: () => Promise<T>): Promise<T> {
    const entry: Entry = { registry: this, context, isConnecting: false, waits, isOver: false };
    this.#underWay.add(entry);
    try {
      return await current.run(entry, work);
    } finally {
      entry.isOver = true;
      this.#underWay.delete(entry);
    }
  }

  /** Connects, in the name of a call where there is one. */
  async connect<T>(context: DeviceContext | undefined, work: () => Promise<T>): Promise<T> {
    if (context === undefined) return current.exit(work);
    const entry: Entry = { registry: this, context, isConnecting: true, isOver: false };
    try {
      return await current.run(entry, work);
    } finally {
      entry.isOver = true;
    }
  }

  /** In whose name a request goes out now. */
  sender(): DeviceContext | undefined {
    return this.#entry()?.context;
  }

  /** CALL-REGISTRY-1: whom a question is for. */
  asked(): Required<Pick<Entry, "context" | "waits">> | undefined {
    const own = this.#entry();
    const [only, ...others] = this.#underWay;
    const entry = own?.isConnecting === false ? own : others.length === 0 ? only : undefined;
    return entry?.waits === undefined ? undefined : { context: entry.context, waits: entry.waits };
  }

  #entry(): Entry | undefined {
    const entry = current.getStore();
    return entry?.registry === this && !entry.isOver ? entry : undefined;
  }
}

/** What comes in on a shared channel is nobody's, whoever opened the channel. */
export const fromNobody = <T>(work: () => T): T => current.exit(work);
