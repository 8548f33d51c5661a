// CallWords: what a process is doing now, in words, for a status line.
//
//   callWords(record)   "runs shell.execute: npm test"

import type { JournalRecord } from "@aos/protocol/words";

type Args = Readonly<Record<string, unknown>>;

const words: Readonly<Record<string, (args: Args) => string>> = {
  exec: ({ tool, args }) => `runs ${text(tool)}${subject(args as Args | undefined)}`,
  infer: ({ model }) => `asked the model ${text(model)}`.trimEnd(),
  read: ({ path }) => `reads ${text(path)}`,
  write: ({ path }) => `writes ${text(path)}`,
  remove: ({ path }) => `removes ${text(path)}`,
  list: ({ path }) => `lists ${text(path)}`,
  search: ({ query, path }) => `searches ${text(path)} for ${text(query)}`,
  spawn: ({ agent }) => `starts ${typeof agent === "string" ? agent : "another agent"}`,
  wait: ({ pid }) => `waits for ${text(pid)}`,
  send: ({ to }) => `sends a message to ${text(to)}`,
  request: ({ to }) => `asks ${text(to)} and waits for the answer`,
  receive: () => "waits for a message",
  publish: ({ topic }) => `publishes to ${text(topic)}`,
  ask: () => "asks a person",
  sleep: () => "sleeps",
  checkpoint: () => "keeps its state",
};

/** A record that is no call: what happened. */
export function callWords(record: JournalRecord): string {
  if (!("call" in record)) return record.kind;
  const args = (record.args ?? {}) as Args;
  return words[record.call]?.(args) ?? record.call;
}

/** What people know a call of a tool by. */
function subject(args: Args = {}): string {
  const { command, path, url, query } = args;
  if (Array.isArray(command)) return `: ${command.map(text).join(" ")}`;
  const known = [command, path, url, query].find((value) => typeof value === "string");
  return known === undefined ? "" : `: ${text(known)}`;
}

const text = (value: unknown): string => (typeof value === "string" ? value : "");
