import { expect, test } from "vitest";
import { loadAttacks } from "./run-attacks.ts";

test("RUN-ATTACKS-2: without the package, the error has the line that installs it", async () => {
  const missing = "@aos/no-such-attacks";

  const loading = loadAttacks(() => import(missing));

  await expect(loading).rejects.toMatchObject({
    code: "ENOENT",
    message: "the package @aos/attacks is not installed",
    hint: expect.stringContaining("npm install --prefix /"),
  });
});
