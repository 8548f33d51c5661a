// A daemon that starts a run and says so; the test kills it.

import { createSandbox } from "@aos/drivers";

const [script = ""] = process.argv.slice(2);
const sandbox = await createSandbox();
const run = await sandbox.start({
  command: ["/bin/sh", "-c", script],
  mounts: [],
  network: "none",
  profile: "tool",
  output: "stream",
  name: "of a daemon",
});
run.stdout!.on("data", (chunk: Buffer) => process.stdout.write(chunk));
await run.ended;
