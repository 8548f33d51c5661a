// The daemon as a program: `node daemon/src/main.ts [--detached] [--http=…] [--log-level=…] [--log-format=…]`.
// With `--show-config` or `--check-config=FILE` it only answers that (config-command.ts), with `--offline` it does what
// standard input says to a home that no daemon runs on (backup/offline-command.ts).
//
// Started with an IPC channel it tells its starter when it is ready, or why it is not, and hangs up.

import { enableCompileCache } from "node:module";

// Before anything else is loaded, so that what follows comes from the cache.
enableCompileCache();
const words = process.argv.slice(2);
if (words.some((word) => /^--(show|check)-config/.test(word))) {
  const { runConfigCommand } = await import("./config-command.ts");
  process.exit(runConfigCommand(words, process.env));
}
if (words.includes("--offline")) {
  const { runOfflineCommand } = await import("./backup/offline-command.ts");
  process.exit(await runOfflineCommand(process.env));
}
const { failures, SysError } = await import("@aos/protocol");
const { startDaemon } = await import("./daemon.ts");

const SECOND_SIGNAL_EXIT = 1;

const detached = words.includes("--detached");

// A signal may come before there is anything to stop. A second one does not wait.
let asked = false;
let stop: (() => void) | undefined;
for (const signal of ["SIGTERM", "SIGINT"] as const) {
  process.on(signal, () => {
    if (asked) process.exit(SECOND_SIGNAL_EXIT);
    asked = true;
    stop?.();
  });
}

// A daemon without a terminal reads its policy again; one whose terminal went away ends with it.
let reload: (() => void) | undefined;
process.on("SIGHUP", () =>
  process.stdin.isTTY ? process.kill(process.pid, "SIGTERM") : reload?.(),
);

const env = { ...process.env };
// The key that seals secrets is nobody's business from here on, a child's least of all.
delete process.env["AOS_SECRET_KEY"];

try {
  const daemon = await startDaemon({ env, detached, flags: words });
  stop = () => daemon.stop();
  reload = () => daemon.reload();
  if (asked) stop();
  await tell({ ready: daemon.info });
  await daemon.stopped;
  // All is closed and durable; a tool that hangs on to something must not keep us.
  process.exit(0);
} catch (error) {
  const failure =
    error instanceof SysError
      ? error.toText()
      : { code: "EINTERNAL" as const, message: String((error as Error).stack ?? error) };
  await tell({ failed: failure });
  if (!detached) {
    process.stderr.write(`aos: ${failure.message}\n`);
    if (failure.hint !== undefined) process.stderr.write(`hint: ${failure.hint}\n`);
  }
  process.exit(failures[failure.code].exit);
}

/** To whoever started us, if still there; then we are on our own. */
function tell(message: object): Promise<void> {
  return new Promise((resolve) => {
    if (process.send === undefined || !process.connected) return resolve();
    process.send(message, () => {
      if (process.connected) process.disconnect();
      resolve();
    });
  });
}
