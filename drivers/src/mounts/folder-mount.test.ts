import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { deviceContextForTest } from "../../../tests/helpers/drivers/device-context.ts";
import type { DeclaredMount } from "./connector.ts";
import { folderMount } from "./folder-mount.ts";

let top: string;
beforeEach(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), "aos-mount-")));
  onTestFinished(() => rmSync(top, { recursive: true }));
  mkdirSync(join(top, "docs", "deep"), { recursive: true });
  writeFileSync(join(top, "docs", "a.md"), "the port is 8080\nand more\n");
  writeFileSync(join(top, "docs", "deep", "b.md"), "nothing here\n");
  writeFileSync(join(top, "secret.txt"), "the secret\n");
});

const mountFor = (declaredBy: DeclaredMount["declaredBy"] = "config.yaml", folder = "docs") =>
  folderMount({
    name: "docs",
    declaredBy,
    declaration: { driver: "folder", folder: join(top, folder) },
  });

const nobody = () => deviceContextForTest({ grants: () => false });

describe("a folder that the operator declared", () => {
  test("is listed, read and searched by no other grant", async () => {
    const mount = mountFor();

    expect(await mount.list({ call: "list", path: "" }, nobody())).toEqual({
      paths: ["a.md", "deep/b.md"],
      next: null,
    });
    expect(await mount.read({ call: "read", path: "a.md" }, nobody())).toContain("8080");
    expect(
      await mount.search!({ call: "search", path: "", query: "port number" }, nobody()),
    ).toEqual({ found: [{ path: "a.md", data: "the port is 8080", score: 0.5 }], next: null });
    expect(mount.touches({ call: "read", path: "a.md" })).toEqual([]);
  });

  test("comes in pages, and bytes that are no text as base64", async () => {
    writeFileSync(join(top, "docs", "bytes"), Buffer.from([0, 255, 1]));
    const mount = mountFor();

    const first = await mount.list({ call: "list", path: "", limit: 2 }, nobody());
    const second = await mount.list(
      { call: "list", path: "", limit: 2, cursor: first.next! },
      nobody(),
    );

    expect(first).toEqual({ paths: ["a.md", "bytes"], next: "bytes" });
    expect(second).toEqual({ paths: ["deep/b.md"], next: null });
    expect(await mount.read({ call: "read", path: "bytes" }, nobody())).toEqual({
      base64: "AP8B",
    });
  });

  test.each([
    ["a link out of it", () => symlinkSync(join(top, "secret.txt"), join(top, "docs", "x"))],
    ["a link to a folder out of it", () => symlinkSync(top, join(top, "docs", "up"))],
    ["a second hard link", () => linkSync(join(top, "secret.txt"), join(top, "docs", "x"))],
  ])("FOLDER-MOUNT-1: %s is not read", async (_what, make) => {
    make();
    const mount = mountFor();

    for (const path of ["x", "up/secret.txt", "../secret.txt"])
      await expect(mount.read({ call: "read", path }, nobody())).rejects.toMatchObject({
        code: expect.stringMatching(/EACCES|ENOENT/) as unknown,
      });
    const { paths } = await mount.list({ call: "list", path: "" }, nobody());
    expect(paths).not.toContain("up/secret.txt");
  });

  test("FOLDER-MOUNT-2: what a process wrote there keeps its label", async () => {
    const context = deviceContextForTest({
      grants: () => false,
      fileLabels: () => ({ integrity: "untrusted", secrecy: "secret" }),
    });

    await mountFor().read({ call: "read", path: "a.md" }, context);

    expect(context.saw).toEqual([{ integrity: "untrusted", secrecy: "secret" }]);
  });

  test("that is gone is EUPSTREAM", async () => {
    await expect(
      mountFor("config.yaml", "none").list({ call: "list", path: "" }, nobody()),
    ).rejects.toMatchObject({ code: "EUPSTREAM" });
  });
});

test("MOUNT-REACH-1: what a manifest declares needs the grant for the folder itself", async () => {
  const mount = mountFor("manifest");

  expect(mount.touches({ call: "read", path: "a.md" })).toEqual([
    { kind: "file", resource: join(top, "docs", "a.md"), verb: "read" },
  ]);
  await expect(mount.read({ call: "read", path: "a.md" }, nobody())).rejects.toMatchObject({
    code: "EACCES",
  });
});
