import { writeFile } from "node:fs/promises";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, inject, test } from "vitest";
import { DurableFolder } from "./durable-folder.ts";
import type { FolderStep } from "./durable-folder.ts";
import { TransparencyLog } from "./log.ts";
import {
  entriesBetween,
  entryNumber,
  filesIn,
  finishes,
  publishedLog,
  readAll,
  temporaryFolder,
  temporarySigner,
} from "../../../tests/helpers/kernel/tlog.ts";
import { verifyLog } from "./verify-log.ts";

// Crashes before step number `crashAt`. A file that was being written is left half written, and
// nothing after the crash reaches the disk.
function crashingDisk(folder: string, crashAt: number): DurableFolder {
  let steps = 0;
  return new DurableFolder(folder, ({ act, path }) => {
    steps += 1;
    if (steps <= crashAt) return;
    if (act === "write" && steps === crashAt + 1) writeFileSync(join(folder, path), "torn");
    throw new Error("crash");
  });
}

// Each of them at every step; the last has many, which are for `npm run test:deep`.
const growths = [
  [0, 1],
  [1, 2],
  [255, 257],
  ...(inject("isDeep")
    ? [
        [255, 256],
        [250, 1100],
      ]
    : []),
] as [number, number][];

test.each(growths)(
  "a crash at any step from %i to %i leaves the old log or the new one, and it goes on (TLOG-LOG-1)",
  async (before, after) => {
    for (let crashAt = 0, done = false; !done; crashAt += 1) {
      const { folder, signer, log } = await publishedLog(before);
      await log.close();
      const doomed = await TransparencyLog.open(folder, signer, crashingDisk(folder, crashAt));
      doomed.append(Array.from({ length: after - before }, () => Buffer.from("lost")));
      done = await finishes(doomed.publish());

      expect(await verifyLog(folder, signer.verifierKey)).toEqual([]);
      const reopened = await TransparencyLog.open(folder, signer);
      expect([before, after]).toContain(reopened.size);

      // Other entries than those that were lost, so that nothing of the crash may shine through.
      const kept = await readAll(reopened);
      reopened.append(entriesBetween(kept.length, after + 3));
      await reopened.publish();
      expect(await verifyLog(folder, signer.verifierKey)).toEqual([]);
      expect(await readAll(reopened)).toEqual([...kept, ...entriesBetween(kept.length, after + 3)]);
      if (done) expect(crashAt).toBeGreaterThan(6);
    }
  },
);

test("a crash at any step of the first opening leaves a folder that opens", async () => {
  for (let crashAt = 0, done = false; !done; crashAt += 1) {
    const [folder, signer] = [await temporaryFolder(), await temporarySigner()];
    done = await finishes(TransparencyLog.open(folder, signer, crashingDisk(folder, crashAt)));

    const log = await TransparencyLog.open(folder, signer);

    expect(log.size).toBe(0);
    expect(await verifyLog(folder, signer.verifierKey)).toEqual([]);
  }
});

test("a publish that failed loses nothing: the next one of the same log takes all along (TLOG-LOG-3)", async () => {
  for (let failAt = 0, done = false; !done; failAt += 1) {
    const { folder, signer, log } = await publishedLog(250);
    await log.close();
    let [steps, room] = [0, false];
    const disk = new DurableFolder(folder, () => {
      if (steps++ >= failAt && !room) throw new Error("disk full");
    });
    const failing = await TransparencyLog.open(folder, signer, disk);
    failing.append(entriesBetween(250, 600));
    done = await finishes(failing.publish());

    room = true;
    failing.append([entryNumber(600)]);
    await failing.publish();

    expect(await readAll(failing)).toEqual(entriesBetween(0, 601));
    expect(await verifyLog(folder, signer.verifierKey)).toEqual([]);
  }
});

test("every tile is on disk, and so is its name, before the checkpoint is replaced (TLOG-LOG-1, DURABLE-FOLDER-2)", async () => {
  const { folder, signer, log } = await publishedLog(250);
  await log.close();
  const steps: FolderStep[] = [];
  const disk = new DurableFolder(folder, (step) => steps.push(step));
  const watched = await TransparencyLog.open(folder, signer, disk);
  watched.append(entriesBetween(250, 600));
  await watched.publish();

  const acts = steps.map(({ act, path }) => `${act} ${path}`);
  const head = acts.indexOf("rename checkpoint");
  const lastTile = acts.findLastIndex((act) => act.startsWith("rename tile/"));
  const synced = acts.slice(lastTile, head).filter((act) => act.startsWith("sync"));
  expect(lastTile).toBeLessThan(head);
  expect(synced.sort()).toEqual([
    "sync .",
    "sync tile",
    "sync tile/0",
    "sync tile/0/002.p",
    "sync tile/1",
    "sync tile/1/000.p",
    "sync tile/entries",
    "sync tile/entries/002.p",
  ]);
  expect(acts.findIndex((act) => act.startsWith("remove"))).toBeGreaterThan(head);
  expect(acts.slice(head + 1)).toContain("sync .");
});

test("partial tiles that a crash left behind are gone after reopening (LEFTOVERS-1)", async () => {
  const { folder, signer, log } = await publishedLog(600);
  await log.close();
  const files = await filesIn(folder);
  const crashed = new DurableFolder(folder);
  for (const stray of [
    "tile/0/001.p/7",
    "tile/0/002.p/99",
    "tile/entries/000.p/9",
    "tile/0/003.p/1",
  ]) {
    await crashed.write(stray, Buffer.from("stray"));
  }
  await writeFile(join(folder, "tile/1/000.p/3.tmp"), "torn");

  await TransparencyLog.open(folder, signer);

  expect(await filesIn(folder)).toEqual(files);
});
