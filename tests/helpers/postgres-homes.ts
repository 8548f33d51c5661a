// The PostgreSQL of the project `postgres`: one server for all its files. A home that a test makes has a new database of it
// (newHomeDatabase), so that a test that knows nothing of PostgreSQL runs on it.

import { spawn, spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { inject } from "vitest";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    /** The server that every home has a database of; undefined where homes have files. */
    postgresUrl: string | undefined;
  }
}

const path = (name: string) => fileURLToPath(new URL(name, import.meta.url));

/** In a process of its own: what vitest is set up by cannot find packages as a program does. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = spawn(process.execPath, [path("postgres-server.program.ts")], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const url = await new Promise<string>((resolve, reject) => {
    let said = "";
    server.stdout.setEncoding("utf8").on("data", (text: string) => {
      said += text;
      if (said.includes("\n")) resolve(said.trim());
    });
    server.once("close", () => reject(new Error("PostgreSQL did not start")));
  });
  project.provide("postgresUrl", url);
  return async () => {
    const closed = once(server, "close");
    server.stdin.end();
    await closed;
  };
}

/** At once, as a home is made at once. */
export function newHomeDatabase(): { readonly AOS_DATABASE_URL?: string } {
  const server = inject("postgresUrl");
  if (server === undefined) return {};
  const url = new URL(server);
  url.pathname = `/home_${randomUUID().replaceAll("-", "")}`;
  const { status, stderr } = spawnSync(
    process.execPath,
    [path("create-database.program.ts"), server, url.pathname.slice(1)],
    {
      encoding: "utf8",
    },
  );
  if (status !== 0) throw new Error(`no database was made: ${stderr}`);
  return { AOS_DATABASE_URL: url.href };
}
