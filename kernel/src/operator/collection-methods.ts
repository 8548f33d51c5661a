// The kernel's methods about collections: what was ingested, as an operator sees it.

import {
  DEFAULT_TENANT,
  SysError,
  type CollectionFile,
  type CollectionReport,
} from "@aos/protocol";
import { collectionFilesOf, collectionsOf } from "../inspection/collections.ts";
import type { KernelParts } from "./kernel-parts.ts";
import type { MethodReach } from "./method-reach.ts";

export interface CollectionMethods {
  /** The folders of shared memory that were ingested. */
  collections(of?: { tenant?: string }): Promise<CollectionReport[]>;
  /** A page of the files of one, by path. */
  collectionFiles(
    name: string,
    page?: { tenant?: string; after?: string; limit?: number },
  ): Promise<{ files: CollectionFile[]; next: string | null }>;
}

export const collectionReach = {
  collections: { scope: 0 },
  collectionFiles: { scope: 1 },
} as const satisfies Record<keyof CollectionMethods, MethodReach>;

export function collectionMethods({ store, journal }: KernelParts): CollectionMethods {
  const keyOf = async (tenant: string = DEFAULT_TENANT) => {
    const key = await store.findTenant(tenant);
    if (key !== undefined || tenant === DEFAULT_TENANT) return key;
    throw new SysError("ENOENT", `unknown tenant ${tenant}`, {
      hint: "`aos tenant ls` lists the tenants",
    });
  };
  return {
    async collections({ tenant } = {}) {
      const key = await keyOf(tenant);
      return key === undefined ? [] : collectionsOf(journal, key);
    },
    async collectionFiles(name, { tenant, ...page } = {}) {
      const key = await keyOf(tenant);
      if (key === undefined) return { files: [], next: null };
      return collectionFilesOf(journal, { tenant: key, name }, page);
    },
  };
}
