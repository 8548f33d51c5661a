import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { toolchainFor } from "./toolchain.ts";

let top: string;
beforeEach(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), "aos-tools-")));
});
afterEach(() => rmSync(top, { recursive: true }));

function program(...path: string[]): string {
  const file = join(top, ...path);
  mkdirSync(join(file, ".."), { recursive: true });
  writeFileSync(file, "\u007fELF");
  chmodSync(file, 0o755);
  return file;
}

test("a program outside the system's folders is shown where it is, before those", () => {
  const node = program("node24", "bin", "node");
  program("rust", "bin", "no-such-cargo");
  const { mounts, path } = toolchainFor("no-such-cargo", `relative:${join(top, "rust/bin")}`, node);
  expect(mounts).toEqual([
    { from: join(top, "node24"), at: join(top, "node24"), mode: "read" },
    { from: join(top, "rust"), at: join(top, "rust"), mode: "read" },
  ]);
  expect(path.split(":").slice(0, 2)).toEqual([join(top, "node24/bin"), join(top, "rust/bin")]);
});

test("a program of the system needs nothing more than the Node that we run on", () => {
  const node = program("node24", "bin", "node");
  const { mounts, path } = toolchainFor("sh", "/nowhere", node);
  expect(mounts).toHaveLength(1);
  expect(path).toBe(`${join(top, "node24/bin")}:/usr/local/bin:/usr/bin:/bin`);
});

test("TOOLCHAIN-1: nothing of the machine is shown in the agent's /work", () => {
  const { mounts, path } = toolchainFor("sh", "", "/work/somewhere/bin/node");
  expect(mounts.every(({ at }) => !at!.startsWith("/work"))).toBe(true);
  expect(path.startsWith("/opt/aos/work/somewhere/bin:")).toBe(true);
});
