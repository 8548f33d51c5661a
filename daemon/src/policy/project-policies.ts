// Project policies: the policies of projects, as somebody trusted them.
//
// PROJECT-POLICIES-1  A policy that nobody trusted binds nobody: its rules could speak to people in the
//     operator's name.
// PROJECT-POLICIES-2  A policy that was trusted stays as it was trusted, whatever becomes of its file,
//     until the folder is trusted again or no longer. Who can write the file cannot take a deny away.

import { statSync } from "node:fs";
import { relative } from "node:path";
import { DEFAULT_TENANT } from "@aos/protocol";
import type { TrustRegistry } from "../trust/trust-registry.ts";
import type { TrustRecord } from "../trust/trust-file.ts";
import { type PolicyLocation, projectWithPolicy, projectPolicyFiles } from "./policy-locations.ts";
import { readPolicyFile, readPolicyText, type PolicyText } from "./policy-text.ts";

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
