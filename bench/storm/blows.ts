// Blows: what happens to the daemon, its store and its disk during the storm. Each leaves the daemon up again.

import { randomInt } from "node:crypto";
import { closeSync, existsSync, openSync, readSync, rmSync, statSync, writeSync } from "node:fs";
import { join } from "node:path";
import { aos, killDaemon, mustAos, pause, type World } from "./world.ts";

const TORN_BYTES = 64;
const LEAST_LOG = 256 * 1024;
const LONGEST_WAIT_MS = 60_000;

/** Starts the daemon and waits until it says that it is ready. */
export async function up(world: World): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    const { code, stderr } = await aos(world, "up", "-d");
    if (code === 0) return;
    if (attempt === 20) throw new Error(`the daemon does not start: ${stderr}`);
    await pause(500);
  }
}

/** `kill -9` in the midst of work, and a start. */
export async function killAndStart(world: World): Promise<void> {
  await pause(randomInt(800, 4000));
  await killDaemon(world);
  await up(world);
}

/** 64 bytes of the write-ahead log are flipped while the daemon is dead: SQLite drops what follows them. */
export async function tearLog(world: World): Promise<{ offset: number; size: number }> {
  const file = join(world.home, "aos.db-wal");
  const sizeOf = () => (existsSync(file) ? statSync(file).size : 0);
  // It begins anew with every start: what is torn should be work, not the start alone.
  for (const until = Date.now() + LONGEST_WAIT_MS; sizeOf() < LEAST_LOG && Date.now() < until;)
    await pause(100);
  await killDaemon(world);
  const size = sizeOf();
  const offset = Math.floor(size / 2);
  if (size > 2 * TORN_BYTES) flip(file, offset);
  await up(world);
  return { offset, size };
}

function flip(file: string, offset: number): void {
  const fd = openSync(file, "r+");
  const bytes = Buffer.alloc(TORN_BYTES);
  readSync(fd, bytes, 0, TORN_BYTES, offset);
  for (let at = 0; at < TORN_BYTES; at++) bytes[at]! ^= 0xff;
  writeSync(fd, bytes, 0, TORN_BYTES, offset);
  closeSync(fd);
}

/** Fills the disk of the home for a while, and gives the room back. */
export async function fillDisk(world: World, forMs: number): Promise<{ saidFull: boolean }> {
  const balloon = join(world.home, "balloon");
  const fd = openSync(balloon, "w");
  const block = Buffer.alloc(64 * 1024, 1);
  try {
    for (;;) writeSync(fd, block);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
  } finally {
    closeSync(fd);
  }
  let saidFull = false;
  for (const until = Date.now() + forMs; Date.now() < until;) {
    saidFull ||= (await readiness(world)) === 503;
    await pause(200);
  }
  rmSync(balloon);
  for (const until = Date.now() + 120_000; (await readiness(world)) !== 200; await pause(500))
    if (Date.now() > until) throw new Error("the daemon did not recover from a full disk");
  return { saidFull };
}

export async function readiness({ url }: World): Promise<number | undefined> {
  try {
    return (await fetch(`${url}/readyz`)).status;
  } catch {
    return undefined; // nobody listens
  }
}

/** Another version takes the home over, in the midst of work. */
export async function upgrade(world: World, checkout: string): Promise<void> {
  await killDaemon(world);
  world.checkout = checkout;
  await up(world);
}

/** What the kernel holds because its store went backwards goes on, with what it may have done in doubt. */
export async function acceptDamage(world: World): Promise<{ held: number; saidSo: boolean }> {
  const saidSo = (await readiness(world)) === 503;
  const { stdout } = await aos(world, "store", "-o", "json");
  const { ok, held } = JSON.parse(stdout) as { ok: boolean; held: readonly unknown[] };
  if (!ok) await mustAos(world, "store", "accept", "--yes");
  return { held: held.length, saidSo };
}
