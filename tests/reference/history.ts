// History: what the journals and the reports of a kernel say, put together for the reference: who holds
// which chains since when, and what each process had read at each of its records.

import { readLabel, type Kernel } from "@aos/kernel";
import type { JournalRecord, Json, Label, PowerReport } from "@aos/protocol";
import type { Block, Chain } from "./power.ts";

const CLEAN: Label = { integrity: "trusted", secrecy: "public" };

/** Of so many processes of one kernel, the newest, every call is judged. */
const MOST = 500;

export interface Life {
  readonly pid: string;
  readonly agent: string;
  readonly parent: string | null;
  readonly tenant: string;
  /** What `/work` is for it. */
  readonly workspace: { readonly folder: string | null; readonly isCow: boolean };
  readonly depth: number;
  readonly startedAt: number;
  readonly finalLabel: Label;
  readonly records: readonly JournalRecord[];
  /** The first record that is its own: those before it are of the process it was forked from. */
  readonly ownFrom: number;
  readonly power: PowerReport;
  /** The layers of policy that it is under, beside those that bind everyone. */
  readonly layers: readonly string[];
  /** What it was started with, where the operator did. */
  readonly bornAs: Label | undefined;
  /** It ended by itself: nothing of it was under way. */
  readonly isCompleted: boolean;
}

/** What is read of a kernel, or of a store that no kernel has open. */
export type Books = Pick<Kernel, "list" | "show" | "journal" | "pastRun" | "power">;

/** What the operator did, as far as that is known. */
export interface Told {
  /** The labels that processes were started with. */
  readonly births: ReadonlyMap<string, Label>;
  /** The agents that were given something, for all their processes; undefined when nobody knows. */
  readonly gifted: ReadonlySet<string> | undefined;
}
export const TOLD_NOTHING: Told = { births: new Map(), gifted: undefined };

export type Lives = ReadonlyMap<string, Life>;

/** A record may say of a large value only where it is kept. */
export const isKeptApart = (value: unknown): boolean =>
  /"\$(blob|chain)":/.test(JSON.stringify(value) ?? "");

/** The records, with what was asked for whole. */
async function withArguments(books: Books, pid: string): Promise<JournalRecord[]> {
  const records = await books.journal(pid);
  const isLarge = (record: JournalRecord) => "args" in record && isKeptApart(record.args);
  if (!records.some(isLarge)) return records;
  const whole = new Map((await books.pastRun(pid)).records.map((record) => [record.seq, record]));
  return records.map((record) => {
    const { args } = (whole.get(record.seq) ?? record) as { args?: Json };
    return isLarge(record) ? ({ ...record, args } as JournalRecord) : record;
  });
}

/** Every process that can be replayed; why not, for each of the others. */
export async function readLives(
  books: Books,
  { births }: Told,
): Promise<{ lives: Lives; left: string[] }> {
  const lives = new Map<string, Life>();
  const left: string[] = [];
  for (const [i, info] of (await books.list({ limit: 10_000 })).entries()) {
    if (i >= MOST) {
      left.push("one of too many processes");
      continue;
    }
    try {
      const detail = await books.show(info.pid);
      const records = await withArguments(books, info.pid);
      const power = await books.power({ pid: info.pid });
      if (records[0]?.kind !== "start") left.push("compacted");
      else if (records[0].schema < 2) left.push("written by an earlier version");
      else
        lives.set(info.pid, {
          pid: info.pid,
          agent: info.agent,
          parent: info.parent,
          tenant: detail.tenant,
          workspace: detail.workspace,
          depth: detail.depth,
          startedAt: Date.parse(info.startedAt),
          finalLabel: detail.labels,
          records,
          ownFrom: records.findLast(({ kind }) => kind === "fork")?.seq ?? 0,
          power,
          layers: power.layers.filter((layer) => layer.startsWith("project:")),
          bornAs: records.some(({ kind }) => kind === "fork") ? undefined : births.get(info.pid),
          isCompleted: info.state === "completed",
        });
    } catch (error) {
      left.push(`unreadable: ${(error as Error).message.split("\n")[0]}`);
    }
  }
  return { lives, left };
}

const labelOf = (record: JournalRecord): Label | undefined =>
  "label" in record && record.label !== undefined ? readLabel(record.label) : undefined;

/** What a process had read just before this record: the least and the most that it can have been. */
export function labelBefore(lives: Lives, life: Life, seq: number): readonly [Label, Label] {
  const said = life.records.filter((record) => labelOf(record) !== undefined);
  const last = said.findLast((record) => record.seq < seq);
  if (last !== undefined) return [labelOf(last)!, labelOf(last)!];
  if (said.length === 0) return [life.finalLabel, life.finalLabel];
  const born = bornOf(lives, life);
  return born ?? [CLEAN, labelOf(said[0]!)!];
}

/** A child begins with what its parent had read. */
function bornOf(lives: Lives, life: Life): readonly [Label, Label] | undefined {
  if (life.bornAs !== undefined) return [life.bornAs, life.bornAs];
  const [pid, seq] = String(life.records[0]!.cause).split("#");
  const parent = life.parent === null ? undefined : lives.get(pid!);
  return parent === undefined ? undefined : labelBefore(lives, parent, Number(seq));
}

/** A block that somebody set who had read untrusted things stands for nobody. */
function isTrusted(lives: Lives, id: string): boolean {
  const holder = lives.get(id.split(".")[0]!);
  if (holder !== undefined)
    return holder.parent === null || bornOf(lives, holder)?.[1].integrity !== "untrusted";
  for (const { power } of lives.values()) {
    const given = power.holdings.find(({ block }) => block === id);
    const giver = given === undefined ? undefined : lives.get(given.by);
    if (giver === undefined) continue;
    return (
      labelBefore(lives, giver, lastSeqBy(giver, Date.parse(given!.givenAt)))[1].integrity !==
      "untrusted"
    );
  }
  return true;
}

const lastSeqBy = ({ records }: Life, at: number): number =>
  (records.findLast((record) => record.at <= at)?.seq ?? 0) + 1;

function mintedAt(lives: Lives, id: string): number {
  const born = lives.get(id.split(".")[0]!)?.startedAt;
  if (born !== undefined) return born;
  for (const { power } of lives.values()) {
    const given = power.holdings.find(({ block }) => block === id);
    if (given !== undefined) return Date.parse(given.givenAt);
  }
  return NaN; // then nobody can say when it expires
}

/** When its journal says that a handle, or a block that it started with, was taken: from then on it is over. */
const takenAt = ({ records }: Life, ...ids: readonly string[]): number =>
  records.find((record) => record.kind === "revoke" && ids.includes(record.handle))?.at ?? Infinity;

/** All that a process ever held, and from when to when. */
export function chainsOf(lives: Lives, life: Life): Chain[] {
  // What a person said "always" to answers the rules that asked then, and pins nothing.
  const held = life.power.holdings.map((holding): Chain => {
    const grant = life.records.find((one) => one.kind === "grant" && one.handle === holding.handle);
    return {
      handle: holding.handle,
      blocks: holding.chain.map((link): Block => ({
        id: link.block,
        holder: link.holder,
        capabilities: link.capabilities.map(({ text }) => text),
        mintedAt: mintedAt(lives, link.block),
        expiresAt: link.expiresAt === null ? Infinity : Date.parse(link.expiresAt),
        revokedAt: link.revoked ? undefined : Infinity,
        trusted: holding.standing === null && isTrusted(lives, link.block),
      })),
      standing: holding.standing !== null,
      from: holding.handle === "birth" ? -Infinity : (grant?.at ?? Date.parse(holding.givenAt)),
      until: takenAt(life, holding.handle, ...holding.chain.map(({ block }) => block)),
      isPartial: false,
    };
  });
  const gone = life.records.flatMap((record): Chain[] => {
    if (record.kind !== "grant" || held.some(({ handle }) => handle === record.handle)) return [];
    const block = {
      id: record.handle,
      holder: life.pid,
      capabilities: record.capabilities,
      mintedAt: record.at,
      expiresAt: record.expiresAt ?? Infinity,
      revokedAt: undefined,
      trusted: true,
    };
    const standing = record.standing !== undefined;
    return [
      {
        handle: record.handle,
        blocks: [block],
        standing,
        from: record.at,
        until: takenAt(life, record.handle),
        isPartial: true,
      },
    ];
  });
  return [...held, ...gone];
}
