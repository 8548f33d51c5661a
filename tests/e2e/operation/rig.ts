// A daemon to operate: a home with scripted agents in it, and a client of its socket.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createClient, type Client } from "@aos/client";
import { socketFetch } from "@aos/cli/parts";
import { createTestHome, type TestHome } from "../home.ts";

export interface Rig {
  readonly home: TestHome;
  readonly client: Client;
  /** An agent of the home, by name: its model says these turns, which are YAML. */
  agent(
    name: string,
    wish: { turns: string; tools: string; capabilities: readonly string[] },
  ): void;
  config(text: string): void;
  /** In place of the policy that ships: capabilities decide, and no person is asked. */
  policyOfCapabilities(): string;
}

export function createRig(env: Record<string, string> = {}): Rig {
  const home = createTestHome(env);
  const write = (path: string, text: string) => {
    mkdirSync(join(home.folder, path, ".."), { recursive: true, mode: 0o700 });
    writeFileSync(join(home.folder, path), text);
  };
  return {
    home,
    client: createClient({
      fetch: socketFetch(join(home.folder, "aos.sock")),
      baseUrl: "http://aos",
    }),
    agent(name, { turns, tools, capabilities }) {
      write(`scripts/${name}-words.yaml`, `turns:\n${turns}`);
      const all = JSON.stringify([`model:scripted/${name}-words:infer`, ...capabilities]);
      write(
        `agents/${name}.yaml`,
        `{ apiVersion: aos/v1, kind: Agent, name: ${name}, model: scripted/${name}-words, tools: ${tools}, capabilities: ${all} }\n`,
      );
    },
    config: (text) => write("config.yaml", text),
    policyOfCapabilities() {
      write("mine.yaml", 'version: 1\nrules: [{ id: capabilities-decide, allow: "*" }]\n');
      return "policy: { default: false, files: [mine.yaml] }\n";
    },
  };
}
