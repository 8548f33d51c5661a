// The accounts of the processes that are in memory and of those above them.

import type { Account } from "../budget/accounts.ts";
import { Account as NewAccount, NOTHING } from "../budget/accounts.ts";
import type { Store } from "../store/contract.ts";
import type { ProcessKey, ProcessRow } from "../store/rows.ts";

export class AccountBook {
  readonly #store: Store;
  readonly #known = new Map<ProcessKey, WeakRef<Account>>();

  constructor(store: Store) {
    this.#store = store;
  }

  open(row: ProcessRow, parent: Account | null): Account {
    const account = new NewAccount(row.key, row.spec.budget, parent, NOTHING);
    this.#known.set(row.key, new WeakRef(account));
    return account;
  }

  async restore(row: ProcessRow): Promise<Account> {
    const known = this.#known.get(row.key)?.deref();
    if (known !== undefined) return known;
    const above = row.parent === null ? undefined : await this.#store.processByKey(row.parent);
    const parent = above === undefined ? null : await this.restore(above);
    const spent = await this.#store.spentByTree(row.key);
    const meanwhile = this.#known.get(row.key)?.deref();
    if (meanwhile !== undefined) return meanwhile;
    const account = new NewAccount(row.key, row.spec.budget, parent, spent);
    this.#known.set(row.key, new WeakRef(account));
    return account;
  }

  forget(key: ProcessKey): void {
    this.#known.delete(key);
  }
}
