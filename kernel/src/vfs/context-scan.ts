// Context scan: finds in a journal what a process's model was shown, and what was taken out of that.
//
// CONTEXT-SCAN-1  A turn is a request to a model, made or refused, that is none for a summary
//     (protocol/context-words.ts). The context at a record is what the last turn until then showed.
// CONTEXT-SCAN-2  The Nth archive is what the Nth stand-in took the place of: a part of the chain of an
//     earlier turn. It is a pointer into that chain; nothing is kept twice.
// CONTEXT-SCAN-3  Only blocks that the process's own records lead to are read; of a fork, those that it
//     shares as well.

import {
  isSummaryRequest,
  messages,
  readArchiveNotice,
  type InferReply,
  type Json,
  type JournalRecord,
  type Message,
} from "@aos/protocol";
import { decodeValue, readContextBlock, type FetchBlob } from "../journal/codec.ts";
import { parseRecord } from "../journal/record-text.ts";
import type { Store } from "../store/contract.ts";
import type { ProcessKey, TenantKey } from "../store/rows.ts";

export interface ContextSegment {
  readonly id: string;
  /** How many messages of the conversation it is; more than one for a stand-in. */
  readonly span: number;
  /** The archive that a stand-in names. */
  readonly archive: number | null;
}

export interface ContextTurn {
  /** The number of its call. */
  readonly n: number;
  /** As the record has them. */
  readonly args: Json;
  readonly blocks: readonly ContextSegment[];
  /** What came back, as the record has it; undefined before, or where nothing did. */
  reply?: Json;
}

/** `count` blocks, of which `last` is the last. */
export interface Archive {
  readonly last: string;
  readonly count: number;
}

/** A process may hold several conversations: this many turns are looked back for the one that was cut. */
const RECENT_TURNS = 8;

export class ContextScan {
  readonly #store: Store;
  readonly #key: ProcessKey;
  readonly fetch: FetchBlob;
  readonly archives: Archive[] = [];
  readonly #recent: ContextTurn[] = [];
  #seen = -1;
  #reading: Promise<void> = Promise.resolve();

  constructor(store: Store, { key, tenant }: { key: ProcessKey; tenant: TenantKey }) {
    this.#store = store;
    this.#key = key;
    this.fetch = (digest) => store.blob(tenant, digest);
  }

  /** The last one that was read (CONTEXT-SCAN-1). */
  get turn(): ContextTurn | undefined {
    return this.#recent.at(-1);
  }

  /** Reads on in the journal, as far as it is on the disk. */
  async readOn(upTo?: number): Promise<void> {
    const before = this.#reading;
    this.#reading = before.catch(() => {}).then(() => this.#read(upTo));
    await this.#reading;
  }

  async #read(upTo: number | undefined): Promise<void> {
    const rows = await this.#store.records(this.#key, {
      after: this.#seen,
      ...(upTo === undefined ? {} : { upTo }),
    });
    for (const { text } of rows) {
      if (mayMatter(text)) await this.#take(parseRecord(text));
      this.#seen += 1;
    }
  }

  async #take(record: JournalRecord): Promise<void> {
    if (record.kind === "outcome") {
      const turn = this.turn;
      if (turn?.n === record.n && record.ok !== undefined) turn.reply = record.ok;
      return;
    }
    if ((record.kind !== "call" && record.kind !== "intent") || record.call !== "infer") return;
    const head = headOf(record.args);
    if (head === undefined) return; // it was no request: its arguments were refused
    const blocks = await this.#blocks(head);
    if (blocks === undefined) return;
    const turn: ContextTurn = { n: record.n, args: record.args, blocks };
    if (record.kind === "call" && record.ok !== undefined) turn.reply = record.ok;
    this.#noteArchives(turn);
    this.#recent.push(turn);
    if (this.#recent.length > RECENT_TURNS) this.#recent.shift();
  }

  /**
   * The blocks up to `head`: most of them are those of the turn before. Undefined for a summary's request,
   * and for one that was refused because these are no messages.
   */
  async #blocks(head: string): Promise<ContextSegment[] | undefined> {
    const known = new Map(this.turn?.blocks.map(({ id }, index) => [id, index]));
    const fresh: ContextSegment[] = [];
    let digest = head;
    while (digest !== "" && !known.has(digest)) {
      const { prev, message } = await readContextBlock(digest, this.fetch);
      const [said] = messages.safeParse([message]).data ?? [];
      if (said === undefined || (prev === "" && isSummaryRequest([said]))) return undefined;
      fresh.push(blockOf(digest, said));
      digest = prev;
    }
    const shared = digest === "" ? [] : this.turn!.blocks.slice(0, known.get(digest)! + 1);
    return [...shared, ...fresh.reverse()];
  }

  /** CONTEXT-SCAN-2. */
  #noteArchives({ blocks }: ContextTurn): void {
    for (let index = 0; index < blocks.length; index++) {
      const { archive, span } = blocks[index]!;
      if (archive !== this.archives.length + 1) continue;
      const above = blocks[index - 1]?.id;
      for (const earlier of this.#recent.toReversed()) {
        const part = above === earlier.blocks[index - 1]?.id && partOf(earlier, index, span);
        if (part === false || part === undefined) continue;
        this.archives.push(part);
        break;
      }
    }
  }
}

const mayMatter = (text: string): boolean =>
  text.startsWith('{"kind":"outcome"') || text.includes('"call":"infer"');

function headOf(args: Json): string | undefined {
  const { messages: chain } = (args ?? {}) as { messages?: { $chain?: unknown } | null };
  return typeof chain?.$chain === "string" ? chain.$chain : undefined;
}

function blockOf(id: string, message: Message): ContextSegment {
  const archived = readArchiveNotice(message);
  return archived === undefined
    ? { id, span: 1, archive: null }
    : { id, span: archived.last - archived.first + 1, archive: archived.archive };
}

/** The blocks from an index on that are as many messages; undefined where none end there. */
function partOf({ blocks }: ContextTurn, from: number, span: number): Archive | undefined {
  let sum = 0;
  for (let index = from; index < blocks.length; index++) {
    sum += blocks[index]!.span;
    if (sum === span) return { last: blocks[index]!.id, count: index - from + 1 };
    if (sum > span) return undefined;
  }
  return undefined;
}

/** The messages of an archive. */
export async function messagesOf({ last, count }: Archive, fetch: FetchBlob): Promise<Message[]> {
  const found: Message[] = [];
  for (let digest = last; found.length < count;) {
    const { prev, message } = await readContextBlock(digest, fetch);
    found.push(message as unknown as Message);
    digest = prev;
  }
  return found.reverse();
}

/** What a turn came to. */
export const replyOf = async (
  { reply }: ContextTurn,
  fetch: FetchBlob,
): Promise<InferReply | undefined> =>
  reply === undefined ? undefined : ((await decodeValue(reply, fetch)) as unknown as InferReply);
