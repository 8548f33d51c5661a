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
    hint("the question in full: what it wants, after having read what, by which rule", [
      `npx aos approvals show ${question.id}`,
    ]);
    hint("end the daemon the hard way and start it again: nothing is lost, it still waits", [
      `kill -9 ${status.daemon.pid}`,
      "npx aos up -d",
    ]);
    hint("say yes (or: npx aos deny); it goes on where it was, and pays once", [
      `npx aos approve ${question.id}`,
      `npx aos wait ${pid}`,
    ]);
  }
  if (refused !== undefined) {
    hint("why it was refused, and what led to it", [`npx aos why ${pid} ${refused.seq}`]);
  }
  if (question === undefined) {
    hint("run it again from its journal, with no tools and no model: every byte the same", [
      `npx aos replay ${pid} --verify`,
    ]);
    hint("begin a new demo", ["npm start -- --again"]);
  }
  hint("use a real model: its key is sealed, and no agent ever sees it", ["npx aos configure"]);
  hint("an agent of your own; more of them are in examples/", ["npx aos init"]);
  hint("let Claude Code, Cursor, Codex or any OpenAI client use your agents; `hello` is one", [
    "npx aos connect",
  ]);
  hint("stop; what runs is kept, and goes on with the next start", ["npx aos down"]);
}

function hint(what: string, commands: readonly string[]): void {
  say();
  say(dim(`  # ${what}`));
  for (const command of commands) say(`  ${command}`);
}
