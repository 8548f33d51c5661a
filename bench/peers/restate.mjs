// Restate: one invocation of a service per agent, one `ctx.run` after the other.
//
// A single server on loopback with its defaults: all roles in one process, the replicated loglet
// with one copy, RocksDB's log fsynced before a record is acknowledged.

import { spawn } from "node:child_process";
import { createServer } from "node:http2";
import { join } from "node:path";
import { createRequire } from "node:module";
import * as restate from "@restatedev/restate-sdk";
import { each, fileBytes, freePort, measure, versionOf } from "./harness.mjs";

const START_LIMIT_MS = 60_000;

await measure("restate", async (bench) => {
  const agentService = restate.service({
    name: "agent",
    handlers: {
      live: async (ctx, { agent, steps }) => {
        for (let step = 0; step < steps; step += 1) {
          await ctx.run("work", () => bench.payload(agent, step));
        }
      },
    },
  });
  const endpoint = await serve(bench, agentService);
  const server = await startServer(bench);
  await server.admin("/deployments", { uri: endpoint });

  const work = ({ agents, steps }) => each(agents, (agent) => server.ingress("/agent/live", { agent, steps }));
  const runs = () => server.query("select count(*) as n from sys_journal where entry_type = 'Command: Run'");

  let before;
  let runsBefore;
  const seconds = await bench.time(work, {
    beforeTimed: async () => {
      runsBefore = await runs();
      before = fileBytes(server.home);
    },
  });
  const stored = (await runs()) - runsBefore;
  await server.stop();
  const diskBytes = fileBytes(server.home) - before;
  const version = `${versionOf("@restatedev/restate-sdk")}, server ${versionOf("@restatedev/restate-server")}`;
  return { version, seconds, diskBytes, stored };
});

async function serve(bench, service) {
  const quiet = (params, ...message) => {
    if (params.level === "error") console.error(...message);
  };
  const http = createServer(restate.createEndpointHandler({ services: [service], logger: quiet }));
  const sessions = new Set();
  http.on("session", (session) => sessions.add(session.once("close", () => sessions.delete(session))));
  bench.defer(() => {
    for (const session of sessions) session.destroy();
    http.close();
  });
  await new Promise((resolve, reject) => http.once("error", reject).listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${http.address().port}`;
}

async function startServer(bench) {
  const [node, ingress, admin] = [await freePort(), await freePort(), await freePort()];
  const home = join(bench.dir, "restate");
  const platform = `@restatedev/restate-server-${process.platform}-${process.arch}`;
  const binary = createRequire(import.meta.url).resolve(`${platform}/bin/restate-server`);
  const args = ["--no-logo", "--listen-mode", "tcp", "--bind-ip", "127.0.0.1", "--bind-port", String(node)];
  const child = spawn(binary, [...args, "--base-dir", home, "--node-name", "bench"], {
    cwd: bench.dir,
    stdio: ["ignore", "ignore", "inherit"],
    env: {
      PATH: process.env.PATH,
      RESTATE_ADVERTISED_HOST: "127.0.0.1",
      RESTATE_INGRESS__BIND_PORT: String(ingress),
      RESTATE_ADMIN__BIND_PORT: String(admin),
      RESTATE_DISABLE_TELEMETRY: "true",
      RESTATE_LOG_FILTER: "error,octocrab=off",
    },
  });
  const ended = new Promise((resolve) => {
    child.once("error", resolve);
    child.once("exit", resolve);
  });
  const stop = async () => {
    child.kill("SIGTERM");
    const timer = setTimeout(() => child.kill("SIGKILL"), 15_000);
    await ended;
    clearTimeout(timer);
  };
  bench.defer(stop);

  const call = async (port, path, body, headers = {}) => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
      method: body === undefined ? "GET" : "POST",
      headers: { "content-type": "application/json", ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${path}: HTTP ${answer.status} ${text}`);
    return text;
  };
  await until(START_LIMIT_MS, async () => {
    await call(admin, "/health");
    await call(ingress, "/restate/health");
  });

  return {
    home,
    stop,
    admin: (path, body) => call(admin, path, body),
    ingress: (path, body) => call(ingress, path, body),
    query: async (query) => JSON.parse(await call(admin, "/query", { query }, { accept: "application/json" })).rows[0].n,
  };
}

async function until(limitMs, attempt) {
  const end = Date.now() + limitMs;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (Date.now() > end) throw new Error(`restate-server did not start: ${error.message}`, { cause: error });
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}
