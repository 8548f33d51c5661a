// Platform: selects the way to open files on this machine, by trying it once. A machine without one gets an error,
// not a weaker check.

import { SysError } from "@aos/protocol";
import { findByDescriptor, tellsByDescriptor } from "./by-descriptor.ts";
import { findByWalk } from "./by-walk.ts";
import type { ResolveFile } from "./resolved-file.ts";

let chosen: Promise<ResolveFile> | undefined;

export const finderOfMachine = (): Promise<ResolveFile> =>
  (chosen ??= chooseFinder(process.platform));

export async function chooseFinder(
  platform: NodeJS.Platform,
  tells: () => Promise<boolean> = tellsByDescriptor,
): Promise<ResolveFile> {
  if (platform === "darwin") return findByWalk;
  if (platform === "linux" && (await tells())) return findByDescriptor;
  throw new SysError(
    "ESTATE",
    platform === "linux"
      ? "/proc is not mounted, so the target of a path cannot be checked"
      : `on ${platform} the target of a path cannot be checked`,
  );
}
