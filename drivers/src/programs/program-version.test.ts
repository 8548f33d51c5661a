import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { programVersion } from "./program-version.ts";

test("a program whose file was changed has another version, and only then", async () => {
  const folder = await mkdtemp(join(tmpdir(), "aos-version-"));
  await writeFile(join(folder, "agent.py"), "print(1)");

  const before = await programVersion(["python3", "agent.py"], folder);
  const again = await programVersion(["python3", "agent.py"], folder);
  await writeFile(join(folder, "agent.py"), "print(2)");
  const after = await programVersion(["python3", "agent.py"], folder);

  expect(again).toBe(before);
  expect(after).not.toBe(before);
  await rm(folder, { recursive: true });
});
