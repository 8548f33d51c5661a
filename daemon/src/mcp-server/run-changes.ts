// RunChanges: notifies the watchers of a run's resource that it changed. The kernel is followed only while there are
// watchers.
//
// RUN-CHANGES-1  A caller of one tenant is notified only of that tenant's runs: it follows its own tenant's kernel.

import type { ServerEvent, ServerEventBus } from "@modelcontextprotocol/server";
import type { Kernel } from "@aos/kernel";
import { runUri } from "./run-resources.ts";

type Listener = (event: ServerEvent) => void;

export class RunChanges implements ServerEventBus {
  readonly #kernel: Pick<Kernel, "follow">;
  readonly #onTrouble: (error: unknown) => void;
  readonly #listeners = new Set<Listener>();
  #following: AbortController | undefined;

  constructor(kernel: Pick<Kernel, "follow">, onTrouble: (error: unknown) => void) {
    this.#kernel = kernel;
    this.#onTrouble = onTrouble;
  }

  publish(event: ServerEvent): void {
    for (const listener of this.#listeners) listener(event);
  }

  subscribe(listener: Listener): () => void {
    this.#listeners.add(listener);
    if (this.#following === undefined) {
      this.#following = new AbortController();
      this.#follow(this.#following.signal).catch(this.#onTrouble);
    }
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size > 0) return;
      this.#following?.abort();
      this.#following = undefined;
    };
  }

  async #follow(signal: AbortSignal): Promise<void> {
    for await (const { pid } of this.#kernel.follow({ signal })) {
      this.publish({ kind: "resource_updated", uri: runUri(pid) });
      this.publish({ kind: "resource_updated", uri: `${runUri(pid)}/journal` });
    }
  }
}
