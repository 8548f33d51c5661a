// Attempt text: a touch as a verb phrase, for messages: "read /etc/shadow", "POST to example.com:443/".

import type { Touch } from "@aos/protocol";

const PHRASES: Readonly<Record<string, (resource: string, verb: string) => string>> = {
  agent: (name, verb) => (verb === "spawn" ? `spawn the agent ${name}` : `wait for ${name}`),
  browser: (page, verb) => `${verb} the page ${page} in a browser`,
  file: (path, verb) => `${verb} ${path}`,
  http: (url, verb) => `${verb.toUpperCase()} ${WITH_BODY.has(verb) ? "to " : ""}${url}`,
  memory: (path, verb) => `${verb} the memory ${path}`,
  message: (name, verb) => `${MESSAGES[verb] ?? verb} ${name}`,
  model: (name) => `use the model ${name}`,
  secret: (name) => `use the secret ${name}`,
  shell: (program) => `run the program ${program}`,
  signal: (pid) => `send a signal to ${pid}`,
  tool: (name) => `call the tool ${name}`,
};

const WITH_BODY: ReadonlySet<string> = new Set(["post", "put", "patch"]);

const MESSAGES: Readonly<Record<string, string>> = {
  send: "send a message to",
  receive: "receive messages from",
  publish: "publish to the topic",
  subscribe: "subscribe to the topic",
};

export function attemptText({ kind, resource, verb }: Touch): string {
  return PHRASES[kind]?.(resource, verb) ?? `${verb} ${kind} ${resource}`;
}
