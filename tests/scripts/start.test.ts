// What `npm start` says on a machine without a sandbox, and of a question that two demos wait with. (Which
// package manager is called, and when, is in cli/src/setup/install-bubblewrap.test.ts.)

import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Question } from "@aos/protocol";
import { expect, onTestFinished, test, vi } from "vitest";
import { tellQuestion } from "../../scripts/start/tell.ts";

const SETUP = fileURLToPath(new URL("../../scripts/start/setup.ts", import.meta.url));
const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** Only root may hide a file of the system from a process. */
const canHide = process.getuid?.() === 0 && process.platform === "linux";

/** `setUp()` where the system has no bwrap, and with an apt-get of the test's. */
function setUpWithout(aptGet: string): string {
  const folder = mkdtempSync(join(tmpdir(), "aos-no-bwrap-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20 }));
  mkdirSync(join(folder, "empty"));
  writeFileSync(join(folder, "apt-get"), `#!/bin/sh\n${aptGet}\n`);
  chmodSync(join(folder, "apt-get"), 0o755);
  const call = `const { setUp } = await import(${JSON.stringify(SETUP)}); console.log("set up:", await setUp());`;
  // A mount namespace of its own, in which the folders that have bwrap have only what Node and sh need not.
  const script = `
    for place in /usr/bin /usr/local/bin; do
      mkdir -p "$1$place/up" "$1$place/work"
      mknod "$1$place/up/bwrap" c 0 0
      mount -t overlay overlay -o "lowerdir=$place,upperdir=$1$place/up,workdir=$1$place/work" $place || exit 77
    done
    exec "$2" --input-type=module -e "$3" </dev/null`;
  const { status, stdout, stderr } = spawnSync(
    "unshare",
    ["-m", "sh", "-c", script, "sh", folder, process.execPath, call],
    { encoding: "utf8", cwd: ROOT, env: { ...process.env, PATH: `${folder}:/usr/bin:/bin` } },
  );
  if (status === 77) return "";
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  return stdout;
}

test.skipIf(!canHide)("it is installed by root without being asked, and said so", (context) => {
  const said = setUpWithout('[ "$1" = update ] || touch /usr/bin/bwrap');
  if (said === "") context.skip("a file of the system cannot be hidden here");

  expect(said).toContain(
    "installing it: apt-get update && apt-get install -y --no-install-recommends bubblewrap\n",
  );
  expect(said).toContain("bubblewrap is installed: the tools of agents run in its sandbox.\n");
  expect(said).toContain("set up: true\n");
});

test.skipIf(!canHide)("where it cannot be installed the line is there to be copied", (context) => {
  const said = setUpWithout('echo "E: no network" >&2; exit 100');
  if (said === "") context.skip("a file of the system cannot be hidden here");

  expect(said).toContain("This machine has no sandbox");
  expect(said).toMatch(/^ {2}apt-get update && apt-get install .* bubblewrap$/m);
  expect(said).toMatch(/tried +apt-get update: the command exited with code 100: E: no network/);
  expect(said).toContain("set up: false\n");
});

test("a question that an earlier run waits with too stands for both", () => {
  let said = "";
  vi.spyOn(process.stdout, "write").mockImplementation((text) => {
    said += String(text);
    return true;
  });
  onTestFinished(() => void vi.restoreAllMocks());
  const args = JSON.stringify({ tool: "file.append", args: { path: "/work/a" } });
  const about = { args, colour: "RED", label: "untrusted/public", rule: "r" };
  const question = { id: "ask_1", question: "may I?", about, pids: ["agt_1", "agt_2"] };

  tellQuestion(question as unknown as Question, "agt_2");
  const ofBoth = said;
  said = "";
  tellQuestion({ ...question, pids: ["agt_2"] } as unknown as Question, "agt_2");

  expect(ofBoth.replaceAll(/\s+/g, " ")).toContain(
    "agt_1 asked the same before: one answer to ask_1 applies to both.",
  );
  expect(said).not.toContain("applies to");
});
