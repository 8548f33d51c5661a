// Signature: who sent a webhook, and which delivery it is.
//
//   standard   Standard Webhooks: webhook-id, webhook-timestamp, webhook-signature over `id.timestamp.body`
//   github     X-Hub-Signature-256 over the body
//
// SIGNATURE-1  The body is signed as the bytes that came. Signatures are compared in constant time.
// SIGNATURE-2  What names the delivery is signed: the id of `standard`, the body itself of `github`, whose own
//     delivery id anybody could change.
// SIGNATURE-3  A signed time outside the tolerance is refused: an old delivery that somebody kept is no new one.

import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import type { webhookSignatures } from "@aos/protocol";

export interface SignatureInput {
  readonly headers: Headers;
  readonly body: Uint8Array;
}

export interface SignatureTerms {
  readonly signature: (typeof webhookSignatures)[number];
  readonly tolerance: number;
  readonly key: string;
}

/** The id of the delivery; or why it is refused. */
export type Checked = { readonly id: string } | { readonly refused: string };

export function checkSignature(
  signed: SignatureInput,
  terms: SignatureTerms,
  nowMs: number,
): Checked {
  return terms.signature === "github"
    ? checkBody(signed, terms)
    : checkStandard(signed, terms, nowMs);
}

const MAX_ID = 200;

function checkStandard(
  { headers, body }: SignatureInput,
  terms: SignatureTerms,
  nowMs: number,
): Checked {
  const id = headers.get("webhook-id") ?? "";
  const time = headers.get("webhook-timestamp") ?? "";
  const given = headers.get("webhook-signature") ?? "";
  if (id === "" || time === "" || given === "") return { refused: "no signature" };
  if (!/^[\x21-\x7e]+$/.test(id) || id.length > MAX_ID) return { refused: "an id that is none" };
  const wanted = standardSignature(terms.key, { id, time, body });
  const isOne = given
    .split(" ")
    .some((one) => one.startsWith("v1,") && isSame(one.slice(3), wanted));
  if (!isOne) return { refused: "a wrong signature" };
  return isFresh(time, terms.tolerance, nowMs) ? { id } : { refused: "too old, or of the future" };
}

/** SIGNATURE-3. */
export const isFresh = (seconds: string, toleranceMs: number, nowMs: number): boolean =>
  /^\d{1,12}$/.test(seconds) && Math.abs(nowMs - Number(seconds) * 1000) <= toleranceMs;

function checkBody({ headers, body }: SignatureInput, { key }: SignatureTerms): Checked {
  const given = headers.get("x-hub-signature-256");
  if (given === null) return { refused: "no signature" };
  const wanted = createHmac("sha256", key).update(body).digest("hex");
  if (!isSame(given, `sha256=${wanted}`)) return { refused: "a wrong signature" };
  return { id: createHash("sha256").update(body).digest("hex") }; // SIGNATURE-2
}

const PREFIX = "whsec_";

/** Base64, of a secret as the standard writes it, `whsec_` and base64; any other counts as its bytes. */
export function standardSignature(
  secret: string,
  { id, time, body }: { readonly id: string; readonly time: string; readonly body: Uint8Array },
): string {
  const key = secret.startsWith(PREFIX)
    ? Buffer.from(secret.slice(PREFIX.length), "base64")
    : Buffer.from(secret);
  return createHmac("sha256", key).update(`${id}.${time}.`).update(body).digest("base64");
}

/** SIGNATURE-1. */
export function isSame(given: string, wanted: string): boolean {
  const [one, other] = [given, wanted].map((text) => createHash("sha256").update(text).digest());
  return timingSafeEqual(one!, other!);
}
