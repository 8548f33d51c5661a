// Next: the commands that fit how the demo stands, each with what it is for. Ready to be copied.
//
// NEXT-1  Every command works as it is printed: tests/e2e/quickstart.test.ts runs them.

import type { StatusReport } from "@aos/protocol";
import type { Standing } from "./demo.ts";
import { dim, say } from "./lines.ts";

export function sayNext({ process, question, records }: Standing, status: StatusReport): void {
  const { pid } = process;
  const refused = records.find(
    (record) => record.kind === "call" && record.call === "exec" && record.err !== undefined,
  );
  if (question !== undefined) {
    hint("show the question in full: the call, what the agent has read, and the rule", [
      `npx aos approvals show ${question.id}`,
    ]);
    hint("kill the daemon and start it again: nothing is lost, the agent still waits", [
      `kill -9 ${status.daemon.pid}`,
      "npx aos up -d",
    ]);
    hint("approve (or: npx aos deny); the agent continues where it was, and pays once", [
      `npx aos approve ${question.id}`,
      `npx aos wait ${pid}`,
    ]);
  }
  if (refused !== undefined) {
    hint("explain why the call was refused, and what led to it", [
      `npx aos why ${pid} ${refused.seq}`,
    ]);
  }
  if (question === undefined) {
    hint("replay the agent from its journal, without tools or models: every byte is identical", [
      `npx aos replay ${pid} --verify`,
    ]);
    hint("start a new demo", ["npm start -- --again"]);
  }
  hint("use a real model: its key is stored encrypted, and no agent ever sees it", [
    "npx aos configure",
  ]);
  hint("create an agent of your own; examples/ has more", ["npx aos init"]);
  hint("use your agents from Claude Code, Cursor, Codex or any OpenAI client, e.g. `hello`", [
    "npx aos connect",
  ]);
  hint("stop the daemon; running agents continue at the next start", ["npx aos down"]);
}

function hint(what: string, commands: readonly string[]): void {
  say();
  say(dim(`  # ${what}`));
  for (const command of commands) say(`  ${command}`);
}
