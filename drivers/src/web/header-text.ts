// Header texts: the request headers that a process may set.
//
// HEADER-TEXT-1  Headers about framing, recipient or connection cannot be set.
// HEADER-TEXT-2  A value is one line of visible ASCII, so a line break cannot inject a header.
// HEADER-TEXT-3  A secret is allowed only in the value of a header: as `{"secret": NAME}`, or as `{{secret:NAME}}` in
//     a text.

import { z } from "zod";

const MAX_HEADERS = 64;
const MAX_VALUE_CHARS = 8192;

const NOT_YOURS = new Set([
  "accept-encoding",
  "connection",
  "content-length",
  "expect",
  "host",
  "http2-settings",
  "idempotency-key",
  "keep-alive",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

const isYours = (name: string): boolean => !NOT_YOURS.has(name) && !name.startsWith("proxy-");

const secretName = z
  .string()
  .regex(/^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$/, "not the name of a secret");
const MARK = /\{\{secret:([A-Za-z0-9_][A-Za-z0-9_.-]{0,127})\}\}/g;
/** Anything that looks like a mark, well written or not. */
const NEARLY_A_MARK = /\{\{\s*secret\b/i;

export type HeaderValue = string | { readonly secret: string };
export type HeaderTexts = Readonly<Record<string, HeaderValue>>;

/** One line that may be sent. */
export const isHeaderLine = (value: string): boolean =>
  value.length <= MAX_VALUE_CHARS && /^[\t\u0020-\u007e]*$/.test(value);

export const headerTexts = z
  .record(
    z
      .string()
      .regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}$/, "not a header name")
      .refine((name) => isYours(name.toLowerCase()), "this header cannot be set"),
    z.union([
      z
        .string()
        .refine(isHeaderLine, "a header is one line of visible ASCII")
        .refine((text) => !hidesMark(text.replaceAll(MARK, "")), "write {{secret:NAME}}"),
      z.strictObject({ secret: secretName }),
    ]),
  )
  .refine((headers) => Object.keys(headers).length <= MAX_HEADERS, "too many headers")
  .refine((headers) => {
    const names = Object.keys(headers).map((name) => name.toLowerCase());
    return new Set(names).size === names.length;
  }, "a header is given twice")
  .default({})
  .describe('Header names and values. A value may be {"secret": NAME} or hold {{secret:NAME}}.');

/** A mark where none may be: what is sent from here would be sent as it is written. */
export function hidesMark(text: string): boolean {
  if (NEARLY_A_MARK.test(text)) return true;
  try {
    return NEARLY_A_MARK.test(decodeURIComponent(text));
  } catch {
    return false;
  }
}

/** The names of the secrets in some headers, each once. */
export function secretsIn(headers: HeaderTexts): string[] {
  const names = Object.values(headers).flatMap((value) =>
    typeof value === "string" ? [...value.matchAll(MARK)].map(([, name]) => name!) : [value.secret],
  );
  return [...new Set(names)];
}

/** A value with its secrets put in. */
export const fillSecrets = (value: HeaderValue, secret: (name: string) => string): string =>
  typeof value === "string"
    ? value.replaceAll(MARK, (_mark, name: string) => secret(name))
    : secret(value.secret);
