// Seal: a secret as a row keeps it. AES-256-GCM with a new nonce each time.
//
//   seal(secret, key, nonce)   the text of the row
//   unseal(row, keys)          the secret, or an error that says what is wrong with the row
//
// SEAL-1  Tenant, name, bindings and times are covered by the seal: a row that was changed, or moved to
//     another name, does not open.
// SEAL-2  A row that was sealed with a key that is not at hand says so, with the ids of the keys.
// SEAL-3  No error holds a value, nor a part of one. The length of a value is hidden by padding.

import { createCipheriv, createDecipheriv } from "node:crypto";
import { canonicalText, type Json, SysError } from "@aos/protocol";
import type { Binding } from "./binding.ts";
import type { SecretKey } from "./key.ts";

export interface Secret {
  readonly tenant: string;
  readonly name: string;
  readonly value: string;
  readonly bindings: readonly Binding[];
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface SealedSecret {
  readonly tenant: string;
  readonly name: string;
  /** JSON: everything about the secret, its value encrypted. */
  readonly sealed: string;
  readonly updatedAt: number;
}

/** What `sealed` holds. */
interface Sealed {
  readonly version: 1;
  readonly key: string;
  readonly nonce: string;
  readonly box: string;
  readonly tag: string;
  readonly bindings: readonly Binding[];
  readonly createdAt: number;
}

const CIPHER = "aes-256-gcm";
export const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const PADDED_TO = 256;

export function seal(secret: Secret, key: SecretKey, nonce: Uint8Array): SealedSecret {
  const cipher = createCipheriv(CIPHER, key.bytes, nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(covered(secret));
  const box = Buffer.concat([cipher.update(padded(secret.value)), cipher.final()]);
  const sealed: Sealed = {
    version: 1,
    key: key.id,
    nonce: Buffer.from(nonce).toString("base64"),
    box: box.toString("base64"),
    tag: cipher.getAuthTag().toString("base64"),
    bindings: secret.bindings,
    createdAt: secret.createdAt,
  };
  const { tenant, name, updatedAt } = secret;
  return { tenant, name, sealed: JSON.stringify(sealed), updatedAt };
}

export function unseal(row: SealedSecret, keys: readonly SecretKey[]): Secret {
  const sealed = readSealed(row);
  const key = keys.find(({ id }) => id === sealed.key);
  if (key === undefined) {
    const atHand = keys.map(({ id }) => id).join(", ");
    throw new SysError(
      "ECORRUPT",
      `the secret ${row.name} was encrypted with the key ${sealed.key}; available keys: ${atHand}`,
      { hint: "start the daemon with the key file or AOS_SECRET_KEY that encrypted it" },
    );
  }
  const { tenant, name, updatedAt } = row;
  const { bindings, createdAt } = sealed;
  const about = { tenant, name, bindings, createdAt, updatedAt };
  return { ...about, value: open(sealed, key, covered(about), row) };
}

function open(sealed: Sealed, key: SecretKey, about: Buffer, row: SealedSecret): string {
  try {
    const cipher = createDecipheriv(CIPHER, key.bytes, Buffer.from(sealed.nonce, "base64"), {
      authTagLength: TAG_BYTES,
    });
    cipher.setAAD(about);
    cipher.setAuthTag(Buffer.from(sealed.tag, "base64"));
    const text = Buffer.concat([cipher.update(Buffer.from(sealed.box, "base64")), cipher.final()]);
    return JSON.parse(text.toString("utf8")) as string;
  } catch {
    throw broken(row);
  }
}

function readSealed(row: SealedSecret): Sealed {
  let sealed: Partial<Sealed> | null;
  try {
    sealed = JSON.parse(row.sealed) as Partial<Sealed> | null;
  } catch {
    throw broken(row);
  }
  if (sealed?.version !== 1 || typeof sealed.key !== "string") throw broken(row);
  return sealed as Sealed;
}

const broken = ({ tenant, name }: SealedSecret): SysError =>
  new SysError("ECORRUPT", `the row of the secret ${name} (${tenant}) does not match its seal`);

function covered({ tenant, name, bindings, createdAt, updatedAt }: Omit<Secret, "value">): Buffer {
  const about = ["aos secret 1", tenant, name, bindings, createdAt, updatedAt];
  return Buffer.from(canonicalText(about as unknown as Json));
}

/** JSON, because it may be padded with any number of spaces. */
function padded(value: string): Buffer {
  const text = Buffer.from(JSON.stringify(value));
  const length = Math.ceil(text.length / PADDED_TO) * PADDED_TO;
  return Buffer.concat([text, Buffer.alloc(length - text.length, " ")]);
}
