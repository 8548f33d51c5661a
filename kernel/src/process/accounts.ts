// The accounts of the processes that are in memory and of those above them.

import type { Account } from "../budget/accounts.ts";
import { Account as NewAccount, NOTHING } from "../budget/accounts.ts";
import type { Store } from "../store/contract.ts";
import type { ProcessKey, ProcessRow } from "../store/rows.ts";

export class AccountBook {
  readonly #store: Store;
  /** Held weakly: an account lives as long as a process that it, or one below it, belongs to. */
  readonly #known = new Map<ProcessKey, WeakRef<Account>>();
  readonly #gone = new FinalizationRegistry<ProcessKey>((key) => {
    if (this.#known.get(key)?.deref() === undefined) this.#known.delete(key);
  });

  constructor(store: Store) {
    this.#store = store;
  }

  open(row: ProcessRow, parent: Account | null): Account {
    return this.#remember(new NewAccount(row.key, row.spec.budget, parent, NOTHING));
  }

  async restore(row: ProcessRow): Promise<Account> {
    const known = this.#known.get(row.key)?.deref();
    if (known !== undefined) return known;
    const above = row.parent === null ? undefined : await this.#store.processByKey(row.parent);
    const parent = above === undefined ? null : await this.restore(above);
    const spent = await this.#store.spentByTree(row.key);
    const meanwhile = this.#known.get(row.key)?.deref();
    if (meanwhile !== undefined) return meanwhile;
    return this.#remember(new NewAccount(row.key, row.spec.budget, parent, spent));
  }

  forget(key: ProcessKey): void {
    this.#known.delete(key);
  }

  #remember(account: Account): Account {
    this.#known.set(account.key, new WeakRef(account));
    this.#gone.register(account, account.key);
    return account;
  }
}
