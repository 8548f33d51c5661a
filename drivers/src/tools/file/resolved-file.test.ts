// What happens between the finding and the opening: each way of finding must open what it found, or
// nothing.

import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  stat,
  symlink,
  unlink,
  writeFile,
} from "node:fs/promises";
import { constants } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { findByDescriptor } from "./platform.ts";
import { findByWalk } from "./by-walk.ts";
import { type ResolveFile, SwappedFile } from "./resolved-file.ts";

const { O_RDONLY, O_WRONLY } = constants;
const isLinux = process.platform === "linux";

let top: string;
let work: string;
let secret: string;
beforeEach(async () => {
  top = await realpath(await mkdtemp(join(tmpdir(), "aos-found-")));
  work = join(top, "work");
  secret = join(top, "secret");
  await mkdir(work);
  await mkdir(secret);
  await writeFile(join(work, "key"), "mine");
  await writeFile(join(secret, "key"), "SECRET");
});
afterEach(() => rm(top, { recursive: true }));

const finders: readonly [string, ResolveFile][] = [
  ...(isLinux ? [["descriptor", findByDescriptor] as [string, ResolveFile]] : []),
  ["walk", findByWalk],
];

const swaps: [what: string, swap: () => Promise<void>][] = [
  [
    "the file for a link",
    async () => {
      await unlink(join(work, "key"));
      await symlink(join(secret, "key"), join(work, "key"));
    },
  ],
  ["the file for another", () => rename(join(secret, "key"), join(work, "key"))],
  [
    "its folder for a link",
    async () => {
      await rename(work, join(top, "old"));
      await symlink(secret, work);
    },
  ],
  [
    "its folder for another",
    async () => {
      await rename(work, join(top, "old"));
      await rename(secret, work);
    },
  ],
];

describe.each(finders)("by %s", (name, find) => {
  test.each(swaps)(
    "somebody swaps %s: what was found is opened, or nothing",
    async (_what, swap) => {
      await using found = await find(join(work, "key"));
      await swap();

      const read = await found.open(O_RDONLY).then(
        async (file) => {
          await using held = file;
          return await held.readFile("utf8");
        },
        () => "refused",
      );

      expect(read).toBe(name === "walk" ? "refused" : "mine");
    },
  );

  test("somebody turns the link that was followed: what was found is opened, or nothing", async () => {
    await symlink(work, join(top, "way"));
    await using found = await find(join(top, "way", "key"));
    await unlink(join(top, "way"));
    await symlink(secret, join(top, "way"));

    const opening = found.open(O_RDONLY).then((file) => file.close());

    if (name === "walk") await expect(opening).rejects.toThrow(SwappedFile);
    else await opening;
  });

  test.each(swaps.slice(2))("somebody swaps %s: no file is made", async (_what, swap) => {
    await using folder = await find(work);
    await swap();

    const made = folder.make("new", O_WRONLY);

    await expect(made).rejects.toThrow(SwappedFile);
  });

  test("what is made was not there, not even as a link", async () => {
    await using folder = await find(work);
    await symlink(join(work, "new"), join(work, "link"));

    for (const there of ["key", "link"])
      await expect(folder.make(there, O_WRONLY)).rejects.toMatchObject({ code: "EEXIST" });
    expect(await readdir(work)).toEqual(["key", "link"]);
    expect(await readFile(join(work, "key"), "utf8")).toBe("mine");
  });
});

/** Whether this user may have a view of the file system of its own. */
const mayUnshare = isLinux && spawnSync("/usr/bin/unshare", ["-rm", "true"]).status === 0;

test.runIf(mayUnshare)(
  "BY-DESCRIPTOR-2: the same path in another's view of the machine is another file",
  async () => {
    // There the secret is mounted over the folder: its path is the path of our own file.
    const script = `mount --bind ${secret} ${work} && echo ready && exec sleep 600`;
    const other = spawn("/usr/bin/unshare", ["-rm", "sh", "-c", script], {
      stdio: ["ignore", "pipe", "ignore"],
    });
    try {
      await once(other.stdout, "data");
      const theirs = `/proc/${other.pid}/root${work}/key`;
      expect(await readFile(theirs, "utf8")).toBe("SECRET");
      expect((await stat(theirs)).ino).not.toBe((await stat(join(work, "key"))).ino);

      await expect(findByDescriptor(theirs)).rejects.toThrow(SwappedFile);
    } finally {
      other.kill("SIGKILL");
      await once(other, "exit");
    }
  },
);
