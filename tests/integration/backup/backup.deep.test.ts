import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { homeFiles, homeOf, migrateHome } from "@aos/daemon/parts";
import { expect, onTestFinished, test } from "vitest";
import { backUpTo, kernelOn, greet, newFolder, restoreTo, usedHome } from "./backup-home.ts";

test("BACKUP-3, ONLINE-BACKUP-1: what was acknowledged before the end of a backup is in it, and every run replays", async () => {
  const { home, kernel } = await usedHome(1);
  const acknowledged: { pid: string; at: number }[] = [];
  const over = new AbortController();
  const load = Promise.all(
    Array.from({ length: 4 }, async (_, n) => {
      while (!over.signal.aborted) {
        const pid = await greet(kernel, `load ${n}`);
        acknowledged.push({ pid, at: Date.now() });
        await kernel.wait(pid);
        await sleep(20); // there is load, and not more than can be replayed in a moment
      }
    }),
  );
  await expect.poll(() => acknowledged.length).toBeGreaterThan(4);

  const folder = newFolder();
  const report = await backUpTo(kernel, home, join(folder, "b"));
  over.abort();
  await load;
  const restored = await restoreTo(join(folder, "home"), join(folder, "b"));

  const before = acknowledged.filter(({ at }) => at < Date.parse(report.endedAt));
  const there = await kernelOn(homeOf({ AOS_HOME: join(folder, "home") }));
  for (const { pid } of before) expect((await there.show(pid)).pid).toBe(pid);
  expect(before.length).toBeGreaterThan(4);
  expect(restored).toMatchObject({ findings: [], different: [], notReplayed: [] });
  expect(restored.identical).toBe(restored.processes);
});

test("a restored home has its journals, its settings, its secrets and its workspaces", async () => {
  const { home, kernel, pids } = await usedHome();
  writeFileSync(join(home.folder, "policy.yaml"), "rules: []\n");
  mkdirSync(join(home.work, "a/empty"), { recursive: true });
  writeFileSync(join(home.work, "a/notes.txt"), "notes");
  symlinkSync("/etc", join(home.work, "a/etc"));
  await kernel.setSecret({ name: "TOKEN", value: "a-secret-value", bindings: [] }, "test");
  const folder = newFolder();

  const { skipped } = await backUpTo(kernel, home, join(folder, "b"));
  await restoreTo(join(folder, "home"), join(folder, "b"));

  const there = homeOf({ AOS_HOME: join(folder, "home") });
  expect(readFileSync(join(there.folder, "policy.yaml"), "utf8")).toBe("rules: []\n");
  expect(readFileSync(join(there.work, "a/notes.txt"), "utf8")).toBe("notes");
  expect(existsSync(join(there.work, "a/empty"))).toBe(true);
  expect(existsSync(join(there.work, "a/etc"))).toBe(false);
  expect(skipped).toBe(1);
  const other = await kernelOn(there);
  expect((await other.secrets()).map(({ name }) => name)).toEqual(["TOKEN"]);
  expect(await other.verify()).toMatchObject({ ok: true });
  for (const pid of pids) expect(await other.journal(pid)).toEqual(await kernel.journal(pid));
});

test("HOME-FILES-2: no name or mode of a file in a workspace stops a backup", async () => {
  const { home, kernel } = await usedHome(1);
  const work = join(home.work, "a");
  mkdirSync(work, { recursive: true });
  const names = ["back\\slash", "new\nline", "\u001b[2J", "..."];
  for (const name of names) writeFileSync(join(work, name), name);
  writeFileSync(Buffer.concat([Buffer.from(`${work}/`), Buffer.from([0xff, 0xfe])]), "no text");
  mkdirSync(join(work, "closed"), { mode: 0 });
  onTestFinished(() => chmodSync(join(work, "closed"), 0o700));
  const folder = newFolder();

  const { skipped } = await backUpTo(kernel, home, join(folder, "b"));
  await restoreTo(join(folder, "home"), join(folder, "b"));

  const there = join(homeOf({ AOS_HOME: join(folder, "home") }).work, "a");
  for (const name of names) expect(readFileSync(join(there, name), "utf8")).toBe(name);
  expect(skipped).toBe(process.getuid?.() === 0 ? 1 : 2); // root reads a closed folder
});

test("HOME-FILES-2: a file that grows without end is read to the length that it had", async () => {
  const { home, kernel } = await usedHome(1);
  mkdirSync(join(home.work, "a"), { recursive: true });
  const file = join(home.work, "a/log");
  writeFileSync(file, "begin");
  const read: string[] = [];

  for await (const { content } of homeFiles(home, "workspaces", "").files) {
    appendFileSync(file, " and more");
    for await (const piece of content) {
      read.push(Buffer.from(piece).toString());
      appendFileSync(file, " and more");
    }
  }

  await kernel.close();
  expect(read.join("")).toMatch(/^begin( and more)?$/);
});

test("BACKUP-1: nothing of a home can be read in the file, which is its owner's alone", async () => {
  const { home, kernel, pids } = await usedHome(1);
  const file = join(newFolder(), "b");

  await backUpTo(kernel, home, file);

  const bytes = readFileSync(file);
  const key = readFileSync(home.secretKey);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  for (const secret of [
    key,
    Buffer.from("PRIVATE KEY"),
    Buffer.from(pids[0]!),
    Buffer.from("echo"),
  ])
    expect(bytes.includes(secret)).toBe(false);
});

test("BACKUP-2: another file is never replaced, and a backup that fails leaves nothing", async () => {
  const { home, kernel } = await usedHome(1);
  const folder = newFolder();
  writeFileSync(join(folder, "there"), "mine");

  await expect(backUpTo(kernel, home, join(folder, "there"))).rejects.toMatchObject({
    code: "EEXIST",
  });
  await expect(backUpTo(kernel, home, join(folder, "no/b"))).rejects.toMatchObject({
    code: "EINVAL",
  });

  expect(readFileSync(join(folder, "there"), "utf8")).toBe("mine");
  expect(readdirSync(folder)).toEqual(["there"]);
});

test("RESTORE-1, RESTORE-2: a home that has runs is refused, and so is whatever is no whole backup; nothing is left", async () => {
  const { home, kernel } = await usedHome(1);
  const folder = newFolder();
  const file = join(folder, "b");
  await backUpTo(kernel, home, file);
  await kernel.close();
  const whole = readFileSync(file);
  const changed = (name: string, bytes: Buffer) => {
    writeFileSync(join(folder, name), bytes);
    return join(folder, name);
  };
  const flipped = Buffer.from(whole);
  flipped[whole.length - 500]! ^= 1;
  const newer = Buffer.from(
    whole.toString("latin1").replace(/"schema":\d+/, '"schema":999'),
    "latin1",
  );
  const bad: [string, object, RegExp][] = [
    [changed("empty", Buffer.alloc(0)), {}, /not an Agent OS backup/],
    [changed("foreign", Buffer.from("PK\u0003\u0004 and so on")), {}, /not an Agent OS backup/],
    [changed("cut", whole.subarray(0, whole.length - 100)), {}, /not whole/],
    [changed("header", whole.subarray(0, 30)), {}, /not whole/],
    [changed("flipped", flipped), {}, /was changed/],
    [changed("more", Buffer.concat([whole, whole.subarray(-300)])), {}, /changed|not whole/],
    [changed("newer", newer), {}, /schema 999/],
    [file, { passphrase: "another passphrase" }, /passphrase does not open/],
    [join(folder, "nothing"), {}, /cannot be read/],
  ];

  for (const [given, more, words] of bad)
    await expect(restoreTo(join(folder, "home"), given, more)).rejects.toThrow(words);
  await expect(restoreTo(home.folder, file)).rejects.toThrow(/has 1 runs/);

  expect(readdirSync(folder).filter((name) => name.startsWith("home"))).toEqual([]);
});

test("RESTORE-3: what an audit finds wrong is not restored, unless that is asked for", async () => {
  const { home, kernel, pids } = await usedHome(2);
  await kernel.close();
  const { DatabaseSync } = await import("node:sqlite");
  const database = new DatabaseSync(home.database);
  database.exec("update journal set record = replace(record, 'hello 1', 'hello 7')");
  database.close();
  const folder = newFolder();
  const other = await kernelOn(home, { onTrouble: () => {} });
  await backUpTo(other, home, join(folder, "b"));

  const refused = restoreTo(join(folder, "home"), join(folder, "b"));

  await expect(refused).rejects.toMatchObject({ code: "ECORRUPT" });
  expect(existsSync(join(folder, "home"))).toBe(false);
  const forced = await restoreTo(join(folder, "home"), join(folder, "b"), { force: true });
  expect(forced.findings.some(({ pid }) => pid === pids[1])).toBe(true);
});

test("a migration without a server, or to where it is already, says so and changes nothing", async () => {
  const { home, kernel } = await usedHome(1);
  await kernel.close();
  const tell = () => {};

  const nowhere = migrateHome(home, { to: "mysql://x" }, {}, tell);
  const already = migrateHome(home, { to: "sqlite" }, {}, tell);
  already.catch(() => {}); // it is waited for below
  const silent = migrateHome(home, { to: "postgres://a:b@127.0.0.1:1/c" }, {}, tell);
  silent.catch(() => {}); // it is waited for below

  await expect(nowhere).rejects.toMatchObject({ code: "EINVAL" });
  await expect(already).rejects.toThrow(/on SQLite already/);
  await expect(silent).rejects.toMatchObject({ code: "ESTORE" });
  expect(existsSync(home.database)).toBe(true);
});
