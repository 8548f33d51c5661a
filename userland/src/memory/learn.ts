// Learn: after a task, keeps what the person stated in it, with a pointer to the journal record that has their words.
//
//   const reflection = await learnFrom(sys, manifest, { said, from, messages, model })
//
// LEARN-1  Only where the manifest says `memory.extract`; otherwise no call is made.
// LEARN-2  Facts are written like any other: by the grant of the process, with its label.
// LEARN-3  A refused or failed write does not fail the task.

import {
  type Fact,
  factFile,
  type Json,
  type Manifest,
  type Message,
  type Sys,
} from "@aos/protocol";
import { isReportedToModel } from "../agent/tool-run.ts";
import { extractByModel } from "./extract-model.ts";
import { extractByRules } from "./extract-rules.ts";

interface SaidInTask {
  /** What the person said. */
  readonly said: string;
  /** The record that has it: the start of the process, or of a persistent agent a message. */
  readonly message: string | undefined;
  readonly messages: readonly Message[];
  readonly model: string;
}

/** The record of the start has the input. */
const START = 0;

/** What a model says of the task, where one was asked. */
export async function learnFrom(
  sys: Sys,
  { memory }: Manifest,
  { said, message, messages, model }: SaidInTask,
): Promise<string | undefined> {
  const { extract = "off" } = memory ?? {};
  if (extract === "off") return undefined; // LEARN-1
  const byModel =
    extract === "model"
      ? await extractByModel(sys, { model: memory?.model ?? model, said, messages })
      : undefined;
  const facts = byModel?.facts ?? extractByRules(said);
  if (facts.length > 0) {
    const { pid } = await sys.self();
    const from: Fact["from"] = message === undefined ? { pid, seq: START } : { pid, message };
    for (const fact of facts) {
      const { path, data } = factFile({ ...fact, source: "conversation", from });
      if (!(await isWritten(sys, path, data as unknown as Json))) break;
    }
  }
  return byModel?.reflection;
}

/** LEARN-3. */
async function isWritten(sys: Sys, path: string, data: Json): Promise<boolean> {
  try {
    await sys.write(path, data);
    return true;
  } catch (error) {
    if (!isReportedToModel(error)) throw error;
    return false;
  }
}
