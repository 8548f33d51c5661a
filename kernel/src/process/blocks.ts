// Blocks: the capability blocks that are in use, by id. Processes of a tree share the blocks above
// them, and with them the counters: a limit given once is kept once.

import {
  attenuate,
  blockState,
  parseCapability,
  revoke,
  usedBlock,
  type Block,
  type BlockState,
  type Charge,
} from "../capability/index.ts";
import type { Store, Write } from "../store/contract.ts";
import type { BlockSpec, TenantKey } from "../store/rows.ts";

export class Blocks {
  readonly #store: Store;
  /** Held weakly: a block lives as long as a process that stands on it. */
  readonly #known = new Map<string, WeakRef<Block>>();
  readonly #gone = new FinalizationRegistry<string>((id) => {
    if (this.#known.get(id)?.deref() === undefined) this.#known.delete(id);
  });

  constructor(store: Store) {
    this.#store = store;
  }

  mint(spec: BlockSpec, parent: Block | null): Block {
    const block = attenuate(parent, spec.capabilities.map(parseCapability), spec);
    this.#remember(block);
    return block;
  }

  /** The chain that these specs describe, outermost first, with what was used of it. */
  async restore(specs: readonly BlockSpec[]): Promise<Block> {
    let block: Block | null = null;
    for (const spec of specs)
      block = this.#known.get(spec.id)?.deref() ?? (await this.#load(spec, block));
    if (block === null) throw new Error("a process has no capability block");
    return block;
  }

  /** Marks a block of this chain as dead, for all that stand on it; returns what keeps it so. */
  async revoke(specs: readonly BlockSpec[], id: string, tenant: TenantKey): Promise<Write> {
    let block: Block | null = await this.restore(specs);
    while (block !== null && block.id !== id) block = block.parent;
    if (block === null) throw new Error(`no block ${id} in this chain`);
    revoke(block);
    return Blocks.#put(block, tenant);
  }

  /** The writes that keep what a use was charged to. */
  static writes(charges: readonly Charge[], tenant: TenantKey): Write[] {
    return charges.map(({ block }) => Blocks.#put(block, tenant));
  }

  static #put(block: Block, tenant: TenantKey): Write {
    return { op: "block.put", tenant, id: block.id, state: JSON.stringify(blockState(block)) };
  }

  async #load(spec: BlockSpec, parent: Block | null): Promise<Block> {
    const state = await this.#store.block(spec.id);
    const meanwhile = this.#known.get(spec.id)?.deref();
    if (meanwhile !== undefined) return meanwhile;
    if (state === undefined) return this.mint(spec, parent);
    const block = usedBlock(spec, JSON.parse(state) as BlockState, parent);
    this.#remember(block);
    return block;
  }

  #remember(block: Block): void {
    this.#known.set(block.id, new WeakRef(block));
    this.#gone.register(block, block.id);
  }
}
