// An MCP server for tests: the older revision on standard input and output, by hand, so that it can do what
// no library would. It runs in the sandbox. Its folder (the first word) has what it says of its tool `say`.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { createInterface } from "node:readline";

const [folder, manner = "usual"] = process.argv.slice(2);
const send = (message) =>
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const text = (said) => ({ content: [{ type: "text", text: String(said) }] });
const asking = new Map();
const progress = new Map();

const anything = { type: "object" };
const said = () => readFileSync(`${folder}/description`, "utf8");
const listed = () => [
  {
    name: "say",
    description: said(),
    inputSchema: {
      type: "object",
      properties: { text: { type: "string", maxLength: 20 } },
      required: ["text"],
    },
    annotations: { readOnlyHint: true },
  },
  ...["die", "ask", "open", "wait", "silent", "environment", "look", "write", "reach", "flood"]
    .concat(["fail", "refuse", "announce", "a/b", "get"])
    .map((name) => ({ name, description: name, inputSchema: anything })),
  { name: "outside", inputSchema: { type: "object", $ref: "https://a.example/schema" } },
  ...(existsSync(`${folder}/more`) ? [{ name: "more", inputSchema: anything }] : []),
  ...(existsSync(`${folder}/twice`) ? [{ name: "say", inputSchema: anything }] : []),
];

const tools = {
  say: ({ text: words }) => text(words),
  "a/b": () => text("a slash"),
  die: () => process.exit(3),
  ask: async () =>
    text(
      JSON.stringify(
        await request("elicitation/create", {
          message: "Who are you?",
          requestedSchema: {
            type: "object",
            properties: { name: { type: "string" }, age: { type: "integer", default: 7 } },
            required: ["name"],
          },
        }),
      ),
    ),
  open: async () =>
    text(
      JSON.stringify(
        await request("elicitation/create", {
          mode: "url",
          elicitationId: "1",
          message: "Sign here",
          url: "https://a.example/sign",
        }),
      ),
    ),
  wait: (_args, { id, token }) => {
    writeFileSync(`${folder}/waiting`, "");
    progress.set(
      id,
      setInterval(() => {
        send({ method: "notifications/progress", params: { progressToken: token, progress: 1 } });
      }, 20),
    );
    return new Promise((resolve) => {
      if (existsSync(`${folder}/patience`)) setTimeout(() => resolve(text("late")), 1200);
    });
  },
  silent: () => new Promise(() => {}),
  environment: () => text(JSON.stringify(process.env)),
  look: ({ path }) => text(readFileSync(path, "utf8")),
  write: ({ path }) => {
    writeFileSync(path, "written");
    return text("written");
  },
  reach: ({ port }) =>
    new Promise((resolve) => {
      const socket = connect(port, "127.0.0.1");
      socket.once("connect", () => resolve(text("reached")));
      socket.once("error", (error) => resolve(text(error.code)));
    }),
  get: async ({ url }) => text((await fetch(url)).status),
  flood: () => {
    process.stdout.write("x".repeat(20 * 1024 * 1024));
    return new Promise(() => {});
  },
  fail: () => ({ ...text("it went wrong"), isError: true }),
  refuse: () => {
    throw new Error("no such thing");
  },
  announce: () => {
    send({ method: "notifications/tools/list_changed" });
    return text("announced");
  },
  more: () => text("more"),
};

let lastId = 0;
function request(method, params) {
  const id = `s${(lastId += 1)}`;
  send({ id, method, params });
  return new Promise((resolve) => asking.set(id, resolve));
}

async function answer({ id, method, params }) {
  switch (method) {
    case "initialize":
      return {
        protocolVersion: params.protocolVersion,
        capabilities: { tools: { listChanged: true } },
        serverInfo: { name: "fixture", version: "1" },
      };
    case "ping":
      return {};
    case "tools/list":
      return { tools: listed() };
    case "tools/call":
      return tools[params.name](params.arguments ?? {}, {
        id,
        token: params["_meta"]?.progressToken,
      });
    default:
      throw Object.assign(new Error("no such method"), { rpc: -32601 });
  }
}

process.stderr.write("the fixture is up\n");
if (manner === "chatty") process.stdout.write("Server listening\n");
for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line);
  if (manner === "fragile" && message.method === "server/discover") process.exit(1);
  if (message.method === "notifications/cancelled") {
    clearInterval(progress.get(message.params.requestId));
    writeFileSync(`${folder}/cancelled`, "");
  }
  if (message.method === undefined) asking.get(message.id)?.(message.result ?? message.error);
  if (message.method === undefined || message.id === undefined) continue;
  Promise.resolve()
    .then(() => answer(message))
    .then(
      (result) => send({ id: message.id, result }),
      (error) =>
        send({ id: message.id, error: { code: error.rpc ?? -32000, message: error.message } }),
    );
}
