// Package model: a model that is called through its vendor's package.
//
// The package builds the request and parses the answer; our fetch carries it (fetch-multiplexer.ts).

import type { LanguageModelV4 } from "@ai-sdk/provider";
import { callOptions } from "./call-options.ts";
import { FetchMultiplexer } from "./fetch-multiplexer.ts";
import type { VendorCall, VendorConfig, OpenModel, Vendor } from "./vendors.ts";

export class PackageModel implements OpenModel {
  readonly #vendor: Vendor;
  readonly #structured: boolean;
  readonly #board: FetchMultiplexer;

  constructor(
    vendor: Vendor,
    { structured }: VendorConfig,
    open: (fetch: typeof globalThis.fetch) => Promise<LanguageModelV4>,
  ) {
    this.#vendor = vendor;
    this.#structured = structured;
    this.#board = new FetchMultiplexer(open);
  }

  async ask({ fitting, names, signal, fetch, take }: VendorCall): Promise<void> {
    const structured = this.#structured;
    const call = callOptions(fitting, this.#vendor, names, { signal, structured });
    const model = await this.#board.connect(signal, fetch);
    const { stream } = await model.doStream(call);
    for await (const part of stream) take(part);
  }
}
