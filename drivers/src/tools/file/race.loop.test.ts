// The race: somebody swaps links and folders as fast as the machine can, while files are opened. It is
// bounded by a count and not by time; nothing of the secret may ever be read or written.

import { constants } from "node:fs";
import { mkdir, mkdtemp, open, readdir, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import type { Touch } from "@aos/protocol";
import { afterEach, beforeEach, expect, inject, test } from "vitest";
import { deviceContextForTest } from "../../../../tests/helpers/drivers/device-context.ts";
import { withFile } from "./open-checked.ts";

const OPENS = inject("isDeep") ? 20_000 : 2000;

/** Swaps `leaf` and `way` between what is granted and what is not, until it is told to stop. */
const SWAPPER = `
  const { renameSync, symlinkSync, rmSync } = require("node:fs");
  const { workerData: { work, secret, stop } } = require("node:worker_threads");
  const flag = new Int32Array(stop);
  const swap = (name, target) => {
    symlinkSync(target, work + "/next");
    renameSync(work + "/next", work + "/" + name);
  };
  while (Atomics.load(flag, 0) === 0) {
    swap("leaf", secret + "/key"); swap("way", secret);
    Atomics.add(flag, 1, 1); Atomics.notify(flag, 1);
    swap("leaf", work + "/real/key"); swap("way", work + "/real");
  }
`;

let top: string;
let work: string;
let secret: string;
let flag: Int32Array;
let swapper: Worker;
beforeEach(async () => {
  top = await realpath(await mkdtemp(join(tmpdir(), "aos-race-")));
  work = join(top, "work");
  secret = join(top, "secret");
  await mkdir(join(work, "real"), { recursive: true });
  await mkdir(secret);
  await writeFile(join(work, "real", "key"), "mine");
  await writeFile(join(secret, "key"), "SECRET");
  const stop = new SharedArrayBuffer(8);
  flag = new Int32Array(stop);
  swapper = new Worker(SWAPPER, { eval: true, workerData: { work, secret, stop } });
  while (Atomics.load(flag, 1) === 0) await new Promise((resolve) => setImmediate(resolve));
});
afterEach(async () => {
  Atomics.store(flag, 0, 1);
  await new Promise((resolve) => swapper.once("exit", resolve));
  await rm(top, { recursive: true });
});

const inWork = ({ resource }: Touch): boolean => resource.startsWith(`${work}/`);

/** So many at a time as there are threads to do it; and more, until enough was met. */
async function manyTimes(
  times: number,
  isEnough: () => boolean,
  each: (at: number) => Promise<void>,
): Promise<void> {
  let next = 0;
  const lane = async () => {
    while (next < times || !isEnough()) await each(next++);
  };
  await Promise.all([lane(), lane(), lane(), lane()]);
}

test.runIf(process.platform === "linux")(
  "thousands of opens under a race: no byte of the secret is read, none is written",
  async () => {
    const context = deviceContextForTest({ grants: inWork });
    const outcomes: Record<string, number> = {};

    // Both sides are met: otherwise there was no race.
    const isEnough = () => Object.keys(outcomes).length >= 3;
    await manyTimes(OPENS, isEnough, async (at) => {
      const path = join(work, ["leaf", "way/key"][at % 2]!);
      const opening =
        at % 4 < 2
          ? withFile(path, "read", context, (file) => file.readFile("utf8"))
          : withFile(
              at % 8 < 6 ? path : join(work, "way", `new${at % 64}`),
              "write",
              context,
              async (file) => void (await file.write("mine", 0)),
            );
      const outcome = await opening.then(
        (text) => text ?? "written",
        ({ code }: { code: string }) => code,
      );
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
    });

    expect(await readFile(join(secret, "key"), "utf8")).toBe("SECRET");
    expect(await readdir(secret)).toEqual(["key"]);
    expect(Object.keys(outcomes).sort()).toEqual(["EACCES", "mine", "written"]);
  },
);

test("the same race is lost by opening the leaf without following links", async () => {
  let read = "";
  for (let at = 0; !read.includes("SECRET"); at += 1) {
    const flags = constants.O_RDONLY | constants.O_NOFOLLOW;
    await using file = await open(join(work, "way", "key"), flags);
    read = await file.readFile("utf8");
  }
  expect(read).toBe("SECRET");
});
