// Extract text: what is in a file, as text with its headings or as the turns of a conversation. Most files are one
// entry; a mailbox and an export of conversations have one for each.
//
// EXTRACT-1  The digest of an entry is that of what it was made from. It changes with the way of making it, too.
// EXTRACT-2  Text is UTF-8; what is not is binary and left out, not guessed.

import { createHash } from "node:crypto";
import type { IngestedFile } from "@aos/protocol/words";
import { chatLogIn } from "./chat-log.ts";
import { htmlText } from "./html-text.ts";
import { isMailbox, messageName, messagesIn, readMail, type MailContent } from "./mail-text.ts";
import type { IngestSkipReason } from "./walk-folder.ts";

type Content = Pick<IngestedFile, "text" | "turns" | "title" | "author" | "date">;

/** An entry of a file; its content is made only if the digest is a new one. */
export interface ExtractedEntry {
  /** Below the file; "" where the file is one entry. */
  readonly name: string;
  readonly digest: string;
  readonly content: () => Promise<
    Content | { readonly skip: IngestSkipReason; readonly detail?: string }
  >;
}

/** Raised when the same file is to be made into another text. */
const VERSION = 1;

const PDF = /\.pdf$/i;
const HTML = /\.x?html?$/i;
const MAIL = /\.eml$/i;
const MAILBOX = /\.(?:mbox|mbx)$/i;
const CHAT = /\.(?:json|jsonl|ndjson|txt|log)$/i;

/** Larger than text, of which less is left. */
export const isContainer = (file: string): boolean => PDF.test(file) || MAILBOX.test(file);

const digestOf = (content: Uint8Array | string): string =>
  `${VERSION}:${createHash("sha256").update(content).digest("hex")}`;

export async function extractEntries(file: string, content: Buffer): Promise<ExtractedEntry[]> {
  if (MAILBOX.test(file) || isMailbox(content.toString("latin1", 0, 200)))
    return mailboxEntries(content);
  const one = (make: ExtractedEntry["content"]): ExtractedEntry[] => [
    { name: "", digest: digestOf(content), content: make },
  ];
  if (PDF.test(file)) return one(async () => ({ text: await pdfText(content) }));
  if (MAIL.test(file)) return one(async () => contentOfMail(await readMail(content)));
  const text = textOf(content); // EXTRACT-2
  if (text === undefined) return one(async () => ({ skip: "binary" }));
  if (HTML.test(file)) return one(async () => ({ text: await htmlText(text) }));
  const chats = CHAT.test(file) ? chatLogIn(file, text) : undefined;
  if (chats === undefined) return one(async () => ({ text }));
  return [...chats].map(([name, turns]) => ({
    name,
    digest: name === "" ? digestOf(content) : digestOf(JSON.stringify(turns)),
    content: async () => ({ turns, ...(name === "" ? {} : { title: name }) }),
  }));
}

async function mailboxEntries(content: Buffer): Promise<ExtractedEntry[]> {
  const entries: ExtractedEntry[] = [];
  for (const [digest, message] of messagesIn(content)) {
    const mail = await readMail(message);
    entries.push({
      name: messageName(mail, digest),
      digest: `${VERSION}:${digest}`,
      content: async () => contentOfMail(mail),
    });
  }
  return entries;
}

function contentOfMail({ title, author, date, text, attachments }: MailContent): Content {
  const attached = attachments.length === 0 ? "" : `\n\nAttached: ${attachments.join(", ")}`;
  return {
    text: text + attached,
    title: title.slice(0, 1000),
    author: author.slice(0, 200),
    ...(date === undefined ? {} : { date }),
  };
}

function textOf(content: Buffer): string | undefined {
  if (content.includes(0)) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(content);
  } catch {
    return undefined;
  }
}

/** By pages, each under a heading. */
async function pdfText(content: Buffer): Promise<string> {
  const { extractText, getDocumentProxy } = await import("unpdf");
  const document = await getDocumentProxy(new Uint8Array(content), { verbosity: 0 });
  const { text } = await extractText(document, { mergePages: false });
  return text.map((page, at) => `# Page ${at + 1}\n\n${page}`).join("\n\n");
}
