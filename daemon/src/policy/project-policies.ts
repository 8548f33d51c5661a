// Project policies: where policy is written (the operator's files, and the `.agents/` of a project), and the policies
// of projects, as they were trusted.
//
// PROJECT-POLICIES-1  An untrusted policy binds no process: its rules could speak to people in the operator's name.
// PROJECT-POLICIES-2  A trusted policy stays in force as it was trusted, whatever happens to its file, until the folder
//     is trusted again or the trust ends. Write access to the file does not remove a deny.
// POLICY-LOCATIONS-1  The operator's layers bind everyone; a project's layers bind processes started from its folder.
// POLICY-LOCATIONS-2  A project is the nearest folder, at or above a path, with a trusted policy.

import { readdirSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { DEFAULT_TENANT } from "@aos/protocol";
import type { Home } from "../home.ts";
import type { TrustRecord } from "../trust/trust-file.ts";
import type { TrustRegistry } from "../trust/trust-registry.ts";
import { type PolicyText, readPolicyFile, readPolicyText } from "./policy-text.ts";

export interface ProjectPolicies {
  /** The projects that bind what is started from these places. */
  projectsOf(places: readonly string[]): string[];
  /** The layers of a project. */
  placesOf(project: string): PolicyLocation[];
  textsOf(project: string): PolicyText[];
}

export function trustedPolicies(
  trust: Pick<TrustRegistry, "lastTrusted" | "trustedText">,
): ProjectPolicies {
  const recordOf = (project: string) => trust.lastTrusted(project, DEFAULT_TENANT);
  const placesOf = (project: string): PolicyLocation[] => {
    const record = recordOf(project);
    return record === undefined ? [] : placesIn(project, record);
  };
  return {
    projectsOf: (places) => [
      ...new Set(
        places.flatMap(
          (place) => projectWithPolicy(place, (folder) => placesOf(folder).length > 0) ?? [],
        ),
      ),
    ],
    placesOf,
    textsOf: (project) =>
      placesOf(project).map(({ layer, file }) => {
        const text = trust.trustedText(recordOf(project)!, relative(project, file));
        return readPolicyText(text, file, layer);
      }),
  };
}

/** As they are on the disk: for who runs tests of his own code. */
export const untrustedPolicies: ProjectPolicies = {
  projectsOf: (places) => [
    ...new Set(
      places.flatMap(
        (place) => projectWithPolicy(place, (folder) => placesThere(folder).length > 0) ?? [],
      ),
    ),
  ],
  placesOf: placesThere,
  textsOf: (project) =>
    placesThere(project).flatMap(({ file, layer }) => readPolicyFile(file, layer) ?? []),
};

/** Whatever they are: what cannot be read is not absent. */
function placesThere(project: string): PolicyLocation[] {
  return projectPolicyFiles(project).filter(({ file }) => {
    try {
      return statSync(file, { throwIfNoEntry: false }) !== undefined;
    } catch (error) {
      return (error as NodeJS.ErrnoException).code !== "ENOTDIR";
    }
  });
}

const placesIn = (project: string, { entries }: TrustRecord): PolicyLocation[] =>
  projectPolicyFiles(project).filter(({ file }) =>
    entries.some(({ path, kind }) => kind === "file" && path === relative(project, file)),
  );

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
