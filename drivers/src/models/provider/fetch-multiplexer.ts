// FetchMultiplexer: a vendor's model is opened once, and each request to it goes over a wire of its own.
//
//   const board = new FetchMultiplexer((fetch) => vendor.open(model, { ...means, fetch }));
//   const asked = await board.connect(signal, wire.fetch);
//   await asked.doStream({ ...call, abortSignal: signal });
//
// FETCH-MULTIPLEXER-1  A request goes over the wire that was connected for its own signal. Whatever else runs
//     at that time, for whomever, its key, its limits and what comes of it are nobody else's.
// FETCH-MULTIPLEXER-2  A request with no signal, or with one that nothing was connected for, goes nowhere.
// FETCH-MULTIPLEXER-3  A model that could not be opened is opened anew for the next who asks.

import type { LanguageModelV4 } from "@ai-sdk/provider";
import { SysError } from "@aos/protocol";

type Fetch = typeof globalThis.fetch;

export class FetchMultiplexer {
  readonly #wires = new WeakMap<AbortSignal, Fetch>();
  readonly #open: (fetch: Fetch) => Promise<LanguageModelV4>;
  #opened: Promise<LanguageModelV4> | undefined;

  constructor(open: (fetch: Fetch) => Promise<LanguageModelV4>) {
    this.#open = open;
  }

  /** The model, with `wire` for the one request that has this signal. */
  async connect(signal: AbortSignal, wire: Fetch): Promise<LanguageModelV4> {
    this.#wires.set(signal, wire);
    this.#opened ??= this.#open(this.#send);
    try {
      return await this.#opened;
    } catch (error) {
      this.#opened = undefined; // FETCH-MULTIPLEXER-3
      throw error;
    }
  }

  readonly #send: Fetch = async (input, init) => {
    const wire = this.#wires.get(init?.signal as AbortSignal);
    if (wire === undefined)
      throw new SysError("EUPSTREAM", "a request without a caller was about to be sent"); // FETCH-MULTIPLEXER-2
    return wire(input, init);
  };
}
