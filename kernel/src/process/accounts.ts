// The accounts of the processes in memory and of their ancestors.
//
// PROCESS-ACCOUNTS-1  An account is restored once: nothing can be spent below it before it is restored, so what was
//     read of it is still true.

import type { Manifest } from "@aos/protocol";
import { Account, NOTHING } from "../budget/accounts.ts";
import { NO_SHARED_ACCOUNTS, type SharedAccounts } from "../budget/shared-accounts.ts";
import type { SharedBudgets } from "../budget/shared-budgets.ts";
import type { Store } from "../store/contract.ts";
import type { ProcessKey, ProcessRow } from "../store/rows.ts";
import type { SpendOverrun, SpendAmounts } from "../store/spend-row.ts";
import type { Manifests } from "./manifests.ts";

interface AccountRead {
  /** What its tree has spent. */
  readonly spent?: (SpendAmounts & SpendOverrun) | undefined;
  readonly tenantName?: string;
}

export class AccountRegistry {
  readonly #store: Store;
  readonly #manifests: Manifests;
  readonly #shared: Pick<SharedBudgets, "of">;
  /** Held weakly: an account lives as long as a process that it, or one below it, belongs to. */
  readonly #known = new Map<ProcessKey, WeakRef<Account>>();
  readonly #restoring = new Map<ProcessKey, Promise<Account>>();
  readonly #gone = new FinalizationRegistry<ProcessKey>((key) => {
    if (this.#known.get(key)?.deref() === undefined) this.#known.delete(key);
  });

  constructor(store: Store, manifests: Manifests, shared: Pick<SharedBudgets, "of">) {
    this.#store = store;
    this.#manifests = manifests;
    this.#shared = shared;
  }

  async open(
    { key, tenant, agent, spec }: ProcessRow,
    parent: Account | null,
    born: { readonly tenantName: string; readonly manifest: Pick<Manifest, "budget"> },
  ): Promise<Account> {
    const { tenantName, manifest } = born;
    const shared = await this.#shared.of({ tenant, tenantName, agent, budget: manifest.budget });
    return this.#remember(new Account(key, spec.budget, parent, NOTHING, shared));
  }

  isKnown(key: ProcessKey): boolean {
    return this.#known.get(key)?.deref() !== undefined;
  }

  /** PROCESS-ACCOUNTS-1. `read` is what was read of it just now. */
  async restore(row: ProcessRow, read: AccountRead = {}): Promise<Account> {
    const known = this.#known.get(row.key)?.deref();
    if (known !== undefined) return known;
    const restoring = this.#restoring.get(row.key) ?? this.#restore(row, read);
    this.#restoring.set(row.key, restoring);
    return restoring.finally(() => this.#restoring.delete(row.key));
  }

  async #restore(row: ProcessRow, read: AccountRead): Promise<Account> {
    const parent = row.parent === null ? null : await this.#above(row.parent);
    const shared = await this.#wideOf(row, read.tenantName);
    const spent = read.spent ?? (await this.#store.spentByTree(row.key));
    const owed = { microUsd: spent.overMicroUsd, tokens: spent.overTokens };
    return this.#remember(new Account(row.key, row.spec.budget, parent, spent, shared, owed));
  }

  async #above(key: ProcessKey): Promise<Account | null> {
    const known = this.#known.get(key)?.deref();
    if (known !== undefined) return known;
    const row = await this.#store.processByKey(key);
    return row === undefined ? null : this.restore(row);
  }

  forget(key: ProcessKey): void {
    this.#known.delete(key);
  }

  /** One that has ended spends nothing more. */
  async #wideOf(row: ProcessRow, known: string | undefined): Promise<SharedAccounts> {
    if (row.endedAt !== null) return NO_SHARED_ACCOUNTS;
    const { tenant, agent } = row;
    const { budget } = await this.#manifests.of(row);
    const tenantName = known ?? (await this.#store.tenantName(tenant));
    return this.#shared.of({ tenant, tenantName, agent, budget });
  }

  #remember(account: Account): Account {
    this.#known.set(account.key, new WeakRef(account));
    this.#gone.register(account, account.key);
    return account;
  }
}
