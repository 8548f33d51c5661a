import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { outsideHint } from "./outside-hint.ts";

test("a script outside of the manifest's folder says what to change, when something is missing", () => {
  const folder = mkdtempSync(join(tmpdir(), "aos-outside-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const agents = join(folder, "agents");
  mkdirSync(agents);
  writeFileSync(join(folder, "agent.py"), "");
  const said = "ModuleNotFoundError: No module named 'helper'";

  expect(outsideHint(said, ["python3", "../agent.py"], agents)).toContain(
    "outside of its manifest's folder",
  );
  expect(outsideHint(said, ["python3", "agent.py"], folder)).toBe("");
  expect(outsideHint("ValueError: 3", ["python3", "../agent.py"], agents)).toBe("");
});
