// Routes: the operations of the HTTP API, by name: how each is asked for. What may be given to it and
// what it answers is in operations.ts; a client needs only this table.
//
//   path     below API_ROOT. `:name` is filled from the arguments; the others travel in the query of
//            a GET and in the JSON body of a POST.
//   streams  the answer is one JSON value a line, to the end; a last line {"error": …} is a failure.

export const API_ROOT = "/api/v1";

/** The most that a request may carry. */
export const MAX_BODY_BYTES = 16 * 1024 * 1024;

export interface Route<Streams extends boolean = boolean> {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly summary: string;
  readonly streams: Streams;
}

const get = (path: string, summary: string): Route<false> => ({
  method: "GET",
  path,
  summary,
  streams: false,
});
const post = (path: string, summary: string): Route<false> => ({
  ...get(path, summary),
  method: "POST",
});
const streamed = (route: Route<false>): Route<true> => ({ ...route, streams: true });

export const routes = {
  status: get("/status", "Who answers, and how it is."),
  shutdown: post("/shutdown", "Stop the daemon cleanly."),

  spawn: post("/processes", "Start a process."),
  list: get("/processes", "The processes, newest first."),
  show: get("/processes/:pid", "One process, in full."),
  wait: get("/processes/:pid/wait", "How it ended, once it has."),

  journal: get("/processes/:pid/journal", "What it did, record by record."),
  watch: streamed(get("/processes/:pid/watch", "The same, as it happens, to its end.")),
  coreDump: get("/processes/:pid/core", "What an abnormal end left."),

  signal: post("/processes/:pid/signals", "Send it a signal."),
  send: post("/processes/:pid/messages", "Put a message into its mailbox."),

  replay: post("/processes/:pid/replay", "Run it again from its journal, and compare."),
  fork: post("/processes/:pid/fork", "A new process with its history up to a record."),
  retry: post("/processes/:pid/retry", "A new process that makes a call of its again."),

  storeReport: get("/store", "Whether the store has all that was written to it."),
  acceptStore: post("/store/accept", "Let what is held go on, with what was lost in doubt."),
  verify: post("/audit/verify", "Read every record, and find what was changed."),
  collect: post("/gc", "Compact finished runs beyond their retention."),

  questions: get("/questions", "What waits for a person."),
  answer: post("/questions/:id/answer", "Answer a question."),
  cancelQuestion: post("/questions/:id/cancel", "Withdraw a question: whoever waits is refused."),

  power: get("/power", "What a process, or every process of an agent, holds."),
  grant: post("/grants", "Give power to a process, or to every process of an agent."),
  revoke: post("/grants/revoke", "Take power back, and stop what runs by it."),
  check: post("/processes/:pid/check", "What the gate would say to a call."),
  why: get("/processes/:pid/why", "Why a recorded call was allowed or refused."),
  causes: get("/processes/:pid/causes", "What led to a record, or to its end."),
  moment: get("/processes/:pid/moment", "A process as it was at one of its records."),
  suggest: get("/suggestions", "The smallest manifest for what was really used."),

  mintToken: post("/tokens", "A token for power that travels."),
  verifyToken: post("/tokens/verify", "What a token says, and whether it counts."),
  attenuateToken: post("/tokens/attenuate", "The same token with one more block."),

  policy: get("/policy", "The policy in force, layer by layer."),
  checkPolicy: post("/policy/check", "What is wrong with policy files."),
  testPolicy: post("/policy/test", "Run a policy's own tests."),
  reloadPolicy: post("/policy/reload", "Read the policy files again: all of them, or none."),
  backtestPolicy: post(
    "/policy/backtest",
    "What another policy would have said to what is recorded.",
  ),

  secrets: get("/secrets", "The names of secrets and what they are bound to, never the values."),
  setSecret: post("/secrets", "Seal a secret."),
  removeSecret: post("/secrets/:name/remove", "Delete a secret."),

  agents: get("/agents", "The agents that can be started by their names."),
  tools: get("/tools", "The tools that there are, or those that fit a search."),
  tool: get("/tools/:name", "One tool, in full."),
  callTool: post("/tools/:name/call", "Start a process that makes one call of a tool."),

  folderProblems: get("/problems", "What of the home and of a folder was left out, and why."),

  mcpServers: get("/mcp/servers", "The MCP servers that are declared, and how they are."),
  addMcpServer: post("/mcp/servers", "Declare an MCP server for everyone."),
  removeMcpServer: post("/mcp/servers/:name/remove", "Forget an MCP server."),
  testMcpServer: post("/mcp/servers/:name/test", "Connect to an MCP server, and say how it went."),
  pinMcpServer: post("/mcp/servers/:name/pin", "Agree to what an MCP server's tools say now."),

  skills: get("/skills", "The skills that there are."),
  skill: get("/skills/:name", "One skill, in full."),
  checkSkill: post("/skills/check", "What is wrong with the folder of a skill."),

  trustedFolders: get("/trust", "The project folders that are trusted."),
  lookAtFolder: post(
    "/trust/look",
    "What a project folder would be allowed, and whether it counts.",
  ),
  trustFolder: post("/trust", "Trust a project folder as it was looked at."),
  distrustFolder: post("/trust/remove", "Trust a project folder no longer."),

  changes: get("/processes/:pid/changes", "What was changed in its workspace."),
  undo: post("/processes/:pid/undo", "Take back what was changed in its workspace."),
  commit: post("/processes/:pid/commit", "Let what was changed in its workspace through."),

  ledger: get("/audit/ledger", "What people did, newest last."),

  tenants: get(
    "/tenants",
    "The tenants, their processes, what they spent and what is left to them.",
  ),

  tenant: get("/tenants/:name", "One tenant, and the most that anybody of it may hold."),
  addTenant: post("/tenants", "Make a tenant."),
  setTenant: post("/tenants/:name/ceiling", "Set the most that anybody of a tenant may hold."),
  removeTenant: post("/tenants/:name/remove", "Let nothing be started in a tenant any more."),

  searchMemory: get("/memory", "Find by its words what is written in shared memory."),
  deadLetters: get("/messages/dead", "Messages that nobody will take, the newest first."),
  memory: get("/processes/:pid/memory", "What it has in memory: a file, and those below."),

  models: get("/models", "The models that there are, what they cost and how they do."),
  testModel: post("/models/test", "Ask a model one thing, and say how it went."),
  addProvider: post("/providers", "Configure a provider of models, and seal its key."),
  cost: get("/cost", "Where every cent went."),
  estimateSpawn: post("/processes/estimate", "What a run would cost."),
  estimateFork: get("/processes/:pid/fork/estimate", "What a fork would cost."),
  estimateReplay: get("/processes/:pid/replay/estimate", "What a replay would cost."),
  context: get("/processes/:pid/context", "What it shows its model, block by block."),
  exportContext: get("/processes/:pid/context/messages", "The same, as the messages themselves."),
  compactContext: post("/processes/:pid/context/compact", "Tell it to make its context shorter."),
  nice: post("/processes/:pid/nice", "Say how urgent it is."),
  queue: get("/queue", "What waits to begin, and what waits for a model."),
  invoke: post("/processes/:pid/invoke", "Ask a living agent, and wait for its answer."),
  attach: streamed(get("/processes/:pid/attach", "What it does and says, as it happens.")),
  runTests: streamed(post("/tests", "Run tests of agents, and say of each how it went.")),
  recordTest: post("/processes/:pid/test", "Make a test of a run."),

  accessTokens: get("/access-tokens", "The tokens that open this API, without the tokens."),
  createAccessToken: post("/access-tokens", "A token that opens this API."),
  revokeAccessToken: post("/access-tokens/:id/revoke", "Let a token open nothing any more."),
  loginKey: post("/session/key", "A key that opens the page, once and soon."),
  whoAmI: get("/session", "Who the caller is taken for."),

  config: get("/config", "Every setting, what it is, and who says so."),
  doctor: get("/doctor", "Look whether all is as it should be."),
  attack: streamed(
    post("/doctor/attack", "Attack the live configuration, and say of each what came of it."),
  ),
} as const satisfies Record<string, Route>;

export type OperationName = keyof typeof routes;

export const operationNames = Object.keys(routes) as OperationName[];
