// Memory spaces for people: the agents of a tenant that have long-term memory.
//
// MEMORY-SPACES-1  One short query for each space: no list of files is read.

import { AGENT_MEMORY, DEFAULT_TENANT, SPACE_PARTS, TENANT_SPACE } from "@aos/protocol";
import type { Journal } from "../journal/journal.ts";
import type { Store } from "../store/contract.ts";
import type { TenantKey } from "../store/rows.ts";

interface Parts {
  readonly journal: Journal<Store>;
  readonly store: Store;
}

/** By name; what is from before there were spaces comes last. */
export async function memorySpacesOf(
  { store, journal }: Parts,
  tenantName: string = DEFAULT_TENANT,
): Promise<string[]> {
  await journal.durable();
  const tenant = (await store.tenants()).find(({ name }) => name === tenantName)?.key;
  if (tenant === undefined) return [];
  const spaces: string[] = [];
  for (let after: string | undefined; ;) {
    const path = await firstBelow(store, tenant, AGENT_MEMORY, after);
    const space = path?.split("/")[3];
    if (space === undefined) break;
    spaces.push(space);
    after = `${AGENT_MEMORY}/${space}0`; // the character after the slash: what follows is of another space
  }
  const former = SPACE_PARTS.map((part) => firstBelow(store, tenant, `/mem/${part}`));
  const isFormer = (await Promise.all(former)).some((path) => path !== undefined);
  return [...spaces, ...(isFormer ? [TENANT_SPACE] : [])];
}

/** MEMORY-SPACES-1. */
const firstBelow = async (
  store: Store,
  tenant: TenantKey,
  under: string,
  after?: string,
): Promise<string | undefined> =>
  (await store.fileNames({ tenant, space: 0, under, after, limit: 1 }))[0]?.path;
