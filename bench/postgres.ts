// postgres: durable steps per second on one PostgreSQL with fsync and synchronous_commit on. Ours, a bare loop
// with the same driver, and DBOS take turns on the same server; what counts is how they compare.

import { loadavg, tmpdir } from "node:os";
import { startPostgres, type PostgresServer } from "../tests/helpers/postgres.ts";
import { inChild } from "./child.ts";
import { median, round } from "./measure.ts";
import { runPeer } from "./peers/run.mjs";

const MANY = { agents: 200, steps: 100, bytes: 400 };
const ONE = { agents: 1, steps: 1000, bytes: 400 };
const ROUNDS = 3;
const WARM_SECONDS = 3;

interface Figures {
  readonly perSecond: number;
  readonly cpuMicros: number;
}
type Size = typeof MANY;

export async function postgres(): Promise<Record<string, unknown>> {
  const parent = process.env["AOS_BENCH_DIR"] ?? tmpdir();
  const server = await startPostgres({ isDurable: true, parent });
  try {
    await mustBeDurable(server);
    return await compare(server);
  } finally {
    await server.stop();
  }
}

async function compare(server: PostgresServer): Promise<Record<string, unknown>> {
  const load = loadavg()[0]!;
  const [many, one] = [await takeTurns(server, MANY), await takeTurns(server, ONE)];
  const [dbos, dbosAt1] = [
    await dbosOn(server, MANY),
    await dbosOn(server, { ...ONE, steps: 200 }),
  ];
  return {
    at200: {
      ours: round(many.ours.perSecond),
      dbos,
      bareTransaction: round(many.transaction.perSecond),
      timesDbos: round(many.ours.perSecond / dbos, 1),
      ofBare: round(many.ours.perSecond / many.transaction.perSecond, 2),
      cpuMicros: cpuOf(many),
    },
    at1: {
      ours: round(one.ours.perSecond),
      dbos: dbosAt1,
      bareTransaction: round(one.transaction.perSecond),
      bareStatement: round(one.statement.perSecond),
      timesDbos: round(one.ours.perSecond / dbosAt1, 1),
      ofBareTransaction: round(one.ours.perSecond / one.transaction.perSecond, 2),
      ofBareStatement: round(one.ours.perSecond / one.statement.perSecond, 2),
      cpuMicros: cpuOf(one),
    },
    loadBefore: round(load, 1),
    loadAfter: round(loadavg()[0]!, 1),
    unit: "steps/s; cpuMicros: CPU of the client's process, a step",
  };
}

interface Turns {
  readonly ours: Figures;
  readonly transaction: Figures;
  readonly statement: Figures;
}

/** Medians of the speed and minima of the CPU: what else runs makes both worse, and never better. */
async function takeTurns(server: PostgresServer, size: Size): Promise<Turns> {
  const runs = {
    ours: [] as Figures[],
    transaction: [] as Figures[],
    statement: [] as Figures[],
  };
  for (let nth = 0; nth < ROUNDS; nth++) {
    const { url } = await server.createDatabase();
    const options = { ...size, url, warmSeconds: WARM_SECONDS };
    runs.ours.push(await inChild("steps-and-cpu", { ...options, durability: "every-call" }));
    for (const shape of ["transaction", "statement"] as const)
      runs[shape].push(await inChild("postgres-bare", { ...options, shape }));
  }
  const summed = (figures: readonly Figures[]): Figures => ({
    perSecond: median(figures.map(({ perSecond }) => perSecond)),
    cpuMicros: Math.min(...figures.map(({ cpuMicros }) => cpuMicros)),
  });
  return {
    ours: summed(runs.ours),
    transaction: summed(runs.transaction),
    statement: summed(runs.statement),
  };
}

const cpuOf = ({ ours, transaction, statement }: Turns) => ({
  ours: round(ours.cpuMicros, 1),
  bareTransaction: round(transaction.cpuMicros, 1),
  bareStatement: round(statement.cpuMicros, 1),
});

async function dbosOn(server: PostgresServer, size: Size): Promise<number> {
  const { url } = await server.createDatabase();
  const result = (await runPeer("dbos", { ...size, url, warm: WARM_SECONDS })) as {
    stepsPerSecond?: number;
    error?: string;
  };
  if (result.stepsPerSecond === undefined) console.error(`dbos: ${result.error}`);
  return round(result.stepsPerSecond ?? NaN);
}

async function mustBeDurable(server: PostgresServer): Promise<void> {
  const { execute } = await server.createDatabase();
  for (const name of ["fsync", "synchronous_commit", "full_page_writes"]) {
    const [row] = (await execute(`show ${name}`)) as Record<string, string>[];
    if (row![name] !== "on") throw new Error(`PostgreSQL runs with ${name} ${row![name]}`);
  }
}
