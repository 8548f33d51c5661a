// `aos` as a program. Kept small: what a command needs is loaded when it is called.

import { enableCompileCache } from "node:module";

enableCompileCache();

// `aos logs | head`: the reader has seen enough.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(0);
  throw error;
});

const { run } = await import("./run.ts");
process.exitCode = await run(process.argv.slice(2));
