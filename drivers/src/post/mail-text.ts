// MailText: a notice or a reply as a message of RFC 5322.
//
// POST-MAIL-1  No header has a line break or a control character of what it is made from.
// POST-MAIL-2  Bodies are base64: no line of them is longer than the protocol allows, or means anything to it. In HTML
//     every word is escaped, and the one link is ours.
// POST-MAIL-3  What is sent says that a program sent it (RFC 3834), so that no responder answers.

import { type ChatReply, agentWords, type Notice, noticeText, oneLineOf } from "./notice.ts";

export interface MailEnvelope {
  readonly from: string;
  readonly to: readonly string[];
}

interface MailParts extends MailEnvelope {
  readonly id: string;
  readonly subject: string;
  readonly text: string;
  readonly html?: string;
  readonly inReplyTo?: string | undefined;
  readonly references?: string | undefined;
}

export const noticeMail = (notice: Notice, addresses: MailEnvelope, nowMs = Date.now()): string =>
  mailOf(
    {
      ...addresses,
      id: notice.id,
      subject: `[Agent OS] ${notice.title}`,
      text: noticeText(notice),
      html: htmlOf(notice),
    },
    nowMs,
  );

export const replyMail = (
  { id, text, place }: ChatReply,
  addresses: MailEnvelope,
  nowMs = Date.now(),
): string =>
  mailOf(
    {
      ...addresses,
      id,
      subject: place["subject"] ?? "",
      text: agentWords(text, 100_000),
      inReplyTo: place["message"],
      references: place["references"],
    },
    nowMs,
  );

function mailOf(mail: MailParts, nowMs: number): string {
  const { from, to, id, subject, text, html, inReplyTo, references } = mail;
  const domain = addressIn(from).split("@")[1] ?? "localhost";
  const boundary = `aos-${id.replaceAll(/[^A-Za-z0-9]/g, "").slice(-40)}`;
  const headers = [
    `From: ${headerText(from)}`,
    `To: ${to.map(headerText).join(", ")}`,
    `Subject: ${encodedWords(oneLineOf(subject, 150))}`,
    `Message-ID: <${id.replaceAll(/[^A-Za-z0-9._-]/g, "-")}@${headerText(domain)}>`,
    `Date: ${new Date(nowMs).toUTCString().replace("GMT", "+0000")}`,
    ...(inReplyTo === undefined ? [] : [`In-Reply-To: ${headerText(inReplyTo)}`]),
    ...(references === undefined ? [] : [`References: ${headerText(references)}`]),
    "MIME-Version: 1.0",
    `Auto-Submitted: ${inReplyTo === undefined ? "auto-generated" : "auto-replied"}`, // POST-MAIL-3
    "X-Auto-Response-Suppress: All",
  ];
  const plain = part("text/plain", text);
  if (html === undefined) return [...headers, plain].join("\r\n");
  return [
    ...headers,
    `Content-Type: multipart/alternative; boundary="${boundary}"`,
    "",
    `--${boundary}`,
    plain,
    `--${boundary}`,
    part("text/html", html),
    `--${boundary}--`,
    "",
  ].join("\r\n");
}

/** POST-MAIL-2. */
function part(type: string, body: string): string {
  const lines =
    Buffer.from(body)
      .toString("base64")
      .match(/.{1,76}/g) ?? [];
  return [
    `Content-Type: ${type}; charset=utf-8`,
    "Content-Transfer-Encoding: base64",
    "",
    ...lines,
    "",
  ].join("\r\n");
}

/** POST-MAIL-1. */
const headerText = (text: string): string =>
  text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ").slice(0, 900);

/** The address in `Name <address>`, or all of it. */
export const addressIn = (text: string): string => /<([^<>]+)>\s*$/.exec(text)?.[1] ?? text.trim();

/** RFC 2047, in words that are short enough, and no character is divided. */
function encodedWords(text: string): string {
  if (/^[\x20-\x7e]*$/.test(text)) return text;
  const words: string[] = [];
  let word = "";
  for (const character of text) {
    if (Buffer.byteLength(word + character) > 42) {
      words.push(word);
      word = "";
    }
    word += character;
  }
  return [...words, word]
    .map((one) => `=?utf-8?B?${Buffer.from(one).toString("base64")}?=`)
    .join("\r\n ");
}

function htmlOf({ title, facts, quoted, warning, link, command, id }: Notice): string {
  const rows = facts
    .map(
      ([name, value]) =>
        `<tr><th align="left">${escapeHtml(name)}</th><td>${escapeHtml(value)}</td></tr>`,
    )
    .join("");
  const words = quoted
    .map(([name, text]) => `<p><b>${escapeHtml(name)}</b></p><pre>${escapeHtml(text)}</pre>`)
    .join("");
  return [
    `<!doctype html><html><body><h2>${escapeHtml(title)}</h2>`,
    `<table>${rows}</table>`,
    warning === undefined ? "" : `<p><strong>${escapeHtml(warning)}</strong></p>`,
    words,
    link === undefined ? "" : `<p><a href="${escapeHtml(link)}">Show and answer</a></p>`,
    command === undefined ? "" : `<p><code>${escapeHtml(command)}</code></p>`,
    `<p><small>${escapeHtml(id)}</small></p></body></html>`,
  ].join("\n");
}

export const escapeHtml = (text: string): string =>
  text.replaceAll(
    /[&<>"']/g,
    (one) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" })[one]!,
  );
