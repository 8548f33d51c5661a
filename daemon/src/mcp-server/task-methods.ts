// TaskMethods: `tasks/get`, `tasks/update` and `tasks/cancel`.
//
// TASK-METHODS-1  Each is for clients that say that they know tasks, and each is what the caller may do
//     by a tool as well: look, answer, cancel.

import {
  ProtocolError,
  ProtocolErrorCode,
  type Result,
  type Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { isProcessId, SysError } from "@aos/protocol";
import { z } from "zod";
import type { Caller } from "../gateway/caller.ts";
import { roleRefusal } from "../gateway/call-operation.ts";
import type { CallOperation } from "./operations-as.ts";
import { runStatus } from "./run-status.ts";
import { mustKnowTasks, taskOf, wordsIn } from "./task.ts";

const byTask = z.looseObject({ taskId: z.string() });

export function addTaskMethods(
  server: Server,
  ask: CallOperation,
  { caller, mayApprove }: { caller: Caller; mayApprove: boolean },
): void {
  const mayAnswer = mayApprove && roleRefusal(caller, "answer") === undefined;

  server.setRequestHandler("tasks/get", { params: byTask }, ({ taskId }, context) =>
    about(taskId, context, async (signal) => {
      const task = taskOf(await runStatus(ask, taskId, signal), { context, mayAnswer });
      return { ...task } as Result;
    }),
  );

  server.setRequestHandler("tasks/update", { params: byTask }, ({ taskId }, context) =>
    about(taskId, context, async (signal) => {
      const { questions } = await runStatus(ask, taskId, signal);
      // They are no longer among the parameters: the SDK has put them here.
      for (const word of wordsIn(context.mcpReq.inputResponses ?? {}))
        if (questions.some(({ id }) => id === word.id)) await ask("answer", word, signal);
      return {};
    }),
  );

  server.setRequestHandler("tasks/cancel", { params: byTask }, ({ taskId }, context) =>
    about(taskId, context, async (signal) => {
      const { endedAt } = await ask("show", { pid: taskId }, signal);
      // One that is over stays as it ended: cancelling is a wish, and is heard.
      if (endedAt === null) await ask("signal", { pid: taskId, signal: "SIGTERM" }, signal);
      return {};
    }),
  );
}

/** TASK-METHODS-1; and what the kernel refuses, in the words of the protocol. */
async function about(
  taskId: string,
  context: ServerContext,
  act: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  mustKnowTasks(context);
  if (!isProcessId(taskId)) throw noTask(taskId);
  try {
    return await act(context.mcpReq.signal);
  } catch (error) {
    if (!(error instanceof SysError)) throw error;
    if (error.code === "ENOENT") throw noTask(taskId);
    throw new ProtocolError(ProtocolErrorCode.InvalidRequest, `${error.code}: ${error.message}`);
  }
}

const noTask = (taskId: string) =>
  new ProtocolError(ProtocolErrorCode.InvalidParams, `unknown task ${taskId}`);
