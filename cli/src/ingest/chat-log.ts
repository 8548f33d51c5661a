// Chat log: the turns of a conversation, from the exports of chat programs: lists of messages in JSON (Slack, Discord,
// Telegram, assistants), one message a line, and logs in plain text (WhatsApp, IRC).
//
// CHAT-LOG-1  A file is a chat log only if at least half of its messages have a speaker and a text; otherwise it is text.

import type { IngestedFile } from "@aos/protocol/words";

export type ChatTurn = NonNullable<IngestedFile["turns"]>[number];

type Fields = Readonly<Record<string, unknown>>;

const LISTS = ["messages", "turns", "conversation", "dialogue"];
const SPEAKERS = ["speaker", "author", "role", "from", "sender", "user_profile", "user", "name"];
const TEXTS = ["text", "content", "message", "body"];
const DATES = ["date", "timestamp", "ts", "created_at", "create_time", "time"];
/** `12/03/2024, 10:11 - Ada: hello`, `[12.03.24, 10:11:12] Ada: hello` */
const DATED_LINE =
  /^\[?(\d{1,4}[./-]\d{1,2}[./-]\d{1,4}),?\s+\d{1,2}:\d{2}(?::\d{2})?(?:\s?[AP]M)?\]?\s*(?:-\s*)?([^:]{1,60}):\s(.*)$/i;
/** `[10:11] <ada> hello`, `10:11 <ada> hello` */
const NICK_LINE = /^(?:\[?\d{1,2}:\d{2}(?::\d{2})?\]?\s+)?<[@+ ]?([^>\s]{1,40})>\s(.*)$/;
const LEAST_LINES = 3;

/** Conversations by name; "" where the file is one. Undefined where it is no chat log. */
export function chatLogIn(name: string, text: string): Map<string, ChatTurn[]> | undefined {
  if (/\.json$/i.test(name)) return jsonChats(text);
  if (/\.(?:jsonl|ndjson)$/i.test(name)) return only(lineChat(text));
  if (/\.(?:txt|log)$/i.test(name)) return only(plainChat(text));
  return undefined;
}

const only = (turns: ChatTurn[] | undefined) =>
  turns === undefined ? undefined : new Map([["", turns]]);

function jsonChats(text: string): Map<string, ChatTurn[]> | undefined {
  const data = parsed(text);
  if (Array.isArray(data) && data.length > 0 && data.every(isTree)) return treeChats(data);
  const list = Array.isArray(data)
    ? data
    : LISTS.map((key) => (isFields(data) ? data[key] : undefined)).find(Array.isArray);
  return list === undefined ? undefined : only(turnsOf(list));
}

function lineChat(text: string): ChatTurn[] | undefined {
  const lines = text.split("\n");
  const values: unknown[] = [];
  const numbers: number[] = [];
  for (const [at, line] of lines.entries()) {
    if (line.trim() === "") continue;
    values.push(parsed(line));
    numbers.push(at + 1);
  }
  return turnsOf(values)?.map((turn, at) => ({ ...turn, line: numbers[at]! }));
}

function plainChat(text: string): ChatTurn[] | undefined {
  const turns: ChatTurn[] = [];
  for (const [at, line] of text.split("\n").entries()) {
    const dated = DATED_LINE.exec(line);
    const nick = dated === null ? NICK_LINE.exec(line) : null;
    if (dated !== null)
      turns.push({ speaker: dated[2]!, text: dated[3]!, date: dated[1]!, line: at + 1 });
    else if (nick !== null) turns.push({ speaker: nick[1]!, text: nick[2]!, line: at + 1 });
    else if (line.trim() === "") continue;
    else if (turns.length === 0) return undefined;
    else {
      const last = turns.pop()!;
      turns.push({ ...last, text: `${last.text}\n${line}` });
    }
  }
  return turns.length < LEAST_LINES ? undefined : turns;
}

/** CHAT-LOG-1. What is neither said nor written by anybody (a join, a picture) is left away. */
function turnsOf(list: readonly unknown[]): ChatTurn[] | undefined {
  if (list.length === 0 || !list.every(isFields)) return undefined;
  const turns = list.flatMap((one) => turnOf(one) ?? []);
  const isLog = turns.length > 0 && turns.length * 2 >= list.length;
  return isLog ? turns : undefined;
}

function turnOf(message: Fields): ChatTurn | undefined {
  const speaker = first(message, SPEAKERS, nameOf);
  const text = first(message, TEXTS, textOf);
  if (speaker === undefined || text === undefined) return undefined;
  const date = first(message, DATES, dateOf);
  return { speaker, text, ...(date === undefined ? {} : { date }) };
}

function first<T>(
  fields: Fields,
  keys: readonly string[],
  read: (value: unknown) => T | undefined,
): T | undefined {
  for (const key of keys) {
    const value = read(fields[key]);
    if (value !== undefined) return value;
  }
  return undefined;
}

function nameOf(value: unknown): string | undefined {
  if (typeof value === "string" && value.trim() !== "") return value.slice(0, 200);
  if (!isFields(value)) return undefined;
  return nameOf(value["real_name"] ?? value["display_name"] ?? value["name"] ?? value["role"]);
}

function textOf(value: unknown): string | undefined {
  if (typeof value === "string") return value.trim() === "" ? undefined : value;
  if (isFields(value)) return textOf(value["text"] ?? value["parts"]);
  if (!Array.isArray(value)) return undefined;
  const parts = value.map((part) => (typeof part === "string" ? part : (textOf(part) ?? "")));
  const whole = parts.join("");
  return whole.trim() === "" ? undefined : whole;
}

/** Seconds or milliseconds since 1970, also as text; or a date as it is written. */
function dateOf(value: unknown): string | undefined {
  const number =
    typeof value === "string" && /^\d{9,}(?:\.\d+)?$/.test(value) ? Number(value) : value;
  if (typeof number === "number" && number > 1e8)
    return new Date(number > 1e11 ? number : number * 1000).toISOString();
  return typeof value === "string" && value !== "" ? value.slice(0, 100) : undefined;
}

interface Tree {
  readonly title?: unknown;
  readonly mapping: Readonly<Record<string, { readonly message?: unknown }>>;
}

/** Of an assistant whose conversations can be edited: messages in a tree, each with the time of its creation. */
const isTree = (value: unknown): boolean => isFields(value) && isFields(value["mapping"]);

function treeChats(list: readonly unknown[]): Map<string, ChatTurn[]> | undefined {
  const chats = new Map<string, ChatTurn[]>();
  for (const [at, one] of (list as readonly Tree[]).entries()) {
    const turns = Object.values(one.mapping)
      .flatMap(({ message }) => (isFields(message) ? (turnOf(message) ?? []) : []))
      .sort((a, b) => ((a.date ?? "") < (b.date ?? "") ? -1 : 1));
    const title = typeof one.title === "string" ? one.title : "conversation";
    if (turns.length > 0) chats.set(`${String(at + 1).padStart(5, "0")} ${title}`, turns);
  }
  return chats.size === 0 ? undefined : chats;
}

const isFields = (value: unknown): value is Fields =>
  value !== null && typeof value === "object" && !Array.isArray(value);

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
