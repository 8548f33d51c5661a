// The vault over the kernel's store: rows there have tenants by their keys, the vault by their names. What
// is set or removed is in the ledger by the same commit.

import type { Json } from "@aos/protocol";
import type { Journal } from "../journal/journal.ts";
import type { Ledger } from "../journal/ledger.ts";
import type { KernelOptions } from "../options.ts";
import type { Platform } from "../platform/clock.ts";
import {
  loadOrCreateKeys,
  parseSecretKey,
  type SecretKey,
  type SealedSecret,
  type SecretRows,
  Vault,
} from "./index.ts";
import type { Store, Write } from "../store/contract.ts";

export interface OpenedVault {
  readonly vault: Vault;
  /** The first seals. */
  readonly keys: readonly [SecretKey, ...SecretKey[]];
  readonly rows: StoredSecrets;
}

export async function openVault(
  store: Store,
  options: Pick<KernelOptions, "secretKey" | "secretKeyFile">,
  platform: Platform,
): Promise<OpenedVault> {
  const keys = await keysOf(options, platform);
  const rows = new StoredSecrets(store);
  return { vault: await Vault.open(rows, keys, platform), keys, rows };
}

/** Without a key a kernel makes one in memory: what it sealed cannot be opened after it ends. */
async function keysOf(
  { secretKey, secretKeyFile }: Pick<KernelOptions, "secretKey" | "secretKeyFile">,
  platform: Platform,
): Promise<OpenedVault["keys"]> {
  if (secretKey !== undefined) return [parseSecretKey(secretKey)];
  if (secretKeyFile !== undefined) return loadOrCreateKeys(secretKeyFile, platform);
  return [parseSecretKey(Buffer.from(platform.bytes(32)).toString("base64"))];
}

/** Where changes are recorded. */
interface SecretRowIndex {
  readonly journal: Pick<Journal, "write" | "durable">;
  readonly ledger: Pick<Ledger, "add">;
}

class StoredSecrets implements SecretRows {
  readonly #store: Store;
  /** Undefined until the kernel is composed. */
  book: SecretRowIndex | undefined;

  constructor(store: Store) {
    this.#store = store;
  }

  async all(): Promise<SealedSecret[]> {
    return Promise.all(
      (await this.#store.secrets()).map(async ({ tenant, ...row }) => ({
        ...row,
        tenant: await this.#store.tenantName(tenant),
      })),
    );
  }

  async put(row: SealedSecret, by?: string): Promise<void> {
    const tenant = await this.#store.tenantKey(row.tenant);
    await this.#commit({ op: "secret.put", row: { ...row, tenant } }, by, secretLedgerDetail(row));
  }

  async remove(tenant: string, name: string, by?: string): Promise<void> {
    const key = await this.#store.tenantKey(tenant);
    await this.#commit({ op: "secret.remove", tenant: key, name }, by, { tenant, name });
  }

  async #commit(
    write: Extract<Write, { op: "secret.put" | "secret.remove" }>,
    by: string | undefined,
    detail: Json,
  ): Promise<void> {
    if (by === undefined || this.book === undefined) {
      await this.#store.commit([], [write]);
      return;
    }
    const { journal, ledger } = this.book;
    journal.write(write);
    ledger.add({ what: write.op === "secret.put" ? "secret.set" : "secret.remove", by, detail });
    await journal.durable();
  }
}

/** What the ledger says of a secret that is set. No older row has the same `updatedAt`. */
export function secretLedgerDetail({ tenant, name, sealed, updatedAt }: SealedSecret) {
  const { bindings = [] } = JSON.parse(sealed) as { bindings?: Json[] };
  return { tenant, name, bindings, updatedAt };
}
