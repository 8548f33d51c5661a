// BullMQ: a queue and a worker for each agent of a ring, on a Redis that writes every command to the disk before it
// answers. Needs `redis-server` (Debian: redis-server).

import { spawn, spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { Queue, Worker } from "bullmq";
import { Redis } from "ioredis";
import { each, fileBytes, freePort, measure, versionOf } from "./harness.mjs";

await measure("bullmq", async (bench) => {
  const { connection, redis, dir, serverVersion } = await startRedis(bench);
  let received = 0;

  const work = async ({ agents, steps, run }) => {
    const queues = [];
    const workers = [];
    const waiting = Array.from({ length: agents }, () => []);
    const arrived = Array.from({ length: agents }, () => 0);
    for (let id = 0; id < agents; id += 1) {
      const name = `${run}-${id}`;
      queues.push(new Queue(name, { connection }));
      const take = async () => {
        arrived[id] += 1;
        waiting[id].shift()?.();
      };
      // A job that is done is removed: it has been received.
      workers.push(new Worker(name, take, { connection, removeOnComplete: { count: 0 }, concurrency: 1 }));
    }
    await Promise.all(workers.map((worker) => worker.waitUntilReady()));
    const done = workers.map(
      (worker) =>
        new Promise((resolve) => {
          let completed = 0;
          worker.on("completed", () => (completed += 1) === steps && resolve());
        }),
    );
    await each(agents, async (id) => {
      for (let step = 0; step < steps; step += 1) {
        await queues[(id + 1) % agents].add("note", bench.payload(id, step));
        if (arrived[id] <= step) await new Promise((resolve) => waiting[id].push(resolve));
      }
    });
    await Promise.all(done);
    if (run === "timed") received = arrived.reduce((sum, count) => sum + count, 0);
    return async () => {
      await Promise.all(workers.map((worker) => worker.close()));
      await Promise.all(queues.map((queue) => queue.close()));
    };
  };

  const closing = [];
  const seconds = await bench.time(async (size) => void closing.push(await work(size)));
  await Promise.all(closing.map((close) => close()));
  await redis.quit();
  return {
    version: `${versionOf("bullmq")}, Redis ${serverVersion}`,
    seconds,
    diskBytes: fileBytes(dir),
    stored: received,
  };
});

async function startRedis(bench) {
  const found = spawnSync("redis-server", ["--version"], { encoding: "utf8" });
  if (found.error) throw new Error("no redis-server: install it (Debian: redis-server)");
  const port = await freePort();
  const dir = join(bench.dir, "redis");
  mkdirSync(dir);
  const settings = { port, dir, bind: "127.0.0.1", appendonly: "yes", appendfsync: "always", save: "" };
  const flags = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const server = spawn("redis-server", flags, { stdio: "ignore" });
  bench.defer(() => server.kill());
  const connection = { host: "127.0.0.1", port, maxRetriesPerRequest: null };
  const redis = new Redis(connection);
  redis.on("error", () => {}); // until the server listens
  bench.defer(() => redis.disconnect());
  const [, mode] = await redis.config("GET", "appendfsync");
  if (mode !== "always") throw new Error(`Redis runs with appendfsync ${mode}`);
  return { connection, redis, dir, serverVersion: /v=(\S+)/.exec(found.stdout)?.[1] };
}
