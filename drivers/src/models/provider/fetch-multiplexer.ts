// FetchMultiplexer: a vendor's model object is created once, and each request through it uses its own fetch.
//
//   const board = new FetchMultiplexer((fetch) => vendor.open(model, { ...means, fetch }));
//   const asked = await board.connect(signal, wire.fetch);
//   await asked.doStream({ ...call, abortSignal: signal });
//
// FETCH-MULTIPLEXER-1  A request uses the fetch that was connected for its own signal. Its key, limits and result are
//     never those of a concurrent request.
// FETCH-MULTIPLEXER-2  A request without a signal, or with an unknown one, is not sent.
// FETCH-MULTIPLEXER-3  If a model object could not be created, the next request creates it anew.

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
