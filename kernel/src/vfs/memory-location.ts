// MemoryLocation: where a path of a process is stored. Working memory is the process's own, long-term memory that of its
// agent (protocol/memory-space.ts), the rest its tenant's.
//
// MEMORY-LOCATION-1  A path that is on no mount is nowhere: nothing is read or written there.
// MEMORY-LOCATION-2  Each part of an agent's memory is a mount of its own: a search of one reads no other, and the
//     indexes have no word in common.

import {
  AGENT_MEMORY,
  isAgentMemory,
  SPACE_PARTS,
  storedPath,
  SysError,
  TENANT_SPACE,
} from "@aos/protocol";
import type { FileQuery } from "../store/queries.ts";
import type { ProcessKey, ProcessSpec, TenantKey } from "../store/rows.ts";

export interface MemoryOwner {
  readonly key: ProcessKey;
  readonly tenant: TenantKey;
  readonly row: { readonly spec: Pick<ProcessSpec, "memorySpace"> };
}

export interface MemoryLocation {
  readonly tenant: TenantKey;
  /** The process whose own it is; 0 for what outlives one. */
  readonly space: ProcessKey;
  /** As it was asked for. */
  readonly asked: string;
  /** As it is stored. */
  readonly path: string;
  /** Of the stored path. */
  readonly mount: string;
  readonly isAppendOnly: boolean;
  /** It is above the parts of spaces: it can be listed, and has no files of its own. */
  readonly isOfSpaces: boolean;
}

/** What every process has below /mem. */
export const MOUNTS = ["/mem/working", "/mem/episodic", "/mem/semantic", "/mem/shared"] as const;

export const isUnderMount = (path: string, mount: string): boolean =>
  path === mount || path.startsWith(`${mount}/`);

/** Undefined where nothing is mounted (MEMORY-LOCATION-1). */
export function locate(
  { key, tenant, row }: MemoryOwner,
  path: string,
): MemoryLocation | undefined {
  const stored = storedPath(path, row.spec.memorySpace);
  const mount = storedMountOf(stored);
  if (mount === undefined) return undefined;
  return {
    tenant,
    space: mount === "/mem/working" ? key : 0,
    asked: path,
    path: stored,
    mount,
    isAppendOnly: mount.endsWith("/episodic"),
    isOfSpaces: isAgentMemory(mount) && mount.split("/").length < SPACE_SEGMENTS,
  };
}

/** `/mem/agents/SPACE/semantic`, split. */
const SPACE_SEGMENTS = 5;

export function locateFile(owner: MemoryOwner, path: string): MemoryLocation {
  const found = locate(owner, path);
  if (found !== undefined) return found;
  throw new SysError("ENOENT", `nothing is mounted at ${path}`, {
    hint: `the mounts are ${MOUNTS.join(", ")}, ${AGENT_MEMORY}/SPACE/semantic|episodic and /self`,
  });
}

/** MEMORY-LOCATION-2. Of a stored path. */
export function storedMountOf(path: string): string | undefined {
  if (!isAgentMemory(path)) return MOUNTS.find((mount) => isUnderMount(path, mount));
  const [, , , space, part] = path.split("/", SPACE_SEGMENTS);
  if (space === undefined || part === undefined) return path;
  const isPart = space !== TENANT_SPACE && SPACE_PARTS.some((one) => one === part);
  return isPart ? `${AGENT_MEMORY}/${space}/${part}` : undefined;
}

/** The spelling that was asked for, of a stored path below it. */
export const asked = ({ asked: named, path }: MemoryLocation, stored: string): string =>
  named === path ? stored : named + stored.slice(path.length);

/** The stored path of one below what was asked for. */
export const storedBelow = ({ asked: named, path }: MemoryLocation, below: string): string =>
  named !== path && isUnderMount(below, named) ? path + below.slice(named.length) : below;

export const placeOf = ({
  tenant,
  space,
  path,
}: MemoryLocation): Pick<FileQuery, "tenant" | "space" | "under"> => ({
  tenant,
  space,
  under: path,
});

export const unsearched = (path: string): SysError =>
  new SysError("EINVAL", `search: ${path} has no index: each part of a space has its own`, {
    hint: `search ${AGENT_MEMORY}/SPACE/semantic or ${AGENT_MEMORY}/SPACE/episodic`,
  });
