// HoldingProof: power in the store counts only if the signed or hash-chained history has it. The rows of grants,
// answers and revocations are an index that anyone with write access to the database can change.
//
// OPERATOR-PROOF-1  The initial capabilities of a process are those of its first record, and its records lead to the
//     end of its chain.
// OPERATOR-PROOF-2  A later grant is in the records of the process; a grant that is not recorded there yet is in the
//     ledger, in the records of the giver, or in a standing grant or an answer that is itself proven.
// OPERATOR-PROOF-3  A revocation counts if any of the rows, the records and the ledger has it.
// OPERATOR-PROOF-4  An answer counts if enough people have signed it for the present content of the question.
// OPERATOR-PROOF-5  Unproven power is refused and reported. On one machine a process is proven once, since nobody
//     else writes the store; where nodes share a store, each time it is loaded.
//
// Without a log there is no key: the chains are then the only evidence.

import { SysError, type GrantRecord, type Json, type JournalRecord } from "@aos/protocol";
import { coverOf } from "../approval/approval-grant.ts";
import { votesNeeded, shownDigest, voteText, type VoteDetail } from "../approval/vote.ts";
import { CHAIN_START, linkHash } from "../journal/chain.ts";
import type { LedgerEntry } from "../journal/ledger.ts";
import { parseRecord } from "../journal/record-text.ts";
import { digestOf } from "../journal/codec.ts";
import { startRecordOf, readCapabilities } from "../process/process-factory.ts";
import { reachesByName } from "../process/memory-space.ts";
import type { Process } from "../process/process.ts";
import type { Store } from "../store/contract.ts";
import type { HoldingRow, ProcessKey, ProcessRow, QuestionRow } from "../store/rows.ts";
import type { StoredProcess } from "../store/queries.ts";
import { isSameGrant } from "./audit-holdings.ts";
import type { SignedLedger } from "./signed-ledger.ts";

interface Parts {
  readonly store: Store;
  readonly signed: SignedLedger;
  readonly trouble: (what: string, error: unknown) => void;
}

const MOST_PROVEN = 10_000;

export class HoldingProof {
  readonly #parts: Parts;
  readonly #proven = new Set<ProcessKey>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** OPERATOR-PROOF-5. Whether a process was proven and nobody else can have changed it since. */
  isProven(key: ProcessKey): boolean {
    return this.#proven.has(key) && this.#parts.store.kind === "sqlite";
  }

  /**
   * OPERATOR-PROOF-1, OPERATOR-PROOF-2, OPERATOR-PROOF-3. Throws, and says so, where the rows of a process are not what its history says. Unless it is
   * proven, all of its records must have been read.
   */
  async ofProcess(process: Process, { first, texts, holdings }: StoredProcess): Promise<void> {
    const { key, row, pid } = process;
    if (this.isProven(key)) return;
    const hash = texts.reduce(linkHash, CHAIN_START);
    if (first !== 0 || texts.length !== process.seq + 1 || hash !== process.hash)
      this.#refuse(pid, "its records do not lead to the end of its chain");
    const at = row.spec.forkedFrom === undefined ? 0 : row.spec.forkedFrom.at + 1;
    const born = texts[at] === undefined ? undefined : parseRecord(texts[at]);
    if ((born?.kind !== "start" && born?.kind !== "fork") || born.birth !== startRecordOf(row))
      this.#refuse(pid, "its row is not what it started with");
    if (holdings.length > 0) await this.#provenHoldings(process, holdings, texts.map(parseRecord));
    if (this.#proven.size > MOST_PROVEN) this.#proven.clear(); // to forget one costs proving it again
    this.#proven.add(key);
  }

  /** OPERATOR-PROOF-4. What is wrong with an answer; undefined where it counts. */
  async ofAnswer(row: QuestionRow): Promise<string | undefined> {
    const { store, signed } = this.#parts;
    if (!signed.isKept || row.answer === null) return undefined;
    const { answer } = row;
    const entries = await signed.entries("question.answer");
    const said = entries.flatMap(({ detail, by }) => {
      const vote = detail as unknown as VoteDetail;
      return vote.question === row.id ? [{ ...vote, by }] : [];
    });
    const shown = shownDigest(row);
    const votes = (await store.votes(row.id)).filter(
      ({ choice, person, reason, at, signature }) =>
        choice === answer &&
        said.some(
          (vote) =>
            vote.by === person &&
            vote.choice === choice &&
            vote.at === at &&
            vote.shown === shown &&
            vote.signature === signature,
        ) &&
        signed.isOurs(
          voteText({ question: row.id, person, choice, reason, at }, row.digest),
          signature,
        ),
    );
    if (votes.length >= votesNeeded(row, answer)) return undefined;
    const problem = `the answer ${answer} to ${row.id} was not given by anybody: the ledger does not have it`;
    this.#say(problem);
    return problem;
  }

  /** OPERATOR-PROOF-2, OPERATOR-PROOF-3. Of what stands for every process of an agent: what counts. */
  async standing(rows: readonly HoldingRow[]): Promise<HoldingRow[]> {
    const { signed } = this.#parts;
    if (rows.length === 0 || !signed.isKept) return [...rows];
    const given = await signed.entries("grant");
    const ended = await this.#ended();
    return rows.filter((row) => {
      if (row.blocks.some(({ id }) => ended.has(id)) || ended.has(row.handle)) return false;
      if (isGiven(row, given)) return true;
      this.#say(`what ${row.agent} holds by ${row.handle} was not given by anybody`);
      return false;
    });
  }

  /** OPERATOR-PROOF-3. Tokens and blocks that were revoked, whatever became of their rows. */
  async revokedIds(): Promise<Set<string>> {
    return new Set([...(await this.#parts.store.revokedIds()), ...(await this.#ended())]);
  }

  async #provenHoldings(
    process: Process,
    rows: readonly HoldingRow[],
    records: readonly JournalRecord[],
  ): Promise<void> {
    const grants = new Map<string, GrantRecord>();
    const ended = new Set<string>();
    for (const record of records) {
      if (record.kind === "grant") grants.set(record.handle, record);
      if (record.kind === "revoke") ended.add(record.handle);
    }
    for (const row of rows) {
      const { handle, state } = row;
      if (state === "revoked") continue;
      const record = grants.get(handle);
      const problem = ended.has(handle)
        ? "it holds what was revoked"
        : record === undefined
          ? (await this.#isAnnounced(row, process.row))
            ? undefined
            : "it holds a grant that nobody gave"
          : isSameGrant(row, record) && (await this.#isChainKnown(row, process.row))
            ? undefined
            : "what it was granted is not what is recorded";
      if (problem !== undefined) this.#refuse(process.pid, `${problem} (${handle})`);
    }
  }

  /** A grant that its holder has not recorded yet. */
  async isAnnounced(row: HoldingRow, holder: ProcessRow): Promise<boolean> {
    if (await this.#isAnnounced(row, holder)) return true;
    this.#say(`a grant to ${holder.pid} (${row.handle}) was not given by anybody`);
    return false;
  }

  async #isAnnounced(row: HoldingRow, holder: ProcessRow): Promise<boolean> {
    const { store, signed } = this.#parts;
    if (!signed.isKept) return true;
    if (row.state !== "new" && row.state !== "revoking") return false;
    if (row.givenBy.startsWith("agt_")) return this.#isHandedOn(row);
    const standing = await this.standing(await store.standing(row.tenant, holder.agent));
    const block = JSON.stringify(row.blocks);
    if (reachesByName(row.blocks, holder.spec))
      if (standing.some((one) => JSON.stringify(one.blocks) === block)) return true;
    if (isGiven(row, await signed.entries("grant"))) return true;
    const question = row.reason === null ? undefined : await store.question(row.reason);
    return (
      question !== undefined &&
      question.process === row.process &&
      question.answer === "approve" &&
      JSON.stringify(coverOf(question)) === JSON.stringify(row.blocks.at(-1)!.capabilities) &&
      (await this.ofAnswer(question)) === undefined
    );
  }

  async #isHandedOn(row: HoldingRow): Promise<boolean> {
    const { store } = this.#parts;
    const giver = await store.process(row.givenBy);
    if (giver === undefined || !(await this.#isOfGiver(row, giver))) return false;
    const { capabilities } = row.blocks.at(-1)!;
    for (const { text } of await store.records(giver.key)) {
      if (!text.includes(row.handle)) continue;
      const call = parseRecord(text);
      if (call.kind !== "call" || call.call !== "grant" || call.ok !== row.handle) continue;
      const given = (call.args as { capabilities?: readonly string[] }).capabilities ?? [];
      return JSON.stringify(readCapabilities(given)) === JSON.stringify(capabilities);
    }
    return false;
  }

  /** The blocks that a grant hangs on limit it as well, and are not in its record. */
  async #isChainKnown(row: HoldingRow, holder: ProcessRow): Promise<boolean> {
    const { store, signed } = this.#parts;
    if (row.blocks.length === 1 || !signed.isKept) return true;
    if (row.givenBy.startsWith("agt_")) {
      const giver = await store.process(row.givenBy);
      return giver !== undefined && this.#isOfGiver(row, giver);
    }
    const standing = await store.standing(row.tenant, holder.agent);
    const all = JSON.stringify(row.blocks);
    if (standing.some(({ blocks }) => JSON.stringify(blocks) === all)) return true;
    return isGiven(row, await signed.entries("grant"));
  }

  async #isOfGiver({ blocks }: HoldingRow, giver: ProcessRow): Promise<boolean> {
    const { store } = this.#parts;
    const above = JSON.stringify(blocks.slice(0, -1));
    const at = giver.spec.forkedFrom === undefined ? 0 : giver.spec.forkedFrom.at + 1;
    const [first] = await store.records(giver.key, { after: at - 1, upTo: at });
    const born = first === undefined ? undefined : parseRecord(first.text);
    const isBorn =
      (born?.kind === "start" || born?.kind === "fork") && born.birth === startRecordOf(giver);
    if (above === JSON.stringify(giver.spec.blocks)) return isBorn || giver.compacted;
    const held = await store.holdingsOf(giver.key);
    return held.some((one) => JSON.stringify(one.blocks) === above);
  }

  async #ended(): Promise<Set<string>> {
    const entries = await this.#parts.signed.entries("revoke");
    return new Set(entries.map(({ detail }) => (detail as { id?: string }).id ?? ""));
  }

  #refuse(pid: string, problem: string): never {
    this.#say(`${pid}: ${problem}`);
    throw new SysError("ECORRUPT", `${pid} is not started: ${problem}`, {
      hint: "the database was changed outside Agent OS: run `aos audit verify`",
    });
  }

  #say(problem: string): void {
    const error = new SysError("EPOLICY", problem);
    this.#parts.trouble(`the store is not believed: ${problem}`, error);
  }
}

export function isGiven(row: HoldingRow, given: readonly LedgerEntry[]): boolean {
  const { capabilities } = row.blocks.at(-1)!;
  return given.some(({ detail }) => {
    const grant = detail as unknown as LedgerGrant;
    return (
      grant.handle === row.handle &&
      JSON.stringify(grant.capabilities) === JSON.stringify(capabilities) &&
      (grant.expiresAt === undefined || grant.expiresAt === row.expiresAt) &&
      (grant.above === undefined || grant.above === aboveOf(row.blocks))
    );
  });
}

interface LedgerGrant {
  readonly handle?: string;
  readonly capabilities?: Json;
  readonly expiresAt?: number | null;
  readonly above?: string;
}

/** The digest of the blocks that a grant hangs on, for the ledger. */
export const aboveOf = (blocks: HoldingRow["blocks"]): string =>
  digestOf(JSON.stringify(blocks.slice(0, -1)));
