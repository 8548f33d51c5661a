// First agent: a new home has one agent with a name, so that clients of /v1 and /mcp find somebody to talk to.
//
// FIRST-AGENT-1  Only a home that has no agent yet is given one, and nothing of anybody's is written
//     over.

import { copyFileSync, constants, existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const HELLO = fileURLToPath(new URL("../../examples/hello", import.meta.url));

export function putFirstAgent(home: string): void {
  const [agents, scripts] = [join(home, "agents"), join(home, "scripts")];
  if (existsSync(agents) && readdirSync(agents).length > 0) return;
  for (const folder of [agents, scripts]) mkdirSync(folder, { recursive: true, mode: 0o700 });
  const script = join(scripts, "hello.yaml");
  if (!existsSync(script)) copyFileSync(join(HELLO, "hello.yaml"), script, constants.COPYFILE_EXCL);
  const manifest = join(agents, "hello.yaml");
  copyFileSync(join(HELLO, "agent.yaml"), manifest, constants.COPYFILE_EXCL);
}
