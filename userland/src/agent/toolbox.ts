// Toolbox: the tools that a model is offered, and which of them are system calls of the agent.

import type { Manifest, Sys, ToolOffer } from "@aos/protocol";
import { leftBySkills } from "./skill-card.ts";
import { syscallOffers } from "./syscall-run.ts";

export class Toolbox {
  #offers: ToolOffer[];
  readonly #own: ReadonlySet<string>;

  constructor(offers: readonly ToolOffer[], own: readonly ToolOffer[]) {
    this.#offers = [...offers, ...own];
    this.#own = new Set(own.map(({ name }) => name));
  }

  static async open(sys: Sys, manifest: Manifest): Promise<Toolbox> {
    const offers = (await sys.read("/self/tools")) as unknown as ToolOffer[];
    return new Toolbox(offers, syscallOffers(manifest));
  }

  /** With those that a conversation brings, which are system calls. */
  offersWith(more: readonly ToolOffer[]): ToolOffer[] {
    const known = new Set(this.#offers.map(({ name }) => name));
    return [...this.#offers, ...more.filter(({ name }) => !known.has(name))];
  }

  /** Of what is offered: the names of system calls. */
  ownWith(more: readonly ToolOffer[]): ReadonlySet<string> {
    return new Set([...this.#own, ...more.map(({ name }) => name)]);
  }

  /** After a skill was read: only what it leaves. */
  async narrow(sys: Sys): Promise<void> {
    this.#offers = await leftBySkills(sys, this.#offers);
  }
}
