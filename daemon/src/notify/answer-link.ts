// AnswerLink: what an answer from outside stands on: a token that says which question, which act, which person, until
// when, and is signed with a key of this kernel.
//
// ANSWER-LINK-1  Every part is signed. Whoever can write the database, but does not have the secret key, makes no link.
// ANSWER-LINK-2  It is bound to the digest of the act: it answers no other, and is void once another is asked for.
// ANSWER-LINK-3  The same notification has the same link, however often it is sent.

import type { Kernel } from "@aos/kernel";
import { z } from "zod";
import { isSame } from "../starts/signature.ts";

const PURPOSE = "answer links";

const claimSchema = z.strictObject({
  /** The question, and the digest of what is asked. */
  q: z.string().min(1).max(200),
  d: z.string().min(1).max(200),
  /** The person, the target of the notification, and its tenant. */
  p: z.string().min(1).max(100),
  n: z.string().min(1).max(63),
  t: z.string().min(1).max(63),
  /** Until then, in seconds since 1970. */
  e: z.int().positive(),
});

export interface AnswerLink {
  readonly question: string;
  readonly digest: string;
  readonly person: string;
  readonly target: string;
  readonly tenant: string;
  readonly expiresAt: number;
}

type LinkKernel = Pick<Kernel, "authenticationCodes">;

export const ANSWER_PATH = "/answer";
const MOST = 2000;

/** ANSWER-LINK-3. */
export async function signLink(kernel: LinkKernel, claim: AnswerLink): Promise<string> {
  const { question, digest, person, target, tenant, expiresAt } = claim;
  const written = { q: question, d: digest, p: person, n: target, t: tenant };
  const text = JSON.stringify({ ...written, e: Math.floor(expiresAt / 1000) });
  const body = Buffer.from(text).toString("base64url");
  const [code] = await kernel.authenticationCodes(PURPOSE, body);
  return `${body}.${code}`;
}

/** Undefined where it is not one of ours; that it is over is said by `expiresAt`. */
export async function readLink(kernel: LinkKernel, token: string): Promise<AnswerLink | undefined> {
  const [body, code, more] = token.split(".");
  if (!body || !code || more !== undefined || token.length > MOST) return undefined;
  const codes = await kernel.authenticationCodes(PURPOSE, body);
  if (!codes.some((one) => isSame(code, one))) return undefined; // ANSWER-LINK-1
  const read = claimSchema.safeParse(jsonOf(Buffer.from(body, "base64url").toString()));
  if (!read.success) return undefined;
  const { q, d, p, n, t, e } = read.data;
  return { question: q, digest: d, person: p, target: n, tenant: t, expiresAt: e * 1000 };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
