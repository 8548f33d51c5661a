// storm: agents of every kind under everything that can go wrong, and then the sum: every outside effect
// happened exactly once, every run ended, every replay is identical, and the audit names the damage that was made.
//
//   npm run bench -- storm [--from CHECKOUT]
//
// CHECKOUT is a checkout of an earlier release, with its packages installed; the storm then begins under it and
// the newer version takes over in the midst of the work.

import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { freePort, startPostgres } from "../tests/helpers/postgres.ts";
import { benchFolder } from "./measure.ts";
import { acceptDamage, fillDisk, killAndStart, tearLog, up, upgrade } from "./storm/blows.ts";
import { lineOf, writeAgents, type StormAgent } from "./storm/agents.ts";
import { startRobot } from "./storm/robot.ts";
import { aos, mustAos, pause, remoteAos, seen, type World } from "./storm/world.ts";
import { optionOf } from "./option.ts";

const HERE = fileURLToPath(new URL("..", import.meta.url)).replace(/\/$/, "");
const KILLS = 10;
const HOME_BYTES = "256m";
const GIVE_UP_MS = 30 * 60_000;

interface Running extends StormAgent {
  readonly pid: string;
}

export async function storm(args: readonly string[] = []): Promise<Record<string, unknown>> {
  const from = optionOf(args, "--from");
  return {
    sqlite: await onSqlite(from),
    postgres: await onPostgres(),
    unit: "effects that were lost or doubled",
  };
}

async function onSqlite(from: string | undefined): Promise<object> {
  const folder = benchFolder();
  const home = join(folder, "home");
  const isMounted = mountSmallDisk(home);
  const world = await worldIn(folder, from ?? HERE, {});
  try {
    const running = await begin(world, folder, 1);
    const robot = startRobot(world);
    const talk = invokeAll(world, running);
    await kills(world, "before the upgrade");
    if (from !== undefined) await step("upgrade", () => upgrade(world, HERE));
    await kills(world, "after it");
    const torn = await step("torn log", () => tearLog(world));
    const accepted = await step("accept the damage", () => acceptDamage(world));
    const full = isMounted
      ? await step("full disk", () => fillDisk(world, 10_000))
      : { skipped: "a small disk needs root" };
    await kills(world, "after the full disk");
    await talk;
    const ends = await waitForAll(world, running);
    const asked = await robot.stop();
    return { ...(await sum(world, running)), ends, asked, torn, accepted, full, kills: 3 * KILLS };
  } finally {
    await aos(world, "down");
    if (isMounted) execFileSync("umount", [home]);
    rmSync(folder, { recursive: true, force: true });
  }
}

async function onPostgres(): Promise<object> {
  const folder = benchFolder();
  const server = await startPostgres();
  const { url } = await server.createDatabase();
  const world = await worldIn(folder, HERE, { AOS_DATABASE_URL: url });
  try {
    const running = await begin(world, folder, 0.25);
    const robot = startRobot(world);
    const talk = invokeAll(world, running);
    await kills(world, "on PostgreSQL");
    await step("PostgreSQL restarts", () => server.restart(5000));
    await kills(world, "after its restart");
    await talk;
    const ends = await waitForAll(world, running);
    const asked = await robot.stop();
    return { ...(await sum(world, running)), ends, asked, kills: 2 * KILLS };
  } finally {
    await aos(world, "down");
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A disk of its own that can be filled; needs root. */
function mountSmallDisk(home: string): boolean {
  mkdirSync(home, { mode: 0o700 });
  if (process.getuid?.() !== 0) return false;
  const options = `size=${HOME_BYTES},mode=0700`;
  execFileSync("mount", ["-t", "tmpfs", "-o", options, "tmpfs", home]);
  return true;
}

async function worldIn(folder: string, checkout: string, more: object): Promise<World> {
  const home = join(folder, "home");
  mkdirSync(home, { recursive: true, mode: 0o700 });
  writeFileSync(join(home, "config.yaml"), "approvals: { perHour: 10000 }\n", { mode: 0o600 });
  const port = await freePort();
  const env = { ...process.env, AOS_HOME: home, AOS_HTTP: `127.0.0.1:${port}`, ...more };
  const world: World = {
    home,
    witness: join(folder, "witness.txt"),
    env: { ...env, NO_COLOR: "1" },
    url: `http://127.0.0.1:${port}`,
    token: "",
    checkout,
  };
  await up(world);
  const words = ["token", "create", "--role", "operator", "--name", "storm"];
  world.token = (await mustAos(world, ...words)).trim();
  return world;
}

async function begin(world: World, folder: string, share: number): Promise<Running[]> {
  const agents = writeAgents(join(folder, "agents"), world.witness, share);
  const running: Running[] = [];
  for (const agent of agents) {
    const input = agent.isPersistent ? [] : ["Begin."];
    const said = await mustAos(
      world,
      "spawn",
      agent.folder,
      ...input,
      ...agent.flags,
      "-o",
      "json",
    );
    running.push({ ...agent, pid: (JSON.parse(said) as { pid: string }).pid });
  }
  return running;
}

async function kills(world: World, when: string): Promise<void> {
  await step(`${KILLS} kills ${when}`, async () => {
    for (let at = 0; at < KILLS; at++) await killAndStart(world);
  });
}

/** Each message has a key: asked again after a crash, it is answered once. */
async function invokeAll(world: World, running: readonly Running[]): Promise<void> {
  const persistent = running.filter(({ isPersistent }) => isPersistent);
  await Promise.all(
    persistent.map(async ({ pid, name, lines }) => {
      for (let at = 0; at < lines.length; at++) {
        const line = lineOf(name, at);
        const ask = () => remoteAos(world, "invoke", pid, line, "--key", line, "--timeout", "60s");
        while ((await ask()).code !== 0) await pause(1000);
      }
    }),
  );
}

async function waitForAll(world: World, running: readonly Running[]): Promise<object> {
  const ends: Record<string, number> = {};
  const until = Date.now() + GIVE_UP_MS;
  for (const { pid, isPersistent } of running) {
    if (isPersistent) continue;
    for (;;) {
      const { stdout } = await remoteAos(world, "wait", pid, "--timeout", "30s", "-o", "json");
      const state = stateIn(stdout);
      if (state === "completed" || state === "failed" || state === "killed") {
        ends[state] = (ends[state] ?? 0) + 1;
        break;
      }
      if (Date.now() > until) throw new Error(`${pid} did not end: ${stdout}`);
    }
  }
  return ends;
}

function stateIn(text: string): string | undefined {
  try {
    return (JSON.parse(text) as { state?: string }).state;
  } catch {
    return undefined;
  }
}

async function sum(world: World, running: readonly Running[]): Promise<object> {
  const counts = seen(world);
  const expected = running.flatMap(({ lines }) => lines);
  const lost = expected.filter((line) => !counts.has(line));
  const doubled = [...counts].filter(([, count]) => count > 1).map(([line]) => line);
  const different: string[] = [];
  for (const { pid } of running)
    if ((await aos(world, "replay", pid, "--verify")).code !== 0) different.push(pid);
  const audit = await aos(world, "audit", "verify");
  return {
    agents: running.length,
    effects: expected.length,
    lost,
    doubled,
    replaysThatDiffer: different,
    audit: audit.stdout.trim().split("\n").slice(0, 5),
  };
}

async function step<T>(name: string, work: () => Promise<T>): Promise<T> {
  const since = performance.now();
  const result = await work();
  console.error(`storm: ${name}: ${Math.round((performance.now() - since) / 1000)} s`);
  return result;
}
