// Key file: where the key that seals secrets is kept, away from the database.
//
//   loadOrCreateKeys(file, platform)   the key that seals, first; then the one that a rotation left
//   rotateKey(file, platform, vault)   a new key, every row sealed with it, then the new file
//
// KEY-FILE-1  No key is lost while a row needs it: a rotation keeps the new one beside the old until
//     every row is sealed with the new one, and one that was cut short is finished by the next.

import { rename } from "node:fs/promises";
import { dirname } from "node:path";
import { createPrivate, readPrivate } from "../tlog/private-file.ts";
import { syncFolder } from "../tlog/durable-folder.ts";
import type { Platform } from "../platform/clock.ts";
import { SECRET_KEY_BYTES, type SecretKey, secretKey } from "./key.ts";

const nextOf = (file: string): string => `${file}.next`;

export async function loadOrCreateKeys(
  file: string,
  platform: Platform,
): Promise<[SecretKey, ...SecretKey[]]> {
  const key = await loadOrCreate(file, platform);
  const next = await load(nextOf(file));
  return next === undefined ? [key] : [key, next];
}

export async function rotateKey(
  file: string,
  platform: Platform,
  vault: { rekey(key: SecretKey): Promise<number> },
): Promise<number> {
  const count = await vault.rekey(await loadOrCreate(nextOf(file), platform));
  await rename(nextOf(file), file);
  await syncFolder(dirname(file));
  return count;
}

async function loadOrCreate(file: string, platform: Platform): Promise<SecretKey> {
  return (await load(file)) ?? (await create(file, platform));
}

async function load(path: string): Promise<SecretKey | undefined> {
  const bytes = await readPrivate(path);
  return bytes && read(bytes, path);
}

async function create(path: string, platform: Platform): Promise<SecretKey> {
  const draftName = Buffer.from(platform.bytes(12)).toString("hex");
  return read(await createPrivate(path, platform.bytes(SECRET_KEY_BYTES), draftName), path);
}

function read(bytes: Uint8Array, path: string): SecretKey {
  if (bytes.length === SECRET_KEY_BYTES) return secretKey(bytes);
  throw new Error(
    `the key file ${path} has ${bytes.length} bytes, and a key has ${SECRET_KEY_BYTES}`,
  );
}
