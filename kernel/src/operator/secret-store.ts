// The vault over the kernel's store: rows there have tenants by their keys, the vault by their names.

import type { KernelOptions } from "../options.ts";
import type { Platform } from "../platform/clock.ts";
import {
  loadOrCreateKeys,
  parseSecretKey,
  type SecretKey,
  type SecretRows,
  Vault,
} from "../secret/index.ts";
import type { Store } from "../store/contract.ts";

export interface Safe {
  readonly vault: Vault;
  /** The first seals. */
  readonly keys: readonly [SecretKey, ...SecretKey[]];
}

export async function openVault(
  store: Store,
  options: Pick<KernelOptions, "secretKey" | "secretKeyFile">,
  platform: Platform,
): Promise<Safe> {
  const keys = await keysOf(options, platform);
  return { vault: await Vault.open(rowsOf(store), keys, platform), keys };
}

/** Without a key of its own a kernel has one for as long as it lives: what it sealed dies with it. */
async function keysOf(
  { secretKey, secretKeyFile }: Pick<KernelOptions, "secretKey" | "secretKeyFile">,
  platform: Platform,
): Promise<Safe["keys"]> {
  if (secretKey !== undefined) return [parseSecretKey(secretKey)];
  if (secretKeyFile !== undefined) return loadOrCreateKeys(secretKeyFile, platform);
  return [parseSecretKey(Buffer.from(platform.bytes(32)).toString("base64"))];
}

const rowsOf = (store: Store): SecretRows => ({
  all: async () =>
    Promise.all(
      (await store.secrets()).map(async ({ tenant, ...row }) => ({
        ...row,
        tenant: await store.tenantName(tenant),
      })),
    ),
  put: async (row) => {
    const tenant = await store.tenantKey(row.tenant);
    await store.commit([], [{ op: "secret.put", row: { ...row, tenant } }]);
  },
  remove: async (tenant, name) => {
    await store.commit([], [{ op: "secret.remove", tenant: await store.tenantKey(tenant), name }]);
  },
});
