// Audit of the ledger: its chains, and the votes and settled questions in it.
//
// AUDIT-LEDGER-1  Every entry continues its chain and is signed; every logged entry exists.
// AUDIT-LEDGER-2  Every vote is in the ledger with the same content and a valid signature for the question.
// AUDIT-LEDGER-3  Every vote of the ledger exists, until retention removes the asking run.
// AUDIT-LEDGER-4  The result of a question follows from its votes, and its content is unchanged since then.
//
// AUDIT-LEDGER-5  A standing grant is as it was given; a revoked one is still revoked.
//
// Writes during the check cause no findings: the ledger is read before and after everything else.

import type { Json } from "@aos/protocol";
import type { AuditFinding } from "../api.ts";
import { votesNeeded, shownDigest, voteText, type VoteDetail } from "../approval/vote.ts";
import { CHAIN_START, hexOf, linkHash } from "../journal/chain.ts";
import { entryText, ledgerPid, readLedgerEntry, type LedgerEntry } from "../journal/ledger.ts";
import type { Store } from "../store/contract.ts";
import type { LedgerRow, QuestionRow, VoteRow } from "../store/rows.ts";
import { isGiven } from "./proof.ts";
import { LOG_LOST, type AuditLog, type LoggedHead } from "./audit-log.ts";

type Find = (
  kind: AuditFinding["kind"],
  pid: string | null,
  seq: number | null,
  message: string,
) => void;

type Cast = VoteDetail & { readonly person: string; readonly tenant: number };

export class LedgerCheck {
  readonly #store: Store;
  readonly #log: AuditLog;
  readonly #find: Find;
  /** Runs of which no row is left. */
  #removed: ReadonlySet<string> = new Set();

  constructor(store: Store, log: AuditLog, find: Find) {
    this.#store = store;
    this.#log = log;
    this.#find = find;
  }

  /** Returns the names under which the ledgers that are there were logged. */
  async run(
    logged: ReadonlyMap<string, readonly LoggedHead[]>,
    removed: ReadonlySet<string>,
  ): Promise<string[]> {
    this.#removed = removed;
    const before = await this.#store.ledger();
    const settled = await this.#store.settledQuestions();
    const votes = await this.#store.allVotes();
    const chains = Map.groupBy(await this.#store.ledger(), ({ node }) => node);

    const entries: LedgerEntry[] = [];
    for (const [node, rows] of chains)
      entries.push(...this.#checkChain(node, rows, logged.get(ledgerPid(node)) ?? []));
    for (const { what, at } of entries) {
      if (what !== LOG_LOST) continue;
      const lost = `the signed log was missing at ${new Date(at).toISOString()}, and a new one was started`;
      this.#find("log", null, null, `${lost}: older entries could have been changed`);
    }
    const cast = Map.groupBy(entries.flatMap(castIn), keyOf);
    for (const vote of votes) await this.#checkVote(vote, cast.get(keyOf(vote)) ?? []);
    await this.#checkPresent(before, votes);
    const cancelled = new Set(entries.flatMap(cancelledIn));
    const byQuestion = Map.groupBy(votes, ({ question }) => question);
    for (const row of settled) this.#checkSettled(row, byQuestion.get(row.id) ?? [], cancelled);
    await this.#checkStanding(entries);
    return [...chains.keys()].map(ledgerPid);
  }

  /** AUDIT-LEDGER-1. The entries that can be taken for what was written. */
  #checkChain(node: string, rows: LedgerRow[], heads: readonly LoggedHead[]): LedgerEntry[] {
    const pid = ledgerPid(node);
    const entries: LedgerEntry[] = [];
    let hash = CHAIN_START;
    for (const [seq, row] of rows.entries()) {
      const where = `the ledger of ${node}, entry ${seq}`;
      if (row.seq !== seq) {
        this.#find("missing", pid, seq, `${where}: missing`);
        break;
      }
      hash = linkHash(hash, row.entry);
      if (hash !== hexOf(row.hash)) {
        this.#find("changed", pid, seq, `${where}: it was changed`);
        break;
      }
      const entry = readLedgerEntry(row);
      const isHere = entry.node === node && entry.seq === seq;
      if (!isHere || entry.tenant !== row.tenant || entry.at !== row.at)
        this.#find("reordered", pid, seq, `${where}: it belongs elsewhere`);
      if (!this.#isGood(entryText(entry), entry.signature ?? null))
        this.#find("changed", pid, seq, `${where}: its signature does not fit`);
      entries.push(entry);
    }
    for (const head of heads) {
      const row = rows[head.seq];
      const where = `the ledger of ${node}, entry ${head.seq}`;
      if (row === undefined)
        this.#find("truncated", pid, head.seq, `${where}: it was logged, but is missing now`);
      else if (hexOf(row.hash) !== head.hash)
        this.#find("changed", pid, head.seq, `${where}: it differs from the logged one`);
    }
    return entries;
  }

  /** AUDIT-LEDGER-5. What stands for every process of an agent was given, as it is, and not taken back. */
  async #checkStanding(entries: readonly LedgerEntry[]): Promise<void> {
    const of = (what: string) => entries.filter((entry) => entry.what === what);
    const [given, revoked] = [of("grant"), of("revoke")];
    const ended = new Set(revoked.map(({ detail }) => (detail as { id?: string }).id));
    const stored = new Set(await this.#store.revokedIds());
    for (const id of ended)
      if (id !== undefined && /^[0-9a-f]{16,128}$/.test(id) && !stored.has(id))
        this.#find("missing", null, null, `the revocation of ${id} is not where it is looked up`);
    for (const { key } of await this.#store.tenants())
      for (const row of await this.#store.standing(key)) {
        const who = `what every process of ${row.agent} holds by ${row.handle}`;
        if (!isGiven(row, given))
          this.#find("changed", null, null, `${who} was never granted in this form`);
        else if (ended.has(row.handle) && row.state !== "revoked" && row.state !== "revoking")
          this.#find("changed", null, null, `${who} was revoked, but is present again`);
      }
  }

  /** What another key signed cannot be judged here; the chain still covers it. */
  #isGood(text: string, signature: string | null): boolean {
    return signature === null || this.#log.isSigned(text, signature) !== false;
  }

  /** AUDIT-LEDGER-2. */
  async #checkVote(vote: VoteRow, cast: readonly Cast[]): Promise<void> {
    const { question, person } = vote;
    const row = await this.#store.question(question);
    const fault = (problem: string) =>
      this.#find(
        "changed",
        row?.pid ?? null,
        null,
        `the vote of ${person} on ${question} ${problem}`,
      );
    const said = cast.find((one) => isSame(one, vote));
    if (said === undefined)
      return fault(cast.length === 0 ? "is in no ledger" : "is not what the ledger has");
    if (!this.#isGood(voteText(vote, said.digest), vote.signature))
      return fault("has a signature that does not fit");
    if (row === undefined) {
      return (await this.#isCompacted(said.pid))
        ? undefined
        : fault("is on a question that is gone");
    }
    if (row.digest !== said.digest || shownDigest(row) !== said.shown)
      fault("was for a question that said something else");
    if (row.process !== vote.process) fault("carries another process");
    const enough = votesNeeded(row, vote.choice);
    const alike = (await this.#store.votes(question)).filter(
      ({ choice }) => choice === vote.choice,
    );
    if (row.answeredAt === null && alike.length >= enough) fault("settled it, and it is open");
  }

  /** Retention has removed its questions and votes. */
  async #isCompacted(pid: string): Promise<boolean> {
    return this.#removed.has(pid) || (await this.#store.process(pid))?.compacted === true;
  }

  /** AUDIT-LEDGER-3. */
  async #checkPresent(rows: readonly LedgerRow[], votes: readonly VoteRow[]): Promise<void> {
    const there = new Set(votes.map(keyOf));
    for (const row of rows) {
      for (const one of castIn(tryRead(row))) {
        if (there.has(keyOf(one))) continue;
        if (await this.#isCompacted(one.pid)) continue;
        const what = `the vote of ${one.person} on ${one.question} is gone`;
        this.#find("missing", one.pid, null, what);
      }
    }
  }

  /** AUDIT-LEDGER-4. Those from before there were votes have none. */
  #checkSettled(row: QuestionRow, votes: readonly VoteRow[], cancelled: ReadonlySet<string>): void {
    if (row.batch === null) return;
    const { id, pid, answer } = row;
    if (answer === null) {
      if (!cancelled.has(id)) this.#find("changed", pid, null, `${id} was withdrawn by nobody`);
      return;
    }
    const enough =
      votes.filter(({ choice }) => choice === answer).length >= votesNeeded(row, answer);
    if (!enough) this.#find("changed", pid, null, `${id} says ${answer}, and its votes do not`);
  }
}

const keyOf = ({ question, person }: { question: string; person: string }): string =>
  JSON.stringify([question, person]);

function castIn(entry: LedgerEntry | undefined): Cast[] {
  if (entry?.what !== "question.answer") return [];
  const detail = entry.detail as unknown as VoteDetail;
  return [{ ...detail, person: entry.by, tenant: entry.tenant }];
}

function cancelledIn({ what, detail }: LedgerEntry): string[] {
  return what === "question.cancel" ? [(detail as { question: string } & Json).question] : [];
}

const isSame = (cast: Cast, vote: VoteRow): boolean =>
  cast.choice === vote.choice &&
  cast.reason === vote.reason &&
  cast.at === vote.at &&
  cast.signature === vote.signature &&
  cast.tenant === vote.tenant;

/** One that cannot be read is found by its hash. */
function tryRead(row: LedgerRow): LedgerEntry | undefined {
  try {
    return readLedgerEntry(row);
  } catch {
    return undefined;
  }
}
