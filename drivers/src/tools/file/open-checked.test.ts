import { execFileSync } from "node:child_process";
import {
  link,
  mkdir,
  mkdtemp,
  open,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  symlink,
  unlink,
  writeFile,
} from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Touch } from "@aos/protocol";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { deviceContextForTest } from "../../../../tests/helpers/drivers/device-context.ts";
import { findByDescriptor } from "./platform.ts";
import { findByWalk } from "./by-walk.ts";
import type { ResolveFile } from "./resolved-file.ts";
import { type OpenMode, withEntry, withFile, withFolder } from "./open-checked.ts";

let top: string;
let work: string;
let secret: string;
beforeEach(async () => {
  top = await realpath(await mkdtemp(join(tmpdir(), "aos-open-")));
  work = join(top, "work");
  secret = join(top, "secret");
  await mkdir(work);
  await mkdir(secret);
  await writeFile(join(secret, "key"), "old");
});
afterEach(() => rm(top, { recursive: true }));

const inWork = ({ resource }: Touch): boolean => resource.startsWith(`${work}/`);

const uses: readonly [OpenMode][] = [["read"], ["write"], ["append"]];
const finders: readonly [string, ResolveFile][] = [
  ...(process.platform === "linux"
    ? [["descriptor", findByDescriptor] as [string, ResolveFile]]
    : []),
  ["walk", findByWalk],
];

describe.each(finders)("by %s", (_name, find) => {
  /** Does what a tool would do this way, and says whether it came to that. */
  async function attempt(path: string, way: OpenMode, grants = inWork) {
    const context = deviceContextForTest({ grants });
    const seen: string[] = [];
    const trying = withFile(
      path,
      way,
      context,
      async (file, real) => {
        seen.push(real);
        if (way === "read") seen.push(await file.readFile("utf8"));
        else await file.writeFile("+");
      },
      { find },
    );
    const failed = await trying.then(
      () => undefined,
      (error: { code: string; message: string }) => error,
    );
    return { failed, seen, asked: context.asked };
  }

  describe.each(uses)("to %s", (way) => {
    test("OPEN-CHECKED-1: the gate is asked about the real path, and that is used", async () => {
      await writeFile(join(work, "a"), "text");

      const { failed, seen, asked } = await attempt(join(work, "a"), way);

      expect(failed).toBeUndefined();
      expect(seen).toEqual([join(work, "a"), ...(way === "read" ? ["text"] : [])]);
      const left = { read: "text", write: "+ext", append: "text+" }[way];
      expect(await readFile(join(work, "a"), "utf8")).toBe(left);
      const verb = way === "read" ? "read" : "write";
      expect(asked).toEqual([{ kind: "file", resource: join(work, "a"), verb }]);
    });

    test("OPEN-CHECKED-2: a link to what is granted is followed, by leaf and by folder", async () => {
      await mkdir(join(work, "real"));
      await writeFile(join(work, "real", "a"), "text");
      await symlink(join(work, "real", "a"), join(work, "leaf"));
      await symlink(join(work, "real"), join(work, "way"));

      for (const path of ["leaf", "way/a"].map((name) => join(work, name))) {
        const { failed, seen } = await attempt(path, way);
        expect(failed).toBeUndefined();
        expect(seen[0]).toBe(join(work, "real", "a"));
      }
    });

    test.each(["leaf", "way/key"])(
      "OPEN-CHECKED-2: a link to what is not is not (%s)",
      async (name) => {
        await symlink(join(secret, "key"), join(work, "leaf"));
        await symlink(secret, join(work, "way"));

        const { failed, seen } = await attempt(join(work, name), way);

        expect(failed).toMatchObject({ code: "EACCES" });
        expect(seen).toEqual([]);
        expect(await readFile(join(secret, "key"), "utf8")).toBe("old");
      },
    );

    test("OPEN-CHECKED-2: a link that leads nowhere makes nothing", async () => {
      await symlink(join(work, "nowhere"), join(work, "link"));

      const { failed } = await attempt(join(work, "link"), way);

      expect(failed).toMatchObject({ code: way === "read" ? "ENOENT" : "EACCES" });
      expect(await readdir(work)).toEqual(["link"]);
    });

    test("OPEN-CHECKED-1: nothing is made in a folder behind a link, nor where it is not granted", async () => {
      await symlink(secret, join(work, "way"));

      const behind = await attempt(join(work, "way", "new"), way);
      const outside = await attempt(join(work, "new"), way, () => false);

      const code = way === "read" ? "ENOENT" : "EACCES";
      expect([behind.failed, outside.failed]).toMatchObject([{ code }, { code }]);
      expect(await readdir(secret)).toEqual(["key"]);
      expect(await readdir(work)).toEqual(["way"]);
    });

    test("what is not there is made, when the way makes it", async () => {
      const { failed, asked } = await attempt(join(work, "new"), way);

      if (way === "read") expect(failed).toMatchObject({ code: "ENOENT" });
      else expect(await readFile(join(work, "new"), "utf8")).toBe("+");
      const resource = join(work, "new");
      expect(asked).toEqual(way === "read" ? [] : [{ kind: "file", resource, verb: "write" }]);
    });

    test("OPEN-CHECKED-3: a file with a second name is refused", async () => {
      await link(join(secret, "key"), join(work, "twin"));

      const { failed, seen } = await attempt(join(work, "twin"), way);

      expect(failed).toMatchObject({
        code: "EACCES",
        message: expect.stringContaining("hard link"),
      });
      expect(seen).toEqual([]);
      expect(await readFile(join(secret, "key"), "utf8")).toBe("old");
    });

    test("OPEN-CHECKED-3: folders, pipes and sockets are no files, and nothing waits for them", async () => {
      execFileSync("/usr/bin/mkfifo", [join(work, "pipe")]);
      await mkdir(join(work, "folder"));
      await using server = createServer().listen(join(work, "socket"));

      for (const name of ["pipe", "folder", "socket"]) {
        const { failed, seen } = await attempt(join(work, name), way);
        expect(failed).toMatchObject({ code: "EINVAL" });
        expect(seen).toEqual([]);
      }
      expect(server.listening).toBe(true);
    });

    test("OPEN-CHECKED-3: a link into a place that holds no files is refused, whatever is granted", async () => {
      await symlink("/dev/null", join(work, "null"));

      const { failed, asked } = await attempt(join(work, "null"), way, () => true);

      expect(failed).toMatchObject({
        code: "EACCES",
        message: expect.stringContaining("without regular files"),
      });
      expect(asked).toEqual([]);
    });

    test("OPEN-CHECKED-4: a name that is spelled in another way on disk is refused", async () => {
      await writeFile(join(work, ".env"), "text");
      const volume = {
        identity: async (path: string) => path.toLowerCase(),
        names: async (folder: string) => (folder === work ? [".ENV"] : await readdir(folder)),
      };

      const opening = withFile(
        join(work, ".env"),
        way,
        deviceContextForTest(),
        async () => "used",
        { find, volume },
      );

      await expect(opening).rejects.toMatchObject({
        code: "EINVAL",
        message: expect.stringContaining("a different spelling"),
      });
    });
  });

  test("OPEN-CHECKED-1: a link that appears where a file is about to be made is looked at anew", async () => {
    const context = deviceContextForTest({ grants: inWork });
    const appearing: ResolveFile = async (path) => {
      const found = await find(path);
      if (path === work) await symlink(join(secret, "key"), join(work, "new"));
      return found;
    };

    const writing = withFile(join(work, "new"), "write", context, (file) => file.writeFile("new"), {
      find: appearing,
    });

    await expect(writing).rejects.toMatchObject({ code: "EACCES" });
    expect(context.asked.map(({ resource }) => resource)).toEqual([
      join(work, "new"),
      join(secret, "key"),
    ]);
    expect(await readFile(join(secret, "key"), "utf8")).toBe("old");
  });

  test("a failure of the user is the user's, and it runs once", async () => {
    let ran = 0;
    const failing = withFile(join(work, "a"), "write", deviceContextForTest(), async () => {
      ran += 1;
      throw Object.assign(new Error("it exists"), { code: "EEXIST" });
    });

    await expect(failing).rejects.toMatchObject({ code: "EUPSTREAM" });
    expect(ran).toBe(1);
  });

  test("folders and entries are asked about where they really are", async () => {
    await symlink(secret, join(work, "way"));
    const context = deviceContextForTest({ grants: inWork });
    const never = async () => "used";

    await expect(
      withFolder(join(work, "way"), "list", context, never, { find }),
    ).rejects.toMatchObject({ code: "EACCES" });
    await expect(
      withEntry(join(work, "way", "key"), "remove", context, never, { find }),
    ).rejects.toMatchObject({ code: "EACCES" });
    expect(context.asked).toEqual([
      { kind: "file", resource: secret, verb: "list" },
      { kind: "file", resource: join(secret, "key"), verb: "remove" },
    ]);
  });

  test("a file that moves after it was found is not the one that is opened", async () => {
    await writeFile(join(work, "a"), "mine");
    const moving = {
      authorize: () => {
        execFileSync("/bin/mv", [join(work, "a"), join(work, "b")]);
        execFileSync("/bin/ln", ["-s", join(secret, "key"), join(work, "a")]);
        moving.authorize = () => {
          throw new Error("asked again");
        };
      },
    };

    const reading = withFile(join(work, "a"), "read", moving, (file) => file.readFile("utf8"), {
      find,
    }).catch((error: Error) => error.message);

    expect(await reading).not.toBe("old");
  });
});

describe.runIf(process.platform === "linux")("on Linux", () => {
  const read = (path: string, grants: (touch: Touch) => boolean) => {
    const context = deviceContextForTest({ grants });
    const reading = withFile(path, "read", context, (file) => file.readFile("utf8"));
    return { reading, context };
  };

  test("BY-DESCRIPTOR-2: a file that was removed and is still open somewhere is refused", async () => {
    await writeFile(join(work, "gone"), "text");
    await using held = await open(join(work, "gone"));
    await unlink(join(work, "gone"));
    await symlink(`/proc/self/fd/${held.fd}`, join(work, "link"));

    const { reading, context } = read(join(work, "link"), () => true);

    await expect(reading).rejects.toMatchObject({ code: "EACCES" });
    expect(context.asked).toEqual([]);
  });

  test("BY-DESCRIPTOR-2: a removed name that was opened is refused, even if another name of the file remains", async () => {
    await link(join(secret, "key"), join(work, "twin"));
    await using held = await open(join(work, "twin"));
    await unlink(join(work, "twin"));
    await symlink(`/proc/self/fd/${held.fd}`, join(work, "link"));

    const { reading } = read(join(work, "link"), inWork);

    await expect(reading).rejects.toMatchObject({ code: "EACCES" });
  });

  test("BY-DESCRIPTOR-2: what the system calls by a name that is another file's is refused", async () => {
    await writeFile(join(work, "a (deleted)"), "innocent");
    await writeFile(join(work, "a"), "text");
    await using held = await open(join(work, "a"));
    await rename(join(work, "a (deleted)"), join(work, "b"));
    await unlink(join(work, "a"));
    await rename(join(work, "b"), join(work, "a (deleted)"));
    await symlink(`/proc/self/fd/${held.fd}`, join(work, "link"));

    await expect(read(join(work, "link"), inWork).reading).rejects.toMatchObject({
      code: "EACCES",
    });
  });

  test("a magic link is asked about by what it leads to", async () => {
    await symlink(`/proc/self/root${secret}/key`, join(work, "link"));

    const { reading, context } = read(join(work, "link"), inWork);

    await expect(reading).rejects.toMatchObject({ code: "EACCES" });
    expect(context.asked).toEqual([{ kind: "file", resource: join(secret, "key"), verb: "read" }]);
  });
});
