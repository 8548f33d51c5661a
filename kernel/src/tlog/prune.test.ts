import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { DurableFolder } from "./durable-folder.ts";
import { TransparencyLog } from "./log.ts";
import {
  collect,
  entriesBetween,
  filesIn,
  finishes,
  publishedLog,
  readAll,
} from "../../../tests/helpers/kernel/tlog.ts";
import { verifyLog } from "./verify-log.ts";

const bundles = async (folder: string) =>
  (await filesIn(folder)).filter((file) => file.startsWith("tile/entries"));

test("pruning deletes the bundles wholly below the index, and no hash", async () => {
  const { folder, signer, log } = await publishedLog(1000);
  const tiles = (await filesIn(folder)).filter((file) => /^tile\/\d/u.test(file));

  await log.prune(700);

  expect(await bundles(folder)).toEqual(["tile/entries/002", "tile/entries/003.p/232"]);
  expect((await filesIn(folder)).filter((file) => /^tile\/\d/u.test(file))).toEqual(tiles);
  expect(log.minimumIndex).toBe(512);
  expect(await readAll(log)).toEqual(entriesBetween(512, 1000));
  expect(await verifyLog(folder, signer.verifierKey)).toEqual([]);
});

test("a pruned log goes on, proves its old entries, and stays pruned when reopened", async () => {
  const { folder, signer, log } = await publishedLog(600);
  const proof = await log.inclusionProof(3, 600);
  await log.prune(600);
  await log.close();

  const reopened = await TransparencyLog.open(folder, signer);
  reopened.append(entriesBetween(600, 900));
  await reopened.publish();

  expect(await reopened.inclusionProof(3, 600)).toEqual(proof);
  expect(await readAll(reopened, 5)).toEqual(entriesBetween(512, 900));
  expect(await verifyLog(folder, signer.verifierKey)).toEqual([]);
});

test("the minimum index never falls, and never passes the signed head", async () => {
  const { log } = await publishedLog(600);

  await log.prune(600);
  await log.prune(256);

  expect(log.minimumIndex).toBe(512);
  await expect(log.prune(601)).rejects.toThrow(RangeError);
  await expect(log.prune(-1)).rejects.toThrow(RangeError);
});

test("the hashes of pruned entries are still checked", async () => {
  const { folder, signer, log } = await publishedLog(600);
  await log.prune(512);
  const tile = await readFile(join(folder, "tile/0/000"));
  await writeFile(join(folder, "tile/0/000"), tile.with(77, tile[77]! ^ 4));

  const findings = await verifyLog(folder, signer.verifierKey);

  expect(findings.map(({ file }) => file)).toEqual(["tile/0/000"]);
});

test("a bundle deleted without the signed word of the log is a finding", async () => {
  const { folder, signer, log } = await publishedLog(600);
  await log.prune(256);
  const note = await readFile(join(folder, "pruned"), "utf8");
  await rm(join(folder, "tile/entries/001"));
  await writeFile(join(folder, "pruned"), note.replace("\n256\n", "\n512\n"));

  const findings = await verifyLog(folder, signer.verifierKey);

  expect(findings.map(({ file }) => file)).toEqual([
    "pruned",
    "tile/entries/000",
    "tile/entries/001",
  ]);
  await expect(TransparencyLog.open(folder, signer)).rejects.toThrow(
    "pruned has a false signature",
  );
});

test("a reader overtaken by pruning goes on at what is kept", async () => {
  const { log } = await publishedLog(1000);
  const reader = log.entries();
  await reader.next();

  await log.prune(1000);

  const rest = await collect(reader);
  expect(rest.map(({ index }) => index)).toEqual(
    [...Array(1000).keys()].filter((index) => (index > 0 && index < 256) || index >= 768),
  );
});

test("a crash at any step of pruning leaves a sound log, and reopening finishes it (LEFTOVERS-2)", async () => {
  for (let crashAt = 0, crashed = true; crashed; crashAt += 1) {
    const { folder, signer, log } = await publishedLog(1100);
    await log.close();
    let steps = 0;
    const disk = new DurableFolder(folder, () => {
      if (steps++ === crashAt) throw new Error("crash");
    });
    const pruning = TransparencyLog.open(folder, signer, disk).then((log) => log.prune(1024));
    crashed = !(await finishes(pruning));

    expect(await verifyLog(folder, signer.verifierKey)).toEqual([]);
    const { minimumIndex } = await TransparencyLog.open(folder, signer);
    expect(await bundles(folder)).toHaveLength(minimumIndex === 1024 ? 1 : 5);
    if (!crashed) expect(crashAt).toBeGreaterThan(5);
  }
});
