import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { TransparencyLog } from "./log.ts";
import {
  collect,
  entriesBetween,
  entryNumber,
  filesIn,
  LOG_NAME,
  naiveRoot,
  publishedLog,
  readAll,
  temporaryFolder,
  temporarySigner,
} from "../../../tests/helpers/kernel/tlog.ts";
import { verifyLog } from "./verify-log.ts";

const edgeSizes = [0, 1, 2, 255, 256, 257, 511, 512, 513];

test.each(edgeSizes)(
  "a log of %i entries is sound, and reads back after reopening",
  async (size) => {
    const { folder, signer, log } = await publishedLog(size);
    await log.close();

    const reopened = await TransparencyLog.open(folder, signer);

    expect(reopened.size).toBe(size);
    expect(await readAll(reopened)).toEqual(entriesBetween(0, size));
    expect(Buffer.from(reopened.root)).toEqual(naiveRoot(entriesBetween(0, size)));
    expect(await verifyLog(folder, signer.verifierKey)).toEqual([]);
  },
);

test("after each publish the folder holds the files of that tree and no others", async () => {
  const { folder, log } = await publishedLog();
  const expected: [number, string[]][] = [
    [0, []],
    [1, ["tile/0/000.p/1", "tile/entries/000.p/1"]],
    [255, ["tile/0/000.p/255", "tile/entries/000.p/255"]],
    [256, ["tile/0/000", "tile/1/000.p/1", "tile/entries/000"]],
    [
      257,
      [
        "tile/0/000",
        "tile/0/001.p/1",
        "tile/1/000.p/1",
        "tile/entries/000",
        "tile/entries/001.p/1",
      ],
    ],
    [512, ["tile/0/000", "tile/0/001", "tile/1/000.p/2", "tile/entries/000", "tile/entries/001"]],
  ];
  for (const [size, files] of expected) {
    log.append(entriesBetween(log.size, size));
    await log.publish();

    expect(await filesIn(folder)).toEqual(["checkpoint", ...files]);
  }
});

test("the checkpoint is a signed note of origin, size and root", async () => {
  const { folder } = await publishedLog(3);
  const root = naiveRoot(entriesBetween(0, 3)).toString("base64");

  const note = await readFile(join(folder, "checkpoint"), "utf8");

  expect(note.startsWith(`${LOG_NAME}\n3\n${root}\n\n— ${LOG_NAME} `)).toBe(true);
});

test("entries that wait are not in the log until they are published", async () => {
  const { log } = await publishedLog(2);

  log.append(entriesBetween(2, 5));

  expect([log.size, log.pending]).toEqual([2, 3]);
  expect(await readAll(log)).toEqual(entriesBetween(0, 2));
  await log.publish();
  expect([log.size, log.pending]).toEqual([5, 0]);
  expect(await readAll(log, 3)).toEqual(entriesBetween(3, 5));
});

test("publishing nothing new changes nothing", async () => {
  const { folder, log } = await publishedLog(2);
  await rm(join(folder, "checkpoint"));

  await log.publish();

  expect(await filesIn(folder)).not.toContain("checkpoint");
});

test("entries appended during a publish wait for the next one, in order (TLOG-LOG-3)", async () => {
  const { folder, signer, log } = await publishedLog();
  log.append(entriesBetween(0, 300));

  const publishing = [log.publish()];
  await Promise.resolve();
  log.append(entriesBetween(300, 301));
  publishing.push(log.publish(), log.publish());
  await Promise.all(publishing);

  expect(await readAll(log)).toEqual(entriesBetween(0, 301));
  expect(await verifyLog(folder, signer.verifierKey)).toEqual([]);
});

test("a reader that began before a publish reads to the head it began with", async () => {
  const { log } = await publishedLog(300);
  const reader = log.entries();
  await reader.next();

  log.append(entriesBetween(300, 600));
  await log.publish();

  expect(await collect(reader)).toHaveLength(299);
});

test("closing publishes what waits, and nothing can be appended after", async () => {
  const { folder, signer, log } = await publishedLog();
  log.append([entryNumber(0)]);

  await log.close();

  expect((await TransparencyLog.open(folder, signer)).size).toBe(1);
  expect(() => log.append([entryNumber(1)])).toThrow("is closed");
  await expect(log.publish()).rejects.toThrow("is closed");
});

test("the longest entry is kept whole, and a longer one is refused with all that came along", async () => {
  const { log } = await publishedLog();
  const longest = Buffer.alloc(65_535, 1);

  log.append([longest, Buffer.alloc(0)]);
  await log.publish();

  expect(() => log.append([entryNumber(1), Buffer.alloc(65_536)])).toThrow("65535 is the most");
  expect(log.pending).toBe(0);
  expect(await readAll(log)).toEqual([longest, Buffer.alloc(0)]);
});

test("what the caller does to its buffers, or to what it read, does not reach the log", async () => {
  const { folder, signer, log } = await publishedLog();
  const mine = Buffer.from("before");

  log.append([mine]);
  mine.fill(0);
  await log.publish();
  for await (const { data } of log.entries()) data.fill(0);
  log.append([entryNumber(1)]);
  await log.publish();

  expect(await readAll(log)).toEqual([Buffer.from("before"), entryNumber(1)]);
  expect(await verifyLog(folder, signer.verifierKey)).toEqual([]);
});

test("a log is not opened with another key, nor under another name", async () => {
  const { folder } = await publishedLog(1);

  for (const signer of [await temporarySigner(), await temporarySigner("example.com/other")]) {
    const opening = TransparencyLog.open(folder, signer);
    await expect(opening).rejects.toThrow("checkpoint is not signed by the key");
  }
});

test("a log whose checkpoint was taken away is not begun anew (LOAD-LOG-1)", async () => {
  const { folder, signer } = await publishedLog(1);
  await rm(join(folder, "checkpoint"));

  const opening = TransparencyLog.open(folder, signer);

  await expect(opening).rejects.toThrow("checkpoint is missing");
});

test.each(["tile/0/001.p/3", "tile/1/000.p/1", "tile/entries/001.p/3"])(
  "a log is not opened when %s was changed, cut or taken away (LOAD-LOG-2)",
  async (file) => {
    const { folder, signer } = await publishedLog(259);
    const bytes = await readFile(join(folder, file));
    const opening = async () => await TransparencyLog.open(folder, signer);

    await writeFile(join(folder, file), bytes.with(10, bytes[10]! ^ 1));
    await expect(opening()).rejects.toThrow(file);
    await writeFile(join(folder, file), bytes.subarray(1));
    await expect(opening()).rejects.toThrow(file);
    await rm(join(folder, file));
    await expect(opening()).rejects.toThrow(`${file} is missing`);
  },
);

test("reading refuses a full tile or bundle that was changed, and names it (PROVEN-TILES-1)", async () => {
  for (const file of ["tile/0/000", "tile/entries/000"]) {
    const { folder, log } = await publishedLog(259);
    const bytes = await readFile(join(folder, file));
    await writeFile(join(folder, file), bytes.with(10, bytes[10]! ^ 1));

    await expect(readAll(log)).rejects.toThrow(file);
    expect(await readAll(log, 256)).toEqual(entriesBetween(256, 259));
  }
});

test("a log does not sign over a checkpoint that another wrote (TLOG-LOG-2)", async () => {
  const { folder, signer, log } = await publishedLog(1);
  const other = await TransparencyLog.open(folder, signer);
  other.append([Buffer.from("the other's")]);
  await other.publish();

  log.append([Buffer.from("ours")]);

  await expect(log.publish()).rejects.toThrow("was changed by someone else");
  expect(await verifyLog(folder, signer.verifierKey)).toEqual([]);
});

test("a folder that is not there is made", async () => {
  const folder = join(await temporaryFolder(), "a", "b");

  const log = await TransparencyLog.open(folder, await temporarySigner());

  expect(log.size).toBe(0);
  expect(await filesIn(folder)).toEqual(["checkpoint"]);
});
