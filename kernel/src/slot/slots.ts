// Slots: inference slots, the scarce resource. How the parts fit together: docs/scheduling.md.
//
//   run(request, attempt)   waits for a slot, tries, retries, and falls back where that may help
//   reports()               the statistics of each model
//
// SLOTS-1  Tenants share in proportion to their weights (shares.ts); within one, the earliest deadline is
//     first (fair-queue.ts).
// SLOTS-2  The limits of a model, and of its provider, are never exceeded (occupancy.ts).
// SLOTS-3  Every request has one outcome and holds nothing after it (inference-request.ts).

import type { SlotReport } from "@aos/protocol";
import type { SlotRules } from "../options.ts";
import type { Platform } from "../platform/clock.ts";
import { ProviderScheduler } from "./provider-scheduler.ts";
import type { ModelQueue } from "./model-queue.ts";
import { InferenceRequest, type SlotContext } from "./inference-request.ts";
import { hedgeAfterMs, providerOf } from "./rules.ts";
import type { SlotResult, Attempt, SlotRequest } from "./slot-request.ts";

export { NO_SLOT_RULES } from "./rules.ts";
export type { Attempt, SlotRequest } from "./slot-request.ts";

/** Of more models than this, those that are idle are forgotten. */
const MOST_MODELS = 1000;

interface Parts {
  readonly rules: () => SlotRules;
  readonly platform: Platform;
  /** Removes secrets from the messages of a driver. */
  readonly scrub?: (text: string) => string;
}

export class Slots {
  readonly #parts: Parts;
  readonly #schedulers = new Map<string, ProviderScheduler>();
  readonly #queues = new Map<string, ModelQueue>();
  readonly #context: SlotContext;
  #requests = 0;

  constructor(parts: Parts) {
    const { rules, platform } = parts;
    this.#parts = parts;
    this.#context = {
      rules,
      platform,
      now: () => platform.now(),
      queue: (model) => this.#queue(model),
      scheduler: (model) => this.#scheduler(providerOf(model)),
      scrub: parts.scrub ?? ((text) => text),
    };
  }

  run<T>(request: SlotRequest, attempt: Attempt<T>): Promise<SlotResult<T>> {
    this.#requests += 1;
    return new InferenceRequest(request, attempt, this.#requests, this.#context).run();
  }

  /** How many tries may run at once for one request: 2 where it is hedged. */
  triesAtOnce(model: string): number {
    return hedgeAfterMs(this.#parts.rules(), model) === undefined ? 1 : 2;
  }

  /** Of each model that rules speak of or that was asked for. */
  reports(): SlotReport[] {
    const rules = this.#parts.rules();
    const now = this.#parts.platform.now();
    for (const model of Object.keys(rules.models)) this.#queue(model);
    return [...this.#queues.values()]
      .map((queue) => queue.report(rules, now))
      .toSorted((one, other) => (one.model < other.model ? -1 : 1));
  }

  #scheduler(provider: string): ProviderScheduler {
    let scheduler = this.#schedulers.get(provider);
    if (scheduler === undefined) {
      scheduler = new ProviderScheduler(provider, this.#parts.rules, this.#parts.platform);
      this.#schedulers.set(provider, scheduler);
    }
    return scheduler;
  }

  #queue(model: string): ModelQueue {
    let queue = this.#queues.get(model);
    if (queue === undefined) {
      if (this.#queues.size >= MOST_MODELS) this.#forget();
      queue = this.#scheduler(providerOf(model)).queue(model);
      this.#queues.set(model, queue);
    }
    return queue;
  }

  #forget(): void {
    const now = this.#parts.platform.now();
    for (const [model, queue] of this.#queues) if (queue.isIdle(now)) this.#queues.delete(model);
  }
}
