// What is bound is what was opened (RUN-SOURCES-1), also where root has to make it reachable first.

import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { RunSources } from "@aos/drivers/sandbox";

const isRoot = process.getuid?.() === 0;

let top: string;
beforeEach(() => {
  top = mkdtempSync(join(tmpdir(), "aos-sources-"));
  chmodSync(top, 0o711);
  for (const name of ["aliases", "closed", "closed/given 'x'", "closed/other"]) {
    mkdirSync(join(top, name));
    chmodSync(join(top, name), name === "closed" ? 0o700 : 0o755);
  }
  writeFileSync(join(top, "closed/given 'x'/note"), "given\n");
  writeFileSync(join(top, "closed/other/note"), "other\n");
});
afterEach(() => rmSync(top, { recursive: true, force: true, maxRetries: 20 }));

/** Gives the folder, lets `meanwhile` happen, and reads the note as the user. */
function readAlias(meanwhile: () => void): string {
  const sources = new RunSources({
    hasBindFd: true,
    user: { uid: 61_502, gid: 61_502 },
    isRoot,
    aliases: join(top, "aliases"),
    first: 8,
  });
  const at = String(sources.give(join(top, "closed/given 'x'")));
  meanwhile();
  const [command, ...words] = sources.wrap(["/bin/sh", "-c", `id -u; cat ${at}/note`]);
  return spawnSync(command!, words, { encoding: "utf8" }).stdout;
}

test.runIf(isRoot)(
  "a folder behind a closed one is reached by its user, and by nobody else",
  () => {
    expect(readAlias(() => {})).toBe("61502\ngiven\n");
    expect(spawnSync("ls", [join(top, "aliases/folder-0")], { encoding: "utf8" }).stdout).toBe("");
  },
);

test.runIf(isRoot)("what was put in its place in the meantime is not", () => {
  const swap = () => {
    renameSync(join(top, "closed/given 'x'"), join(top, "closed/away"));
    renameSync(join(top, "closed/other"), join(top, "closed/given 'x'"));
  };

  expect(readAlias(swap)).toBe("");
});
