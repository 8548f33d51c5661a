// The kernel's methods about secrets. A value goes into the vault and never comes out here.

import { DEFAULT_TENANT, SysError, type Json, type SecretReport } from "@aos/protocol";
import type { SecretRequest } from "../api.ts";
import type { Binding } from "../secret/index.ts";
import type { KernelParts } from "./kernel-parts.ts";
import type { MethodReach } from "./method-reach.ts";
import type { OpenKernel } from "./open-kernel.ts";

export interface SecretMethods {
  /** Takes secrets out of a text that is about to be shown or logged. */
  scrub(text: string): string;
  secrets(): Promise<SecretReport[]>;
  setSecret(secret: SecretRequest, by: string): Promise<void>;
  removeSecret(name: string, options: { tenant?: string; by: string }): Promise<void>;
}

export const secretReach = {
  scrub: "own",
  secrets: "own",
  setSecret: { scope: 0 },
  removeSecret: { scope: 1 },
} as const satisfies Record<keyof SecretMethods, MethodReach>;

export function secretMethods(parts: KernelParts, open: OpenKernel): SecretMethods {
  const { vault, store, tenants } = parts;
  return {
    /** Takes secrets out of a text that is about to be shown or logged. */
    scrub: (text) => parts.scrub(text),
    async secrets() {
      open.mustBeOpen();
      const keys = [...new Set((await store.secrets()).map(({ tenant }) => tenant))];
      const names = await Promise.all(keys.map((key) => store.tenantName(key)));
      return names.flatMap((tenant) =>
        vault.list(tenant).map(({ name, bindings, updatedAt }) => ({
          name,
          tenant,
          bindings: bindings as unknown as Json[],
          updatedAt: new Date(updatedAt).toISOString(),
        })),
      );
    },
    async setSecret({ tenant = DEFAULT_TENANT, name, value, bindings }, by) {
      open.mustBeOpen();
      await tenants.keyOf(tenant);
      const secret = { name, value, bindings: bindings as unknown as Binding[] };
      await vault.set(tenant, secret, by);
    },
    async removeSecret(name, { tenant = DEFAULT_TENANT, by }) {
      open.mustBeOpen();
      await tenants.keyOf(tenant);
      const wasThere = await vault.remove(tenant, name, by);
      if (!wasThere)
        throw new SysError("ENOENT", `unknown secret ${name}`, { hint: "aos secret ls" });
    },
  };
}
