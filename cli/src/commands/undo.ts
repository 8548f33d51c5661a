// `aos undo`: takes back what a run did: what its tools did outside, by their declared undo, then its workspace.

import { exitCodes, SysError, type Json } from "@aos/protocol/words";
import type { Command, CommandCall } from "../command.ts";
import { printAct } from "../print-act.ts";
import { noteQuestions, type RunQuestions } from "../question/run-questions.ts";
import { printable } from "../printable.ts";
import { waitForEnd } from "../wait-for-end.ts";

const command: Command = async (call) => {
  const { args, client, options, out } = call;
  const pid = args[0] ?? "";
  const takenBack = await takeBack(call, pid);
  const report = await client
    .undo({ pid, force: options.flag("force") })
    .catch((error: unknown) => {
      const isWithout = error instanceof SysError && error.code === "ENOENT";
      if (!isWithout || takenBack.takenBackBy === null) throw error;
      return { tree: pid, project: null, files: [] }; // it has no workspace, and that was all of it
    });
  await printAct(out, "reverted", { ...report, ...takenBack });
  return takenBack.lasting.length === 0 ? exitCodes.success : exitCodes.failed;
};

export default command;

interface TakenBack {
  /** The run that took it back; null where there was nothing. */
  readonly takenBackBy: string | null;
  readonly undone: readonly string[];
  readonly lasting: readonly { readonly step: string; readonly why: string }[];
}

const NOTHING: TakenBack = { takenBackBy: null, undone: [], lasting: [] };

async function takeBack(call: CommandCall, of: string): Promise<TakenBack> {
  const { client, out } = call;
  const started = await client.takeBack({ pid: of }).catch((error: unknown) => {
    if (!(error instanceof SysError) || !isNothing(error)) throw error;
    if (has(error.detail, "by")) out.note(error.message);
    return undefined;
  });
  if (started === undefined) return NOTHING;
  const { pid, armed } = started;
  for (const { step, tool, args } of armed)
    out.note(printable(`${pid} calls ${tool} ${JSON.stringify(args)} for ${step}`));
  const questions = noteQuestions(call, pid);
  const output = await endOf(call, pid, questions);
  const { undone = [], lasting = [] } = (output ?? {}) as unknown as Partial<TakenBack>;
  if (undone.length > 0) out.note(printable(`taken back: ${undone.join(", ")}`));
  for (const { step, why } of lasting) out.note(printable(`not taken back: ${step}: ${why}`));
  return { takenBackBy: pid, undone, lasting };
}

async function endOf(call: CommandCall, pid: string, questions: RunQuestions): Promise<Json> {
  try {
    return (await waitForEnd(call, pid)).output;
  } finally {
    await questions.stop();
  }
}

/** Nothing that a declared undo takes back, or it was done before: the workspace is another matter. */
const isNothing = ({ code, detail }: SysError): boolean =>
  code === "ESTATE" && has(detail, "nothingLeft");

const has = (detail: Json | undefined, name: string): boolean =>
  typeof detail === "object" && detail !== null && name in detail;
