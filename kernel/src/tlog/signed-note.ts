// A signed note, as c2sp.org/signed-note says: text, an empty line, signature lines.
//
//   — <key name> base64(key id || Ed25519 signature of the text)
//
//   signNote(text, signer)   the note
//   openNote(note, key)      its text, if that key signed it; else an Error
//
// SIGNED-NOTE-1  No text leaves openNote unless the key it was given signed exactly that text.
// SIGNED-NOTE-2  Signatures of unknown keys are passed over. One bad signature of the known key spoils
//     the note, whatever other lines say.
// SIGNED-NOTE-3  Base64 is taken in its one canonical form: no bit of a signature line is without effect.

import { createPublicKey, hash, verify } from "node:crypto";
import type { KeyObject } from "node:crypto";

const ED25519 = 0x01;
const KEY_ID_BYTES = 4;
const SIGNATURE_BYTES = 64;
const PUBLIC_KEY_BYTES = 32;
const MAX_NOTE_BYTES = 1 << 20;

export interface NoteSigner {
  readonly name: string;
  readonly verifierKey: string;
  sign(text: Uint8Array): Uint8Array;
}

export interface NoteKey {
  readonly name: string;
  readonly id: Uint8Array;
  readonly publicKey: KeyObject;
}

export function isKeyName(name: string): boolean {
  return name.isWellFormed() && /^[^\s+\p{Cc}]+$/u.test(name);
}

// The verifier key: name, key id in hex and base64(type || public key), joined by plus signs.
export function formatVerifierKey(name: string, publicKey: Uint8Array): string {
  if (!isKeyName(name)) throw new Error(`"${name}" cannot be a key's name: no spaces, no plus`);
  const typed = Buffer.concat([Buffer.of(ED25519), publicKey]);
  return `${name}+${keyId(name, typed).toString("hex")}+${typed.toString("base64")}`;
}

export function parseVerifierKey(text: string): NoteKey {
  const [, name = "", id = "", key = ""] = /^([^+]*)\+([0-9a-f]{8})\+(.*)$/su.exec(text) ?? [];
  const typed = fromBase64(key);
  if (!isKeyName(name) || typed?.length !== 1 + PUBLIC_KEY_BYTES || typed[0] !== ED25519) {
    throw new Error("not a verifier key for Ed25519: name+id+base64 is expected");
  }
  if (keyId(name, typed).toString("hex") !== id) {
    throw new Error(`the id of the verifier key of "${name}" does not fit its public key`);
  }
  const jwk = { kty: "OKP", crv: "Ed25519", x: typed.subarray(1).toString("base64url") };
  const publicKey = createPublicKey({ key: jwk, format: "jwk" });
  return { name, id: Buffer.from(id, "hex"), publicKey };
}

function keyId(name: string, typed: Uint8Array): Buffer {
  const named = Buffer.concat([Buffer.from(`${name}\n`), typed]);
  return hash("sha256", named, "buffer").subarray(0, KEY_ID_BYTES);
}

export function signNote(text: string, signer: NoteSigner): string {
  if (!text.endsWith("\n")) throw new Error("the text of a note ends with a newline");
  const { id } = parseVerifierKey(signer.verifierKey);
  const signature = Buffer.concat([id, signer.sign(Buffer.from(text))]).toString("base64");
  return `${text}\n— ${signer.name} ${signature}\n`;
}

export function openNote(note: Uint8Array, key: NoteKey): string {
  const { text, signatures } = cut(decode(note));
  const ours = signatures.filter(
    ({ name, bytes }) =>
      name === key.name && Buffer.compare(bytes.subarray(0, KEY_ID_BYTES), key.id) === 0,
  );
  if (ours.length === 0) throw new Error(`is not signed by the key of "${key.name}"`);
  for (const { bytes } of ours) {
    const signature = bytes.subarray(KEY_ID_BYTES);
    const good =
      signature.length === SIGNATURE_BYTES &&
      verify(null, Buffer.from(text), key.publicKey, signature);
    if (!good) throw new Error(`has a false signature of "${key.name}"`);
  }
  return text;
}

function decode(note: Uint8Array): string {
  if (note.length > MAX_NOTE_BYTES) throw new Error("is too long for a signed note");
  let decoded;
  try {
    decoded = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(note);
  } catch {
    throw new Error("is not UTF-8");
  }
  // oxlint-disable-next-line no-control-regex -- a note may hold no control character but newline
  if (/[\0-\x09\x0b-\x1f]/u.test(decoded)) throw new Error("has a control character");
  return decoded;
}

interface Signature {
  readonly name: string;
  readonly bytes: Buffer;
}

// The last empty line parts the text from the signatures; the text may have empty lines itself.
function cut(note: string): { text: string; signatures: Signature[] } {
  const end = note.lastIndexOf("\n\n");
  if (end < 0 || !note.endsWith("\n")) throw new Error("is not a signed note");
  const lines = note.slice(end + 2, -1).split("\n");
  return { text: note.slice(0, end + 1), signatures: lines.map(parseSignature) };
}

function parseSignature(line: string): Signature {
  const [, name = "", base64 = ""] = /^— ([^ ]+) ([^ ]+)$/u.exec(line) ?? [];
  const bytes = fromBase64(base64);
  if (!isKeyName(name) || bytes === undefined || bytes.length <= KEY_ID_BYTES) {
    throw new Error("has a malformed signature line");
  }
  return { name, bytes };
}

export function fromBase64(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, "base64");
  return bytes.toString("base64") === text ? bytes : undefined;
}
