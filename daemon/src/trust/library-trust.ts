// Library trust: for who embeds a kernel and names the folders that count in code of his own.

import { isWithinFolder, realOf } from "./power-entry.ts";
import { scanFolder } from "./power-scan.ts";
import type { TrustedFolder, TrustLookup } from "@aos/protocol";

/** Every folder, as it is on the disk. */
export const trustAnyFolder: TrustLookup = (place): TrustedFolder | undefined => {
  const folder = realOf(place);
  if (folder === undefined) return undefined;
  const { digest, files, problems } = scanFolder(folder);
  return problems.length > 0 ? undefined : { folder, digest, copy: folder, files };
};

/** These folders and what is below them, as they are on the disk. */
export function trustsFolders(folders: readonly string[]): TrustLookup {
  return (place, tenant) => {
    const folder = realOf(place);
    const isNamed =
      folder !== undefined && folders.some((one) => isWithinFolder(folder, realOf(one) ?? one));
    return isNamed ? trustAnyFolder(folder, tenant) : undefined;
  };
}
