// MemoryQuota: how much memory outlives processes: of each agent's space, and of a tenant in all. A write that would
// exceed a limit is refused; what is there stays readable and can be removed.
//
//   const held = await quota.reserve(change)     before the write is recorded; ESTATE where it does not fit
//   held.settle()                                once it is
//
// MEMORY-QUOTA-1  Counted are files and the bytes of their paths and data, each file as it is now: a change counts by
//     its difference, a removal gives back.
// MEMORY-QUOTA-2  What is reserved counts at once: writes at the same time do not pass a limit together. A call that is
//     given up gives back in the turn in which it is answered (FILES-3).
// MEMORY-QUOTA-3  A space is counted in the store once, at its first change since the start, and kept from then on. On a
//     shared store it is counted again while it changes, since other nodes write as well: they can pass a limit by
//     what they write between two counts.
// MEMORY-QUOTA-4  A manifest only narrows: of its limit and the kernel's the lower counts, for its own space.

import { AGENT_MEMORY, isAgentMemory, SysError } from "@aos/protocol";
import type { Journal } from "../journal/journal.ts";
import type { Limits } from "../options.ts";
import type { Store } from "../store/contract.ts";
import type { FileUsage } from "../store/queries.ts";
import type { TenantKey } from "../store/rows.ts";
import type { MemoryLocation } from "./memory-location.ts";

export type QuotaLimits = Pick<Limits, "spaceBytes" | "spaceFiles" | "memoryBytes" | "memoryFiles">;

/** A limit of the writer's own, for its own space. */
export interface OwnQuota {
  readonly space: string | undefined;
  readonly maxBytes: number | undefined;
  readonly maxFiles: number | undefined;
}

export interface QuotaChange {
  readonly at: MemoryLocation;
  readonly before: FileUsage;
  readonly after: FileUsage;
  readonly atMs: number;
  readonly own: OwnQuota;
}

export interface QuotaReservation {
  /** The change is recorded. */
  settle(): void;
  /** The change is given up, unless it was settled. */
  giveBack(): void;
}

interface UsageAccount {
  used: FileUsage;
  reserved: FileUsage;
  countedAt: number;
  counting: Promise<void> | undefined;
}

interface UsageScope {
  readonly tenant: TenantKey;
  /** Undefined for all that outlives the tenant's processes. */
  readonly under: string | undefined;
  readonly limit: FileUsage;
  readonly recountMs: number;
}

const NONE: FileUsage = { bytes: 0, files: 0 };
const UNLIMITED: OwnQuota = { space: undefined, maxBytes: undefined, maxFiles: undefined };
const NOTHING_HELD: QuotaReservation = { settle: () => {}, giveBack: () => {} };
/** MEMORY-QUOTA-3. */
const RECOUNT_SPACE_MS = 5000;
const RECOUNT_TENANT_MS = 60_000;

export class MemoryQuota {
  readonly #journal: Journal<Store>;
  readonly #limits: QuotaLimits;
  readonly #accounts = new Map<string, UsageAccount>();

  constructor(journal: Journal<Store>, limits: QuotaLimits) {
    this.#journal = journal;
    this.#limits = limits;
  }

  async reserve({ at, before, after, atMs, own }: QuotaChange): Promise<QuotaReservation> {
    if (at.space !== 0) return NOTHING_HELD; // working memory goes with its process
    const change = plus(after, before, -1);
    const scopes = this.#scopesOf(at, own);
    const accounts: UsageAccount[] = [];
    for (const scope of scopes) accounts.push(await this.#counted(scope, atMs));
    for (const [index, account] of accounts.entries())
      refuseExcess(scopes[index]!, plus(account.used, account.reserved), change);
    return hold(accounts, change);
  }

  /** Files of the tenant went by another way than a change. */
  recount(tenant: TenantKey): void {
    for (const [key, account] of this.#accounts)
      if (key.startsWith(`${tenant}:`)) account.countedAt = -Infinity;
  }

  #scopesOf({ tenant, path }: MemoryLocation, own: OwnQuota): UsageScope[] {
    const { spaceBytes, spaceFiles, memoryBytes, memoryFiles } = this.#limits;
    const all = { bytes: memoryBytes, files: memoryFiles };
    const whole = { tenant, under: undefined, limit: all, recountMs: RECOUNT_TENANT_MS };
    if (!isAgentMemory(path)) return [whole];
    const space = path.split("/")[3]!;
    const { maxBytes = Infinity, maxFiles = Infinity } = space === own.space ? own : UNLIMITED;
    const limit = { bytes: Math.min(spaceBytes, maxBytes), files: Math.min(spaceFiles, maxFiles) };
    const under = `${AGENT_MEMORY}/${space}`;
    return [{ tenant, under, limit, recountMs: RECOUNT_SPACE_MS }, whole];
  }

  /** MEMORY-QUOTA-3. */
  async #counted({ tenant, under, recountMs }: UsageScope, atMs: number): Promise<UsageAccount> {
    const key = `${tenant}:${under ?? ""}`;
    let account = this.#accounts.get(key);
    if (account === undefined) {
      account = { used: NONE, reserved: NONE, countedAt: -Infinity, counting: undefined };
      this.#accounts.set(key, account);
    }
    const isOld =
      account.countedAt === -Infinity ||
      (this.#journal.store.kind === "postgres" && atMs - account.countedAt >= recountMs);
    if (isOld) account.counting ??= this.#count(account, tenant, under, atMs);
    await account.counting;
    return account;
  }

  async #count(
    account: UsageAccount,
    tenant: TenantKey,
    under: string | undefined,
    atMs: number,
  ): Promise<void> {
    try {
      await this.#journal.durable(); // what is recorded by now is in the count
      account.used = await this.#journal.store.fileUsage(tenant, under);
      account.countedAt = atMs;
    } finally {
      account.counting = undefined;
    }
  }
}

const plus = (a: FileUsage, b: FileUsage, sign = 1): FileUsage => ({
  bytes: a.bytes + sign * b.bytes,
  files: a.files + sign * b.files,
});

/** MEMORY-QUOTA-2. */
function hold(accounts: readonly UsageAccount[], change: FileUsage): QuotaReservation {
  for (const account of accounts) account.reserved = plus(account.reserved, change);
  let isHeld = true;
  const giveBack = () => {
    if (isHeld) for (const one of accounts) one.reserved = plus(one.reserved, change, -1);
    isHeld = false;
  };
  return {
    giveBack,
    settle() {
      for (const one of accounts) one.used = plus(one.used, change);
      giveBack();
    },
  };
}

function refuseExcess({ under, limit }: UsageScope, used: FileUsage, change: FileUsage): void {
  const isOver = (unit: keyof FileUsage) =>
    change[unit] > 0 && !(used[unit] + change[unit] <= limit[unit]);
  if (!isOver("bytes") && !isOver("files")) return;
  const whose = under === undefined ? "the memory of the tenant" : `the memory ${under}`;
  const has = `${used.files} of ${limit.files} files, ${used.bytes} of ${limit.bytes} bytes`;
  throw new SysError("ESTATE", `${whose} is full: it has ${has}`, {
    hint:
      under === undefined
        ? "remove files of /mem/shared or of agents, or raise `limits.memoryBytes` and `limits.memoryFiles` in config.yaml"
        : "remove files that are no longer needed, or raise `limits.spaceBytes` and `limits.spaceFiles` in config.yaml (`memory.maxBytes`, `memory.maxFiles` of its manifest)",
    detail: { used: { ...used }, limit: { ...limit } },
  });
}
