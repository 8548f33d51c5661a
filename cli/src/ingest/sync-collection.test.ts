import { once } from "node:events";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Client } from "@aos/client";
import type { CollectionFile, OperationArgs } from "@aos/protocol/words";
import { afterEach, beforeEach, expect, test } from "vitest";
import { syncCollection, type SyncRequest } from "./sync-collection.ts";
import { readWithin } from "./walk-folder.ts";

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "aos-ingest-")));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function put(file: string, text: string | Buffer = `about ${file}\n`): void {
  mkdirSync(dirname(join(root, file)), { recursive: true });
  writeFileSync(join(root, file), text);
}

/** A daemon that keeps what it is sent. */
function daemonForTest() {
  const files = new Map<string, CollectionFile & { readonly text?: string | undefined }>();
  const sent: OperationArgs<"ingest">[] = [];
  const client = {
    collectionFiles: async () => ({ files: [...files.values()], next: null }),
    ingest: async (batch: OperationArgs<"ingest">) => {
      sent.push(batch);
      for (const path of batch.remove ?? []) files.delete(path);
      for (const { path, source, text } of batch.files ?? [])
        files.set(path, {
          path,
          ...source,
          commit: source.commit ?? null,
          claimedBy: null,
          text,
          bytes: 1,
          label: batch.label!,
          writtenAt: "",
        });
    },
  } as unknown as Client;
  const sync = (more: Partial<SyncRequest> = {}) =>
    syncCollection(client, {
      name: "docs",
      root,
      label: "untrusted/public",
      isDryRun: false,
      maxBytes: 1_000_000,
      onProgress: () => {},
      ...more,
    });
  return { files, sent, sync };
}

const COUNTS = { added: 0, changed: 0, unchanged: 0, removed: 0 };

test("a changed file is sent again, a removed one is forgotten, and what is the same is not sent", async () => {
  const { files, sent, sync } = daemonForTest();
  for (const file of ["a.md", "b.md", "sub/c.md"]) put(file);
  expect(await sync()).toMatchObject({ ...COUNTS, added: 3 });
  put("a.md", "other words\n");
  rmSync(join(root, "b.md"));
  sent.length = 0;

  const report = await sync();

  expect(report).toMatchObject({ ...COUNTS, changed: 1, unchanged: 1, removed: 1 });
  expect([...files.keys()]).toEqual(["a.md", "sub/c.md"]);
  expect(sent.flatMap((batch) => batch.files?.map(({ path }) => path) ?? [])).toEqual(["a.md"]);
  expect(await sync()).toMatchObject({ ...COUNTS, unchanged: 2 });
});

test("SYNC-1: another label sends everything again, and SYNC-4: what had the other is removed first", async () => {
  const { files, sent, sync } = daemonForTest();
  put("a.md");
  await sync({ label: "trusted/public" });
  sent.length = 0;

  await sync();

  expect(
    sent.map(({ remove, files: written }) => remove ?? written!.map(({ path }) => path)),
  ).toEqual([["a.md"], ["a.md"]]);
  expect(sent[0]!.label).toBe("trusted/public");
  expect(files.get("a.md")!.label).toBe("untrusted/public");
});

test("SYNC-2: what another folder gave, or what cannot be read now, is not forgotten", async () => {
  const { files, sync } = daemonForTest();
  put("a.md");
  await sync();
  const other = { path: "z.md", file: "z.md", root: "/elsewhere", digest: "1:0", commit: null };
  files.set("z.md", {
    ...other,
    claimedBy: null,
    bytes: 1,
    label: "untrusted/public",
    writtenAt: "",
  });
  files.set("bad.pdf", { ...files.get("a.md")!, path: "bad.pdf", file: "bad.pdf" });
  put("bad.pdf", "%PDF-1.4 broken");

  const report = await sync();

  expect(report.skipped).toMatchObject([{ file: "bad.pdf", reason: "unreadable" }]);
  expect([...files.keys()].sort()).toEqual(["a.md", "bad.pdf", "z.md"]);
});

test("SYNC-3: a file of another folder is not replaced", async () => {
  const { files, sync } = daemonForTest();
  put("a.md");
  await sync();
  files.set("a.md", { ...files.get("a.md")!, root: "/elsewhere" });

  await expect(sync()).rejects.toMatchObject({ code: "EEXIST" });
});

test("SYNC-1: what somebody else wrote in the place of a file is written again, whatever it claims", async () => {
  const { files, sent, sync } = daemonForTest();
  put("a.md");
  await sync();
  files.set("a.md", { ...files.get("a.md")!, claimedBy: "agt_1", root: "/elsewhere" });
  sent.length = 0;

  expect(await sync()).toMatchObject({ changed: 1, unchanged: 0 });
  expect(sent[0]!.files!.map(({ path }) => path)).toEqual(["a.md"]);
});

test("a dry run counts the same and sends nothing", async () => {
  const { sent, sync } = daemonForTest();
  put("a.md");

  expect(await sync({ isDryRun: true })).toMatchObject({ ...COUNTS, added: 1, dryRun: true });
  expect(sent).toEqual([]);
});

test("what is left out is said, with the reason", async () => {
  const { files, sync } = daemonForTest();
  put(".gitignore", "*.log\nbuild/\n!keep.log\n");
  put("sub/.gitignore", "/local.md\n");
  for (const file of ["keep.log", "drop.log", "build/x.md", "sub/local.md", "sub/a.md"]) put(file);
  put("node_modules/x/index.js");
  put(".env", "KEY=1");
  put(".env.example", "KEY=");
  put("leak.md", `the token is ghp_${"a".repeat(36)}\n`);
  put("server.pem", "x");
  put("picture.bin", Buffer.from([1, 0, 2]));
  put("huge.md", "x".repeat(1_000_001));
  put("void.md", "");
  symlinkSync("/etc/hostname", join(root, "link.md"));
  const server = createServer().listen(join(root, "socket.md"));
  await once(server, "listening");

  const { skipped } = await sync();
  server.close();

  expect([...files.keys()].sort()).toEqual([
    ".env.example",
    ".gitignore",
    "keep.log",
    "sub/.gitignore",
    "sub/a.md",
  ]);
  expect(Object.fromEntries(skipped.map(({ file, reason }) => [file, reason]))).toEqual({
    ".env": "secret-like",
    build: "ignored",
    "drop.log": "ignored",
    "huge.md": "too large",
    "leak.md": "secret-like",
    "link.md": "link",
    node_modules: "ignored",
    "picture.bin": "binary",
    "server.pem": "secret-like",
    "socket.md": "no regular file",
    "sub/local.md": "ignored",
    "void.md": "empty",
  });
});

test("IGNORED-FILES-2: a pattern that takes too long is refused by name", async () => {
  put(".gitignore", "ok\n**/a/**/b/**/c\n");

  await expect(daemonForTest().sync()).rejects.toThrow(/^\.gitignore:2: /);
});

test("INGEST-WALK-1: a link put in the place of a file, or of its folder, is not read", async () => {
  const outside = realpathSync(mkdtempSync(join(tmpdir(), "aos-outside-")));
  try {
    writeFileSync(join(outside, "secret.md"), "secret");
    symlinkSync(join(outside, "secret.md"), join(root, "a.md"));
    symlinkSync(outside, join(root, "sub"));

    await expect(readWithin(root, join(root, "a.md"), 1000)).rejects.toThrow(/ELOOP/);
    if (process.platform === "linux")
      await expect(readWithin(root, join(root, "sub/secret.md"), 1000)).rejects.toThrow(/outside/);
  } finally {
    rmSync(outside, { recursive: true });
  }
});

test("the commit that is checked out comes with each file, from the files of git alone", async () => {
  const { files, sync } = daemonForTest();
  const commit = "0123456789abcdef0123456789abcdef01234567";
  put("docs/a.md");
  put(".git/HEAD", "ref: refs/heads/main\n");
  put(".git/packed-refs", `# pack-refs\n${commit} refs/heads/main\n`);

  const report = await sync({ root: join(root, "docs") });

  expect(report.commit).toBe(commit);
  expect(files.get("a.md")!.commit).toBe(commit);
});

test("names that memory does not take are written as %XX", async () => {
  const { files, sync } = daemonForTest();
  put("100% sure\n.md");
  put("cafe\u0301.md");

  await sync();

  expect([...files.keys()].sort()).toEqual(["100%25 sure%0A.md", "caf\u00e9.md"]);
});

test.skipIf(process.getuid?.() === 0)("a folder that may not be read is said", async () => {
  put("closed/a.md");
  chmodSync(join(root, "closed"), 0);
  try {
    expect((await daemonForTest().sync()).skipped).toMatchObject([{ reason: "unreadable" }]);
  } finally {
    chmodSync(join(root, "closed"), 0o700);
  }
});

test("many files go in several requests, and a failure ends the work", async () => {
  const { files, sync, sent } = daemonForTest();
  for (let n = 0; n < 450; n++) put(`f${n}.md`);
  await sync();
  expect(files.size).toBe(450);
  expect(sent.length).toBe(3);

  const broken = {
    collectionFiles: async () => ({ files: [], next: null }),
    ingest: async () => {
      throw new Error("no");
    },
  } as unknown as Client;
  await expect(
    syncCollection(broken, {
      name: "x",
      root,
      label: "untrusted/public",
      isDryRun: false,
      maxBytes: 1000,
      onProgress: () => {},
    }),
  ).rejects.toThrow("no");
});
