// The key that signs a log's tree heads: Ed25519, in a PEM file of its own, away from the database.
//
//   loadOrCreateSigner(keyFile, name)   the key in the file; a new one if there is no file
//
// K1  A key file that anyone but its owner may read or write is refused, not mended: it may
//     have been copied already.
// K2  The file appears whole or not at all, and never over another: of two processes that
//     create it at once, both end up with the same key.

import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  randomUUID,
  sign,
} from "node:crypto";
import type { KeyObject } from "node:crypto";
import { link, mkdir, open, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { syncFolder } from "./durable-folder.ts";
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
  const file = await open(keyFile, "r").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
  if (file === undefined) return undefined;
  try {
    const { mode } = await file.stat();
    if ((mode & 0o077) !== 0) {
      const octal = (mode & 0o777).toString(8);
      throw new Error(`the key file ${keyFile} is open to others (mode ${octal}): chmod 600 it`);
    }
    return parse(await file.readFile("utf8"), keyFile);
  } finally {
    await file.close();
  }
}

// What node:crypto says of a broken key is left out: the text may hold parts of the file.
function parse(pem: string, keyFile: string): KeyObject {
  let key;
  try {
    key = createPrivateKey(pem);
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
  const draft = `${keyFile}.${randomUUID()}`;
  await mkdir(dirname(keyFile), { recursive: true, mode: 0o700 });
  const file = await open(draft, "wx", 0o600);
  try {
    await file.writeFile(privateKey.export({ type: "pkcs8", format: "pem" }));
    await file.sync();
    await link(draft, keyFile);
    await syncFolder(dirname(keyFile));
    return privateKey;
  } catch (error) {
    const other = (error as NodeJS.ErrnoException).code === "EEXIST" && (await load(keyFile));
    if (other) return other;
    throw error;
  } finally {
    await file.close();
    await rm(draft, { force: true });
  }
}
