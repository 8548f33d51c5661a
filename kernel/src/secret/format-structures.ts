// Format structures: credentials with parts. A JWT, a private key, a bot's token, a URL with a
// password in it, a header of HTTP.

import {
  ALPHANUMERIC,
  alphabet,
  DIGITS,
  isOf,
  isWordStart,
  runEnd,
  type MatchShape,
  URL_SAFE,
  valueStart,
} from "./format-shapes.ts";

const JWT_PARTS = 5;
const LEAST_OF_JWT_PART = 8;

/** `eyJ….eyJ….…`: two JSON objects and a signature, or more parts when it is encrypted. */
export const jwt: MatchShape = (text, at) => {
  if (!isWordStart(text, at, URL_SAFE)) return undefined;
  let end = runEnd(text, at, URL_SAFE);
  let parts = 1;
  while (parts < JWT_PARTS && text[end] === ".") {
    if (parts === 1 && !text.startsWith("eyJ", end + 1)) return undefined;
    const partEnd = runEnd(text, end + 1, URL_SAFE);
    if (partEnd - end <= LEAST_OF_JWT_PART) break;
    end = partEnd;
    parts++;
  }
  return parts >= 3 ? { start: at, end } : undefined;
};

/** `SG.` and two parts of fixed length. */
export const sendgrid: MatchShape = (text, at, anchor) => {
  const dot = at + anchor.length + 22;
  if (text[dot] !== "." || !isWordStart(text, at)) return undefined;
  if (runEnd(text, at + anchor.length, URL_SAFE, 23) !== dot) return undefined;
  const end = runEnd(text, dot + 1, URL_SAFE, 44);
  return end === dot + 44 ? { start: at, end } : undefined;
};

const MOST_DIGITS = 12;

/** `123456789:AA…`, also right after the `bot` of an API's path. */
export const telegram: MatchShape = (text, colon) => {
  let start = colon;
  while (start > colon - MOST_DIGITS && isOf(DIGITS, text.charCodeAt(start - 1))) start--;
  if (colon - start < 8 || !(isWordStart(text, start) || text.endsWith("bot", start)))
    return undefined;
  const end = runEnd(text, colon + 1, URL_SAFE, 36);
  return end === colon + 36 ? { start, end } : undefined;
};

const LABEL = alphabet("0-9", "A-Z", " ");
const BODY = alphabet("0-9", "A-Z", "a-z", "+/= \t\r\n\\:,.()-");
const PADDED = alphabet("0-9", "A-Z", "a-z", "+/=");
const SPACE = alphabet(" \t\r\n");
const LEAST_LINE = 16;

/** The whole block; when its end is missing, as far as there are lines of a key. */
export const privateKey: MatchShape = (text, at, anchor) => {
  const labelEnd = runEnd(text, at + anchor.length, LABEL, 48);
  const label = text.slice(at + anchor.length, labelEnd);
  if (!/PRIVATE KEY( BLOCK)?$/.test(label) || !text.startsWith("-----", labelEnd)) return undefined;
  const bodyStart = labelEnd + 5;
  let end = bodyStart;
  while (!text.startsWith("-----", end) && isOf(BODY, text.charCodeAt(end))) end++;
  const footer = `-----END ${label}-----`;
  if (text.startsWith(footer, end)) return { start: at, end: end + footer.length };
  const cut = keyLinesEnd(text, bodyStart, footer);
  return cut > bodyStart ? { start: at, end: cut } : undefined;
};

/** A short line counts after a long one, unless it is the first word of a sentence. */
function keyLinesEnd(text: string, from: number, footer: string): number {
  let end = from;
  for (;;) {
    let start = runEnd(text, end, SPACE);
    while (text.startsWith("\\n", start) || text.startsWith("\\r", start)) start += 2;
    const lineEnd = runEnd(text, start, PADDED);
    const isLong = lineEnd - start >= LEAST_LINE;
    const isShort = lineEnd > start && end > from && text[lineEnd] !== " ";
    if (isLong || isShort) end = lineEnd;
    else if (end === from) return from;
    else return footer.startsWith(text.slice(start, start + footer.length)) ? text.length : end;
  }
}

const USER_STOPS = " \t\r\n/?#\"'<>`\\,;@:";
const PASSWORD_STOPS = " \t\r\n/?#\"'<>`\\,;";
/** `${PASSWORD}`, `{password}`, `%s`, `***` and our own marker stand for a password and are none. */
const PLACEHOLDER = /^(?:[${*]|%[a-z]|\[secret:)/i;
const ESCAPED = /^%[0-9a-f]{2}/i;

/** The password of `scheme://user:password@host`. */
export const urlPassword: MatchShape = (text, at, anchor) => {
  if (!isOf(ALPHANUMERIC, text.charCodeAt(at - 1))) return undefined;
  const userEnd = endBefore(text, at + anchor.length, USER_STOPS);
  if (text[userEnd] !== ":") return undefined;
  const start = userEnd + 1;
  const end = text.slice(start, endBefore(text, start, PASSWORD_STOPS)).lastIndexOf("@") + start;
  if (end <= start) return undefined;
  const head = text.slice(start, start + "[secret:".length);
  return PLACEHOLDER.test(head) && !ESCAPED.test(head) ? undefined : { start, end };
};

function endBefore(text: string, from: number, stops: string): number {
  let at = from;
  while (at < text.length && !stops.includes(text.charAt(at))) at++;
  return at;
}

const CREDENTIALS = alphabet("0-9", "A-Z", "a-z", "._~+/-=");
const BEARER = new Set(["bearer", "token"]);
const LEAST_BEARER = 16;

/** What follows `Authorization: Bearer`, unless it only stands for a token. */
export const bearer: MatchShape = (text, at, anchor) => {
  const start = credentialsStart(text, at + anchor.length, BEARER);
  if (start === undefined) return undefined;
  const end = runEnd(text, start, CREDENTIALS);
  const isToken = end - start >= LEAST_BEARER && hasDigit(text, start, end);
  return isToken ? { start, end } : undefined;
};

const BASIC = new Set(["basic"]);
/** Longer ones are cut for the test only: the colon comes early. */
const MOST_DECODED = 400;

/** What follows `Authorization: Basic`, if it is a user and a password. */
export const basic: MatchShape = (text, at, anchor) => {
  const start = credentialsStart(text, at + anchor.length, BASIC);
  if (start === undefined) return undefined;
  const end = runEnd(text, start, CREDENTIALS);
  const decoded = Buffer.from(text.slice(start, Math.min(end, start + MOST_DECODED)), "base64");
  return decoded.includes(":") ? { start, end } : undefined;
};

function credentialsStart(
  text: string,
  nameEnd: number,
  schemes: ReadonlySet<string>,
): number | undefined {
  const scheme = valueStart(text, nameEnd);
  if (scheme === undefined) return undefined;
  const schemeEnd = runEnd(text, scheme, ALPHANUMERIC, 8);
  if (!schemes.has(text.slice(scheme, schemeEnd).toLowerCase())) return undefined;
  const start = runEnd(text, schemeEnd, SPACE, 4);
  return start > schemeEnd ? start : undefined;
}

function hasDigit(text: string, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (isOf(DIGITS, text.charCodeAt(at))) return true;
  return false;
}

/** `SK` and a digit of the 32: an anchor needs three characters. */
export const TWILIO_ANCHORS: readonly string[] = Array.from(
  "0123456789abcdef",
  (digit) => `SK${digit}`,
);
