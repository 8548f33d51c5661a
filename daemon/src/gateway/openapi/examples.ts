// Examples: what an operation is asked and what it says, where seeing it helps. The test beside the document
// holds each against its schema.

import type { OperationAnswer, OperationArgs, OperationName, ProcessId } from "@aos/protocol";

type Example<Name extends OperationName> = {
  readonly body?: { readonly [Field in keyof OperationArgs<Name>]?: OperationArgs<Name>[Field] };
  readonly answer?: OperationAnswer<Name>;
};

const pid = "agt_01k9wz6m4e8q0r2t4v6x8y0a2c" as ProcessId;

const written: { readonly [Name in OperationName]?: Example<Name> } = {
  spawn: { body: { agent: "hello", input: "Good morning" }, answer: { pid } },
  wait: {
    answer: { pid, state: "completed", exitCode: 0, output: "Good morning to you", error: null },
  },
  list: {
    answer: [
      {
        pid,
        agent: "hello",
        name: null,
        state: "running",
        waitingOn: "model",
        parent: null,
        exitCode: null,
        costUsd: 0.0021,
        startedAt: "2026-11-01T09:30:00.000Z",
        endedAt: null,
        lane: "normal",
        deadline: null,
        mailbox: { depth: 0, oldestAt: null },
      },
    ],
  },
  signal: { body: { signal: "SIGINT" }, answer: { pid, signal: "SIGINT" } },
  send: { body: { body: "one more thing" }, answer: { id: "msg_01k9wz7b2d4f6h8j0m2p4r6t8w" } },
  answer: {
    body: { choice: "yes", text: "looked at it" },
    answer: {
      id: "ask_01k9wz6s",
      settled: true,
      answer: "yes",
      votes: 1,
      needed: 1,
      alsoAnswered: [],
    },
  },
  grant: { body: { pid, capabilities: ["file:/data/**:read"], reason: "for the report" } },
  setSecret: {
    body: {
      name: "WEATHER_KEY",
      value: "…",
      bindings: [
        {
          kind: "header",
          origin: "https://api.example.com",
          header: "authorization",
          prefix: "Bearer ",
        },
      ],
    },
    answer: { name: "WEATHER_KEY" },
  },
  createAccessToken: { body: { role: "viewer", name: "wall screen", expiresInMs: 2_592_000_000 } },
  whoAmI: { answer: { name: "wall screen", role: "viewer", tenant: null } },
};

export const examples: Partial<Record<OperationName, { body?: unknown; answer?: unknown }>> =
  written;
