// State drop: superseded states of checkpoints leave the store. The same SQL for both databases.
//
// STATE-DROP-1  Of the checkpoints of a span these keep their states: the first, those that a restart
//     began from, and those that a living fork starts from. Every later one keeps its own.
// STATE-DROP-2  A part goes if a state of the span was the first of this process to have it, no state
//     that is kept has it, and no record uses it otherwise.
// STATE-DROP-3  It is one transaction, and no commit that puts blobs is between its reading and its
//     writing: a state that comes later puts what the state just before it does not have.

import type { StateSpan } from "./queries.ts";
import type { TenantKey } from "./rows.ts";
import type { Row } from "./row-values.ts";
import type { Statement } from "./writes.ts";

const AT_ONCE = 100;

/** Uses by states alone, of the span. */
export const candidates = ({ process, after, upTo }: StateSpan): Statement => [
  "select digest from blob_use where process = ? and state_seq > ? and state_seq <= ?",
  [process, after, upTo],
];

/** Where those start from that share its history and are not over. */
export const forkBases = ({ process }: StateSpan): Statement => [
  `with recursive heirs (key, base, ended_at) as (
     select key, base, ended_at from process where shared_from = ? and compacted = 0
     union all
     select process.key, process.base, process.ended_at from process join heirs on process.shared_from = heirs.key
       where process.compacted = 0)
   select base from heirs where ended_at is null`,
  [process],
];

interface SeenRecord {
  readonly kind: string;
  readonly seq: number;
  readonly call?: string;
  readonly err?: unknown;
  readonly from?: number;
  readonly args?: { readonly state?: { readonly $blob?: string } };
}

/** STATE-DROP-1. The digests of the states that stay, of the records after `after`. */
export function keptStates(
  { after, upTo }: StateSpan,
  texts: readonly string[],
  bases: readonly number[],
): string[] {
  const records = texts
    .filter((text) => text.includes('"checkpoint"') || text.includes('"restart"'))
    .map((text) => JSON.parse(text) as SeenRecord);
  const states = records.filter(
    ({ kind, call, err }) => kind === "call" && call === "checkpoint" && err === undefined,
  );
  const started = records.flatMap(({ kind, from }) => (kind === "restart" ? [from ?? -1] : []));
  const first = states.find(({ seq }) => seq > after)?.seq;
  const kept = new Set([first, ...started, ...bases]);
  return states.flatMap(({ seq, args }) => {
    const digest = args?.state?.$blob;
    return digest !== undefined && (seq > upTo || kept.has(seq)) ? [digest] : [];
  });
}

/** Everything that texts are made of, themselves included. It is asked what each list has. */
export function* partsOf(
  tenant: TenantKey,
  digests: readonly string[],
): Generator<Statement, ReadonlySet<string>, readonly Row[]> {
  const found = new Set(digests);
  for (let next = [...found]; next.length > 0;) {
    const asked = next.splice(0, AT_ONCE);
    const lists = yield [
      `select body from blob where tenant = ? and in_parts = 1 and digest in (${marks(asked)})`,
      [tenant, ...asked],
    ];
    for (const { body } of lists)
      for (const part of (body as string).split(" ")) {
        if (found.has(part)) continue;
        found.add(part);
        next.push(part);
      }
  }
  return found;
}

/** STATE-DROP-2. */
export function drops({ process, tenant }: StateSpan, gone: readonly string[]): Statement[] {
  const statements: Statement[] = [];
  for (let at = 0; at < gone.length; at += AT_ONCE) {
    const some = gone.slice(at, at + AT_ONCE);
    statements.push(
      [
        `delete from blob_use where process = ? and tenant = ? and state_seq is not null and digest in (${marks(some)})`,
        [process, tenant, ...some],
      ],
      [
        `delete from blob where tenant = ? and digest in (${marks(some)}) and not exists (
           select 1 from blob_use where blob_use.tenant = blob.tenant and blob_use.digest = blob.digest)`,
        [tenant, ...some],
      ],
    );
  }
  return statements;
}

const marks = (values: readonly unknown[]): string => values.map(() => "?").join(", ");
