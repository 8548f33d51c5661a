// The key that signs a log's tree heads: Ed25519, in a PEM file of its own, away from the database.
//
//   loadOrCreateSigner(keyFile, name)   the key in the file; a new one if there is no file
//
// How the file is kept from others is in private-file.ts.

import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  randomUUID,
  sign,
} from "node:crypto";
import type { KeyObject } from "node:crypto";
import { createPrivate, readPrivate } from "./private-file.ts";
import { formatVerifierKey } from "./signed-note.ts";
import type { NoteSigner } from "./signed-note.ts";

export type Signer = NoteSigner;

export async function loadOrCreateSigner(keyFile: string, name: string): Promise<Signer> {
  const key = (await load(keyFile)) ?? (await create(keyFile));
  const { x = "" } = createPublicKey(key).export({ format: "jwk" });
  return {
    name,
    verifierKey: formatVerifierKey(name, Buffer.from(x, "base64url")),
    sign: (text) => sign(null, text, key),
  };
}

async function load(keyFile: string): Promise<KeyObject | undefined> {
  const pem = await readPrivate(keyFile);
  return pem && parse(pem, keyFile);
}

// What node:crypto says of a broken key is left out: the text may hold parts of the file.
function parse(pem: Uint8Array, keyFile: string): KeyObject {
  let key;
  try {
    key = createPrivateKey(Buffer.from(pem));
  } catch {
    throw new Error(`the key file ${keyFile} holds no private key in PEM`);
  }
  if (key.asymmetricKeyType !== "ed25519") {
    throw new Error(`the key in ${keyFile} is ${key.asymmetricKeyType}, not ed25519`);
  }
  return key;
}

async function create(keyFile: string): Promise<KeyObject> {
  const { privateKey } = generateKeyPairSync("ed25519");
  const pem = Buffer.from(privateKey.export({ type: "pkcs8", format: "pem" }));
  return parse(await createPrivate(keyFile, pem, randomUUID()), keyFile);
}
