// Written manifest: a manifest that the kernel froze, as people would write it: times with their units, and
// without what says nothing.

import type { Json, Manifest } from "@aos/protocol";

/** Milliseconds, by the path of the field. */
const TIMES = new Set(["budget.wall", "restart.within", "restart.backoff", "deadline", "ttl.wall"]);

export const writtenManifest = (manifest: Manifest): Json => thaw(manifest as unknown as Json, "");

function thaw(value: Json, at: string): Json {
  if (typeof value === "number" && TIMES.has(at)) return `${value}ms`;
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const members = Object.entries(value).map(([name, member]): [string, Json] => [
    name,
    at === "output" ? (member as Json) : thaw(member as Json, at === "" ? name : `${at}.${name}`),
  ]);
  return Object.fromEntries(
    members.filter(([name, member]) => at !== "" || !isEmpty(name, member)),
  );
}

const DEFAULTS = new Set(["tools", "capabilities", "budget", "limits"]);

const isEmpty = (name: string, member: Json): boolean =>
  DEFAULTS.has(name) && Object.keys(member as object).length === 0;
