import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { TokenRegistry } from "./tokens.ts";

let folder: string;
let file: string;
let nowMs: number;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "aos-tokens-"));
  file = join(folder, "tokens.json");
  nowMs = 1_000_000;
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const open = () => new TokenRegistry({ file, now: () => nowMs });

test("GATEWAY-TOKENS-1: a token says who has it, and the file has no token and is its owner's", () => {
  const book = open();
  const { token, id } = book.create({ role: "approver", tenant: "a", name: "alice" });

  expect(token).toMatch(/^aost_[\w-]{43}$/);
  expect(book.callerOf(token)).toMatchObject({ role: "approver", tenant: "a", name: "alice", id });
  expect(readFileSync(file, "utf8")).not.toContain(token);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(JSON.stringify(book.list())).not.toContain(token);
});

test("tokens and sessions are there after a restart, and revocations too", () => {
  const book = open();
  const [kept, fallen] = [book.create({ role: "viewer" }), book.create({ role: "viewer" })];
  const { secret } = book.openSession(book.callerOf(kept.token)!);
  book.revoke(fallen.id);

  const next = open();

  expect(next.callerOf(kept.token)).toMatchObject({ id: kept.id });
  expect(next.callerOf(secret)).toMatchObject({ id: kept.id });
  expect(next.callerOf(fallen.token)).toBeUndefined();
});

test("GATEWAY-TOKENS-2: a session falls with its token, and is over no later than it", () => {
  const book = open();
  const { id, token } = book.create({ role: "viewer", expiresInMs: 1000 });
  const { secret, maxAgeMs } = book.openSession(book.callerOf(token)!);
  expect(maxAgeMs).toBe(1000);

  expect(book.revoke(id)).toEqual({ id, sessions: 1 });

  expect(book.callerOf(secret)).toBeUndefined();
  expect(book.list()).toEqual([]);
});

test("what is over is nobody, and is in no list", () => {
  const book = open();
  const { token } = book.create({ role: "viewer", expiresInMs: 1000 });

  nowMs += 1000;

  expect(book.callerOf(token)).toBeUndefined();
  expect(book.list()).toEqual([]);
});

test("GATEWAY-TOKENS-3: a login key counts once, for minutes, and only while its asker is somebody", () => {
  const book = open();
  const asker = { role: "operator", tenant: null, name: "me", id: "user:me" } as const;
  const [used, old] = [book.loginKey(asker).key, book.loginKey(asker).key];
  const { id, token } = book.create({ role: "viewer" });
  const orphan = book.loginKey(book.callerOf(token)!).key;

  expect(book.redeem(used)).toEqual(asker);
  expect(book.redeem(used)).toBeUndefined();
  book.revoke(id);
  expect(book.redeem(orphan)).toBeUndefined();
  nowMs += 5 * 60 * 1000;
  expect(book.redeem(old)).toBeUndefined();
});

test("GATEWAY-TOKENS-4: who is revoked is told to go", () => {
  const book = open();
  const { id, token } = book.create({ role: "viewer" });
  const { gone } = book.callerOf(token)!;
  expect(gone.aborted).toBe(false);

  book.revoke(id);

  expect(gone.aborted).toBe(true);
});

test("a token has so many sessions and no more; the oldest go", () => {
  const book = open();
  const caller = book.callerOf(book.create({ role: "viewer" }).token)!;
  const sessions = Array.from({ length: 101 }, () => book.openSession(caller).secret);

  expect(book.callerOf(sessions[0]!)).toBeUndefined();
  expect(book.callerOf(sessions[1]!)).toBeDefined();
  expect(book.list()).toHaveLength(101);
});

test("TOKEN-FILE-1: a file that cannot be read is a failure, not an empty one", () => {
  writeFileSync(file, "{");

  expect(open).toThrow(expect.objectContaining({ code: "ECORRUPT" }));
});
