// Where policy is written: the operator's files, and the `.agents/` of a project.
//
// POLICY-LOCATIONS-1  The operator's layers bind everyone; a project's bind what was started from its
//     folder.
// POLICY-LOCATIONS-2  A project is the nearest folder, at or above a place, of which somebody has trusted a
//     policy.

import { readdirSync, realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import type { Home } from "../home.ts";

export interface PolicyLocation {
  readonly layer: string;
  readonly file: string;
  /** Configuration names it: it must be there. */
  readonly isNamed?: boolean;
}

export function operatorPolicyFiles(home: Home, files: readonly string[]): PolicyLocation[] {
  return [
    { layer: "organisation", file: home.policy },
    ...filesIn(home.policyFolder).map((file) => ({
      layer: `organisation:${basename(file).replace(/\.ya?ml$/, "")}`,
      file,
    })),
    ...files.map((written) => {
      const file = resolve(home.folder, written);
      return { layer: `organisation:${file}`, file, isNamed: true };
    }),
  ];
}

/** The policies of the folder in the order of their names; tests beside them are none. */
function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => /\.ya?ml$/.test(name) && !/\.test\.ya?ml$/.test(name))
      .toSorted()
      .map((name) => join(folder, name));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}

export const projectPolicyFiles = (project: string): PolicyLocation[] => [
  { layer: `project:${project}`, file: join(project, ".agents", "policy.yaml") },
  { layer: `project:${project}#security`, file: join(project, ".agents", "security.md") },
];

/** POLICY-LOCATIONS-2. */
export function projectWithPolicy(
  place: string,
  hasPolicy: (folder: string) => boolean,
): string | undefined {
  let folder = realOf(place);
  for (;;) {
    if (hasPolicy(folder)) return folder;
    const above = dirname(folder);
    if (above === folder) return undefined;
    folder = above;
  }
}

function realOf(place: string): string {
  try {
    return realpathSync(place);
  } catch {
    return resolve(place);
  }
}
