// BlockRegistry: the capability blocks in use, by id. Processes of a tree share the blocks above them with their
// counters.
//
// BLOCKS-1  The outermost block of every chain is below the ceiling of its tenant, if the tenant has one.
// BLOCKS-2  A tenant with an unknown ceiling has no chains: minting or restoring one is an error.
// BLOCKS-3  When setCeiling() returns, every chain of that tenant in memory is below the new ceiling.
//
// A block of a token may be presented in several tenants: each has its own, below its own ceiling, with shared usage
// and revocation.

import {
  attenuateBlock,
  blockState,
  linkBlock,
  parseCapability,
  revokeBlock,
  usedBlock,
  type CapabilityBlock,
  type BlockState,
  type CapabilityCharge,
} from "../capability/index.ts";
import type { BaseStore, Write } from "../store/base-contract.ts";
import type { BlockSpec, TenantKey } from "../store/rows.ts";

/** Held weakly: a block lives as long as a process that stands on it. */
class KnownBlock extends WeakRef<CapabilityBlock> {
  readonly tenant: TenantKey;

  constructor(block: CapabilityBlock, tenant: TenantKey) {
    super(block);
    this.tenant = tenant;
  }
}

/** Only a token's blocks are met in more than one tenant. */
const isOfToken = (id: string): boolean => id.startsWith("tok_");
const keyOf = (id: string, tenant: TenantKey): string => (isOfToken(id) ? `${tenant}/${id}` : id);

export class BlockRegistry {
  readonly #store: BaseStore;
  /** Reads the ceiling of a tenant that is not known here yet. */
  readonly #meet: (tenant: TenantKey) => Promise<void>;
  readonly #ceilings = new Map<TenantKey, CapabilityBlock | null>();
  readonly #known = new Map<string, KnownBlock>();
  readonly #gone = new FinalizationRegistry<string>((key) => {
    if (this.#known.get(key)?.deref() === undefined) this.#known.delete(key);
  });

  constructor(store: BaseStore, meet: (tenant: TenantKey) => Promise<void>) {
    this.#store = store;
    this.#meet = meet;
  }

  /** Null: the tenant has none. */
  ceilingOf(tenant: TenantKey): CapabilityBlock | null {
    const ceiling = this.#ceilings.get(tenant);
    if (ceiling === undefined) throw new Error(`the ceiling of tenant ${tenant} is not known`); // BLOCKS-2
    return ceiling;
  }

  /** BLOCKS-3. */
  setCeiling(tenant: TenantKey, ceiling: CapabilityBlock | null): void {
    this.#ceilings.set(tenant, ceiling);
    for (const known of this.#known.values()) {
      if (known.tenant !== tenant) continue;
      const block = known.deref();
      if (block !== undefined && isOutermost(block)) block.parent = ceiling;
    }
  }

  mint(spec: BlockSpec, parent: CapabilityBlock | null, tenant: TenantKey): CapabilityBlock {
    const above = parent ?? this.ceilingOf(tenant); // BLOCKS-1
    const block = attenuateBlock(above, spec.capabilities.map(parseCapability), spec);
    this.#remember(block, tenant);
    return block;
  }

  /**
   * The chain that these specs describe, outermost first, with what was used of it: as `states` has it, where
   * that was read just now, else as the store has it.
   */
  async restore(
    specs: readonly BlockSpec[],
    tenant: TenantKey,
    states?: ReadonlyMap<string, string>,
  ): Promise<CapabilityBlock> {
    if (!this.#ceilings.has(tenant)) {
      await this.#meet(tenant);
      return this.restore(specs, tenant); // what was read is of before
    }
    let block: CapabilityBlock | null = null;
    for (const spec of specs)
      block =
        this.#find(spec.id, tenant) ??
        (states === undefined
          ? this.#loaded(spec, block, tenant, await this.#store.block(spec.id))
          : this.#loaded(spec, block, tenant, states.get(spec.id)));
    if (block === null) throw new Error("a process has no capability block");
    return block;
  }

  /** Marks a block of this chain as dead, for all that stand on it; returns what keeps it so. */
  async revoke(specs: readonly BlockSpec[], id: string, tenant: TenantKey): Promise<Write> {
    let block: CapabilityBlock | null = await this.restore(specs, tenant);
    while (block !== null && block.id !== id) block = block.parent;
    if (block === null) throw new Error(`no block ${id} in this chain`);
    revokeBlock(block);
    for (const twin of this.#twins(id)) revokeBlock(twin);
    return BlockRegistry.#put(block, tenant);
  }

  /** The writes that keep what a use was charged to. */
  static writes(charges: readonly CapabilityCharge[], tenant: TenantKey): Write[] {
    return charges.map(({ block }) => BlockRegistry.#put(block, tenant));
  }

  static #put(block: CapabilityBlock, tenant: TenantKey): Write {
    return { op: "block.put", tenant, id: block.id, state: JSON.stringify(blockState(block)) };
  }

  #find(id: string, tenant: TenantKey): CapabilityBlock | undefined {
    return this.#known.get(keyOf(id, tenant))?.deref();
  }

  #loaded(
    spec: BlockSpec,
    parent: CapabilityBlock | null,
    tenant: TenantKey,
    state: string | undefined,
  ): CapabilityBlock {
    const meanwhile = this.#find(spec.id, tenant);
    if (meanwhile !== undefined) return meanwhile;
    const outer = parent ?? this.ceilingOf(tenant); // BLOCKS-1
    const [twin] = this.#twins(spec.id);
    if (twin === undefined && state === undefined) return this.mint(spec, parent, tenant);
    const block =
      twin === undefined
        ? usedBlock(spec, JSON.parse(state!) as BlockState, outer)
        : twinOf(twin, outer);
    this.#remember(block, tenant);
    return block;
  }

  /** The same block of a token in other tenants. */
  #twins(id: string): CapabilityBlock[] {
    if (!isOfToken(id)) return [];
    return [...this.#known]
      .filter(([key]) => key.endsWith(`/${id}`))
      .flatMap(([, known]) => known.deref() ?? []);
  }

  #remember(block: CapabilityBlock, tenant: TenantKey): void {
    const key = keyOf(block.id, tenant);
    this.#known.set(key, new KnownBlock(block, tenant));
    this.#gone.register(block, key);
  }
}

const isOutermost = ({ parent }: CapabilityBlock): boolean =>
  parent === null || parent.ceilingOf !== undefined;

function twinOf(block: CapabilityBlock, parent: CapabilityBlock | null): CapabilityBlock {
  const twin = linkBlock(parent, block.held, block);
  twin.revoked = block.revoked;
  return twin;
}
