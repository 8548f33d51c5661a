// The resources of a real MCP server as files below /mnt: listed, read, and replayed without the server.

import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createTestHome } from "../e2e/home.ts";

test("the resources of server-everything are listed and read below /mnt; a replay needs no server", async () => {
  const aos = createTestHome();
  onTestFinished(() => aos.remove());
  mkdirSync(aos.folder, { recursive: true, mode: 0o700 });
  const servers = { everything: { command: ["mcp-server-everything"] } };
  writeFileSync(join(aos.folder, "mcp.yaml"), JSON.stringify({ servers }));
  const mounts = { ev: { driver: "mcp", server: "everything" } };
  writeFileSync(join(aos.folder, "config.yaml"), JSON.stringify({ mounts }));

  const listed = await aos.aos("fs", "ls", "/mnt/ev");
  const path = listed.stdout.split(/\s/).find((word) => word.endsWith("architecture.md")) ?? "";
  const read = await aos.aos("fs", "cat", path);
  const absent = await aos.aos("fs", "cat", "/mnt/ev/demo/nothing");
  const dynamic = await aos.aos("fs", "cat", "/mnt/ev/demo/resource/dynamic/text/7");
  rmSync(join(aos.folder, "mcp.yaml"));
  const replayed = await aos.aos("replay", "@last");

  expect(path).toBe("/mnt/ev/demo/resource/static/document/architecture.md");
  expect(read).toMatchObject({ code: 0, stdout: expect.stringContaining("Architecture") });
  expect(dynamic).toMatchObject({ code: 0, stdout: expect.stringContaining("Resource 7") });
  expect(absent.code).not.toBe(0);
  expect(absent.stderr).toContain("/mnt/ev: the MCP server everything says");
  expect(replayed.code).toBe(0);
});
