// Changes: what became of a folder since it was trusted.

import type { TrustPreview } from "@aos/protocol";
import type { PowerEntry } from "./power-entry.ts";

export function changesSince(
  before: readonly PowerEntry[],
  now: readonly PowerEntry[],
): TrustPreview["changes"] {
  const known = new Map(before.map((entry) => [entry.path, signOf(entry)]));
  const there = new Set(now.map(({ path }) => path));
  return [
    ...now.flatMap((entry) => {
      const sign = known.get(entry.path);
      if (sign === signOf(entry)) return [];
      return [
        { path: entry.path, what: sign === undefined ? ("new" as const) : ("changed" as const) },
      ];
    }),
    ...before.flatMap(({ path }) => (there.has(path) ? [] : [{ path, what: "gone" as const }])),
  ];
}

const signOf = ({ kind, isExecutable, hash, target }: PowerEntry): string =>
  JSON.stringify([kind, isExecutable, hash, target ?? null]);
