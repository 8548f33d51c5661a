// CallRegistry: assigns requests, secrets and questions of a shared connection to the calls that they belong to.
//
// CALL-REGISTRY-1  What happens in the asynchronous context of a call belongs to that call. A message on the shared
//     channel belongs to a call only if it is the only one: a caller never gets another caller's question.
// CALL-REGISTRY-2  After the end of a call nothing is done on its behalf.

import { AsyncLocalStorage } from "node:async_hooks";
import type { DeviceContext } from "@aos/protocol";

interface Entry {
  readonly registry: CallRegistry;
  readonly context: DeviceContext;
  /** Connecting: it may reach out and use secrets in the call's name, but its questions are refused. */
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

/** A request on a shared channel belongs to no call, not even to the one that opened it. */
export const fromNobody = <T>(work: () => T): T => current.exit(work);
