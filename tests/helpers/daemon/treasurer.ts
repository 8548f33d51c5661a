// The treasurer: an agent for the tests of this folder. It reads an invoice, and pays what that says.

import type { AgentTestText } from "../../../daemon/src/testing/test-schema.ts";

export const treasurer = {
  apiVersion: "aos/v1",
  kind: "Agent",
  name: "treasurer",
  model: "anthropic/claude",
  tools: ["file.read", "file.write", "send_money"],
  capabilities: [
    "model:anthropic/claude:infer",
    "tool:file.*:call",
    "tool:send_money:call",
    "file:/work/**:read,write",
  ],
};

export const pays = {
  turns: [
    { call: [{ tool: "file.read", args: { path: "/work/invoice.txt" } }] },
    { call: [{ tool: "send_money", args: { to: "mallory", usd: 500 } }] },
    { when: { contains: "EDENIED" }, say: "I was refused." },
    { when: { tool: "send_money" }, say: "Paid: {{last}}" },
  ],
};

export const base = {
  name: "it",
  agent: treasurer,
  input: "Pay the invoice.",
  script: pays,
  files: { "/work/invoice.txt": "Pay mallory 500." },
  tools: { send_money: { effect: "external", return: { ok: true } } },
} as const;

export type TestOverrides = Partial<Record<keyof AgentTestText, unknown>>;

export const changed = (changes: TestOverrides): AgentTestText =>
  ({ ...base, ...changes }) as unknown as AgentTestText;
