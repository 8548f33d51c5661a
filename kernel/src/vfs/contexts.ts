// Contexts: what a process sees below /ctx: the messages that its model was last shown, and in
// /ctx/archive/N those that were taken out of them.
//
// CONTEXTS-1  It is the process's own, and is only read.

import { ARCHIVE, CONTEXT, SysError, type Json, type Message } from "@aos/protocol";
import { readContextBlock } from "../journal/codec.ts";
import type { Journal } from "../journal/journal.ts";
import type { Store } from "../store/contract.ts";
import type { ProcessKey, TenantKey } from "../store/rows.ts";
import { ContextScan, messagesOf } from "./context-scan.ts";

interface Owner {
  readonly key: ProcessKey;
  readonly tenant: TenantKey;
}

/** So much is told around what was found. */
const AROUND = 300;

export class Contexts {
  readonly #journal: Journal<Store>;
  /** A scan goes on from where it was while its process is in memory. */
  readonly #scans = new WeakMap<Owner, ContextScan>();

  constructor(journal: Journal<Store>) {
    this.#journal = journal;
  }

  async list(owner: Owner, path: string): Promise<string[]> {
    const scan = await this.#scan(owner);
    const archives = scan.archives.map((_, index) => `${ARCHIVE}/${index + 1}`);
    if (path === ARCHIVE) return archives;
    if (path !== CONTEXT) throw absent(path);
    return [...(scan.turn?.blocks ?? []).map(({ id }) => `${CONTEXT}/${id}`), ...archives];
  }

  /** A message, or the messages of an archive. */
  async read(owner: Owner, path: string): Promise<Json> {
    const scan = await this.#scan(owner);
    if (path.startsWith(`${ARCHIVE}/`))
      return (await this.#archived(scan, path)) as unknown as Json;
    const id = path.slice(CONTEXT.length + 1);
    const isShown = scan.turn?.blocks.some((block) => block.id === id) === true;
    if (!isShown) throw absent(path);
    return (await readContextBlock(id, scan.fetch)).message;
  }

  /** The messages of one archive, or of all, that have the words. */
  async search(owner: Owner, path: string, query: string, limit: number): Promise<Json> {
    const scan = await this.#scan(owner);
    const places =
      path === ARCHIVE ? scan.archives.map((_, index) => `${ARCHIVE}/${index + 1}`) : [path];
    const found: { path: string; data: Json; score: number }[] = [];
    for (const place of places)
      for (const { message, offset } of placed(await this.#archived(scan, place))) {
        const hit = find(textOf(message), query);
        if (hit === undefined) continue;
        const data = { role: message.role, text: hit.text, offset };
        found.push({ path: place, data, score: hit.score });
      }
    return found.sort((a, b) => b.score - a.score).slice(0, limit);
  }

  async #archived(scan: ContextScan, path: string): Promise<Message[]> {
    const name = path.slice(ARCHIVE.length + 1);
    const archive = /^[1-9]\d{0,8}$/.test(name) ? scan.archives[Number(name) - 1] : undefined;
    if (archive === undefined) throw absent(path);
    return messagesOf(archive, scan.fetch);
  }

  async #scan(owner: Owner): Promise<ContextScan> {
    await this.#journal.durable();
    const scan = this.#scans.get(owner) ?? new ContextScan(this.#journal.store, owner);
    this.#scans.set(owner, scan);
    await scan.readOn();
    return scan;
  }
}

/** Each with the place where it begins in the JSON text of them all. */
function placed(messages: readonly Message[]): { message: Message; offset: number }[] {
  let offset = 1; // after the bracket
  return messages.map((message) => {
    const begins = offset;
    offset += JSON.stringify(message).length + 1;
    return { message, offset: begins };
  });
}

const textOf = ({ content, toolCalls = [] }: Message): string =>
  [content, ...toolCalls.map(({ tool, args }) => `${tool} ${JSON.stringify(args)}`)].join("\n");

const wordsIn = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

/** The part of the words that are there, 1 above that where they are there as they were asked for. */
function find(text: string, query: string): { text: string; score: number } | undefined {
  const lower = text.toLowerCase();
  const exactly = lower.indexOf(query.toLowerCase());
  const asked = [...new Set(wordsIn(query))];
  const there = new Set(wordsIn(text));
  const hits = asked.filter((word) => there.has(word));
  if (exactly === -1 && hits.length === 0) return undefined;
  const rarest = hits.toSorted((a, b) => b.length - a.length)[0] ?? "";
  const at = exactly === -1 ? lower.indexOf(rarest) : exactly;
  const share = asked.length === 0 ? 0 : hits.length / asked.length;
  return { text: around(text, at, query.length), score: share + (exactly === -1 ? 0 : 1) };
}

function around(text: string, at: number, length: number): string {
  const from = Math.max(0, at - AROUND);
  const to = Math.min(text.length, at + length + AROUND);
  const piece = text
    .slice(from, to)
    .replace(/^[\uDC00-\uDFFF]/, "")
    .replace(/[\uD800-\uDBFF]$/, "");
  return `${from > 0 ? "…" : ""}${piece}${to < text.length ? "…" : ""}`;
}

const absent = (path: string): SysError =>
  new SysError("ENOENT", `there is no file ${path}`, {
    hint: `list("${CONTEXT}") says what there is`,
  });
