// How operations about models, money, contexts, queues and tests are answered (answers.ts).

import { SysError } from "@aos/protocol";
import type { Answers } from "./answers.ts";

const absent = (): never => {
  throw new SysError("ESTATE", "this is not built yet");
};

export const modelAnswers: Pick<
  Answers,
  | "models"
  | "testModel"
  | "addProvider"
  | "cost"
  | "estimateSpawn"
  | "estimateFork"
  | "estimateReplay"
  | "context"
  | "exportContext"
  | "compactContext"
  | "nice"
  | "queue"
  | "invoke"
  | "attach"
  | "runTests"
  | "recordTest"
> = {
  models: async () => absent(),
  testModel: async () => absent(),
  addProvider: async () => absent(),
  cost: async () => absent(),
  estimateSpawn: async () => absent(),
  estimateFork: async () => absent(),
  estimateReplay: async () => absent(),
  context: async () => absent(),
  exportContext: async () => absent(),
  compactContext: async () => absent(),
  nice: async () => absent(),
  queue: async () => absent(),
  invoke: async () => absent(),
  attach: async () => absent(),
  runTests: async () => absent(),
  recordTest: async () => absent(),
};
