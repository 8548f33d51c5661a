// SchedulingTerms: lane, deadline and time to live of a process, from its start request or its manifest. Descendants
// are bound by them.
//
// SCHEDULING-TERMS-1  A child never has a higher priority, a later deadline or a longer life than its parent.
// SCHEDULING-TERMS-2  A child has one hop less than its parent; a process without hops cannot spawn.

import { DEFAULT_LANE, lanes, type Lane, type Manifest } from "@aos/protocol";
import type { ProcessSpec } from "../store/rows.ts";
import type { Process } from "./process.ts";

/** What may be said at a start. */
export interface SchedulingTerms {
  readonly lane?: Lane | undefined;
  /** From now. */
  readonly deadlineMs?: number | undefined;
  readonly ttl?: { readonly hops?: number; readonly wallMs?: number } | undefined;
}

interface RequestedTerms {
  readonly manifest: Pick<Manifest, "lane" | "deadline" | "onDeadline" | "ttl">;
  readonly parent: Pick<Process, "row"> | null;
  readonly terms?: SchedulingTerms | undefined;
}

export function laneOf({ manifest, parent, terms }: RequestedTerms): Lane | null {
  const own = terms?.lane ?? manifest.lane ?? null;
  if (parent === null) return own;
  const above = parent.row.lane ?? null;
  return own !== null && isAfter(own, above ?? DEFAULT_LANE) ? own : above;
}

const isAfter = (lane: Lane, other: Lane): boolean => lanes.indexOf(lane) > lanes.indexOf(other);

/** In milliseconds since 1970, where it is a time. */
export function termsOf(
  { manifest, parent, terms }: RequestedTerms,
  now: number,
): Pick<ProcessSpec, "deadlineAt" | "expiresAt" | "hops"> {
  const above = parent?.row.spec;
  const dueInMs = terms?.deadlineMs ?? manifest.deadline;
  const after = (ms: number | undefined) => (ms === undefined ? undefined : now + ms);
  const deadlineAt = least(above?.deadlineAt, after(dueInMs));
  const said = {
    deadlineAt,
    expiresAt: least(
      above?.expiresAt,
      after(terms?.ttl?.wallMs),
      after(manifest.ttl?.wall),
      manifest.onDeadline === "end" ? deadlineAt : undefined,
    ),
    hops: least(
      above?.hops === undefined ? undefined : above.hops - 1,
      terms?.ttl?.hops,
      manifest.ttl?.hops,
    ),
  };
  return Object.fromEntries(Object.entries(said).filter(([, value]) => value !== undefined));
}

/** A fork is a new task: it gets the time that its origin had at its start. */
export function termsFrom(
  { deadlineAt, expiresAt }: ProcessSpec,
  bornAt: number,
  now: number,
): Pick<ProcessSpec, "deadlineAt" | "expiresAt"> {
  return {
    ...(deadlineAt === undefined ? {} : { deadlineAt: deadlineAt - bornAt + now }),
    ...(expiresAt === undefined ? {} : { expiresAt: expiresAt - bornAt + now }),
  };
}

function least(...values: readonly (number | undefined)[]): number | undefined {
  const said = values.filter((value) => value !== undefined);
  return said.length === 0 ? undefined : Math.min(...said);
}
