// Connectors below /mnt in a real kernel: granted, labelled, recorded, and nobody else's.

import { execFileSync } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createKernel, type Kernel } from "@aos/daemon";
import type { Json, ManifestText, Sys } from "@aos/protocol";
import { afterAll, beforeAll, expect, test } from "vitest";

let top: string;
let kernel: Kernel;

/** Makes the calls that its input lists, one after another. */
const caller = async (sys: Sys, input: Json): Promise<Json> => {
  const said: Json[] = [];
  for (const [call, ...args] of input as [string, ...Json[]][]) {
    const method = sys[call as keyof Sys] as unknown as (...given: Json[]) => Promise<Json>;
    said.push(
      await method(...args).catch((error: { code: string; message: string }) => ({
        code: error.code,
        message: error.message,
      })),
    );
  }
  return said;
};

const git = (...words: string[]) =>
  execFileSync("git", ["-C", join(top, "repo"), ...words], {
    env: { PATH: process.env["PATH"], HOME: top, GIT_CONFIG_NOSYSTEM: "1" },
  });

beforeAll(async () => {
  top = realpathSync(mkdtempSync(join(tmpdir(), "aos-connectors-")));
  for (const folder of ["docs", "secret", "repo"]) mkdirSync(join(top, folder));
  writeFileSync(join(top, "docs", "a.md"), "the port is 8080");
  writeFileSync(join(top, "secret", "b.md"), "hidden");
  git("init", "-q", "-b", "main");
  writeFileSync(join(top, "repo", "a.txt"), "first\n");
  mkdirSync(join(top, "repo", "src"));
  writeFileSync(join(top, "repo", "src", "b.txt"), "port 8080\n");
  symlinkSync("/etc/passwd", join(top, "repo", "link"));
  git("add", ".");
  git("-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-qm", "one");
  git("tag", "v1");
  writeFileSync(join(top, "repo", "a.txt"), "second\n");
  git("-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-qam", "two");
  kernel = await createKernel({
    programs: { caller },
    tenants: { acme: { allow: ["file:/mnt/**:read,list"] } },
    configuredMounts: {
      docs: {
        declaration: { driver: "folder", folder: join(top, "docs"), secrecy: "confidential" },
        tenants: ["default"],
      },
      theirs: {
        declaration: { driver: "folder", folder: join(top, "secret") },
        tenants: ["acme"],
      },
      repo: {
        declaration: { driver: "git", repository: join(top, "repo"), commit: "v1" },
        tenants: ["default"],
      },
      gone: {
        declaration: { driver: "folder", folder: join(top, "gone") },
        tenants: ["default"],
      },
    },
  });
});
afterAll(async () => {
  await kernel.close();
  rmSync(top, { recursive: true });
});

async function said(
  calls: Json[],
  capabilities: string[],
  more: Partial<ManifestText> & { tenant?: string } = {},
) {
  const { tenant, ...manifest } = more;
  const pid = await kernel.spawn({
    manifest: {
      apiVersion: "aos/v1",
      kind: "Agent",
      name: "caller",
      program: "caller",
      capabilities,
      ...manifest,
    },
    input: calls,
    ...(tenant === undefined ? {} : { tenant }),
  });
  const { output } = await kernel.wait(pid);
  return { pid, output: output as Json[] };
}

const MAY = ["file:/mnt/docs/**:read,list"];

test("a mount is listed, read and searched with its grant, and brings its label", async () => {
  const { pid, output } = await said(
    [
      ["list", "/mnt"],
      ["list", "/mnt/docs"],
      ["read", "/mnt/docs/a.md"],
      ["search", "/mnt/docs", "port"],
      ["self"],
    ],
    MAY,
  );

  expect(output).toMatchObject([
    ["/mnt/docs", "/mnt/gone", "/mnt/repo"],
    ["/mnt/docs/a.md"],
    "the port is 8080",
    [{ path: "/mnt/docs/a.md", score: 1 }],
    { label: "untrusted/confidential" },
  ]);
  expect((await kernel.show(pid)).labels).toBeDefined();
});

test("without its grant it is refused; what is not plain, written or unknown is, too", async () => {
  const { output } = await said(
    [
      ["read", "/mnt/repo/a.txt"],
      ["read", "/mnt/docs/../secret/b.md"],
      ["read", "/mnt/docs//a.md"],
      ["write", "/mnt/docs/a.md", "x"],
      ["remove", "/mnt/docs/a.md"],
      ["open", "/mnt/docs/a.md"],
      ["read", "/mnt/none/a"],
      ["read", "/mnt/docs/none"],
    ],
    [...MAY, "memory:/**:write,remove,read"],
  );

  expect(output.map((one) => (one as { code: string }).code)).toEqual([
    "EACCES",
    "EINVAL",
    "EINVAL",
    "EINVAL",
    "EINVAL",
    "EINVAL",
    "ENOENT",
    "ENOENT",
  ]);
});

test("tenants see only the mounts that are declared for them (CONNECTORS-3)", async () => {
  const calls: Json[] = [
    ["list", "/mnt"],
    ["read", "/mnt/docs/a.md"],
    ["read", "/mnt/theirs/b.md"],
  ];
  const ours = await said(calls, ["file:/mnt/**:read"]);
  const theirs = await said(calls, ["file:/mnt/**:read"], { tenant: "acme" });

  expect(ours.output).toMatchObject([
    ["/mnt/docs", "/mnt/gone", "/mnt/repo"],
    "the port is 8080",
    { code: "ENOENT" },
  ]);
  expect(theirs.output).toMatchObject([["/mnt/theirs"], { code: "ENOENT" }, "hidden"]);
  expect(JSON.stringify(theirs.output)).not.toContain("docs/");
});

test("a mount of a manifest adds no power: the folder itself must be granted", async () => {
  const mounts = { own: { driver: "folder" as const, folder: join(top, "docs") } };
  const calls: Json[] = [["read", "/mnt/own/a.md"]];

  const without = await said(calls, ["file:/mnt/own/**:read"], { mounts });
  const granted = await said(
    calls,
    ["file:/mnt/own/**:read", `file:${join(top, "docs")}/**:read`],
    { mounts },
  );

  expect(without.output).toMatchObject([{ code: "EACCES" }]);
  expect(granted.output).toEqual(["the port is 8080"]);
});

test("on a name clash the operator's mount counts", async () => {
  const mounts = { docs: { driver: "folder" as const, folder: join(top, "secret") } };
  const { output } = await said(
    [["list", "/mnt/docs"]],
    [...MAY, `file:${join(top, "secret")}/**:read,list`],
    { mounts },
  );

  expect(output).toEqual([["/mnt/docs/a.md"]]);
});

test.each([
  { own: { driver: "ftp", folder: "/a" } },
  { own: { driver: "folder", folder: "relative" } },
  { own: { driver: "folder", folder: "/a/../b" } },
  { own: { driver: "folder", folder: "/a", write: true } },
  { own: { driver: "folder", folder: "/a", integrity: "trusted" } },
  { own: { driver: "http", url: "https://user:pw@a.example/", read: { path: "/" } } },
  { "../x": { driver: "folder", folder: "/a" } },
])("the manifest's mounts %j are refused when it is loaded", async (mounts) => {
  await expect(said([], [], { mounts: mounts as never })).rejects.toMatchObject({ code: "EINVAL" });
});

test("GIT-MOUNT-1 GIT-MOUNT-2: a repository shows the tree of its commit, and its links as text", async () => {
  const { output } = await said(
    [
      ["list", "/mnt/repo"],
      ["read", "/mnt/repo/a.txt"],
      ["list", "/mnt/repo/src"],
      ["search", "/mnt/repo", "PORT 8080"],
      ["read", "/mnt/repo/link"],
      ["read", "/mnt/repo/none"],
      ["read", "/mnt/repo/.git/config"],
    ],
    ["file:/mnt/repo/**:read,list"],
  );

  expect(output).toMatchObject([
    ["/mnt/repo/a.txt", "/mnt/repo/link", "/mnt/repo/src/b.txt"],
    "first\n",
    ["/mnt/repo/src/b.txt"],
    [{ path: "/mnt/repo/src/b.txt", data: "1: port 8080" }],
    "/etc/passwd",
    { code: "ENOENT" },
    { code: "ENOENT" },
  ]);
});

test("a mount that cannot be reached is EUPSTREAM and is named", async () => {
  const { output } = await said([["list", "/mnt/gone"]], ["file:/mnt/gone/**:list"]);

  expect(output).toMatchObject([
    { code: "EUPSTREAM", message: expect.stringContaining("/mnt/gone") as unknown },
  ]);
});

test("the right to a mount is no right to a folder of the machine that is called the same", async () => {
  const { output } = await said(
    [
      ["exec", "file.read", { path: "/mnt/docs/a.md" }],
      ["exec", "file.list", { path: "/mnt/docs" }],
    ],
    [...MAY, "tool:file.*:call"],
    { tools: ["file.*"] },
  );

  expect(output).toMatchObject([{ code: "EINVAL" }, { code: "EINVAL" }]);
});

test("a replay needs no mount: the answers are in the journal", async () => {
  const { pid } = await said(
    [
      ["read", "/mnt/docs/a.md"],
      ["list", "/mnt/docs"],
    ],
    MAY,
  );
  renameSync(join(top, "docs"), join(top, "moved"));
  const { identical } = await kernel.replay(pid);
  renameSync(join(top, "moved"), join(top, "docs"));

  expect(identical).toBe(true);
});
