import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { findBubblewrap } from "./bubblewrap-features.ts";

test("a bubblewrap that is not there, and one that does not run, are told apart", async () => {
  const folder = mkdtempSync(join(tmpdir(), "aos-bwrap-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "bwrap");

  expect(await findBubblewrap([path])).toEqual({
    problem: expect.stringContaining("is not installed: `apt install bubblewrap`"),
  });
  writeFileSync(path, "#!/bin/sh\necho 'bwrap: no capabilities' >&2\nexit 1\n", { mode: 0o755 });
  expect(await findBubblewrap([path])).toEqual({
    problem: `${path} is installed and does not run: bwrap: no capabilities`,
  });
});
