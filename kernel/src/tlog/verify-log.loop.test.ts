import { cp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, inject, test } from "vitest";
import {
  entriesBetween,
  filesIn,
  publishedLog,
  temporaryFolder,
  temporarySigner,
} from "../../../tests/helpers/kernel/tlog.ts";
import { verifyLog } from "./verify-log.ts";

const ROUNDS = inject("isDeep") ? 100 : 20;

// Turns one bit of the last and of every `stride`-th byte of every file, one at a time.
async function flips(folder: string, key: string, stride: number): Promise<string[]> {
  const unnoticed: string[] = [];
  for (const file of await filesIn(folder)) {
    const bytes = await readFile(join(folder, file));
    for (const at of bytes.keys()) {
      if (at % stride !== 0 && at !== bytes.length - 1) continue;
      await writeFile(join(folder, file), bytes.with(at, bytes[at]! ^ (1 << (at % 8))));
      if ((await verifyLog(folder, key)).length === 0) unnoticed.push(`${file} byte ${at}`);
    }
    await writeFile(join(folder, file), bytes);
  }
  return unnoticed;
}

test("no byte of a small log can be changed unnoticed (VERIFY-LOG-1)", async () => {
  const { folder, signer } = await publishedLog(5);

  expect(await flips(folder, signer.verifierKey, 1)).toEqual([]);
  expect(await verifyLog(folder, signer.verifierKey)).toEqual([]);
});

test("no byte of a pruned log with several levels can be changed unnoticed (VERIFY-LOG-1)", async () => {
  const { folder, signer, log } = await publishedLog(771);
  await log.prune(256);

  expect(await flips(folder, signer.verifierKey, inject("isDeep") ? 37 : 499)).toEqual([]);
  expect(await verifyLog(folder, signer.verifierKey)).toEqual([]);
});

test("the file that was changed is the one that is named", async () => {
  const { folder, signer } = await publishedLog(771);
  for (const file of (await filesIn(folder)).filter((name) => name.startsWith("tile/"))) {
    const bytes = await readFile(join(folder, file));
    await writeFile(join(folder, file), bytes.with(9, bytes[9]! ^ 1));

    const findings = await verifyLog(folder, signer.verifierKey);

    const named = new Set(findings.map((finding) => finding.file));
    named.delete("checkpoint");
    expect([...named]).toEqual([file]);
    await writeFile(join(folder, file), bytes);
  }
});

test("a file taken away, cut or made longer is found and named", async () => {
  const { folder, signer } = await publishedLog(600);
  const files = await filesIn(folder);
  expect(files).toHaveLength(1 + 3 + 1 + 3);
  for (const file of files) {
    const bytes = await readFile(join(folder, file));
    const named = async () =>
      (await verifyLog(folder, signer.verifierKey)).map((finding) => finding.file);

    await writeFile(join(folder, file), Buffer.concat([bytes, Buffer.of(0)]));
    expect(await named()).toContain(file);
    await writeFile(join(folder, file), bytes.subarray(0, -1));
    expect(await named()).toContain(file);
    await rm(join(folder, file));
    expect(await named()).toContain(file);
    await writeFile(join(folder, file), bytes);
  }
});

test("damage in several places is found in all of them", async () => {
  const { folder, signer } = await publishedLog(1100);
  await rm(join(folder, "tile/1/000.p/4"));
  await rm(join(folder, "tile/entries/001"));
  await writeFile(join(folder, "tile/0/002"), "short");

  const findings = await verifyLog(folder, signer.verifierKey);

  expect(findings.map(({ file }) => file).sort()).toEqual([
    "tile/0/002",
    "tile/1/000.p/4",
    "tile/entries/001",
  ]);
});

test("a log cut back to an older tree under the new checkpoint is found", async () => {
  const { folder, signer, log } = await publishedLog(600);
  const older = await temporaryFolder();
  await cp(folder, older, { recursive: true });
  log.append(entriesBetween(600, 601));
  await log.publish();

  await cp(join(folder, "checkpoint"), join(older, "checkpoint"));

  expect(await verifyLog(older, signer.verifierKey)).not.toEqual([]);
});

test("a log put back to a head older than what was pruned is found", async () => {
  const { folder, signer, log } = await publishedLog(300);
  const older = await temporaryFolder();
  await cp(folder, older, { recursive: true });
  log.append(entriesBetween(300, 600));
  await log.publish();
  await log.prune(512);

  await cp(older, folder, { recursive: true });

  expect((await verifyLog(folder, signer.verifierKey)).map(({ file }) => file)).toEqual(["pruned"]);
});

test("a log signed by another key, or none at all, is not sound", async () => {
  const { folder } = await publishedLog(3);
  const { verifierKey } = await temporarySigner();

  expect((await verifyLog(folder, verifierKey)).map(({ file }) => file)).toEqual(["checkpoint"]);
  expect(await verifyLog(join(folder, "nowhere"), verifierKey)).toEqual([
    { file: "checkpoint", problem: "is missing" },
  ]);
});

test("a log that is published and pruned while it is checked is not blamed for it (VERIFY-LOG-2)", async () => {
  const { folder, signer, log } = await publishedLog(5000);
  const check = async () => await verifyLog(folder, signer.verifierKey);
  const checking = check();
  for (let round = 1; round <= 20; round += 1) {
    log.append(entriesBetween(log.size, log.size + 100));
    await log.publish();
    if (round % 5 === 0) await log.prune(log.size);
    if (round % 4 === 0) expect(await check()).toEqual([]);
  }

  expect(await checking).toEqual([]);
});

test("a check that begins in the middle of a publish begins again (VERIFY-LOG-2)", async () => {
  const { folder, signer, log } = await publishedLog(1);
  const publishing = (async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      log.append(entriesBetween(log.size, log.size + 1));
      await log.publish();
    }
  })();
  const findings = [];
  while (log.size < ROUNDS + 1) findings.push(...(await verifyLog(folder, signer.verifierKey)));
  await publishing;

  expect(findings).toEqual([]);
});
