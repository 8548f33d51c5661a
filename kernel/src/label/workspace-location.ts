// Workspace location: the machine location of a workspace file, for marks that outlive a process. `/work` is a
// different folder for every tree; a mark must identify one.

import type { Touch, WorkPlace } from "@aos/protocol";

const WORK = "/work";

interface Worker {
  readonly tree: string;
  readonly place: { readonly workspace: WorkPlace };
}

export const locatedAll = (touches: readonly Touch[], worker: Worker): Touch[] =>
  touches.map((touch) => located(touch, worker));

/** What is read, and where that is a copy also what it is a copy of: the marks of both count. */
export const readLocations = (touches: readonly Touch[], worker: Worker): Touch[] =>
  touches.flatMap((touch) => {
    const own = located(touch, worker);
    const origin = originOf(touch.resource, worker);
    return origin === undefined || touch.kind !== "file"
      ? [own]
      : [own, { ...touch, resource: origin }];
  });

/** Where the file that a copy was made of is; undefined where it is no copy. */
export function originOf(path: string, { place }: Worker): string | undefined {
  const { folder, isCow } = place.workspace;
  const isBelowWork = path === WORK || path.startsWith(`${WORK}/`);
  return isBelowWork && isCow && folder !== undefined
    ? `${folder}${path.slice(WORK.length)}`
    : undefined;
}

/** The name of a file below `/work`: the same for all processes that can reach it, and different from any other file's. */
export function located(touch: Touch, worker: Worker): Touch {
  if (touch.kind !== "file") return touch;
  const resource = locatedPath(touch.resource, worker);
  return resource === touch.resource ? touch : { ...touch, resource };
}

export function locatedPath(path: string, { tree, place }: Worker): string {
  if (path !== WORK && !path.startsWith(`${WORK}/`)) return path;
  const { folder, isCow } = place.workspace;
  const rest = path.slice(WORK.length);
  return folder === undefined || isCow ? `${tree}:${rest}` : `${folder}${rest}`;
}
