// Mail as text: one message (.eml), or the messages of a mailbox (mbox).
//
// MAIL-TEXT-1  A message of a mailbox has a name of its own, by its date and digest: it keeps it when others come and go.

import { createHash } from "node:crypto";
import { htmlText } from "./html-text.ts";

export interface MailContent {
  readonly title: string;
  readonly author: string;
  readonly date?: string;
  readonly text: string;
  /** Names of what was attached: it is not read. */
  readonly attachments: readonly string[];
}

/** The line before each message; a line of a message that begins so has a `>` before it. */
const SEPARATOR = /(?:^|\r?\n\r?\n)From \S+ [^\n]*\d{2}:\d{2}[^\n]*\r?\n/;

export const isMailbox = (start: string): boolean => /^From \S+ .*\d{2}:\d{2}/.test(start);

export async function readMail(content: Uint8Array): Promise<MailContent> {
  const { default: PostalMime } = await import("postal-mime");
  const { from, subject, date, text, html, attachments } = await PostalMime.parse(content);
  return {
    title: subject ?? "",
    author: from?.name || from?.address || "unknown",
    ...(date === undefined ? {} : { date }),
    text: (text ?? "").trim() === "" && html !== undefined ? await htmlText(html) : (text ?? ""),
    attachments: attachments.map(({ filename, mimeType }) => filename ?? mimeType),
  };
}

/** The messages of a mailbox as bytes, by digest. */
export function messagesIn(content: Buffer): Map<string, Buffer> {
  const parts = content.toString("latin1").split(SEPARATOR).slice(1);
  return new Map(
    parts.map((part) => {
      const message = Buffer.from(part.replaceAll(/^>(>*From )/gm, "$1"), "latin1");
      return [createHash("sha256").update(message).digest("hex"), message];
    }),
  );
}

/** MAIL-TEXT-1. */
export function messageName({ date }: MailContent, digest: string): string {
  const time = Date.parse(date ?? "");
  const day = Number.isNaN(time)
    ? "undated"
    : new Date(time).toISOString().slice(0, 16).replace(":", "");
  return `${day}-${digest.slice(0, 12)}`;
}
