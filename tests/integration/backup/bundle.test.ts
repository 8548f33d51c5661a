import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { homeOf, importBundle, importedRuns, replayFrom } from "@aos/daemon/parts";
import { expect, test } from "vitest";
import { exportTo, greet, kernelOn, newFolder, usedHome } from "./backup-home.ts";

const silent = () => {};

test("RUN-ROWS-1: runs that are exported replay byte for byte on another machine, and nothing of them runs there", async () => {
  const { home, kernel, pids } = await usedHome(2);
  const fork = await kernel.fork(pids[0]!, { at: 4 });
  await kernel.wait(fork);
  const folder = newFolder();
  const file = join(folder, "runs.bundle");
  const other = homeOf({ AOS_HOME: join(folder, "other") });

  const report = await exportTo(kernel, home, file, { agent: "hello" });
  const imported = await importBundle(other, file, {}, silent);

  expect(report).toMatchObject({ runs: 3, file });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(imported.runs.map(({ pid }) => pid).toSorted()).toEqual([...pids, fork].toSorted());
  expect(imported.runs.every(({ replay }) => replay === "identical")).toBe(true);
  const again = await replayFrom(other, { pid: fork }, {}, silent);
  expect(again.runs).toMatchObject([{ pid: fork, replay: "identical" }]);
  const there = await kernelOn(other);
  expect(await there.list()).toEqual([]);
  await expect(there.signal(pids[0]!, "SIGCONT")).rejects.toMatchObject({ code: "ENOENT" });
  await expect(there.fork(pids[0]!)).rejects.toMatchObject({ code: "ENOENT" });
  expect((await importedRuns(other)).length).toBe(3);
});

test("RUN-ROWS-2: a run is exported with its tree, and nothing of others is in the file", async () => {
  const { home, kernel, pids } = await usedHome(1);
  const secret = await greet(kernel, "of somebody else");
  await kernel.wait(secret);
  await kernel.setSecret({ name: "TOKEN", value: "a-secret-value", bindings: [] }, "test");
  const folder = newFolder();
  const file = join(folder, "b");

  await exportTo(kernel, home, file, { pid: pids[0]! });

  const bytes = readFileSync(file);
  const start = bytes.indexOf("\n", bytes.indexOf("\n") + 1) + 1;
  const inside = gunzipSync(bytes.subarray(start));
  expect(inside.includes(pids[0]!)).toBe(true);
  for (const foreign of [secret, "of somebody else", "TOKEN", "PRIVATE KEY"])
    expect(inside.includes(foreign)).toBe(false);
});

test("BUNDLE-1: a bundle that was changed, cut or is something else is refused, and nothing is imported", async () => {
  const { home, kernel, pids } = await usedHome(1);
  const folder = newFolder();
  const file = join(folder, "b");
  await exportTo(kernel, home, file, { pid: pids[0]! });
  const whole = readFileSync(file);
  const start = whole.indexOf("\n", whole.indexOf("\n") + 1) + 1;
  const put = (name: string, bytes: Buffer) => {
    writeFileSync(join(folder, name), bytes);
    return join(folder, name);
  };
  const inside = gunzipSync(whole.subarray(start)).toString("latin1");
  const rewritten = (from: string, to: string) =>
    Buffer.concat([
      whole.subarray(0, start),
      gzipSync(Buffer.from(inside.replaceAll(from, to), "latin1")),
    ]);
  const bad = [
    put("record", rewritten("hello 0", "hello 9")),
    put("manifest", rewritten('"runs": 1', '"runs": 2')),
    put("header", Buffer.from(whole.toString("latin1").replace('"runs":1', '"runs":2'), "latin1")),
    put("cut", whole.subarray(0, whole.length - 50)),
    put("foreign", Buffer.from("something else")),
  ];
  const other = homeOf({ AOS_HOME: join(folder, "other") });

  for (const given of bad)
    await expect(importBundle(other, given, {}, silent)).rejects.toMatchObject({ code: "EINVAL" });

  expect(existsSync(other.imports)).toBe(false);
  expect(readdirSync(other.folder)).toEqual([]);
  await importBundle(other, file, {}, silent);
  await expect(importBundle(other, file, {}, silent)).rejects.toMatchObject({ code: "EEXIST" });
});

test("a run that is not there, and a file that is there, are refused", async () => {
  const { home, kernel, pids } = await usedHome(1);
  const folder = newFolder();
  writeFileSync(join(folder, "mine"), "mine");

  const nobody = exportTo(kernel, home, join(folder, "b"), { agent: "nobody" });
  const taken = exportTo(kernel, home, join(folder, "mine"), { pid: pids[0]! });
  taken.catch(() => {}); // it is waited for below

  await expect(nobody).rejects.toMatchObject({ code: "ENOENT" });
  await expect(taken).rejects.toMatchObject({ code: "EEXIST" });
  expect(readdirSync(folder)).toEqual(["mine"]);
});
