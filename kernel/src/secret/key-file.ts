// Key file: where the key that seals secrets is kept, away from the database.
//
//   loadOrCreateKeys(file, platform)   the key that seals, first; then the one that a rotation left
//   rotateKey(file, platform, vault)   a new key, every row sealed with it, then the new file
//
// L1  A file that anyone but its owner may read or write is refused, not mended: it may have been
//     copied already.
// L2  A file appears whole or not at all, and never over another: of two that create it at once,
//     both end up with the same key.
// L3  No key is lost while a row needs it: a rotation keeps the new one beside the old until every
//     row is sealed with the new one, and one that was cut short is finished by the next.

import { link, mkdir, open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { syncFolder } from "../journal/tlog/durable-folder.ts";
import type { Platform } from "../platform/clock.ts";
import { KEY_BYTES, type SecretKey, secretKey } from "./key.ts";

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
  const file = await open(path, "r").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
  if (file === undefined) return undefined;
  try {
    const { mode } = await file.stat();
    if ((mode & 0o077) !== 0) {
      const octal = (mode & 0o777).toString(8);
      throw new Error(`the key file ${path} is open to others (mode ${octal}): chmod 600 it`);
    }
    const bytes = await file.readFile();
    if (bytes.length !== KEY_BYTES)
      throw new Error(`the key file ${path} has ${bytes.length} bytes, and a key has ${KEY_BYTES}`);
    return secretKey(bytes);
  } finally {
    await file.close();
  }
}

async function create(path: string, platform: Platform): Promise<SecretKey> {
  const key = secretKey(platform.bytes(KEY_BYTES));
  const draft = `${path}.${Buffer.from(platform.bytes(12)).toString("hex")}`;
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const file = await open(draft, "wx", 0o600);
  try {
    await file.writeFile(key.bytes);
    await file.sync();
    await link(draft, path);
    await syncFolder(dirname(path));
    return key;
  } catch (error) {
    const other = (error as NodeJS.ErrnoException).code === "EEXIST" && (await load(path));
    if (other) return other;
    throw error;
  } finally {
    await file.close();
    await rm(draft, { force: true });
  }
}
