// The accounts of the processes that are in memory and of those above them.

import { SysError, type Manifest } from "@aos/protocol";
import { Account, NOTHING } from "../budget/accounts.ts";
import { NO_WIDE, type Wide } from "../budget/wide.ts";
import type { WideBook } from "../budget/wide-book.ts";
import type { Store } from "../store/contract.ts";
import type { ProcessKey, ProcessRow } from "../store/rows.ts";

export class AccountBook {
  readonly #store: Store;
  readonly #wide: Pick<WideBook, "of">;
  /** Held weakly: an account lives as long as a process that it, or one below it, belongs to. */
  readonly #known = new Map<ProcessKey, WeakRef<Account>>();
  readonly #gone = new FinalizationRegistry<ProcessKey>((key) => {
    if (this.#known.get(key)?.deref() === undefined) this.#known.delete(key);
  });

  constructor(store: Store, wide: Pick<WideBook, "of">) {
    this.#store = store;
    this.#wide = wide;
  }

  async open(
    { key, tenant, agent, spec }: ProcessRow,
    parent: Account | null,
    born: { readonly tenantName: string; readonly manifest: Pick<Manifest, "budget"> },
  ): Promise<Account> {
    const { tenantName, manifest } = born;
    const wide = await this.#wide.of({ tenant, tenantName, agent, budget: manifest.budget });
    return this.#remember(new Account(key, spec.budget, parent, NOTHING, wide));
  }

  async restore(row: ProcessRow): Promise<Account> {
    const known = this.#known.get(row.key)?.deref();
    if (known !== undefined) return known;
    const above = row.parent === null ? undefined : await this.#store.processByKey(row.parent);
    const parent = above === undefined ? null : await this.restore(above);
    const wide = await this.#wideOf(row);
    const spent = await this.#store.spentByTree(row.key);
    const meanwhile = this.#known.get(row.key)?.deref();
    if (meanwhile !== undefined) return meanwhile;
    const owed = { microUsd: spent.overMicroUsd, tokens: spent.overTokens };
    return this.#remember(new Account(row.key, row.spec.budget, parent, spent, wide, owed));
  }

  forget(key: ProcessKey): void {
    this.#known.delete(key);
  }

  /** One that has ended spends nothing more. */
  async #wideOf({ pid, tenant, agent, spec, endedAt }: ProcessRow): Promise<Wide> {
    if (endedAt !== null) return NO_WIDE;
    const text = await this.#store.manifest(tenant, spec.manifestHash);
    if (text === undefined) throw new SysError("ECORRUPT", `the manifest of ${pid} is missing`);
    const { budget } = JSON.parse(text) as Manifest;
    const tenantName = await this.#store.tenantName(tenant);
    return this.#wide.of({ tenant, tenantName, agent, budget });
  }

  #remember(account: Account): Account {
    this.#known.set(account.key, new WeakRef(account));
    this.#gone.register(account, account.key);
    return account;
  }
}
