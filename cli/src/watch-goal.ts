// WatchGoal: a line for each thing that a goal and its subtasks do, and a note for what they ask a person.

import type { GoalEvent } from "@aos/protocol/words";
import type { CommandCall } from "./command.ts";
import { noteQuestions } from "./question/run-questions.ts";
import { printable } from "./printable.ts";

export async function watchGoal(call: CommandCall, pid: string): Promise<void> {
  const { client, out } = call;
  const questions = noteQuestions(call, pid);
  try {
    for await (const event of client.watchGoal({ pid }))
      await out.line(event, out.format === "text" ? () => lineOf(event) : undefined);
  } finally {
    await questions.stop();
  }
}

function lineOf({ at, step, agent, where, what, code }: GoalEvent): string {
  const time = new Date(at).toISOString().slice(11, 19);
  const who = step === null ? agent : `${step} ${agent}`;
  const failed = code === null ? "" : ` → ${code}`;
  return printable(`${time} [${where}] ${who}: ${what}${failed}`);
}
