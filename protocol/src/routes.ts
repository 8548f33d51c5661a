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
const stream = (path: string, summary: string): Route<true> => ({
  ...get(path, summary),
  streams: true,
});

export const routes = {
  status: get("/status", "Who answers, and how it is."),
  shutdown: post("/shutdown", "Stop the daemon cleanly."),

  spawn: post("/processes", "Start a process."),
  list: get("/processes", "The processes, newest first."),
  show: get("/processes/:pid", "One process, in full."),
  wait: get("/processes/:pid/wait", "How it ended, once it has."),

  journal: get("/processes/:pid/journal", "What it did, record by record."),
  watch: stream("/processes/:pid/watch", "The same, as it happens, to its end."),
  coreDump: get("/processes/:pid/core", "What an abnormal end left."),

  signal: post("/processes/:pid/signals", "Send it a signal."),
  send: post("/processes/:pid/messages", "Put a message into its mailbox."),

  replay: post("/processes/:pid/replay", "Run it again from its journal, and compare."),
  fork: post("/processes/:pid/fork", "A new process with its history up to a record."),
  retry: post("/processes/:pid/retry", "A new process that makes a call of its again."),

  verify: post("/audit/verify", "Read every record, and find what was changed."),
  collect: post("/gc", "Compact finished runs beyond their retention."),

  questions: get("/questions", "What waits for a person."),
  answer: post("/questions/:id/answer", "Answer a question."),
} as const satisfies Record<string, Route>;

export type OperationName = keyof typeof routes;

export const operationNames = Object.keys(routes) as OperationName[];
