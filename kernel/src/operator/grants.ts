// Grants: power granted after the start, handed on, and revoked.
//
// GRANTS-1  A grant and its record reach the disk together, before the grant can be used.
// GRANTS-2  When revoke() returns, no call that used the revoked grant is running on any node, and no new one is
//     allowed.
// GRANTS-3  Handing on appends a block to a chain of the process: it gives no more than the process may grant.
// GRANTS-4  The pins of a process that has read untrusted data replace no person.
// GRANTS-5  The text of a grant has the label of its author (process/block-label.ts).

import { newId, SysError, type Label, type SyscallArgs } from "@aos/protocol";
import { isWithin, newHandle, type CapabilityBlock } from "../capability/index.ts";
import type { Journal } from "../journal/journal.ts";
import { plainText } from "../journal/record-text.ts";
import type { Platform } from "../platform/clock.ts";
import { readCapabilities } from "../process/process-factory.ts";
import type { BlockRegistry } from "../process/blocks.ts";
import { blockLabel } from "../process/block-label.ts";
import { reachesByName } from "../process/memory-space.ts";
import type { Process } from "../process/process.ts";
import type { ProcessTable } from "../process/process-table.ts";
import type { Write, Store } from "../store/contract.ts";
import type { BlockSpec, HoldingRow, ProcessRow, TenantKey } from "../store/rows.ts";
import type { SyscallResult } from "../syscall/syscall-handler.ts";
import { chainToGrant } from "./chain-to-grant.ts";
import { withinStopLimit } from "./stop-calls.ts";

const LOOK_AGAIN_MS = 25;

interface Parts {
  readonly journal: Journal<Store>;
  readonly platform: Platform;
  readonly table: ProcessTable;
  readonly blocks: BlockRegistry;
  readonly leaseMs: number;
  readonly trouble: (what: string, error: unknown) => void;
  /** Something is there for a process that is not in memory here. */
  readonly call: (key: number) => void;
  /** Whether a grant that is not recorded yet was given by anybody. */
  readonly isAnnounced: (row: HoldingRow, holder: Process) => Promise<boolean>;
}

export interface NewGrant {
  readonly tenant: TenantKey;
  /** Null for one that stands for every process of the agent. */
  readonly to: ProcessRow | null;
  readonly agent: string;
  readonly capabilities: readonly string[];
  readonly by: string;
  readonly expiresAt?: number | undefined;
  readonly reason?: string | undefined;
  readonly standing?: string | undefined;
  /** The digest of what a standing answer is for. */
  readonly runs?: string | undefined;
  /** The chain that it hangs on; none for what an operator gives. */
  readonly above?: readonly BlockSpec[] | undefined;
  readonly trusted?: boolean | undefined;
  /** What whoever wrote the capabilities had read; absent for the operator's own words. */
  readonly label?: Label | undefined;
}

export class Grants {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Given by the operator; there when it resolves. */
  async give(grant: NewGrant, enter: (row: HoldingRow) => void): Promise<HoldingRow> {
    const row = this.#rowOf(grant);
    this.#parts.journal.write({ op: "holding.add", row });
    enter(row);
    await this.#parts.journal.durable();
    if (grant.to !== null) await this.arrive(row);
    await this.#parts.journal.durable();
    return row;
  }

  /** The same in the transaction of something else: its holder has to settle once the row is there. */
  prepare(grant: NewGrant): HoldingRow {
    return this.#rowOf(grant);
  }

  /**
   * GRANTS-3, GRANTS-4. A holder that is in memory has it when the call is recorded: what its giver sends it
   * next finds it there.
   */
  async handOn(from: Process, args: SyscallArgs<"grant">, to: ProcessRow): Promise<SyscallResult> {
    const { platform } = this.#parts;
    if (to.endedAt !== null) throw new SysError("ENOENT", `${to.pid} has ended`);
    const capabilities = readCapabilities(args.capabilities);
    const via = chainToGrant(from, capabilities, platform.now(), args.by);
    const row = this.#rowOf({
      tenant: from.tenant,
      to,
      agent: to.agent,
      capabilities,
      by: from.pid,
      expiresAt: args.expiresAt,
      above: from.grants.get(via)?.blocks ?? from.row.spec.blocks,
      trusted: from.label.integrity !== "untrusted",
      label: from.label,
    });
    const { blocks, table, trouble } = this.#parts;
    const block = table.whole(to.key) && (await blocks.restore(row.blocks, from.tenant));
    const after = () => {
      const holder = table.whole(to.key);
      if (block !== undefined && holder !== undefined) {
        this.#put(holder, row, block);
        return this.record(holder, row);
      }
      this.arrive(row).catch((error: unknown) =>
        trouble(`a grant to ${to.pid} has not arrived`, error),
      );
    };
    return { value: row.handle, writes: [{ op: "holding.add", row }], after };
  }

  /** Only who gave it takes it back. */
  async takeBack(process: Process, handle: string): Promise<SyscallResult> {
    await this.#parts.journal.durable();
    const row = await this.#parts.journal.store.holding(handle);
    if (row === undefined || row.givenBy !== process.pid)
      throw new SysError("EACCES", "this process granted nothing under this handle");
    await this.revoke(row, process.pid);
    return { value: null };
  }

  /** GRANTS-2. Returns how many calls were stopped. */
  async revoke(row: HoldingRow, by: string): Promise<number> {
    const { journal, table } = this.#parts;
    const block = row.blocks.at(-1)!;
    const stopped = await this.cutOff(block.id, row.blocks, row.tenant, by);
    journal.write({ op: "holding.set", handle: row.handle, state: "revoking" });
    const holder = row.process === 0 ? undefined : table.get(row.process);
    if (holder !== undefined) this.#recordRevoked(holder, row, by);
    else if (row.process === 0)
      journal.write({ op: "holding.set", handle: row.handle, state: "revoked" });
    else await this.#revokedElsewhere(row, by);
    await journal.durable();
    return stopped;
  }

  /** Makes a block dead, on the disk and here, and stops what runs by it. */
  async cutOff(
    id: string,
    chain: readonly BlockSpec[],
    tenant: TenantKey,
    by: string,
  ): Promise<number> {
    const { blocks, journal } = this.#parts;
    journal.write(await blocks.revoke(chain, id, tenant));
    const stopping = this.#stop(id, by);
    await journal.durable();
    await Promise.all(stopping);
    return stopping.length;
  }

  /** To be called when a process is in memory: what came while it was not is recorded now. */
  async settle(process: Process, read?: readonly HoldingRow[]): Promise<void> {
    for (const row of read ?? (await this.#parts.journal.store.holdingsOf(process.key))) {
      if (row.state === "new" && (await this.#parts.isAnnounced(row, process)))
        await this.arrive(row);
      if (row.state !== "revoking" || !process.grants.has(row.handle)) continue;
      await this.cutOff(row.blocks.at(-1)!.id, row.blocks, row.tenant, "operator");
      if (process.grants.has(row.handle)) this.#recordRevoked(process, row, "operator");
    }
  }

  /** What a new process of an agent holds because of a standing answer: the same block for all of them. */
  standingFor(born: Process, rows: readonly HoldingRow[]): HoldingRow[] {
    const { platform } = this.#parts;
    const alive = rows.filter(
      ({ state, expiresAt, givenAt, blocks }) =>
        state !== "revoked" &&
        state !== "revoking" &&
        (expiresAt ?? Infinity) > platform.now() &&
        givenAt < (born.row.spec.standingUntil ?? Infinity) &&
        reachesByName(blocks, born.row.spec),
    );
    return alive.map((standing) => ({
      ...standing,
      handle: newHandle(platform.bytes(16)),
      process: born.key,
      state: "new",
      givenAt: platform.now(),
    }));
  }

  #rowOf(grant: NewGrant): HoldingRow {
    const { platform } = this.#parts;
    const now = platform.now();
    const expiresAt = grant.expiresAt ?? null;
    if (expiresAt !== null && expiresAt <= now)
      throw new SysError("EINVAL", "the grant would expire before it starts");
    const block: BlockSpec = {
      id: newId("grt", now, platform.bytes(10)),
      holder: grant.to?.pid ?? `agent:${grant.agent}`,
      mintedAt: now,
      capabilities: readCapabilities(grant.capabilities),
      ...(expiresAt === null ? {} : { expiresAt }),
      ...(grant.trusted === false ? { trusted: false } : {}),
      ...(grant.standing === undefined ? {} : { standing: grant.standing }),
      ...(grant.runs === undefined ? {} : { runs: grant.runs }),
      ...(grant.label === undefined ? {} : blockLabel(grant.label)),
    };
    return {
      handle: newHandle(platform.bytes(16)),
      tenant: grant.tenant,
      process: grant.to?.key ?? 0,
      agent: grant.agent,
      state: grant.to === null ? "held" : "new",
      blocks: [...(grant.above ?? []), block],
      givenBy: grant.by,
      givenAt: now,
      expiresAt,
      reason: grant.reason ?? null,
    };
  }

  /** Where its holder is in memory, it holds it now; else when it is loaded. */
  async arrive(row: HoldingRow): Promise<void> {
    const holder = this.#parts.table.get(row.process);
    if (holder === undefined) return this.#parts.call(row.process);
    await this.hold(holder, row);
    this.record(holder, row);
  }

  /** Puts it into the hands of a process; its record must follow before the process goes on. */
  async hold(process: Process, row: HoldingRow): Promise<void> {
    if (process.grants.has(row.handle)) return;
    this.#put(process, row, await this.#parts.blocks.restore(row.blocks, process.tenant));
  }

  #put(process: Process, row: HoldingRow, block: CapabilityBlock): void {
    if (process.grants.has(row.handle)) return;
    for (const { handle } of process.holdings.dropDead(this.#parts.platform.now())) {
      process.grants.delete(handle);
      process.pastHandles.add(handle);
    }
    process.holdings.add({ handle: row.handle, block });
    process.grants.set(row.handle, row);
  }

  /** GRANTS-1. Once: the store may still say that it is new. */
  record(process: Process, row: HoldingRow): void {
    if (process.ended || process.grants.get(row.handle)?.state !== "new") return;
    process.grants.set(row.handle, { ...row, state: "held" });
    const { journal, platform } = this.#parts;
    const { capabilities, standing, runs, label } = row.blocks.at(-1)!;
    const text = plainText({
      kind: "grant",
      seq: process.seq + 1,
      at: platform.now(),
      cause: row.givenBy,
      handle: row.handle,
      by: row.givenBy,
      capabilities,
      ...(row.expiresAt === null ? {} : { expiresAt: row.expiresAt }),
      ...(standing === undefined ? {} : { standing }),
      ...(runs === undefined ? {} : { runs }),
      ...(label === undefined ? {} : { words: label }),
    });
    journal.append(process, text, [{ op: "holding.set", handle: row.handle, state: "held" }]);
  }

  #recordRevoked(process: Process, row: HoldingRow, by: string): void {
    process.grants.delete(row.handle);
    process.holdings.remove(row.handle);
    process.pastHandles.add(row.handle);
    if (process.ended) return;
    this.recordRevocation(process, row.handle, by, [
      { op: "holding.set", handle: row.handle, state: "revoked" },
    ]);
  }

  recordRevocation(process: Process, handle: string, by: string, writes: Write[]): void {
    const { journal, platform } = this.#parts;
    const head = { seq: process.seq + 1, at: platform.now(), cause: by };
    journal.append(process, plainText({ kind: "revoke", ...head, handle, by }), writes);
  }

  #stop(blockId: string, by: string): Promise<void>[] {
    const reason = new SysError("EACCES", `the grant that it used was revoked by ${by}`);
    const stopping: Promise<void>[] = [];
    for (const process of this.#parts.table.all())
      for (const call of process.pending.values()) {
        if (!call.chains.some((chain) => isWithin(chain, blockId))) continue;
        if (call.interrupt !== undefined) stopping.push(withinStopLimit(call.interrupt(reason)));
      }
    return stopping;
  }

  /** The holder is not in memory here: the node that has it reports when it is done. */
  async #revokedElsewhere(row: HoldingRow, by: string): Promise<void> {
    const { journal, platform, table, leaseMs, call } = this.#parts;
    await journal.durable();
    const holder = await journal.store.processByKey(row.process);
    if (holder === undefined || holder.endedAt !== null)
      return journal.write({ op: "holding.set", handle: row.handle, state: "revoked" });
    const loaded = table.get(row.process);
    // It was being loaded, and may have been read before the revocation was there.
    if (loaded?.grants.has(row.handle) === true) return this.#recordRevoked(loaded, row, by);
    call(row.process);
    const until = platform.now() + 3 * leaseMs; // by then its node has answered, or has lost it
    for (;;) {
      const now = await journal.store.holding(row.handle);
      if (now === undefined || now.state === "revoked" || platform.now() > until) return;
      await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
    }
  }
}
