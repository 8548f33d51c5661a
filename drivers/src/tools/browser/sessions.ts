// BrowserSessions: the running browsers, one for each process tree.
//
// BROWSER-SESSIONS-1  Nothing is started, and no timer set, before the first call.
// BROWSER-SESSIONS-2  A browser is ended after five idle minutes; above the limit, the least recently used one.
//     Closing the sandbox ends all.
// BROWSER-SESSIONS-3  After a browser has ended, the next call starts a new one.

import { type DeviceContext, SysError } from "@aos/protocol";
import type { EgressOptions } from "../../web/egress.ts";
import type { ProgramRunner } from "../program-runner.ts";
import type { PageCall } from "./page-gate.ts";
import { type CallOptions, BrowserSession } from "./session.ts";
import type { OpenPages } from "./open-pages.ts";

export interface SessionsOptions {
  readonly idleMs?: number;
  readonly most?: number;
  /** How the proxies of the browsers reach the web. */
  readonly egress?: EgressOptions;
}

const IDLE_MS = 300_000;
const MOST = 8;

export class BrowserSessions {
  readonly #runner: ProgramRunner;
  readonly #idleMs: number;
  readonly #most: number;
  readonly #egress: EgressOptions;
  readonly #byTree = new Map<string, Promise<BrowserSession>>();
  readonly #running = new Set<BrowserSession>();
  #starting = 0;

  constructor(runner: ProgramRunner, options: SessionsOptions = {}) {
    const { idleMs = IDLE_MS, most = MOST, egress = {} } = options;
    this.#runner = runner;
    this.#idleMs = idleMs;
    this.#most = most;
    this.#egress = egress;
  }

  async call<Result>(
    context: DeviceContext,
    options: CallOptions,
    work: (windows: OpenPages, call: PageCall) => Promise<Result>,
  ): Promise<Result> {
    const tree = JSON.stringify([context.tenant, context.tree]);
    const session = await this.#of(tree, context);
    try {
      return await session.call(context, options, work);
    } finally {
      this.#endWhenIdle(session);
    }
  }

  /** BROWSER-SESSIONS-3. */
  async #of(tree: string, context: DeviceContext): Promise<BrowserSession> {
    for (;;) {
      const session = await (this.#byTree.get(tree) ?? this.#start(tree, context));
      if (!session.isOver) return session;
      await session.ended;
    }
  }

  #start(tree: string, context: DeviceContext): Promise<BrowserSession> {
    const starting = this.#startOne(context);
    const forget = () => void this.#byTree.delete(tree);
    this.#byTree.set(tree, starting);
    starting.then((session) => session.ended.then(forget), forget);
    return starting;
  }

  async #startOne(context: DeviceContext): Promise<BrowserSession> {
    this.#starting += 1;
    try {
      await this.#makeRoom();
      const session = await BrowserSession.start(this.#runner, context, this.#egress);
      this.#running.add(session);
      void session.ended.then(() => this.#running.delete(session));
      return session;
    } finally {
      this.#starting -= 1;
    }
  }

  /** BROWSER-SESSIONS-2. */
  async #makeRoom(): Promise<void> {
    while (this.#running.size + this.#starting > this.#most) {
      const [longest] = [...this.#running]
        .filter(({ isBusy }) => !isBusy)
        .toSorted((a, b) => a.lastUsedAt - b.lastUsedAt);
      if (longest === undefined)
        throw new SysError("EAGAIN", `all ${this.#most} browsers are busy`);
      await longest.end(new SysError("EAGAIN", "the browser was ended to free its slot"));
    }
  }

  #endWhenIdle(session: BrowserSession): void {
    const { lastUsedAt } = session;
    const timer = setTimeout(() => {
      if (session.isBusy || session.lastUsedAt !== lastUsedAt) return;
      void session.end(new SysError("ESTATE", "the browser was ended because it was idle"));
    }, this.#idleMs);
    timer.unref();
  }
}
