import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { loadAttacks } from "./run-attacks.ts";

test("RUN-ATTACKS-2: without the package, the error has the line that installs it", async () => {
  const folder = mkdtempSync(join(tmpdir(), "aos-no-attacks-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));

  const loading = loadAttacks(pathToFileURL(join(folder, "daemon.ts")).href);

  await expect(loading).rejects.toMatchObject({
    code: "ENOENT",
    message: "the package @aos/attacks is not installed",
    hint: expect.stringContaining("npm install --prefix /"),
  });
});
