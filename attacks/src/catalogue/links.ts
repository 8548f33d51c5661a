// B: links and other indirections. The name is granted; its target is not.

import { execFile } from "node:child_process";
import { link, mkdir, open, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { constants } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { Worker } from "node:worker_threads";
import type { Range } from "../range.ts";
import { filesOf, steal } from "./paths.ts";
import { gotOf, tried, type AttackRow } from "./row.ts";

const OPEN_CHECKED = "drivers/src/tools/file/open-checked.ts";
/** The content of the vault as one text. */
async function vaultText({ vault }: Range): Promise<string> {
  const names = (await readdir(vault)).sort();
  const texts = await Promise.all(names.map((name) => readFile(join(vault, name), "utf8")));
  return names.map((name, i) => `${name}=${texts[i]}`).join();
}

/** Calls a writing tool once and reports whether the vault changed. */
const harm =
  (tool: string, name: string, more: object, prepare: (range: Range) => Promise<unknown>) =>
  async (range: Range) => {
    await prepare(range);
    const before = await vaultText(range);
    const { detail } = await steal(range, tool, { path: join(range.work, name), ...more });
    return tried((await vaultText(range)) !== before, detail);
  };

const leafLink = ({ work, vault }: Range) => symlink(join(vault, "key"), join(work, "leaf"));
const wayLink = ({ work, vault }: Range) => symlink(vault, join(work, "way"));

const SWAPPER = `
  const { renameSync, symlinkSync } = require("node:fs");
  const { workerData: { work, vault, stop } } = require("node:worker_threads");
  const flag = new Int32Array(stop);
  const swap = (name, target) => {
    symlinkSync(target, work + "/next");
    renameSync(work + "/next", work + "/" + name);
  };
  while (Atomics.load(flag, 0) === 0) {
    swap("leaf", vault + "/key"); swap("way", vault);
    Atomics.add(flag, 1, 1);
    swap("leaf", work + "/real/key"); swap("way", work + "/real");
  }
`;

/** Repeats a call while another thread swaps the links as fast as possible. */
async function race(range: Range, call: (at: number) => [string, object]): Promise<string> {
  const { work, vault } = range;
  await mkdir(join(work, "real"));
  await writeFile(join(work, "real", "key"), "mine");
  const stop = new SharedArrayBuffer(8);
  const flag = new Int32Array(stop);
  const swapper = new Worker(SWAPPER, { eval: true, workerData: { work, vault, stop } });
  const left = new Promise((resolve) => swapper.once("exit", resolve));
  let all = "";
  try {
    await range.until(() => Atomics.load(flag, 1) > 0, "the race");
    await range.run(
      async (sys) => {
        for (let at = 0; at < 40; at++) {
          const [tool, args] = call(at);
          all += JSON.stringify(await gotOf(sys.exec(tool, args as never)));
        }
      },
      { capabilities: filesOf(range) },
    );
  } finally {
    Atomics.store(flag, 0, 1);
    await left;
  }
  return all;
}

export const links: readonly AttackRow[] = [
  {
    id: "B1",
    name: "read through a symbolic link in the granted folder",
    stoppedBy: OPEN_CHECKED,
    needs: ["links"],
    run: async (range) => {
      await leafLink(range);
      return steal(range, "file.read", { path: join(range.work, "leaf") });
    },
  },
  {
    id: "B2",
    name: "read through a linked folder",
    stoppedBy: OPEN_CHECKED,
    needs: ["links"],
    run: async (range) => {
      await wayLink(range);
      return steal(range, "file.read", { path: join(range.work, "way", "key") });
    },
  },
  {
    id: "B3",
    name: "read through a chain of links",
    stoppedBy: OPEN_CHECKED,
    needs: ["links"],
    run: async (range) => {
      await wayLink(range);
      await symlink(join(range.work, "way", "key"), join(range.work, "first"));
      return steal(range, "file.read", { path: join(range.work, "first") });
    },
  },
  {
    id: "B4",
    name: "read a file through a second hard link",
    stoppedBy: OPEN_CHECKED,
    needs: ["links"],
    run: async (range) => {
      await link(join(range.vault, "key"), join(range.work, "twin"));
      return steal(range, "file.read", { path: join(range.work, "twin") });
    },
  },
  {
    id: "B5",
    name: "overwrite the target of a link",
    stoppedBy: OPEN_CHECKED,
    needs: ["links"],
    run: harm("file.write", "leaf", { text: "theirs" }, leafLink),
  },
  {
    id: "B6",
    name: "append to the target of a link",
    stoppedBy: OPEN_CHECKED,
    needs: ["links"],
    run: harm("file.append", "leaf", { line: "theirs" }, leafLink),
  },
  {
    id: "B7",
    name: "create a file in a linked folder",
    stoppedBy: OPEN_CHECKED,
    needs: ["links"],
    run: harm("file.write", "way/new", { text: "theirs" }, wayLink),
  },
  {
    id: "B8",
    name: "remove a file through a linked folder",
    stoppedBy: OPEN_CHECKED,
    needs: ["links"],
    run: harm("file.remove", "way/key", {}, wayLink),
  },
  {
    id: "B9",
    name: "overwrite a file through a hard link",
    stoppedBy: OPEN_CHECKED,
    needs: ["links"],
    run: harm("file.write", "twin", { text: "theirs" }, ({ work, vault }) =>
      link(join(vault, "key"), join(work, "twin")),
    ),
  },
  {
    id: "B10",
    name: "create a file elsewhere through a dangling link",
    stoppedBy: "drivers/src/tools/file/platform.ts",
    needs: ["links", "proc"],
    run: harm("file.write", "dangling", { text: "theirs" }, ({ work, vault }) =>
      symlink(join(vault, "new"), join(work, "dangling")),
    ),
  },
  {
    id: "B11",
    name: "list a folder through a link",
    stoppedBy: OPEN_CHECKED,
    needs: ["links"],
    run: async (range) => {
      await wayLink(range);
      const { detail } = await steal(range, "file.list", { path: join(range.work, "way") });
      return tried(detail.includes('"key"'), detail);
    },
  },
  {
    id: "B12",
    name: "write to a named pipe",
    stoppedBy: OPEN_CHECKED,
    needs: ["links"],
    run: async (range) => {
      const path = join(range.work, "pipe");
      await promisify(execFile)("mkfifo", [path]);
      await using pipe = await open(path, constants.O_RDWR | constants.O_NONBLOCK);
      const { detail } = await steal(range, "file.append", { path, line: "an order" });
      const heard = await pipe.read(Buffer.alloc(100), 0, 100, null).catch(() => undefined);
      return tried((heard?.bytesRead ?? 0) > 0, detail);
    },
  },
  {
    id: "B13",
    name: "swap a link between check and read",
    stoppedBy: OPEN_CHECKED,
    needs: ["links"],
    run: async (range) => {
      const { work, treasure } = range;
      const names = ["leaf", "way/key"];
      const all = await race(range, (at) => ["file.read", { path: join(work, names[at % 2]!) }]);
      return tried(all.includes(treasure), `${all.split("mine").length - 1} of 40 were allowed`);
    },
  },
  {
    id: "B14",
    name: "swap a folder between check and write",
    stoppedBy: OPEN_CHECKED,
    needs: ["links"],
    run: async (range) => {
      const before = await vaultText(range);
      await race(range, (at) => [
        "file.write",
        { path: join(range.work, "way", at % 2 === 0 ? "key" : `new${at}`), text: "theirs" },
      ]);
      const after = await vaultText(range);
      return tried(after !== before, `the vault has ${after.split(",").length} files`);
    },
  },
];
