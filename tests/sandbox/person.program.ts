// A daemon of somebody who is not root: tries a few runs and prints what came of them.

import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSandbox } from "@aos/drivers";
import { markOf, currentOwner, type RunEnding, type RunRequest } from "@aos/drivers/sandbox";

const [token = ""] = process.argv.slice(2);
const sandbox = await createSandbox();
const folder = mkdtempSync(join(tmpdir(), "aos-person-"));

async function run(script: string, more: Partial<RunRequest> = {}): Promise<RunEnding> {
  const started = await sandbox.start({
    command: ["/bin/sh", "-c", script],
    mounts: [{ from: folder, at: "/work", mode: "write" }],
    network: "none",
    profile: "tool",
    output: "collect",
    name: "test",
    ...more,
  });
  return started.ended;
}

const wrote = await run("id -u; echo mine > /work/file; cat /work/file");
const left = await run(`(setsid sleep 1000.${token} &); echo left`);
// No more than these, also when nothing holds them.
const bomb = await run(`for i in $(seq 1 400); do sleep 20.${token} & done; wait`, {
  limits: { processes: 40 },
});
const nproc = await run("ulimit -p", { limits: { processes: 40 } });
const spin = await run("while :; do :; done", { limits: { cpuMs: 200 } });
const hog = await run("exec tail -n 1 /dev/zero", { limits: { memoryBytes: 64 * 2 ** 20 } });
const killed: RunEnding[] = [];
for (const waitMs of [0, 3, 6, 9, 12]) {
  const running = await sandbox.start({
    command: ["sleep", `1000.${token}`],
    mounts: [],
    network: "none",
    profile: "tool",
    output: "collect",
    name: "test",
  });
  await new Promise((resolve) => setTimeout(resolve, waitMs));
  running.kill();
  killed.push(await running.ended);
}
const other = await run("true", { user: { uid: 1, gid: 1 } }).catch((error: unknown) => error);
await sandbox.close();
rmSync(folder, { recursive: true });
const remains = readdirSync(tmpdir()).filter((name) => name.startsWith(markOf(currentOwner())));
console.log(
  JSON.stringify({
    report: sandbox.report,
    wrote,
    left,
    bomb,
    nproc,
    spin,
    hog,
    killed,
    other,
    remains,
  }),
);
