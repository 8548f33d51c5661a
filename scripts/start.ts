// `npm start`: the system's main job, with no key: a daemon, an agent, its result, and what to try next.

import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { buildDashboard } from "./build-dashboard.ts";

const AOS = fileURLToPath(new URL("../cli/bin/aos", import.meta.url));
const HELLO = fileURLToPath(new URL("../examples/hello", import.meta.url));

const next = `
Next:
  npx aos logs @last            what the agent did, record by record
  npx aos replay @last --verify run it again from its journal: every byte the same
  npx aos ps -a                 what runs and what ran
  npx aos status                the daemon, which stays up
  npx aos down                  stop it
`;

buildDashboard();

const { status, error } = spawnSync(AOS, ["run", HELLO, process.argv[2] ?? "Good morning"], {
  stdio: "inherit",
});
if (error) throw error;
if (status === 0) {
  process.stderr.write(next);
  spawnSync(AOS, ["status"], { stdio: ["ignore", 2, "inherit"] });
}
process.exitCode = status ?? 1;
