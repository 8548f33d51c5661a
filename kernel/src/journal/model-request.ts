// Model request: encodes the arguments of `infer`. A request usually repeats the one before it with a few more
// messages; the common part is not parsed, encoded or hashed again.
//
//   encodeRequest(text, args, before)   the record's text, the new blobs, and a mark for the next request
//   continueRequest(text, before)       the same with the arguments, if the text is the request before with messages
//                                       added at the end; else undefined
//
// MODEL-REQUEST-1  `continueRequest` returns what JSON.parse and `encodeRequest` would return: the same values in the
//     same order, the same record, and every blob that the request before did not have.
// MODEL-REQUEST-2  Messages and members of the request before are the same objects in this one. Nobody changes them,
//     so results of earlier checks and counts stay valid.
// MODEL-REQUEST-3  A mark keeps nothing alive: the text of a conversation is cached as long as memory allows, and
//     parsed anew after collection.

import type { Json, JsonObject } from "@aos/protocol";
import { type Blob, digestOf, type EncodedText, encodeText, NO_BLOBS } from "./encoded-text.ts";

/** A request whose messages the next one may go on from. */
export interface ChainMark {
  readonly count: number;
  /** The digest of the last block. */
  readonly head: string;
  /** MODEL-REQUEST-3. */
  readonly known: WeakRef<KnownRequest>;
}

interface KnownRequest {
  /** Its text up to the end of the last message. */
  readonly opening: string;
  /** Where in it the list of messages begins. */
  readonly from: number;
  /** Its text after that: the end of the list, and the members that follow. */
  readonly rest: string;
  readonly args: JsonObject;
  /** The record's text before and after the messages. */
  readonly recordHead: string;
  readonly recordRest: string;
  /** Of the other members. */
  readonly blobs: readonly Blob[];
}

const MESSAGES = "messages";

/** `text` is that of `args`. Null where they are no model request, which the gate will say. */
export function encodeRequest(text: string, args: Json, before?: ChainMark): EncodedText | null {
  if (args === null || typeof args !== "object" || Array.isArray(args)) return null;
  const { messages } = args;
  if (!Array.isArray(messages)) return null;
  const blobs: Blob[] = [];
  const halves: [head: string[], rest: string[]] = [[], []];
  const plain: string[] = [];
  let half: 0 | 1 = 0;
  for (const [name, value] of Object.entries(args)) {
    if (name === MESSAGES) {
      half = 1;
      continue;
    }
    const written = JSON.stringify(value);
    const encoded = encodeText(written);
    blobs.push(...encoded.blobs);
    halves[half].push(`${JSON.stringify(name)}:${encoded.text}`);
    if (half === 0) plain.push(`${JSON.stringify(name)}:${written}`);
  }
  const list = JSON.stringify(messages).slice(0, -1); // without the bracket at its end
  const start = `{${[...plain, `"${MESSAGES}":`].join(",")}`;
  const opening = start + list;
  const known: KnownRequest = {
    opening,
    from: start.length,
    rest: text.slice(opening.length),
    args,
    recordHead: `{${[...halves[0], `"${MESSAGES}":`].join(",")}`,
    recordRest: `${halves[1].map((member) => `,${member}`).join("")}}`,
    blobs,
  };
  const common = before !== undefined && goesOn(list, before) ? before : BEGINNING;
  // A text that was not written as JSON.stringify does is never gone on from.
  const isPlain = messages.length > 0 && begins(text, opening) && known.rest.startsWith("]");
  return encodeKnown(known, common, messages.slice(common.count), isPlain);
}

const BEGINNING = { count: 0, head: "" };

/** Whether the first messages are those of the request before: the list begins with theirs, and goes on or ends. */
function goesOn(list: string, { known }: ChainMark): boolean {
  const before = known.deref();
  if (before === undefined) return false;
  const common = before.opening.slice(before.from);
  return begins(list, common) && (list.length === common.length || list[common.length] === ",");
}

/** As `startsWith`, which compares one character at a time. */
const begins = (text: string, beginning: string): boolean =>
  text.slice(0, beginning.length) === beginning;

/** MODEL-REQUEST-1. */
export function continueRequest(
  text: string,
  before: ChainMark,
): { readonly args: Json; readonly encoded: EncodedText } | undefined {
  const known = before.known.deref();
  if (known === undefined) return undefined;
  const { opening, rest } = known;
  const end = text.length - rest.length;
  if (end < opening.length || text.slice(end) !== rest || !begins(text, opening)) return undefined;
  const added = readList(text, opening.length, end);
  if (added === undefined) return undefined;
  const args: JsonObject = { ...known.args };
  args[MESSAGES] = [...(known.args[MESSAGES] as Json[]), ...added];
  const longer = { ...known, opening: text.slice(0, end), args };
  return { args, encoded: encodeKnown(longer, before, added, true) };
}

/** What stands there after the last message: nothing, or a comma and values; else it is another text. */
function readList(text: string, from: number, to: number): Json[] | undefined {
  if (from === to) return [];
  if (text[from] !== ",") return undefined;
  try {
    return JSON.parse(`[${text.slice(from + 1, to)}]`) as Json[];
  } catch {
    return undefined;
  }
}

/** One block for each message, with the digest of the one before. */
function encodeKnown(
  known: KnownRequest,
  { count, head: first }: Pick<ChainMark, "count" | "head">,
  added: readonly Json[],
  isPlain: boolean,
): EncodedText {
  const blobs: Blob[] = [];
  let head = first;
  for (const message of added) {
    const body = `{"prev":"${head}","message":${JSON.stringify(message)}}`;
    head = digestOf(body);
    blobs.push({ digest: head, body });
  }
  const total = count + added.length;
  const text = `${known.recordHead}{"$chain":"${head}","count":${total}}${known.recordRest}`;
  const all = blobs.length === 0 ? known.blobs : [...blobs, ...known.blobs];
  return {
    text,
    blobs: all.length === 0 ? NO_BLOBS : all,
    ...(isPlain ? { chain: { count: total, head, known: new WeakRef(known) } } : {}),
  };
}
